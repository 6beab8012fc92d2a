/* What one chart is asked to show: its step range, runs, episodes and x axis, from the state and the payload. Pure. */
(function (rl) {
  "use strict";

  const SHORT = 3;      // a run is short when the page has so many times its steps

  /* Keys of the runs a selection shows. A label that matches nothing shows nothing, never everything. */
  rl.visibleRuns = function (payload, exp) {
    const keys = Object.keys(payload.runs || {});
    return new Set(exp === null ? keys
      : keys.filter((key) => exp.includes(payload.runs[key].id) || exp.includes(payload.runs[key].label)));
  };

  /* Key of the run with steps that a name means on a page: its id, else its label; undefined when none. */
  rl.runNamed = function ({ runs }, name) {
    const keys = Object.keys(runs || {}).filter((key) => runs[key].last !== null);
    return keys.find((key) => runs[key].id === name) || keys.find((key) => runs[key].label === name);
  };
  /* What a link calls a run: its label, or its id where several have that label or it has none. */
  rl.linkName = ({ runs }, run) => (run.label && Object.values(runs).filter((other) => other.label === run.label && other.last !== null).length === 1 ? run.label : run.id);

  /* Step range in force for a chart: the shared one, else the aligned window of comparison charts, else all steps. */
  rl.rangeOf = function (meta, payload, state) {
    if (state.range) return state.range;
    if (meta.default === "window" && payload.window && state.win !== "all") return payload.window;
    return ownSteps(meta, payload) || payload.steps || [1, 1];
  };

  /* Where runs have nothing to do with each other, charts of a run that is short among them show its own steps. */
  function ownSteps(meta, { unrelated, runs, steps }) {
    const run = unrelated && meta.run && runs[meta.run];
    if (!run || run.last === null || !steps) return null;
    return (run.last - run.first + 1) * SHORT <= steps[1] - steps[0] + 1 ? [run.first, run.last] : null;
  }

  /* While no range is chosen, a pair is drawn at the steps both have. */
  function commonSteps(chart, range, state) {
    const found = chart.meta.pairs && !state.range && rl.differenceOf(chart, rl.pairOf(chart.payload, state.pair));
    if (!found) return range;
    const first = Math.max(found.steps[0], range[0]), last = Math.min(found.steps[found.steps.length - 1], range[1]);
    return first <= last ? [first, last] : range;
  }

  /* The episode of an id: a detected one, or "run:first-last", steps a user chose; null when its run is not here. */
  rl.episodeOf = function (payload, id) {
    const found = payload && id !== null && (payload.episodes || []).find((episode) => episode.id === id);
    if (found) return found;
    const named = /^(.+):(\d+)(?:-(\d+))?$/.exec(id || "");
    const run = named && payload && Object.keys(payload.runs || {}).find((key) => payload.runs[key].id === named[1]);
    if (!run) return null;
    const [start, end] = rl.parseRange(`${named[2]}-${named[3] || named[2]}`);
    return { id, run, start, end, peak: start, severity: 0, metrics: [], chosen: true };
  };

  rl.viewOf = function (chart, size, state) {
    const { meta, payload } = chart, range = commonSteps(chart, rl.rangeOf(meta, payload, state), state), xkind = meta.along || payload.xkind || "step";
    const visible = meta.pairs ? new Set(rl.pairOf(payload, state.pair)) : rl.visibleRuns(payload, state.exp), inEpisode = meta.size === "episode";
    const drawn = new Set(chart.lines.flatMap((line) => line.keys || [line.key])), open = inEpisode ? rl.episodeOf(payload, state.ep) : null;
    const named = open ? [open] : payload.episodes || [];
    const view = {
      width: size.width, height: size.height, range, xkind, visible, full: state.range === null,
      count: range[1] - range[0] + 1,
      episodes: named.filter((episode) => drawn.has(episode.run)), focus: open ? open.run : null,
      shows: (line) => state.exp === null || visible.has(line.key) || state.exp.includes((line.trace.meta || {}).label),
    };
    const lines = chart.lines.filter((line) => visible.has(line.key) && line.steps);
    view.at = (step, key) => position(lines, step, key, xkind);
    view.span = (episode) => (xkind === "step" ? [episode.start - 0.5, episode.end + 0.5]
      : [view.at(episode.start, episode.run), view.at(episode.end, episode.run)]);
    view.x = xkind === "step" ? widen(range) : hull(lines, range);
    return view;
  };

  const widen = ([first, last]) => (first === last ? [first - 0.5, last + 0.5] : [first, last]);

  /* x of a step, on the line of one run when `key` is given. */
  function position(lines, step, key, xkind) {
    if (xkind === "step") return step;
    const line = lines.find((item) => !key || item.key === key);
    if (!line || !line.steps.length) return NaN;
    const [at] = rl.span(line.steps, step, step);
    return line.trace.x[Math.min(at, line.steps.length - 1)];
  }

  /* x range that holds the given steps of every line. */
  function hull(lines, [first, last]) {
    let low = Infinity, high = -Infinity;
    for (const { steps, trace } of lines) {
      const [from, to] = rl.span(steps, first, last);
      if (from === to) continue;
      low = Math.min(low, trace.x[from]);
      high = Math.max(high, trace.x[to - 1]);
    }
    return low < high ? [low, high] : Number.isFinite(low) ? [low * 0.99 - 1e-9, low * 1.01 + 1e-9] : [0, 1];
  }

  /* A dragged x range → steps: rounded inwards along steps, else the hull of what each visible run logged inside. */
  rl.stepsOf = function (chart, view, [from, to]) {
    if (view.xkind === "step") {
      const first = Math.ceil(from - 0.25), last = Math.floor(to + 0.25);
      return last > first ? [first, last] : null;
    }
    let first = Infinity, last = -Infinity;
    for (const { steps, trace, key } of chart.lines) {
      if (!view.visible.has(key)) continue;
      for (let i = 0; i < steps.length; i++) if (trace.x[i] >= from && trace.x[i] <= to) {
        first = Math.min(first, steps[i]);
        last = Math.max(last, steps[i]);
      }
    }
    return last > first ? [first, last] : null;
  };

  /* plotly's relayout event → [from, to], "auto", or null for anything that is no x range. */
  rl.relayoutRange = function (event) {
    if (event["xaxis.autorange"] === true) return "auto";
    const pair = event["xaxis.range"] || [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    const range = [Number(pair[0]), Number(pair[1])];
    return pair[0] !== undefined && range.every(Number.isFinite) ? range : null;
  };
})(window.rlboard);
