/* The drawer with the details of a run, and the metrics a user pins to a page. */
(function (rl) {
  "use strict";

  const all = (selector) => [...document.querySelectorAll(selector)];
  const place = (name) => document.getElementById(`detail-${name}`);
  let asked = 0, shown = "";

  /* Ask the server for a part of a run: "config:r3f2a". Until it answers, nothing of another run is there. */
  function ask(value) {
    const [what, run] = value.split(":"), dash = window.dash_clientside;
    if (!place("body") || !dash || !dash.set_props) return;
    if (run !== shown) for (const name of ["title", "body"]) place(name).replaceChildren();
    shown = run;
    place("body").setAttribute("aria-busy", "true");
    dash.set_props("detail-asked", { data: { what, run, nth: ++asked } });
  }

  /* Elements of what `components.tree` wrote down. Text only ever becomes text. */
  function build(node) {
    if (typeof node === "string") return document.createTextNode(node);
    const el = document.createElement(node.tag);
    for (const [name, value] of Object.entries(node.with)) el.setAttribute(name, value);
    el.append(...node.in.map(build));
    return el;
  }

  /* Show an answer; one that was overtaken by another question is dropped. Focus stays on the choice of parts. */
  rl.showDetail = function (answer) {
    const body = place("body");
    if (!answer || !body || answer.nth !== asked) return;
    const focused = document.activeElement, chosen = body.contains(focused) && (focused.closest(".scopes") ? ".scopes " : "");
    place("title").replaceChildren(...answer.title.map(build));
    body.replaceChildren(build(answer.body));
    body.removeAttribute("aria-busy");
    body.closest("dialog").scrollTop = 0;
    if (chosen !== false) body.querySelector(`${chosen}[aria-current]`)?.focus();
    rl.filters(body);
    pressed();
  };

  /* ---- pins ---- */

  function toggle(name) {
    const { pin } = rl.state;
    rl.set({ pin: pin.includes(name) ? pin.filter((other) => other !== name) : [...pin, name] });
  }

  function pressed() {
    for (const button of all("[data-act=pin][aria-pressed]"))
      button.setAttribute("aria-pressed", String(rl.state.pin.includes(button.dataset.value)));
  }

  document.addEventListener("click", (event) => {
    const el = event.target.closest && event.target.closest("[data-act]");
    if (!el) return;
    if (el.dataset.act === "detail") ask(el.dataset.value);
    if (el.dataset.act !== "pin") return;
    toggle(el.dataset.value);
    // The chart goes away together with the button that had the focus.
    if (el.closest("figure")) document.getElementById("page")?.focus({ preventScroll: true });
  });
  rl.on((changed) => { if (changed.has("pin")) pressed(); });
})(window.rlboard);
