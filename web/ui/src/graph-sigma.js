import Graph from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram } from "sigma/rendering";
import { radius } from "./graph-layout.js";

// The graph by WebGL. It throws where there is none.
export class SigmaEngine {
  static kind = "webgl";

  constructor({ box, below, nodes, edges, directed, edge, moved, clicked }) {
    if (!document.createElement("canvas").getContext("webgl2") && !document.createElement("canvas").getContext("webgl")) throw new Error("no WebGL");
    this.box = box;
    this.count = nodes;
    this.graph = new Graph({ type: directed ? "directed" : "undirected", multi: true, allowSelfLoops: false });
    for (let v = 0; v < nodes; v++) this.graph.addNode(String(v), { x: 0, y: 0, size: 3, color: edge });
    const faint = strength(edges.length / 2);
    for (let i = 0; i + 1 < edges.length; i += 2) this.graph.addEdge(String(edges[i]), String(edges[i + 1]), { color: mixed(edge, faint) });
    const room = document.createElement("div");
    room.className = "engine";
    box.insertBefore(room, below);
    this.sigma = new Sigma(this.graph, room, {
      renderLabels: false, allowInvalidContainer: true, defaultDrawNodeHover: () => {}, zIndex: true, stagePadding: 26, itemSizesReference: "screen",
      defaultEdgeType: "line", edgeProgramClasses: { line: EdgeLineProgram }, minCameraRatio: 0.02, maxCameraRatio: 3, hideEdgesOnMove: edges.length > 40_000,
    });
    this.sigma.on("afterRender", moved);
    this.sigma.on("clickNode", ({ node, event }) => clicked(Number(node), event.original.shiftKey));
    this.room = room;
  }

  place(x, y) {
    this.graph.updateEachNodeAttributes((v, at) => ({ ...at, x: x[v], y: -y[v] }), { attributes: ["x", "y"] });
    this.size();
  }

  size() {
    const size = radius(Math.min(this.box.clientWidth, this.box.clientHeight) - 52, this.count);
    this.graph.updateEachNodeAttributes((v, at) => ({ ...at, size }), { attributes: ["size"] });
  }

  paint(colours, front) {
    this.graph.updateEachNodeAttributes((v, at) => ({ ...at, color: colours[v], zIndex: front.includes(Number(v)) ? 1 : 0 }), { attributes: ["color", "zIndex"] });
    this.sigma.refresh({ skipIndexation: false });
  }

  at(v) {
    const data = this.sigma.getNodeDisplayData(String(v));
    const { x, y } = this.sigma.framedGraphToViewport(data);
    return { x, y, size: this.sigma.scaleSize(data.size) };
  }

  nearest(x, y) {
    return closest(this, this.count, x, y);
  }

  zoom(sign) {
    const camera = this.sigma.getCamera();
    if (sign > 0) camera.animatedZoom({ duration: 150 });
    else if (sign < 0) camera.animatedUnzoom({ duration: 150 });
    else camera.animatedReset({ duration: 150 });
  }

  resize() {
    this.sigma.resize();
    this.size();
    this.sigma.refresh();
  }

  stop() {
    this.sigma.kill();
  }
}

// The node under a point, or -1.
export function closest(engine, count, x, y) {
  let best = -1;
  let least = 14 ** 2;
  for (let v = 0; v < count; v++) {
    const at = engine.at(v);
    const d = (at.x - x) ** 2 + (at.y - y) ** 2;
    if (d < least) [best, least] = [v, d];
  }
  return best;
}

// Many edges must not hide the nodes.
export const strength = (edges) => Math.max(0.1, Math.min(0.6, 40 / Math.sqrt(edges + 1)));

// An edge's colour, faint on the night behind it: WebGL lines have no transparency of their own.
function mixed(colour, part) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const night = [14, 20, 32];
  return "#" + [r, g, b].map((c, i) => Math.round(night[i] + (c - night[i]) * part).toString(16).padStart(2, "0")).join("");
}
