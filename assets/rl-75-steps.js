/* #steps: two number boxes and a ruler with two handles. The same parts stand in a sheet on phones. */
(function (rl) {
  "use strict";

  const parts = [];      // every ruler on the page: {root, refresh}

  /* What the ruler spans: all steps of the page, and the chosen range should it reach further. */
  function bounds() {
    const steps = (rl.payload() || {}).steps || [1, 1], range = rl.state.range;
    return range ? [Math.min(steps[0], range[0]), Math.max(steps[1], range[1])] : steps;
  }
  const current = () => rl.state.range || bounds();
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  function choose(first, last, moving) {
    const [low, high] = bounds(), range = [clamp(Math.min(first, last), low, high), clamp(Math.max(first, last), low, high)];
    const whole = range[0] === low && range[1] === high;
    rl.set({ range: whole ? null : range }, moving);
  }

  const make = (tag, className, rest) => Object.assign(document.createElement(tag), { className }, rest);

  /* Build one control inside `root`. */
  rl.buildSteps = function (root) {
    const boxes = [0, 1].map((end) => {
      const box = make("input", "box", { type: "text", inputMode: "numeric", autocomplete: "off", maxLength: 12 });
      box.addEventListener("input", () => { box.dataset.typing = ""; });
      box.addEventListener("change", () => typed(box, end));
      box.addEventListener("keydown", (event) => {
        if (event.key === "Enter") typed(box, end);
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (by) { delete box.dataset.typing; nudge(end, by); event.preventDefault(); }
      });
      return box;
    });
    const ruler = make("div", "ruler"), rail = make("span", "rail"), fill = make("span", "fill"), marks = make("span", "marks");
    const handles = [0, 1].map((end) => handle(ruler, end));
    ruler.append(rail, marks, fill, ...handles);
    drag(ruler, fill);
    const word = make("span", "lbl");
    root.replaceChildren(word, boxes[0], ruler, boxes[1]);
    const part = { root, refresh: () => refresh({ word, boxes, fill, handles, marks }) };
    parts.push(part);
    part.refresh();
  };

  function typed(box, end) {
    delete box.dataset.typing;
    const pair = rl.parseRange(box.value), range = current().slice();
    if (!pair) { rl.notice("range.bad", { value: box.value.slice(0, 20) }); box.value = String(range[end]); return; }
    if (/[-–]/.test(box.value)) choose(pair[0], pair[1]);
    else {
      range[end] = pair[0];
      if (range[0] > range[1]) range[1 - end] = range[end];
      choose(range[0], range[1]);
    }
    refreshAll();
  }

  function nudge(end, by) {
    const range = current().slice(), [low, high] = bounds();
    range[end] = end ? clamp(range[1] + by, range[0], high) : clamp(range[0] + by, low, range[1]);
    choose(range[0], range[1]);
  }

  const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

  function handle(ruler, end) {
    const el = make("span", "h", { tabIndex: 0 });
    el.setAttribute("role", "slider");
    el.addEventListener("keydown", (event) => {
      const [low, high] = bounds();
      if (event.key in MOVES) nudge(end, MOVES[event.key]);
      else if (event.key === "Home") nudge(end, low - high);
      else if (event.key === "End") nudge(end, high - low);
      else return;
      event.preventDefault();
    });
    return el;
  }

  /* Pointer: a handle moves one end, the filled part moves both, the bare rail brings the nearer end. */
  function drag(ruler, fill) {
    let grip = null, frame = 0, start = 0, from = [0, 0];
    const stepAt = (event) => {
      const box = ruler.getBoundingClientRect(), [low, high] = bounds();
      return Math.round(low + clamp((event.clientX - box.left) / box.width, 0, 1) * (high - low));
    };
    const move = (event, moving) => {
      const step = stepAt(event), [low, high] = bounds();
      if (grip === "both") {
        const by = clamp(step - start, low - from[0], high - from[1]);
        choose(from[0] + by, from[1] + by, moving);
      } else choose(grip ? Math.min(from[0], step) : Math.min(step, from[1]), grip ? Math.max(step, from[0]) : from[1], moving);
    };
    ruler.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      start = stepAt(event);
      from = current().slice();
      const onHandle = [...ruler.querySelectorAll(".h")].indexOf(event.target);
      const whole = from[0] === bounds()[0] && from[1] === bounds()[1];
      grip = onHandle >= 0 ? onHandle : event.target === fill && !whole ? "both" : Math.abs(start - from[0]) <= Math.abs(start - from[1]) ? 0 : 1;
      ruler.setPointerCapture(event.pointerId);
      if (grip !== "both") ruler.querySelectorAll(".h")[grip].focus({ preventScroll: true });
      event.preventDefault();
      if (onHandle < 0 && grip !== "both") move(event, true);
    });
    ruler.addEventListener("pointermove", (event) => {
      if (grip === null) return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => { if (grip !== null) move(event, true); });
    });
    const stop = (event) => {
      if (grip === null) return;
      cancelAnimationFrame(frame);
      move(event, false);
      grip = null;
    };
    ruler.addEventListener("pointerup", stop);
    ruler.addEventListener("pointercancel", stop);
    ruler.addEventListener("dblclick", () => rl.resetRange());
  }

  function refresh({ word, boxes, fill, handles, marks }) {
    const [low, high] = bounds(), range = current(), size = Math.max(high - low, 1);
    const part = (step) => `${(clamp((step - low) / size, 0, 1) * 100).toFixed(2)}%`;
    rl.put(word, rl.t("steps.label"));
    boxes.forEach((box, end) => {
      // What is being typed stays until it is taken or left.
      if (document.activeElement !== box || box.dataset.typing === undefined) box.value = String(range[end]);
      box.setAttribute("aria-label", rl.t(end ? "steps.last" : "steps.first"));
    });
    fill.style.left = part(range[0]);
    fill.style.right = `calc(100% - ${part(range[1])})`;
    handles.forEach((el, end) => {
      el.style.left = part(range[end]);
      const values = { valuemin: end ? range[0] : low, valuemax: end ? high : range[1], valuenow: range[end], label: rl.t(end ? "steps.last" : "steps.first") };
      for (const [name, value] of Object.entries(values)) el.setAttribute(`aria-${name}`, String(value));
    });
    drawMarks(marks, low, high, part);
  }

  /* Ticks, the end of the aligned window, episodes of visible runs. Redrawn only when they change. */
  function drawMarks(marks, low, high, part) {
    const payload = rl.payload() || {}, visible = payload.runs ? rl.visibleRuns(payload, rl.state.exp) : new Set();
    const episodes = (payload.episodes || []).filter((episode) => visible.has(episode.run));
    const key = JSON.stringify([low, high, payload.window, episodes.map((episode) => episode.id)]);
    if (marks.dataset.key === key) return;
    marks.dataset.key = key;
    const out = [], every = [25, 50, 100, 250, 500, 1000, 5000, 25000, 100000].find((step) => (high - low) / step <= 10) || high - low;
    const put = (className, left) => { const el = make("i", className); el.style.left = left; out.push(el); return el; };
    for (let step = Math.ceil(low / every) * every; step <= high; step += every) if (step > low) put("tk", part(step));
    if (payload.window && payload.window[1] < high) put("al", part(payload.window[1]));
    for (const episode of episodes) put("ep", part(episode.start)).style.right = `calc(100% - ${part(episode.end)})`;
    marks.replaceChildren(...out);
  }

  function refreshAll() {
    for (const part of [...parts]) {
      if (part.root.isConnected) part.refresh();
      else parts.splice(parts.indexOf(part), 1);
    }
    for (const button of document.querySelectorAll("[data-act=steps-sheet]")) rl.put(button, rl.rangeText(current()));
  }

  /* Fill #steps when the page brings it: the control for wide screens, one button for phones. */
  rl.mountSteps = function () {
    const place = document.getElementById("steps");
    if (!place || place.dataset.built) { refreshAll(); return; }
    place.dataset.built = "1";
    const wide = make("div", "ctl steps-wide no-m"), button = make("button", "sel only-m", { type: "button" });
    button.dataset.act = "steps-sheet";
    button.setAttribute("aria-haspopup", "dialog");
    place.append(wide, button);
    rl.buildSteps(wide);
    refreshAll();
  };

  rl.on((changed) => { if (["range", "exp", "lang", "tab"].some((key) => changed.has(key))) refreshAll(); });
  rl.onPayload(refreshAll);
})(window.rlboard);
