/* What is drawn beside the lines: end marks and labels, episode bands and peaks, reference lines. Pure. */
(function (rl) {
  "use strict";

  const GAP = 13;        // pixels between two end labels
  const OFF = 8;         // pixels between the middle of a label and the x axis
  const COVERED = 0.35;  // share of the name of a peak that curves may cover
  const BESIDE = 40;     // pixels such a name may reach out of the plot
  const PEAKS = 2;       // peaks that a chart of one run names
  const APART = 10;      // pixels between the names of two bands
  const CHARACTER = 6.5; // pixels of one character in the name of a band
  const LINE = 10;       // pixels from a reference line to the middle of its name
  const MARGINS = 100;   // pixels of a chart beside its plot
  const MANY = 12;       // bands that are shapes of their own
  const COLUMN = 44;     // labels closer than this in x share one column
  const AMBER = "214, 150, 30";

  rl.trace = (role, run, key, nth, rest) => Object.assign({
    type: "scatter", uid: `e${run.slot}_${role}_${key}${nth ? "_" + nth : ""}`, hoverinfo: "skip", cliponaxis: false,
    showlegend: false, meta: { run: key, role, slot: run.slot, hollow: Boolean(run.dash) },
  }, rest);

  /* 0 for the first mark of a run, 1 for its second, …: uids stay the same whoever else is shown. */
  const repeats = (ends) => ends.map((end, nth) => ends.slice(0, nth).filter((other) => other.key === end.key).length);

  /* Ends: [{run, key, x, y, name, value, faint}] → a mark on the true value of each; `endLabels` pushed clear of each other. */
  rl.endTraces = function (ends) {
    const nth = repeats(ends);
    const marks = ends.map((end, index) => rl.trace("end", end.run, end.key, nth[index], {
      x: [end.x], y: [end.y], mode: "markers",
      marker: {
        symbol: rl.symbol(end.run), size: rl.markSize(end.run), color: rl.hue(end.run), opacity: 1,
        line: { width: 1, color: end.run.dash ? rl.hue(end.run) : "#FFFFFF" },
      },
    }));
    return rl.together(marks);
  };
  rl.endLabels = (ends, scale, labels, inside = []) =>
    (labels === "none" ? [] : rl.together([...rl.labelTraces(fitting(ends, scale), scale, "middle right", (end) => endText(end, labels)), ...inside]));

  /* Ends whose names fit on top of each other: all, or from the top down those that are far enough apart. */
  function fitting(ends, scale) {
    if (ends.length * GAP <= scale.height) return ends;
    let last = -Infinity;
    return [...ends].sort((a, b) => scale.py(a.y) - scale.py(b.y)).filter((end) => {
      const fits = scale.py(end.y) - last >= GAP;
      if (fits) last = scale.py(end.y);
      return fits;
    });
  }

  /* Where words may stand: claims {left, right, y} in pixels, and says no to what would lie on an earlier claim. */
  rl.room = function () {
    const taken = [];
    return (box) => {
      const free = taken.every((other) => box.left > other.right || box.right < other.left || Math.abs(box.y - other.y) > GAP);
      if (free) taken.push(box);
      return free;
    };
  };
  /* Where the name of an end stands, unless others push it away. */
  rl.endBox = (end, scale, labels) => ({
    left: scale.px(end.x), right: scale.px(end.x) + endText(end, labels).replace(/<[^>]*>/g, "").length * CHARACTER + 8, y: scale.py(end.y),
  });

  function endText(end, labels) {
    const name = `<b>${escape(end.name)}</b>`;
    const value = end.label === undefined ? end.value : end.label;
    const text = labels === "value" ? value : labels === "id" ? name : `${name} ${value}`;
    return "\u2002" + text;
  }
  const escape = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  rl.escape = escape;

  /* Text at the side of points, at least 13 px apart where they share a column. */
  rl.labelTraces = function (ends, scale, side, text) {
    const left = ends.map((end) => scale.px(end.x)), columns = [];
    for (const index of left.map((_, i) => i).sort((a, b) => left[b] - left[a])) {
      const column = columns.find((members) => left[members[0]] - left[index] < COLUMN);
      if (column) column.push(index); else columns.push([index]);
    }
    const place = [], at = [];
    for (const column of columns) {
      const edge = (side === "middle left" ? Math.min : Math.max)(...column.map((index) => ends[index].x));
      for (const index of column) at[index] = edge;
      const spread = rl.spread(column.map((index) => scale.py(ends[index].y)), GAP, 4, scale.height - OFF);
      column.forEach((index, nth) => { place[index] = spread[nth]; });
    }
    const nth = repeats(ends);
    return ends.map((end, index) => rl.trace("lab", end.run, end.key, `${nth[index] || ""}${side === "middle left" ? "l" : ""}`, {
      x: [at[index]], y: [scale.value(place[index])], mode: "text", text: [text(end)], textposition: side,
      textfont: { size: 11, color: rl.hueText(end.run) },
    }));
  };

  /* Bands of episodes: strong where this metric moved, faint elsewhere. The heaviest are named, as far as names fit. */
  rl.bands = function (episodes, metric, view, faintToo, named) {
    const shapes = [], annotations = [], drawn = [], [first, last] = view.x, taken = [];
    const pixels = (x) => (x - first) / (last - first) * (view.width - MARGINS);
    for (const episode of [...episodes].sort((a, b) => b.severity - a.severity)) {
      const moved = episode.metrics.includes(metric);
      if (!moved && !faintToo) continue;
      const [from, to] = view.span(episode);
      if (to < first || from > last) continue;
      drawn.push(episode);
      shapes.push({
        type: "rect", layer: "below", xref: "x", yref: "paper", x0: from, x1: to, y0: 0, y1: 1,
        line: { width: 0 }, fillcolor: `rgba(${AMBER}, ${moved ? 0.18 : 0.08})`,
      });
      const text = episode.start === episode.end ? String(episode.start) : rl.rangeText([episode.start, episode.end]);
      const x = (Math.max(from, first) + Math.min(to, last)) / 2, reach = text.length * CHARACTER / 2;
      if (!moved || !named || taken.some(([at, wide]) => Math.abs(pixels(x) - at) < reach + wide + APART)) continue;
      taken.push([pixels(x), reach]);
      annotations.push(note(text, {
        x, xref: "x", y: 1, yref: "paper", yanchor: "bottom", font: { size: 10.5, color: rl.ink("rl-episode") },
      }));
    }
    return { shapes: shapes.length > MANY ? joined(shapes) : shapes, annotations, drawn };
  };

  /* Many bands as one shape per tint, which plotly draws at once; where they overlap they are no darker. */
  function joined(bands) {
    const tints = new Map();
    for (const { x0, x1, fillcolor } of bands) {
      if (Number.isFinite(x0 + x1)) tints.set(fillcolor, `${tints.get(fillcolor) || ""}M${x0.toFixed(4)},0V1H${x1.toFixed(4)}V0Z`);
    }
    return [...tints].map(([fillcolor, path]) => ({
      type: "path", layer: "below", xref: "x", yref: "paper", path, fillcolor, fillrule: "nonzero", line: { width: 0 },
    }));
  }

  const note = (text, rest) => Object.assign({ text, showarrow: false, borderpad: 0, yshift: 0 }, rest);
  rl.note = note;

  /* Steps outside the aligned window, shaded where a comparison chart shows them. */
  rl.outside = function (window, view) {
    if (!window || view.xkind !== "step") return [];
    const [first, last] = view.x, parts = [];
    if (first < window[0]) parts.push([first, window[0]]);
    if (last > window[1]) parts.push([window[1], last]);
    return parts.map(([x0, x1]) => ({
      type: "rect", layer: "below", xref: "x", yref: "paper", x0: Math.max(x0, first), x1: Math.min(x1, last), y0: 0, y1: 1,
      line: { width: 0 }, fillcolor: "rgba(95, 105, 117, 0.07)",
    }));
  };

  /* Steps where the program was started again. */
  rl.resumes = (steps, view) => steps.map((step) => view.at(step)).filter((x) => x >= view.x[0] && x <= view.x[1])
    .map((x) => ({
      type: "line", layer: "below", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1,
      line: { width: 1, dash: "1px,3px", color: rl.ink("rl-ink-3") },
    }));

  /* A dot at the peak of a band with "0.91 @136" beside it; of labels that would overlap the heaviest episode keeps its own, and none lies on other `words`.
     Of a single run few are named, the heaviest. */
  rl.peakTraces = function (peaks, scale, spec, words, { single, grid }) {
    const room = rl.room();
    let left = single ? PEAKS : Infinity;
    const claim = (box) => left > 0 && grid().share(box) <= COVERED && room(box) && left-- > 0;
    words.forEach(room);
    return [...peaks].sort((a, b) => b.severity - a.severity).map(({ run, key, x, step, y }, nth) => {
      const label = `${rl.brief(y, spec)} @${step}`, at = scale.px(x), wide = label.length * CHARACTER + 8, level = scale.py(y);
      const boxes = [at - wide, at].filter((from) => from >= 0 && from + wide <= scale.width + BESIDE)
        .map((from) => ({ left: from, right: from + wide, y: level, top: level - 5, bottom: level + 5 }));
      const box = boxes.sort((a, b) => grid().share(a) - grid().share(b)).find(claim), named = Boolean(box), rightward = named && box.left >= at;
      return rl.trace("pk", run, key, nth, {
        x: [x], y: [y], mode: named ? "markers+text" : "markers", text: [named ? (rightward ? `\u2002${label}` : `${label}\u2002`) : ""],
        textposition: rightward ? "middle right" : "middle left", textfont: { size: 10.5, color: rl.hueText(run) },
        marker: { symbol: "circle", size: 4.5, color: rl.hue(run), line: { width: 0 } },
      });
    });
  };

  /* Where the name of a reference line stands: on its side of the plot below the line, unless curves cover that place more than another. */
  function beside(ref, text, scale, grid) {
    const wide = text.length * CHARACTER * 1.3, at = scale.py(ref.value), usual = ref.side === "left", low = at < scale.height - 2 * LINE;     // Chinese is wider
    const places = [[usual, low], [usual, !low], [!usual, low], [!usual, !low]].map(([left, below]) => {
      const y = at + (below ? LINE : -LINE);
      return { left, below, box: { left: left ? 0 : scale.width - wide, right: left ? wide : scale.width, y, top: y - 6, bottom: y + 6 } };
    }).filter(({ box }) => box.top >= -4 && box.bottom <= scale.height - 2);
    const free = grid ? [...places].sort((a, b) => grid().share(a.box) - grid().share(b.box)) : places;
    return free[0] || { left: usual, below: low, box: { left: 0, right: 0, y: at } };
  }

  /* Reference lines inside the range are drawn and named; outside they are named at the edge they lie behind.
     `boxes` are where their names stand. */
  rl.references = function (refs, scale, view, spec, taken, grid) {
    const data = [], labels = [], boxes = [], edges = { up: [], down: [] }, [low, high] = scale.range;
    refs.forEach((ref, nth) => {
      const at = scale.log ? Math.log10(ref.value) : ref.value;
      const text = rl.t(ref.word, Object.assign({ n: rl.number(ref.value, spec) }, ref.values));
      if (at > high) { edges.up.push(`${text} ↑`); return; }
      if (at < low) { edges.down.push(`${text} ↓`); return; }
      const common = { type: "scatter", hoverinfo: "skip", showlegend: false, y: [ref.value, ref.value], meta: { role: "ref" } };
      data.push(Object.assign({}, common, {
        uid: `ref_line_${nth}`, x: view.x.slice(), mode: "lines",
        line: { width: 1, dash: "2px,3px", color: rl.ink("rl-ink-3") },
      }));
      const { left, below, box } = beside(ref, text, scale, grid);
      boxes.push(box);
      labels.push(Object.assign({}, common, {
        uid: `ref_lab_${nth}`, x: [left ? view.x[0] : view.x[1]], y: [ref.value], mode: "markers+text", text: [text], cliponaxis: false,
        marker: { size: 6, opacity: 0, color: rl.ink("rl-ink-3") },   // unseen: it keeps the words off the line
        textposition: `${below ? "bottom" : "top"} ${left ? "right" : "left"}`, textfont: { size: 10.5, color: rl.ink("rl-ink-3") },
      }));
    });
    const annotations = [], middle = (view.x[0] + view.x[1]) / 2;
    const left = (taken || []).some((label) => label.x > middle);      // keep clear of the names of bands
    for (const [way, y] of [["up", 1], ["down", 0]])
      if (edges[way].length) annotations.push(note(edges[way].join(" · "), {
        x: left ? 0 : 1, xref: "paper", xanchor: left ? "left" : "right", y, yref: "paper", yanchor: "bottom", font: { size: 10.5, color: rl.ink("rl-ink-3") },
      }));
    return { data, labels, annotations, boxes };
  };
})(window.rlboard);
