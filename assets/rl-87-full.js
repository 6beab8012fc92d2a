/* The full version of a run: its charts are asked for when it is unfolded, and mount when they come into view. */
(function (rl) {
  "use strict";

  let told = "[]";

  /* Say which runs of the page are unfolded, whenever that changed: a page of another tab keeps open what React kept. */
  function tell() {
    const open = [...document.querySelectorAll("details[data-full][open]")].map((el) => el.dataset.full).sort();
    const text = JSON.stringify(open), server = window.dash_clientside && window.dash_clientside.set_props;
    if (text === told || !server) return;
    told = text;
    server("unfolded", { data: open });
  }

  document.addEventListener("toggle", (event) => {
    if (!event.target.matches || !event.target.matches("details[data-full]")) return;
    tell();
    rl.scan();
  }, true);
  rl.onPayload(() => setTimeout(tell, 0));
})(window.rlboard);
