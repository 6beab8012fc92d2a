"""One quantity against another."""

CLIENT: dict[str, tuple[str, str]] = {
    "phase.step": ("步", "step"),
    "phase.every": ("每 {n} 步一点", "one step in {n}"),
    "phase.every.long": (
        "点太多，每 {n} 步画一点；放大步范围后画全部。",
        "Too many points: one in {n} is drawn. Choose fewer steps to see all.",
    ),
    "phase.sampled": ("仅抽样步", "sampled steps"),
    "phase.sampled.long": (
        "线太长，只有两图都保留的步有点；它们偏向极值。",
        "The lines are long: only steps kept in both charts have a point, and these favour extremes.",
    ),
    "empty.phase": ("没有可画的点。", "No point to draw."),
    "empty.phase.why": (
        "所选实验在范围内没有同时记录这两项的步。",
        "No step in range has both quantities for the chosen runs.",
    ),
}
"""What the page's scripts say."""

TEXT = CLIENT | {
    "phase.title": ("相图", "Phase plot"),
    "phase.meta": (
        "每步一点，早期浅、后期深；任意指标固定到本页后都可作坐标轴",
        "a point per step, early faint and late strong; any metric pinned to this page can be an axis",
    ),
    "phase.chart": ("每步两项指标", "Two quantities per step"),
    "phase.caption": (
        "看走向与聚集：熵降而通过率不升是过早收敛；悬停一点，其他图标出同一步",
        "Look at course and clusters: entropy that falls while the pass rate does not rise is a collapse; "
        "point at a dot and every chart marks its step",
    ),
    "phase.x": ("横轴", "x axis"),
    "phase.y": ("纵轴", "y axis"),
    "phase.swap": ("交换坐标轴", "Swap the axes"),
    "phase.choice": ("坐标轴", "Axes"),
}
