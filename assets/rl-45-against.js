/* Every chart along steps as its difference to one run, the baseline, at the steps both have. Pure. */
(function (rl) {
  "use strict";

  /* A prepared chart minus the lines of the baseline. `source` is the chart that holds these lines: the same, or that of the baseline alone. */
  rl.against = function (chart, source, key) {
    if (chart.against && chart.against.key === key && chart.against.source === source) return chart.against.chart;
    const lines = chart.lines.map((line) => minus(line, partner(source, key, line))).filter(Boolean);
    chart.against = { key, source, chart: Object.assign({}, chart, { lines, meta: differing(chart.meta, source, chart.payload.runs[key]) }) };
    return chart.against.chart;
  };
  rl.canDiffer = ({ meta }) => !meta.pairs && (meta.kind || "steps") === "steps" && meta.size !== "mini";

  const partner = (source, key, line) =>
    source.lines.find((other) => other.key === key && other.role === line.role && other.series === line.series);

  /* A line minus another at common steps; null without any. An interval becomes that of the difference (Newcombe). */
  function minus(line, base) {
    if (!base) return null;
    const [at, of] = rl.common(line.steps, base.steps);
    if (!at.length) return null;
    const pick = (values) => Float64Array.from(at, (i) => values[i]), both = (mine, theirs, join) => Float64Array.from(at, (i, nth) => join(mine[i], theirs[of[nth]]));
    const y = both(line.y, base.y, (mine, theirs) => mine - theirs), steps = pick(line.steps);
    const trace = Object.assign({}, line.trace, { x: pick(line.trace.x), y, hovertemplate: undefined, meta: Object.assign({}, line.trace.meta, { stats: undefined }) });
    if (line.trace.customdata) trace.customdata = steps;
    const out = Object.assign({}, line, { trace, steps, y, opened: undefined });
    if (line.up) {
      Object.assign(out, { up: both(line.up, base.down, Math.hypot), down: both(line.down, base.up, Math.hypot) });
      trace.error_y = Object.assign({}, line.trace.error_y, { array: out.up, arrayminus: out.down });
    }
    if (line.trace.text) trace.text = at.map((i, nth) => (line.key === base.key ? "0" : `${line.trace.text[i]} − ${base.trace.text[of[nth]]}`));
    return out;
  }

  /* What is said of a chart changes with it: signs, a zero line in place of references, and of what it is the difference. */
  function differing(meta, source, run) {
    const signed = (spec) => (/^[+]/.test(spec || "") ? spec : `+${spec || ".3g"}`), name = rl.runName(run);
    const sampled = [meta, source.meta].some((one) => one.sampled && one.sampled.size > 1);
    const key = sampled ? "base.badge.sampled" : "base.badge.long";
    return Object.assign({}, meta, {
      value: signed(meta.value), hover: signed(meta.hover || meta.value), zero: false, log: false, difference: true, refs: [],
      badges: [{ kind: "tag", text: said("base.badge", { run: name }), title: said(key, { run: name }) }, ...(meta.badges || [])],
    });
  }
  const said = (key, values) => ["zh", "en"].map((lang) => rl.tIn(lang, key, values));
})(window.rlboard);
