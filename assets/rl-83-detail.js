/* The drawer with the details of a run, and the metrics a user pins to a page. */
(function (rl) {
  "use strict";

  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
  const body = () => document.getElementById("detail-body");
  let asked = 0, met = "";

  /* Ask the server for a part of a run: "config:r3f2a". Until it answers, what stood there before is not shown. */
  function ask(value) {
    const [what, run] = value.split(":"), place = body();
    if (!place || !window.dash_clientside || !window.dash_clientside.set_props) return;
    watch(place);
    place.setAttribute("aria-busy", "true");
    window.dash_clientside.set_props("detail-asked", { data: { what, run, nth: ++asked } });
  }

  /* Every answer carries its number, so an answer equal to the one before is noticed too. */
  function watch(place) {
    if (place.dataset.watched) return;
    place.dataset.watched = "1";
    new MutationObserver(() => {
      const answer = place.querySelector("[data-answer]");
      if (!answer || answer.dataset.answer !== String(asked) || answer.dataset.answer === met) return;
      met = answer.dataset.answer;
      place.removeAttribute("aria-busy");
      rl.translate(place.closest("dialog"));
      rl.filters(place);
      pressed();
    }).observe(place, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-answer"] });
  }

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
