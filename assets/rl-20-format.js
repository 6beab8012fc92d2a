/* Numbers as text, figures as arrays, run looks. Pure. */
(function (rl) {
  "use strict";

  const MINUS = "\u2212", BIG = 1e4, HUGE = 1e7;     // beyond it digits say less than the power of ten
  const PREFIX = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

  /* A number by a d3-like spec: [+][,].Nf | .Ne | [~].Ns | [+][,]d, optionally ending in %. Minus is U+2212. */
  rl.number = function (value, spec) {
    if (value === null || value === undefined || Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : MINUS + "inf";
    const found = /^(\+?)(,?)(~?)(?:\.(\d+))?([fesdg%]?)$/.exec(spec || ".3g") || [null, "", "", "", "3", "g"];
    const [, plus, comma, , digits, kind] = found;
    const places = digits === undefined ? undefined : Number(digits);
    const size = Math.abs(value);
    let text = magnitude(size, kind, places);
    if (comma) text = text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
    const zero = !/[1-9]/.test(text);
    return (value < 0 && !zero ? MINUS : plus && !zero ? "+" : "") + text;
  };

  /* The same where there is little room: from ten thousand on with a letter, `733k`, below it in full. */
  rl.brief = function (value, spec) {
    const size = Math.abs(value), tokens = /s$/.test(spec || "");
    if (tokens && size >= 100 && size < BIG) return rl.number(value, ",.0f");
    return size >= BIG && size < HUGE && (tokens || /f$/.test(spec || "")) ? rl.number(value, size >= 1e5 ? ".0s" : ".1s") : rl.number(value, spec);
  };

  function magnitude(size, kind, places) {
    if (kind === "s") {
      const [scale, letter] = PREFIX.find(([limit]) => size >= limit) || [1, ""];
      return letter ? (size / scale).toFixed(places === undefined ? 1 : places) + letter : String(Math.round(size * 10) / 10);
    }
    if (kind === "e") return size.toExponential(places === undefined ? 2 : places).replace("-", MINUS);
    if (kind === "d") return String(Math.round(size));
    if (kind === "%") return (size * 100).toFixed(places === undefined ? 0 : places) + "%";
    if (kind === "g") return String(Number(size.toPrecision(places === undefined ? 3 : places))).replace("-", MINUS);
    if (size >= HUGE) return size.toExponential(2).replace("e+", "e");
    return size.toFixed(places === undefined ? 2 : places);
  }

  /* Hours as "21 h 12 m". */
  rl.hours = function (hours) {
    const minutes = Math.round(hours * 60);
    return minutes < 60 ? `${minutes} m` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
  };

  const ARRAYS = {
    i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array,
    f4: Float32Array, f8: Float64Array, i8: BigInt64Array,
  };

  /* {dtype, bdata} anywhere inside a trace → typed arrays (little endian, as numpy writes them). */
  rl.decode = function decode(value) {
    if (Array.isArray(value)) return value.some((item) => item && typeof item === "object") ? value.map(decode) : value;
    if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
    if (typeof value.bdata === "string") {
      const text = atob(value.bdata), bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
      const array = new ARRAYS[value.dtype](bytes.buffer);
      return value.dtype === "i8" ? Float64Array.from(array, Number) : array;
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  };

  /* ---- looks of a run: five hues and marks; beyond five the same with dashes and open marks, beyond ten with dots in them ---- */

  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross"];
  const SIZES = [6, 6, 7.5, 7, 7];
  const DASHES = ["solid", "6px,3px", "2px,2px"];
  rl.symbol = (run) => SYMBOLS[(run.slot - 1) % 5] + ["", "-open", "-open-dot"][Math.min(run.dash || 0, 2)];
  /* Class of the mark of a run beside its name. */
  rl.markClass = (run) => `sym e${run.slot}${["", " open", " open dot"][Math.min(run.dash || 0, 2)]}`;
  rl.markSize = (run) => SIZES[(run.slot - 1) % 5];
  rl.dash = (run) => DASHES[Math.min(run.dash || 0, 2)];

  let palette = null;
  /* The light palette, whatever the theme: figures carry it so that exports print on white; CSS repaints the screen. */
  rl.ink = function (name) {
    if (!palette) {
      const probe = document.createElement("i");
      probe.dataset.bsTheme = "light";
      probe.hidden = true;
      document.body.append(probe);
      const style = getComputedStyle(probe);
      palette = {};
      for (const key of ["rl-bg", "rl-ink", "rl-ink-2", "rl-ink-3", "rl-line-2", "rl-grid", "rl-band", "rl-episode",
        "e1", "e2", "e3", "e4", "e5", "e1-t", "e2-t", "e3-t", "e4-t", "e5-t"])
        palette[key] = style.getPropertyValue(`--${key}`).trim() || "#5F6975";
      probe.remove();
    }
    return palette[name];
  };
  rl.hue = (run) => rl.ink(`e${run.slot}`);
  /* A colour of the palette as a tint that what lies behind shines through. */
  rl.faded = (hex, part) => `rgba(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(", ")}, ${part})`;
  rl.hueText = (run) => rl.ink(`e${run.slot}-t`);
  rl.runName = (run) => run.short || run.label || run.id;
})(window.rlboard);
