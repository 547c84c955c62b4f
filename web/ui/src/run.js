import { ask, follow, Problem } from "./api.js";
import { chart } from "./chart.js";
import { cell, count, duration, facts, fileList, h, loss, number, refill, section, small, status, table, when } from "./dom.js";
import { pairsSection } from "./pairs.js";

export async function runView({ id, query, main, signal, crumbs, problem }) {
  let shown = null;
  follow("run/" + id, 5000, signal, (run) => {
    if (shown) return main.prepend(h("p", { class: "callout", role: "status" }, "This run was written anew. ", h("button", { type: "button", onclick: () => location.reload() }, "Show it")));
    shown = run;
    draw(run, { id, query, main, signal, crumbs });
  }, (e) => shown || problem(e));
}

function draw(run, { id, query, main, signal, crumbs }) {
  crumbs([run.name || run.place]);
  const s = run.shown;
  const pairs = h("div", {});
  main.replaceChildren(...[
    h("p", { class: "eyebrow" }, "Run · ", run.place, " · ", when(run.changed)),
    h("h1", {}, run.name || "A run without a name"),
    h("p", { class: "lead" }, sentence(run)),
    ...(s.warnings || []).map((w) => h("p", { class: "callout" }, w)),
    h("div", { class: "figures", role: "group", "aria-label": "Key figures" }, s.figures.map((f) => h("div", { class: "figure" }, h("span", { class: "label" }, f.Label), h("span", { class: "value" }, f.Value), h("span", { class: "note" }, f.Note)))),
    accounts(s),
    curves(run, signal),
    pairs,
    worth(s),
    brackets(run),
    about(run),
    run.run_notes?.length && section("Notes", h("ul", { class: "notes" }, run.run_notes.map((n) => h("li", {}, n)))),
    fileList(id, run.files),
    run.spec && section("Spec", h("details", {}, h("summary", {}, "The resolved spec"), h("pre", { tabIndex: 0 }, run.spec))),
  ].filter(Boolean));
  if (!run.pairs) return pairs.replaceChildren(section("Who learnt what about whom", small("The losses of single pairs were not written for this run (privacy.npz, up to 4096 nodes).")));
  pairs.replaceChildren(section("Who learnt what about whom", h("p", { class: "dim" }, "Reading the losses of all pairs…")));
  ask(`run/${id}/pairs`, signal).then((p) => pairsSection(p, { id, query, signal, brackets: run.brackets })).then((node) => pairs.replaceChildren(node), (e) => {
    if (e.name === "AbortError") return;
    if (!(e instanceof Problem)) console.error(e);
    pairs.replaceChildren(section("Who learnt what about whom", h("p", { class: "callout" }, e.message)));
  });
}

function sentence(run) {
  const d = run.data;
  return [`Algorithm ${run.algorithm}, model ${run.model || "none"}`, d.target && [", to predict ", h("b", {}, d.target)], `, on ${count(d.train)} rows held by `, h("b", {}, count(run.graph.nodes)), ` nodes of the graph ${run.graph.name}. `, run.shown.protects];
}

function accounts(s) {
  if (!s.accounts?.length) return section("Privacy", small("No privacy losses were computed for this run."));
  return section("Privacy", h("p", { class: "small" }, s.loss, ", over all ordered pairs of distinct nodes."), table(
    ["accountant", "status", { text: "mean pair", n: true }, { text: "worst pair", n: true }, { text: "worst beyond neighbours", n: true }, "assumes"],
    s.accounts.map((a) => h("tr", {}, cell(a.name), cell(h("span", {}, status(a.status)), { label: "status" }), cell(`${s.symbol} ${a.mean}`, { n: true, label: "mean pair" }), cell(`${s.symbol} ${a.max}`, { n: true, label: "worst pair" }),
      cell(a.beyond === "–" ? "–" : `${s.symbol} ${a.beyond}`, { n: true, label: "worst beyond neighbours" }),
      cell([small(a.meaning + "."), a.assumptions?.length ? h("details", {}, h("summary", {}, a.assumptions.length + " assumptions"), h("ul", {}, a.assumptions.map((t) => h("li", {}, t)))) : "nothing listed"]))),
    { label: "privacy by accountant" }));
}

const series = (label, points, of) => {
  const seen = points.filter((p) => of(p) && of(p).mean !== null);
  return { label, x: seen.map((p) => p.step), y: seen.map((p) => of(p).mean), low: seen.map((p) => of(p).min), high: seen.map((p) => of(p).max) };
};

function curves(run, signal) {
  const c = run.curve || [];
  if (!c.length) return null;
  const many = run.trials > 1 ? `Lines are means over ${run.trials} trials; bands reach from the least to the largest.` : "";
  return section("How it learnt", h("div", { class: "charts" },
    run.scores && chart("Accuracy on unseen rows", [series("test accuracy", c, (p) => p.test_accuracy)], { signal }),
    chart("Loss", [series("training rows", c, (p) => p.train_loss), run.data.test > 0 && series("unseen rows", c, (p) => p.test_loss)].filter(Boolean), { signal }),
    run.consensus && chart("Distance of the nodes’ models from their mean", [series("mean squared distance", c, (p) => p.consensus)], { signal })),
    many && small(many));
}

function worth(s) {
  if (!s.worth?.length) return null;
  const own = s.worth.some((w) => w.own);
  return section("Is joining worth it?", s.verdict && h("p", { class: "lead" }, h("b", {}, s.verdict)), table(["model", { text: s.measure, n: true }, own && { text: "on own rows", n: true }, ""].filter((c) => c !== false),
    s.worth.map((w) => h("tr", {}, cell(w.name), cell(w.value, { n: true, label: s.measure }), own && cell(w.own ?? "–", { n: true, label: "on own rows" }), cell(w.note))), { label: "the same model made by others" }));
}

function brackets(run) {
  if (!run.brackets?.length) return null;
  return section("How near the bound is to an attack", table([{ text: "hops", n: true }, "pair that loses most", { text: "at least (audit)", n: true }, { text: "at most", n: true }],
    run.brackets.map((b) => h("tr", {}, cell(b.distance, { n: true, label: "hops" }), cell(`node ${b.about} towards node ${b.observer}`), cell("≥ " + loss(b.audit, true), { n: true, label: "at least" }), cell(`≤ ${loss(b.sound)} (${b.accountant})`, { n: true, label: "at most" }))),
    { label: "bounds and attacks by distance" }));
}

function about(run) {
  const { data: d, graph: g } = run;
  return section("Data and graph", h("div", { class: "columns" },
    facts([["source", d.source], ["target", d.target && d.target + (d.positive ? ` (+1: ${d.positive})` : "")], ["rows held by nodes", count(d.train)], ["rows for testing", count(d.test)], ["partition", d.partition], ["features", (d.features || []).length]]),
    facts([["graph", g.name], ["nodes, edges", `${count(g.nodes)}, ${count(g.edges)}`], ["degree", g.min_degree === g.max_degree ? g.min_degree : `${g.min_degree} to ${g.max_degree}`], ["diameter", g.diameter >= 0 ? g.diameter : "not computed"], ["weights", g.weights],
      ["spectral gap", g.spectral_gap >= 0 ? number(g.spectral_gap) : "not computed"], ["made by", Object.entries(run.versions || {}).map(([k, v]) => k + " " + v).join(", ")]])));
}

// A result that is of no run on a graph: what there is of it are its files.
export async function otherView({ id, main, signal, crumbs }) {
  const { entries } = await ask("list", signal);
  const e = entries.find((one) => one.id === id);
  if (!e) throw new Problem("It is not in the folders any more.");
  crumbs([e.name]);
  main.replaceChildren(h("p", { class: "eyebrow" }, "Result · ", e.place), h("h1", {}, e.name), h("p", {}, "This folder holds the result of a command that is no run."),
    h("ul", { class: "files" }, h("li", {}, h("a", { href: `/files/${id}/report.html`, target: "_blank", rel: "noreferrer" }, "report.html")), h("li", {}, h("a", { href: `/files/${id}/result.json`, download: "" }, "result.json"))));
}

export function runningView({ id, main, signal, crumbs, problem }) {
  const body = h("div", {});
  let began = false;
  follow("running/" + id, 1000, signal, (p) => {
    crumbs([p.name || "a run"]);
    if (!began) main.replaceChildren(body);
    began = true;
    const share = p.total > 0 ? p.done / p.total : null;
    const silent = (Date.now() - new Date(p.written)) / 1000;
    const spent = (new Date(p.written) - new Date(p.started)) / 1000;
    refill(body, [
      h("p", { class: "eyebrow" }, "Run that is being made"), h("h1", {}, p.name || "A run"),
      silent > 60 && h("p", { class: "callout" }, `Nothing was heard of it for ${duration(silent)}: it may have been stopped.`),
      h("p", { class: "lead" }, h("b", {}, p.stage)),
      share !== null && h("progress", { max: 1, value: share, "aria-label": p.stage }),
      h("p", { class: "small" }, [p.total > 0 && `${count(p.done)} of ${count(p.total)} ${p.unit || "steps"}`, duration(spent) + " so far", share > 0.02 && `about ${duration((spent / share) * (1 - share))} left of this stage`].filter(Boolean).join(" · ")),
      p.step?.length > 1 && h("div", { class: "charts" }, chart("Training loss so far", [{ label: "training loss", x: p.step, y: p.loss }], { signal })),
      small("Its privacy losses are here when it has ended."),
    ]);
  }, (e) => (began ? (location.hash = "#/") : problem(e)));
}
