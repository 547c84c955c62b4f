import { Problem } from "./api.js";
import { compareView } from "./compare.js";
import { h } from "./dom.js";
import { listView } from "./list.js";
import { nodeView } from "./node.js";
import { otherView, runView, runningView } from "./run.js";
import { studyView } from "./study.js";
import { sweepView } from "./sweep.js";

const views = { "": listView, run: runView, running: runningView, sweep: sweepView, node: nodeView, study: studyView, other: otherView, compare: compareView };
let leave = new AbortController();
let shown = null;

// The place is behind the #: #/run/ID?about=3&observer=1.
function show() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [kind, id = ""] = path.split("/");
  const first = shown === null;
  shown = kind;
  leave.abort();
  leave = new AbortController();
  const main = document.getElementById("main");
  main.replaceChildren(h("p", { class: "dim" }, "Looking…"));
  crumbs([]);
  const view = views[kind] || missing;
  window.scrollTo(0, 0);
  if (!first) main.focus({ preventScroll: true });
  const problem = (e) => main.replaceChildren(h("h1", {}, "This cannot be shown"), h("p", { class: "callout" }, e.message), h("p", {}, h("a", { href: "#/" }, "Back to the list")));
  Promise.resolve(view({ id, query: new URLSearchParams(query || ""), main, signal: leave.signal, crumbs, problem })).catch((e) => {
    if (e.name === "AbortError") return;
    problem(e);
    if (!(e instanceof Problem)) console.error(e);
  });
}

async function missing({ problem }) {
  problem(new Problem("There is no such page."));
}

function crumbs(parts) {
  document.getElementById("crumbs").replaceChildren(...parts.map((p) => h("span", { class: "crumb" }, p)));
  document.title = [...parts].reverse().concat("Hearsay").join(" · ");
}

document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault(); // the place behind the # is not to change
  document.getElementById("main").focus();
});
window.addEventListener("hashchange", show);
show();
