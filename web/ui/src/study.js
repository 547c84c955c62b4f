import { ask } from "./api.js";
import { cell, duration, fileList, h, section, table, when } from "./dom.js";

export async function studyView({ id, main, signal, crumbs }) {
  const s = await ask("study/" + id, signal);
  crumbs([s.name]);
  main.replaceChildren(...[
    h("p", { class: "eyebrow" }, "Study · ", s.source, " · ", when(s.changed)), h("h1", {}, s.title || s.name),
    h("p", { class: "lead" }, `${s.quick ? "The quick version" : "The whole study"}, in ${duration(s.seconds)}.`),
    s.checks?.length && section("Claims", table(["charged", "claim", "holds", "measured"], s.checks.map((c) => h("tr", {}, cell(c.basis, { label: "charged" }), cell(c.claim), cell(c.holds ? "yes" : "no", { label: "holds", class: c.holds ? "" : "trouble" }), cell(c.measured, { label: "measured" }))), { label: "claims" })),
    ...(s.tables || []).map((t) => section(t.name, table(t.header || [], (t.rows || []).map((r) => h("tr", {}, r.map((v, i) => cell(v, { label: (t.header || [])[i] })))), { label: t.name, class: "tight" }))),
    fileList(id, s.files),
  ].filter(Boolean));
}
