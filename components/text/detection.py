"""What a run trains with, and the state it is in."""

TEXT = {
    # Departures from the named algorithm
    "variant.dr_normalisation": ("含 Dr.GRPO 归一化", "with Dr.GRPO normalisation"),
    "variant.dapo_in_part": ("只含其部分组成", "some of its parts only"),
    "variant.no_std": ("不除标准差", "without standard deviation"),
    "variant.fixed_horizon": ("固定长度归一", "with a fixed horizon"),
    "variant.no_std_fixed_horizon": (
        "不除标准差、固定长度归一",
        "without standard deviation, with a fixed horizon",
    ),
    # Pieces chosen separately
    "part.clip_higher": ("放宽上裁剪（{low} / {high}）", "Clip-higher ({low} / {high})"),
    "part.dynamic_sampling": ("动态采样", "Dynamic sampling"),
    "part.token_mean": ("词元级损失", "Token-level loss"),
    "part.overlong": (
        "超长软惩罚（缓冲 {buffer}，最多 −{penalty}）",
        "Overlong penalty (buffer {buffer}, up to −{penalty})",
    ),
    "part.no_std": ("不除标准差", "No standard deviation"),
    "part.fixed_horizon": ("固定长度归一", "Fixed horizon"),
    "part_state.on": ("开", "on"),
    "part_state.off": ("关", "off"),
    "part_state.configured": ("已配置", "configured"),
    "part_state.not_executed": ("已配置，未见执行", "configured, not seen running"),
    # Facts
    "flag.no_kl": ("无 KL", "no KL"),
    "flag.kl_loss": ("损失侧 KL：{kind}，系数 {coef}", "KL in the loss: {kind}, coefficient {coef}"),
    "flag.kl_reward": ("奖励侧 KL：{kind}，系数 {coef}", "KL in the reward: {kind}, coefficient {coef}"),
    "flag.clip_asymmetric": ("非对称裁剪 {low} / {high}", "asymmetric clip {low} / {high}"),
    "flag.group_size": ("每题 {n} 条响应", "{n} {n:response|responses} per prompt"),
    "flag.on_policy": ("严格在策略：每批更新一次", "on-policy: one update per batch"),
    "flag.steps_are_updates": (
        "step 数的是更新：动态采样每步可能生成多批（train/num_gen_batches），生成的批数多于步数",
        "step counts updates: dynamic sampling may generate several batches for one (train/num_gen_batches), so more"
        " is generated than steps say",
    ),
    "flag.rollout_correction": (
        "推理–训练校正：{level}，阈值 {limit}",
        "rollout correction: {level}, threshold {limit}",
    ),
    "flag.rloo_loss_kl": (
        "KL 在损失侧；原版 RLOO 在奖励侧",
        "KL in the loss; canonical RLOO takes it from the reward",
    ),
    "flag.seen_kl_loss": ("据指标：损失含 KL", "KL in the loss, as its metric shows"),
    "flag.seen_kl_reward": ("据指标：奖励扣除 KL", "KL in the reward, as its metric shows"),
    "flag.seen_reference": ("据指标：有参考模型，因此用了 KL", "a reference model, so some KL, as its time shows"),
    "flag.seen_overlong": (
        "据得分低于 −1：奖励含超长惩罚",
        "an overlong penalty, as scores below −1 show",
    ),
    "flag.seen_filter": ("据指标：动态采样在运行", "dynamic sampling ran, as its metrics show"),
    # Warnings
    "warning.single_response": (
        "每题只有 1 条响应：按组比较的方法退化为无基线的 REINFORCE",
        "One response per prompt: a group method becomes REINFORCE without baseline",
    ),
    "warning.no_scale_factor": (
        "未设 loss_scale_factor：除数是填充宽度，会随批次变化",
        "loss_scale_factor is not set: the divisor is the padded width, which changes with the batch",
    ),
    "warning.filter_not_executed": (
        "动态采样已配置，但日志里没有它运行过的记录",
        "Dynamic sampling is configured, but no log line shows that it ran",
    ),
    "warning.values_disagree": (
        "名称如此，但优势的大小符合 {seen}",
        "So says the name, but the sizes of the advantages fit {seen}",
    ),
    "warning.name_disagrees": (
        "名称写的是 {named}，配置不是",
        "The name says {named}, the configuration does not",
    ),
    # Confidence
    "confidence.config": ("据解析后的配置", "from the resolved config"),
    "confidence.overrides": ("据命令行参数", "from the command line"),
    "confidence.name": ("据名称", "from the name"),
    "confidence.fingerprint": ("据指标特征", "from its values"),
    "confidence.none": ("无从判断", "not known"),
    "status.finished": ("日志以最终验证结束", "The log ends with its final validation"),
    "status.all_steps": ("计划的 {planned} 步已全部完成", "All planned steps are done: {planned}"),
    "status.stopped": ("被人为中止（第 {line} 行）", "Stopped by its operator (line {line})"),
    "status.crashed": ("日志以错误结束（第 {line} 行）", "The log ends with an error (line {line})"),
    "status.unreadable": ("日志无法读取", "The log cannot be read"),
    "status.starting": (
        "还没有训练步；日志写出第一个 step 行后自动显示",
        "No training step yet; it shows by itself with the first step line of the log",
    ),
    "status.start_late": ("启动已久，仍无训练步", "Started long ago, still no training step"),
    "status.start_stalled": ("启动后再无进展", "No step since the start"),
    "status.live": ("最近有新的训练步", "New steps keep coming"),
    "time.seconds": ("{n} 秒", "{n} s"),
    "time.minutes": ("{m} 分钟", "{m} m"),
    "time.hours": ("{h} 小时 {m} 分", "{h} h {m} m"),
    "status.late": (
        "已 {silence}没有新内容，单步通常 {step}",
        "Nothing new for {silence}; a step usually takes {step}",
    ),
    "status.stalled": (
        "已 {silence}没有新内容，单步通常 {step}",
        "Nothing new for {silence}; a step usually takes {step}",
    ),
}
