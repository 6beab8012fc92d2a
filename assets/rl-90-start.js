/* Start: the same for a live page (Dash stores listen) and for a page that carries its payload with it. */
(function (rl) {
  "use strict";

  let started = false, told = false, watching = 0;

  /* options: publish(name, value) → outside; words {zh, en}; figures: one payload, or {page id: payload} for a page
     that carries all of them (a page id is a tab, or "ep:<episode>"); tab: the page to open without a link. */
  rl.start = function (options) {
    const given = options || {};
    if (given.words) rl.setWords(given.words);
    if (started) return;
    started = true;
    const fromUrl = rl.loadUrl();
    const html = document.documentElement, page = (html.dataset.lang !== "auto" && html.lang) || navigator.language || "zh";
    const auto = { lang: page.startsWith("zh") ? "zh" : "en", tab: given.tab || null };
    Object.assign(rl.state, auto, rl.loadPreferences(), fromUrl);
    if (given.publish) rl.connect(given.publish);
    rl.applyLook();
    if (given.figures && !given.figures.charts) carry(given.figures);
    watch();
    meet();
    if (given.figures && given.figures.charts) rl.draw(given.figures, given.words);
  };

  /* A page that carries every payload shows the sections of the page in force and draws its charts. */
  function carry(pages) {
    const show = () => {
      const episode = rl.state.ep === null ? "" : `ep:${rl.state.ep}`;
      const id = episode in pages ? episode : rl.state.tab in pages ? rl.state.tab : Object.keys(pages)[0];
      for (const section of document.querySelectorAll("[data-page]")) section.hidden = section.dataset.page !== id;
      if (rl.payload() !== pages[id]) rl.draw(pages[id]);
    };
    rl.on((changed) => { if (changed.has("tab") || changed.has("ep")) show(); });
    show();
  }

  /* Whatever a framework puts into the page later gets its language, its state and its charts. */
  function meet() {
    watching = 0;
    rl.applyLook();
    rl.translate(document);
    take();
    rl.mountSteps();
    rl.mountConfig();
    rl.sync();
    rl.scan();
    rl.showNotices();
    if (!told && document.querySelector("[data-act],#steps")) { told = true; rl.tellInitial(); }
  }

  function watch() {
    new MutationObserver((changes) => {
      if (watching || !changes.some(structural)) return;
      watching = requestAnimationFrame(meet);
    }).observe(document.body, { childList: true, subtree: true });
  }
  /* Changes made by plotly or by this script are none of the page's. */
  const structural = ({ target, addedNodes, removedNodes }) => target.nodeType === 1 && !(target instanceof SVGElement)
    && !target.closest(".plot,.ruler,.badges,.badge-why,.rl-stats,.rl-notices,dialog,figcaption,#rl-live")
    && [...addedNodes, ...removedNodes].some((node) => node.nodeType === 1 && !OWN.test(node.id || ""));
  const OWN = /^(rl-|js-plotly|plotly)/;

  /* Draw a payload with these words. */
  rl.draw = function (figures, words) {
    if (words) { rl.setWords(words); rl.applyLook(); }
    offered = figures && figures.charts ? figures : offered;
    meet();
  };

  /* A payload counts for the page in force: an answer that comes late is dropped, a page nobody knows gives way. */
  let offered = null;
  function take() {
    if (!offered) return;
    const { tab } = offered, now = rl.state.tab, tabs = [...document.querySelectorAll("[data-act=tab]")].map((el) => el.dataset.value);
    if (tab && now !== null && tab !== now) {
      if (!tabs.length) return;
      if (tabs.includes(now)) { offered = null; return; }
      rl.notice("url.bad", { key: "tab", value: now });
    }
    const figures = offered;
    offered = null;
    if (tab) rl.set({ tab });
    rl.setPayload(figures);
  }

  /* What the data folder holds now: texts of the places [data-slot=name], and what happened. */
  rl.manifest = function (manifest) {
    if (!manifest) return;
    last = manifest;
    const texts = Object.assign({ clock: manifest.clock }, manifest.slots);
    for (const el of document.querySelectorAll("[data-slot]")) {
      const text = texts[el.dataset.slot];
      if (text !== undefined) rl.put(el, rl.pick(text));
    }
    rl.notesPlace(manifest.notes);
    rl.news(manifest);
    rl.sync();
  };
  let last = null;
  rl.on((changed) => { if (changed.has("lang")) rl.manifest(last); });

  /* ---- Dash ---- */

  const keep = () => window.dash_clientside.no_update;
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    rlboard: {
      words: (words) => { boot(); rl.draw(null, words); return keep(); },
      draw: (figures) => { boot(); rl.draw(figures); rl.answered("figures", figures && figures.of); return keep(); },
      manifest: (manifest) => { boot(); rl.manifest(manifest); return manifest ? manifest.told : keep(); },
      polling: (resting) => { rl.polling(Boolean(resting)); return keep(); },
      page: (answer) => { boot(); rl.showPage(answer); return keep(); },
      noted: (answer) => { boot(); rl.noted(answer); return keep(); },
      show: (answer) => { boot(); rl.showAround(answer); return keep(); },
      follow: (manifest) => { boot(); return rl.follow(manifest); },
      /* [tab, selection, range, episode] once, from the link of the page */
      initial: () => { boot(); return rl.initial(); },
    },
  });
  const boot = () => rl.start({ publish: (name, value) => window.dash_clientside.set_props(name, { data: value }) });

  const auto = () => { if (document.getElementById("react-entry-point")) boot(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", auto); else auto();
})(window.rlboard);
