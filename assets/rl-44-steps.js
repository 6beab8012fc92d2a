/* A chart along steps: prepared lines + view → plotly figure. Pure: the same input gives the same figure. */
(function (rl) {
  "use strict";

  const EDGE = 12;       // pixels from the right end of a plot within which a name stands beside the plot
  const LISTED = 16;     // values that the box of the hovered step holds
  const CROWD = 6;       // more lines than this, or long names: names alone, without values, and no values at peaks
  const FURTHEST = 10;   // a reference beyond so many times the highest value would flatten the lines
  const LONG = 200;      // more steps than this: only those in view are drawn
  const SHORT = 40;      // at most this many steps: the logged points themselves, nothing smoothed

  /* Payload chart → lines with decoded arrays; done once per payload, so plotly sees the same arrays again. */
  rl.prepare = function (spec, payload) {
    const lines = (spec.data || []).map((raw) => {
      const trace = rl.decode(raw), meta = trace.meta || {}, error = trace.error_y || {}, known = payload.runs[meta.run];
      if (known && trace.uid) trace.uid = trace.uid.replace(/^e\d+/, `e${known.slot}`);      // hues may tell a setting
      return {
        trace, key: meta.run, run: known || { slot: 1, dash: 0, label: meta.label || "", id: meta.run || "" },
        role: meta.role, window: meta.window || 1, series: meta.series || "", y: trace.y,
        steps: payload.xkind === "step" || !trace.customdata ? trace.x : trace.customdata,
        up: error.array, down: error.arrayminus || error.array,
      };
    });
    return { meta: spec.meta || {}, extra: spec.layout || {}, lines, payload };
  };

  /* Lines of one run that belong together: {raw, ma, val, more}. */
  function groups(lines) {
    const out = new Map();
    for (const line of lines) {
      const id = `${line.key}|${line.series}`, group = out.get(id) || { key: line.key, run: line.run, series: line.series, more: [] };
      if (["raw", "ma", "val"].includes(line.role) && !group[line.role]) group[line.role] = line;
      else group.more.push(line);
      out.set(id, group);
    }
    return [...out.values()];
  }

  /* The smoothed line without the stretch that a band would flatten, and that stretch as logged. Cached on the line. */
  function opened(ma, raw, episodes) {
    const id = episodes.map((episode) => episode.id).join();
    if (ma.opened && ma.opened.id === id) return ma.opened;
    const inside = (step, room) => episodes.some((e) => step >= e.start - room && step <= e.end + ma.window - 1 + room);
    const y = episodes.length ? Float64Array.from(ma.y, (value, i) => (inside(ma.steps[i], 0) ? NaN : value)) : ma.y;
    const logged = episodes.length && raw ? Float64Array.from(raw.y, (value, i) => (inside(raw.steps[i], 1) ? value : NaN)) : null;
    ma.opened = { id, y, logged };
    return ma.opened;
  }

  function lastInView(line, y, [first, last]) {
    const [from, to] = rl.span(line.steps, first, last);
    for (let i = to - 1; i >= from; i--) if (Number.isFinite(y[i])) return i;
    return -1;
  }

  /* Along hours or tokens a line shows the steps in range alone: others would lie beside those of slower runs.
     Of a long line plotly gets what is in view and where it comes from and goes to: the rest costs time unseen. */
  function within(line, y, view) {
    const { x, customdata, hovertext } = line.trace, along = view.xkind === "step";
    if (along && line.steps.length <= LONG) return { x, y };
    const [from, to] = rl.span(line.steps, view.range[0], view.range[1]), more = along ? 1 : 0;
    const part = (array) => array && array.slice(Math.max(from - more, 0), to + more);
    return { x: part(x), y: part(y), ...(customdata ? { customdata: part(customdata) } : {}), ...(hovertext ? { hovertext: part(hovertext) } : {}) };
  }

  /* `E3 · per token · MA 5`: whose value it is, and how it comes from what was logged. */
  const hover = (line, meta, who) => {
    const how = rl.pick((line.trace.meta || {}).how), name = how ? `${who} · ${how}` : who;
    return {
      name, hoverinfo: undefined,
      hovertemplate: line.trace.hovertemplate || `%{y:${meta.hover || meta.value || ".6~g"}}<extra>${rl.escape(name)}</extra>`,
    };
  };

  /* One run's lines → {data, ends, peaks, fitted lines}. */
  function drawRun(group, chart, view) {
    const { raw, ma, run, key } = group, { meta } = chart;
    const metric = group.series || meta.metric, mine = raw && raw.low ? [] : view.episodes.filter((e) => e.run === key && e.metrics.includes(metric));
    const rawOnly = raw && (view.count <= SHORT || !ma);
    const faint = view.focus && view.focus !== key;
    const out = { data: [], ends: [], peaks: [], fit: [] };
    const line = (width) => ({ width, color: rl.hue(run), dash: group.series ? "4px,2px" : view.single ? "solid" : rl.dash(run) });
    const marker = (size) => ({ symbol: rl.symbol(run), size, color: rl.hue(run), line: { width: 0, color: rl.hue(run) } });
    const style = { cliponaxis: true, connectgaps: false, showlegend: false, type: "scatter" };
    for (const more of group.more) {     // superseded steps: there, but faint
      out.data.push(Object.assign({}, more.trace, style, within(more, more.y, view), { line: line(1), marker: marker(3), opacity: 0.25, hoverinfo: "skip" }));
      out.fit.push(more);
    }
    const spread = rawOnly ? raw : ma;
    if (spread && spread.low) {
      out.data.push(rl.spreadTrace(spread, group.series, within(spread, spread.low, view), within(spread, spread.high, view)));
      out.fit.push({ steps: spread.steps, y: spread.low }, { steps: spread.steps, y: spread.high });
    }
    if (raw) {
      const dots = view.count <= SHORT;
      out.data.push(Object.assign({}, raw.trace, style, within(raw, raw.y, view), rawOnly ? Object.assign(hover(raw, meta, rl.runName(run)), {
        mode: dots ? "lines+markers" : "lines", line: line(view.focus ? (faint ? 1.25 : 1.75) : dots ? 1.5 : 1.25),
        marker: marker(faint ? 3 : 5), opacity: faint ? 0.45 : 1, cliponaxis: !dots,
      }) : { mode: "lines", line: line(1), marker: marker(3), opacity: 0.25, hoverinfo: "skip", hovertemplate: undefined }));
      out.fit.push(raw);
    }
    let main = raw, y = raw && raw.y;
    if (ma && !rawOnly) {
      const cut = opened(ma, raw, mine);
      out.data.push(Object.assign({}, ma.trace, style, hover(ma, meta, rl.runName(run)), {
        mode: "lines", line: line(1.75), opacity: faint ? 0.45 : 1,
      }, within(ma, cut.y, view)));
      if (cut.logged) out.data.push(rl.trace("epi", run, key, group.series, {
        mode: "lines", line: line(1.5), cliponaxis: true, opacity: faint ? 0.45 : 1, ...within(raw, cut.logged, view),
      }));
      main = ma;
      y = cut.y;
      if (cut.logged && lastInView(raw, cut.logged, view.range) > lastInView(ma, y, view.range)) { main = raw; y = cut.logged; }
      out.fit.push({ steps: ma.steps, y: cut.y });
    }
    const at = main ? lastInView(main, y, view.range) : -1;
    if (at >= 0) {
      const series = group.series && rl.t(`series.${group.series}`), number = `${(main.trace.meta || {}).least ? "≥ " : ""}${rl.brief(y[at], meta.value)}`;
      const value = [series, number].filter(Boolean).join(" "), label = series && meta.size !== "full" ? series : value;     // only there both have room beside the plot
      out.ends.push({ run, key, x: main.trace.x[at], step: main.steps[at], y: y[at], name: rl.runName(run), series, number, value, label });
    }
    for (const episode of raw && view.few && !["episode", "mini"].includes(meta.size) ? mine : []) {
      const peak = rl.peak(raw.steps, raw.y, episode.start, episode.end);
      if (peak && peak[0] >= view.range[0] && peak[0] <= view.range[1])
        out.peaks.push({ run, key, severity: episode.severity, step: peak[0], y: peak[1], x: raw.trace.x[lower(raw.steps, peak[0])] });
    }
    return out;
  }
  const lower = (steps, step) => rl.span(steps, step, step)[0];

  /* Validation marks: runs stand side by side, moved in as a whole at the edges of the range. */
  function drawValidation(group, chart, view, nth, count) {
    const { val, run, key } = group, unit = 1.6 * Math.min(1, view.count / 150);
    const reach = ((count - 1) / 2) * unit, [first, last] = view.range;
    const whole = view.xkind === "step";
    const x = Float64Array.from(val.trace.x, (at) => (whole && at >= first && at <= last
      ? at + (nth - (count - 1) / 2) * unit + Math.min(0, last - at - reach) + Math.max(0, first - at + reach) : at));
    const end = lastInView(val, val.y, view.range);
    const text = val.trace.text || [];
    const data = [Object.assign({}, val.trace, {
      type: "scatter", mode: "lines+markers", x, text, customdata: val.steps, name: rl.runName(run), showlegend: false, cliponaxis: false,
      line: { width: 1, color: rl.hue(run), dash: rl.dash(run) },
      marker: { symbol: rl.symbol(run), size: rl.markSize(run), color: rl.hue(run), line: { width: 1, color: run.dash ? rl.hue(run) : "#FFFFFF" } },
      error_y: val.trace.error_y && Object.assign({}, val.trace.error_y, { thickness: 1, width: 0, color: rl.hue(run) }),
      hoverinfo: undefined,
      hovertemplate: val.trace.hovertemplate || "<b>%{fullData.name}</b> %{text} · %{y:.1f} @%{customdata}<extra></extra>",
    })];
    const ends = end < 0 ? [] : [{
      run, key, x: view.x[1], at: x[end], step: val.steps[end], y: val.y[end], name: rl.runName(run), value: text[end] || rl.brief(val.y[end], chart.meta.value),
    }];
    return { data, ends, peaks: [], fit: [val] };
  }

  /* {data, layout, ends, blank} of a chart along steps. */
  rl.drawSteps = function (chart, view) {
    const { meta, extra } = chart, shown = groups(chart.lines.filter((line) => view.visible.has(line.key)));
    if (view.focus) shown.sort((a, b) => Number(a.key === view.focus) - Number(b.key === view.focus));
    const vals = shown.filter((group) => group.val);
    view.few = shown.length <= CROWD;
    view.single = new Set(chart.lines.map((line) => line.key)).size < 2;      // there hue and dash need not tell runs apart
    const parts = shown.map((group) => (group.val
      ? drawValidation(group, chart, view, vals.indexOf(group), vals.length) : drawRun(group, chart, view)));
    const layout = rl.layout(meta.size, extra, view.width, view.height);
    const area = rl.area(layout);
    if (vals.length) layout.hovermode = "closest";
    const refs = meta.refs || [], mode = rl.state.yscale;
    const extent = rl.extent(parts.flatMap((part) => part.fit), view.range[0], view.range[1]);
    const { log, lost } = rl.logAxis(!meta.difference && (mode === "log" || (Boolean(meta.log) && mode === "fit")), extent.values);
    const near = (ref) => ref.include && ref.value <= FURTHEST * extent.high;
    const fitted = rl.fitY(extent, {
      pad: meta.size === "episode" ? 0.12 : 0.06, zero: Boolean(meta.zero) || mode === "zero", log, robust: rl.clips(meta, view),
      include: view.full && !rl.clips(meta, view) ? refs.filter(near).map((ref) => ref.value) : [],
    });
    if (vals.length && extent.low >= 0 && !log) fitted.range[0] = Math.max(fitted.range[0], 0);      // no share is below it
    if (view.userY) fitted.range = view.userY;      // a vertical zoom is the user's until reset
    const scale = scaleOf(fitted.range, view, area, log);
    const clip = rl.clips(meta, view) && !view.userY
      ? rl.clipped(shown.flatMap((group) => group.raw || []), view, log ? fitted.range.map((end) => 10 ** end) : fitted.range, meta) : { data: [] };
    const { single } = view;
    const bands = meta.size === "mini" ? { shapes: [], annotations: [], drawn: [] }
      : rl.bands(view.episodes.filter((e) => view.visible.has(e.run)), meta.metric, view, single || meta.size === "episode", meta.size !== "episode");
    const lines = parts.flatMap((part) => part.data), grid = gridOf(lines, scale);
    const references = rl.references(refs, scale, view, meta.value, bands.annotations, grid);
    const ends = oneForm(parts.flatMap((part) => part.ends), meta.value), series = meta.size === "full" ? null : seriesNote(ends, [...bands.annotations, ...references.annotations], view);
    const noted = meta.size === "mini" ? { shapes: [], annotations: [] } : rl.noteMarks(chart.payload.notes, view, area);
    Object.assign(layout.xaxis, rl.axisX(view, area));
    Object.assign(layout.yaxis, rl.axisY(fitted, meta, area, log), { fixedrange: !view.vertical });
    layout.xaxis.fixedrange = view.vertical;
    layout.shapes = [...bands.shapes, ...(meta.default === "window" ? rl.outside(chart.payload.window, view) : []),
      ...rl.resumes(resumeSteps(meta.resumes, view), view), ...noted.shapes, ...(extra.shapes || [])];
    layout.annotations = [...bands.annotations, ...references.annotations, ...(series ? [series] : []), ...noted.annotations, ...(extra.annotations || [])];
    const crowded = ends.length > CROWD || (meta.labels === "id" && !meta.groups);
    if (ends.length > LISTED) layout.hovermode = "closest";      // a list of more lines covers the chart and is slow
    const labels = meta.labels || (single ? "value" : "both");
    const atEdge = (end) => scale.px(end.at === undefined ? end.x : end.at) > area.width - EDGE;
    const told = crowded ? ends.filter(atEdge) : ends, others = crowded ? ends.filter((end) => !atEdge(end)) : [];
    const words = [...references.boxes, ...(labels === "none" ? [] : told).map((end) => rl.endBox(end, scale, labels))];
    const inside = others.length && labels !== "none" ? namesInside(others, grid(), scale, words, layout) : [];
    const isFaint = (trace) => trace.opacity < 0.3, faint = lines.filter(isFaint);
    const faintFirst = [...(view.few ? faint : rl.faintTogether(faint)), ...lines.filter((trace) => !isFaint(trace))];
    return {
      data: [...references.data, ...faintFirst, ...clip.data, ...(crowded ? [] : rl.peakTraces(parts.flatMap((part) => part.peaks), scale, meta.value, words, { single, grid })),
        ...references.labels, ...(vals.length ? [] : rl.endTraces(ends)), ...rl.endLabels(told, scale, labels, inside)],
      layout, ends, bands: bands.drawn, clip: Object.assign(clip, { lost, part: Boolean(meta.sampled && meta.sampled.size > 1) }), blank: !shown.length ? (chart.lines.length ? "empty.hidden" : "empty.data") : fitted.blank ? "empty.range" : null,
    };
  };

  /* Tokens at the ends of a chart: none as `7,137` beside another's `12.6k`. */
  function oneForm(ends, spec) {
    if (!/s$/.test(spec || "") || !ends.some(({ y }) => rl.brief(y, spec).endsWith("k"))) return ends;
    return ends.map((end) => {
      const before = end.number || rl.brief(end.y, spec), swap = (text) => text && text.replace(before, rl.number(end.y, ".1s"));
      return Object.assign(end, { number: swap(before), value: swap(end.value), label: swap(end.label) });
    });
  }

  /* What strong lines cover, worked out when somebody asks. */
  function gridOf(lines, scale) {
    let made = null;
    return () => { made = made || rl.covered(lines.filter((trace) => !(trace.opacity < 0.3) && !trace.fill), scale, true); return made; };
  }

  /* Names of further lines of a run above the plot, on the side without other words, so that beside it their values have
     room; null when there is none, and when both sides are taken. */
  function seriesNote(ends, others, view) {
    const further = ends.filter((end) => end.series), right = (note) => (note.xref === "paper" ? note.x > 0.5 : note.x > (view.x[0] + view.x[1]) / 2);
    const left = others.some(right);
    if (!further.length || (left && !others.every(right))) return null;
    for (const end of further) end.label = end.number;
    const named = [...new Set(further.map((end) => end.series))];
    return rl.note(named.map((name) => `╌ ${rl.escape(name)}`).join("  "), {
      x: left ? 0 : 1, xref: "paper", xanchor: left ? "left" : "right", y: 1, yref: "paper", yanchor: "bottom", font: { size: 10.5, color: rl.hueText(further[0].run) },
    });
  }

  /* Names of lines that end before the right edge, beside their own ends. */
  function namesInside(ends, grid, scale, words, layout) {
    const claim = rl.room();
    words.forEach((box) => claim(box));
    return rl.namesInside(ends, scale, { claim, grid, right: scale.width + layout.margin.r, most: 0.3 });
  }

  const resumeSteps = (resumes, view) => (Array.isArray(resumes) ? resumes
    : Object.entries(resumes || {}).flatMap(([key, steps]) => (view.visible.has(key) && (!view.focus || view.focus === key) ? steps : [])));

  /* Data ↔ pixels of a plot area, y downwards. */
  function scaleOf(range, view, area, log) {
    const [low, high] = range, [first, last] = view.x;
    return {
      range, log, height: area.height, width: area.width,
      px: (x) => ((x - first) / (last - first || 1)) * area.width,
      x: (px) => first + (px / area.width) * (last - first || 1),
      py: (y) => Math.min(Math.max(((high - (log ? Math.log10(y) : y)) / (high - low)) * area.height, -30), area.height + 30),
      value: (py) => { const v = high - (py / area.height) * (high - low); return log ? 10 ** v : v; },
    };
  }
  rl.scaleOf = scaleOf;
})(window.rlboard);
