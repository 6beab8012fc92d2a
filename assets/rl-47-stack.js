/* Parts of a whole per step, on top of each other: the stages of a step. Each is named where its band ends.
   Every band is filled down to zero and the lower ones cover it: so a fill belongs to its own trace, which styles find. */
(function (rl) {
  "use strict";

  const LABEL = 13;       // pixels a band or its neighbours must leave for a name
  const SMALL = 0.004;    // share of the whole below which a part gets no name: the hover has it
  /* Tints of accent and ink on white, for exports; full.css repaints them for both themes. */
  const SHADES = { a: "#0E5F6B", b: "#5F9AA3", c: "#A9C9CE", d: "#D3E3E5", e: "#8E97A1", f: "#B4BBC3", g: "#CDD2D8", rest: "#ECEEF1" };

  /* Cumulative upper edges of every part, and their means over the steps in view. */
  function layers(parts, view) {
    const base = new Float64Array(parts[0].y.length);
    return parts.map((line) => {
      const [from, to] = rl.span(line.steps, view.range[0], view.range[1]);
      let sum = 0;
      for (let i = 0; i < base.length; i++) {
        base[i] += Number.isFinite(line.y[i]) ? line.y[i] : 0;
        if (i >= from && i < to) sum += line.y[i] || 0;
      }
      return { line, top: Float64Array.from(base), from, to, mean: to > from ? sum / (to - from) : 0 };
    });
  }

  function band(layer, view, hover) {
    const { line, top, from, to } = layer, meta = line.trace.meta, name = rl.pick(meta.label);
    const [a, b] = view.xkind === "step" ? [0, top.length] : [from, to];
    return Object.assign({}, line.trace, {
      type: "scatter", mode: "lines", x: line.trace.x.slice(a, b), y: top.slice(a, b), customdata: line.y.slice(a, b), name, showlegend: false,
      line: { width: 0.5, shape: "hvh", color: "#FFFFFF" }, fill: "tozeroy", fillcolor: SHADES[meta.shade], hoverinfo: undefined,
      hovertemplate: `%{customdata:${hover}} s<extra>${rl.escape(name)}</extra>`,
    });
  }

  function stack(chart, view) {
    const { meta, extra } = chart, parts = chart.lines.filter((line) => view.visible.has(line.key) && line.role === "part");
    const layout = rl.layout(meta.size, rl.merge({ margin: { r: 118 } }, extra), view.width, view.height), area = rl.area(layout);
    if (!parts.length) return { data: [], layout, ends: [], blank: chart.lines.length ? "empty.hidden" : "empty.data" };
    const made = layers(parts, view), whole = made[made.length - 1];
    const fitted = rl.fitY(rl.extent([{ steps: whole.line.steps, y: whole.top }], view.range[0], view.range[1]), { pad: 0.06, zero: true });
    const scale = rl.scaleOf(fitted.range, view, area, false), total = made.reduce((sum, layer) => sum + layer.mean, 0);
    Object.assign(layout.xaxis, rl.axisX(view, area));
    Object.assign(layout.yaxis, rl.axisY(fitted, meta, area, false));
    let below = 0;
    const named = made.map((layer) => {
      const middle = below + layer.mean / 2;
      below += layer.mean;
      return { name: rl.pick(layer.line.trace.meta.label), mean: layer.mean, y: middle };
    }).filter((part) => part.mean > SMALL * total);
    const places = rl.spread(named.map((part) => scale.py(part.y)), LABEL, 4, area.height - 3);
    const labels = {
      type: "scatter", uid: "part_names", mode: "text", hoverinfo: "skip", cliponaxis: false, showlegend: false, meta: { role: "lab" },
      x: named.map(() => view.x[1]), y: places.map((place) => scale.value(place)), textposition: "middle right",
      text: named.map((part) => `\u2002${rl.escape(part.name)} ${rl.number(part.mean, meta.value)}`), textfont: { size: 11, color: rl.ink("rl-ink-2") },
    };
    const { run, key } = parts[0];
    return {
      data: [...made.map((layer) => band(layer, view, ",.1f")).reverse(), labels], layout, blank: whole.to > whole.from ? null : "empty.range",
      ends: named.map((part) => ({ run, key, name: part.name, value: `${rl.number(part.mean, meta.value)} s` })),
    };
  }

  rl.kinds.stack = stack;
})(window.rlboard);
