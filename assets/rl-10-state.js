/* State of the view: one object, one way to change it, one way to hear of a change.
   Nothing here touches a chart; `rl.set(patch)` tells every listener which keys changed. */
window.rlboard = window.rlboard || {};
(function (rl) {
  "use strict";

  const DEFAULTS = Object.freeze({
    tab: null,        // id of the page
    exp: null,        // null = every run, else labels and run ids
    range: null,      // null = default view, else [first step, last step]
    win: "aligned",   // comparison charts start in the aligned window, or on all steps
    smooth: "auto",
    x: "step",
    units: "token",
    seg: "last",
    base: "",         // run that others are shown as differences to
    group: "",        // runs drawn as one line: "seed", or the key of a setting they share
    band: "range",    // how far the runs of a group lie apart: "range", "sd" or "se"
    colour: "",       // key of the setting that hues tell, instead of the run
    where: null,      // {key, values}: the runs with these values of a setting; `exp` follows it
    phase: null,      // two quantities against each other, by the names of their charts; null = the usual two
    pin: [],          // metrics a user added to the page
    pair: null,       // two runs compared step by step, labels or run ids; null = the page's own choice
    yscale: "fit",
    ep: null,         // "run id:start" of the open episode
    notes: "shown",   // flags of notes on the charts, or "hidden"
    note: null,       // id of the open note
    lang: "zh",
    theme: "system",
  });

  const SELECTION = ["smooth", "x", "units", "seg", "pin"];     // what figures are made by; they hold all runs
  const SETTLE_MS = 300;

  rl.defaults = DEFAULTS;
  rl.state = Object.assign({}, DEFAULTS);

  const listeners = [];
  /* Call `listener(changed: Set<string>, moving: boolean)` after every change. */
  rl.on = (listener) => { listeners.push(listener); };

  const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

  /* Change the state. `moving` marks one frame of a gesture that goes on: nothing settles yet. */
  rl.set = function (patch, moving) {
    const changed = new Set();
    for (const key of Object.keys(patch)) {
      if (!(key in DEFAULTS) || same(rl.state[key], patch[key])) continue;
      rl.state[key] = patch[key];
      changed.add(key);
    }
    if (changed.size) for (const listener of listeners) listener(changed, Boolean(moving));
    if (changed.size || !moving) announce(changed, Boolean(moving));
  };

  /* ---- publishing to whoever listens outside (Dash stores, or nobody in a static page) ---- */

  let publish = () => {};
  const published = { range: "null", "range-settled": "null", episode: "null", shown: "null" };     // as stores begin
  const timers = {};
  rl.connect = (callback) => { publish = callback || publish; };

  function send(name, value) {
    const text = JSON.stringify(value);
    if (published[name] === text) return;
    published[name] = text;
    publish(name, JSON.parse(text));
  }

  function later(name, action, wait) {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(action, wait);
  }

  /* The range a gesture came to rest at, as the outside knows it. */
  rl.settled = () => (published["range-settled"] ? JSON.parse(published["range-settled"]) : null);

  rl.selection = () => Object.fromEntries(SELECTION.map((key) => [key, rl.state[key]]));

  function announce(changed, moving) {
    if (changed.has("tab")) send("tab", rl.state.tab);
    if (changed.has("ep")) send("episode", rl.state.ep);
    if (changed.has("exp")) send("shown", rl.state.exp);
    /* Every word to a Dash store makes its renderer ask all components of the page: none during a gesture. */
    if (moving) clearTimeout(timers.settle);
    else later("settle", () => { send("range", rl.state.range); send("range-settled", rl.state.range); }, SETTLE_MS);
    if (SELECTION.some((key) => changed.has(key))) later("selection", () => send("selection", rl.selection()), 20);
  }

  /* The same as values, for an outside that asks: [tab, selection, range, episode]. */
  rl.initial = function () {
    const first = { tab: rl.state.tab, selection: rl.selection(), range: rl.state.range, episode: rl.state.ep };
    for (const name of Object.keys(first)) published[name] = JSON.stringify(first[name]);
    published["range-settled"] = published.range;
    return Object.values(first);
  };

  /* Tell the outside what the link of the page asked for; what stands at its default is not worth a word. */
  rl.tellInitial = function () {
    // The selection first: the page of a tab is asked for with what is pinned on it.
    if (SELECTION.some((key) => !same(rl.state[key], DEFAULTS[key]))) send("selection", rl.selection());
    for (const [name, key] of [["shown", "exp"], ["tab", "tab"], ["episode", "ep"], ["range", "range"], ["range-settled", "range"]])
      if (rl.state[key] !== null) send(name, rl.state[key]);
  };

  /* Back to the view a page opens with. Smoothing, axis and units are choices of reading and stay. */
  rl.reset = () => rl.set({ range: null, win: "aligned", exp: null, yscale: "fit", ep: null, base: "", group: "", colour: "", where: null });
  rl.isReset = () => ["range", "win", "exp", "yscale", "ep", "base", "group", "colour", "where"].every((key) => same(rl.state[key], DEFAULTS[key]));

  /* "133-140" → [133, 140]; an en dash and one step ("136") are fine; null when it is no range. */
  rl.parseRange = function (text) {
    const found = /^\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?$/.exec(String(text));
    if (!found) return null;
    const first = Number(found[1]), last = Number(found[2] === undefined ? found[1] : found[2]);
    return first <= last ? [first, last] : [last, first];
  };
  rl.rangeText = (range, dash) => `${range[0]}${dash || "–"}${range[1]}`;
})(window.rlboard);
