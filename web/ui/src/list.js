import { follow } from "./api.js";
import { cell, count, h, refill, small, status, table, when } from "./dom.js";

const kinds = { run: "Runs", sweep: "Sweeps", node: "Nodes", study: "Studies", other: "Other" };
const kept = { kind: "", text: "", chosen: new Set() }; // while the page is open

export function listView({ main, signal, crumbs, problem }) {
  crumbs([]);
  let last = null;
  const body = h("div", {});
  const notes = h("div", {});
  const search = h("input", { type: "search", value: kept.text, placeholder: "name, folder, algorithm", "aria-label": "Search the list", oninput: () => { kept.text = search.value; draw(); } });
  const tabs = h("fieldset", { class: "segmented" }, h("legend", { class: "hide" }, "Show"));
  const compare = h("a", { class: "action", href: "#/compare", "aria-disabled": "true", role: "link" }, "Compare runs");
  main.replaceChildren(h("h1", { class: "plain" }, "Runs, sweeps and nodes"), h("div", { class: "tools" }, tabs, search, compare), notes, body);

  const draw = () => {
    if (!last) return;
    document.getElementById("version").textContent = "hearsay " + last.version;
    const counts = Object.fromEntries(Object.keys(kinds).map((k) => [k, last.entries.filter((e) => group(e) === k).length]));
    if (!tabs.contains(document.activeElement)) {
      tabs.replaceChildren(tabs.firstChild, ...["", ...Object.keys(kinds)].filter((k) => k === "" || counts[k] || kept.kind === k).map((k) => h("label", {},
        h("input", { type: "radio", name: "kind", value: k, checked: kept.kind === k, onchange: () => { kept.kind = k; draw(); } }),
        h("span", {}, k === "" ? "All" : kinds[k], h("i", { class: "count" }, count(k === "" ? last.entries.length : counts[k]))))));
    }
    const words = kept.text.toLowerCase().split(/\s+/);
    const shown = last.entries.filter((e) => (kept.kind === "" || group(e) === kept.kind) && words.every((w) => [e.name, e.place, e.algorithm, ...(e.facts || [])].join(" ").toLowerCase().includes(w)));
    refill(notes, (last.notes || []).map((n) => h("p", { class: "callout" }, n)));
    refill(body, last.entries.length === 0 ? empty(last) : shown.length === 0 ? [small("Nothing of the list matches.")] : rows(shown));
    choose();
  };
  const choose = () => {
    const there = last.entries.filter((e) => kept.chosen.has(e.id));
    const ready = there.length > 1 && there.length <= 12;
    compare.textContent = there.length ? `Compare ${there.length} ${there.length === 1 ? "run" : "runs"}` : "Compare runs";
    compare.title = ready ? "" : "choose 2 to 12 runs";
    compare.setAttribute("aria-disabled", String(!ready));
    if (ready) compare.href = "#/compare?" + there.map((e) => "run=" + e.id).join("&");
    else compare.removeAttribute("href");
  };
  const tick = (e, on) => {
    if (on) kept.chosen.add(e.id);
    else kept.chosen.delete(e.id);
    choose();
  };
  const rows = (entries) => table(
    [h("th", { scope: "col" }, h("span", { class: "hide" }, "compare")), "name", "kind", "result", "privacy loss", "changed"],
    entries.map((e) => h("tr", { class: e.problem ? "bad" : "" },
      h("td", { class: "tick" }, e.kind === "run" && !e.problem && h("input", { type: "checkbox", checked: kept.chosen.has(e.id), "aria-label": "compare " + e.place, data: { key: "tick" + e.id }, onchange: (at) => tick(e, at.target.checked) })),
      h("td", { class: "name" }, h("a", { href: `#/${e.kind}/${e.id}`, data: { key: e.id } }, e.name || "without a name"), h("span", { class: "where" }, e.place)),
      cell(h("span", { class: "kind " + e.kind }, e.kind), { label: "kind" }),
      cell(result(e), { label: "result" }),
      cell(loss(e), { label: "privacy loss" }),
      cell(when(e.changed), { label: "changed", class: "nowrap" }))),
    { label: "what the folders hold", class: "entries" });
  follow("list", 2000, signal, (value) => { last = value; draw(); }, (e) => last || problem(e));
}

const group = (e) => (e.kind === "running" ? "run" : e.kind);

function result(e) {
  if (e.problem) return h("span", { class: "trouble" }, e.problem);
  if (e.reading) return "…";
  if (e.kind === "running") return "is being made";
  return [e.score && h("span", { class: "line" }, e.score), (e.facts || []).map((f) => h("span", { class: "line" }, f)),
    e.algorithm && h("span", { class: "line dim" }, e.algorithm + (e.nodes ? ", " + count(e.nodes) + " nodes" : ""))];
}

function loss(e) {
  if (!e.loss) return "";
  return [h("span", { class: "line nowrap" }, e.loss, " ", status(e.status)), h("span", { class: "line dim" }, [e.metric, e.unit && "unit: " + e.unit].filter(Boolean).join("; "))];
}

function empty(last) {
  return [h("p", { class: "callout" }, "There is nothing to show yet in ", last.dirs.join(", "), "."),
    small("hearsay run SPEC.yaml --out ", last.dirs[0] || "DIR", "/first writes a run here; the list looks again every two seconds.")];
}
