/* The charts of a page: mounts a plot when its place comes into view, redraws only what changed, in short slices. */
(function (rl) {
  "use strict";

  const SLICE_MS = 40;         // longest stretch of drawing before the browser gets its turn
  const records = new Map();   // figure element → record
  let payload = null, common = "", scheduled = false;

  rl.payload = () => payload;
  rl.records = () => [...records.values()];
  rl.ready = false;
  const afterPayload = [], afterDraw = [];
  rl.onPayload = (listener) => { afterPayload.push(listener); };
  rl.onDraw = (listener) => { afterDraw.push(listener); };

  const sight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const record = records.get(entry.target.closest("figure"));
      if (!record) continue;
      record.inView = entry.isIntersecting;
      if (record.inView && (record.dirty || record.late)) schedule();
    }
  }, { rootMargin: "160px 0px" });

  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const record = records.get(target.closest("figure"));
      if (!record) continue;
      const before = record.drawn || record.unsized, { clientWidth: width, clientHeight: height } = target;
      record.room = { width, height };     // known here at no cost; asked for between two charts it lays out the page
      if (before && (width !== before.width || height !== before.height)) touch(record);
    }
  });

  /* Meet the page: new chart places are observed, gone ones are freed. Cheap, called after every change of the page. */
  rl.scan = function () {
    for (const [figure, record] of records) if (!figure.isConnected) release(figure, record);
    for (const figure of document.querySelectorAll("figure[data-chart]")) {
      const plot = figure.querySelector(".plot");
      if (!plot || records.has(figure)) continue;
      records.set(figure, { figure, plot, id: figure.dataset.chart, inView: false, dirty: true, base: null, chart: null, spec: null, text: "" });
      assign(records.get(figure));
      sight.observe(plot);
      sizes.observe(plot);
    }
    settle();
  };

  function release(figure, record) {
    sight.unobserve(record.plot);
    sizes.unobserve(record.plot);
    if (record.mounted) window.Plotly.purge(record.plot);
    records.delete(figure);
  }

  /* Give a record its part of the payload; while a part is left for later, what was there stays. */
  function assign(record) {
    const left = Boolean(payload && payload.later && record.id in payload.later);
    const spec = (payload && payload.charts && payload.charts[record.id]) || (left ? record.spec : null);
    const text = spec ? common + JSON.stringify(spec) : "";
    record.late = left;
    if (text === record.text) return;
    Object.assign(record, { spec, text, base: null, chart: null, dirty: true, fresh: true });
    if (spec && spec.meta && spec.meta.size && !record.figure.dataset.size) record.figure.dataset.size = spec.meta.size;
  }
  rl.assign = assign;

  /* Take a new payload. Charts whose part did not change are left alone. */
  rl.setPayload = function (figures) {
    payload = figures;
    common = JSON.stringify([figures.xkind, figures.steps, figures.window, figures.pair, figures.runs, figures.episodes, figures.notes]);
    for (const record of records.values()) assign(record);
    for (const listener of afterPayload) listener(figures);
    rl.scan();
    schedule();
  };

  function touch(record) {
    record.dirty = true;
    if (seen(record)) schedule();
  }
  rl.redraw = (test) => { for (const record of records.values()) if (!test || test(record)) touch(record); };
  rl.touch = touch;

  rl.on((changed) => {
    if (!["range", "exp", "win", "yscale", "ep", "lang"].some((key) => changed.has(key))) return;
    for (const record of records.values()) if (record.dirty) record.behind = (record.behind || 0) + 1;
    rl.redraw();
  });

  function schedule() {
    rl.ready = false;
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(flush);
  }

  /* On paper every chart that was drawn is seen. */
  const paper = window.matchMedia("print");
  const seen = (record) => record.inView || (paper.matches && record.mounted);
  const waits = (record) => record.dirty && seen(record) && record.text && !record.dragging && !(record.fresh && record.mounted && record.hovering);

  function flush() {
    scheduled = false;
    if (!window.Plotly) { setTimeout(schedule, 30); return; }
    const begin = performance.now();
    const queue = [...records.values()].filter(waits).sort(byTurn);
    const first = ![...records.values()].some((record) => record.mounted);      // the first chart is seen while others are made
    for (const record of queue) {
      draw(record);
      if (performance.now() - begin > SLICE_MS || (first && record.mounted)) break;
    }
    if ([...records.values()].some(waits)) { scheduled = true; setTimeout(flush, 0); } else settle();
  }

  /* The chart that missed most changes first, so that a long gesture starves none; else in reading order. */
  const byTurn = (a, b) => (b.behind || 0) - (a.behind || 0) || byPlace(a, b);
  const byPlace = (a, b) => (a.figure.compareDocumentPosition(b.figure) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

  rl.rest = settle;
  function settle() {
    const drawn = Boolean(payload) && !scheduled && ![...records.values()].some(waits);
    if (drawn) rl.survey();
    rl.ready = drawn && !rl.asking();
    if (rl.ready) document.body.dataset.drawn = String([...records.values()].filter((record) => record.mounted).length);
    else delete document.body.dataset.drawn;
  }

  function draw(record) {
    const { plot, figure, spec } = record;
    record.dirty = record.fresh = false;
    record.behind = 0;
    if (spec.empty) { showEmpty(record); return; }
    if (figure.dataset.size === undefined) figure.dataset.size = spec.meta.size;
    record.chart = rl.chartInView(record);
    const size = record.room || { width: plot.clientWidth, height: plot.clientHeight };
    if (!size.width || !size.height) { record.unsized = size; return; }     // folded away: drawn when it gets room
    const view = Object.assign(rl.viewOf(record.chart, size, rl.state), { userY: record.userY, vertical: Boolean(record.vertical), wholeY: Boolean(record.wholeY) });
    const composed = rl.compose(record.chart, view), { data, layout, ends, bands, clip } = composed;
    const parts = rl.parted(data, record.hovering), entered = record.hovering && record.painted && record.painted.size;
    if (!record.mounted) plot.replaceChildren();
    record.mounted ? window.Plotly.react(plot, parts.drawn, layout, rl.config())
      : window.Plotly.newPlot(plot, parts.drawn, layout, rl.config());
    rl.paint(record, parts.painted, layout);
    rl.tellRuns(plot);
    if (entered) rl.tellValues(record);
    if (!record.mounted) listen(record);
    Object.assign(record, { mounted: true, drawn: size, view, data, ends, bands, clip });
    figure.dataset.drawn = rl.state.lang;
    figure.dataset.range = rl.rangeText(view.range, "-");
    blank(record, composed.blank);
    for (const listener of afterDraw) listener(record);
  }

  /* A place whose numbers are not there: what is missing, and why. */
  function showEmpty(record) {
    if (record.mounted) window.Plotly.purge(record.plot);
    record.mounted = false;
    record.plot.replaceChildren(note(record.spec.empty.title, record.spec.empty.why));
    record.plot.classList.add("is-empty");
    record.figure.dataset.drawn = rl.state.lang;
  }

  function note(title, why) {
    const box = document.createElement("div"), strong = document.createElement("b"), text = document.createElement("span");
    box.className = "empty";
    strong.textContent = rl.pick(title);
    text.textContent = rl.pick(why);
    box.append(strong, text);
    return box;
  }

  /* No line in view: say so in place of an empty axis. */
  function blank(record, key) {
    record.plot.querySelector(":scope > .empty")?.remove();
    record.plot.classList.toggle("is-empty", Boolean(key));
    if (key) record.plot.append(note(rl.t(key), rl.t(`${key}.why`, { range: rl.rangeText(record.view.range) })));
  }

  /* ---- gestures on one chart ---- */

  function listen(record) {
    const { plot } = record;
    plot.on("plotly_relayout", (event) => {
      const range = rl.relayoutRange(event), tall = [event["yaxis.range[0]"], event["yaxis.range[1]"]];
      if (record.vertical && tall.every(Number.isFinite)) { record.userY = tall; touch(record); }
      if (range === "auto") rl.resetRange();
      else if (range) zoom(record, range);
    });
    plot.on("plotly_clickannotation", ({ annotation }) => { rl.openFlag(annotation.name); });
    plot.on("plotly_doubleclick", () => { rl.resetRange(); });
    if (record.bound) return;
    record.bound = true;
    plot.addEventListener("pointerdown", () => { record.dragging = true; });
    plot.addEventListener("pointerenter", () => { record.hovering = true; if (record.painted.size) touch(record); });
    plot.addEventListener("pointermove", (event) => { record.pointer = event; });
    plot.addEventListener("pointerleave", () => { record.hovering = false; if (record.dirty) schedule(); });
  }

  function zoom(record, range) {
    const steps = rl.stepsOf(record.chart, record.view, range);
    touch(record);             // even when the steps stay the same, plotly's own half-step range must go
    if (steps) rl.set({ range: steps });
  }

  for (const name of ["pointerup", "pointercancel"])
    window.addEventListener(name, () => {
      for (const record of records.values()) {
        if (!record.dragging) continue;
        record.dragging = false;
        if (record.dirty) schedule();
      }
    }, true);

  rl.resetRange = () => { rl.freeY(); rl.set({ range: null }); };
  /* Every y axis fits what is in view again. */
  rl.freeY = () => { for (const record of records.values()) { record.userY = null; record.vertical = false; touch(record); } };
  rl.toggleVertical = function (plot) {
    const record = records.get(plot.closest("figure"));
    record.vertical = !record.vertical;
    if (!record.vertical) record.userY = null;
    touch(record);
  };

  /* The chart as a PNG on white, with its title in the picture. */
  rl.savePicture = function (plot) {
    const record = records.get(plot.closest("figure")), title = record.figure.querySelector("h3");
    const unit = record.figure.querySelector(".u"), shown = (el) => (el ? el.innerText.trim() : "");
    const layout = rl.merge(plot.layout, {
      paper_bgcolor: "#FFFFFF", plot_bgcolor: "#FFFFFF", height: plot.layout.height + 28, margin: { t: plot.layout.margin.t + 28 },
      title: { text: `<b>${rl.escape(shown(title))}</b> ${rl.escape(shown(unit))}`, x: 0, xref: "container", y: 1, yref: "container", yanchor: "top", pad: { t: 8, l: 8 }, font: { size: 13, color: rl.ink("rl-ink") } },
    });
    return window.Plotly.downloadImage({ data: record.data, layout }, {
      format: "png", scale: 2, width: layout.width, height: layout.height, filename: `${record.id}_${figureRange(record)}`,
    });
  };
  const figureRange = (record) => record.figure.dataset.range || "all";
})(window.rlboard);
