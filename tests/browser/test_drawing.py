"""The scripts of `assets/` on a static page: one range for every chart, y fits, labels, hover, link, languages, phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.harness import payload
from tests.browser.harness.page import write
from tests.browser.harness.serve import chromium, served

pytestmark = pytest.mark.browser

Open = Callable[..., AbstractContextManager[Page]]
E1, E2, E3, E4 = payload.RUNS
EPISODE = payload.EPISODE["id"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("harness")
    write(folder)
    with served(folder) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def board(address: str, browser: Browser) -> Open:
    """Open the harness page with a query; leaving it checks that the console stayed empty."""

    @contextmanager
    def opened(query: str = "tab=2b", width: int = 1440, height: int = 900, **context: Any) -> Iterator[Page]:
        with browser.new_context(viewport={"width": width, "height": height}, **context) as place:
            page = place.new_page()
            said: list[str] = []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(f"{address}?{query}")
            settle(page)
            yield page
            assert said == []

    return opened


def settle(page: Page) -> None:
    """Wait until every chart in view is drawn."""
    page.wait_for_function("window.rlboard && rlboard.ready")


def plot(name: str) -> str:
    return f'[data-chart="{name}"] .plot'


def axis(page: Page, name: str, which: str) -> list[float]:
    return page.eval_on_selector(plot(name), f"el => el.layout.{which}axis.range")  # type: ignore[no-any-return]


def drawn(page: Page, name: str) -> list[dict[str, Any]]:
    """uid, mode, visibility and numbers of the traces of a chart."""
    return page.eval_on_selector(  # type: ignore[no-any-return]
        plot(name),
        """el => el.data.map(t => ({uid: t.uid, mode: t.mode, width: t.line && t.line.width, opacity: t.opacity,
        x: Array.from(t.x), y: Array.from(t.y, v => Number.isFinite(v) ? v : null), text: t.text}))""",
    )


def uids(page: Page, name: str, role: str) -> set[str]:
    return {trace["uid"] for trace in drawn(page, name) if f"_{role}_" in trace["uid"]}


def drag(page: Page, name: str, first: float, last: float) -> None:
    """Drag from one step to another inside a chart, as a hand does."""
    where = page.eval_on_selector(
        plot(name),
        """(el, steps) => { const box = el.getBoundingClientRect(), s = el._fullLayout._size, a = el._fullLayout.xaxis;
        return [box.left + s.l + a.d2p(steps[0]), box.left + s.l + a.d2p(steps[1]), box.top + s.t + s.h / 2] }""",
        [first, last],
    )
    page.mouse.move(where[0], where[2])
    page.mouse.down()
    page.mouse.move(where[1], where[2] + 3, steps=8)
    page.mouse.up()
    page.wait_for_function("rlboard.state.range !== null")
    settle(page)


def bring(page: Page, name: str) -> None:
    """Scroll to a chart and wait until it is drawn."""
    page.locator(plot(name)).scroll_into_view_if_needed()
    page.locator(f'[data-chart="{name}"][data-drawn]').wait_for()
    settle(page)


def in_view(page: Page) -> list[str]:
    """Charts along steps that are mounted."""
    return page.evaluate(  # type: ignore[no-any-return]
        "rlboard.records().filter(r => r.mounted && (r.chart.meta.kind || 'steps') === 'steps').map(r => r.id)"
    )


def test_drag_in_one_chart_moves_all_and_fits_y(board: Open) -> None:
    with board() as page:
        drag(page, "cmp-pass_rate", 60, 110)
        ranges = {name: axis(page, name, "x") for name in in_view(page)}
        assert len(ranges) >= 9
        assert set(map(tuple, ranges.values())) == {(60, 110)}
        rows = [(run.steps >= 60) & (run.steps <= 110) for run in payload.RUNS]
        values = np.concatenate(
            [payload.series(run, "pass_rate")[row] for run, row in zip(payload.RUNS, rows, strict=True)]
        )
        smooth = np.concatenate(
            [
                payload.trailing(payload.series(run, "pass_rate"))[row]
                for run, row in zip(payload.RUNS, rows, strict=True)
            ]
        )
        low, high = min(values.min(), smooth.min()), max(values.max(), smooth.max())
        assert axis(page, "cmp-pass_rate", "y") == pytest.approx(
            [low - 0.06 * (high - low), high + 0.06 * (high - low)]
        )


def test_charts_scrolled_to_later_show_the_same_range(board: Open) -> None:
    with board() as page:
        drag(page, "cmp-entropy", 20, 80)
        name = f"run-{E4.key}-deviation"
        bring(page, name)
        assert axis(page, name, "x") == [20, 80]


def test_double_click_returns_comparisons_to_the_window_and_runs_to_all_steps(board: Open) -> None:
    with board("tab=2b&steps=20-90") as page:
        box = page.locator(plot("cmp-grad_norm")).bounding_box()
        assert box is not None
        page.mouse.dblclick(box["x"] + 150, box["y"] + 90)
        page.wait_for_function("rlboard.state.range === null")
        settle(page)
        assert axis(page, "cmp-grad_norm", "x") == [1, 129]
        assert axis(page, f"run-{E1.key}-grad_norm", "x") == [1, 150]


def test_explicit_range_beyond_the_window_is_shaded(board: Open) -> None:
    with board("tab=2b&steps=60-150") as page:
        shapes = page.eval_on_selector(
            plot("cmp-pass_rate"), "el => el.layout.shapes.map(s => [s.x0, s.x1, s.fillcolor])"
        )
        assert [129, 150, "rgba(95, 105, 117, 0.07)"] in shapes
        assert page.eval_on_selector(plot("cmp-validation"), "el => el.layout.shapes.length") == 0


def test_reference_lines_stretch_y_only_at_full_view_and_else_stand_at_the_edge(board: Open) -> None:
    with board() as page:
        assert axis(page, "cmp-response_length", "y")[1] > payload.CAP
        notes = "el => el.layout.annotations.map(a => a.text)"
        assert page.eval_on_selector(plot("cmp-grad_norm"), notes) == ["裁剪线 1.0 ↑"]
        assert axis(page, "cmp-grad_norm", "y")[1] < 1
        page.evaluate("rlboard.set({range: [20, 90]})")
        settle(page)
        assert axis(page, "cmp-response_length", "y")[1] < payload.CAP
        assert page.eval_on_selector(plot("cmp-response_length"), notes) == ["上限 16,384 ↑"]


def test_at_most_forty_steps_show_logged_points_only(board: Open) -> None:
    with board("tab=2b&steps=61-100") as page:
        assert uids(page, "cmp-entropy", "ma") == set()
        raw = [trace for trace in drawn(page, "cmp-entropy") if "_raw_" in trace["uid"]]
        assert {(trace["mode"], trace["opacity"]) for trace in raw} == {("lines+markers", 1)}
        page.evaluate("rlboard.set({range: [60, 100]})")
        settle(page)
        assert len(uids(page, "cmp-entropy", "ma")) == 4


def test_smoothed_line_leaves_the_band_to_the_logged_one(board: Open) -> None:
    with board("tab=2b") as page:
        name = f"run-{E3.key}-grad_norm"
        bring(page, name)
        traces = {trace["uid"]: trace for trace in drawn(page, name)}
        smooth = traces[f"e3_ma_{E3.key}"]
        gap = [x for x, y in zip(smooth["x"], smooth["y"], strict=True) if y is None]
        assert gap == list(range(133, 140 + 5))
        logged = traces[f"e3_epi_{E3.key}"]
        assert logged["width"] == 1.5
        assert [x for x, y in zip(logged["x"], logged["y"], strict=True) if y is not None] == list(
            range(132, 146)
        )
        peak = payload.series(E3, "grad_norm")[E3.steps == 136][0]
        assert traces[f"e3_pk_{E3.key}"]["text"][0].strip() == f"{peak:.2f} @136"
        shapes = page.eval_on_selector(
            plot(name), "el => el.layout.shapes.map(s => [s.x0, s.x1, s.fillcolor])"
        )
        assert shapes == [[132.5, 140.5, "rgba(214, 150, 30, 0.18)"]]
        quiet = page.eval_on_selector(
            plot(f"run-{E3.key}-pass_rate"), "el => el.layout.shapes.map(s => s.fillcolor)"
        )
        assert quiet == ["rgba(214, 150, 30, 0.08)"]
        assert page.eval_on_selector(plot(f"run-{E1.key}-pass_rate"), "el => el.layout.shapes.length") == 0


def test_end_labels_keep_their_distance_and_marks_their_value(board: Open) -> None:
    with board() as page:
        tops = page.evaluate(
            """[...document.querySelectorAll('[data-chart="cmp-pass_rate"] .trace[class*="_lab_"] text')]
            .map(el => el.getBoundingClientRect().top).sort((a, b) => a - b)"""
        )
        assert len(tops) == 4
        assert min(np.diff(tops)) >= 12.9
        ends = [trace for trace in drawn(page, "cmp-pass_rate") if "_end_" in trace["uid"]]
        row = E3.steps == 129
        assert next(t for t in ends if t["uid"] == f"e3_end_{E3.key}")["y"][0] == pytest.approx(
            payload.trailing(payload.series(E3, "pass_rate"))[row][0]
        )


def test_hours_bars_sum_the_range(board: Open) -> None:
    with board("tab=2b&steps=101-130") as page:
        text = next(t["text"][0] for t in drawn(page, "cmp-hours") if t["uid"] == f"e1_lab_{E1.key}")
        minutes = round(30 * sum(payload.HOURS["E1"]) * 60)
        assert text.strip() == f"{minutes // 60} h {minutes % 60:02d} m"


def test_chip_hides_a_run_and_y_follows(board: Open) -> None:
    with board() as page:
        before = axis(page, "cmp-entropy", "y")
        page.locator("[data-act=chip][data-value=E2]").click()
        settle(page)
        assert page.locator("[data-act=chip][data-value=E2]").get_attribute("aria-pressed") == "false"
        assert not any(trace["uid"].startswith("e2_") for trace in drawn(page, "cmp-entropy"))
        assert axis(page, "cmp-entropy", "y")[1] < before[1]
        assert "exp=E1,E3,E4,E5" in page.url
        page.locator("[data-act=chip][data-value=E2]").click()
        settle(page)
        assert axis(page, "cmp-entropy", "y") == before
        assert "exp=" not in page.url


def test_double_click_on_a_chip_isolates_and_reset_brings_all_back(board: Open) -> None:
    with board() as page:
        page.locator("[data-act=chip][data-value=E3]").dblclick()
        settle(page)
        assert page.evaluate("rlboard.state.exp") == ["E3"]
        assert uids(page, "cmp-pass_rate", "ma") == {f"e3_ma_{E3.key}"}
        page.locator(".rl-filter [data-act=reset]").click()
        settle(page)
        assert len(uids(page, "cmp-pass_rate", "ma")) == 4
        assert page.locator(".rl-filter [data-act=reset]").is_disabled()


def test_label_that_matches_nothing_gives_an_empty_state(board: Open) -> None:
    with board("tab=2b&exp=E9") as page:
        assert page.locator(plot("cmp-pass_rate") + " > .empty b").inner_text() == "没有选中的实验。"
        page.keyboard.press("r")
        settle(page)
        assert page.locator(plot("cmp-pass_rate") + " > .empty").count() == 0


def test_missing_chart_says_why(board: Open) -> None:
    with board("tab=2b&lang=en") as page:
        bring(page, f"run-{E2.key}-loss")
        page.get_by_text("KL is off in this run.").wait_for()


def test_run_row_chooses_one_run(board: Open) -> None:
    with board("tab=overview") as page:
        page.locator(f'tr[data-value="{E4.id}"]').click()
        settle(page)
        assert page.evaluate("rlboard.state.exp") == [E4.id]
        assert page.locator("[data-act=chip][data-value=E4]").get_attribute("aria-pressed") == "true"
        assert page.locator("[data-act=chip][data-value=E1]").get_attribute("aria-pressed") == "false"


def test_hover_draws_one_line_per_chart_and_brings_a_run_forward(board: Open) -> None:
    with board() as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        where = page.eval_on_selector(
            plot("cmp-entropy"),
            """el => { const box = el.getBoundingClientRect(), s = el._fullLayout._size, f = el._fullLayout;
            const t = el.data.find(t => t.uid.startsWith('e2_ma'));
            return [box.left + s.l + f.xaxis.d2p(80), box.top + s.t + f.yaxis.d2p(t.y[79])] }""",
        )
        page.mouse.move(*where)
        page.wait_for_function("document.querySelectorAll('.cursor:not([hidden])').length > 8")
        tags = page.evaluate(
            "[...document.querySelectorAll('.cursor:not([hidden]) b')].map(el => el.textContent)"
        )
        assert set(tags) == {"80"}
        page.wait_for_function(f"document.body.dataset.focus === '{E2.key}'")
        faded = page.eval_on_selector(
            f'[data-chart="cmp-pass_rate"] .trace[class*="_ma_{E1.key}"]',
            "el => getComputedStyle(el).opacity",
        )
        kept = page.eval_on_selector(
            f'[data-chart="cmp-pass_rate"] .trace[class*="_ma_{E2.key}"]',
            "el => getComputedStyle(el).opacity",
        )
        assert (faded, kept) == ("0.22", "1")
        page.mouse.move(5, 5)
        page.wait_for_function(
            "document.querySelectorAll('.cursor:not([hidden])').length === 0 && !document.body.dataset.focus"
        )
        assert asked == []


def test_view_survives_a_reload_and_foreign_keys_stay(board: Open) -> None:
    query = "tab=2b&exp=E1,E3&steps=20-99&win=all&smooth=raw&x=step&lang=en&theme=dark&utm=mail"
    with board(query) as page:
        page.evaluate("rlboard.set({range: [30, 99], pin: ['kl_loss']})")
        settle(page)
        state = page.evaluate("rlboard.state")
        assert "utm=mail" in page.url
        assert "steps=30-99" in page.url
        assert "exp=E1,E3" in page.url
        page.reload()
        settle(page)
        assert page.evaluate("rlboard.state") == state
        assert axis(page, "cmp-entropy", "x") == [30, 99]


def test_bad_values_fall_back_with_a_notice(board: Open) -> None:
    with board("tab=2b&steps=abc&smooth=cubic&lang=en") as page:
        notice = page.locator("#rl-notices").inner_text()
        assert "steps=abc" in notice
        assert "smooth=cubic" in notice
        assert page.evaluate("[rlboard.state.range, rlboard.state.smooth]") == [None, "auto"]
        page.locator("#rl-notices button").click()
        assert page.locator("#rl-notices").is_hidden()


def test_unknown_page_gives_way_with_a_notice(board: Open) -> None:
    with board("tab=nowhere&lang=en") as page:
        assert "tab=nowhere" in page.locator("#rl-notices").inner_text()
        assert page.evaluate("rlboard.state.tab") == "overview"


def test_long_selection_keeps_the_link_short(board: Open) -> None:
    with board() as page:
        page.evaluate("rlboard.set({exp: Array.from({length: 400}, (_, i) => 'run_' + i), range: [5, 50]})")
        settle(page)
        assert len(page.url.split("?")[1]) < 2000
        assert "steps=5-50" in page.url
        assert page.locator("#rl-notices").is_visible()
        page.keyboard.press("r")
        settle(page)


def test_range_settles_once_after_a_gesture(board: Open) -> None:
    with board() as page:
        page.evaluate("window.sent.length = 0")
        ruler = page.locator("#steps .ruler")
        box = ruler.bounding_box()
        assert box is not None
        page.mouse.move(box["x"], box["y"] + 13)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 13, steps=10)
        page.wait_for_function("rlboard.state.range && rlboard.state.range[0] > 50")
        assert "range-settled" not in page.evaluate("sent.map(s => s[0])")
        page.mouse.up()
        page.wait_for_function("sent.some(s => s[0] === 'range-settled')")
        settled = page.evaluate("sent.filter(s => s[0] === 'range-settled')")
        assert settled == [["range-settled", page.evaluate("rlboard.state.range")]]
        assert page.evaluate("rlboard.state.range[1]") == 150
        assert page.evaluate("new Set(sent.map(s => s[0])).size") == 2


def test_number_boxes_and_slider_keys(board: Open) -> None:
    with board() as page:
        first = page.locator("#steps input").first
        first.fill("40")
        first.press("Enter")
        assert page.evaluate("rlboard.state.range") == [40, 150]
        first.fill("133-140")
        first.press("Enter")
        assert page.evaluate("rlboard.state.range") == [133, 140]
        handle = page.locator("#steps [role=slider]").first
        handle.focus()
        handle.press("ArrowLeft")
        handle.press("PageDown")
        assert page.evaluate("rlboard.state.range") == [122, 140]
        assert handle.get_attribute("aria-valuenow") == "122"
        size = page.eval_on_selector(
            "#steps .h",
            "el => { const s = getComputedStyle(el, '::before'); return [parseFloat(s.width), parseFloat(s.height)] }",
        )
        assert min(size) >= 24
        first.fill("many")
        first.press("Enter")
        assert first.input_value() == "122"
        assert page.locator("#rl-notices").is_visible()


def test_episode_opens_by_key_and_arrows_move_the_step(board: Open) -> None:
    with board("tab=2b&lang=en") as page:
        page.keyboard.press("]")
        page.wait_for_function("rlboard.state.ep !== null")
        settle(page)
        assert page.evaluate("[rlboard.state.ep, rlboard.state.range]") == [EPISODE, [125, 148]]
        assert f"ep={EPISODE}" in page.url
        assert page.locator("tr.cur").get_attribute("data-step") == "136"
        page.keyboard.press("ArrowDown")
        assert page.locator("tr.cur").get_attribute("data-step") == "137"
        tags = page.evaluate(
            "[...document.querySelectorAll('.cursor:not([hidden]) b')].map(el => el.textContent)"
        )
        assert set(tags) == {"137"}
        raw = {t["uid"]: t for t in drawn(page, "ep-grad_norm") if "_raw_" in t["uid"]}
        assert (raw[f"e3_raw_{E3.key}"]["width"], raw[f"e3_raw_{E3.key}"]["opacity"]) == (1.75, 1)
        assert (raw[f"e1_raw_{E1.key}"]["width"], raw[f"e1_raw_{E1.key}"]["opacity"]) == (1.25, 0.45)
        page.get_by_role("button", name="Close").click()
        settle(page)
        assert page.evaluate("[rlboard.state.ep, rlboard.state.range]") == [None, None]


def test_help_opens_and_closes_by_key(board: Open) -> None:
    with board("tab=2b&lang=en") as page:
        page.keyboard.press("?")
        page.get_by_role("heading", name="Keys and gestures").wait_for()
        page.keyboard.press("Escape")
        assert page.locator("#rl-help").count() == 0


def test_language_switch_shows_one_language_everywhere(board: Open) -> None:
    with board() as page:
        assert page.get_by_text("对比", exact=True).is_visible()
        page.locator("[data-act=lang]").click()
        settle(page)
        assert page.get_by_text("Comparison", exact=True).is_visible()
        assert page.evaluate("document.documentElement.lang") == "en"
        assert "lang=en" in page.url
        seen = page.evaluate("document.body.innerText")
        assert re.findall(r"[\u4e00-\u9fff]+", seen) == ["中文"]
        assert page.locator("[data-act=stats]").first.get_attribute("aria-label") == "Range statistics"


def test_theme_repaints_without_a_new_figure(board: Open) -> None:
    with board("tab=2b&theme=light") as page:
        line = f'[data-chart="cmp-entropy"] .trace[class*="_ma_{E1.key}"] .js-line'
        light = page.eval_on_selector(line, "el => getComputedStyle(el).stroke")
        page.evaluate(
            "() => { window.drawn = 0; const react = Plotly.react; Plotly.react = (...a) => { drawn += 1; return react(...a) } }"
        )
        page.locator("[data-act=theme]").first.click()
        assert page.evaluate("document.documentElement.dataset.bsTheme") == "dark"
        dark = page.eval_on_selector(line, "el => getComputedStyle(el).stroke")
        assert (light, dark) == ("rgb(42, 102, 224)", "rgb(85, 144, 255)")
        assert page.evaluate("window.drawn") == 0


def test_range_statistics_are_those_of_the_logged_points(board: Open) -> None:
    with board("tab=2b&steps=60-110&lang=en") as page:
        page.locator('[data-chart="cmp-pass_rate"] [data-act=stats]').click()
        row = page.locator('[data-chart="cmp-pass_rate"] .rs tbody tr').nth(2).inner_text().split()
        inside = (E3.steps >= 60) & (E3.steps <= 110)
        steps, values = E3.steps[inside], payload.series(E3, "pass_rate")[inside]
        expected = [
            f"{values[0]:.1f}",
            f"{values[-1]:.1f}",
            f"{values.mean():.1f}",
            f"{values.min():.1f}",
            f"@{steps[values.argmin()]}",
            f"{values.max():.1f}",
            f"@{steps[values.argmax()]}",
        ]
        assert row == ["E3", *expected]
        assert page.locator('[data-chart="cmp-entropy"] .rs').is_visible()


def test_summary_for_screen_readers_names_last_values(board: Open) -> None:
    with board("tab=2b&lang=en") as page:
        text = page.locator('[data-chart="cmp-entropy"] > figcaption').inner_text()
        assert text.startswith("Steps 1–129. Last values: E1 0.2")


def test_full_screen_and_back(board: Open) -> None:
    with board() as page:
        button = page.locator('[data-chart="cmp-grad_norm"] [data-act=fullscreen]')
        button.click()
        page.wait_for_function(
            "document.querySelector('[data-chart=\"cmp-grad_norm\"] .plot').layout.height > 500"
        )
        page.keyboard.press("Escape")
        page.wait_for_function(
            "document.querySelector('[data-chart=\"cmp-grad_norm\"] .plot').layout.height === 218"
        )
        assert button.evaluate("el => el === document.activeElement")


def test_new_payload_redraws_only_what_changed(board: Open) -> None:
    with board() as page:
        page.evaluate(
            """() => { window.redrawn = []; const react = Plotly.react;
            Plotly.react = (el, ...rest) => { redrawn.push(el.closest('figure').dataset.chart); return react(el, ...rest) };
            const next = structuredClone(rlboard.payload()); next.version = 'later';
            next.charts['cmp-entropy'].meta.value = '.3f'; rlboard.draw(next) }"""
        )
        settle(page)
        assert page.evaluate("redrawn") == ["cmp-entropy"]


def test_payload_of_another_page_is_dropped(board: Open) -> None:
    with board() as page:
        page.evaluate(
            "rlboard.draw(Object.assign(structuredClone(rlboard.payload()), {tab: 'overview', version: 'late'}))"
        )
        assert page.evaluate("rlboard.payload().version") == "1"


def test_resize_redraws(board: Open) -> None:
    with board() as page:
        page.set_viewport_size({"width": 1000, "height": 900})
        page.wait_for_function(
            "(el => el.layout.width === el.clientWidth)(document.querySelector('[data-chart=\"cmp-entropy\"] .plot'))"
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("query", ["tab=2b", "tab=overview&lang=en", f"tab=2b&ep={EPISODE}&lang=en"])
def test_phone_never_scrolls_sideways(board: Open, query: str) -> None:
    with board(query, 390, 844, has_touch=True, is_mobile=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.locator("[data-act=steps-sheet]").tap()
        assert page.locator("#rl-sheet [role=slider]").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_vertical_zoom_is_kept_until_reset(board: Open) -> None:
    with board() as page:
        name = plot("cmp-entropy")
        fitted = axis(page, "cmp-entropy", "y")
        page.hover(name)
        page.locator(f"{name} .modebar-btn").nth(1).click()
        page.wait_for_function(f"document.querySelector('{name}').layout.yaxis.fixedrange === false")
        page.eval_on_selector(
            name, "el => el.emit('plotly_relayout', {'yaxis.range[0]': 0.1, 'yaxis.range[1]': 0.3})"
        )
        page.wait_for_function(f"document.querySelector('{name}').layout.yaxis.range[0] === 0.1")
        page.evaluate("rlboard.set({range: [50, 100]})")
        settle(page)
        assert axis(page, "cmp-entropy", "y") == [0.1, 0.3]
        page.keyboard.press("r")
        page.mouse.move(5, 5)
        settle(page)
        assert axis(page, "cmp-entropy", "y") == fitted


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        ("67.94", ".1f", "67.9"), ("-0.0051", ".3f", "−0.005"), ("-0.0001", ".3f", "0.000"), ("12588", ".1s", "12.6k"),
        ("12588", ",.0f", "12,588"), ("4600", "+.1s", "+4.6k"), ("-200", "+.1s", "−200"), ("0", "+.1f", "0.0"),
        ("NaN", ".1f", "NaN"), ("-Infinity", ".1f", "−inf"), ("0.000123", ".3~g", "0.000123"), ("16384", "~s", "16.4k"),
    ],
)  # fmt: skip
def test_numbers_as_text(numbers: Page, value: str, spec: str, text: str) -> None:
    assert numbers.evaluate(f"rlboard.number({value}, '{spec}')") == text


@pytest.fixture(scope="module")
def numbers(address: str, browser: Browser) -> Iterator[Page]:
    """One page for the pure functions."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_function("window.rlboard && rlboard.ready")
    yield page
    page.close()


def test_labels_are_pushed_apart_and_clamped(numbers: Page) -> None:
    spread = "places => rlboard.spread(places, 13, 4, 180)"
    assert numbers.evaluate(spread, [50, 51, 120]) == [44, 57, 120]
    assert numbers.evaluate(spread, [2, 3]) == [4, 17]
    assert numbers.evaluate(spread, [179, 180, 178]) == [167, 180, 154]


def test_y_range_of_special_cases(numbers: Page) -> None:
    fit = "([values, how]) => rlboard.fitY({values, low: Math.min(...values), high: Math.max(...values)}, Object.assign({pad: .06}, how)).range"
    assert numbers.evaluate(fit, [[2.0, 4.0], {"zero": True}]) == pytest.approx([0, 4.24])
    assert numbers.evaluate(fit, [[-1.0, 1.0], {"zero": True}]) == pytest.approx([-1.12, 1.12])
    assert numbers.evaluate(fit, [[1.0, 3.0], {"include": [5.0]}]) == pytest.approx([0.76, 5.24])
    assert numbers.evaluate(fit, [[1.0, 100.0], {"log": True}]) == pytest.approx([-0.12, 2.12])
    low, high = numbers.evaluate(fit, [[7.0, 7.0], {}])
    assert low < 7 < high


def test_ranges_are_read_from_text(numbers: Page) -> None:
    texts = ["133-140", "133–140", " 5 - 3 ", "136", "-5", "a-b", "1-2-3"]
    assert numbers.evaluate("texts => texts.map(rlboard.parseRange)", texts) == [
        [133, 140],
        [133, 140],
        [3, 5],
        [136, 136],
        None,
        None,
        None,
    ]
