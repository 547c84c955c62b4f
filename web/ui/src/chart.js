import uPlot from "uplot";
import { h, number } from "./dom.js";

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const colours = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

// A chart of lines over one axis. lines: {label, x, y, low, high, dots}; where low and high
// are given a band is drawn between them. Losses on the x axis are drawn as dots.
export function chart(title, lines, { x: xLabel = "step", y: yLabel = "", logX = false, signal, height = 220, note = "" }) {
  lines = lines.filter((l) => l.x.length > 0);
  const box = h("div", { class: "plot" });
  const figure = h("figure", {}, h("figcaption", {}, title), box, note && h("p", { class: "small" }, note));
  if (lines.length === 0) return null;
  let plot = null;
  const draw = () => {
    plot?.destroy();
    plot = new uPlot(options(lines, { xLabel, yLabel, logX, height, width: Math.max(240, box.clientWidth) }), aligned(lines), box);
    plot.root.setAttribute("role", "img");
    plot.root.setAttribute("aria-label", title + ". " + lines.map(spoken).join("; "));
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const redraw = () => requestAnimationFrame(draw);
  dark.addEventListener("change", redraw, { signal });
  let width = 0;
  const watch = new ResizeObserver(() => {
    if (box.clientWidth === width || box.clientWidth === 0) return;
    width = box.clientWidth;
    redraw();
  });
  watch.observe(box);
  signal?.addEventListener("abort", () => { watch.disconnect(); plot?.destroy(); });
  return figure;
}

// What a line says to somebody who does not see it.
function spoken(l) {
  const last = l.y.length - 1;
  return `${l.label}: from ${number(l.y[0], 3)} to ${number(l.y[last], 3)}`;
}

// All lines over the union of their x.
function aligned(lines) {
  return uPlot.join(lines.map((l) => (l.low ? [l.x, l.y, l.low, l.high] : [l.x, l.y])));
}

function options(lines, o) {
  const series = [{ label: o.xLabel }];
  const bands = [];
  lines.forEach((l, i) => {
    const colour = ink(colours[i % colours.length]);
    series.push({
      label: l.label, stroke: colour, width: l.dots ? 0 : 2, dash: dashes[Math.floor(i / colours.length) % dashes.length], spanGaps: true,
      paths: l.dots ? () => null : undefined, points: { show: l.dots || l.x.length === 1, size: 7, fill: colour, stroke: colour },
      value: (u, v) => (v === null || v === undefined ? "–" : number(v, 4)),
    });
    if (!l.low) return;
    const edge = { stroke: "transparent", width: 0, spanGaps: true, points: { show: false } };
    series.push({ ...edge, label: l.label + ", least" }, { ...edge, label: l.label + ", largest" });
    bands.push({ series: [series.length - 1, series.length - 2], fill: tint(colour) });
  });
  const axis = { stroke: ink("--muted"), grid: { stroke: ink("--grid"), width: 1 }, ticks: { stroke: ink("--grid"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18 };
  const hidden = new Set(series.flatMap((s, i) => (/, (least|largest)$/.test(s.label) && s.stroke === "transparent" ? [i] : [])));
  return {
    width: o.width, height: o.height, series, bands,
    scales: { x: { time: false, distr: o.logX ? 3 : 1 } },
    axes: [{ ...axis, label: o.xLabel, size: 34, ...(o.logX ? { filter: (u, at) => (at.length > 14 ? at.map((v) => (/^[125]/.test(v.toExponential()) ? v : null)) : at), values: (u, at) => at.map((v) => (v === null ? "" : number(v, 3))) } : {}) }, { ...axis, label: o.yLabel, size: 52, values: (u, at) => at.map((v) => (v === null ? "" : number(v, 4))) }],
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    legend: { live: true },
    hooks: { init: [(u) => u.root.querySelectorAll(".u-legend .u-series").forEach((row, i) => { if (hidden.has(i)) row.hidden = true; })] },
  };
}

function tint(colour) {
  const strength = Math.round(255 * Number(ink("--band"))).toString(16).padStart(2, "0");
  return /^#[0-9a-f]{6}$/i.test(colour) ? colour + strength : colour;
}
