// SPDX-License-Identifier: MIT
// The page's own script: draws the charts with Chart.js in the colours of the theme.

#ifndef SLO_REPORT_PAGE_CHARTS_HPP
#define SLO_REPORT_PAGE_CHARTS_HPP

#include <string_view>

namespace slo::report::page {

/// Reads the element "chart-data" (to_json_object() of each chart) and draws the n-th into "chart-n". When it
/// has looked at what it drew, it leaves `data-ready="charts=N blank=N errors=N requests=N"` on the body:
/// charts without data, errors of scripts and of the policy, and what was asked for beside the page itself.
inline constexpr std::string_view charts = R"js(
(function () {
  "use strict";
  const root = document.documentElement;
  const errors = [];
  const complain = (text) => { errors.push(String(text)); };
  window.addEventListener("error", (event) => complain(event.message));
  document.addEventListener("securitypolicyviolation", (event) => complain(event.violatedDirective + " " + event.blockedURI));

  const asked = /[?#&](?:theme=)?(dark|light)\b/.exec(location.search + location.hash);
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = asked ? asked[1] : null;
  const setTheme = () => { root.dataset.theme = chosen || (prefersDark.matches ? "dark" : "light"); };
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();

  const roleColours = { a: "a", b: "b", c: "c", d: "d", pass: "c", fail: "b", open: "d", target: "target", slo: "slo", mark: "soft" };
  const dashes = { b: [7, 4], c: [2, 3], d: [9, 3, 2, 3], target: [4, 4] };
  const marks = { pass: "circle", fail: "crossRot", open: "rectRot" };
  const number = (value) => Number(value.toPrecision(4)).toLocaleString("en");

  // Bands behind the data, then intervals of points and straight lines with their names before it.
  const frame = {
    id: "frame",
    beforeInit(chart) {
      const fit = chart.legend.fit;
      chart.legend.fit = function () { fit.call(this); this.height += 8; };
    },
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales: { x } } = chart;
      for (const band of chart.options.spec.bands) {
        const left = Math.max(area.left, x.getPixelForValue(band.from));
        const right = Math.min(area.right, x.getPixelForValue(band.to));
        if (!(right > left)) continue;
        ctx.fillStyle = colour("band-" + band.role);
        ctx.fillRect(left, area.top, Math.max(right - left, 2), area.bottom - area.top);
      }
    },
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top - 16, area.right - area.left, area.bottom - area.top + 16);
      ctx.clip();
      chart.data.datasets.forEach((set, index) => {
        if (!chart.isDatasetVisible(index)) return;
        for (const point of set.data) {
          if (point.low === undefined) continue;
          const at = scales.x.getPixelForValue(point.x);
          const low = scales.y.getPixelForValue(point.low);
          const high = scales.y.getPixelForValue(point.high);
          ctx.strokeStyle = set.borderColor;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(at, low); ctx.lineTo(at, high);
          ctx.moveTo(at - 4, low); ctx.lineTo(at + 4, low);
          ctx.moveTo(at - 4, high); ctx.lineTo(at + 4, high);
          ctx.stroke();
        }
      });
      ctx.font = "600 11px " + Chart.defaults.font.family;
      let upright = 0;
      for (const line of chart.options.spec.lines) {
        const across = line.axis === "y";
        const at = (across ? scales.y : scales.x).getPixelForValue(line.at);
        ctx.strokeStyle = ctx.fillStyle = colour(roleColours[line.role]);
        ctx.lineWidth = line.role === "slo" ? 2 : 1;
        ctx.setLineDash(line.role === "slo" ? [8, 4] : [3, 3]);
        ctx.beginPath();
        if (across) { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); } else { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
        ctx.stroke();
        const width = ctx.measureText(line.label).width;
        if (across) {
          ctx.fillText(line.label, area.left + 6, at - 5);
        } else {
          const fits = at + 4 + width < area.right;
          ctx.fillText(line.label, fits ? at + 4 : at - 4 - width, area.bottom - 8 - 15 * (upright++ % 4));
        }
      }
      ctx.restore();
    },
  };

  // The largest value, and the ends of all intervals and objectives that are not so far off that data would be flat.
  const reach = (spec) => {
    const values = spec.series.flatMap((series) => series.points.flatMap((point) => point.slice(1)));
    return values.filter((value) => value !== null);
  };
  const isFar = (spec, line) => line.axis === "y" && line.at > 5 * Math.max(...reach(spec), 0) && line.at > 0;
  const yRange = (spec) => {
    const values = reach(spec).concat(spec.lines.filter((line) => line.axis === "y" && !isFar(spec, line)).map((line) => line.at));
    const range = { suggestedMin: Math.min(...values), suggestedMax: Math.max(...values) };
    return spec.percent ? { min: 0, max: 100 } : Object.assign(range, spec.zero ? { beginAtZero: true } : {});
  };

  // The legend also names what the frame draws.
  const legendOf = (spec) => (chart) => {
    const items = Chart.defaults.plugins.legend.labels.generateLabels(chart);
    for (const item of items)
      if (chart.data.datasets[item.datasetIndex].showLine) Object.assign(item, { pointStyle: "line", lineWidth: 2 });
    for (const band of spec.bands)
      items.push({ text: band.label, fillStyle: colour("band-" + band.role), strokeStyle: colour("soft"), lineWidth: 1, fontColor: colour("text"), pointStyle: "rect" });
    for (const line of spec.lines.filter((one) => one.role === "slo"))
      items.push({ text: line.label + (isFar(spec, line) ? " (above the chart)" : ""), strokeStyle: colour("slo"), lineWidth: 2, lineDash: [6, 3], fontColor: colour("text"), pointStyle: "line" });
    return items;
  };

  const dataset = (series) => {
    const main = colour(roleColours[series.role]);
    const isLine = series.mark !== "points";
    return {
      label: series.label,
      data: series.points.map(([x, y, low, high]) => (low === undefined ? { x, y } : { x, y, low, high })),
      borderColor: main, backgroundColor: series.role === "open" ? colour("card") : main,
      showLine: isLine, stepped: series.mark === "step", borderWidth: isLine ? 2 : 2.5,
      borderDash: (isLine && dashes[series.role]) || [],
      pointStyle: isLine ? "circle" : marks[series.role] || "circle",
      pointRadius: isLine ? (series.points.length > 60 ? 0 : 2) : 6, pointHoverRadius: 7, pointBorderWidth: isLine ? 1 : 2.5,
      spanGaps: false,
    };
  };

  const tickStyle = () => ({ color: colour("soft"), maxRotation: 0, includeBounds: false, callback: (value) => number(value) });
  const axis = (title, more) => Object.assign({
    title: { display: true, text: title, color: colour("soft") },
    ticks: tickStyle(),
    grid: { color: colour("grid"), borderColor: colour("edge") },
  }, more);

  const logTicks = { maxRotation: 0, autoSkip: true, callback(value) {
    const lead = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    return [1, 2, 5].some((one) => Math.abs(lead - one) < 1e-6) ? number(value) : "";
  } };

  const configOf = (spec) => ({
    type: "scatter",
    data: { datasets: spec.series.map(dataset) },
    plugins: [frame],
    options: {
      spec, animation: false, responsive: true, maintainAspectRatio: false, locale: "en",
      interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: axis(spec.x, spec.log ? { type: "logarithmic", ticks: Object.assign({ color: colour("soft") }, logTicks) } : spec.range ? { type: "linear", min: spec.range[0], max: spec.range[1], ticks: Object.assign(tickStyle(), { precision: 0 }) } : { type: "linear" }),
        y: axis(spec.y, Object.assign({ grace: spec.percent ? 0 : "6%" }, yRange(spec))),
      },
      plugins: {
        legend: {
          position: "top", align: "start", onClick: (event, item, legend) => {
            if (item.datasetIndex !== undefined) Chart.defaults.plugins.legend.onClick.call(legend, event, item, legend);
          },
          labels: { color: colour("text"), usePointStyle: true, boxWidth: 18, boxHeight: 8, padding: 12, generateLabels: legendOf(spec) },
        },
        tooltip: { callbacks: {
          title: (items) => (items.length ? spec.x + ": " + number(items[0].parsed.x) : ""),
          label: (item) => item.dataset.label + ": " + number(item.parsed.y),
        } },
      },
    },
  });

  // True where no pixel has a colour of the chart's series: then the data was not drawn.
  const isBlank = (chart) => {
    const { left, top, right, bottom } = chart.chartArea; // the legend has these colours in any case
    const [x, y, width, height] = [left, top, right - left, bottom - top].map((one) => Math.round(one * chart.currentDevicePixelRatio));
    if (!(width > 0 && height > 0)) return true;
    const pixels = chart.ctx.getImageData(x, y, width, height).data;
    const wanted = chart.data.datasets.map((set) => /^#(..)(..)(..)$/.exec(set.borderColor)).filter(Boolean)
      .map((hex) => hex.slice(1).map((two) => parseInt(two, 16)));
    for (let i = 0; i < pixels.length; i += 4)
      if (pixels[i + 3] > 200 && wanted.some((rgb) => rgb.every((one, j) => Math.abs(one - pixels[i + j]) < 12))) return false;
    return true;
  };

  let drawn = [];
  const draw = (specs) => {
    drawn.forEach((chart) => chart.destroy());
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = window.innerWidth < 600 ? 11 : 12;
    drawn = specs.map((spec, index) => new Chart(document.getElementById("chart-" + (index + 1)), configOf(spec)));
  };

  try {
    setTheme();
    root.classList.add("scripted");
    const specs = JSON.parse(document.getElementById("chart-data").textContent);
    const button = document.getElementById("theme");
    const show = () => {
      setTheme();
      button.textContent = root.dataset.theme === "dark" ? "Light theme" : "Dark theme";
      draw(specs);
    };
    button.hidden = false;
    button.addEventListener("click", () => { chosen = root.dataset.theme === "dark" ? "light" : "dark"; show(); });
    prefersDark.addEventListener("change", show);
    let before = null;
    window.addEventListener("beforeprint", () => { before = chosen; chosen = "light"; show(); });
    window.addEventListener("afterprint", () => { chosen = before; show(); });
    show();
  } catch (error) {
    complain(error);
  }
  requestAnimationFrame(() => setTimeout(() => {
    const blank = drawn.filter(isBlank).length;
    const requests = performance.getEntriesByType("resource").filter((one) => !one.name.startsWith("data:")).length;
    document.body.dataset.ready = "charts=" + drawn.length + " blank=" + blank + " errors=" + errors.length + " requests=" + requests;
    if (errors.length) document.body.dataset.errors = errors.slice(0, 5).join("; ");
  }, 50));
})();
)js";

} // namespace slo::report::page

#endif
