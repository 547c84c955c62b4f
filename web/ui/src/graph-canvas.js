import { closest, strength } from "./graph-sigma.js";
import { radius } from "./graph-layout.js";
import { sized } from "report";

// The graph on a canvas, where there is no WebGL.
export class CanvasEngine {
  static kind = "canvas";

  constructor({ box, below, nodes, edges, night, edge, moved, clicked }) {
    Object.assign(this, { box, count: nodes, edges, night, edge, moved, x: [], y: [], colours: [], ratio: 1, shift: { x: 0, y: 0 } });
    this.canvas = document.createElement("canvas");
    box.insertBefore(this.canvas, below);
    let from = null;
    box.addEventListener("pointerdown", (e) => { from = { x: e.clientX, y: e.clientY, shift: { ...this.shift }, moved: false }; });
    box.addEventListener("pointermove", (e) => {
      if (!from || e.buttons === 0) return;
      from.moved ||= Math.hypot(e.clientX - from.x, e.clientY - from.y) > 4;
      if (!from.moved) return;
      this.shift = { x: from.shift.x + e.clientX - from.x, y: from.shift.y + e.clientY - from.y };
      this.draw();
    });
    box.addEventListener("click", (e) => {
      const r = box.getBoundingClientRect();
      const v = from?.moved ? -1 : this.nearest(e.clientX - r.left, e.clientY - r.top);
      from = null;
      if (v >= 0) clicked(v, e.shiftKey);
    });
    box.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoom(e.deltaY < 0 ? 1 : -1);
    }, { passive: false });
  }

  place(x, y) {
    Object.assign(this, { x, y });
    this.draw();
  }

  paint(colours) {
    this.colours = colours;
    this.draw();
  }

  side() {
    return Math.min(this.box.clientWidth, this.box.clientHeight) - 52;
  }

  at(v) {
    const side = this.side() * this.ratio;
    return { x: this.box.clientWidth / 2 + (this.x[v] - 0.5) * side + this.shift.x, y: this.box.clientHeight / 2 + (this.y[v] - 0.5) * side + this.shift.y, size: radius(this.side(), this.count) * Math.sqrt(this.ratio) };
  }

  nearest(x, y) {
    return closest(this, this.count, x, y);
  }

  draw() {
    const { pen, width } = sized(this.canvas);
    if (width === 0 || this.x.length === 0) return;
    const at = Array.from({ length: this.count }, (_, v) => this.at(v));
    pen.strokeStyle = this.edge;
    pen.globalAlpha = strength(this.edges.length / 2);
    pen.lineWidth = 0.8;
    pen.beginPath();
    for (let i = 0; i + 1 < this.edges.length; i += 2) {
      pen.moveTo(at[this.edges[i]].x, at[this.edges[i]].y);
      pen.lineTo(at[this.edges[i + 1]].x, at[this.edges[i + 1]].y);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    at.forEach(({ x, y, size }, v) => {
      pen.fillStyle = this.colours[v] || this.edge;
      pen.beginPath();
      pen.arc(x, y, size, 0, 2 * Math.PI);
      pen.fill();
    });
    this.moved();
  }

  zoom(sign) {
    const before = this.ratio;
    this.ratio = sign === 0 ? 1 : Math.max(0.5, Math.min(40, this.ratio * (sign > 0 ? 1.4 : 1 / 1.4)));
    const by = sign === 0 ? 0 : this.ratio / before;
    this.shift = { x: this.shift.x * by, y: this.shift.y * by };
    this.draw();
  }

  resize() {
    this.draw();
  }

  stop() {
    this.canvas.remove();
  }
}
