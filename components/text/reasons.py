"""Why a series is missing, how one was computed, and what has to be known to read it."""

TEXT = {
    # Why there is no series
    "missing.no_steps": ("日志里还没有训练步", "The log has no training step yet"),
    "missing.not_yet": ("还没有记录训练步的指标", "No training step has been logged yet"),
    "missing.sft": ("这是监督微调日志，没有强化学习指标", "Supervised fine-tuning: no RL metrics"),
    "missing.not_sft": ("只有监督微调记录此项", "Logged by supervised fine-tuning only"),
    "missing.not_logged": ("日志中没有 {key}", "{key} is not in the log"),
    "several.missing.not_logged": ("日志中没有它们的任何一个键", "The log holds none of their keys"),
    "missing.version": (
        "该日志的 verl 早于 {since}，尚无 {key}",
        "This log's verl is older than {since}, which introduced {key}",
    ),
    "several.missing.version": (
        "该日志的 verl 版本较旧，还不记录它们",
        "This log's verl is older than these metrics",
    ),
    "missing.kl_off": (
        "本次训练未使用参考模型的 KL（损失和奖励中都关闭）",
        "This run uses no KL to a reference model, neither in the loss nor in the reward",
    ),
    "missing.kl_loss_off": (
        "本次训练的损失不含 KL（use_kl_loss=False）",
        "This run has no KL term in its loss (use_kl_loss=False)",
    ),
    "missing.kl_reward_off": (
        "本次训练的奖励不含 KL（use_kl_in_reward=False）",
        "This run takes no KL from its reward (use_kl_in_reward=False)",
    ),
    "missing.bypass": (
        "bypass 模式不重算旧策略，因此没有熵",
        "Bypass mode does not recompute the old policy, so there is no entropy",
    ),
    "missing.entropy_off": (
        "熵未计算：entropy_coeff=0，且未开启 calculate_entropy",
        "Entropy was not computed: entropy_coeff=0 and calculate_entropy is off",
    ),
    "missing.no_clip": ("该损失（gpg）不裁剪比率", "This loss (gpg) does not clip ratios"),
    "missing.log_probs_off": (
        "推理端未返回概率（rollout.calculate_log_probs=False）",
        "The rollout engine returned no probabilities (rollout.calculate_log_probs=False)",
    ),
    "missing.is_off": (
        "未使用重要性权重（rollout_correction.rollout_is 为空）",
        "No importance weights in use (rollout_correction.rollout_is is null)",
    ),
    "missing.no_critic": ("该算法没有价值网络", "This algorithm has no critic"),
    "missing.filter_off": ("动态采样未开启", "Dynamic sampling is off"),
    "missing.filter_not_executed": (
        "配置了动态采样，但日志中没有它运行的痕迹",
        "Dynamic sampling is configured, but nothing in the log shows that it ran",
    ),
    "missing.no_testing": ("本次训练不做验证（test_freq ≤ 0）", "This run does not validate (test_freq ≤ 0)"),
    "missing.no_saving": (
        "本次训练不存检查点（save_freq ≤ 0）",
        "This run saves no checkpoint (save_freq ≤ 0)",
    ),
    "missing.first_at": ("还没有到：首次在第 {n} 步", "Not reached yet: first at step {n}"),
    "missing.precision": (
        "日志只有 {digits} 位小数，{key} 全部打印为 0.000：精度不足，不能当作 0",
        "Log precision too low: with {digits} {digits:decimal|decimals} every {key} prints as 0.000, which does not mean 0",
    ),
    "missing.above_one": (
        "所有值都大于 1（最高 {highest}）：利用率不可能超过 1，算力表有误",
        "Every value is above 1 (highest {highest}): impossible for a utilisation, the table of FLOPs is wrong",
    ),
    "missing.mfu_unsupported": (
        "{key} 恒为 0：该 verl 版本不认识此模型或 GPU 的算力",
        "{key} is always 0: this verl version knows no flops for the model or the GPU",
    ),
    "missing.correlation_zero": (
        "{n} 个相关系数全为 0：推理端与训练端张量形状不符时 verl 返回 0",
        "{n} {n:correlation is|correlations are all} exactly 0, which verl returns when the two sides differ in shape",
    ),
    "missing.range_pending": (
        "奖励范围待定：至少需要 {n} 步才能判断是否为通过率",
        "Reward range not known yet: it takes {n} {n:step|steps} to tell whether this is a pass rate",
    ),
    "missing.range_ambiguous": (
        "奖励在 {low} 到 {high} 之间且含超长惩罚：可能是 0/1，也可能是 ±1，请在 board.toml 写明 reward_scale",
        "Rewards from {low} to {high} with an overlong penalty may be 0/1 or ±1: set reward_scale in board.toml",
    ),
    "missing.not_shaped": (
        "奖励不含超长惩罚，通过率本身就不是下界",
        "The reward holds no overlong penalty, so the pass rate is no lower bound",
    ),
    "missing.no_right_answer": (
        "还没有出现过正确答案，奖励范围（{low} 到 {high}）待定",
        "No right answer seen yet, so the reward range ({low} to {high}) is open",
    ),
    "missing.not_a_pass_rate": (
        "奖励在 {low} 到 {high} 之间，不是通过率；请看奖励曲线",
        "Rewards run from {low} to {high}: not a pass rate, see the raw reward",
    ),
    "missing.no_stages": ("日志没有分阶段的耗时", "The log has no times of the stages of a step"),
    # How a series was computed
    "derived.pass_rate": (
        "由 {key} 换算：（均值 −（{wrong}））/（{right} −（{wrong}））",
        "From {key}: (mean − ({wrong})) / ({right} − ({wrong}))",
    ),
    "derived.pass_rate_bound": (
        "下界：得分均值先加回 {penalty} × {key}，再换算",
        "Lower bound: {penalty} × {key} is given back to the mean score first",
    ),
    "derived.token_level": (
        "还原为每词元：{key} × {horizon} / 平均响应长度（{mode}）",
        "Per token: {key} × {horizon} / mean response length ({mode})",
    ),
    "derived.deviation": ("1 − 相关系数", "1 − correlation"),
    "derived.step_time": ("单步耗时，已减去验证与存档", "Step time without testing and saving"),
    "derived.stage_sum": ("各阶段耗时之和", "Sum of the times of the stages"),
    # What has to be known to read it
    "note.fallback.pass_rate": (
        "没有 {wanted}，改用 {key}：若奖励扣除 KL，则偏低",
        "{wanted} was not logged; {key} stands in and is too low where KL is taken from the reward",
    ),
    "note.fallback.loss": (
        "没有 {wanted}，改用 {key}：不含熵项和 KL 项",
        "{wanted} was not logged; {key} stands in, without entropy and KL terms",
    ),
    "note.fallback.step_time": ("日志没有单步耗时", "The log has no time per step"),
    "note.lower_bound": (
        "下界：奖励含超长惩罚（最多 −{penalty}）",
        "Lower bound: the reward holds an overlong penalty of up to −{penalty}",
    ),
    "note.lower_bound_by": (
        "下界：奖励含超长惩罚（最多 −{penalty}）；平均 {cut}% 的响应被截断，仅此就低 {points} 个百分点",
        "Lower bound: overlong penalty of up to −{penalty}; {cut} % of responses are cut, which alone costs"
        " {points} points",
    ),
    "note.filtered": (
        "动态采样去掉了全对和全错的组：不是策略本身的通过率",
        "Dynamic sampling removed all-right and all-wrong groups: not the pass rate of the policy",
    ),
    "note.off_grid": (
        "均值不是 {n} 条响应中的整数个正确：奖励含部分得分或整形",
        "Means are no whole number of right answers among {n}: partial credit or shaping",
    ),
    "note.pass_out_of_range": (
        "部分值超出 0–100%：奖励范围与所设不符",
        "Some values leave 0–100 %: the reward range differs from what was assumed",
    ),
    "note.aggregation_unknown": (
        "日志没有配置，聚合方式未知：按每词元均值处理",
        "No config in the log: taken as a mean per token, which the loss aggregation may make untrue",
    ),
    "note.not_per_token": (
        "未还原：损失聚合为 {mode}，数值不是每词元，不能与其他聚合比较",
        "Not per token: aggregated as {mode}, so not comparable with other aggregations",
    ),
    "note.sequence_mean": (
        "按响应平均：短响应的词元权重更大",
        "Averaged per response: tokens of short responses weigh more",
    ),
    "note.no_horizon": (
        "归一常数未知（loss_scale_factor 与 max_response_length 均无）",
        "The divisor is not known: neither loss_scale_factor nor max_response_length is logged",
    ),
    "note.no_length": (
        "没有响应长度，无法还原为每词元",
        "Without response lengths it cannot be turned into a value per token",
    ),
    "note.steps_without_length": (
        "{n} 步没有响应长度，未能还原",
        "{n} {n:step has|steps have} no response length and {n:is|are} left out",
    ),
    "note.token_implausible": (
        "还原后每词元超过 12 nat，不合理：该 verl 版本的求和未除以序列数，显示原值",
        "Per token it would exceed 12 nats: this verl version does not divide by the sequences; shown as logged",
    ),
    "note.loss_scale": (
        "尺度取决于损失聚合（{mode}），不能跨算法比较",
        "Its scale depends on the loss aggregation ({mode}): not comparable across algorithms",
    ),
    "note.clip_of_sequences": (
        "gspo 按整条响应裁剪：10–20% 属正常，不能与词元裁剪比较",
        "gspo clips whole responses: 10–20 % is normal, and not comparable with clipped tokens",
    ),
    "note.clip_keeps_gradient": (
        "cispo 裁剪的是权重，被裁剪的词元仍有梯度",
        "cispo clips the weight: clipped tokens keep their gradient",
    ),
    "note.clip_constant": (
        "sapo 没有裁剪，只有平滑的门；日志恒为 0",
        "sapo has a smooth gate and no clip: logged as a constant 0",
    ),
    "note.clip_upper_side": (
        "geo_mean 在这个名称下只记优势为正的一侧",
        "geo_mean logs the side of positive advantages alone under this name",
    ),
    "note.clip_lower_side": (
        "geo_mean 在这个名称下记的是优势为负的一侧，不是双重裁剪",
        "geo_mean logs the side of negative advantages under this name, not the dual clip",
    ),
    "note.clip_by_covariance": (
        "clip_cov 另按协方差剔除词元，比例含这些词元",
        "clip_cov also drops tokens by covariance, which this share counts",
    ),
    "note.clip_masked": (
        "dppo 按概率散度屏蔽词元，这是被屏蔽的比例",
        "dppo masks tokens by how far probabilities moved: this is the share masked",
    ),
    "note.kl_absolute": (
        "kl_cov 记的是 KL 的绝对值，不会为负",
        "kl_cov logs the absolute KL, never negative",
    ),
    "note.kl_to_rollout": (
        "bypass 模式以推理端概率为旧策略，这里是推理与训练之差",
        "Bypass mode takes the rollout engine's probabilities for the old policy: this is rollout against trainer",
    ),
    "note.correlation_zero": (
        "去掉 {n} 个恰为 0 的相关系数（形状不符，首见于第 {step} 步）",
        "{n} {n:correlation|correlations} of exactly 0 left out: shapes differed, first at step {step}",
    ),
    "note.above_one": (
        "去掉 {n} 个大于 1 的值（最高 {highest}，首见于第 {step} 步）：利用率不可能超过 1",
        "{n} {n:value|values} above 1 left out (highest {highest}, first at step {step}): impossible for a utilisation",
    ),
    "note.equal_lengths": (
        "{n} 步里所有响应一样长（首见于第 {step} 步：{value} 词元）：多半是同一串文字或全部触顶",
        "All responses equally long at {n} {n:step|steps} (first {step}: {value} tokens): one text, or all at the cap",
    ),
    "note.equal_scores": (
        "{n} 步里所有响应得分相同（首见于第 {step} 步：{value}）：没有学习信号",
        "All responses scored alike at {n} {n:step|steps} (first {step}: {value}): no learning signal",
    ),
    "note.renamed": ("由多个名称连成：{keys}", "Joined from several names: {keys}"),
    "note.rounded": (
        "日志只有 {digits} 位小数，小的数值不准",
        "Logged with {digits} {digits:decimal|decimals}: small values are inexact",
    ),
    "note.precision": (
        "日志只有 {digits} 位小数：精度不足以看清此量",
        "Log precision too low: {digits} {digits:decimal does|decimals do} not resolve this quantity",
    ),
    "note.zero": ("恒为 0", "Always exactly 0"),
    "note.zero_on_policy": (
        "恒为 0：每批只更新一次时如此",
        "Always exactly 0, as with one update per batch",
    ),
    "note.zero_truncation": (
        "恒为 0：若上限由 max_model_len 决定，verl 不计为截断",
        "Always exactly 0: verl counts no cut when max_model_len is the binding limit",
    ),
    "note.zero_signal": (
        "恒为 0：没有学习信号（同组奖励全部相同）",
        "Always exactly 0: no learning signal, every group has equal rewards",
    ),
    "note.not_finite": (
        "{n} 个非有限值，首见于第 {step} 步",
        "{n} {n:value is|values are} NaN or infinite, first at step {step}",
    ),
    "note.cut_lines": (
        "日志有 {n} 行被截断，缺口处的值已丢失",
        "The log lost the {n:end|ends} of {n} {n:line|lines}; values are missing there",
    ),
    "note.uneven_groups": (
        "同一数据集有多种 N（{samples}）：重复题目被并组，各 N 的题目不同",
        "Several N for one data set ({samples}): duplicate prompts were grouped, each N covers other items",
    ),
    "note.blocks": (
        "第 {steps} 步没有 step 行，其值取自日志里打印的验证块",
        "{steps:Step|Steps} {steps} {steps:has|have} no step line: read from the printed validation {steps:block|blocks}",
    ),
    "note.untimed_steps": (
        "{n} 步没有耗时记录，总时长偏低",
        "{n} {n:step has|steps have} no logged time, so the total is too low",
    ),
    "note.stages_overlap": (
        "{n} 步的各阶段互相重叠，合计超过单步耗时，已按比例缩到整步",
        "Stages overlap at {n} {n:step|steps} and sum to more than the step; there they are shrunk to fit it",
    ),
    "note.superseded_hours": (
        "含续训前作废的 {hours} 小时",
        "Includes {hours} h of steps that a resume replaced",
    ),
}
