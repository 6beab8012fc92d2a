/* Names of lines that end inside a plot, each beside its own mark: on no other name, and where there is room on no line. Pure. */
(function (rl) {
  "use strict";

  const CELL = 4;        // pixels: what is drawn is known by squares of this size
  const HIGH = 12, NEAR = 8, CHARACTER = 6.5;
  const MOST = 12;       // more names would cover the lines

  /* Where a name of some width may stand, best first: its left end and its middle, in pixels from the mark. */
  const places = (wide) => [[NEAR, 0], [NEAR, -NEAR], [NEAR, NEAR], [-NEAR - wide, 0], [-NEAR - wide, -NEAR], [-NEAR - wide, NEAR],
    [-wide / 2, -NEAR - HIGH / 2], [-wide / 2, NEAR + HIGH / 2]];

  /* What lines and dots cover: `put(key, x, y)` marks the square of a point, `share(box, key)` tells which part of a
     box is covered by others than `key`. */
  function squares(width, height) {
    const columns = Math.ceil(width / CELL) + 1, rows = Math.ceil(height / CELL) + 1, held = new Uint16Array(columns * rows), keys = new Map();
    const number = (key) => { if (!keys.has(key)) keys.set(key, keys.size + 1); return keys.get(key); };
    return {
      put(key, x, y) {
        const at = Math.floor(y / CELL) * columns + Math.floor(x / CELL);
        if (x >= 0 && x <= width && y >= 0 && y <= height) held[at] = number(key);
      },
      share({ left, right, top, bottom }, key) {
        let covered = 0, all = 0;
        const own = keys.get(key), to = Math.min(right, width);
        for (let row = Math.max(Math.floor(top / CELL), 0); row <= Math.min(bottom, height) / CELL; row++)
          for (let column = Math.max(Math.floor(left / CELL), 0); column <= to / CELL; column++) {
            const by = held[row * columns + column];
            all += 1;
            if (by) covered += by === own ? 0.5 : 1;      // better beside its own line than on it
          }
        return all ? covered / all : 0;
      },
    };
  }

  /* Lines (joined) or dots as squares they cover. */
  rl.covered = function (traces, scale, joined) {
    const grid = squares(scale.width, scale.height);
    for (const { x, y, meta } of traces) {
      let before = null;
      for (let i = 0; i < y.length; i++) {
        const at = Number.isFinite(x[i]) && Number.isFinite(y[i]) ? [scale.px(x[i]), scale.py(y[i])] : null;
        if (at) grid.put(meta.run, ...at);
        if (at && before && joined) between(grid, meta.run, before, at);
        before = at;
      }
    }
    return grid;
  };

  function between(grid, key, [x0, y0], [x1, y1]) {
    const n = Math.min(Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) / CELL), 400);
    for (let k = 1; k < n; k++) grid.put(key, x0 + ((x1 - x0) * k) / n, y0 + ((y1 - y0) * k) / n);
  }

  /* Traces of the names of `ends`, those of the last steps first; one without room has none.
     room: {claim, grid, right: pixels a name may reach, most: share of a name that others may cover} */
  rl.namesInside = function (ends, scale, { claim, grid, right, most }) {
    const order = ends.map((_, i) => i).sort((a, b) => ends[b].step - ends[a].step).slice(0, MOST), out = [];
    for (const index of order) {
      const end = ends[index], box = placeOf(end, scale, { claim, grid, right, most });
      if (box) out.push(named(end, box, scale));
    }
    return out;
  };

  function placeOf(end, scale, { claim, grid, right, most }) {
    const x = scale.px(end.at === undefined ? end.x : end.at), y = scale.py(end.y), wide = String(end.name).length * CHARACTER;
    const boxes = places(wide).map(([dx, dy]) => ({ left: x + dx, right: x + dx + wide, y: y + dy, top: y + dy - HIGH / 2, bottom: y + dy + HIGH / 2 }))
      .filter((box) => box.left >= 0 && box.right <= right && box.top >= 0 && box.bottom <= scale.height - 2);
    const told = boxes.map((box) => ({ box, share: grid.share(box, end.key) })).filter(({ share }) => share <= most).sort((a, b) => a.share - b.share);
    const found = told.find(({ box }) => claim(box));
    return found ? found.box : null;
  }

  const named = (end, box, scale) => rl.trace("lab", end.run, end.key, "", {
    x: [scale.x(box.left)], y: [scale.value(box.y)], mode: "text", text: [`<b>${rl.escape(end.name)}</b>`], textposition: "middle right",
    textfont: { size: 11, color: rl.hueText(end.run) },
  });
})(window.rlboard);
