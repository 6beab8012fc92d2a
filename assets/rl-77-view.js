/* Links to the view that shows the numbers of a statement, and what a page tells for one unit of the entropy alone. */
(function (rl) {
  "use strict";

  let wanted = "";     // chart to bring into view once its page is there

  function reach() {
    const places = wanted ? [...document.querySelectorAll(`figure[data-chart="${CSS.escape(wanted)}"]`)] : [];
    const place = places.find((figure) => !figure.closest("[hidden]"));
    if (!place) return;
    wanted = "";
    place.scrollIntoView({ block: "center" });
    place.classList.add("shown-now");
    place.addEventListener("animationend", () => place.classList.remove("shown-now"), { once: true });
  }
  new MutationObserver(reach).observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[data-act=view]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { patch } = rl.readQuery(new URL(link.href).search);
    if (patch.ep) { rl.openEpisode(patch.ep); return; }
    wanted = link.dataset.value;
    rl.set(Object.assign({ exp: null, range: null, ep: null }, patch));
    reach();
  });

  const units = () => { document.documentElement.dataset.units = rl.state.units; };
  rl.on((changed) => { if (changed.has("units")) units(); });
  rl.onPayload(units);
})(window.rlboard);
