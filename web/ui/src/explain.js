import { ask } from "./api.js";
import { h, small } from "./dom.js";

// Why a loss is what it is and what would lower it: the server works it out with what
// hearsay privacy explain does, when it is asked to.
export class Explainer {
  constructor(id, signal) {
    Object.assign(this, { id, signal, pair: null, asked: 0 });
    this.button = h("button", { type: "button", onclick: () => this.explain() }, "Explain why, and what would lower it");
    this.text = h("div", { class: "explanation", "aria-live": "polite" });
    this.node = h("div", {}, this.button, this.text);
  }

  about(u, v) {
    if (this.pair && this.pair[0] === u && this.pair[1] === v) return;
    this.pair = [u, v];
    this.asked++;
    this.button.hidden = u === v;
    this.button.disabled = false;
    this.text.replaceChildren();
  }

  async explain() {
    const mine = ++this.asked;
    const [u, v] = this.pair;
    this.button.disabled = true;
    for (let wait = 150; mine === this.asked && !this.signal.aborted; wait = Math.min(2 * wait, 1000)) {
      let e;
      try {
        e = await ask(`run/${this.id}/explain?about=${u}&observer=${v}`, this.signal);
      } catch (problem) {
        e = { state: "failed", error: problem.message };
      }
      if (mine !== this.asked) return;
      if (e.state !== "working") return this.show(e);
      this.text.replaceChildren(h("p", { class: "dim" }, (e.said?.at(-1) || "beginning") + "…"));
      await new Promise((go) => setTimeout(go, wait));
    }
  }

  show(e) {
    this.button.disabled = false;
    this.button.hidden = e.state === "done";
    if (e.state !== "done" || !e.of) return this.text.replaceChildren(h("p", { class: "callout" }, e.error || "There is no explanation."));
    this.text.replaceChildren(...e.of.text.map((p) => h("section", {}, h("h3", {}, p.heading), ...p.text.split("\n").filter(Boolean).map((line) => h("p", {}, line)))), small("The same as: hearsay privacy explain."));
  }
}
