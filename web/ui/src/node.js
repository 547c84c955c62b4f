import { follow } from "./api.js";
import { cell, count, duration, facts, fileList, h, number, refill, section, small, status, table, when } from "./dom.js";

export function nodeView({ id, main, signal, crumbs, problem }) {
  let began = false;
  const body = h("div", {});
  follow("node/" + id, 1500, signal, (n) => {
    if (!began) main.replaceChildren(body);
    began = true;
    crumbs([n.participant || n.name]);
    refill(body, [
      h("p", { class: "eyebrow" }, "Node · ", n.place, n.federation && " · " + n.federation),
      h("h1", {}, n.participant || n.name),
      h("p", { class: "lead" }, h("b", { class: "state " + (n.running || n.state ? "up" : "down") }, n.state || "does not run"), n.turns > 0 && n.running ? `: turn ${count(n.turn)} of ${count(n.turns)}` : "", n.running ? `, up ${duration(n.uptime_seconds)}.` : ".", " ", n.token),
      n.turns > 0 && n.running && h("progress", { max: n.turns, value: Math.min(n.turn, n.turns), "aria-label": "turns of the run" }),
      n.statement?.alarm && h("p", { class: "callout alarm", role: "alert" }, h("b", {}, "Alarm. "), n.statement.alarm),
      n.error && h("p", { class: "callout alarm", role: "alert" }, n.error),
      n.silent && h("p", { class: "callout" }, n.silent),
      (n.warnings || []).map((w) => h("p", { class: "callout" }, w)),
      (n.waits || []).length > 0 && section("Waiting for", h("ul", { class: "notes" }, n.waits.map((w) => h("li", {}, w)))),
      spent(n),
      peers(n),
      ledger(n),
      statement(n),
      n.counters?.length > 0 && section("Since it was started", facts(n.counters.map((c) => [c.name, count(c.value)]))),
      fileList(id, n.files),
    ]);
  }, (e) => began || problem(e));
}

function spent(n) {
  const s = n.statement;
  if (!s) return section("What each participant could learn", small(n.pending || "Not known yet."));
  const limits = s.towards.some((t) => t.limit);
  return section("What each participant could have learnt", h("p", { class: "small" }, s.protected, " ", s.metric, ". Spent is what the ledger says was let out (as of ", when(s.at), "): the smaller of the plan and the local loss of the contributions made. ", status(s.status), " by accountant ", s.accountant, "."),
    table(["towards", { text: "hops", n: true }, { text: "spent", n: true }, limits ? "of the policy’s limit" : "of the plan", { text: "plan allows", n: true }, limits && { text: "policy’s limit", n: true }, { text: "spent, if it deviated", n: true }].filter(Boolean),
      s.towards.map((t) => h("tr", { class: t.over ? "bad" : "" }, cell(t.name), cell(t.hops >= 0 ? t.hops : "–", { n: true, label: "hops" }), cell(t.spent, { n: true, label: "spent" }),
        cell(h("span", { class: "meter" }, h("meter", { min: 0, max: 1, high: 0.95, optimum: 0, value: t.share, "aria-label": `spent towards ${t.name}: ${Math.ceil(100 * t.share)} % of ${t.limit ? "the policy’s limit" : "the plan"}` }), ` ${Math.ceil(100 * t.share)} %`), { label: t.limit ? "of the policy’s limit" : "of the plan" }),
        cell(t.allowed, { n: true, label: "plan allows" }), limits && cell(t.limit || "–", { n: true, label: "policy’s limit" }), cell(t.deviating, { n: true, label: "spent, if it deviated" }))),
      { label: "losses pair by pair" }));
}

function peers(n) {
  if (!n.peers?.length) return null;
  return section("Neighbours", table(["neighbour", "link", "state", "last heard"], n.peers.map((p) => h("tr", {}, cell(p.name), cell(h("span", { class: "state " + (p.connected ? "up" : "down") }, p.connected ? "up" : "down"), { label: "link" }), cell(p.state + (p.finished ? "; has ended" : ""), { label: "state" }), cell(when(p.last_seen), { label: "last heard" }))), { label: "neighbours" }));
}

function ledger(n) {
  const l = n.ledger;
  if (!l) return section("Ledger", small("It has not been looked at yet."));
  return section("Ledger", h("p", { class: l.whole ? "" : "callout alarm" }, h("b", { class: l.whole ? "state up" : "" }, l.whole ? "Whole" : "Not whole"), l.whole ? `: every entry checked, ${count(l.entries)} entries with ${count(l.releases)} releases, ` : `: ${l.problem} `, when(l.at), l.whole ? `, in ${number(l.seconds, 2)} s.` : ""),
    l.hash && small("Head ", h("code", {}, l.hash.slice(0, 32)), ". The same as hearsay ledger verify, on a copy: the node’s own is left alone."));
}

function statement(n) {
  const s = n.statement;
  return section("Terms", h("div", { class: "columns" },
    facts([["federation", n.federation], ["spec", h("code", {}, (n.spec || "").slice(0, 32))], ["joined", n.joined ? when(n.joined) : ""], ...(s ? [["contributions", `${count(s.contributed)} of at most ${count(s.contributions)}`], ["releases", count(s.releases)], ["noise multiplier σ", number(s.sigma)], ["noise", s.noise], ["other runs on these rows", s.others]] : [])]),
    s?.limits?.length ? facts(s.limits.map((l) => ["policy: " + l.name, l.value])) : ""),
  s?.assumptions?.length && h("details", { data: { key: "assumptions" } }, h("summary", {}, s.assumptions.length + " assumptions"), h("ul", {}, s.assumptions.map((a) => h("li", {}, a)))));
}
