"""What a canonical metric is often mistaken for."""

TEXT = {
    "metric.pass_rate.caveat": (
        "每步题目不同，单步起伏 4–6 个百分点属正常；超长惩罚或动态采样会使其偏离策略的真实正确率。",
        "Prompts differ from step to step: 4–6 points of scatter are normal. An overlong penalty or dynamic"
        " sampling moves it away from the policy's accuracy.",
    ),
    "metric.score_mean.caveat": (
        "得分可带惩罚或部分得分；负值不等于比随机差。",
        "Scores may hold penalties or partial credit; below zero does not mean worse than chance.",
    ),
    "metric.response_length.caveat": (
        "长度在上限处被截断，真实增长更大。",
        "Lengths are cut at the cap, so true growth is larger.",
    ),
    "metric.truncation.caveat": (
        "只有最长响应等于设定上限时才可信；某些版本以批内最长为准。",
        "Trust it only where the longest response equals the configured cap: some versions count against the"
        " longest of the batch.",
    ),
    "metric.entropy.caveat": (
        "verl 按损失的聚合方式汇总熵；Dr.GRPO 的原值与长度成正比，还原为每词元后才可比较。",
        "verl aggregates entropy like the loss: under Dr.GRPO the logged value grows with length and compares"
        " only after it is turned into a value per token.",
    ),
    "metric.loss.caveat": (
        "不是进度指标；水平没有含义，只看突变，不跨算法比较。",
        "No measure of progress: its level means nothing, only jumps do, and it does not compare across"
        " algorithms.",
    ),
    "metric.pg_loss.caveat": (
        "尺度随 verl 版本与聚合方式变化，只在同一次训练内比较。",
        "Its scale changes with verl version and aggregation: compare within one run only.",
    ),
    "metric.ppo_kl.caveat": (
        "不是到参考模型的 KL；每批只更新一次时恒为 0。",
        "Not the KL to the reference model; always 0 with one update per batch.",
    ),
    "metric.clip_share.caveat": (
        "裁剪范围不同的训练不可直接比较；GSPO 为 10–20% 属正常。",
        "Runs with different clip ranges do not compare; 10–20 % is normal under GSPO.",
    ),
    "metric.dual_clip_share.caveat": (
        "不是下侧裁剪：正常训练恒近 0，大于 0 表示比率失控。",
        "Not the low side of the clip: near 0 in every healthy run, above 0 when ratios explode.",
    ),
    "metric.kl_loss.caveat": (
        "与熵一样受聚合方式影响；不同估计式的数值不同。",
        "Aggregated like the entropy; estimators k1, k2 and k3 give different values.",
    ),
    "metric.grad_norm.caveat": (
        "取决于损失聚合与奖励尺度，低不等于更稳；超过裁剪阈值的才被裁剪。",
        "Depends on loss aggregation and reward scale, so lower is not calmer; only values above the clip were"
        " clipped.",
    ),
    "metric.lr.caveat": (
        "旧日志打印为 0.000 只说明小于 0.0005。",
        "0.000 in old logs only says that it is below 0.0005.",
    ),
    "metric.deviation.caveat": (
        "受概率接近 1 的词元主导，温度处理不同也会造成假偏差；同时看概率差。",
        "Dominated by tokens with probability near 1, and faked by a different use of temperature: look at the"
        " probability difference too.",
    ),
    "metric.probs_diff.caveat": (
        "verl 文档：通常小于 0.005，大于 0.01 说明推理精度有问题。",
        "verl's documentation: usually below 0.005; above 0.01 points to a precision problem.",
    ),
    "metric.rollout_kl.caveat": (
        "verl 文档：绝对值大于 0.1 视为不健康。",
        "verl's documentation calls absolute values above 0.1 unhealthy.",
    ),
    "metric.effective_samples.caveat": (
        "verl 文档：低于 0.3 应警惕。",
        "verl's documentation warns below 0.3.",
    ),
    "metric.advantages_mean.caveat": (
        "组内归一的方法约为 0，属正常；各响应按词元数加权。",
        "Near 0 is normal for group methods; long responses weigh more.",
    ),
    "metric.step_time.caveat": (
        "各版本对验证与存档是否计入不同，此处已统一剔除。",
        "Versions differ in whether testing and saving are inside; here they are always left out.",
    ),
    "metric.mfu.caveat": (
        "只计更新阶段；恒为 0 表示该版本不认识模型或 GPU，大于 1 不可能。",
        "Update phase only. Always 0 means an unknown model or GPU; above 1 is impossible.",
    ),
    "metric.throughput.caveat": (
        "被丢弃的组不计入，动态采样时偏低；响应变短也会降低。",
        "Discarded groups are not counted, so it falls under dynamic sampling; short responses lower it too.",
    ),
    "metric.memory_allocated.caveat": (
        "是启动以来的峰值，不会下降。",
        "A peak since the start: it never falls.",
    ),
    "metric.gen_batches.caveat": (
        "只有动态采样真正运行时才会记录。",
        "Logged only when dynamic sampling really runs.",
    ),
}
