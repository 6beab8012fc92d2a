"""Controls on a static page: runs, steps, episodes, link, language, phone."""

from __future__ import annotations

import re

import pytest

from tests.browser.harness import payload
from tests.browser.harness.hands import Open, axis, drawn, plot, settle, uids

pytestmark = pytest.mark.browser

E1, E2, E3, E4 = payload.RUNS
EPISODE = payload.EPISODE["id"]


def test_chip_hides_a_run_and_y_follows(sketch: Open) -> None:
    page = sketch()
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


def test_double_click_on_a_chip_isolates_and_reset_brings_all_back(sketch: Open) -> None:
    page = sketch()
    page.locator("[data-act=chip][data-value=E3]").dblclick()
    settle(page)
    assert page.evaluate("rlboard.state.exp") == ["E3"]
    assert uids(page, "cmp-pass_rate", "ma") == {f"e3_ma_{E3.key}"}
    page.locator(".rl-filter [data-act=reset]").click()
    settle(page)
    assert len(uids(page, "cmp-pass_rate", "ma")) == 4
    assert page.locator(".rl-filter [data-act=reset]").is_disabled()


def test_label_that_matches_nothing_gives_an_empty_state(sketch: Open) -> None:
    page = sketch("tab=2b&exp=E9")
    assert page.locator(plot("cmp-pass_rate") + " > .empty b").inner_text() == "没有选中的实验。"
    page.keyboard.press("r")
    settle(page)
    assert page.locator(plot("cmp-pass_rate") + " > .empty").count() == 0


def test_run_row_chooses_one_run(sketch: Open) -> None:
    page = sketch("tab=overview")
    page.locator(f'tr[data-value="{E4.id}"]').click()
    settle(page)
    assert page.evaluate("rlboard.state.exp") == [E4.id]
    assert page.locator("[data-act=chip][data-value=E4]").get_attribute("aria-pressed") == "true"
    assert page.locator("[data-act=chip][data-value=E1]").get_attribute("aria-pressed") == "false"


def test_view_survives_a_reload_and_foreign_keys_stay(sketch: Open) -> None:
    query = "tab=2b&exp=E1,E3&steps=20-99&win=all&smooth=raw&x=step&lang=en&theme=dark&utm=mail"
    page = sketch(query)
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


def test_bad_values_fall_back_with_a_notice(sketch: Open) -> None:
    page = sketch("tab=2b&steps=abc&smooth=cubic&lang=en")
    notice = page.locator("#rl-notices").inner_text()
    assert "steps=abc" in notice
    assert "smooth=cubic" in notice
    assert page.evaluate("[rlboard.state.range, rlboard.state.smooth]") == [None, "auto"]
    page.locator("#rl-notices button").click()
    assert page.locator("#rl-notices").is_hidden()


def test_unknown_page_gives_way_with_a_notice(sketch: Open) -> None:
    page = sketch("tab=nowhere&lang=en")
    assert "tab=nowhere" in page.locator("#rl-notices").inner_text()
    assert page.evaluate("rlboard.state.tab") == "overview"


def test_long_selection_keeps_the_link_short(sketch: Open) -> None:
    page = sketch()
    page.evaluate("rlboard.set({exp: Array.from({length: 400}, (_, i) => 'run_' + i), range: [5, 50]})")
    settle(page)
    assert len(page.url.split("?")[1]) < 2000
    assert "steps=5-50" in page.url
    assert page.locator("#rl-notices").is_visible()
    page.keyboard.press("r")
    settle(page)


def test_range_settles_once_after_a_gesture(sketch: Open) -> None:
    page = sketch()
    page.evaluate("window.sent.length = 0")
    ruler = page.locator("#steps .ruler")
    box = ruler.bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"] + 13)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 13, steps=10)
    page.wait_for_function("rlboard.state.range && rlboard.state.range[0] > 50")
    assert page.evaluate("sent") == []
    page.mouse.up()
    page.wait_for_function("sent.some(s => s[0] === 'range-settled')")
    settled = page.evaluate("sent.filter(s => s[0] === 'range-settled')")
    assert settled == [["range-settled", page.evaluate("rlboard.state.range")]]
    assert page.evaluate("rlboard.state.range[1]") == 150
    assert page.evaluate("sent.map(s => s[0])") == ["range", "range-settled"]


def test_number_boxes_and_slider_keys(sketch: Open) -> None:
    page = sketch()
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


def test_episode_opens_by_key_and_arrows_move_the_step(sketch: Open) -> None:
    page = sketch("tab=2b&lang=en")
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


def test_help_opens_and_closes_by_key(sketch: Open) -> None:
    page = sketch("tab=2b&lang=en")
    page.keyboard.press("?")
    page.get_by_role("heading", name="Keys and gestures").wait_for()
    page.keyboard.press("?")
    page.locator("#rl-help").wait_for(state="detached")
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    page.locator("#rl-help").wait_for(state="detached")


def test_language_switch_shows_one_language_everywhere(sketch: Open) -> None:
    page = sketch()
    assert page.get_by_text("对比", exact=True).is_visible()
    page.locator("[data-act=lang]").click()
    settle(page)
    assert page.get_by_text("Comparison", exact=True).is_visible()
    assert page.evaluate("document.documentElement.lang") == "en"
    assert "lang=en" in page.url
    seen = page.evaluate("document.body.innerText")
    assert re.findall(r"[\u4e00-\u9fff]+", seen) == ["中文"]
    assert page.locator("[data-act=stats]").first.get_attribute("aria-label") == "Range statistics"


def test_full_screen_and_back(sketch: Open) -> None:
    page = sketch()
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


@pytest.mark.parametrize("query", ["tab=2b", "tab=overview&lang=en", f"tab=2b&ep={EPISODE}&lang=en"])
def test_phone_never_scrolls_sideways(sketch: Open, query: str) -> None:
    page = sketch(query, phone=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("[data-act=steps-sheet]").tap()
    assert page.locator("#rl-sheet [role=slider]").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
