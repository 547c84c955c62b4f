import { ask } from "./api.js";
import { chart } from "./chart.js";
import { cell, h, number, section, small, status, table } from "./dom.js";

export async function compareView({ query, main, signal, crumbs }) {
  const ids = query.getAll("run");
  crumbs(["Compare"]);
  const c = await ask("compare?" + ids.map((id) => "run=" + encodeURIComponent(id)).join("&"), signal);
  const label = (i) => c.runs[i].place;
  const curve = (of) => c.runs.map((r, i) => {
    const seen = r.curve.filter((p) => of(p) && of(p).mean !== null);
    return { label: label(i), x: seen.map((p) => p.step), y: seen.map((p) => of(p).mean) };
  });
  main.replaceChildren(...[
    h("h1", {}, "Runs side by side"),
    c.differ && h("p", { class: "callout" }, c.differ),
    section("What they differ in, and what they came to", table([h("td", {}), ...c.runs.map((r) => h("th", { scope: "col" }, h("a", { href: "#/run/" + r.id }, r.place)))], lines(c), { label: "runs side by side", class: "compare" }),
      small("Best: no other of these loses less and scores as well.")),
    section("How they learnt", h("div", { class: "charts" },
      c.runs.some((r) => r.scores) && chart("Accuracy on unseen rows, mean over trials", curve((p) => p.test_accuracy).filter((_, i) => c.runs[i].scores), { signal }),
      chart("Loss on training rows, mean over trials", curve((p) => p.train_loss), { signal }),
      chart("Loss on unseen rows, mean over trials", curve((p) => p.test_loss), { signal }))),
    section("Privacy", table(["run", "accountant", "status", { text: "mean pair", n: true }, { text: "worst pair", n: true }, { text: "worst beyond neighbours", n: true }],
      c.runs.flatMap((r) => (r.shown.accounts || []).map((a) => h("tr", {}, cell(r.place), cell(a.name, { label: "accountant" }), cell(h("span", {}, status(a.status)), { label: "status" }), cell(`${r.shown.symbol} ${a.mean}`, { n: true, label: "mean pair" }), cell(`${r.shown.symbol} ${a.max}`, { n: true, label: "worst pair" }), cell(a.beyond, { n: true, label: "worst beyond neighbours" })))), { label: "privacy by run and accountant" })),
  ].filter(Boolean));
}

function lines(c) {
  const rows = c.keys.slice(1).map((key, k) => [key, c.rows.map((r) => r.values[k + 1])]);
  const kind = (r) => (r.classifies ? "test accuracy" : "test loss");
  rows.push(["score", c.rows.map((r) => [`${number(r.score)} ${kind(r)}`, r.score_std > 0 ? ` ± ${number(r.score_std, 2)}` : ""])],
    ["training loss", c.rows.map((r) => number(r.train_loss))], ["mean privacy loss", c.rows.map((r) => [r.mean_text + " ", status(r.status)])], ["worst privacy loss", c.rows.map((r) => [r.max_text + " ", status(r.status)])],
    ["accountant", c.rows.map((r) => r.accountant)], ["metric", c.rows.map((r) => r.metric)], ["unit of privacy", c.rows.map((r) => r.unit)], ["noise multiplier σ", c.rows.map((r) => number(r.sigma))],
    ["trials, steps", c.rows.map((r) => `${r.trials}, ${r.steps}`)], ["best", c.rows.map((r) => (r.best ? "yes" : "no"))]);
  return rows.map(([key, values]) => {
    const differs = new Set(values.map((v) => String(v))).size > 1;
    return h("tr", {}, h("th", { scope: "row" }, key), values.map((v, i) => h("td", { class: differs ? "differs" : "", data: { label: c.runs[i].place } }, v ?? "")));
  });
}
