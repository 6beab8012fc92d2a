"""Two runs compared step by step. The page's scripts write these sentences."""

CLIENT = {
    "pair.said": (
        "{one} − {other}，{range} 步：均值 {mean}{unit}，95% 区间 [{low}, {high}]；{pairs} 对（相当于独立的 {effective} 对）；{verdict}。"
        "八成把握能分出的最小差异 {least}",
        "{one} − {other}, steps {range}: mean {mean}{unit}, 95 % CI [{low}, {high}], {pairs} pairs ({effective} "
        "independent); {verdict}. Smallest difference told in four cases of five: {least}",
    ),
    "pair.said_short": (
        "{one} − {other}，{range} 步：均值 {mean}{unit}；共同的步不足 12，不给区间",
        "{one} − {other}, steps {range}: mean {mean}{unit}; fewer than 12 common steps: no interval",
    ),
    "pair.said_none": ("{range} 步内没有共同的步", "no common step in {range}"),
    "pair.bound.one": (
        "{one} 的通过率是下界：真实差值不小于此",
        "{one} is a lower bound: the true difference is this or more",
    ),
    "pair.bound.other": (
        "{other} 的通过率是下界：真实差值不大于此",
        "{other} is a lower bound: the true difference is this or less",
    ),
    "pair.bound.both": (
        "两者的通过率都是下界：真实差值可大可小",
        "both are lower bounds: the true difference may be more or less",
    ),
    "pair.settled": ("区间不含 0", "the interval excludes 0"),
    "pair.open": ("区间含 0，分不出高下", "the interval includes 0: not distinguishable"),
    "pair.unpaired": ("（按两个独立实验计算）", " (as two independent runs)"),
    "pair.moves": (
        "差值在变：前半段均值 {early}，后半段 {late}；区间只是围绕走势的噪声",
        "the difference moves: mean {early} in the first half, {late} in the second; the interval is noise about its course",
    ),
    "pair.bucket": ("每点为 {n} 步均值", "each point is the mean of {n} consecutive steps"),
    "pair.valid": (
        "同一步的题目相同：{conditions}都一致，逐步相减可消去题目带来的噪声。区间只含步间噪声，每个实验只有一个种子。",
        "Same prompts at the same step ({conditions} agree), so noise of the prompts cancels. "
        "The interval covers step noise only, with one seed per run.",
    ),
    "pair.invalid": (
        "不能配对：{why}。同一步的题目不同，下面的区间按两个独立实验计算，也只含步间噪声。",
        "Not paired: {why}. The prompts of a step differ, so the intervals below are those of two independent runs "
        "and cover step noise only.",
    ),
    "empty.pair": ("没有可比的两个实验。", "No two runs to compare."),
    "empty.pair.why": (
        "请选两个都记录了这一项、并有共同步的不同实验。",
        "Choose two different runs that both log this and have steps in common.",
    ),
}
"""Sent to the scripts with the words of `components.text.client`."""

TEXT = CLIENT | {
    "pair.title": ("两两对比", "Two runs, step by step"),
    "pair.meta": ("同一步相减", "differences at the same step"),
    "pair.one": ("被减的实验", "Run to subtract from"),
    "pair.other": ("减去的实验", "Run to subtract"),
    "pair.swap": ("交换两个实验", "Swap the runs"),
    "pair.choice": ("选择两个实验", "Choose two runs"),
    "pair.caption": (
        "Y：同一步上前者减后者；虚线为范围内均值，色带为其 95% 区间",
        "Y: first minus second at the same step; dashed: mean of the range, band: its 95 % CI",
    ),
    "pair.alone": ("只有一个实验有这一项", "only one run logs it"),
    "pair.condition.data": ("训练数据", "data"),
    "pair.condition.batch": ("批大小", "batch size"),
    "pair.condition.seed": ("数据种子", "seed"),
    "pair.condition.shuffle": ("打乱方式", "shuffling"),
    "pair.condition.prompts": ("题目过滤", "prompt filter"),
    "pair.condition.filtering": ("动态采样", "sampling"),
}
