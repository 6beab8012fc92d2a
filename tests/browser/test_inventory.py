"""Every heading, card, chart and caption of the published pages, in both languages, with data on the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESK
from tests.browser.reading import DRAWN, chart, language, run_key, texts
from tests.serving import Served

pytestmark = pytest.mark.browser

LANGS = ("zh", "en")
TRACKS = ("2b", "4b", "multimodal")


class Words(NamedTuple):
    """Words that stand in a visible element of a page: Chinese, then English."""

    tab: str
    selector: str
    zh: str
    en: str


class Drawn(NamedTuple):
    """A chart with data: `{E1}` in its id is the key of that run; fewest finite values it holds."""

    tab: str
    id: str
    zh: str
    en: str
    caption: tuple[str, str]
    points: int


WORDS = (
    # the shell
    Words("2b", ".rl-brand", "RL 实验看板", "RL Board"),
    Words("2b", ".rl-tabs a", "总览", "Overview"),
    Words("2b", ".rl-tabs a", "算法介绍", "Algorithms"),
    Words("2b", ".rl-tabs a", "2B 训练", "2B training"),
    Words("2b", ".rl-tabs a", "4B 训练", "4B training"),
    Words("2b", ".rl-tabs a", "多模态训练", "Multimodal training"),
    # 2B
    Words("2b", "h1", "2B 训练监控 — Qwen3.5-2B", "2B training monitor — Qwen3.5-2B"),
    Words("2b", ".rl-title .meta", "2×A100-80GB，non-thinking，16K 响应", "2×A100-80GB, non-thinking, 16K response"),
    Words("2b", ".rl-title .meta", "每步 32 题 × 8 条", "32 prompts × 8 responses"),
    Words("2b", ".rl-title .meta", "单一随机种子", "single seed"),
    Words("2b", ".rl-title .meta", "4 个已完成", "4 done"),
    Words("2b", ".rl-title .r", "算法介绍", "Algorithms"),
    Words("2b", ".rl-title .r", "来源与覆盖：6 个日志", "Sources and coverage: 6 logs"),
    Words("2b", ".rl-headline", "E3 末 10 步通过率最高，67.9%", "E3 ends highest: 67.9 %"),
    Words("2b", ".rl-lead p", "AIME24 acc@1 只有 30 题", "AIME24 acc@1 has only 30 items"),
    Words("2b", ".rl-sec", "对齐窗口 1–129 步", "aligned window, steps 1–129"),
    Words("2b", ".rl-sec", "E1 的归档快照止于第 129 步", "archived snapshot of E1 ends at step 129"),
    Words("2b", ".rl-sec .r a", "显示全部 1–150", "Show all 1–150"),
    Words("2b", ".track-notes .empty", "math_500 尚未测量", "math_500: not measured yet"),
    Words("2b", ".track-notes .md", "主要判据 math_500", "primary measure, math_500"),
    Words("2b", ".exp h2", "E1 GRPO", "E1 GRPO"),
    Words("2b", ".exp h2", "E2 DAPO", "E2 DAPO"),
    Words("2b", ".exp h2", "E3 Dr.GRPO", "E3 Dr.GRPO"),
    Words("2b", ".exp h2", "E4 RLOO", "E4 RLOO"),
    Words("2b", ".exp h2", "E5 REINFORCE++", "E5 REINFORCE++"),
    Words("2b", ".exp .meta", "响应最短，用时最少，熵最高", "shortest responses, fewest hours, highest entropy"),
    Words("2b", ".exp .md", "留一法基线", "Leave-one-out baseline"),
    Words("2b", ".exp .src", "train_20260712_185929.log · 1–129", "train_20260712_185929.log · 1–129"),
    Words("2b", ".exp .src", "train_20260714_110612.log · 1–150", "train_20260714_110612.log · 1–150"),
    Words("2b", ".exp .src", "train_20260715_114131.log", "train_20260715_114131.log"),
    Words("2b", ".exp .src", "train_20260717_180634.log", "train_20260717_180634.log"),
    Words("2b", ".exp .src", "与其他实验的差异", "differences"),
    Words("2b", ".exp .r a", "查看 133–140", "Inspect 133–140"),
    Words("2b", "details.full summary", "完整版 25 张图 利用率与吞吐、耗时分解", "Full version 25 charts Utilisation and throughput, Timing"),
    Words("2b", ".exp .empty", "还没有训练步", "No training step yet"),
    Words("2b", ".foot", "verl 控制台日志解析，离线可用", "verl console logs alone, works offline"),
    # 4B
    Words("4b", "h1", "4B 训练监控 — Qwen3.5-4B", "4B training monitor — Qwen3.5-4B"),
    Words("4b", ".rl-title .meta", "4×A100-80GB，TP=4，offload 关闭", "4×A100-80GB, TP=4, offload off"),
    Words("4b", ".rl-headline", "E3、E4 和 E1 末 10 步通过率 91.1", "E3, E4 and E1 cannot be told apart: 91.1"),
    Words("4b", ".exp .running", "21/150 步；已用 4 h 23 m；约剩 26–28 h；4 步后验证",
          "21/150 steps; 4 h 23 m so far; 26–28 h left; validation in 4 steps"),
    Words("4b", ".exp .src", "train_20260720_063429.log", "train_20260720_063429.log"),
    Words("4b", ".exp .src", "train_20260716_02", "train_20260716_02"),
    Words("4b", ".track-notes .empty", "math_500 尚未测量", "math_500: not measured yet"),
    # Overview
    Words("overview", "h1", "总览", "Overview"),
    Words("overview", "h2", "需要关注", "Needs attention"),
    Words("overview", ".row1", "训练中 E5 4B 训练 21/150 步", "live E5 4B training 21/150 steps"),
    Words("overview", ".row1", "4 项指标 E3 2B 训练", "4 metrics E3 2B training"),
    Words("overview", "h2", "发现", "Findings"),
    Words("overview", "h2", "全部实验", "Runs"),
    Words("overview", "table.runs th", "最好（挑选）", "best (selected)"),
    Words("overview", "table.runs tr", "E3 Dr.GRPO 已完成 150/150 26.4", "E3 Dr.GRPO done 150/150 26.4"),
    Words("overview", "h2", "2B 与 4B", "2B beside 4B"),
    Words("overview", ".ch-c", "次序改变：E3 在 2B 最大，在 4B 最小", "Order changes: E3 largest on 2B, smallest on 4B"),
    Words("overview", "table.scale tr", "多模态训练", "Multimodal training"),
    # Algorithms
    Words("algorithms", "h1", "算法介绍", "Algorithms"),
    Words("algorithms", ".cmp tr", "长度归一 词元平均 词元平均 固定 C", "Length normalisation token mean token mean fixed C"),
    Words("algorithms", ".alg", "DeepSeekMath · arXiv 2402.03300", "DeepSeekMath · arXiv 2402.03300"),
    Words("algorithms", ".alg", "代价：旧策略前向 1 次", "Cost: one forward pass of the old policy"),
    Words("algorithms", ".alg", "看图：梯度范数、策略熵、KL 损失", "Charts to watch: gradient norm, entropy, KL loss"),
    Words("algorithms", ".alg", "2B、4B：动态采样已配置", "2B, 4B: dynamic sampling is configured, but no log line shows that it ran"),
    Words("algorithms", "dl.others", "ReMax", "ReMax"),
    Words("algorithms", "dl.others", "整条回答一个比率", "One ratio per answer"),
    # Multimodal
    Words("multimodal", "h1", "多模态训练监控", "Multimodal training monitor"),
    Words("multimodal", ".rl-title .meta", "奖励 0 到 1", "rewards 0 to 1"),
)  # fmt: skip

COMPARED = (
    ("cmp-pass_rate", "通过率", "Pass rate", ("看终点高低", "look at ends"), 100),
    ("cmp-response_length", "响应长度", "Response length", ("是否逼近上限", "near the cap"), 100),
    ("cmp-entropy", "策略熵", "Entropy", ("下降快慢", "how fast it falls"), 100),
    ("cmp-grad_norm", "梯度范数", "Gradient norm", ("裁剪前的全局 L2", "L2 norm before clipping"), 100),
    ("cmp-hours", "总用时", "Total time", ("实色为生成", "solid: generation"), 6),
)
OWN = (
    ("pass_rate", "通过率", "Pass rate", ("平均奖励", "batch reward")),
    ("response_length", "响应长度", "Response length", ("词元数", "tokens")),
    ("entropy", "策略熵", "Entropy", ("平均熵", "mean entropy")),
    ("grad_norm", "梯度范数", "Gradient norm", ("L2", "L2")),
    ("loss", "actor/loss", "actor/loss", ("策略损失", "policy loss")),
    ("ppo_kl", "PPO KL", "PPO KL", ("可为负", "signed")),
    ("clip_share", "裁剪比例", "Clip fraction", ("双重裁剪", "dual clip")),
    ("deviation", "推理–训练偏差", "Rollout deviation", ("相关系数", "correlation")),
)
FULL = (
    ("throughput", "吞吐", "Throughput"), ("stages", "每步耗时分解", "Where a step's time goes"),
    ("memory", "显存峰值：分配", "Peak GPU memory: allocated"), ("rank_tokens", "每卡词元数", "Tokens per rank"),
    ("truncation", "截断比例", "Truncated share"), ("advantages", "优势", "Advantages"),
    ("returns", "回报", "Returns"), ("kl_loss", "KL 损失", "KL loss"), ("lr", "学习率", "Learning rate"),
    ("probs_diff", "概率差", "Probability difference"), ("correlation", "概率相关系数", "Correlation of probabilities"),
    ("turns", "对话轮数", "Turns"),
)  # fmt: skip


def _drawn() -> Iterator[Drawn]:
    for tab in TRACKS:
        yield from (Drawn(tab, *entry) for entry in COMPARED)
    for tab in ("2b", "4b"):
        aime = ("95% Wilson 区间", "95 % Wilson bars")
        yield Drawn(tab, "cmp-validation", "AIME24 acc@1", "AIME24 acc@1", aime, 24)
    for tab, labels in (("2b", ("E1", "E2", "E3", "E4")), ("4b", ("E1", "E2", "E3", "E4", "E5"))):
        for label in labels:
            for name, zh, en, tip in OWN:
                yield Drawn(tab, f"run-{{{label}}}-{name}", zh, en, tip, 21 if label == "E5" else 149)
    yield Drawn("multimodal", "cmp-prompt_length", "提示长度", "Prompt length", ("含图像词元", "image tokens"), 100)
    for name in ("length", "pass_rate", "entropy", "hours"):
        yield Drawn("overview", f"slope-{name}", "", "", ("", ""), 8)
    advantage = ("答对与答错的优势", "Advantage of right and wrong answers")
    yield Drawn("algorithms", "advantage-8", *advantage, ("除以标准差", "deviation"), 28)
    for label in ("E1", "E2", "E3", "E4"):
        yield Drawn("algorithms", f"mini-{{{label}}}-pass_rate", "", "", ("", ""), 100)


DRAWINGS = tuple(_drawn())
Look = Callable[[str], Page]


@pytest.fixture(scope="module")
def look(chromium: Browser, board: Served) -> Iterator[Look]:
    """One page per tab for the whole module."""
    opened: dict[str, Page] = {}

    def page_of(tab: str) -> Page:
        if tab not in opened:
            page = opened[tab] = chromium.new_page(viewport=DESK, locale="zh-CN")
            page.goto(f"{board.url}?tab={tab}")
            page.wait_for_function(DRAWN)
            page.wait_for_function("(tab) => rlboard.payload().tab === tab", arg=tab)
        return opened[tab]

    yield page_of
    for page in opened.values():
        page.close()


@pytest.mark.parametrize("entry", WORDS, ids=[f"{w.tab} {w.en[:40]}" for w in WORDS])
@pytest.mark.parametrize("lang", LANGS)
def test_words(entry: Words, lang: str, look: Look) -> None:
    page = look(entry.tab)
    language(page, lang)
    wanted, found = entry.zh if lang == "zh" else entry.en, texts(page, entry.selector)
    assert any(wanted in text for text in found), found


@pytest.mark.parametrize("entry", DRAWINGS, ids=[f"{d.tab} {d.id}" for d in DRAWINGS])
def test_charts_hold_data_and_say_what_they_show(entry: Drawn, look: Look) -> None:
    page = look(entry.tab)
    id_ = entry.id
    if "{" in id_:
        label = id_[id_.index("{") + 1 : id_.index("}")]
        track = entry.tab if entry.tab in TRACKS else "2b"
        id_ = id_.replace(f"{{{label}}}", run_key(page, label, track))
    shown = chart(page, id_)
    for nth, title in enumerate((entry.zh, entry.en)):
        assert shown.title[nth].startswith(title)
        assert entry.caption[nth] in shown.caption[nth] + shown.title[nth]
    assert shown.points >= entry.points
    assert shown.empty == ""


@pytest.mark.parametrize("tab", TRACKS)
def test_single_seed_is_said_once(tab: str, look: Look) -> None:
    page = look(tab)
    for lang, word in (("zh", "单一随机种子"), ("en", "single seed")):
        language(page, lang)
        (whole,) = texts(page, "main")
        assert whole.count(word) == 1


def test_formulas_are_mathematics(look: Look) -> None:
    page = look("algorithms")
    boxes = page.locator(".mth math").evaluate_all(
        "(all) => all.map((el) => [el.namespaceURI.endsWith('MathML'), el.getBoundingClientRect().height])"
    )
    assert len(boxes) >= 7
    assert all(is_math and height > 10 for is_math, height in boxes)


def test_the_group_size_changes_the_advantage(look: Look) -> None:
    page = look("algorithms")
    assert chart(page, "advantage-8").x == pytest.approx([0.76, 7], abs=0.3)
    page.locator("select[data-act=advantage-group]").select_option("16")
    expect(page.locator('figure[data-chart="advantage-8"]')).to_be_hidden()
    sixteen = chart(page, "advantage-16")
    assert sixteen.points == 2 * 3 * 15
    page.locator("select[data-act=advantage-group]").select_option("8")


def test_the_full_version_opens_with_its_charts(look: Look) -> None:
    page = look("2b")
    language(page, "en")
    key = run_key(page, "E1", "2b")
    folded = page.locator(f'details[data-full="{key}"]')
    assert folded.locator(".js-plotly-plot").count() == 0
    folded.locator("summary").click()
    for name, zh, en in FULL:
        shown = chart(page, f"full-{key}-{name}")
        assert shown.title[0].startswith(zh)
        assert shown.title[1].startswith(en)
        assert shown.points >= 149, name
    assert "always 0" in chart(page, f"full-{key}-mfu").empty
    stages = chart(page, f"full-{key}-stages")
    assert not any(uid.startswith("e") for uid in stages.uids), "no hue of a run"
    assert any("generation" in word for word in stages.words)
    assert any("other" in word for word in stages.words)
    assert any("Critic" in text for text in texts(page, ".without"))
    folded.locator("summary").click()
