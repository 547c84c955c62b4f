import { follow } from "./api.js";
import { chart } from "./chart.js";
import { cell, count, duration, fileList, h, number, refill, section, small, status, table, when } from "./dom.js";

const mostRows = 200;

export function sweepView({ id, main, signal, crumbs, problem }) {
  let s = null;
  const chosen = { colour: 0, best: false, filters: {}, by: "mean", all: false };
  const head = h("div", {});
  const tools = h("div", { class: "tools" });
  const picture = h("div", {});
  const body = h("div", {});
  const files = h("div", {});
  const draw = () => {
    const rows = visible(s, chosen);
    refill(picture, frontier(s, rows, chosen, signal));
    refill(body, tableOf(s, rows, chosen, draw));
  };
  follow("sweep/" + id, 2000, signal, (value) => {
    if (!s) main.replaceChildren(head, tools, picture, body, files);
    s = value;
    s.rows = s.rows || [];
    s.keys = s.keys || [];
    crumbs([s.name]);
    refill(head, [h("p", { class: "eyebrow" }, "Sweep · ", s.place, " · ", when(s.changed)), h("h1", {}, s.name),
      h("p", { class: "lead" }, `${count(s.rows.length)} ${s.keys.length ? "cells over " + s.keys.join(", ") : "rows"}${s.failed ? `; ${s.failed} failed` : ""}. `, s.ended ? "" : h("b", {}, "It is going on: cells appear as they end.")),
      (s.sweep_notes || []).map((n) => h("p", { class: "callout" }, n))]);
    refill(tools, filters(s, chosen, draw));
    refill(files, fileList(id, s.files));
    draw();
  }, (e) => s || problem(e));
}

const values = (s, k) => [...new Set(s.rows.map((r) => r.values[k]))].sort((a, b) => Number(a) - Number(b) || String(a).localeCompare(b));

function filters(s, chosen, draw) {
  const varied = s.keys.map((key, k) => ({ key, k, all: values(s, k) })).filter((f) => f.all.length > 1 && f.all.length <= 60);
  if (varied.length && !varied.some((f) => f.k === chosen.colour)) chosen.colour = varied[0].k;
  return [
    ...varied.map(({ key, k, all }) => h("label", { class: "field" }, key, h("select", { data: { key: "filter" + k }, onchange: (e) => { chosen.filters[k] = e.target.value; draw(); } }, h("option", { value: "" }, "all"), all.map((v) => h("option", { value: v, selected: chosen.filters[k] === v }, v))))),
    varied.length > 1 && h("label", { class: "field" }, "colour", h("select", { data: { key: "colour" }, onchange: (e) => { chosen.colour = Number(e.target.value); draw(); } }, varied.map((f) => h("option", { value: String(f.k), selected: chosen.colour === f.k }, f.key)))),
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: chosen.best, data: { key: "best" }, onchange: (e) => { chosen.best = e.target.checked; draw(); } }), " only the frontier"),
  ];
}

function visible(s, chosen) {
  return s.rows.filter((r) => (!chosen.best || r.best) && Object.entries(chosen.filters).every(([k, v]) => !v || r.values[k] === v));
}

function frontier(s, rows, chosen, signal) {
  const good = rows.filter((r) => !r.error && r.mean !== null && r.score !== null && r.mean > 0);
  if (!good.length) return null;
  const kinds = new Set(good.map((r) => r.metric + "; unit: " + r.unit));
  const key = s.keys[chosen.colour];
  const groups = key && values(s, chosen.colour).length <= 12 ? Map.groupBy(good, (r) => r.values[chosen.colour]) : new Map([["cells", good]]);
  const line = (label, list) => {
    const by = [...list].sort((a, b) => a.mean - b.mean);
    return { label, x: by.map((r) => r.mean), y: by.map((r) => r.score), dots: true };
  };
  const best = good.filter((r) => r.best).sort((a, b) => a.mean - b.mean);
  const lines = [...groups].map(([value, list]) => line(groups.size > 1 ? `${key} = ${value}` : value, list));
  if (best.length > 1) lines.push({ label: "frontier", x: best.map((r) => r.mean), y: best.map((r) => r.score) });
  return section("What privacy costs", chart(`${good[0].classifies ? "Test accuracy" : "Test loss"} over the mean privacy loss (logarithmic)`, lines, { x: "mean privacy loss, " + good[0].metric, signal, logX: true, height: 300 }),
    kinds.size > 1 && h("p", { class: "callout" }, "These cells have different metrics or units of privacy: their losses are not to be compared."),
    small("Of every cell the sound accountant with the least mean. On the frontier are the cells that no other beats: none loses less and scores as well."));
}

function tableOf(s, rows, chosen, draw) {
  const orders = { mean: (a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity), score: (a, b) => (a.classifies ? -1 : 1) * ((a.score ?? NaN) - (b.score ?? NaN)), best: (a, b) => b.best - a.best || (a.mean ?? Infinity) - (b.mean ?? Infinity) };
  const sorted = [...rows].sort(orders[chosen.by]);
  const head = (key, text) => h("th", { class: "n", scope: "col", "aria-sort": chosen.by === key ? (key === "score" ? "descending" : "ascending") : "none" }, h("button", { type: "button", class: "link", data: { key: "by" + key }, onclick: () => { chosen.by = key; draw(); } }, text));
  const some = chosen.all ? sorted : sorted.slice(0, mostRows);
  return section("Cells", some.length === 0 && small("No cell matches."), some.length > 0 && table(
    [...s.keys, head("score", "score"), head("mean", "mean loss"), { text: "worst loss", n: true }, "status", { text: "σ", n: true }, { text: "took", n: true }, head("best", "frontier")],
    some.map((r) => h("tr", { class: r.best ? "best" : r.error ? "bad" : "" }, s.keys.map((key, k) => cell(r.values[k], { label: key })),
      ...(r.error ? [h("td", { colSpan: 7, class: "trouble" }, r.error, r.hint && h("span", { class: "line dim" }, r.hint))] : [
        cell([number(r.score), r.score_std > 0 ? h("span", { class: "dim" }, " ± " + number(r.score_std, 2)) : "", r.classifies ? "" : h("span", { class: "dim" }, " loss")], { n: true, label: "score" }),
        cell(r.mean_text, { n: true, label: "mean loss" }), cell(r.max_text, { n: true, label: "worst loss" }), cell(h("span", {}, status(r.status), " ", h("span", { class: "dim" }, r.accountant)), { label: "status" }),
        cell(number(r.sigma), { n: true, label: "σ" }), cell(duration(r.seconds), { n: true, label: "took" }), cell(r.best ? "✓" : "", { n: true, label: "frontier" })]))),
    { label: "cells", class: "tight" }),
  sorted.length > some.length && h("button", { type: "button", class: "save", data: { key: "all" }, onclick: () => { chosen.all = true; draw(); } }, `Show all ${count(sorted.length)}`),
  rows.some((r) => r.metric) && small("Losses are ", rows.find((r) => r.metric).metric, ", unit of privacy: ", rows.find((r) => r.metric).unit, "."));
}
