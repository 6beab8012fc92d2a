/* A live page: what it shows follows what the server has, one answer at a time, and the right edge follows the run.
   `content` names what is to be shown. While its page or its figures are on their way nothing newer of the same
   place is asked for: on a busy server the newest answer would otherwise always come too late to be taken. */
(function (rl) {
  "use strict";

  const PATIENCE_MS = 20000;      // an answer that never comes does not stop the page for longer
  const WHERE = ["tab", "ep", "pins", "steps"];
  let manifest = null, asked = null, around = "", shown = null, timer = 0;
  const waiting = new Set();

  const no = () => window.dash_clientside.no_update;
  const same = (a, b, keys) => a && b && keys.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));

  function wanted() {
    const { state } = rl, tab = state.tab === null ? "overview" : state.tab;
    return {
      tab, ep: state.ep, pins: state.pin, steps: tab === "overview" && state.ep === null ? rl.settled() : null,
      key: (manifest.keys || {})[tab] || manifest.told, version: manifest.version, since: shown,
    };
  }

  /* [content, around, report] after a new manifest, tab, episode, pin or range: each only if it has to be asked for. */
  rl.follow = function (now) {
    manifest = now || manifest;
    if (!manifest) return [no(), no(), no()];
    return [content(), frame(), report()];
  };

  function content() {
    const next = wanted(), moved = !same(next, asked, WHERE);
    if (!moved && (next.key === asked.key || waiting.size)) return no();
    return ask(next);
  }
  function ask(next) {
    asked = next;
    waiting.clear();
    waiting.add("page").add("figures");
    clearTimeout(timer);
    timer = setTimeout(() => { waiting.clear(); again(); }, PATIENCE_MS);
    return next;
  }

  function frame() {
    const tab = rl.state.tab, key = `${tab}|${manifest.around}`;
    if (key === around) return no();
    around = key;
    return { tab, key, version: manifest.version };
  }

  /* ---- the reading report is made when it is opened, and kept up to date while it is open ---- */

  const shut = () => !document.getElementById("report")?.open;
  const report = () => (shut() ? no() : manifest.version);
  document.addEventListener("click", (event) => {
    if (event.target.closest && event.target.closest("[data-act=report]") && manifest) send("report-open", manifest.version);
  });

  const send = (id, data) => { if (window.dash_clientside.set_props) window.dash_clientside.set_props(id, { data }); };

  /* An answer arrived: what came up meanwhile may be asked for now. */
  rl.answered = function (part, of) {
    if (!asked || !of || !same(of, asked, [...WHERE, "key"])) return;
    waiting.delete(part);
    if (!waiting.size) again();
  };

  function again() {
    clearTimeout(timer);
    const next = manifest ? content() : no();
    if (next !== no()) send("content", next);
  }

  /* Show a page. One that another question has overtaken is dropped; edits of a page that is not there are no use. */
  rl.showPage = function (answer) {
    if (!answer || !asked || !same(answer.of, asked, WHERE)) return;
    if (answer.edits && answer.since !== shown) { send("content", ask(Object.assign(wanted(), { since: null }))); return; }
    const nodes = answer.edits ? rl.edited("page", answer.edits) : structuredClone(answer.nodes);
    shown = answer.is;
    rl.show("page", nodes);
    rl.draw(null);
    rl.answered("page", answer.of);
  };

  /* Show what stands around the page: nodes by place. */
  rl.showAround = function (answer) {
    for (const [id, nodes] of Object.entries(answer || {})) rl.show(id, structuredClone(nodes));
    if (answer) rl.draw(null);
  };

  /* ---- the server ---- */

  /* A poll rests until its answer. One that gets none is let go after a while, and the page says so. */
  let patience = 0, letGo = false;
  rl.polling = function (resting) {
    clearTimeout(patience);
    if (resting) patience = setTimeout(lost, PATIENCE_MS / 2);
    else if (letGo) letGo = false;
    else document.getElementById("rl-lost")?.remove();
  };

  function lost() {
    letGo = true;
    window.dash_clientside.set_props("poll", { disabled: false });
    if (document.getElementById("rl-lost")) return;
    const line = document.createElement("div"), noun = document.createElement("b");
    line.id = "rl-lost";
    line.className = "rl-banner";
    line.setAttribute("role", "alert");
    noun.className = "bad";
    noun.dataset.word = "live.lost";
    noun.textContent = rl.t("live.lost");
    line.append(noun);
    document.body.prepend(line);
  }

  /* ---- the right edge goes along when it was put at the end, and only then ---- */

  let tab = null, atEnd = false, going = false;
  const ends = (figures) => Boolean(figures && figures.steps && rl.state.range && rl.state.range[1] >= figures.steps[1]);

  rl.on((changed) => { if (changed.has("range") && !going) atEnd = ends(rl.payload()); });
  rl.onPayload((figures) => {
    const { range, ep } = rl.state;
    if (tab !== figures.tab) { tab = figures.tab; atEnd = ends(figures); return; }
    if (!atEnd || !range || ep !== null || !figures.steps || figures.steps[1] <= range[1]) return;
    going = true;
    rl.set({ range: [range[0], figures.steps[1]] });
    going = false;
  });
})(window.rlboard);
