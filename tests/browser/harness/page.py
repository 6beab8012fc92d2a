"""Writes the harness page: html after the page contract, the project's own scripts and styles, payloads inlined."""

from __future__ import annotations

import html
import json
import shutil
from pathlib import Path

import flask_bootstrap
import plotly

from components.text.client import client_words
from tests.browser.harness import payload

ROOT = Path(__file__).resolve().parents[3]
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
BOOTSTRAP = Path(flask_bootstrap.__file__).parent / "static" / "bootstrap5" / "css" / "bootstrap.min.css"
LABELS = (
    ("E1", "GRPO", 1),
    ("E2", "DAPO", 2),
    ("E3", "Dr.GRPO", 3),
    ("E4", "RLOO", 4),
    ("E5", "REINFORCE++", 5),
)


def both(zh: str, en: str) -> str:
    """A text in both languages."""
    return f'<span lang="zh-CN">{html.escape(zh)}</span><span lang="en">{html.escape(en)}</span>'


def _figure(
    name: str,
    size: str,
    title: tuple[str, str],
    unit: tuple[str, str] = ("", ""),
    caption: tuple[str, str] | None = None,
) -> str:
    tools = (
        ""
        if size in ("mini", "slope")
        else (
            '<span class="tools"><button type="button" data-act="stats" aria-pressed="false" data-aria-zh="范围统计" data-aria-en="Range statistics"></button>'
            f'<button type="button" data-act="fullscreen" data-value="{name}" aria-pressed="false" data-aria-zh="全屏" data-aria-en="Full screen"></button></span>'
        )
    )
    text = (
        ""
        if caption is None
        else f'<p class="ch-c">{both("X：步 · Y：" + caption[0], "X: step · Y: " + caption[1])}</p>'
    )
    return (
        f'<figure class="ch" data-chart="{name}" data-size="{size}"><div class="ch-h"><h3>{both(*title)}</h3>'
        f'<span class="u">{both(*unit)}</span><span class="badges"></span>{tools}</div>{text}<div class="plot"></div></figure>'
    )


def _metric(name: str, metric: str, size: str, caption: bool = False) -> str:
    facts = payload.METRICS[metric]
    return _figure(name, size, facts["title"], facts["unit"], facts["caption"] if caption else None)


def _header() -> str:
    tabs = "".join(
        f'<a role="tab" data-act="tab" data-value="{name}" href="?tab={name}">{both(zh, en)}</a>'
        for name, zh, en in (("overview", "总览", "Overview"), ("2b", "2B 训练", "2B runs"))
    )
    right = (
        '<span class="rl-head-r"><span class="live no-m"><i></i><span data-slot="as-of"></span></span>'
        '<button type="button" data-act="lang" data-aria-zh="切换到英文" data-aria-en="Switch to Chinese"></button>'
        '<button type="button" data-act="theme"></button><button type="button" class="no-m" data-act="help" data-aria-zh="帮助" data-aria-en="Help">?</button></span>'
    )
    return (
        f'<header class="rl-header"><span class="rl-brand"><i></i>{both("RL 实验看板", "RL Board")}</span>'
        f'<nav class="rl-tabs no-m" role="tablist" aria-label="Pages">{tabs}</nav>{right}</header>'
    )


def _filter() -> str:
    chips = "".join(
        f'<button type="button" class="chip" data-act="chip" data-value="{label}" aria-pressed="true"><span class="sym e{slot}"></span>'
        f'<span>{label}</span><span class="nm">{name}</span></button>'
        for label, name, slot in LABELS
    )

    def select(act: str, label: tuple[str, str], options: tuple[tuple[str, str, str], ...]) -> str:
        inner = "".join(
            f'<option value="{v}" data-zh="{zh}" data-en="{en}">{zh}</option>' for v, zh, en in options
        )
        return f'<label class="ctl sm">{both(*label)}<select class="sel" data-act="{act}" data-aria-zh="{label[0]}" data-aria-en="{label[1]}">{inner}</select></label>'

    selects = select(
        "smooth",
        ("平滑", "Smooth"),
        (("auto", "自动", "auto"), ("raw", "原始", "raw"), ("mean5", "MA 5", "MA 5")),
    ) + select(
        "x", ("X", "X"), (("step", "步", "step"), ("tokens", "词元", "tokens"), ("hours", "小时", "hours"))
    )
    steps = '<div id="steps"></div>'
    stepper = (
        '<span class="epnav no-m"><button type="button" data-act="episode-prev" aria-label="‹">‹</button><span data-show="episodes"></span>'
        '<button type="button" data-act="episode-next" aria-label="›">›</button></span>'
    )
    rest = (
        f'<button type="button" class="btn-t no-m" data-act="reset">{both("重置", "Reset")}</button>'
        f'<a class="btn-t no-m" data-act="csv" href="csv">CSV</a>'
    )
    return f'<div class="rl-filter"><div class="chips">{chips}</div>{steps}<span class="no-m" style="display:contents">{selects}</span><span class="flex1 no-m"></span>{stepper}{rest}</div>'


def _track() -> str:
    compared = "".join(
        _metric(f"cmp-{metric}", metric, "comparison", True) for metric in list(payload.METRICS)[:4]
    )
    compared += _figure(
        "cmp-validation",
        "comparison",
        ("AIME24 acc@1", "AIME24 acc@1"),
        ("%", "%"),
        ("30 题贪心正确率，竖线为 95% Wilson 区间", "30 greedy items; bars are 95% Wilson intervals"),
    )
    compared += _figure(
        "cmp-hours",
        "comparison",
        ("总用时", "Hours"),
        ("h", "h"),
        ("实色为生成，浅色为训练与其他", "solid is generation, faint the rest"),
    )
    out = [
        f'<div class="rl-title"><h1>{both("2B 训练监控", "2B runs")}</h1><span class="meta">Qwen3.5-2B</span></div>',
        f'<div class="rl-sec"><h2>{both("对比", "Comparison")}</h2><span class="meta" data-show="range"></span><span class="r">'
        f'<a href="#" data-act="window" data-value="all">{both("显示全部 1–150", "Show all 1–150")}</a>'
        f'<a href="#" data-act="window" data-value="aligned">{both("回到对齐窗口", "Back to the window")}</a></span></div><div class="g3">{compared}</div>',
    ]
    for run in payload.RUNS:
        charts = "".join(
            _metric(f"run-{run.key}-{metric}", metric, "experiment") for metric in payload.METRICS
        )
        link = (
            f'<a href="#" class="ep-tag" data-act="episode" data-value="{payload.EPISODE["id"]}">{both("查看 133–140", "Inspect 133–140")}</a>'
            if run.slot == 3
            else ""
        )
        out.append(
            f'<section class="exp"><div class="rl-sec"><h2><span class="sym e{run.slot}"></span>{run.label} <span class="nm">{run.name}</span></h2><span class="r">{link}</span></div><div class="g4">{charts}</div></section>'
        )
    return "".join(out)


def _episode() -> str:
    names = [name.removeprefix("ep-") for name in payload.episode()["charts"]]
    charts = "".join(_metric(f"ep-{name}", name, "episode", True) for name in names)
    rows = "".join(
        f'<tr data-step="{step}" data-act="step" data-value="{step}"><td>{step}</td><td>0.1</td></tr>'
        for step in range(131, 143)
    )
    return (
        f'<div class="epi"><div class="g2">{charts}</div><aside class="epi-p"><h2>E3 · 133–140</h2><span data-show="episode-index"></span> '
        f'<button type="button" class="btn-t" data-act="episode" data-value="">{both("关闭", "Close")}</button><table class="st"><tbody>{rows}</tbody></table></aside></div>'
    )


def _overview() -> str:
    rows = "".join(
        f'<tr data-act="run" data-value="{run.id}"><td><span class="rn"><span class="sym e{run.slot}"></span><b>{run.label}</b> {run.name}</span></td><td class="num">150/150</td></tr>'
        for run in payload.RUNS
    )
    slopes = "".join(
        _figure(f"slope-{name}", "slope", title, unit) for name, title, unit, *_ in payload.SLOPES
    )
    minis = "".join(
        _figure(f"mini-{run.key}", "mini", ("2B", "2B"), ("通过率 %", "pass rate %")) for run in payload.RUNS
    )
    return (
        f'<table class="rt"><tbody>{rows}</tbody></table><div class="g4">{slopes}</div>'
        f'<div class="g2">{_figure("advantage", "advantage", ("答对与答错的优势", "Advantage of right and wrong answers"))}</div><div class="g4">{minis}</div>'
    )


def page() -> str:
    """The whole page as text; scripts and styles are referred to beside it."""
    scripts = sorted(path.name for path in (ROOT / "assets").glob("*.js"))
    styles = ["bootstrap.min.css", *sorted(path.name for path in (ROOT / "assets").glob("*.css"))]
    head = "".join(f'<link rel="stylesheet" href="{name}">' for name in styles)
    tail = "".join(f'<script src="{name}"></script>' for name in scripts)
    sections = "".join(
        f'<main class="rl-page" data-page="{html.escape(name)}" hidden>{body}</main>'
        for name, body in (
            ("overview", _overview()),
            ("2b", _track()),
            (f"ep:{payload.EPISODE['id']}", _episode()),
        )
    )
    data = json.dumps({"words": client_words(), "figures": payload.pages()}, ensure_ascii=False).replace(
        "<", "\\u003c"
    )
    return (
        f'<!doctype html><html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>RL Board</title><link rel="icon" href="data:,">{head}<style>.g2{{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:8px 32px}}</style></head><body>{_header()}{_filter()}{sections}'
        f'<script src="plotly.min.js"></script>{tail}<script>window.sent = []; const given = {data}; '
        'rlboard.start(Object.assign(given, {tab: "2b", publish: (name, value) => window.sent.push([name, value])}));</script></body></html>'
    )


def write(folder: Path) -> Path:
    """Write the page and what it loads into a folder; the path of its index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (*(ROOT / "assets").glob("*.js"), *(ROOT / "assets").glob("*.css"), PLOTLY, BOOTSTRAP):
        shutil.copy(path, folder / path.name)
    index = folder / "index.html"
    index.write_text(page(), encoding="utf-8")
    return index
