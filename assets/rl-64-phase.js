/* One quantity of a page against another, a point per step: drawn from the lines its charts hold, so it follows whatever
   they follow. Early steps are faint, late ones strong; of a single run the colour tells the step. */
(function (rl) {
  "use strict";

  const PREFIX = "cmp-", FIRST = ["entropy", "pass_rate"];
  const MOST = 3000;       // points of a chart; beyond it every second, third, … step
  const COURSE = [[0, "#4C83C4"], [0.5, "#A877A8"], [1, "#E39A2D"]];      // reads on white and on black
  const COVERED = 0.35;    // share of a name that points may cover; those of its own run count half
  const MARGIN = { l: 56, r: 64, t: 14, b: 40 }, BAR = 84;

  const ofPhase = (record) => Boolean(record.spec && record.spec.meta && record.spec.meta.kind === "phase");

  /* Charts of the page that can be an axis: name → chart, in the order of the page. */
  function axes(payload) {
    const found = new Map();
    for (const [id, spec] of Object.entries(payload.charts || {}))
      if (id.startsWith(PREFIX) && spec.meta && spec.meta.title && (spec.meta.kind || "steps") === "steps") found.set(id.slice(PREFIX.length), spec);
    return found;
  }

  /* The two names in force: those asked for where the page has them, else the usual pair. */
  rl.phaseOf = function (payload, asked) {
    const names = [...axes(payload).keys()], usual = FIRST.filter((name) => names.includes(name));
    const [x, y] = (asked || []).map((name) => (names.includes(name) ? name : null));
    const first = x || usual[0] || names[0], rest = names.filter((name) => name !== first);
    return [first, y || (usual[1] && usual[1] !== first ? usual[1] : rest[0])];
  };

  /* ---- points ---- */

  const decoded = new WeakMap();
  function linesOf(name, payload) {
    const place = rl.records().find((record) => record.id === PREFIX + name && record.spec && !record.spec.empty);
    if (place) return rl.chartNow(place).lines;
    const spec = payload.charts[PREFIX + name];
    if (!decoded.has(spec)) decoded.set(spec, rl.prepare(spec, payload));
    return decoded.get(spec).lines;
  }

  /* Values of one run in two charts at the steps both hold, inside the range: {step, x, y}. */
  function joined(key, [xs, ys], [first, last]) {
    const [one, other] = [xs, ys].map((lines) => lines.find((line) => line.key === key && ["raw", "val"].includes(line.role) && !line.series));
    const out = { step: [], x: [], y: [] };
    if (!one || !other) return out;
    const [rows, others] = rl.common(one.steps, other.steps);
    rows.forEach((row, nth) => {
      const step = one.steps[row], x = one.y[row], y = other.y[others[nth]];
      if (step < first || step > last || !Number.isFinite(x) || !Number.isFinite(y)) return;
      out.step.push(step);
      out.x.push(x);
      out.y.push(y);
    });
    return out;
  }

  const thinned = (points, every) => (every < 2 ? points
    : Object.fromEntries(Object.entries(points).map(([name, values]) => [name, values.filter((_, i) => i % every === 0 || i === values.length - 1)])));

  /* ---- drawing ---- */

  rl.kinds.phase = function (chart, view) {
    const { payload } = chart, names = rl.phaseOf(payload, rl.state.phase), specs = names.map((name) => axes(payload).get(name));
    const layout = rl.layout("comparison", { margin: MARGIN }, view.width, view.height);
    Object.assign(layout, { hovermode: "closest", dragmode: false });
    if (!specs.every(Boolean)) return { data: [], layout, ends: [], blank: "empty.phase" };
    const sides = names.map((name) => linesOf(name, payload));
    const all = Object.keys(payload.runs).filter((key) => view.visible.has(key)).map((key) => ({ key, run: payload.runs[key], points: joined(key, sides, view.range) })).filter(({ points }) => points.step.length);
    const every = Math.ceil(all.reduce((sum, { points }) => sum + points.step.length, 0) / MOST), single = all.length === 1;
    if (single) layout.margin.r = BAR;
    const found = all.map((one) => Object.assign(one, { points: thinned(one.points, every) }));
    const area = rl.area(layout), [x, y] = ["x", "y"].map((side) => fitted(found, side));
    const at = { x: x.range, xkind: "free" }, scale = rl.scaleOf(y.range, at, area, false);
    Object.assign(layout.xaxis, { range: x.range, fixedrange: true, nticks: Math.max(3, Math.floor(area.width / 64)), title: { text: label(specs[0]), standoff: 6, font: { size: 11 } } });
    Object.assign(layout.yaxis, { range: y.range, fixedrange: true, nticks: 6, title: { text: label(specs[1]), standoff: 4, font: { size: 11 } } });
    const [formX, formY] = specs.map((spec) => spec.meta.hover || spec.meta.value);
    const ends = found.map(({ key, run, points }) => {
      const last = points.step.length - 1;
      return { run, key, x: points.x[last], step: points.step[last], y: points.y[last], name: rl.runName(run), value: `${rl.number(points.x[last], specs[0].meta.value)}, ${rl.number(points.y[last], specs[1].meta.value)}` };
    });
    chart.phase = { found, sampled: sides.flat().some((line) => (line.trace.meta || {}).bucket > 1), every };
    chart.meta.badges = remarks(chart.phase, specs);
    return {
      data: [...found.map(path), ...found.map((one) => dots(one, single, view.range, formX, formY)), ...rl.endTraces(ends), ...rl.together(named(ends, found, scale, layout))],
      layout, ends, blank: !view.visible.size ? "empty.hidden" : found.length ? null : "empty.phase",
    };
  };

  /* Names beside the last points; one that would stand in the cloud of another run is left out. */
  function named(ends, found, scale, layout) {
    const grid = rl.covered(found.map(({ key, points }) => ({ x: points.x, y: points.y, meta: { run: key } })), scale, false);
    return rl.namesInside(ends, scale, { claim: rl.room(), grid, right: scale.width + layout.margin.r, most: COVERED });
  }

  const fitted = (found, side) => rl.fitY(rl.extent(found.map(({ points }) => ({ steps: points.step, y: points[side] })), -Infinity, Infinity), { pad: 0.06 });
  const label = (spec) => rl.escape([rl.pick(spec.meta.title), rl.pick(spec.meta.of)].filter(Boolean).join(" · "));

  const path = ({ key, run, points }) => rl.trace("raw", run, key, "p", {
    x: points.x, y: points.y, mode: "lines", line: { width: 1, color: rl.hue(run) }, opacity: 0.25, cliponaxis: true,
  });

  function dots({ key, run, points }, single, [first, last], formX, formY) {
    const share = points.step.map((step) => (step - first) / (last - first || 1));
    const marker = single
      ? { size: 6, color: points.step, cmin: first, cmax: last, colorscale: COURSE, line: { width: 0 }, colorbar: { thickness: 8, len: 0.9, outlinewidth: 0, title: { text: rl.t("phase.step"), font: { size: 11 } }, tickfont: { size: 10.5, color: rl.ink("rl-ink-3") } } }
      : { symbol: rl.symbol(run), size: 5, color: rl.hue(run), opacity: share.map((part) => 0.15 + 0.85 * part), line: { width: 0 } };
    return rl.trace("dot", run, key, 0, Object.assign({
      x: points.x, y: points.y, customdata: points.step, mode: "markers", marker, cliponaxis: false, hoverinfo: undefined, name: rl.runName(run),
      hovertemplate: `<b>%{fullData.name}</b> ${rl.escape(rl.t("phase.step"))} %{customdata}<br>%{x:${formX}} · %{y:${formY}}<extra></extra>`,
    }, single ? { uid: `phase_${key}` } : {}));
  }

  function remarks({ sampled, every }, specs) {
    const said = (key, values) => ["zh", "en"].map((lang) => rl.tIn(lang, key, values)), out = [];
    if (every > 1) out.push({ kind: "tag", text: said("phase.every", { n: every }), title: said("phase.every.long", { n: every }) });
    if (sampled) out.push({ kind: "tag", text: said("phase.sampled"), title: said("phase.sampled.long") });
    const seen = new Set();
    for (const badge of specs.flatMap((spec) => spec.meta.badges || [])) {
      const text = JSON.stringify(badge);
      if (badge.kind === "caveat" && !seen.has(text)) out.push(badge);
      seen.add(text);
    }
    return out;
  }

  /* ---- the step under the pointer, there and here ---- */

  function rings(record, step) {
    for (const ring of record.plot.querySelectorAll(":scope > .ring")) ring.remove();
    const full = record.plot._fullLayout;
    if (step === null || !record.mounted || !full || !record.chart.phase) return;
    for (const { run, points } of record.chart.phase.found) {
      const at = points.step.indexOf(step);
      if (at < 0) continue;
      const ring = document.createElement("i");
      ring.className = `ring e${run.slot}`;
      ring.setAttribute("aria-hidden", "true");
      ring.style.cssText = `left:${(full._size.l + full.xaxis.l2p(points.x[at])).toFixed(1)}px;top:${(full._size.t + full.yaxis.l2p(points.y[at])).toFixed(1)}px`;
      record.plot.append(ring);
    }
  }
  rl.onCursor((step) => { for (const record of rl.records()) if (ofPhase(record)) rings(record, step); });

  rl.onDraw((record) => {
    if (!ofPhase(record)) return;
    sync();
    if (record.listens === record.plot._ev) return;
    record.listens = record.plot._ev;
    record.plot.on("plotly_hover", ({ points }) => { if (points[0].customdata !== undefined) rl.cursorAt(points[0].customdata); });
    record.plot.on("plotly_unhover", () => rl.cursorAt(null));
    record.plot.on("plotly_click", ({ points }) => { if (points[0].customdata !== undefined) rl.pinCursor(points[0].customdata); });
  });

  /* ---- the choice of the axes ---- */

  const SIDES = ["phase-x", "phase-y"];
  const list = (side) => document.querySelector(`select[data-act=${side}]`);

  function sync() {
    const payload = rl.payload();
    if (!payload || !list(SIDES[0])) return;
    const names = [...axes(payload)].map(([name, spec]) => [name, rl.pick(spec.meta.title)]), text = JSON.stringify(names), now = rl.phaseOf(payload, rl.state.phase);
    SIDES.forEach((side, nth) => {
      const select = list(side);
      if (select.dataset.holds !== text) select.replaceChildren(...names.map(([name, title]) => new Option(title, name)));
      select.dataset.holds = text;
      if (now[nth] !== undefined && select.value !== now[nth]) select.value = now[nth];
    });
  }

  const choose = (names) => rl.set({ phase: names });
  document.addEventListener("change", (event) => { if (SIDES.includes(event.target.dataset && event.target.dataset.act)) choose(SIDES.map((side) => list(side).value)); });
  document.addEventListener("click", (event) => {
    if (event.target.closest && event.target.closest("[data-act=phase-swap]")) choose(SIDES.map((side) => list(side).value).reverse());
  });
  rl.on((changed) => { if (changed.has("phase") || changed.has("lang")) { sync(); rl.redraw(ofPhase); } });
  rl.onPayload(() => { sync(); rl.redraw(ofPhase); });
})(window.rlboard);
