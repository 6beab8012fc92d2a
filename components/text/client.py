"""Words that the scripts in `assets/` put on the page themselves. The page carries them as one store."""

from __future__ import annotations

from components.text import modules

LOWEST = (
    "rank_tokens_min", "balanced_tokens_min", "response_length_min", "prompt_length_min", "score_min",
    "advantages_min", "returns_min",
)  # fmt: skip
HIGHEST = (
    "rank_tokens_max", "prompt_length_max", "score_max", "advantages_max", "returns_max", "turns_max",
)  # fmt: skip
SPREADS = ("probs_diff_std", "is_weight_std")
"""Further lines of a run in one chart, by what they are of its first line's quantity."""

CLIENT: dict[str, tuple[str, str]] = {
    # controls
    "steps.label": ("步", "Steps"),
    "steps.first": ("起始步", "First step"),
    "steps.last": ("结束步", "Last step"),
    "steps.title": ("步数范围", "Step range"),
    "range.set": ("第 {range} 步，所有图一致", "{range:step|steps} {range} on every chart"),
    "range.window": ("对齐窗口 {range} 步", "aligned window, {range:step|steps} {range}"),
    "range.all": ("全部 {range} 步", "all steps: {range}"),
    "range.bad": ("“{value}” 不是步数，已恢复原值", "“{value}” is no step, the old value is back"),
    "episode.count": ("异常 {n}", "Episodes {n}"),
    "episode.inspect": ("查看 {range} 步", "Inspect {range}"),
    "episode.index": ("第 {i}/{n} 个", "{i} of {n}"),
    "theme.label": ("配色", "Theme"),
    "theme.light": ("浅色", "Light"),
    "theme.dark": ("深色", "Dark"),
    "theme.system": ("跟随系统", "System"),
    # charts
    "chart.save": ("存为 PNG", "Save as PNG"),
    "chart.vertical": ("拖动改为缩放纵轴（再点一次恢复）", "Drag zooms the y axis (again: the steps)"),
    "chart.reset": ("恢复默认范围", "Back to the default range"),
    "hours.parts": ("生成 {gen}，训练与其他 {other}", "generation {gen}, training and the rest {other}"),
    "chart.above": ("上方 {n}", "{n} above"),
    "chart.below": ("下方 {n}", "{n} below"),
    "chart.not_positive": ("{n} 个值 ≤ 0，无法画在对数轴上", "{n} at or below 0 not on a log axis"),
    "chart.clipped": ("稳健范围外的点画在边缘；点击显示完整范围", "Points beyond the robust range stand at the edge; press for the full range"),
    "chart.robust_again": ("恢复稳健范围", "Robust range again"),
    "chart.summary": ("第 {range} 步；末值：{values}", "{range:Step|Steps} {range}. Last values: {values}"),
    "chart.summary_none": ("第 {range} 步；没有数据", "{range:Step|Steps} {range}. No values"),
    "badge.differs": ("{aspect}：{groups}。{why}", "{aspect}: {groups}. {why}"),
    "list.comma": ("，", ", "),
    "list.semicolon": ("；", "; "),
    "ref.cap": ("上限 {n}", "cap {n}"),
    "ref.clip": ("裁剪线 {n}", "clip {n}"),
    "ref.concern": ("高于 {n} 需排查", "look into it above {n}"),
    "series.pass_rate_bound": ("补回截断罚分", "cuts given back"),
    "series.dual_clip_share": ("双重裁剪", "dual-clip"),
    **{f"series.{name}": ("最小", "min") for name in LOWEST},
    **{f"series.{name}": ("最大", "max") for name in HIGHEST},
    **{f"series.{name}": ("标准差", "std") for name in SPREADS},
    "series.mfu_infer": ("前向", "log-prob"),
    "series.update_actor_per_token": ("更新", "update"),
    "series.memory_reserved": ("预留", "reserved"),
    "series.rollout_k3": ("k3", "k3"),
    "series.discarded": ("丢弃", "surplus"),
    "empty.hidden": ("没有选中的实验。", "No run is selected."),
    "empty.hidden.why": (
        "点上方的实验按钮，或按 r 恢复全部。",
        "Press a run in the bar above, or r to bring all back.",
    ),
    "empty.data": ("没有可画的数据。", "Nothing to draw."),
    "empty.data.why": ("所选实验没有这一项指标。", "The runs of this page do not log this metric."),
    "empty.range": ("这段范围内没有数据。", "No value in this range."),
    "empty.range.why": (
        "第 {range} 步之间没有记录；双击图或按 r 恢复范围。",
        "Nothing was logged in {range:step|steps} {range}; double-click a chart or press r to go back.",
    ),
    # range statistics
    "stats.range": ("{range} 步，原始值", "{range:Step|Steps} {range}, raw"),
    "stats.sampled": ("{range} 步，仅抽样点", "{range:Step|Steps} {range}, sampled points only"),
    "stats.first": ("首", "first"),
    "stats.last": ("末", "last"),
    "stats.mean": ("均值", "mean"),
    "stats.min": ("最小 @步", "min @step"),
    "stats.max": ("最大 @步", "max @step"),
    # news
    "live.lost": ("服务器没有回应；页面停在最后一次收到的数据，并继续重试", "The server does not answer; the page shows what came last and keeps trying"),
    "news.episode": ("{run}：第 {steps} 步出现异常", "{run}: episode at {steps:step|steps} {steps}"),
    "news.crashed": ("{run} 在第 {steps} 步崩溃", "{run} crashed at step {steps}"),
    "news.ended": ("{run} 已结束，第 {steps} 步", "{run} ended at step {steps}"),
    "news.stopped": ("{run} 在第 {steps} 步停止", "{run} was stopped at step {steps}"),
    "news.refused": ("浏览器不允许通知", "The browser refuses notifications"),
    # dialogs and notices
    "dialog.close": ("关闭", "Close"),
    "help.title": ("快捷键与操作", "Keys and gestures"),
    "help.[ ]": ("上一个、下一个异常", "previous and next episode"),
    "help.← →": ("在打开的异常里逐步移动", "move by one step in an open episode"),
    "help.r": ("恢复默认视图", "back to the default view"),
    "help.s": ("展开或收起范围统计", "unfold or fold range statistics"),
    "help.n": ("打开或关闭笔记", "open or close the notes"),
    "help.?": ("打开或关闭本页", "open or close this list"),
    "help.Esc": ("关闭全屏图或对话框", "leave a full-screen chart or a dialog"),
    "help.drag": (
        "在任意一张图上横向拖动：全部图跟到同一段步数，纵轴随之适配。",
        "Drag across any chart: every chart follows to the same steps and fits its y axis.",
    ),
    "help.double": ("双击图：恢复默认范围。", "Double-click a chart: back to the default range."),
    "help.chip": (
        "点实验按钮：隐藏或显示；双击：只看这一个；悬停：突出显示。",
        "Press a run: hide or show it; double-click: it alone; hover: bring it forward.",
    ),
    "help.link": ("地址栏总是当前视图的链接，可直接分享。", "The address always is a link to this view."),
    "own.title": ("换成自己的日志", "Use your own logs"),
    "own.read": (
        "停掉演示，用日志目录重新启动（--logs 可以写多次，也可以是单个文件）：",
        "Stop the demo and start again with the folder of your logs (--logs may be given several times, or name a file):",
    ),
    "own.check": ("页面上缺了什么，先看每个文件读到了什么：", "When something is missing, see what was read from each file:"),
    "own.tunnel": ("日志在服务器上：看板也在那里启动，再从自己的电脑连过去：", "Logs on a server: start the board there, and reach it from your own machine:"),
    "own.found": (
        "文件夹名就是实验名：archive/<实验>/logs/train_*.log；e3_drgrpo_2b 会归到 2B 页的 E3，其余归到“其他训练”。",
        "A folder names an experiment: archive/<experiment>/logs/train_*.log; e3_drgrpo_2b becomes E3 on the 2B page, what fits no page stands under Other runs.",
    ),
    "own.kept": (
        "标题、分组、备注写在日志旁的 board.toml 里。日志不会被改动。",
        "Titles, tracks and notes go into a board.toml beside the logs. Logs are never changed.",
    ),
    "notice.title": ("提示", "Notice"),
    "url.bad": (
        "链接里的 {key}={value} 无法使用，已改用默认值",
        "{key}={value} in the link cannot be used, the default stands instead",
    ),
    "url.long": (
        "视图太长，链接里不含已选实验与指标",
        "the view is too long for a link, which leaves out runs and metrics",
    ),
}


def client_words() -> dict[str, dict[str, str]]:
    """`{"zh": {key: text}, "en": {key: text}}`, as the scripts read it: `CLIENT` of every module of texts."""
    pairs = {key: pair for _, texts in modules("CLIENT") for key, pair in texts.items()}
    return {lang: {key: pair[nth] for key, pair in pairs.items()} for nth, lang in enumerate(("zh", "en"))}


TEXT = CLIENT
