/* Addresses of CSV files: what a chart or the page shows, as the question that `python -m app csv` takes too. */
(function (rl) {
  "use strict";

  const written = (names) => [...new Set(names)].map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",");
  const smoother = (meta) => (rl.state.smooth === "auto" ? meta.smoothing : rl.state.smooth);

  /* One chart: its runs in view, the steps it shows, its lines, the smoothed one beside the raw. */
  function ofChart(payload, id) {
    const spec = payload.charts[id];
    if (!spec || !spec.meta || !(spec.meta.csv || []).length) return null;
    const runs = drawn(spec).filter((key) => rl.visibleRuns(payload, rl.state.exp).has(key));
    if (!runs.length) return null;
    return {
      exp: written(runs.map((key) => payload.runs[key].id)),
      steps: rl.rangeText(rl.rangeOf(spec.meta, payload, rl.state), "-"),
      metrics: written(spec.meta.csv),
      smooth: smoothed(spec) ? smoother(spec.meta) : "",
    };
  }

  const smoothed = (spec) => (spec.data || []).some((trace) => (trace.meta || {}).role === "ma");

  /* Keys of the runs a chart has anything of. */
  const drawn = (spec) => [...new Set([...(spec.data || []).map((trace) => (trace.meta || {}).run), ...Object.keys(spec.meta.totals || {})])].filter(Boolean);

  /* The page: its runs, the chosen steps, the metrics of all of its charts. */
  function ofPage(payload) {
    const visible = rl.visibleRuns(payload, rl.state.exp), metrics = [];
    for (const spec of Object.values(payload.charts)) if (spec.meta) metrics.push(...(spec.meta.csv || []));
    for (const names of Object.values(payload.later || {})) metrics.push(...names);
    if (!visible.size || !metrics.length) return null;
    return {
      exp: written([...visible].map((key) => payload.runs[key].id)),
      steps: rl.state.range ? rl.rangeText(rl.state.range, "-") : "",
      metrics: written(metrics),
      smooth: rl.state.smooth === "auto" ? "" : rl.state.smooth,
    };
  }

  /* The table of runs: the rows its search leaves, the metrics behind its columns. */
  const COLUMNS = ["pass_rate", "response_length", "entropy", "grad_norm"];
  function ofRows(payload) {
    const rows = [...document.querySelectorAll("table.runs tr[data-nth]")].filter((row) => !row.closest("[hidden]"));
    const chosen = rl.visibleRuns(payload, rl.state.exp), known = new Map(Object.entries(payload.runs).map(([key, run]) => [run.id, key]));
    const names = rows.map((row) => row.dataset.value).filter((id) => rl.state.exp === null || chosen.has(known.get(id)));
    return names.length ? { exp: written(names), steps: rl.state.range ? rl.rangeText(rl.state.range, "-") : "", metrics: written(COLUMNS), smooth: "" } : null;
  }
  const QUESTIONS = { rows: ofRows };

  const asked = (payload, value) => (value in QUESTIONS ? QUESTIONS[value](payload) : value ? ofChart(payload, value) : ofPage(payload));

  /* Fill in the address of a link; one that has nothing to give is hidden. */
  rl.addressCsv = function (link) {
    const payload = rl.payload(), base = link.dataset.href || (link.dataset.href = link.getAttribute("href") || "csv");
    const query = payload && payload.charts ? asked(payload, link.dataset.value) : null;
    link.hidden = Boolean(payload) && !query;
    if (!query) return;
    const { smooth, ...rest } = query, { units, seg } = rl.state;
    const parts = Object.assign(rest, { smooth: smooth === "raw" ? "" : smooth, units: units === "token" ? "" : units, seg: seg === "last" ? "" : seg });
    const text = String(new URLSearchParams(Object.entries(parts).filter(([, value]) => value)));
    const address = `${base}${base.includes("?") ? "&" : "?"}${text.replace(/%2C/gi, ",").replace(/%2F/gi, "/")}`;
    if (link.getAttribute("href") !== address) link.setAttribute("href", address);
  };
})(window.rlboard);
