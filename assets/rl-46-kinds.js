/* Charts that do not run along steps: hours bars, slopes between two model sizes, curves over an axis of their own. */
(function (rl) {
  "use strict";

  const decoded = new WeakMap();     // a payload's own objects stay as they came

  /* Hours of the steps in range: solid = generation, faint = the rest, one row per run. Lines, because they carry a uid. */
  function bars(chart, view) {
    const { meta, extra, payload } = chart, totals = meta.totals || {};
    const rows = Object.keys(totals).filter((key) => view.visible.has(key) && payload.runs[key]).map((key) => {
      const total = decoded.get(totals[key]) || rl.decode(totals[key]);
      decoded.set(totals[key], total);
      const [from, to] = rl.span(total.step, view.range[0], view.range[1]);
      const sum = (values) => { let out = 0; for (let i = from; i < to; i++) if (Number.isFinite(values[i])) out += values[i]; return out; };
      return { key, run: payload.runs[key], gen: sum(total.gen), other: sum(total.other), n: to - from };
    }).filter((row) => row.n);
    const layout = rl.layout(meta.size, extra, view.width, view.height), area = rl.area(layout);
    const most = Math.max(...rows.map((row) => row.gen + row.other), 1e-3), dtick = rl.niceStep(most / Math.max(area.width / 52, 2));
    const limit = Math.ceil((most * 1.02) / dtick) * dtick;
    layout.hovermode = "closest";
    layout.dragmode = false;
    Object.assign(layout.xaxis, { range: [0, limit], dtick, tickformat: `.${rl.decimals(dtick)}f`, fixedrange: true });
    Object.assign(layout.yaxis, {
      range: [Math.max(rows.length, 1) - 0.5, -0.5], showgrid: false, tickvals: rows.map((_, nth) => nth),
      ticktext: rows.map((row) => rl.runName(row.run)),
    });
    const line = (row) => ({ width: 14, color: rl.hue(row.run) });
    const drawn = rows.map((row, nth) => {
      const end = row.gen + row.other, parts = rl.t("hours.parts", { gen: rl.hours(row.gen), other: rl.hours(row.other) });
      const hover = { hoverinfo: undefined, hovertemplate: `<b>${rl.escape(rl.runName(row.run))}</b> ${rl.escape(parts)}<extra></extra>`, mode: "lines", cliponaxis: true };
      return [
        rl.trace("bar", row.run, row.key, 0, Object.assign({ x: [0, row.gen / 2, row.gen], y: [nth, nth, nth], line: line(row) }, hover)),
        rl.trace("bar", row.run, row.key, 1, Object.assign({ x: [row.gen, (row.gen + end) / 2, end], y: [nth, nth, nth], line: line(row), opacity: 0.32 }, hover)),
        rl.trace("lab", row.run, row.key, 0, {
          x: [end], y: [nth], mode: "text", text: ["\u2002" + rl.hours(end)], textposition: "middle right", textfont: { size: 11, color: rl.hueText(row.run) },
        }),
      ];
    });
    const bars = (side) => rl.barsTogether(drawn.map((traces) => traces[side]));
    const data = [...bars(0), ...bars(1), ...rl.together(drawn.map((traces) => traces[2]))];
    return {
      data, layout, blank: rows.length ? null : "empty.range",
      ends: rows.map((row) => ({ run: row.run, key: row.key, name: rl.runName(row.run), value: rl.hours(row.gen + row.other) })),
    };
  }

  /* Values of the same algorithm on two tracks; both ends named. */
  function slope(chart, view) {
    const { meta, extra } = chart, lines = chart.lines.filter((line) => view.shows(line));
    const layout = rl.layout("slope", extra, view.width, view.height), area = rl.area(layout);
    const fitted = rl.fitY(rl.extent(lines.map((line) => ({ steps: [0, 1], y: line.y })), 0, 1), { pad: 0.06, zero: false });
    const at = Object.assign({}, view, { x: [0, 1], xkind: "free" });
    const scale = rl.scaleOf(fitted.range, at, area, false);
    layout.hovermode = false;
    layout.dragmode = false;
    const names = (meta.ends || []).map(rl.pick);
    Object.assign(layout.xaxis, {
      range: [0, 1], fixedrange: true, showline: false, ticks: "", side: "top", tickvals: [0, 1], ticktext: names, ticklabelstandoff: 2,
    }, extra.xaxis);
    Object.assign(layout.yaxis, { range: fitted.range, showgrid: false, showticklabels: false, zeroline: false });
    const ends = lines.map((line) => [0, 1].map((x) => ({
      run: line.run, key: line.key, x, y: line.y[x], name: rl.runName(line.run),
      value: (line.trace.text && line.trace.text[x]) || rl.number(line.y[x], meta.value),
    })));
    const side = (x) => ends.map((pair) => pair[x]).filter((end) => Number.isFinite(end.y));
    const marked = (end) => `<b>${rl.escape(end.name)}</b> ${end.value}`;
    const data = lines.map((line) => Object.assign({}, line.trace, {
      type: "scatter", mode: "lines+markers", x: [0, 1], hoverinfo: "skip", showlegend: false, cliponaxis: false,
      line: { width: 1.75, color: rl.hue(line.run), dash: rl.dash(line.run) },
      marker: { symbol: rl.symbol(line.run), size: rl.markSize(line.run), color: rl.hue(line.run), line: { width: 1, color: "#FFFFFF" } },
    }));
    return {
      data: [...rl.references(meta.refs || [], scale, at, meta.value).data.filter((trace) => trace.mode === "lines"), ...data,
        ...rl.labelTraces(side(1), scale, "middle right", (end) => "\u2002" + marked(end)),
        ...rl.labelTraces(side(0), scale, "middle left", (end) => marked(end) + "\u2002")],
      layout, ends: side(1), blank: lines.length ? null : "empty.hidden",
    };
  }

  /* Curves over an axis of their own (the advantage of one group): nothing here follows the step range. */
  function free(chart, view) {
    const { meta, extra } = chart, lines = chart.lines.filter((line) => view.shows(line));
    const layout = rl.layout(meta.size, extra, view.width, view.height), area = rl.area(layout);
    const all = lines.flatMap((line) => Array.from(line.trace.x)), room = (Math.max(...all) - Math.min(...all)) * 0.04;
    const at = Object.assign({}, view, { x: all.length ? [Math.min(...all) - room, Math.max(...all)] : [0, 1], xkind: "free" });
    const fitted = rl.fitY(rl.extent(lines.map((line) => ({ steps: line.trace.x, y: line.y })), -Infinity, Infinity), {
      pad: 0.06, zero: Boolean(meta.zero), log: Boolean(meta.log),
    });
    const scale = rl.scaleOf(fitted.range, at, area, Boolean(meta.log));
    layout.dragmode = false;
    Object.assign(layout.xaxis, { range: at.x, dtick: rl.tickX(at.x[0], at.x[1], area.width), fixedrange: true });
    Object.assign(layout.yaxis, rl.axisY(fitted, meta, area, Boolean(meta.log)));
    layout.annotations = [...(extra.annotations || []), ...(meta.notes || []).map((item) => rl.note(rl.escape(rl.pick(item.text)), {
      x: item.x, y: item.y, xref: "x", yref: "y", xanchor: "left", font: { size: 11, color: rl.ink("rl-ink-3") },
    }))];
    const ends = lines.map((line) => {
      const last = line.y.length - 1;
      return {
        run: line.run, key: line.key, x: line.trace.x[last], y: line.y[last], name: rl.runName(line.run),
        value: [rl.pick((line.trace.meta || {}).label), rl.number(line.y[last], meta.value)].filter(Boolean).join(" "),
      };
    });
    const data = lines.map((line) => Object.assign({}, line.trace, {
      type: "scatter", mode: "lines+markers", showlegend: false, name: rl.runName(line.run), cliponaxis: false,
      hovertemplate: line.trace.hovertemplate || `%{y:${meta.value}}<extra>${rl.escape(rl.runName(line.run))}</extra>`,
      line: { width: 1.5, color: rl.hue(line.run), dash: rl.dash(line.run) },
      marker: { symbol: rl.symbol(line.run), size: rl.markSize(line.run) - 1, color: rl.hue(line.run), line: { width: 1, color: "#FFFFFF" } },
    }));
    const refs = rl.references(meta.refs || [], scale, at, meta.value);
    layout.annotations.push(...refs.annotations);
    return {
      data: [...refs.data, ...data, ...refs.labels, ...rl.labelTraces(ends, scale, "middle right", (end) => `\u2002<b>${rl.escape(end.name)}</b> ${end.value}`)],
      layout, ends, blank: lines.length ? null : "empty.hidden",
    };
  }

  /* Kind of a chart → its drawing; further kinds add themselves. */
  rl.kinds = { steps: rl.drawSteps, bars, slope, free };
  /* Prepared chart + view → {data, layout, ends, blank}. */
  rl.compose = (chart, view) => (rl.kinds[chart.meta.kind] || rl.drawSteps)(chart, view);
})(window.rlboard);
