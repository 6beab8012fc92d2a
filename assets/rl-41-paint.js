/* Lines as paths of our own, inside plotly's plot and with the classes of its traces, so that hues and focus are the
   same style rules. A line costs plotly a millisecond and here a tenth of it, and one range moves hundreds of them.
   The chart under the pointer is drawn by plotly alone: it tells the values. */
(function (rl) {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const FAR = 1e5;       // pixels: beyond them numbers in a path lose their places

  const plain = (trace) => trace.mode === "lines" && !trace.fill && Boolean(trace.uid);

  /* Traces → {drawn: for plotly, painted: here}; all for plotly when the chart is `touched`, and where it would be
     left without any, for then it makes no axes. */
  rl.parted = (traces, touched) => (touched || traces.every(plain) ? { drawn: traces, painted: [] }
    : { drawn: traces.filter((trace) => !plain(trace)), painted: traces.filter(plain) });

  /* Show the values under a pointer that rests since plotly drew the chart. */
  rl.tellValues = function ({ plot, pointer }) {
    const target = plot.querySelector(".nsewdrag");
    if (pointer && target) window.Plotly.Fx.hover(plot, { clientX: pointer.clientX, clientY: pointer.clientY, target });
  };

  /* Put lines into a drawn plot, by the ranges of its layout. */
  rl.paint = function (record, traces, layout) {
    const holder = record.plot.querySelector(".cartesianlayer .overplot > .xy"), before = record.painted || new Map();
    record.painted = new Map();
    if (!holder) return;
    const layer = layerOf(record.plot, holder), place = traces.length ? toPixels(layout) : null;
    record.painted = new Map(traces.map((trace) => [trace.uid, drawn(before.get(trace.uid) || made(trace), trace, place)]));
    layer.replaceChildren(...record.painted.values());
    if (holder.firstChild !== layer) holder.prepend(layer);
  };

  function layerOf(plot, holder) {
    const found = holder.querySelector(":scope > .rl-lines"), layer = found || document.createElementNS(SVG, "g");
    layer.setAttribute("class", "rl-lines");
    layer.setAttribute("clip-path", `url(#${plot.querySelector("clipPath.plotclip").id})`);
    return layer;
  }

  function made({ uid }) {
    const group = document.createElementNS(SVG, "g"), path = document.createElementNS(SVG, "path");
    group.setAttribute("class", `trace trace${uid}`);
    path.setAttribute("class", "js-line");
    group.append(path);
    return group;
  }

  function drawn(group, { x, y, line, opacity }, place) {
    const path = group.firstChild;
    group.style.opacity = opacity === undefined ? 1 : opacity;
    path.setAttribute("d", rl.pathOf(x, y, place));
    path.style.cssText = `fill:none;stroke:${line.color};stroke-width:${line.width}px;stroke-dasharray:${dashes(line.dash)}`;
    return group;
  }
  const dashes = (dash) => (dash && dash !== "solid" ? dash : "none");

  /* [x, y] of the axes → [x, y] in pixels of the plot, y downwards. */
  function toPixels(layout) {
    const { width, height } = rl.area(layout), { xaxis, yaxis } = layout;
    const along = ({ range: [first, last] }, size) => (value) => ((value - first) / (last - first)) * size;
    const right = along(xaxis, width), up = along(yaxis, height), log = yaxis.type === "log";
    return { x: right, y: (value) => height - up(log ? Math.log10(value) : value) };
  }

  /* The path through points; a value that is none leaves a gap. */
  rl.pathOf = function (xs, ys, place) {
    let path = "", pen = "M";
    for (let i = 0; i < ys.length; i++) {
      const x = Number.isFinite(xs[i]) && Number.isFinite(ys[i]) ? place.x(xs[i]) : NaN, y = place.y(ys[i]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) { pen = "M"; continue; }
      path += `${pen}${tenth(x)},${tenth(y)}`;
      pen = "L";
    }
    return path;
  };
  const tenth = (pixels) => Math.round(Math.min(Math.max(pixels, -FAR), FAR) * 10) / 10;
})(window.rlboard);
