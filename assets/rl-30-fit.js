/* Geometry of a chart as pure functions: what lies in view, the y range that fits it, ticks, label places. */
(function (rl) {
  "use strict";

  const ENOUGH = 20;     // values a line needs before any of them is far out

  /* First index of a sorted array whose value is ≥ `value`. */
  function lower(sorted, value) {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  /* [from, to) of the points whose step lies in [first, last]; steps ascend. */
  rl.span = (steps, first, last) => [lower(steps, first), lower(steps, last + 1)];

  /* Rows of two ascending lists of steps that hold the same step: [rows of the one, rows of the other]. */
  rl.common = function (one, other) {
    const rows = [[], []];
    for (let i = 0, j = 0; i < one.length && j < other.length;) {
      if (one[i] < other[j]) i++;
      else if (one[i] > other[j]) j++;
      else { rows[0].push(i++); rows[1].push(j++); }
    }
    return rows;
  };

  /* Finite values in view of many lines: {values, lines: [values of each], low, high}; bars reach `up` above and `down` below a value. */
  rl.extent = function (lines, first, last) {
    let low = Infinity, high = -Infinity;
    const values = [], each = [];
    for (const { steps, y, up, down } of lines) {
      const [from, to] = rl.span(steps, first, last), begin = values.length;
      for (let i = from; i < to; i++) {
        const value = y[i];
        if (!Number.isFinite(value)) continue;
        values.push(value);
        low = Math.min(low, value - ((down && down[i]) || 0));
        high = Math.max(high, value + ((up && up[i]) || 0));
      }
      each.push(values.slice(begin));
    }
    return { values, lines: each, low, high };
  };

  /* Range of the values of a line that are not far out as Tukey has it, on the scale of the axis; all of few, and of
     those that are mostly equal, where every other value would be far out. */
  function near(values, log) {
    const sorted = Float64Array.from(log ? values.map(Math.log10) : values).sort();
    const at = (share) => sorted[Math.round(share * (sorted.length - 1))], reach = 3 * (at(0.75) - at(0.25));
    const kept = sorted.length < ENOUGH || !reach ? sorted : sorted.filter((value) => value >= at(0.25) - reach && value <= at(0.75) + reach);
    const ends = [kept[0], kept[kept.length - 1]];
    return log ? ends.map((value) => 10 ** value) : ends;
  }

  /* The y range for an extent.
     how: {pad, zero, log, robust, include: [values a reference line adds]} → {range (log10 on a log axis), outside} */
  rl.fitY = function (extent, how) {
    let { low, high } = extent, outside = 0;
    const values = how.log ? extent.values.filter((value) => value > 0) : extent.values;
    if (!values.length) return { range: how.log ? [-1, 1] : [0, 1], outside: 0, blank: true };
    if (how.robust) {
      const lines = (extent.lines || [values]).map((line) => (how.log ? line.filter((value) => value > 0) : line));
      const ranges = lines.filter((line) => line.length).map((line) => near(line, how.log));
      low = Math.max(low, Math.min(...ranges.map((range) => range[0])));
      high = Math.min(high, Math.max(...ranges.map((range) => range[1])));
      outside = values.filter((value) => value < low || value > high).length;
    } else if (how.log) low = values.reduce((least, value) => Math.min(least, value), Infinity);
    for (const value of how.include || []) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (how.log) {
      const a = Math.log10(low), b = Math.log10(high), room = Math.max((b - a) * how.pad, 0.02);
      return { range: [a - room, b + room], outside };
    }
    if (how.zero) { low = Math.min(low, 0); high = Math.max(high, 0); }
    const size = high - low || Math.abs(high) * 0.1 || 1;
    const room = size * how.pad + (high === low ? size : 0);
    const flat = how.zero && low === 0;
    return { range: [flat ? 0 : low - room, high + room], outside };
  };

  /* The step of {1, 2, 5}·10ᵏ nearest to `size`, as a ratio. */
  rl.niceStep = function (size) {
    const power = 10 ** Math.floor(Math.log10(size));
    return [1, 2, 5, 10].map((factor) => factor * power)
      .reduce((best, step) => (Math.abs(Math.log(step / size)) < Math.abs(Math.log(best / size)) ? step : best));
  };
  rl.decimals = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

  /* dtick and tickformat of a linear y axis `height` pixels high. */
  rl.ticksY = function (range, height, format) {
    const step = rl.niceStep((range[1] - range[0]) / Math.min(Math.max(height / 28, 1), 11));
    const large = Math.max(Math.abs(range[0]), Math.abs(range[1])) >= 1e5;
    const small = format === "~s" && Math.max(Math.abs(range[0]), Math.abs(range[1])) < 1e4;      // no `800` above `1k`
    return { dtick: step, tick0: 0, tickformat: small ? `,.${rl.decimals(step)}f` : format || (large ? "~s" : `.${rl.decimals(step)}f`) };
  };

  /* Ticks of a log axis as values: 1, 2, 5 of every decade (1 alone over many), even steps inside one decade. */
  rl.ticksLog = function (low, high) {
    const factors = high / low > 1e4 ? [1] : [1, 2, 5], out = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const factor of factors) out.push(factor * 10 ** power);
    const inside = out.filter((value) => value >= low && value <= high);
    if (inside.length >= 3) return inside;
    const step = rl.niceStep((high - low) / 4), first = Math.ceil(low / step);
    return Array.from({ length: Math.max(Math.floor(high / step) - first + 1, 0) }, (_, nth) => (first + nth) * step);
  };

  const X_STEPS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000];
  /* dtick of a step axis: the smallest that leaves 37 px a label (20 in small charts), 16 labels at most. */
  rl.tickX = (first, last, width) =>
    X_STEPS.find((step) => (width * step) / Math.max(last - first, 1) >= Math.max(width < 160 ? 20 : 37, width / 16)) || rl.niceStep((last - first) / 4);

  /* Push places (pixels, any order) apart to at least `gap`, inside [low, high]; order is kept. */
  rl.spread = function (places, gap, low, high) {
    const order = places.map((_, index) => index).sort((a, b) => places[a] - places[b] || a - b);
    const out = places.slice();
    let groups = order.map((index) => ({ members: [index], centre: places[index] }));
    for (let again = true; again;) {
      again = false;
      const merged = [];
      for (const group of groups) {
        const half = (count) => ((count - 1) * gap) / 2;
        const clamp = (g) => Math.min(Math.max(g.centre, low + half(g.members.length)),
          Math.max(high - half(g.members.length), low + half(g.members.length)));
        group.place = clamp(group);
        const before = merged[merged.length - 1];
        const need = before ? half(before.members.length) + gap + half(group.members.length) : 0;
        if (before && group.place - before.place < need - 1e-6) {
          const count = before.members.length + group.members.length;
          before.centre = (before.centre * before.members.length + group.centre * group.members.length) / count;
          before.members.push(...group.members);
          before.place = clamp(before);
          again = true;
        } else merged.push(group);
      }
      groups = merged;
    }
    for (const { members, place } of groups)
      members.forEach((index, nth) => { out[index] = place + (nth - (members.length - 1) / 2) * gap; });
    return out;
  };

  /* The raw value of a band that stands furthest from the line's median outside it: [step, value] or null. */
  rl.peak = function (steps, y, start, end) {
    const outside = [], inside = [];
    for (let i = 0; i < steps.length; i++) {
      if (!Number.isFinite(y[i])) continue;
      if (steps[i] >= start && steps[i] <= end) inside.push([steps[i], y[i]]);
      else if (Math.abs(steps[i] - start) < 40) outside.push(y[i]);
    }
    if (!inside.length) return null;
    outside.sort((a, b) => a - b);
    const base = outside.length ? outside[outside.length >> 1] : 0;
    return inside.reduce((best, point) => (Math.abs(point[1] - base) > Math.abs(best[1] - base) ? point : best));
  };

  /* Step ranges → statistics of one unsmoothed line in view, or null when nothing is there. */
  rl.describe = function (steps, y, first, last) {
    const [from, to] = rl.span(steps, first, last);
    let sum = 0, count = 0, min = null, max = null, head = null, tail = null, odd = 0;
    for (let i = from; i < to; i++) {
      const point = [steps[i], y[i]];
      if (!Number.isFinite(y[i])) { odd += 1; continue; }
      head = head || point;
      tail = point;
      if (!min || y[i] < min[1]) min = point;
      if (!max || y[i] > max[1]) max = point;
      sum += y[i];
      count += 1;
    }
    return count ? { first: head, last: tail, mean: sum / count, min, max, n: count, odd } : null;
  };
})(window.rlboard);
