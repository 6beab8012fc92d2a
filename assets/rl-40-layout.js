/* The plotly layout every chart starts from: margins by size, axes, fonts, config. Pure. */
(function (rl) {
  "use strict";

  const MARGINS = {
    comparison: { l: 38, r: 64, t: 18, b: 22 },
    experiment: { l: 44, r: 46, t: 18, b: 22 },   // room for −0.010
    episode: { l: 38, r: 60, t: 18, b: 20 },
    mini: { l: 24, r: 38, t: 6, b: 18 },
    slope: { l: 64, r: 72, t: 16, b: 6 },
    advantage: { l: 38, r: 128, t: 14, b: 22 },
  };
  const touch = window.matchMedia("(hover: none)");
  let family = "";     // asking for it makes the browser work out every style again
  const fontFamily = () => { family = family || getComputedStyle(document.body).fontFamily; return family; };

  const merge = (base, over) => {
    const out = Object.assign({}, base);
    for (const [key, value] of Object.entries(over || {}))
      out[key] = value && typeof value === "object" && !Array.isArray(value) && base[key] ? merge(base[key], value) : value;
    return out;
  };
  rl.merge = merge;

  /* Layout of one chart without ranges. `extra` is what the payload asks for on top. */
  rl.layout = function (size, extra, width, height) {
    return merge({
      width, height, autosize: false,
      margin: Object.assign({ pad: 0 }, MARGINS[size] || MARGINS.experiment),
      font: { size: 11, color: rl.ink("rl-ink-3"), family: fontFamily() },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      showlegend: false, hovermode: "x unified", dragmode: touch.matches ? false : "zoom",
      hoverlabel: { bgcolor: "#FFFFFF", bordercolor: rl.ink("rl-line-2"), font: { size: 11, color: rl.ink("rl-ink") } },
      hoverdistance: 30, shapes: [], annotations: [],
      xaxis: {
        type: "linear", showgrid: false, zeroline: false, showline: true, linecolor: rl.ink("rl-line-2"), linewidth: 1,
        ticks: "outside", ticklen: 4, tickcolor: rl.ink("rl-line-2"), showspikes: false, tick0: 0, autorange: false, tickangle: 0, ticklabeloverflow: "allow",
      },
      yaxis: {
        gridcolor: rl.ink("rl-grid"), gridwidth: 1, zeroline: false, zerolinecolor: rl.ink("rl-line-2"), zerolinewidth: 1,
        showline: false, ticks: "", ticklabelstandoff: 4, fixedrange: true, showspikes: false, autorange: false, tickangle: 0, ticklabeloverflow: "allow",
      },
    }, extra);
  };

  /* Width and height of the plot area inside the margins. */
  rl.area = (layout) => ({
    width: Math.max(layout.width - layout.margin.l - layout.margin.r, 10),
    height: Math.max(layout.height - layout.margin.t - layout.margin.b, 10),
  });

  /* x axis of a chart along steps (or tokens, hours). */
  rl.axisX = function (view, area) {
    const [first, last] = view.x;
    if (view.xkind !== "step") return { range: [first, last], nticks: Math.max(2, Math.floor(area.width / 56)), tickformat: "~s" };
    const dtick = rl.tickX(first, last, area.width);
    return { range: [first, last], dtick, tickformat: "d", hoverformat: "d" };
  };

  /* y axis for a fitted range. */
  rl.axisY = function (fitted, meta, area, log) {
    const [low, high] = fitted.range;
    if (log) {
      const values = rl.ticksLog(10 ** low, 10 ** high), form = !meta.tick ? ".3g" : values[0] < 1e3 ? ",.0f" : ".1s", text = (value) => rl.number(value, form).replace(".0", "");
      return { type: "log", range: [low, high], tickvals: values, ticktext: values.map(text) };
    }
    return Object.assign({ type: "linear", range: [low, high], zeroline: low < 0 && high > 0 },
      rl.ticksY([low, high], area.height, meta.tick));
  };

  /* The three things a modebar offers here: save as picture, zoom in y, back. Titles follow the language. */
  const ICONS = {
    vertical: "M8 0l3.2 3.2-1 1-1.5-1.5v10.6l1.5-1.5 1 1L8 16l-3.2-3.2 1-1 1.5 1.5V2.7L5.8 4.2l-1-1z",
    save: "M2 12v2h12v-2h1.4v3.4H.6V12zM7.3 1h1.4v7.6l2.5-2.5 1 1L8 11.3 3.8 7.1l1-1 2.5 2.5z",
    reset: "M8 2.6a5.4 5.4 0 1 1-5.2 4h1.5A4 4 0 1 0 8 4v2.4L4.6 3.3 8 .2z",
  };
  const configs = {};
  rl.config = function () {
    const lang = rl.state.lang;
    const button = (name, title, click) =>
      ({ name, title, click, icon: { width: 16, height: 16, path: ICONS[name] } });
    configs[lang] = configs[lang] || {
      displaylogo: false, showSendToCloud: false, doubleClick: false, scrollZoom: false, responsive: false, showTips: false,
      displayModeBar: !touch.matches,
      modeBarButtons: [[
        button("save", rl.t("chart.save"), (plot) => rl.savePicture(plot)),
        button("vertical", rl.t("chart.vertical"), (plot) => rl.toggleVertical(plot)),
        button("reset", rl.t("chart.reset"), () => rl.resetRange()),
      ]],
    };
    return configs[lang];
  };
})(window.rlboard);
