"""The drawing scripts on a static page: one range for every chart, y fits, marks and labels, hover."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.harness import payload
from tests.browser.harness.hands import Open, axis, bring, drag, drawn, in_view, plot, settle, uids

pytestmark = pytest.mark.browser

E1, E2, E3, E4 = payload.RUNS


def test_drag_in_one_chart_moves_all_and_fits_y(sketch: Open) -> None:
    page = sketch()
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


def test_charts_scrolled_to_later_show_the_same_range(sketch: Open) -> None:
    page = sketch()
    drag(page, "cmp-entropy", 20, 80)
    name = f"run-{E4.key}-deviation"
    bring(page, name)
    assert axis(page, name, "x") == [20, 80]


def test_double_click_returns_comparisons_to_the_window_and_runs_to_all_steps(sketch: Open) -> None:
    page = sketch("tab=2b&steps=20-90")
    box = page.locator(plot("cmp-grad_norm")).bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + 150, box["y"] + 90)
    page.wait_for_function("rlboard.state.range === null")
    settle(page)
    assert axis(page, "cmp-grad_norm", "x") == [1, 129]
    assert axis(page, f"run-{E1.key}-grad_norm", "x") == [1, 150]


def test_explicit_range_beyond_the_window_is_shaded(sketch: Open) -> None:
    page = sketch("tab=2b&steps=60-150")
    shapes = page.eval_on_selector(
        plot("cmp-pass_rate"), "el => el.layout.shapes.map(s => [s.x0, s.x1, s.fillcolor])"
    )
    assert [129, 150, "rgba(95, 105, 117, 0.07)"] in shapes
    assert page.eval_on_selector(plot("cmp-validation"), "el => el.layout.shapes.length") == 0


def test_reference_lines_stretch_y_only_at_full_view_and_else_stand_at_the_edge(sketch: Open) -> None:
    page = sketch()
    assert axis(page, "cmp-response_length", "y")[1] > payload.CAP
    notes = "el => el.layout.annotations.map(a => a.text)"
    assert page.eval_on_selector(plot("cmp-grad_norm"), notes) == ["裁剪线 1.0 ↑"]
    assert axis(page, "cmp-grad_norm", "y")[1] < 1
    page.evaluate("rlboard.set({range: [20, 90]})")
    settle(page)
    assert axis(page, "cmp-response_length", "y")[1] < payload.CAP
    assert page.eval_on_selector(plot("cmp-response_length"), notes) == ["上限 16,384 ↑"]


def test_a_reference_far_above_the_lines_does_not_flatten_them(sketch: Open) -> None:
    name = f"run-{E1.key}-grad_norm"
    page = sketch()
    bring(page, name)
    highest = float(payload.series(E1, "grad_norm").max())
    assert axis(page, name, "y")[1] > 1, "the line stands in the plot"
    page.evaluate(
        """([name, value]) => { const p = structuredClone(rlboard.payload()), [ref] = p.charts[name].meta.refs;
        ref.value = value; rlboard.setPayload(p); }""",
        [name, 11 * highest],
    )
    settle(page)
    assert axis(page, name, "y")[1] < 1.1 * highest


def test_a_further_line_of_a_run_leaves_the_plot_as_wide_as_its_neighbours(sketch: Open) -> None:
    name = f"run-{E1.key}-clip_share"
    page = sketch()
    page.evaluate(
        """(name) => { const p = structuredClone(rlboard.payload()), { data } = p.charts[name];
        const more = structuredClone(data[0]); more.meta.series = 'dual_clip_share'; more.uid += '_dual'; data.push(more);
        rlboard.setPayload(p); }""",
        name,
    )
    bring(page, name)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('figure[data-size=experiment] .js-plotly-plot')]
        .map((plot) => [plot._fullLayout._size.l, plot._fullLayout._size.r].join())"""
    )
    assert len(sizes) > 1
    assert len(set(sizes)) == 1
    labels, above = page.evaluate(
        """(name) => { const r = rlboard.records().find((r) => r.id === name);
        return [r.data.filter((t) => t.uid.includes('_lab_')).flatMap((t) => t.text).map((text) => text.trim()), r.plot.layout.annotations.map((a) => a.text)] }""",
        name,
    )
    last = float(payload.trailing(payload.series(E1, "clip_share"))[-1])
    assert len(labels) == 2
    assert all(abs(float(label) - last) < 0.05 for label in labels), (
        "beside the plot there is room for values"
    )
    assert above == ["╌ 双重裁剪"], "the name of the further line stands above it"


def test_at_most_forty_steps_show_logged_points_only(sketch: Open) -> None:
    page = sketch("tab=2b&steps=61-100")
    assert uids(page, "cmp-entropy", "ma") == set()
    raw = [trace for trace in drawn(page, "cmp-entropy") if "_raw_" in trace["uid"]]
    assert {(trace["mode"], trace["opacity"]) for trace in raw} == {("lines+markers", 1)}
    page.evaluate("rlboard.set({range: [60, 100]})")
    settle(page)
    assert len(uids(page, "cmp-entropy", "ma")) == 4


def test_smoothed_line_leaves_the_band_to_the_logged_one(sketch: Open) -> None:
    page = sketch("tab=2b")
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
    shapes = page.eval_on_selector(plot(name), "el => el.layout.shapes.map(s => [s.x0, s.x1, s.fillcolor])")
    assert shapes == [[132.5, 140.5, "rgba(214, 150, 30, 0.18)"]]
    quiet = page.eval_on_selector(
        plot(f"run-{E3.key}-pass_rate"), "el => el.layout.shapes.map(s => s.fillcolor)"
    )
    assert quiet == ["rgba(214, 150, 30, 0.08)"]
    assert page.eval_on_selector(plot(f"run-{E1.key}-pass_rate"), "el => el.layout.shapes.length") == 0


def test_end_labels_keep_their_distance_and_marks_their_value(sketch: Open) -> None:
    page = sketch()
    tops = page.evaluate(
        """[...document.querySelectorAll('[data-chart="cmp-pass_rate"] .trace[class*="_lab_"] text')]
        .map(el => el.getBoundingClientRect().top).sort((a, b) => a - b)"""
    )
    assert len(tops) == 4
    assert min(np.diff(tops)) >= 12.9
    ends = page.eval_on_selector(
        plot("cmp-pass_rate"),
        """el => { const { meta, y } = el._fullData.find((trace) => trace.uid === 'ends_end_all');
        return Object.fromEntries(meta.keys.map((key, nth) => [key, y[nth]])) }""",
    )
    row = E3.steps == 129
    assert ends[E3.key] == pytest.approx(payload.trailing(payload.series(E3, "pass_rate"))[row][0])


def test_marks_of_runs_drawn_as_one_trace_keep_hue_and_focus(sketch: Open) -> None:
    page = sketch("tab=2b&theme=light")
    look = """(key) => { const at = (part) => document.querySelector(`[data-chart=cmp-pass_rate] .trace ${part}[data-key="${key}"]`);
        const mark = at('.point'), name = at('.textpoint'), style = getComputedStyle;
        return [style(mark).fill, style(name.querySelector('text')).fill, style(mark).opacity, style(name).opacity] }"""
    line = f'[data-chart="cmp-pass_rate"] .trace[class*="_ma_{E1.key}"] .js-line'
    hue = page.eval_on_selector(line, "el => getComputedStyle(el).stroke")
    fill, text, *_ = page.evaluate(look, E1.key)
    assert fill == hue
    assert text != page.evaluate(look, E3.key)[1]
    page.evaluate("(key) => rlboard.focus([key])", E3.key)
    assert page.evaluate(look, E1.key)[2:] == ["0.22", "0.22"]
    assert page.evaluate(look, E3.key)[2:] == ["1", "1"]


def test_hours_bars_sum_the_range(sketch: Open) -> None:
    page = sketch("tab=2b&steps=101-130")
    text = page.eval_on_selector(
        plot("cmp-hours"),
        """(el, key) => { const { meta, text } = el._fullData.find((trace) => trace.uid === 'ends_lab_all');
        return text[meta.keys.indexOf(key)] }""",
        E1.key,
    )
    minutes = round(30 * sum(payload.HOURS["E1"]) * 60)
    assert text.strip() == f"{minutes // 60} h {minutes % 60:02d} m"


def test_missing_chart_says_why(sketch: Open) -> None:
    page = sketch("tab=2b&lang=en")
    bring(page, f"run-{E2.key}-loss")
    page.get_by_text("KL is off in this run.").wait_for()


def test_hover_draws_one_line_per_chart_and_brings_a_run_forward(sketch: Open) -> None:
    page = sketch()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    where = page.eval_on_selector(
        plot("cmp-entropy"),
        """el => { const box = el.getBoundingClientRect(), s = el._fullLayout._size, f = el._fullLayout;
        const t = rlboard.records().find((r) => r.plot === el).data.find(t => t.uid.startsWith('e2_ma'));
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


def test_theme_repaints_without_a_new_figure(sketch: Open) -> None:
    page = sketch("tab=2b&theme=light")
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


def test_range_statistics_are_those_of_the_logged_points(sketch: Open) -> None:
    page = sketch("tab=2b&steps=60-110&lang=en")
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


def test_summary_for_screen_readers_names_last_values(sketch: Open) -> None:
    page = sketch("tab=2b&lang=en")
    text = page.locator('[data-chart="cmp-entropy"] > figcaption').inner_text()
    assert text.startswith("Steps 1–129. Last values: E1 0.2")


def test_new_payload_redraws_only_what_changed(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        """() => { window.redrawn = []; const react = Plotly.react;
        Plotly.react = (el, ...rest) => { redrawn.push(el.closest('figure').dataset.chart); return react(el, ...rest) };
        const next = structuredClone(rlboard.payload()); next.version = 'later';
        next.charts['cmp-entropy'].meta.value = '.3f'; rlboard.draw(next) }"""
    )
    settle(page)
    assert page.evaluate("redrawn") == ["cmp-entropy"]


def test_payload_of_another_page_is_dropped(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        "rlboard.draw(Object.assign(structuredClone(rlboard.payload()), {tab: 'overview', version: 'late'}))"
    )
    assert page.evaluate("rlboard.payload().version") == "1"


def test_resize_redraws(sketch: Open) -> None:
    page = sketch()
    page.set_viewport_size({"width": 1000, "height": 900})
    page.wait_for_function(
        "(el => el.layout.width === el.clientWidth)(document.querySelector('[data-chart=\"cmp-entropy\"] .plot'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_vertical_zoom_is_kept_until_reset(sketch: Open) -> None:
    page = sketch()
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


CROWD = """() => { const p = structuredClone(rlboard.payload()), [first] = Object.values(p.runs), chart = p.charts['cmp-entropy'];
  const lengths = [150, 130, 110, 90, 70, 50, 30, 10];
  p.runs = Object.fromEntries(lengths.map((n, i) => [`k${i}`, {...first, id: `k${i}`, label: '', short: `run_${n}_steps`, slot: i % 5 + 1, dash: Math.floor(i / 5), last: n}]));
  const data = lengths.map((n, i) => ({ type: 'scatter', mode: 'lines', uid: `e${i % 5 + 1}_raw_k${i}`, meta: { run: `k${i}`, role: 'raw' },
    x: Array.from({length: n}, (_, s) => s + 1), y: Array(n).fill(i) }));
  Object.assign(chart, { data, meta: {...chart.meta, default: 'all', zero: false, refs: [], labels: 'id'}, layout: { margin: { r: 104 } } });
  Object.assign(p, { window: null, episodes: [], notes: [], version: 'crowd' });
  rlboard.setPayload(p); }"""


def test_names_of_many_runs_stand_beside_their_own_ends(sketch: Open) -> None:
    page = sketch()
    page.evaluate(CROWD)
    settle(page)
    marks, names = page.eval_on_selector(
        plot("cmp-entropy"),
        """el => { const area = el.getBoundingClientRect(), size = el._fullLayout._size, axes = el._fullLayout;
        const ends = el._fullData.find((trace) => trace.uid === 'ends_end_all');
        const marks = Object.fromEntries(ends.meta.keys.map((key, i) => [key, [area.left + size.l + axes.xaxis.d2p(ends.x[i]), area.top + size.t + axes.yaxis.d2p(ends.y[i])]]));
        const names = [...el.querySelectorAll('.trace[class*=ends_lab_all] .textpoint')].map((one) => { const b = one.getBoundingClientRect(); return [one.dataset.key, b.left, b.right, b.top, b.bottom]; });
        return [marks, names]; }""",
    )
    assert {key for key, *_ in names} == {f"k{i}" for i in range(8)}, (
        "flat lines one above the other: all fit"
    )
    for key, left, right, top, bottom in names:
        x, y = marks[key]
        beside = max(left - x, x - right, 0) + max(top - y, y - bottom, 0)
        assert beside <= 12, f"the name of {key} stands {beside:.0f} px from its end"
    boxes = [box for _, *box in names]
    for i, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:i]:
            assert left >= other[1] or right <= other[0] or top >= other[3] - 3 or bottom <= other[2] + 3


def test_a_lower_bound_says_so_at_its_end(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        """(key) => { const p = structuredClone(rlboard.payload());
        for (const t of p.charts['cmp-pass_rate'].data) if (t.meta.run === key) t.meta.least = true;
        rlboard.setPayload(p); }""",
        E2.key,
    )
    settle(page)
    (named,) = [trace["text"] for trace in drawn(page, "cmp-pass_rate") if trace["uid"] == "ends_lab_all"]
    assert sorted("≥" in text for text in named) == [False, False, False, True]
    assert "≥ " in next(text for text in named if "E2" in text)


def test_validation_fits_its_bars_and_starts_at_zero_when_asked(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        """() => { const p = structuredClone(rlboard.payload()); p.charts['cmp-validation'].meta.zero = false; rlboard.setPayload(p); }"""
    )
    settle(page)
    low, high = axis(page, "cmp-validation", "y")
    # Wilson bounds of 4 and of 12 hits in 30: 5.3 % and 57.7 %, and 6 % of that on either side
    assert low == pytest.approx(5.3 - 0.06 * 52.4, abs=0.2)
    assert high == pytest.approx(57.7 + 0.06 * 52.4, abs=0.2)
    page.evaluate("rlboard.set({yscale: 'zero'})")
    settle(page)
    assert axis(page, "cmp-validation", "y")[0] == 0


def test_tokens_are_written_in_one_form(sketch: Open) -> None:
    page = sketch()
    said = page.evaluate("[815.4, 1104.2, 9999.4, 51779.6, 733000].map((n) => rlboard.brief(n, '~s'))")
    assert said == ["815", "1,104", "9,999", "51.8k", "733k"]
    assert page.evaluate("rlboard.brief(51779.6, '.1f')") == "51.8k"
    ticks = "(range) => rlboard.ticksY(range, 120, '~s').tickformat"
    assert page.evaluate(ticks, [750, 2100]) == ",.0f"
    assert page.evaluate(ticks, [9000, 16800]) == "~s"
    logged = "([low, high]) => rlboard.axisY({range: [Math.log10(low), Math.log10(high)]}, {tick: '~s'}, {height: 120}, true).ticktext"
    assert page.evaluate(logged, [400, 6000]) == ["500", "1,000", "2,000", "5,000"]
    assert page.evaluate(logged, [1500, 60000]) == ["2k", "5k", "10k", "20k", "50k"]


def test_the_line_of_a_chart_of_one_run_is_solid(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        "(key) => { const p = structuredClone(rlboard.payload()); p.runs[key].dash = 1; rlboard.setPayload(p); }",
        E1.key,
    )
    settle(page)
    dashes = """(name) => rlboard.records().find((r) => r.id === name).data
        .filter((t) => /_(raw|ma)_/.test(t.uid) && t.meta.run === %r && !(t.opacity < 0.3)).map((t) => t.line.dash)"""
    bring(page, f"run-{E1.key}-entropy")
    assert set(page.evaluate(dashes % E1.key, f"run-{E1.key}-entropy")) == {"solid"}
    assert set(page.evaluate(dashes % E1.key, "cmp-entropy")) == {"6px,3px"}


def test_words_on_a_chart_keep_off_curves_and_axis(sketch: Open) -> None:
    page = sketch()
    # a curve that runs along just below its reference line: the name stands above it
    name = f"run-{E1.key}-grad_norm"
    bring(page, name)
    page.evaluate(
        """(name) => { const p = structuredClone(rlboard.payload()), { data } = p.charts[name], n = 150;
        for (const t of data) { t.x = Array.from({length: n}, (_, i) => i + 1); t.y = t.x.map((x) => (x < 100 ? 0.9 : 0.1)); }
        p.episodes = [10, 40, 70, 120].map((start, i) => ({ id: `${i}`, run: data[0].meta.run, start, end: start + 3, peak: start, severity: 4 - i, metrics: ['grad_norm'] }));
        rlboard.setPayload(p); }""",
        name,
    )
    settle(page)
    traces = drawn(page, name)
    (word,) = page.evaluate(
        "(name) => rlboard.records().find((r) => r.id === name).data.filter((t) => t.uid === 'ref_lab_0').map((t) => t.textposition)",
        name,
    )
    assert word in ("top right", "bottom left", "top left")
    peaks = [trace["text"][0] for trace in traces if "_pk_" in trace["uid"]]
    assert len(peaks) == 4
    assert sum(bool(text) for text in peaks) <= 2
    gap = page.eval_on_selector(
        plot(name),
        """el => { const area = el.getBoundingClientRect(), size = el._fullLayout._size, low = area.top + size.t + size.h;
        return Math.min(...[...el.querySelectorAll('.trace[class*=_lab_] text')].map((t) => { const b = t.getBoundingClientRect(); return low - (b.top + b.bottom) / 2; })); }""",
    )
    assert gap >= 7


def test_tokens_at_the_ends_of_a_chart_are_written_alike(sketch: Open) -> None:
    page = sketch()
    page.evaluate(
        """() => { const p = structuredClone(rlboard.payload()), { data } = p.charts['cmp-response_length'];
        const level = Object.fromEntries(Object.keys(p.runs).map((key, i) => [key, 7137 + 1810 * i]));
        for (const t of data) { t.x = [1, 100]; t.y = [level[t.meta.run], level[t.meta.run]]; }
        rlboard.setPayload(p); }"""
    )
    settle(page)
    (named,) = [
        trace["text"] for trace in drawn(page, "cmp-response_length") if trace["uid"] == "ends_lab_all"
    ]
    assert sorted(text.split()[-1] for text in named) == ["10.8k", "12.6k", "7.1k", "8.9k"]
