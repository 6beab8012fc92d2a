/* Marks of many runs as one trace: plotly takes its time per trace, not per point. What belongs to a run says so in
   attributes, so that hues and focus stay style rules. */
(function (rl) {
  "use strict";

  const FEW = 6;

  /* Traces of one point each → one trace that knows the run of every point; a single one stays as it is. */
  rl.together = function (traces) {
    if (traces.length < 2) return traces;
    const [first] = traces, each = (read) => traces.map(read);
    const one = Object.assign({}, first, {
      uid: `ends_${first.meta.role}_all`, x: each(({ x }) => x[0]), y: each(({ y }) => y[0]),
      meta: { role: first.meta.role, keys: each(({ meta }) => meta.run), slots: each(({ meta }) => meta.slot), hollow: each(({ meta }) => meta.hollow) },
    });
    if (first.text) Object.assign(one, { text: each(({ text }) => text[0]), textfont: Object.assign({}, first.textfont, { color: each(({ textfont }) => textfont.color) }) });
    if (first.marker) one.marker = {
      symbol: each(({ marker }) => marker.symbol), size: each(({ marker }) => marker.size), color: each(({ marker }) => marker.color), opacity: 1,
      line: { width: 1, color: each(({ marker }) => marker.line.color) },
    };
    return [one];
  };

  /* Faint lines → one trace of each hue, without dashes, which cannot be told apart there. */
  rl.faintTogether = function (traces) {
    const hues = new Map();
    for (const trace of traces) hues.set(trace.line.color, [...(hues.get(trace.line.color) || []), trace]);
    return [...hues.values()].map((members) => (members.length < 2 ? members[0] : Object.assign({}, members[0], {
      uid: [members[0].uid, ...members.slice(1).map(({ meta }) => meta.run)].join("_"), x: chained(members, "x"), y: chained(members, "y"),
      line: { width: members[0].line.width, color: members[0].line.color }, customdata: undefined, hovertext: undefined, text: undefined,
    })));
  };

  /* Bars of more than a few runs → one trace of each hue; what a bar tells goes along with its points. */
  rl.barsTogether = function (traces) {
    if (traces.length <= FEW) return traces;
    return rl.faintTogether(traces).map((one) => {
      const members = traces.filter((trace) => one.uid.includes(`_${trace.meta.run}`));
      return Object.assign({}, one, { hovertemplate: members.flatMap((trace) => [...trace.x.map(() => trace.hovertemplate), ""]) });
    });
  };

  /* Arrays one after the other, with a gap between two. */
  function chained(traces, name) {
    const out = new Float64Array(traces.reduce((sum, trace) => sum + trace[name].length + 1, -1)).fill(NaN);
    let at = 0;
    for (const trace of traces) { out.set(trace[name], at); at += trace[name].length + 1; }
    return out;
  }

  /* Say of every point of such a trace whose it is: plotly takes elements away and makes new ones as it likes. */
  rl.tellRuns = function (plot) {
    for (const { uid, meta } of plot._fullData || []) {
      if (!meta || !meta.keys) continue;
      for (const el of plot.querySelectorAll(`.trace[class*="trace${uid}"] :is(.point, .textpoint)`)) {
        const nth = el.__data__.i;
        Object.assign(el.dataset, { key: meta.keys[nth], hue: meta.slots[nth] });
        el.toggleAttribute("data-hollow", meta.hollow[nth]);
      }
    }
  };
})(window.rlboard);
