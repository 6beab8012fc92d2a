/* New grave episodes, crashes and ends: said to screen readers, counted in the title of the browser's tab while
   nobody looks, and shown as desktop notifications where the user asked for them. Each once per page. */
(function (rl) {
  "use strict";

  const MOST = 3;             // notifications at once; further ones are in the title's count
  const PLAIN = document.title;
  let known = null, open = true, unseen = 0, wanted = false;

  const words = ([, kind, run, from, to]) => rl.t(`news.${kind}`, {
    run, steps: to === null || to === from ? String(from) : rl.rangeText([from, to]),
  });

  /* What a board holds when the page opens, or when a reading ends, is no news. */
  rl.news = function (manifest) {
    const items = manifest.news || [], before = known, settled = open;
    known = new Set(items.map(([name]) => name));
    open = !manifest.unread;
    if (before === null || !settled) return;
    const fresh = items.filter(([name]) => !before.has(name));
    before.forEach((name) => known.add(name));
    if (!fresh.length) return;
    rl.announce(fresh.slice(0, MOST).map(words).join(rl.t("list.semicolon")));
    if (document.hidden) unseen += fresh.length;
    title();
    if (wanted) fresh.slice(0, MOST).forEach(notify);
  };

  function title() {
    const base = PLAIN.replace(/^\(\d+\) /, "");
    document.title = unseen ? `(${unseen}) ${base}` : base;
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { unseen = 0; title(); } });

  /* ---- desktop notifications: only after a click ---- */

  const possible = () => "Notification" in window && window.isSecureContext && Boolean(document.getElementById("react-entry-point"));

  function notify(item) {
    try {
      const shown = new Notification(words(item), { tag: item[0] });
      shown.onclick = () => { window.focus(); shown.close(); };
    } catch { wanted = false; show(); }      // phones let only service workers notify
  }

  function show() {
    for (const button of document.querySelectorAll("[data-act=notify]")) {
      button.hidden = !possible();
      button.setAttribute("aria-pressed", String(wanted));
    }
  }

  document.addEventListener("click", async (event) => {
    if (!event.target.closest || !event.target.closest("[data-act=notify]") || !possible()) return;
    if (wanted) wanted = false;
    else {
      wanted = (await Notification.requestPermission()) === "granted";
      if (!wanted) rl.notice("news.refused");
    }
    show();
  });

  rl.onPayload(show);
})(window.rlboard);
