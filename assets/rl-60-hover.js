/* One line in every chart at the step under the pointer, and one run brought forward everywhere.
   The line is an element of its own and focus is a style rule: neither asks plotly for anything. */
(function (rl) {
  "use strict";

  const NEAR = 14;       // pixels from a line at which its run comes forward
  let pinned = null;     // step held by an open episode
  let frame = 0;

  const stepChart = (record) => record.mounted && record.inView && record.chart
    && ["steps", "stack", "pair"].includes(record.chart.meta.kind || "steps") && !elsewhere(record) && !record.plot.classList.contains("is-empty");

  /* A chart along steps on a page along hours or tokens: an x of one says nothing in the other. */
  const elsewhere = ({ chart, view }) => view && view.xkind !== (chart.payload.xkind || "step");

  function cursorOf(record) {
    if (record.cursor && record.cursor.isConnected) return record.cursor;
    const line = document.createElement("div");
    line.className = "cursor";
    line.setAttribute("aria-hidden", "true");
    line.append(document.createElement("b"));
    record.plot.append(line);
    record.cursor = line;
    return line;
  }

  /* Show the line at x (in the unit of the axis) with its tag; null hides it. */
  function show(record, x, text) {
    const { view } = record, area = record.plot._fullLayout && record.plot._fullLayout._size;
    if (!area || !view) return;
    if (x === null || x < view.x[0] || x > view.x[1]) {
      if (record.cursor) record.cursor.hidden = true;
      return;
    }
    const line = cursorOf(record), left = area.l + ((x - view.x[0]) / (view.x[1] - view.x[0] || 1)) * area.w;
    line.hidden = false;
    line.style.cssText = `top:${area.t}px;height:${area.h}px;transform:translateX(${left.toFixed(1)}px)`;
    rl.put(line.firstChild, text);
  }

  const listeners = [];
  /* Call `listener(step | null)` when another step comes under the pointer, and when none is. */
  rl.onCursor = (listener) => { listeners.push(listener); };

  /* The line in every chart at a step that something else points at; null lets it rest. */
  rl.cursorAt = function (step) {
    if (step === null) { rest(); return; }
    for (const record of rl.records()) if (stepChart(record)) show(record, record.view.at(step), String(step));
    for (const listener of listeners) listener(step);
  };

  function everywhere(x, text) {
    for (const listener of listeners) listener((rl.payload().xkind || "step") === "step" ? x : null);
    for (const record of rl.records()) if (stepChart(record)) show(record, x, text);
  }

  /* Hold the line at a step (the current step of an episode), or let it go with null. */
  rl.pinCursor = function (step) {
    pinned = step;
    rest();
  };
  rl.pinnedStep = () => pinned;

  function rest() {
    for (const listener of listeners) listener(pinned);
    for (const record of rl.records())
      if (stepChart(record)) show(record, pinned === null ? null : record.view.at(pinned), pinned === null ? "" : String(pinned));
  }
  rl.onDraw((record) => { if (pinned !== null && stepChart(record)) show(record, record.view.at(pinned), String(pinned)); else if (record.cursor) record.cursor.hidden = true; });

  function follow(record, event) {
    const area = record.plot._fullLayout && record.plot._fullLayout._size, box = record.plot.getBoundingClientRect();
    if (!area) return;
    const part = (event.clientX - box.left - area.l) / area.w, down = event.clientY - box.top - area.t;
    if (part < 0 || part > 1 || down < 0 || down > area.h) { rest(); return; }
    const { x, xkind } = record.view, value = x[0] + part * (x[1] - x[0]);
    if (xkind === "step") everywhere(Math.round(value), String(Math.round(value)));
    else everywhere(value, rl.number(value, Math.abs(value) >= 1000 ? ".1s" : ".1f"));
    rl.focus(nearest(record, value, down));
  }

  /* Keys of the run whose drawn line passes nearest to the pointer, within a few pixels. */
  function nearest(record, x, down) {
    if (record.chart.meta.pairs) return [];     // its line belongs to two runs
    let best = NEAR, key = null;
    const axis = record.plot._fullLayout.yaxis;
    for (const line of record.chart.lines) {
      if (!record.view.visible.has(line.key) || !["raw", "ma", "val"].includes(line.role)) continue;
      if (line.role === "raw" && record.view.count > 40 && record.chart.lines.some((other) => other.key === line.key && other.role === "ma")) continue;
      const at = index(line.trace.x, x);
      const away = Math.abs(axis.l2p(axis.type === "log" ? Math.log10(line.y[at]) : line.y[at]) - down);
      if (away < best) { best = away; key = line.key; }
    }
    return key ? [key] : [];
  }

  function index(xs, x) {
    let low = 0, high = xs.length - 1;
    while (low < high) { const middle = (low + high) >> 1; if (xs[middle] < x) low = middle + 1; else high = middle; }
    return low > 0 && x - xs[low - 1] < xs[low] - x ? low - 1 : low;
  }

  /* A chart whose dots point at steps themselves. */
  const byDots = (record) => Boolean(record && record.chart && record.chart.meta.kind === "phase");

  document.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const plot = event.target.closest && event.target.closest(".plot");
    const record = plot && rl.records().find((item) => item.plot === plot);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (record && stepChart(record) && !record.dragging) follow(record, event);
      else if (inside && !byDots(record)) { rest(); if (!hoverTarget(event.target)) rl.focus([]); }
      inside = Boolean(record);
    });
  });
  let inside = false;

  /* ---- focus: <body data-focus="key key"> and one style rule made for these keys ---- */

  const sheet = document.createElement("style");
  sheet.id = "rl-focus";
  document.head.append(sheet);

  rl.focus = function (keys) {
    const text = keys.join(" ");
    if ((document.body.dataset.focus || "") === text) return;
    if (!keys.length) { delete document.body.dataset.focus; sheet.textContent = ""; return; }
    document.body.dataset.focus = text;
    const others = '.trace[class*="tracee"]:not([class*="traceends_"])' + keys.map((key) => `:not([class*="_${CSS.escape(key)}"])`).join("");
    const points = ".trace [data-key]" + keys.map((key) => `:not([data-key="${CSS.escape(key)}"])`).join("");
    sheet.textContent = `${others},${points}{opacity:.22!important}${others}[class*="_raw_"][style*="opacity: 0.25"]{opacity:.06!important}`;
  };

  /* Runs a control stands for: a chip's label, a table row's run id. */
  const hoverTarget = (target) => target.closest && target.closest("[data-act=chip],[data-act=run],[data-run]");
  rl.keysFor = function (name) {
    const payload = rl.payload();
    if (!payload) return [];
    return Object.keys(payload.runs).filter((key) => key === name || payload.runs[key].id === name || payload.runs[key].label === name)
      .map((key) => rl.leaderOf(payload, key));
  };
  const lightUp = (event) => {
    const target = hoverTarget(event.target);
    if (target) rl.focus(rl.keysFor(target.dataset.run || target.dataset.value));
  };
  const letGo = (event) => { if (hoverTarget(event.target)) rl.focus([]); };
  document.addEventListener("pointerover", lightUp);
  document.addEventListener("pointerout", letGo);
  document.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) lightUp(event); });
  document.addEventListener("focusout", letGo);

  /* Runs beyond the fifth hue carry open marks: plotly draws them hollow, and the page's repainting must leave them so. */
  const looks = document.createElement("style");
  looks.id = "rl-runs";
  document.head.append(looks);
  const hollow = ({ runs }) => {
    looks.textContent = Object.keys(runs || {}).filter((key) => runs[key].dash)
      .map((key) => `.trace[class*="_${CSS.escape(key)}"] .point{fill:var(--rl-bg)!important;stroke:var(--c)!important;stroke-width:1.2px!important}`).join("");
  };
  rl.onPayload(hollow);
  rl.on((changed) => { if (changed.has("colour") && rl.payload()) hollow(rl.payload()); });
})(window.rlboard);
