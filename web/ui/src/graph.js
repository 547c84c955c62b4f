import { h } from "./dom.js";
import { CanvasEngine } from "./graph-canvas.js";
import { rings } from "./graph-layout.js";
import { SigmaEngine } from "./graph-sigma.js";
import { bound, colour, name, showTip, silent, sized, style } from "report";

const allLabelled = 30; // nodes up to which every one is named
const mostLabel = 24; // characters
const signs = { sound: " ≤ ", "sound if": " ≤ ", audit: " ≥ " };

// The graph as the observer sees it: an engine paints nodes and edges (WebGL, or a canvas
// where there is none), a canvas above it marks the pair and what is pointed at.
export class GraphView {
  constructor(state, choose, signal) {
    Object.assign(this, { state, choose, signal, hover: -1, engine: null, spatial: state.p.nodes <= 60 });
    this.box = h("div", { class: "canvas graph", tabIndex: 0, role: "application", "aria-label": "The graph. Arrow keys go from node to node, Enter makes one the observer, Shift and Enter the one learnt about, plus and minus zoom." });
    this.marks = h("canvas", { class: "marks", "aria-hidden": "true" });
    this.tip = h("div", { class: "tip", hidden: true, role: "status" });
    const way = (value, text) => h("label", { class: "inline" }, h("input", { type: "radio", name: "layout", value, checked: (value === "place") === this.spatial, onchange: () => { this.spatial = value === "place"; this.place(); } }), " ", text);
    const zoom = (sign, text) => h("button", { type: "button", class: "save", "aria-label": text, title: text, onclick: () => this.engine?.zoom(sign) }, sign > 0 ? "+" : sign < 0 ? "−" : "Whole");
    this.node = h("div", {}, h("p", { class: "small how" }, "Colour: what the observer (ringed) learns about each node. A click makes a node the observer, with Shift the one learnt about. Draw by ", way("place", "position"), " ", way("rings", "distance"), ". ", h("span", { class: "zooms" }, zoom(1, "Zoom in"), zoom(-1, "Zoom out"), zoom(0, "Show the whole graph"))),
      this.box, state.p.picture.missing && h("p", { class: "small" }, state.p.picture.missing));
    this.box.append(this.marks, this.tip);
    this.box.addEventListener("pointermove", (e) => this.point(e));
    this.box.addEventListener("pointerleave", () => this.leave());
    this.box.addEventListener("keydown", (e) => this.key(e));
    const watch = new ResizeObserver(() => this.start());
    watch.observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
    signal.addEventListener("abort", () => { watch.disconnect(); this.engine?.stop(); });
  }

  // The engine begins once there is room for it.
  start() {
    if (this.box.clientWidth === 0) return;
    if (!this.engine) {
      const { p } = this.state;
      const options = { box: this.box, below: this.marks, nodes: p.nodes, edges: p.picture.edges || [], directed: p.picture.directed, night: style("--night"), edge: style("--edge"), moved: () => this.mark(), clicked: (v, shift) => this.choose(v, shift) };
      try {
        this.engine = new SigmaEngine(options);
      } catch (e) {
        this.box.querySelectorAll("canvas:not(.marks)").forEach((c) => c.remove());
        this.engine = new CanvasEngine(options); // no WebGL
      }
      this.box.dataset.engine = this.engine.constructor.kind;
      this.place();
      return;
    }
    this.engine.resize();
    this.mark();
  }

  place() {
    if (!this.engine) return;
    const { p, losses, observer } = this.state;
    const at = this.spatial ? { x: p.picture.x, y: p.picture.y } : rings(p, (u) => losses.hops(u, observer), observer);
    this.engine.place(at.x, at.y);
    this.draw(true);
  }

  draw(placed) {
    if (!this.engine) return;
    if (!this.spatial && !placed) return this.place();
    const { p, losses, lens, observer, about } = this.state;
    const a = losses.accounts[lens];
    const paint = Array.from({ length: p.nodes }, (_, u) => (u === observer ? style("--star") : shade(a.of(u, observer), a)));
    this.engine.paint(paint, [observer, about]);
    this.mark();
  }

  mark() {
    if (!this.engine) return;
    const { pen, width, height } = sized(this.marks);
    if (width === 0) return;
    const { observer, about, p } = this.state;
    if (p.picture.missing) this.own(pen);
    if (this.hover >= 0) this.ring(pen, this.hover, style("--star"));
    this.ring(pen, about, style("--mark"), [3, 2]);
    this.ring(pen, observer, style("--mark"));
    const named = p.nodes <= allLabelled ? Array.from({ length: p.nodes }, (_, v) => v) : [...new Set([about, observer])];
    for (const v of named) this.label(pen, v, width, height);
  }

  // The observer's own edges, where there are too many of all.
  own(pen) {
    const { observer, losses, p } = this.state;
    const from = this.engine.at(observer);
    pen.strokeStyle = style("--edge");
    pen.globalAlpha = 0.4;
    for (let u = 0; u < p.nodes; u++) {
      if (losses.hops(u, observer) !== 1) continue;
      const to = this.engine.at(u);
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  ring(pen, v, ink, dash = []) {
    const { x, y, size } = this.engine.at(v);
    for (const [line, width] of [[style("--night"), 5], [ink, 2.4]]) {
      pen.strokeStyle = line;
      pen.lineWidth = width;
      pen.setLineDash(line === ink ? dash : []);
      pen.beginPath();
      pen.arc(x, y, size + 3, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  label(pen, v, width, height) {
    const { x, y, size } = this.engine.at(v);
    if (x < 0 || y < 0 || x > width || y > height) return;
    const text = name(v).length > mostLabel ? name(v).slice(0, mostLabel - 1) + "…" : name(v);
    pen.font = "600 13px system-ui, sans-serif";
    const wide = pen.measureText(text).width;
    const left = Math.max(6, Math.min(x + size + 7, width - wide - 6));
    const top = Math.max(16, Math.min(y - size - 4, height - 6));
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = style("--night");
    pen.strokeText(text, left, top);
    pen.fillStyle = style("--star");
    pen.fillText(text, left, top);
  }

  words(v) {
    const { losses, lens, observer } = this.state;
    if (v === observer) return name(v) + ", the observer";
    const a = losses.accounts[lens];
    const loss = a.of(v, observer);
    const far = losses.hops(v, observer);
    const distance = far > 0 ? `, ${far} ${far === 1 ? "hop" : "hops"}` : "";
    if (silent(loss)) return name(v) + distance + ": not priced";
    return name(v) + distance + ": ε" + (signs[a.status] || " = ") + bound(loss, a.status) + " (" + a.status + ")";
  }

  point(event) {
    const box = this.box.getBoundingClientRect();
    const v = this.engine?.nearest(event.clientX - box.left, event.clientY - box.top) ?? -1;
    if (v < 0) return this.leave();
    this.look(v);
  }

  look(v) {
    if (v !== this.hover) {
      this.hover = v;
      this.mark();
    }
    const { x, y } = this.engine.at(v);
    showTip(this.tip, this.box, x, y, this.words(v));
  }

  leave() {
    this.tip.hidden = true;
    if (this.hover < 0) return;
    this.hover = -1;
    this.mark();
  }

  // Keys: the next node in the direction of an arrow, and what a click does.
  key(event) {
    const v = this.hover >= 0 ? this.hover : this.state.observer;
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (ways[event.key]) this.look(this.next(v, ways[event.key]));
    else if (event.key === "Enter") this.choose(v, event.shiftKey);
    else if (event.key === "+" || event.key === "=") this.engine.zoom(1);
    else if (event.key === "-") this.engine.zoom(-1);
    else if (event.key === "0") this.engine.zoom(0);
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
  }

  // The node nearest to v in a direction; what lies off to the side counts as farther.
  next(v, [dx, dy]) {
    const from = this.engine.at(v);
    let best = v;
    let least = Infinity;
    for (let u = 0; u < this.state.p.nodes; u++) {
      const to = this.engine.at(u);
      const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
      if (u === v || along <= 0.5) continue;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      const cost = along + 2.5 * aside;
      if (cost < least) [best, least] = [u, cost];
    }
    return best;
  }
}

function shade(loss, a) {
  return loss === undefined ? style("--edge") : colour(loss, a);
}
