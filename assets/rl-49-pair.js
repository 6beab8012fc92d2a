/* One run subtracted from another at the steps both have, with the mean of the range and its 95 % interval.
   The statistics are those of `data_loaders/derive/statistics.py`: noise is learnt from the whole series. Pure. */
(function (rl) {
  "use strict";

  const HALF_WIDTH = 1.959964, POWER = 0.841621;     // normal quantiles of 95 % two-sided and of four cases in five
  const REACH = 10, LAGS = 3, ENOUGH = 12;

  /* Noise of a series about its slow mean: {variance, rho}; variance NaN when it is too short to tell. */
  rl.noiseOf = function (y) {
    const n = y.length;
    if (n < ENOUGH) return { variance: NaN, rho: [0, 0, 0] };
    const residual = Array.from(y, (value, i) => {
      const low = Math.max(i - REACH, 0), high = Math.min(i + REACH + 1, n);
      let sum = 0;
      for (let j = low; j < high; j++) sum += y[j] - value;
      return -sum / (high - low) / Math.sqrt(1 - 1 / (high - low));
    });
    const dot = (lag) => { let sum = 0; for (let i = lag; i < n; i++) sum += residual[i - lag] * residual[i]; return sum; };
    const energy = dot(0);
    const rho = Array.from({ length: LAGS }, (_, nth) => {
      const found = (energy ? dot(nth + 1) / energy : 0) + 1 / (2 * REACH + 1);
      return found > 2 / Math.sqrt(n) ? found : 0;
    });
    return { variance: energy / n, rho };
  };

  /* Mean over the steps first…last: {value, half, points, effective}, or null without a point there. */
  rl.meanOver = function (steps, y, first, last, noise) {
    const [from, to] = rl.span(steps, first, last), points = to - from;
    if (!points) return null;
    let sum = 0;
    for (let i = from; i < to; i++) sum += y[i];
    const inflation = 1 + 2 * noise.rho.reduce((total, rho, nth) => total + Math.max(1 - (nth + 1) / points, 0) * rho, 0);
    return { value: sum / points, half: HALF_WIDTH * Math.sqrt((noise.variance / points) * inflation), points, effective: points / inflation };
  };
  rl.detectable = (half) => half * (1 + POWER / HALF_WIDTH);

  const pairCharts = (payload) => Object.values(payload.charts || {}).filter((spec) => spec.meta && spec.meta.pairs);
  /* Runs that a chart of pairs has a line of. */
  const inPairs = (payload) => new Set(pairCharts(payload).slice(0, 1)
    .flatMap((spec) => (spec.data || []).map((trace) => trace.meta && trace.meta.run)));

  /* Keys of the two runs that are compared: those asked for, else those of the headline, else those with the most steps in common, else the first two that have steps, if possible of a quantity, and no lower bounds. */
  rl.pairOf = function (payload, pair) {
    const keys = Object.keys(payload.runs || {}).filter((key) => payload.runs[key].last !== null);
    const asked = (pair || []).map((name) => rl.runNamed(payload, name));
    if (asked.length === 2 && asked.every(Boolean)) return asked;
    const [first] = pairCharts(payload), usual = [payload.pair, first && first.meta.longest].find((two) => two && two.every((key) => keys.includes(key)));
    if (usual) return usual;
    const drawn = inPairs(payload), bounds = new Set(pairCharts(payload).flatMap(({ meta }) => meta.bounds || []));
    return keys.map((key) => [(drawn.has(key) ? 0 : 2) + (bounds.has(key) ? 1 : 0), key]).sort(([a], [b]) => a - b).slice(0, 2).map(([, key]) => key);
  };

  /* What the config of two runs says against the same prompts at the same step: {known, why: [[id, one, other]]}. */
  rl.obstacles = function (order, [one, other]) {
    const mine = order[one], theirs = order[other];
    if (!mine || !theirs) return { known: false, why: [] };
    return { known: true, why: Object.keys(mine).filter((id) => mine[id] !== theirs[id]).map((id) => [id, mine[id], theirs[id]]) };
  };

  /* Differences of a chart's pair at common steps, computed once per pair; null without any. */
  rl.differenceOf = function (chart, keys) {
    const id = keys.join();
    if (chart.difference && chart.difference.id === id) return chart.difference.found;
    const [one, other] = keys.map((key) => chart.lines.find((line) => line.key === key));
    chart.difference = { id, found: one && other && one !== other ? subtracted(one, other) : null };
    return chart.difference.found;
  };

  function subtracted(one, other) {
    const [mine, theirs] = rl.common(one.steps, other.steps);
    const steps = mine.map((row) => one.steps[row]), y = mine.map((row, nth) => one.y[row] - other.y[theirs[nth]]);
    return steps.length ? { one, other, steps, y, noise: rl.noiseOf(y) } : null;
  }

  /* Mean of the range: paired where the runs saw the same prompts, else that of two independent runs. */
  rl.pairMean = function (chart, keys, [first, last]) {
    const found = rl.differenceOf(chart, keys), { known, why } = rl.obstacles(chart.meta.order, keys);
    const mean = found && rl.meanOver(found.steps, found.y, first, last, found.noise);
    if (!mean || (known && !why.length)) return mean;
    const parts = [found.one, found.other].map((line) => rl.meanOver(line.steps, line.y, first, last, rl.noiseOf(line.y)));
    const half = Math.hypot(parts[0].half, parts[1].half);
    return Object.assign(mean, { half, effective: Math.min(parts[0].effective, parts[1].effective), unpaired: true });
  };

  /* Means of both halves of the range, [early, late], where they lie further apart than noise; null for a steady difference. */
  rl.pairMoves = function (chart, keys, [first, last]) {
    const found = rl.differenceOf(chart, keys), middle = Math.floor((first + last) / 2);
    const [early, late] = [[first, middle], [middle + 1, last]].map(([from, to]) => found && rl.meanOver(found.steps, found.y, from, to, found.noise));
    if (!early || !late || !(Math.abs(late.value - early.value) > Math.hypot(early.half, late.half))) return null;
    return [early, late];
  };

  const LINE = 40;     // at most this many steps: points are marked
  const LABEL = 92;    // pixels for a mean with its interval

  rl.kinds.pair = function (chart, view) {
    const { meta, extra, payload } = chart, keys = rl.pairOf(payload, rl.state.pair), found = rl.differenceOf(chart, keys);
    const layout = rl.layout(meta.size, extra, view.width, view.height), mode = rl.state.yscale;
    layout.margin.r = Math.max(layout.margin.r, LABEL);
    const area = rl.area(layout);
    const runs = keys.map((key) => payload.runs[key]), mean = found && rl.pairMean(chart, keys, view.range);
    const fitted = rl.fitY(rl.extent(found ? [{ steps: found.steps, y: found.y }] : [], view.range[0], view.range[1]), {
      pad: 0.06, robust: mode === "robust", include: [0],
    });
    if (view.userY) fitted.range = view.userY;
    const scale = rl.scaleOf(fitted.range, view, area, false);
    const bands = rl.bands(view.episodes.filter((episode) => keys.includes(episode.run)), meta.metric, view, true, true);
    Object.assign(layout.xaxis, rl.axisX(view, area), { fixedrange: view.vertical });
    Object.assign(layout.yaxis, rl.axisY(fitted, meta, area, false), { fixedrange: !view.vertical, zeroline: true });
    layout.shapes = [...bands.shapes, ...rl.outside(payload.window, view), ...(mean ? interval(mean, view) : [])];
    layout.annotations = bands.annotations;
    const ends = mean ? [{
      run: runs[0], key: keys[0], x: view.x[1], y: mean.value, name: runs.map(rl.runName).join(" − "),
      value: rl.number(mean.value, meta.value) + (Number.isFinite(mean.half) ? ` ±${rl.number(mean.half, meta.value.replace("+", ""))}` : ""),
    }] : [];
    return {
      data: [...(found ? drawn(found, runs[0], keys[0], view, meta) : []), ...(mean ? [meanLine(mean, view)] : []),
        ...rl.labelTraces(ends, scale, "middle right", (end) => `\u2002${end.value}`)],
      layout, ends, bands: bands.drawn, blank: !found ? "empty.pair" : fitted.blank ? "empty.range" : null,
    };
  };

  const drawn = (found, run, key, view, meta) => [rl.trace("raw", run, key, 0, {
    x: found.steps, y: found.y, mode: view.count <= LINE ? "lines+markers" : "lines", line: { width: 1.25, color: rl.hue(run) },
    marker: { symbol: rl.symbol(run), size: 5, color: rl.hue(run) }, cliponaxis: true, hoverinfo: undefined,
    hovertemplate: `%{y:${meta.value}}<extra></extra>`,
  })];

  const meanLine = (mean, view) => ({
    type: "scatter", uid: "ref_line_mean", hoverinfo: "skip", showlegend: false, meta: { role: "ref" }, mode: "lines",
    x: view.x.slice(), y: [mean.value, mean.value], line: { width: 1.5, dash: "4px,3px", color: rl.ink("rl-ink-3") },
  });

  const interval = (mean, view) => (Number.isFinite(mean.half) ? [{
    type: "rect", layer: "below", xref: "x", yref: "y", x0: view.x[0], x1: view.x[1], y0: mean.value - mean.half, y1: mean.value + mean.half,
    line: { width: 0 }, fillcolor: "rgba(95, 105, 117, 0.16)",
  }] : []);
})(window.rlboard);
