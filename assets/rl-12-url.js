/* The view as a link: state ↔ query string. Keys of others are kept; bad values fall back with a notice. */
(function (rl) {
  "use strict";

  const LONGEST = 1999;          // of the whole link; some programs cut longer ones
  const room = () => LONGEST - (location.origin + location.pathname).length - 1;
  const list = {
    read: (text) => text.split(",").map((part) => part.trim()).filter(Boolean),
    write: (value) => value.join(","),
  };
  /* Names of metrics may hold anything a log can print, so commas inside them are written as %2C. */
  const names = {
    read: (text) => [...new Set(list.read(text).map((part) => part.replace(/%(2C|25)/gi, decodeURIComponent)))],
    write: (value) => value.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(","),
  };
  const oneOf = (...values) => ({
    read: (text) => (values.includes(text) ? text : undefined),
    write: (value) => value,
  });
  /* A name or key as somebody wrote it. */
  const free = { read: (text) => (text && text.length <= 300 ? text : undefined), write: (value) => value };
  /* `key=value,value`; an empty value stands for runs whose config lacks the key. */
  const setting = {
    read: (text) => {
      const [, key, values] = /^([^=]{1,200})=(.*)$/s.exec(text) || [];
      return key ? { key, values: values.split(",").map((part) => part.replace(/%(2C|25)/gi, decodeURIComponent)) } : undefined;
    },
    write: ({ key, values }) => `${key}=${names.write(values)}`,
  };
  const word = { read: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined), write: (value) => value };

  /* query key → [state key, codec]; `read` gives undefined for a value that cannot be used */
  const CODECS = {
    tab: ["tab", word],
    exp: ["exp", list],
    steps: ["range", {
      read: (text) => rl.parseRange(text) || undefined,
      write: (value) => rl.rangeText(value, "-"),
    }],
    ep: ["ep", { read: (text) => (/^.+:\d{1,9}(-\d{1,9})?$/.test(text) ? text : undefined), write: (value) => value }],
    win: ["win", oneOf("aligned", "all")],
    smooth: ["smooth", oneOf("auto", "raw", "mean5", "ema0.9", "median5")],
    x: ["x", oneOf("step", "tokens", "hours")],
    units: ["units", oneOf("token", "logged")],
    seg: ["seg", oneOf("last", "first", "all")],
    yscale: ["yscale", oneOf("fit", "log", "robust", "zero")],
    base: ["base", free],
    group: ["group", free],
    band: ["band", oneOf("range", "sd", "se")],
    colour: ["colour", free],
    where: ["where", setting],
    phase: ["phase", { read: (text) => { const two = names.read(text); return two.length === 2 ? two : undefined; }, write: names.write }],
    pin: ["pin", names],
    pair: ["pair", {
      read: (text) => { const two = names.read(text); return two.length === 2 ? two : undefined; },
      write: names.write,
    }],
    notes: ["notes", oneOf("shown", "hidden")],
    note: ["note", { read: (text) => (/^[0-9a-f]{16}$/.test(text) ? text : undefined), write: (value) => value }],
    lang: ["lang", oneOf("zh", "en")],
    theme: ["theme", oneOf("light", "dark", "system")],
  };
  let explicit = new Set();   // lang and theme stand in the link only when the link or the user named them

  /* Query string → {patch, bad: [[key, text]]}. Pure. */
  rl.readQuery = function (query) {
    const params = new URLSearchParams(query), patch = {}, bad = [];
    for (const [key, [name, codec]] of Object.entries(CODECS)) {
      if (!params.has(key)) continue;
      const text = params.get(key), value = codec.read(text);
      if (value === undefined) bad.push([key, text]);
      else patch[name] = value;
    }
    return { patch, bad };
  };

  const readable = (params) => String(params).replace(/%2C/gi, ",").replace(/%3A/gi, ":").replace(/%2F/gi, "/").replace(/%3D/gi, "=");

  /* State → query string without "?"; `keep` holds parameters of others. Readable: "," and ":" stay as they are. */
  rl.writeQuery = function (state, keep) {
    const params = new URLSearchParams(keep || "");
    for (const [key, [name, codec]] of Object.entries(CODECS)) {
      const value = state[name];
      const shown = key === "lang" || key === "theme" ? explicit.has(key)
        : key === "exp" && state.where ? false      // follows from the setting
        : key === "tab" ? value !== null : JSON.stringify(value) !== JSON.stringify(rl.defaults[name]);
      if (shown && value !== null) params.set(key, codec.write(value));
      else params.delete(key);
    }
    for (const key of ["pin", "exp", "pair"]) if (readable(params).length > room()) params.delete(key);
    return readable(params);
  };

  rl.loadUrl = function () {
    const { patch, bad } = rl.readQuery(location.search);
    explicit = new Set(["lang", "theme"].filter((key) => key in patch));
    for (const [key, text] of bad) rl.notice("url.bad", { key, value: text.slice(0, 40) });
    return patch;
  };

  function saveUrl(changed) {
    for (const key of ["lang", "theme"]) if (changed.has(key)) explicit.add(key);
    const query = rl.writeQuery(rl.state, location.search);
    if (query.length > room()) return;
    const lost = [...(rl.state.where ? [] : ["exp"]), "pin"].some((key) => rl.state[key] && rl.state[key].length && !RegExp(`(^|&)${key}=`).test(query));
    if (lost) rl.notice("url.long", {});
    const address = location.pathname + (query ? "?" + query : "") + location.hash;
    if (address === location.pathname + location.search + location.hash) return;
    try { history.replaceState(history.state, "", address); } catch { /* browsers limit how often; the next one wins */ }
  }

  let timer = 0;
  rl.on((changed, moving) => {
    clearTimeout(timer);
    const keys = new Set(changed);
    if (moving) timer = setTimeout(() => saveUrl(keys), 300);
    else saveUrl(keys);
  });
})(window.rlboard);
