"""Runs by their settings: groups with a band, hues that tell a setting, runs chosen by a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from app.__main__ import main
from components.style import run_key
from tests.browser.conftest import DESK, PHONE, OpenPage
from tests.browser.gestures import drag, settled
from tests.browser.sweep import SHORT, STEPS, VALIDATION, write_sweep
from tests.serving import Served, serving

pytestmark = pytest.mark.browser

LR = "actor_rollout_ref.actor.optim.lr"
LOW, HIGH = [f"lr1e-06_s{seed}" for seed in (1, 2, 3)], [f"lr5e-06_s{seed}" for seed in (1, 2, 3)]
LINES = """(id) => rlboard.records().find((r) => r.id === id).chart.lines.map((line) => ({key: line.key, role: line.role,
  name: rlboard.runName(line.run), steps: [...line.steps], y: [...line.y], low: line.low && [...line.low],
  high: line.high && [...line.high], hover: line.trace.hovertext || null}))"""
TRACES = """(id) => rlboard.records().find((r) => r.id === id).data
  .map((t) => ({uid: t.uid || '', x: [...t.x], y: [...t.y], fill: t.fill || ''}))"""
BADGES = "(id) => document.querySelector(`figure[data-chart='${id}'] .badges`).innerText"
Values = Mapping[str, Mapping[str, Mapping[int, float]]]


class Sweep(NamedTuple):
    folder: Path
    values: Values


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    folder = tmp_path_factory.mktemp("sweep")
    return Sweep(folder, write_sweep(folder))


@pytest.fixture(scope="module")
def served(sweep: Sweep, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cache = tmp_path_factory.mktemp("cache")
    assert main(["episodes", "--logs", str(sweep.folder), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(sweep.folder)], cache) as board:
        yield board


def opened(open_page: OpenPage, board: Served, query: str = "", locale: str = "en-US") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-grad_norm"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def choose(page: Page, **chosen: str) -> None:
    """In the panel of settings, which is opened when it is folded."""
    if not page.locator("#config-menu").is_visible():
        page.locator(".rl-config summary").click()
    for name, value in chosen.items():
        page.locator(f"#config-menu [data-config={name}]").select_option(value)
    settled(page)


def lines(page: Page, chart: str, role: str = "raw") -> dict[str, dict[str, Any]]:
    settled(page)
    return {line["key"]: line for line in page.evaluate(LINES, chart) if line["role"] == role}


def together(values: Values, runs: list[str], metric: str = "actor/grad_norm") -> tuple[list[int], Any]:
    """Steps at which all `runs` have a value, and the values (runs, steps)."""
    steps = sorted(set.intersection(*(set(values[run][metric]) for run in runs)))
    return steps, np.array([[values[run][metric][step] for step in steps] for run in runs])


BANDS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "range": lambda v: (v.min(0), v.max(0)),
    "sd": lambda v: (v.mean(0) - v.std(0, ddof=1), v.mean(0) + v.std(0, ddof=1)),
    "se": lambda v: (
        v.mean(0) - v.std(0, ddof=1) / len(v) ** 0.5,
        v.mean(0) + v.std(0, ddof=1) / len(v) ** 0.5,
    ),
}
NAMES = {"range": "mean, min–max", "sd": "mean ± SD", "se": "mean ± SE"}


@pytest.mark.parametrize("band", list(BANDS))
def test_seeds_become_a_mean_with_the_named_band(
    open_page: OpenPage, served: Served, sweep: Sweep, band: str
) -> None:
    page = opened(open_page, served)
    choose(page, group="seed", band=band)
    expect(page).to_have_url(re.compile("group=seed"))
    drawn = lines(page, "cmp-grad_norm")
    assert set(drawn) == {run_key(LOW[0]), run_key(HIGH[0])}
    for runs, last in ((LOW, STEPS), (HIGH, SHORT)):
        line, (steps, values) = drawn[run_key(runs[0])], together(sweep.values, runs)
        low, high = BANDS[band](values)
        assert line["name"] == f"{runs[0]} ×3"
        assert line["steps"] == steps == list(range(1, last + 1))
        assert line["y"] == pytest.approx(values.mean(0), rel=1e-12)
        assert line["low"] == pytest.approx(low, rel=1e-12)
        assert line["high"] == pytest.approx(high, rel=1e-12)
        assert all(text.startswith("n 3 · ") for text in line["hover"])
    assert NAMES[band] in page.evaluate(BADGES, "cmp-grad_norm")


def test_plotly_draws_mean_and_band_and_no_single_run(
    open_page: OpenPage, served: Served, sweep: Sweep
) -> None:
    page = opened(open_page, served, "&group=seed")
    traces = {trace["uid"]: trace for trace in page.evaluate(TRACES, "cmp-grad_norm")}
    for runs in (LOW, HIGH):
        steps, values = together(sweep.values, runs)
        (spread,) = [t for uid, t in traces.items() if uid.endswith(f"_spread_{run_key(runs[0])}")]
        assert spread["fill"] == "toself"
        assert spread["x"] == [*steps, *reversed(steps)]
        assert spread["y"] == pytest.approx([*values.max(0), *reversed(values.min(0))], rel=1e-12)
        (mean,) = [t for uid, t in traces.items() if uid.endswith(f"_raw_{run_key(runs[0])}")]
        assert mean["y"] == pytest.approx(values.mean(0), rel=1e-12)
        assert not [uid for uid in traces if run_key(runs[1]) in uid]


def test_the_hover_tells_how_many_runs_a_mean_is_of(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "&group=seed&band=sd")
    box = page.locator('figure[data-chart="cmp-grad_norm"] .nsewdrag').first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 4 + 2, box["y"] + box["height"] / 2, steps=3)
    hover = page.locator('figure[data-chart="cmp-grad_norm"] .hoverlayer')
    expect(hover).to_contain_text("n 3 · SD ±")


def test_smoothed_charts_show_the_mean_of_smoothed_values(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served)
    single = lines(page, "cmp-pass_rate", "ma")
    choose(page, group="seed")
    (line,) = [one for key, one in lines(page, "cmp-pass_rate", "ma").items() if key == run_key(LOW[0])]
    values = np.array([single[run_key(run)]["y"] for run in LOW], float)
    held = np.isfinite(values).all(0)
    steps = np.array(single[run_key(LOW[0])]["steps"])[held]
    assert line["steps"] == steps.tolist()
    assert line["y"] == pytest.approx(values[:, held].mean(0))
    assert line["high"] == pytest.approx(values[:, held].max(0))


def test_validations_get_the_band_as_their_bars(open_page: OpenPage, served: Served, sweep: Sweep) -> None:
    page = opened(open_page, served, "&group=seed")
    found = lines(page, "cmp-validation", "val")
    for runs in (LOW, HIGH):
        steps, values = together(sweep.values, runs, VALIDATION)
        assert found[run_key(runs[0])]["steps"] == steps
        assert found[run_key(runs[0])]["y"] == pytest.approx(100 * values.mean(0))
        assert found[run_key(runs[0])]["low"] == pytest.approx(100 * values.min(0))


def test_chips_leave_a_group_and_a_run_alone_has_no_band(
    open_page: OpenPage, served: Served, sweep: Sweep
) -> None:
    page = opened(open_page, served, "&group=seed")
    page.locator(f'.chip[data-value="{HIGH[2]}"]').click()
    drawn = lines(page, "cmp-grad_norm")
    steps, values = together(sweep.values, HIGH[:2])
    assert drawn[run_key(HIGH[0])]["steps"] == steps == list(range(1, STEPS + 1))
    assert drawn[run_key(HIGH[0])]["y"] == pytest.approx(values.mean(0))
    page.locator(f'.chip[data-value="{HIGH[1]}"]').click()
    alone = lines(page, "cmp-grad_norm")[run_key(HIGH[0])]
    assert alone["low"] is None
    assert alone["name"] == HIGH[0]
    assert alone["y"] == pytest.approx(list(sweep.values[HIGH[0]]["actor/grad_norm"].values()))


def test_a_mean_has_a_gap_where_a_run_lacks_a_value(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served)
    made = page.evaluate("""() => {
      const payload = rlboard.payload(), [a, b] = Object.keys(payload.runs);
      const line = (key, steps, y, bucket) => ({key, run: payload.runs[key], role: 'raw', series: '', window: 1, steps,
        y: Float64Array.from(y), trace: {x: steps, y, uid: `e1_raw_${key}`, meta: {bucket}}});
      const mean = (...lines) => { const [one] = rlboard.grouped({payload, extra: {}, meta: {}, lines}, [{keys: [a, b], name: 'g'}], 'range').lines;
        return [[...one.steps], [...one.y].map(String)]; };
      return [mean(line(a, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), line(b, [1, 2, 4], [3, NaN, 6])),
        mean(line(a, [3, 4, 6, 8, 11, 12, 16], [0, 1, 0, 2, 0, 3, 4], 2), line(b, [2, 4, 6, 7, 8, 16], [9, 3, 9, 9, 4, 6], 2))];
    }""")  # fmt: skip
    assert made[0] == [[1, 2, 3, 4], ["2", "NaN", "NaN", "5"]]
    assert made[1] == [[4, 8, 12, 16], ["2", "3", "NaN", "5"]]  # of long lines the steps that all keep


def test_zoom_works_on_groups_and_reset_ends_them(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, locale="zh-CN")
    choose(page, group=LR)
    assert lines(page, "cmp-entropy")[run_key(HIGH[0])]["name"] == "lr 5e-6 ×3"
    assert "均值，最小–最大" in page.evaluate(BADGES, "cmp-entropy")
    page.locator("h1").first.click()
    expect(page.locator("#config-menu")).to_be_hidden()
    drag(page, "cmp-grad_norm", 0.2, 0.5)
    settled(page)
    assert "steps=" in page.url
    assert set(lines(page, "cmp-entropy")) == {run_key(LOW[0]), run_key(HIGH[0])}
    page.locator("body").press("r")
    settled(page)
    assert "group=" not in page.url
    assert len(lines(page, "cmp-entropy")) == 6


def test_means_are_differences_when_a_baseline_is_pinned(
    open_page: OpenPage, served: Served, sweep: Sweep
) -> None:
    page = opened(open_page, served, f"&group=seed&base={LOW[0]}")
    steps, values = together(sweep.values, HIGH)
    base = np.array([sweep.values[LOW[0]]["actor/grad_norm"][step] for step in steps])
    drawn = lines(page, "cmp-grad_norm")[run_key(HIGH[0])]
    assert drawn["y"] == pytest.approx((values - base).mean(0), abs=1e-12)


def pressed(page: Page) -> list[str]:
    chips = page.locator("[data-act=chip][aria-pressed=true]:visible")
    return [str(chip.get_attribute("data-value")) for chip in chips.all()]


def test_runs_are_chosen_by_a_value_and_the_chips_follow(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served)
    choose(page, where=LR)
    value = page.locator("#config-menu button", has_text="5e-6")
    expect(value).to_contain_text("×3")
    value.click()
    settled(page)
    assert pressed(page) == HIGH
    assert f"where={LR}=5e-6" in page.url
    assert "exp=" not in page.url
    assert set(lines(page, "cmp-grad_norm")) >= {run_key(run) for run in HIGH}
    shown = page.evaluate("() => [...rlboard.records().find((r) => r.id === 'cmp-grad_norm').view.visible]")
    assert set(shown) == {run_key(run) for run in HIGH}
    page.reload()
    settled(page)
    assert pressed(page) == HIGH
    page.locator(f'.chip[data-value="{LOW[0]}"]').click()
    settled(page)
    assert pressed(page) == [LOW[0], *HIGH]
    assert "where=" not in page.url
    assert "exp=" in page.url


def test_a_link_with_a_setting_nobody_has_says_so(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "&where=data.nothing=1")
    expect(page.locator("#rl-notices")).to_contain_text("runs of this page do not differ in data.nothing")
    assert len(pressed(page)) == 6


LOOKS = """() => Object.fromEntries(['chip', 'table'].map((place) => [place, [...document.querySelectorAll(
  place === 'chip' ? '#chips .sym' : 'main table .sym, main table .spark')].map((el) => [el.dataset.look, /\\be\\d/.exec(el.className)[0]])]))"""
HUES = """(id) => Object.fromEntries(rlboard.records().find((r) => r.id === id).data
  .map((t) => /^(e\\d)_raw_(r\\w+)$/.exec(t.uid || '')).filter(Boolean).map(([, hue, key]) => [key, hue]))"""


def test_hues_tell_a_setting_on_chips_tables_and_lines(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served)
    before, drawn = page.evaluate(LOOKS), page.evaluate(HUES, "cmp-grad_norm")
    assert len(set(drawn.values())) == 5
    choose(page, colour=LR)
    expect(page).to_have_url(re.compile("colour="))
    expected = {run_key(run): hue for runs, hue in ((LOW, "e1"), (HIGH, "e2")) for run in runs}
    assert page.evaluate(HUES, "cmp-grad_norm") == expected
    looks = page.evaluate(LOOKS)
    assert dict(looks["chip"]) == expected
    assert looks["table"] == [[key, expected[key]] for key, _ in before["table"]]
    page.keyboard.press("Escape")
    page.locator("body").press("r")
    settled(page)
    assert page.evaluate(LOOKS) == before
    assert page.evaluate(HUES, "cmp-grad_norm") == drawn


def test_the_panel_is_worked_by_keys(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served)
    page.locator(".rl-config summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("s")
    settled(page)
    assert "group=seed" in page.url
    assert page.evaluate("() => document.activeElement.dataset.config") == "group"
    page.keyboard.press("Escape")
    expect(page.locator("#config-menu")).to_be_hidden()
    expect(page.locator(".rl-config summary")).to_be_focused()


def test_phones_have_the_panel_in_the_sheet(open_page: OpenPage, served: Served) -> None:
    page = open_page(f"{served.url}?tab=2b", viewport=PHONE, locale="zh-CN", touch=True)
    settled(page)
    page.locator("[data-act=steps-sheet]").first.click()
    page.locator("#rl-sheet [data-config=group]").select_option("seed")
    expect(page).to_have_url(re.compile("group=seed"))
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390


def exported(chromium: Browser, folder: Path, out: Path, query: str, locale: str) -> Page:
    assert (
        main(
            ["export", "--logs", str(folder), "--cache-dir", str(out / "cache"), "--out", str(out / "b.html")]
        )
        == 0
    )
    page = chromium.new_context(viewport=DESK, locale=locale, offline=True).new_page()
    page.goto(f"{(out / 'b.html').as_uri()}?{query}")
    settled(page)
    return page


def test_the_exported_file_does_the_same(chromium: Browser, sweep: Sweep, tmp_path: Path) -> None:
    page = exported(chromium, sweep.folder, tmp_path, "tab=2b", "zh-CN")
    choose(page, group="seed", band="se", where=LR)
    page.locator("#config-menu button", has_text="5e-6").click()
    settled(page)
    steps, values = together(sweep.values, HIGH)
    line = lines(page, "cmp-grad_norm")[run_key(HIGH[0])]
    assert line["steps"] == steps
    assert line["y"] == pytest.approx(values.mean(0))
    assert line["high"] == pytest.approx(BANDS["se"](values)[1])
    assert "均值 ± 标准误" in page.evaluate(BADGES, "cmp-grad_norm")
    assert pressed(page) == HIGH
    assert "group=seed&band=se" in page.url
    page.context.close()


def test_a_page_without_configs_says_why_there_is_nothing(chromium: Browser, tmp_path: Path) -> None:
    for name in ("a_grpo_2b", "b_grpo_2b"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        text = "".join(f"step:{step} - actor/grad_norm:0.5\n" for step in range(1, 9))
        (tmp_path / "logs" / name / "train.log").write_text(text, encoding="utf-8")
    page = exported(chromium, tmp_path / "logs", tmp_path, "tab=2b", "en-US")
    page.locator(".rl-config summary").click()
    expect(page.locator("#config-menu")).to_have_text(
        "No config in the logs of this page: nothing to group or choose by."
    )
    page.context.close()
