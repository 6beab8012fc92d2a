/* Runs of a group as one line: their mean, and a band that says how far they lie apart. Pure. */
(function (rl) {
  "use strict";

  const ROOM = 104;      // pixels beside a plot for the name of a group and its value
  const SHORT = 10;      // characters of a name beside which a value fits there

  /* Value of a setting of a run as text: "" where its config lacks the key, null where no config is known. */
  rl.settingOf = (run, key) => (run.settings ? run.settings[key] ?? "" : null);
  rl.hasSetting = (payload, key) => Boolean(payload.settings && payload.settings.keys.includes(key));

  /* The shortest end of a key that means it alone among those of the page. */
  rl.settingName = function (payload, key) {
    const parts = key.split("."), keys = (payload.settings || { keys: [] }).keys;
    for (let n = 1; n < parts.length; n++) {
      const end = parts.slice(-n).join(".");
      if (end.length > 1 && !keys.some((other) => other !== key && (other === end || other.endsWith(`.${end}`)))) return end;
    }
    return key;
  };
  rl.settingText = (value) => (value === null ? rl.t("vary.unknown") : value === "" ? rl.t("vary.absent") : value);

  /* Values of a setting on a page: [{value, keys}], numbers in their order, then what has none. */
  rl.settingValues = function (payload, key) {
    const found = new Map();
    for (const [name, run] of Object.entries(payload.runs || {}))
      if (run.settings !== undefined) found.set(rl.settingOf(run, key), [...(found.get(rl.settingOf(run, key)) || []), name]);
    const rank = (value) => (value === null ? 2 : value === "" ? 1 : 0), numeric = [...found.keys()].filter((value) => !rank(value)).every((value) => Number.isFinite(Number(value)));
    return [...found].map(([value, keys]) => ({ value, keys }))
      .sort((a, b) => rank(a.value) - rank(b.value) || (rank(a.value) ? 0 : numeric ? a.value - b.value : 0));
  };

  /* Groups of the visible runs with at least two: [{keys, name}], without name where the first run gives it. */
  rl.groupsBy = function (payload, by, visible) {
    const found = new Map(), seed = by === "seed";
    if (!seed && !rl.hasSetting(payload, by)) return [];
    for (const [key, run] of Object.entries(payload.runs || {})) {
      const id = seed ? run.alike || null : rl.settingOf(run, by);
      if (id !== null && visible.has(key)) found.set(id, [...(found.get(id) || []), key]);
    }
    return [...found].filter(([, keys]) => keys.length > 1)
      .map(([id, keys]) => ({ keys, name: seed ? "" : `${rl.settingName(payload, by)} ${rl.settingText(id)}` }));
  };

  /* A prepared chart with one line per group; lines of other runs, and of groups without common step, as they are. */
  rl.grouped = function (chart, groups, band) {
    const looks = groups.map(({ keys }) => [chart.payload.runs[keys[0]].slot, chart.payload.runs[keys[0]].dash]);
    const id = JSON.stringify([groups, looks, band, rl.state.lang]);
    if (!chart.grouped || chart.grouped.id !== id) chart.grouped = { id, chart: made(chart, groups, band) };
    return chart.grouped.chart;
  };

  function made(chart, groups, band) {
    const done = new Map(), ends = [];
    for (const { keys, name } of groups) {
      for (const line of chart.lines) {
        if (done.has(line) || !keys.includes(line.key) || !["raw", "ma", "val"].includes(line.role)) continue;
        const members = chart.lines.filter((other) => keys.includes(other.key) && other.role === line.role && other.series === line.series);
        const one = members.length > 1 ? joined(members, name, band, chart.meta) : null;
        if (!one) continue;
        members.forEach((member, nth) => done.set(member, nth ? null : one));
        const last = Math.max(...members.map(lastStep));
        if (line.role !== "ma" && lastStep(one) + one.every <= last) ends.push(rl.t("group.end", { name: rl.runName(one.run), step: lastStep(one) }));
      }
    }
    if (!done.size) return chart;
    const lines = chart.lines.flatMap((line) => (!done.has(line) ? [line] : done.get(line) || []));
    const long = lines.some((line) => line.low && rl.runName(line.run).length > SHORT), extra = rl.merge(chart.extra, { margin: { r: ROOM } });
    const meta = Object.assign({}, chart.meta, { groups: true, badges: [badge(band, lines.filter((line) => line.low), ends), ...(chart.meta.badges || [])] });
    if (long && meta.labels === "both") meta.labels = "id";
    return Object.assign({}, chart, { lines, meta, extra, grouped: undefined, against: undefined });
  }

  function lastStep(line) {
    for (let i = line.steps.length - 1; i >= 0; i--) if (Number.isFinite(line.y[i])) return line.steps[i];
    return -Infinity;
  }

  /* Of long lines a chart holds few cells, and those at multiples of this step number of every line (derive.sampling.common). */
  const common = (bucket) => (bucket > 1 ? 2 ** Math.ceil(Math.log2(2 * bucket)) : 1);

  /* Rows of every step that any of the lines holds: [{step, x, values}]. */
  function rows(lines) {
    const at = lines.map(() => 0), out = [];
    for (;;) {
      const step = lines.reduce((least, line, nth) => (at[nth] < line.steps.length ? Math.min(least, line.steps[at[nth]]) : least), Infinity);
      if (step === Infinity) return out;
      const held = lines.map((line, nth) => (line.steps[at[nth]] === step ? at[nth]++ : -1));
      const here = held.flatMap((row, nth) => (row < 0 ? [] : [[lines[nth].trace.x[row], lines[nth].y[row]]]));
      out.push({ step, x: mean(here.map(([x]) => x)), values: here.map(([, y]) => y).filter(Number.isFinite) });
    }
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /* Values of several runs at one step → [low, high] of the band. */
  const BANDS = {
    range: (values) => [Math.min(...values), Math.max(...values)],
    sd: (values, middle) => [middle - deviation(values, middle), middle + deviation(values, middle)],
    se: (values, middle) => { const half = deviation(values, middle) / Math.sqrt(values.length); return [middle - half, middle + half]; },
  };
  /* Of a sample: the squares are divided by n − 1. */
  const deviation = (values, middle) => Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));

  /* Lines of several runs as their mean where all have a value; null where they never do. */
  function joined(lines, name, band, meta) {
    const [first] = lines, n = lines.length, every = common(Math.max(...lines.map(({ trace }) => (trace.meta || {}).bucket || 1)));
    const all = rows(lines).filter((row) => row.step % every === 0);
    const full = (row) => row.values.length === n;
    const from = all.findIndex(full), held = all.slice(from, all.length - [...all].reverse().findIndex(full));
    if (from < 0) return null;
    const middle = held.map((row) => (full(row) ? mean(row.values) : NaN));
    const edges = held.map((row, i) => (full(row) ? BANDS[band](row.values, middle[i]) : [NaN, NaN]));
    const [y, low, high, steps] = [middle, edges.map(([edge]) => edge), edges.map(([, edge]) => edge), held.map((row) => row.step)].map((values) => Float64Array.from(values));
    const run = Object.assign({}, first.run, { short: `${name || rl.runName(first.run)} ×${n}` });
    const line = Object.assign({}, first, { run, steps, y, low, high, keys: lines.map(({ key }) => key), every, opened: undefined });
    line.trace = Object.assign({}, first.trace, {
      x: Float64Array.from(held, (row) => row.x), y, text: undefined, hovertext: told(line, band, n, meta),
      hovertemplate: hover(line, meta, every > 1 || first.role === "val"), meta: Object.assign({}, first.trace.meta, { stats: undefined }),
    });
    if (first.trace.customdata) line.trace.customdata = steps;
    if (first.role === "val") {
      Object.assign(line, { up: high.map((edge, i) => edge - y[i]), down: low.map((edge, i) => y[i] - edge) });
      line.trace.error_y = Object.assign({ type: "data" }, first.trace.error_y, { array: line.up, arrayminus: line.down });
    }
    return line;
  }

  /* What the hover says beside the mean of each step. */
  function told({ y, low, high }, band, n, meta) {
    const text = (value) => rl.number(value, meta.hover || meta.value || ".6~g"), name = rl.t(`band.${band}`);
    return Array.from(y, (middle, i) => (Number.isNaN(middle) ? "" : `n ${n} · ${name} ${band === "range" ? `${text(low[i])} – ${text(high[i])}` : `±${text(high[i] - middle)}`}`));
  }

  function hover({ run, trace, role }, meta, withStep) {
    const how = rl.pick((trace.meta || {}).how), step = role === "val" || trace.customdata ? "customdata" : "x";
    return `%{y:${meta.hover || meta.value || ".6~g"}} · %{hovertext}${withStep ? ` @%{${step}}` : ""}<extra>${rl.escape([rl.runName(run), how].filter(Boolean).join(" · "))}</extra>`;
  }

  function badge(band, lines, ends) {
    const every = Math.max(...lines.map((line) => line.every)), has = (role) => lines.some((line) => line.role === role);
    const said = (key, values) => ["zh", "en"].map((lang) => rl.tIn(lang, key, values));
    const keys = [`group.${band}`, "group.all", has("ma") && "group.smooth", has("val") && "group.validation", every > 1 && "group.sampled"].filter(Boolean);
    const parts = [...keys.map((key) => said(key, { n: every })), ...(ends.length ? [said("group.ends", { ends: ends.join("; ") })] : [])];
    return { kind: "tag", text: said(`group.${band}.badge`), title: [parts.map(([zh]) => zh).join(""), parts.map(([, en]) => en).join(" ")] };
  }

  /* The band of a group as closed areas, one for each stretch without a gap. `low` and `high` hold what is in view. */
  rl.spreadTrace = function ({ run, key }, series, low, high) {
    const x = [], y = [], { length } = low.y;
    for (let from = 0; from < length; from++) {
      if (Number.isNaN(low.y[from])) continue;
      let to = from;
      while (to < length && !Number.isNaN(low.y[to])) to++;
      const there = Array.from({ length: to - from }, (_, i) => from + i), back = [...there].reverse();
      if (x.length) { x.push(null); y.push(null); }
      x.push(...there.map((i) => high.x[i]), ...back.map((i) => low.x[i]));
      y.push(...there.map((i) => high.y[i]), ...back.map((i) => low.y[i]));
      from = to;
    }
    const hue = rl.hue(run);
    return rl.trace("spread", run, key, series, { mode: "lines", x, y, line: { width: 0, color: hue }, fill: "toself", fillcolor: rl.faded(hue, 0.16), cliponaxis: true });
  };
})(window.rlboard);
