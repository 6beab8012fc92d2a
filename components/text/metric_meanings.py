"""What each canonical metric measures, in a sentence."""

TEXT = {
    "metric.pass_rate.meaning": (
        "本步训练批中正确响应的比例，由平均得分按奖励范围换算。",
        "Share of right responses in the step's training batch, from the mean score and the reward range.",
    ),
    "metric.pass_rate_bound.meaning": (
        "奖励含超长惩罚时更紧的下界：被截断的响应已被扣满罚分，把它加回来；真实通过率不低于此。",
        "A higher lower bound under an overlong penalty: responses cut at the cap lost all of it, which is given"
        " back; the true pass rate is at least this.",
    ),
    "metric.score_mean.meaning": (
        "每条响应的得分之和的均值，未扣 KL。",
        "Mean over responses of the summed reward, before any KL is taken off.",
    ),
    "metric.score_max.meaning": ("批内最高得分。", "Highest score of a response in the batch."),
    "metric.score_min.meaning": ("批内最低得分。", "Lowest score of a response in the batch."),
    "metric.reward_mean.meaning": (
        "扣除奖励侧 KL 之后的平均奖励；无此项时等于得分。",
        "Mean reward after the KL in the reward; equal to the score where there is none.",
    ),
    "metric.reward_max.meaning": ("批内最高奖励。", "Highest reward of a response in the batch."),
    "metric.reward_min.meaning": ("批内最低奖励。", "Lowest reward of a response in the batch."),
    "metric.reward_accuracy.meaning": (
        "奖励函数单独给出的答案部分，批内均值。",
        "The part of the reward given for the answer, mean of the batch, where the reward function reports it.",
    ),
    "metric.reward_format.meaning": (
        "奖励函数单独给出的格式部分，批内均值。",
        "The part of the reward given for the format, mean of the batch, where the reward function reports it.",
    ),
    "metric.response_length.meaning": (
        "响应的平均词元数，多轮时含工具返回。",
        "Mean tokens of a response, tool output included in multi-turn runs.",
    ),
    "metric.response_length_max.meaning": ("批内最长的响应。", "Longest response of the batch."),
    "metric.response_length_min.meaning": ("批内最短的响应。", "Shortest response of the batch."),
    "metric.truncation.meaning": (
        "长度达到批内最大长度的响应占比。",
        "Share of responses as long as the batch allows.",
    ),
    "metric.aborted.meaning": ("长度为 0 的响应占比。", "Share of responses with length 0."),
    "metric.response_length_completed.meaning": (
        "去掉长度为 0 的响应后的平均长度。",
        "Mean length without responses of length 0.",
    ),
    "metric.prompt_length.meaning": (
        "提示的平均词元数，含图像词元。",
        "Mean tokens of a prompt, image tokens included.",
    ),
    "metric.prompt_length_max.meaning": ("批内最长的提示。", "Longest prompt of the batch."),
    "metric.prompt_length_min.meaning": ("批内最短的提示。", "Shortest prompt of the batch."),
    "metric.prompt_truncation.meaning": (
        "达到最大提示长度的占比。",
        "Share of prompts at the longest length allowed.",
    ),
    "metric.entropy.meaning": (
        "策略在每个词元上的不确定度，更新前由训练端计算。",
        "Uncertainty of the policy per token, computed by the actor before the update.",
    ),
    "metric.loss.meaning": (
        "策略损失减熵奖励，加 KL 项。",
        "Policy loss minus the entropy bonus plus the KL term.",
    ),
    "metric.pg_loss.meaning": (
        "裁剪后的策略梯度损失。",
        "Clipped policy-gradient loss.",
    ),
    "metric.ppo_kl.meaning": (
        "同一步内旧策略与当前策略对数概率之差的均值（k1），可为负。",
        "Mean of old minus current log-probability within the step (k1 estimate); may be negative.",
    ),
    "metric.clip_share.meaning": (
        "裁剪生效的词元占比，上下两侧合计。",
        "Share of tokens where the clip is active, both sides together.",
    ),
    "metric.dual_clip_share.meaning": (
        "优势为负且比率超过 clip_ratio_c 的词元占比。",
        "Share of tokens with negative advantage and a ratio above clip_ratio_c.",
    ),
    "metric.kl_loss.meaning": (
        "损失中策略到参考模型的 KL，估计式由 kl_loss_type 决定。",
        "KL from the policy to the reference model in the loss; kl_loss_type names the estimator.",
    ),
    "metric.kl_coef.meaning": ("损失中 KL 项的系数。", "Weight of the KL term in the loss."),
    "metric.reward_kl.meaning": (
        "从奖励中扣除的参考 KL。",
        "KL to the reference that is taken from the reward.",
    ),
    "metric.reward_kl_coef.meaning": ("奖励中 KL 的系数。", "Weight of the KL in the reward."),
    "metric.grad_norm.meaning": (
        "裁剪前的全局 L2 范数，在本步各次更新上取平均。",
        "Global L2 norm before clipping, averaged over the updates of the step.",
    ),
    "metric.lr.meaning": ("优化器的学习率。", "Learning rate of the optimizer."),
    "metric.deviation.meaning": (
        "1 减去推理端与训练端词元概率的相关系数。",
        "1 minus the correlation of token probabilities between rollout engine and trainer.",
    ),
    "metric.probs_diff.meaning": (
        "推理端与训练端词元概率之差的绝对值的均值。",
        "Mean absolute difference of token probabilities between rollout engine and trainer.",
    ),
    "metric.probs_diff_max.meaning": ("概率差的最大值。", "Largest of these differences."),
    "metric.probs_diff_std.meaning": ("概率差的标准差。", "Standard deviation of these differences."),
    "metric.probs_diff_valid.meaning": (
        "1 表示概率差可用，0 表示无法计算。",
        "1 where the difference could be computed, else 0.",
    ),
    "metric.rollout_kl.meaning": (
        "推理端减训练端的对数概率均值，可为负。",
        "Mean of rollout minus trainer log-probability; may be negative.",
    ),
    "metric.rollout_k3.meaning": (
        "同一差异的 k3 估计，不小于 0。",
        "The k3 estimate of the same gap, never negative.",
    ),
    "metric.is_weight.meaning": (
        "校正推理–训练差异的重要性权重的均值。",
        "Mean of the weights that correct the rollout–trainer gap.",
    ),
    "metric.is_weight_std.meaning": ("重要性权重的标准差。", "Standard deviation of these weights."),
    "metric.effective_samples.meaning": (
        "加权后相当于多大比例的等权样本。",
        "Share of equally weighted samples the weighted ones are worth.",
    ),
    "metric.chi2_token.meaning": (
        "推理端与训练端分布的 χ² 散度。",
        "χ² divergence between rollout and trainer distributions.",
    ),
    "metric.advantages_mean.meaning": (
        "有效词元上优势的均值。",
        "Mean advantage over response tokens.",
    ),
    "metric.advantages_max.meaning": (
        "最大优势；每组 G 条时 GRPO 的上界是 (G−1)/√G。",
        "Largest advantage; bounded by (G−1)/√G under GRPO with groups of G.",
    ),
    "metric.advantages_min.meaning": ("最小优势。", "Smallest advantage."),
    "metric.returns_mean.meaning": ("有效词元上回报的均值。", "Mean return over response tokens."),
    "metric.returns_max.meaning": ("最大回报。", "Largest return."),
    "metric.returns_min.meaning": ("最小回报。", "Smallest return."),
    "metric.values_mean.meaning": ("价值网络的平均预测。", "Mean prediction of the critic."),
    "metric.vf_loss.meaning": ("价值网络的损失。", "Loss of the critic."),
    "metric.vf_clip_share.meaning": (
        "价值裁剪生效的词元占比。",
        "Share of tokens where the value clip is active.",
    ),
    "metric.vf_explained_variance.meaning": (
        "价值网络解释的回报方差，1 为完全解释。",
        "Variance of the returns the critic explains; 1 is all of it.",
    ),
    "metric.critic_grad_norm.meaning": (
        "价值网络裁剪前的梯度范数。",
        "Gradient norm of the critic before clipping.",
    ),
    "metric.critic_lr.meaning": ("价值网络的学习率。", "Learning rate of the critic."),
    "metric.step_time.meaning": (
        "一步训练的耗时，不含验证与存档。",
        "Wall time of one training step without testing and saving.",
    ),
    "metric.gen_time.meaning": ("生成响应的耗时。", "Time to generate the responses."),
    "metric.reward_time.meaning": ("计算奖励的耗时。", "Time to compute the rewards."),
    "metric.old_log_prob_time.meaning": (
        "训练端重算旧策略概率的耗时。",
        "Time for the actor to recompute the old log-probabilities.",
    ),
    "metric.ref_time.meaning": (
        "参考模型前向的耗时，仅在使用 KL 时有。",
        "Time of the reference model's pass, only with KL.",
    ),
    "metric.values_time.meaning": ("价值网络前向的耗时。", "Time of the critic's pass."),
    "metric.adv_time.meaning": ("计算优势的耗时。", "Time to compute the advantages."),
    "metric.update_critic_time.meaning": ("更新价值网络的耗时。", "Time to update the critic."),
    "metric.update_actor_time.meaning": (
        "更新策略的耗时，含前向与反向。",
        "Time to update the actor, forward and backward passes included.",
    ),
    "metric.update_weights_time.meaning": (
        "把新权重送到推理引擎的耗时。",
        "Time to hand the new weights to the rollout engine.",
    ),
    "metric.testing_time.meaning": ("验证的耗时。", "Time of validation."),
    "metric.save_time.meaning": ("存检查点的耗时。", "Time to save a checkpoint."),
    "metric.gen_per_token.meaning": (
        "生成耗时除以响应词元数。",
        "Generation time over response tokens.",
    ),
    "metric.update_actor_per_token.meaning": (
        "更新耗时除以提示与响应词元数。",
        "Update time over prompt and response tokens.",
    ),
    "metric.mfu.meaning": (
        "策略更新阶段实际算力与 GPU 峰值之比。",
        "Achieved over peak flops of the GPU during the actor update.",
    ),
    "metric.mfu_infer.meaning": (
        "概率前向阶段实际算力与峰值之比。",
        "Achieved over peak flops during the log-probability pass.",
    ),
    "metric.mfu_critic.meaning": (
        "价值网络更新阶段实际算力与峰值之比。",
        "Achieved over peak flops during the critic update.",
    ),
    "metric.throughput.meaning": (
        "整步内每张 GPU 每秒处理的提示与响应词元数。",
        "Prompt and response tokens per second and GPU over the whole step.",
    ),
    "metric.total_tokens.meaning": (
        "本步批中提示与响应词元总数。",
        "Prompt and response tokens in the batch of the step.",
    ),
    "metric.memory_allocated.meaning": (
        "训练端自启动以来已分配显存的峰值。",
        "Peak of allocated GPU memory since the start, training side.",
    ),
    "metric.memory_reserved.meaning": (
        "训练端自启动以来已预留显存的峰值。",
        "Peak of reserved GPU memory since the start, training side.",
    ),
    "metric.memory_cpu.meaning": ("整台主机已用内存。", "Memory in use on the whole host."),
    "metric.rank_tokens.meaning": (
        "每个数据并行组的平均词元数。",
        "Mean tokens of a data-parallel rank.",
    ),
    "metric.rank_tokens_min.meaning": (
        "均衡前词元最少的一组。",
        "Rank with fewest tokens, before balancing.",
    ),
    "metric.rank_tokens_max.meaning": ("均衡前词元最多的一组。", "Rank with most tokens, before balancing."),
    "metric.rank_tokens_spread.meaning": (
        "均衡前最多与最少之差。",
        "Difference of most and fewest tokens before balancing.",
    ),
    "metric.balanced_tokens_min.meaning": (
        "均衡后词元最少的一组。",
        "Rank with fewest tokens after balancing.",
    ),
    "metric.balanced_tokens_max.meaning": (
        "均衡后词元最多的一组。",
        "Rank with most tokens after balancing.",
    ),
    "metric.gen_batches.meaning": (
        "动态采样凑满一批所需的生成次数。",
        "Rounds of generation dynamic sampling needed to fill the batch.",
    ),
    "metric.evicted.meaning": (
        "因同组得分全同而剔除的样本数。",
        "Samples removed because their group had equal scores.",
    ),
    "metric.discarded.meaning": ("凑满后多余而丢弃的样本数。", "Samples left over once the batch was full."),
    "metric.turns.meaning": ("每条轨迹的平均轮数。", "Mean turns of a trajectory."),
    "metric.turns_max.meaning": ("轮数最多的轨迹。", "Most turns of a trajectory."),
    "metric.epoch.meaning": ("训练集已遍历的轮次，从 0 起。", "Pass over the training set, from 0."),
    "metric.sft_loss.meaning": ("训练样本上的交叉熵。", "Cross-entropy on training samples."),
    "metric.sft_val_loss.meaning": ("验证样本上的交叉熵。", "Cross-entropy on validation samples."),
}
