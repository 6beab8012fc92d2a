/* Notes of people on a chart along steps: a line in the colour of the run, a flag at the top edge. Pure. */
(function (rl) {
  "use strict";

  const NEAR = 10;       // pixels within which flags become one
  const SHOWN = 160;     // characters of a note under the pointer

  /* Notes of the runs and steps in view: {shapes, annotations}. The name of a flag is "note:" and the id of its note. */
  rl.noteMarks = function (notes, view, area) {
    const out = { shapes: [], annotations: [] };
    if (rl.state.notes === "hidden") return out;
    const [first, last] = view.x, pixel = (x) => ((x - first) / (last - first || 1)) * area.width;
    const placed = (notes || []).filter((note) => view.visible.has(note.run))
      .map((note) => ({ note, from: view.at(note.start, note.run), to: view.at(note.end, note.run) }))
      .filter(({ from, to }) => to >= first && from <= last).sort((a, b) => a.from - b.from);
    for (const { note, from, to } of placed) out.shapes.push(...lines(note, from, to, view));
    const flags = [];
    for (const item of placed) {
      const x = Math.max(item.from, first), flag = flags[flags.length - 1];
      if (flag && pixel(x) - pixel(flag.x) < NEAR) flag.items.push(item);
      else flags.push({ x, items: [item] });
    }
    for (const { x, items } of flags) out.annotations.push(rl.note(items.length > 1 ? `▾${items.length}` : "▾", {
      name: `note:${items[0].note.id}`, captureevents: true, x, xref: "x", y: 1, yref: "paper", yanchor: "top", yshift: 3,
      font: { size: 13, color: rl.hueText(items[0].note.look) }, hovertext: items.map(({ note }) => told(note)).join("<br>"),
    }));
    return out;
  };

  function lines(note, from, to, view) {
    const open = rl.state.note === note.id, color = rl.hue(note.look);
    const upright = (x) => ({
      type: "line", layer: "below", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1,
      line: { width: open ? 1.5 : 1, dash: open ? "solid" : "3px,3px", color }, opacity: open ? 0.9 : 0.55,
    });
    const range = { type: "line", layer: "below", xref: "x", yref: "paper", x0: Math.max(from, view.x[0]), x1: Math.min(to, view.x[1]), y0: 1, y1: 1, line: { width: 3, color }, opacity: 0.7 };
    return from === to ? [upright(from)] : [upright(from), upright(to), range].filter((shape) => shape.x0 >= view.x[0] && shape.x1 <= view.x[1]);
  }

  function told(note) {
    const text = note.text.length > SHOWN ? `${note.text.slice(0, SHOWN)}…` : note.text;
    return `<b>${rl.escape(rl.runName(note.look))} ${rl.rangeText([note.start, note.end]).replace(/^(\d+)–\1$/, "$1")}</b> ${rl.escape(text).replace(/\n/g, "<br>")}`;
  }
})(window.rlboard);
