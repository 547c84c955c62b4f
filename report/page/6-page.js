// The choice of a pair and of an accountant, and everything that follows it.
const listed = 200; // participants up to which a picker is a list

function picker(slot, options, chosen, label, changed) {
  const list = facts.names !== null || options.length <= listed;
  const input = document.createElement(list ? "select" : "input");
  if (list) for (const v of options) input.add(new Option(name(v), v));
  else Object.assign(input, { type: "number", min: 0, max: facts.nodes - 1, step: 1, inputMode: "numeric" });
  input.id = slot + "-input";
  input.value = chosen;
  input.setAttribute("aria-label", label);
  input.addEventListener("input", () => {
    const v = Number(input.value);
    const known = input.value !== "" && options.includes(v);
    input.setCustomValidity(known ? "" : "choose a node that exists");
    if (known) changed(v);
  });
  const before = list ? [] : ["node "];
  document.getElementById(slot + "-slot").append(...before, input);
  return input;
}

function cards(state) {
  const { observer, about, losses } = state;
  if (observer === about) return [];
  return losses.filter((a) => a.of(about, observer) !== undefined && !silent(a.of(about, observer))).map((a) => {
    const loss = a.of(about, observer);
    const card = document.createElement("div");
    card.className = "card";
    const title = document.createElement("h4");
    title.append(...nodes([a.name + " ", badge(a.status)]));
    const value = document.createElement("div");
    value.className = "value";
    value.textContent = (facts.order > 0 ? "loss" : "ε") + ({ sound: " ≤ ", "sound if": " ≤ ", audit: " ≥ " }[a.status] || " = ") + bound(loss, a.status);
    const odds = document.createElement("p");
    odds.textContent = "Odds change by a factor of at " + (a.status === "audit" ? "least " : "most ") + factor(loss, a.status) + ".";
    card.append(title, value, odds);
    return card;
  });
}

function where(state) {
  if (!state.graph || state.observer === state.about) return [];
  const far = apart(state, state.about, state.observer);
  if (far < 0) return [" There is no path between the two."];
  return [" They are " + far + (far === 1 ? " hop" : " hops") + " apart."];
}

function hopsCache(graph) {
  let at = -1;
  let found = null;
  return (v) => {
    if (v !== at) [at, found] = [v, graph.hopsTo(v)];
    return found;
  };
}

async function main() {
  const losses = await Promise.all(facts.accountants.map(Losses.load));
  const graph = facts.drawn ? await Graph.load() : null;
  const state = { losses, graph, hopsTo: graph && hopsCache(graph), observer: facts.observer, about: facts.about, lens: 0 };
  const everyone = Array.from({ length: facts.nodes }, (_, v) => v);
  const known = facts.known || everyone;
  const observers = facts.observers || (facts.known ? everyone.filter((v) => !facts.known.includes(v)) : everyone);
  const views = [];

  const refresh = () => {
    observerInput.value = state.observer;
    aboutInput.value = state.about;
    document.getElementById("answer").replaceChildren(...nodes(sentence(state.observer, state.about, losses).concat(where(state))));
    document.getElementById("cards").replaceChildren(...cards(state));
    for (const place of document.querySelectorAll(".observer-name")) place.textContent = name(state.observer);
    drawScale(losses[state.lens]);
    for (const view of views) view.draw();
  };
  const choose = (v, u) => {
    if (observers.includes(v) && known.includes(u)) Object.assign(state, { observer: v, about: u });
    refresh();
  };
  const observerInput = picker("observer", observers, state.observer, "observer: who learnt", (v) => choose(v, state.about));
  const aboutInput = picker("about", known, state.about, "about whom", (u) => choose(state.observer, u));
  document.getElementById("swap").addEventListener("click", () => choose(state.about, state.observer));
  document.getElementById("swap").hidden = facts.known !== null;
  document.getElementById("pickers").addEventListener("submit", (e) => e.preventDefault());
  for (const radio of document.querySelectorAll("input[name=accountant]")) {
    radio.addEventListener("change", () => {
      state.lens = Number(radio.value);
      refresh();
    });
  }
  if (graph) {
    const role = () => (facts.known ? "observer" : document.querySelector("input[name=click]:checked").value);
    views.push(new Drawing(state, (v) => (role() === "observer" ? choose(v, state.about === v && !facts.known ? state.observer : state.about) : choose(state.observer, v))));
    for (const radio of document.querySelectorAll("input[name=layout]")) radio.addEventListener("change", refresh);
    document.getElementById("layout-choice").hidden = !facts.placed;
  }
  if (document.getElementById("matrix")) views.push(new Matrix(state, choose));
  if (facts.each) new NodeTable(choose);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  refresh();
}

addSavers();
if (facts) main().catch((problem) => {
  document.getElementById("answer").textContent = "This browser cannot unpack the losses (" + problem.message + "); find the pair in " + facts.file + ".";
});
