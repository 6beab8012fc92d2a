"""What the runs of one chart differ in, why they may not be paired, whether they agree at the first step."""

TEXT = {
    "differs": ("设置不同：", "differ in "),
    "differs.aggregation": ("聚合", "aggregation"),
    "differs.aggregation.why": (
        "verl 按损失的聚合方式汇总这个量，不同聚合的高低不能比较",
        "verl averages this quantity the way it averages the loss: levels do not compare",
    ),
    "differs.kl": ("KL", "KL"),
    "differs.kl.why": (
        "KL 项改变损失、梯度与熵的走向，并多一次参考模型前向",
        "A KL term changes loss, gradient and the course of entropy, and costs a forward pass of the reference",
    ),
    "differs.shaping": ("奖励整形", "shaping"),
    "differs.shaping.why": (
        "超长惩罚压低奖励均值，换算出的通过率只是下界",
        "An overlong penalty lowers the mean reward: a pass rate made of it is a lower bound",
    ),
    "differs.scale": ("奖励刻度", "reward scale"),
    "differs.scale.why": (
        "各按自己的刻度换算；评分规则不同，高低不能直接比较",
        "Each is converted by its own scale; they were graded differently",
    ),
    "differs.filtering": ("动态采样", "filtering"),
    "differs.filtering.why": (
        "动态采样去掉全对与全错的组，批次不再代表题库，生成量也更大",
        "Dynamic sampling drops groups of equal rewards: the batch no longer stands for the data, "
        "and more is generated",
    ),
    "differs.clip": ("裁剪范围", "clip range"),
    "differs.clip.why": ("范围不同，裁剪比例不能比较", "Shares clipped by different ranges do not compare"),
    "differs.version": ("verl 版本", "verl version"),
    "differs.version.why": (
        "不同版本对损失的缩放、对验证与存档时间的计入不同",
        "Versions scale losses and count testing and saving differently",
    ),
    "differs.samples": ("验证口径", "validation"),
    "differs.samples.why": (
        "数据集或每题采样数不同，不是同一个量，也不会连成一条线",
        "Another data set or number of samples per item is another quantity, never one curve",
    ),
    "differs.decimals": ("小数位数", "decimals"),
    "differs.decimals.why": (
        "只有三位小数的日志看不出小的变化",
        "A log of three decimals hides small changes",
    ),
    "differs.mode": ("{mode}", "{mode}"),
    "differs.mode_by": ("{mode}（÷ {horizon}）", "{mode} (÷ {horizon})"),
    "differs.kl_loss": ("损失中 {kind} {coef}", "in the loss, {kind} {coef}"),
    "differs.kl_reward": ("奖励中 {kind} {coef}", "in the reward, {kind} {coef}"),
    "differs.kl_none": ("无 KL", "no KL"),
    "differs.shaped": ("含超长惩罚（最多 −{penalty}）", "overlong penalty up to −{penalty}"),
    "differs.unshaped": ("无整形", "none"),
    "differs.scale_of": ("{wrong} 到 {right}", "{wrong} to {right}"),
    "differs.filtered": ("动态采样已执行", "dynamic sampling ran"),
    "differs.unfiltered": ("未筛选", "none"),
    "differs.clip_of": ("−{low} / +{high}（{loss}）", "−{low} / +{high} ({loss})"),
    "differs.before": ("早于 {version}", "before {version}"),
    "differs.newest": ("v0.8 或更新", "v0.8 or newer"),
    "differs.measure": ("{set} {of}", "{set} {of}"),
    "differs.rounded": ("三位小数", "three decimals"),
    "differs.exact": ("完整精度", "full precision"),
    # The first step
    "first_step.agree": ("第 1 步一致", "Step 1 agrees"),
    "first_step.apart": ("第 1 步不一致", "Step 1 disagrees"),
    "first_step.why": (
        "同一模型在第 1 步还没有更新，以下各量只应差抽样噪声（单位：{units}）",
        "Runs of one model have not been updated at step 1 and may differ by sampling only ({units} units)",
    ),
    "first_step.cause": (
        "差得更多说明聚合、奖励整形、筛选、题目或温度不同",
        "more than that means another aggregation, reward, filter, prompt set or temperature",
    ),
    "first_step.part": (
        "{metric} {values}，中位 {middle} ± {allowed}",
        "{metric} {values}, median {middle} ± {allowed}",
    ),
    "first_step.many": ("{n} 个实验超出）", "{n} {n:run|runs} outside)"),
    "first_step.outside": ("{runs} 超出）", "{runs} outside)"),
    "first_step.left_out": (
        "通过率不含 {runs}（奖励经整形或筛选）",
        "pass rate without {runs} (reward shaped or groups dropped)",
    ),
    "first_step.units.token": ("词元级", "token"),
    "first_step.units.logged": ("日志原值", "logged"),
    # Pairing
    "pair.unknown": (
        "至少一个日志没有配置，不知道题目顺序是否相同",
        "at least one log holds no config, so the order of prompts is not known",
    ),
    "pair.data": ("训练数据不同：{one} 与 {other}", "other training data: {one}, {other}"),
    "pair.batch": ("每步题目数不同：{one} 与 {other}", "other batch size: {one}, {other}"),
    "pair.seed": ("数据种子不同：{one} 与 {other}", "other data seed: {one}, {other}"),
    "pair.shuffle": ("打乱方式不同：{one} 与 {other}", "other shuffling: {one}, {other}"),
    "pair.prompts": ("题目过滤不同：{one} 与 {other}", "prompts filtered differently: {one}, {other}"),
    "pair.filtering": (
        "动态采样已执行，补采的题目打乱了顺序",
        "dynamic sampling ran and drew prompts of its own",
    ),
}
