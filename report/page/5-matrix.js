// The picture of the matrix: a cross at the chosen pair, a tip and a choice
// under the pointer.
class Matrix {
  constructor(state, choose) {
    this.state = state;
    this.box = document.getElementById("matrix");
    this.canvas = this.box.querySelector("canvas");
    this.tip = this.box.querySelector(".tip");
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("pointermove", (e) => {
      const { u, v, x, y } = this.under(e);
      showTip(this.tip, this.box, x, y, name(v) + " about " + pairText(this.state, u, v));
    });
    this.box.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.box.addEventListener("click", (e) => {
      const { u, v } = this.under(e);
      if (u !== v) choose(v, u);
    });
  }

  under(event) {
    const box = this.box.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const index = (part) => Math.max(0, Math.min(facts.nodes - 1, Math.floor(part * facts.nodes)));
    const seen = index(x / box.width);
    return { x, y, u: index(y / box.height), v: facts.observers ? closest(facts.observers, seen) : seen };
  }

  draw() {
    const { pen, width, height } = sized(this.canvas);
    const { observer, about, lens } = this.state;
    for (const img of this.box.querySelectorAll("img")) img.hidden = Number(img.dataset.accountant) !== lens;
    const [x, y] = [((observer + 0.5) / facts.nodes) * width, ((about + 0.5) / facts.nodes) * height];
    for (const [ink, line] of [["#000", 3], ["#fff", 1.2]]) {
      pen.strokeStyle = ink;
      pen.globalAlpha = ink === "#000" ? 0.45 : 0.95;
      pen.lineWidth = line;
      pen.beginPath();
      pen.arc(x, y, 8, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        pen.moveTo(x + 8 * dx, y + 8 * dy);
        pen.lineTo(x + 22 * dx, y + 22 * dy);
      }
      pen.stroke();
    }
  }
}

function closest(list, to) {
  return list.reduce((best, v) => (Math.abs(v - to) < Math.abs(best - to) ? v : best));
}
