import { ask, numbers } from "./api.js";
import { cell, h, refill, section, small, table } from "./dom.js";
import { Explainer } from "./explain.js";
import { GraphView } from "./graph.js";
import { badge, bound, colour, factor, know, name, nodes, sentence, silent } from "report";

const listed = 400; // nodes up to which a picker is a list
const signs = { sound: "≤", "sound if": "≤", audit: "≥" };

// Losses of pairs, fetched by observer as they are asked for.
class Losses {
  constructor(id, p) {
    this.id = id;
    this.n = p.nodes;
    this.columns = new Map();
    this.accounts = p.accountants.map((a, k) => ({ ...a, of: (u, v) => (u === v ? 0 : this.columns.get(v)?.[k * this.n + u]) }));
    this.last = p.accountants.length * this.n; // where the distances begin
  }

  async observe(v) {
    if (this.columns.has(v)) return;
    const column = await numbers(`run/${this.id}/observer/${v}`);
    if (this.columns.size > 64) this.columns.clear();
    this.columns.set(v, column);
  }

  hops(u, v) {
    return this.columns.get(v)?.[this.last + u] ?? -1;
  }
}

export async function pairsSection(p, { id, query, signal }) {
  know({ names: p.names, order: p.order, delta: p.delta, record: p.record, nodes: p.nodes, file: p.file, palette: p.palette, known: null });
  const losses = new Losses(id, p);
  const given = (key, otherwise) => {
    const v = Number(query.get(key));
    return query.has(key) && Number.isInteger(v) && v >= 0 && v < p.nodes ? v : otherwise;
  };
  const state = { p, losses, lens: p.lead, observer: given("observer", p.observer), about: given("about", p.about) };
  await losses.observe(state.observer);

  const answer = h("p", { class: "answer", "aria-live": "polite" });
  const cards = h("div", { class: "cards" });
  const explainer = new Explainer(id, signal);
  const observerInput = picker("observer", p, "observer: who learnt", (v) => choose(v, state.about));
  const aboutInput = picker("about", p, "about whom", (u) => choose(state.observer, u));
  const graph = p.picture ? new GraphView(state, (v, shift) => (shift ? choose(state.observer, v) : choose(v, v === state.about ? state.observer : state.about)), signal) : null;
  const legend = h("div", { class: "scale" });
  const learnt = h("div", {});

  const ordered = () => [losses.accounts[state.lens], ...losses.accounts.filter((a) => a !== losses.accounts[state.lens])];
  const refresh = () => {
    observerInput.set(state.observer);
    aboutInput.set(state.about);
    const far = state.observer === state.about ? [] : hopsWords(losses.hops(state.about, state.observer), p.distances);
    answer.replaceChildren(...nodes(sentence(state.observer, state.about, ordered()).concat(far)));
    cards.replaceChildren(...pairCards(state));
    explainer.about(state.about, state.observer);
    drawScale(legend, losses.accounts[state.lens]);
    refill(learnt, observerTable(state, (u) => choose(state.observer, u)));
    for (const place of root.querySelectorAll(".observer-name")) place.textContent = name(state.observer);
    graph?.draw();
    history.replaceState(null, "", `#/run/${id}?about=${state.about}&observer=${state.observer}`);
  };
  let latest = 0;
  const choose = async (v, u) => {
    const mine = ++latest;
    Object.assign(state, { observer: v, about: u });
    await losses.observe(v);
    if (mine === latest && !signal.aborted) refresh();
  };
  const lens = h("fieldset", { class: "segmented", hidden: losses.accounts.length < 2 }, h("legend", {}, "Accountant"), losses.accounts.map((a, k) => h("label", {},
    h("input", { type: "radio", name: "accountant", value: k, checked: k === state.lens, onchange: () => { state.lens = k; refresh(); } }), h("span", {}, a.name + " ", h("i", { class: "badge " + a.status }, a.status)))));
  const root = h("div", {}, section("Who learnt what about whom",
    h("form", { class: "pickers", onsubmit: (e) => e.preventDefault() },
      h("label", {}, "What did ", observerInput.node), h("label", {}, "learn about ", aboutInput.node), h("button", { type: "button", onclick: () => choose(state.about, state.observer) }, "Swap")),
    lens, answer, cards, explainer.node,
    h("div", { class: "beside wide" },
      h("div", {}, h("h3", {}, "The graph as ", h("span", { class: "observer-name" }), " sees it"), graph ? graph.node : small("The graph is not known: this run wrote no distances."), legend),
      h("div", {}, h("h3", {}, "What ", h("span", { class: "observer-name" }), " learnt, most first"), learnt)),
    eachNode(p, choose)));
  queueMicrotask(refresh);
  return root;
}

function hopsWords(far, known) {
  if (!known) return [];
  return far < 0 ? [" There is no path between the two."] : [` They are ${far} ${far === 1 ? "hop" : "hops"} apart.`];
}

// A choice of a node: a list, or where there are many a field with suggestions.
function picker(id, p, label, changed) {
  if (p.nodes <= listed) {
    const list = h("select", { id, "aria-label": label, onchange: () => changed(Number(list.value)) }, Array.from({ length: p.nodes }, (_, v) => h("option", { value: String(v) }, name(v))));
    return { node: list, set: (v) => { list.value = v; } };
  }
  const numbers = new Map((p.names || []).map((n, v) => [n, v]));
  const input = h("input", { id, type: "text", "aria-label": label, inputMode: p.names ? "text" : "numeric", autocomplete: "off" });
  input.addEventListener("change", () => {
    const text = input.value.trim().replace(/^node /, "");
    const v = numbers.get(input.value.trim()) ?? (/^\d+$/.test(text) ? Number(text) : -1);
    const known = v >= 0 && v < p.nodes;
    input.setCustomValidity(known ? "" : `There is no such node: give ${p.names ? "a name or " : ""}a number from 0 to ${p.nodes - 1}.`);
    if (!input.reportValidity()) return;
    changed(v);
  });
  return { node: input, set: (v) => { input.value = name(v); input.setCustomValidity(""); } };
}

function pairCards({ observer, about, losses, p }) {
  if (observer === about) return [];
  return losses.accounts.filter((a) => a.of(about, observer) !== undefined && !silent(a.of(about, observer))).map((a) => {
    const loss = a.of(about, observer);
    return h("div", { class: "card" }, h("h3", {}, ...nodes([a.name + " ", badge(a.status)])),
      h("div", { class: "value" }, `${p.order > 0 ? "loss" : "ε"} ${signs[a.status] || "="} ${bound(loss, a.status)}`),
      h("p", {}, `Odds change by a factor of at ${a.status === "audit" ? "least" : "most"} ${factor(loss, a.status)}.`));
  });
}

function drawScale(box, a) {
  const flat = !(a.high > a.low);
  const ticks = flat ? ["every loss that is neither 0 nor ∞ is " + bound(a.high, a.status)] : [0, 1, 2, 3, 4].map((i) => bound(i === 4 ? a.high : a.low * (a.high / a.low) ** (i / 4), a.status));
  const bar = h("span", { class: "scale-bar", hidden: flat });
  box.replaceChildren("Colours: loss by accountant " + a.name + " (" + a.status + "), logarithmic", bar, h("span", { class: "scale-ticks" }, ticks.map((t) => h("span", {}, t))), a.unpriced ? h("span", { class: "scale-unpriced" }, h("i", {}), " not priced by this accountant") : "");
  bar.style.background = "linear-gradient(to right," + Array.from({ length: 17 }, (_, i) => colour(a.low * (a.high / a.low) ** (i / 16), a)).join(",") + ")";
}

const shortTable = 12;

// The nodes that one observer learnt most about.
function observerTable(state, choose) {
  const { observer, losses, p } = state;
  const a = losses.accounts[state.lens];
  const all = Array.from({ length: p.nodes }, (_, u) => ({ u, loss: a.of(u, observer) })).filter((r) => r.u !== observer && r.loss === r.loss);
  all.sort((x, y) => y.loss - x.loss || x.u - y.u);
  if (!all.length) return [small("This accountant priced no pair of this observer.")];
  return [table(["about", { text: "loss", n: true }, { text: "hops", n: true }], all.slice(0, shortTable).map(({ u, loss }) => h("tr", { class: u === state.about ? "chosen" : "" },
    h("td", {}, h("button", { type: "button", class: "link", data: { key: "u" + u }, "aria-label": `ask about ${name(u)}`, onclick: () => choose(u) }, name(u))),
    cell(`${signs[a.status] || "="} ${bound(loss, a.status)}`, { n: true, label: "loss" }), cell(losses.hops(u, observer) < 0 ? "–" : losses.hops(u, observer), { n: true, label: "hops" }))), { label: "what the observer learnt", class: "tight" }),
  all.length > shortTable && small(`${shortTable} of ${all.length}; all are in ${p.file}.`)];
}

// Of each node towards whom it loses most, and about whom it learns most.
function eachNode(p, choose) {
  const each = p.each?.each || [];
  if (!each.length) return null;
  let by = "loses";
  let all = each.length <= shortTable;
  const status = p.each.status;
  const value = (e, key) => (e[key === "loses" ? "towards" : "about"] < 0 ? -1 : (e[key] ?? Infinity));
  const body = h("div", {});
  const pair = (key, other, v, u) => (other < 0 ? "" : h("button", { type: "button", class: "link", data: { key }, onclick: () => { choose(v, u); document.querySelector(".pickers").scrollIntoView({ block: "center" }); } }, name(other)));
  const draw = () => {
    const sorted = [...each].sort((a, b) => (by === "node" ? a.node - b.node : value(b, by) - value(a, by) || a.node - b.node));
    const head = (key, text, n) => h("th", { class: n ? "n" : "", scope: "col", "aria-sort": by === key ? (key === "node" ? "ascending" : "descending") : "none" }, h("button", { type: "button", class: "link", data: { key: "sort" + key }, onclick: () => { by = key; draw(); } }, text));
    const said = (e, key) => (value(e, key) < 0 ? "not priced" : `${signs[status] || "="} ${bound(value(e, key), status)}`);
    refill(body, [table([head("node", "node"), head("loses", "loses most", true), "towards", head("learns", "learns most", true), "about"], (all ? sorted : sorted.slice(0, shortTable)).map((e) => h("tr", {}, cell(e.name),
      cell(said(e, "loses"), { n: true, label: "loses most" }), cell(pair("t" + e.node, e.towards, e.towards, e.node), { label: "towards" }), cell(said(e, "learns"), { n: true, label: "learns most" }), cell(pair("a" + e.node, e.about, e.node, e.about), { label: "about" }))), { label: "node by node" }),
    each.length > shortTable && h("button", { type: "button", class: "save", data: { key: "more" }, onclick: () => { all = !all; draw(); } }, all ? `Show ${shortTable}` : `Show all ${each.length}`)]);
  };
  draw();
  return h("div", {}, h("h3", {}, "Node by node"), h("p", { class: "small" }, "By accountant ", p.each.accountant, " ", h("span", { class: "badge " + status }, status), ". A name asks about that pair."), body);
}
