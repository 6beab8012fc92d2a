"""A run pinned as baseline, to which charts show the difference."""

CLIENT: dict[str, tuple[str, str]] = {
    "base.badge": ("减 {run}", "minus {run}"),
    "base.badge.long": (
        "每步的值减去 {run} 同一步的值；{run} 没有的步不画。范围统计也是差值，CSV 仍是原值。",
        "Value minus that of {run} at the same step; steps that {run} lacks are not drawn."
        " Range statistics are of the difference, the CSV holds values as logged.",
    ),
    "base.badge.sampled": (
        "每步的值减去 {run} 同一步的值。线太长，只画两者都保留的步；放大后画全部。",
        "Value minus that of {run} at the same step. The lines are long: only steps kept of both are drawn,"
        " and all of them after zooming in.",
    ),
}
"""What the page's scripts say."""

TEXT = CLIENT | {
    "filter.base": ("基线", "Baseline"),
    "base.": ("无", "none"),
}
