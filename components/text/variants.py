"""Settings in which runs differ: groups of runs, hues and choices by them."""

from __future__ import annotations

CLIENT: dict[str, tuple[str, str]] = {
    "vary.group": ("合并为组", "Group by"),
    "vary.band": ("组的区间带", "Band of a group"),
    "vary.colour": ("颜色表示", "Colour by"),
    "vary.where": ("筛选", "Show runs with"),
    "vary.off": ("不合并", "no groups"),
    "vary.seed": ("种子（其余配置相同，{n} 组）", "seed, all else equal ({n} {n:group|groups})"),
    "vary.run": ("实验", "run"),
    "vary.all": ("全部实验", "any config"),
    "vary.absent": ("未设置", "not set"),
    "vary.unknown": ("配置未知", "config unknown"),
    "vary.none": ("这一页的日志里没有配置，无法按配置分组或筛选。", "No config in the logs of this page: nothing to group or choose by."),
    "vary.one": ("只有一个实验的日志里有配置，没有可比的。", "Only one run of this page has its config in the log: nothing to compare it with."),
    "vary.equal": ("各实验的配置没有影响训练的差别。", "The configs of these runs differ in nothing that changes training."),
    "vary.without": ("{n} 个实验的日志里没有配置，不参与分组和筛选。", "{n} {n:run has|runs have} no config in the log and {n:takes|take} no part."),
    "vary.left": ("还有 {n} 项不同的配置没有列出，见“配置对比”。", "{n} more {n:setting differs|settings differ}; the comparison of configs lists all."),
    "vary.nowhere": ("这一页的实验没有配置项 {key} 的差别，显示全部", "runs of this page do not differ in {key}, all are shown"),
    "band.range": ("最小–最大", "min–max"),
    "band.sd": ("标准差", "SD"),
    "band.se": ("标准误", "SE"),
    "group.range.badge": ("均值，最小–最大", "mean, min–max"),
    "group.sd.badge": ("均值 ± 标准差", "mean ± SD"),
    "group.se.badge": ("均值 ± 标准误", "mean ± SE"),
    "group.range": (
        "一组实验画成一条线：每步取各实验值的均值，带从组内最小值到最大值。",
        "The runs of a group are one line: their mean at each step, in a band from their lowest to their highest value.",
    ),
    "group.sd": (
        "一组实验画成一条线：每步取各实验值的均值，带为 ±1 个样本标准差（除以 n−1）。",
        "The runs of a group are one line: their mean at each step, in a band of ±1 sample standard deviation (n − 1).",
    ),
    "group.se": (
        "一组实验画成一条线：每步取各实验值的均值，带为 ±1 个标准误（样本标准差除以 √n）。",
        "The runs of a group are one line: their mean at each step, in a band of ±1 standard error"
        " (sample standard deviation by √n).",
    ),
    "group.all": (
        "只画组内 n 个实验都有值的步，缺一个就断开；单独的实验没有带。CSV 仍是每个实验的值。",
        "Only steps at which all n runs have a value are drawn; a run alone has no band. The CSV holds every run.",
    ),
    "group.smooth": ("平滑时，均值和带都由各实验的平滑值算出。", "Of smoothed lines both are of the smoothed values."),
    "group.validation": (
        "验证图的误差线是组的带，不是单次验证的置信区间。",
        "Bars of validations are the band of the group, not the interval of one validation.",
    ),
    "group.sampled": (
        "线太长，均值和带每 {n} 步画一点；放大后画每一步。",
        "The lines are long: mean and band stand at one step in {n}, and at every step after zooming in.",
    ),
    "group.ends": ("提前结束：{ends}。", "Ends early: {ends}."),
    "group.end": ("{name} 到第 {step} 步", "{name} at step {step}"),
}
"""What the page's scripts say."""

TEXT = CLIENT | {
    "fact.seeds": ("{n} 组不同种子", "{n} {n:group|groups} of seeds"),
    "filter.config": ("配置", "Config"),
    "filter.config.title": ("按种子或配置分组、着色、筛选", "Group, colour and choose runs by seed or config"),
}
