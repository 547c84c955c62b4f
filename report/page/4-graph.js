const allLabelled = 30; // nodes up to which every one is named in the drawing

// The drawing of the graph: one canvas for edges and nodes, one above it for
// the marks that follow the pointer, so that pointing redraws a few circles.
class Drawing {
  constructor(state, choose) {
    this.state = state;
    this.box = document.getElementById("graph");
    [this.base, this.marks] = this.box.querySelectorAll("canvas");
    this.tip = this.box.querySelector(".tip");
    this.hover = -1;
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("pointermove", (e) => this.point(e));
    this.box.addEventListener("pointerleave", () => this.leave());
    this.box.addEventListener("click", (e) => {
      const at = this.nearest(e);
      if (at >= 0) choose(at);
    });
  }

  draw() {
    const { pen, width, height } = sized(this.base);
    if (width === 0) return;
    const margin = 28; // room for a node with its ring
    const side = Math.min(width, height) - 2 * margin;
    const unit = this.byPlace() ? placedAt(this.state.graph) : ringsAround(this.state);
    this.at = { x: unit.x.map((x) => (width - side) / 2 + x * side), y: unit.y.map((y) => (height - side) / 2 + y * side) };
    this.radius = Math.max(1.8, Math.min(12, (side * 0.22) / Math.sqrt(facts.nodes)));
    this.drawEdges(pen, width, height);
    this.drawNodes(pen);
    this.drawMarks();
  }

  byPlace() {
    const choice = document.querySelector("input[name=layout]:checked");
    return facts.placed && choice.value === "place";
  }

  drawEdges(pen, width, height) {
    const { edges, m } = this.state.graph;
    const { x, y } = this.at;
    pen.strokeStyle = style("--edge");
    pen.lineWidth = m < 300 ? 1.2 : 0.7;
    pen.beginPath();
    let drawn = 0;
    for (let i = 0; i < m; i++) {
      drawn += Math.hypot(x[edges[i]] - x[edges[m + i]], y[edges[i]] - y[edges[m + i]]);
      pen.moveTo(x[edges[i]], y[edges[i]]);
      pen.lineTo(x[edges[m + i]], y[edges[m + i]]);
    }
    const cover = (drawn * pen.lineWidth) / (width * height); // many long edges must not hide the nodes
    pen.globalAlpha = Math.max(0.05, Math.min(0.6, 0.15 / cover));
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawNodes(pen) {
    const { about, observer, lens, losses } = this.state;
    const { x, y } = this.at;
    pen.strokeStyle = style("--night");
    pen.lineWidth = this.radius > 3 ? 1 : 0.4;
    for (let u = 0; u < facts.nodes; u++) {
      if (u === centre(this.state)) continue;
      const loss = facts.known ? losses[lens].of(about, u) : losses[lens].of(u, observer);
      pen.fillStyle = loss === undefined ? style("--edge") : colour(loss, losses[lens]);
      pen.beginPath();
      pen.arc(x[u], y[u], this.radius, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
  }

  drawMarks() {
    const { pen, width, height } = sized(this.marks);
    const { observer, about } = this.state;
    if (this.hover >= 0) this.ring(pen, this.hover, this.radius + 2, style("--star"));
    this.ring(pen, about, this.radius + 3, style("--mark"), [3, 2]);
    this.ring(pen, observer, this.radius + 3, style("--mark"));
    this.dot(pen, centre(this.state));
    const labelled = facts.nodes <= allLabelled ? this.at.x.keys() : new Set([about, observer]);
    for (const v of labelled) this.label(pen, v, width, height);
  }

  ring(pen, v, radius, ink, dash = []) {
    for (const [line, width] of [[style("--night"), 5], [ink, 2.4]]) {
      pen.strokeStyle = line;
      pen.lineWidth = width;
      pen.setLineDash(line === ink ? dash : []);
      pen.beginPath();
      pen.arc(this.at.x[v], this.at.y[v], radius, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  dot(pen, v) {
    pen.fillStyle = style("--mark");
    pen.beginPath();
    pen.arc(this.at.x[v], this.at.y[v], Math.max(2, this.radius * 0.7), 0, 2 * Math.PI);
    pen.fill();
  }

  label(pen, v, width, height) {
    const text = name(v);
    pen.font = "600 13px system-ui, sans-serif";
    const wide = pen.measureText(text).width;
    const x = Math.max(6, Math.min(this.at.x[v] + this.radius + 8, width - wide - 6));
    const y = Math.max(16, Math.min(this.at.y[v] - this.radius - 5, height - 6));
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = style("--night");
    pen.strokeText(text, x, y);
    pen.fillStyle = style("--star");
    pen.fillText(text, x, y);
  }

  // The node under the pointer, or -1.
  nearest(event) {
    const box = this.box.getBoundingClientRect();
    const px = event.clientX - box.left;
    const py = event.clientY - box.top;
    let best = -1;
    let least = Math.max(12, this.radius * 1.5) ** 2;
    for (let v = 0; v < facts.nodes; v++) {
      const d = (this.at.x[v] - px) ** 2 + (this.at.y[v] - py) ** 2;
      if (d < least) [best, least] = [v, d];
    }
    return best;
  }

  point(event) {
    const at = this.nearest(event);
    if (at < 0) return this.leave();
    if (at !== this.hover) {
      this.hover = at;
      this.drawMarks();
    }
    showTip(this.tip, this.box, this.at.x[at], this.at.y[at], facts.known ? pairText(this.state, this.state.about, at) : pairText(this.state, at, this.state.observer));
  }

  leave() {
    this.tip.hidden = true;
    if (this.hover < 0) return;
    this.hover = -1;
    this.drawMarks();
  }
}

// Given positions, y upwards, centred in the unit square.
function placedAt(graph) {
  const n = facts.nodes;
  const x = Array.from(graph.positions.subarray(0, n), (p) => p / 65535);
  const y = Array.from(graph.positions.subarray(n), (p) => p / 65535);
  const [right, top] = [x.reduce((a, b) => Math.max(a, b)), y.reduce((a, b) => Math.max(a, b))];
  return { x: x.map((p) => p + (1 - right) / 2), y: y.map((p) => 1 - p - (1 - top) / 2) };
}

// Rings by distance around the centre. On a ring, nodes keep the order of
// the nodes through which they were found, which keeps edges short. Nodes
// without a path make the outermost ring.
function ringsAround(state) {
  const { hops, via } = state.hopsTo(centre(state));
  const last = hops.reduce((a, b) => Math.max(a, b), 0);
  const rings = Array.from({ length: last + 2 }, () => []);
  for (let v = 0; v < facts.nodes; v++) rings[hops[v] < 0 ? last + 1 : hops[v]].push(v);
  const outer = rings[last + 1].length > 0 ? last + 1 : Math.max(1, last);
  const angle = new Float64Array(facts.nodes);
  const x = new Array(facts.nodes);
  const y = new Array(facts.nodes);
  rings.forEach((ring, k) => {
    ring.sort((a, b) => (via[a] < 0 ? 0 : angle[via[a]]) - (via[b] < 0 ? 0 : angle[via[b]]) || a - b);
    ring.forEach((v, i) => {
      angle[v] = ((i + 0.5) / ring.length) * 2 * Math.PI;
      x[v] = 0.5 + (k / outer) * 0.5 * Math.cos(angle[v]);
      y[v] = 0.5 + (k / outer) * 0.5 * Math.sin(angle[v]);
    });
  });
  return { x, y };
}
