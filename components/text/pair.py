"""Two runs compared step by step. The page's scripts write these sentences."""

CLIENT = {
    "pair.said": (
        "{one} − {other}，{range} 步：均值 {mean}{unit}，95% 区间 [{low}, {high}]；{pairs} 对，相当于 {effective} 个独立点；{verdict}。"
        "八成把握能分出的最小差异 {least}",
        "{one} − {other}, steps {range}: mean {mean}{unit}, 95 % CI [{low}, {high}], {pairs} pairs worth {effective} "
        "independent ones; {verdict}. Smallest difference told in four cases of five: {least}",
    ),
    "pair.said_short": (
        "{one} − {other}，{range} 步：均值 {mean}{unit}；点数不足 12，估计不出噪声",
        "{one} − {other}, steps {range}: mean {mean}{unit}; noise cannot be learnt from fewer than 12 points",
    ),
    "pair.said_none": ("{range} 步内没有共同的步", "no common step in {range}"),
    "pair.settled": ("区间不含 0", "the interval excludes 0"),
    "pair.open": ("区间含 0，分不出高下", "the interval includes 0: not distinguishable"),
    "pair.unpaired": ("（按两个独立实验计算）", " (as two independent runs)"),
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
