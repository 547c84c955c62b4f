"use strict";

// What the page carries: facts as JSON, bulk data as gzip in URL-safe base64.
// Without pairs there are none.
const carried = document.getElementById("facts");
const facts = carried && JSON.parse(carried.textContent);

async function unpack(id) {
  const text = document.getElementById(id).textContent.replace(/-/g, "+").replace(/_/g, "/");
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Losses under one accountant: codes in two planes, high bytes first.
class Losses {
  constructor(fact, shown, planes) {
    Object.assign(this, fact); // name, status, symmetric, low, high
    this.shown = shown;
    this.count = planes.length / 2;
    this.planes = planes;
    this.row = new Map((facts.observers || []).map((v, i) => [v, i]));
    this.column = new Map((facts.known || []).map((u, i) => [u, i]));
  }

  // What observer v learns about u; undefined where the page does not carry it.
  of(u, v) {
    if (u === v) return 0;
    const i = this.symmetric ? (Math.max(u, v) * (Math.max(u, v) - 1)) / 2 + Math.min(u, v) : this.rowOf(v) * (facts.known ? facts.known.length : facts.nodes) + this.columnOf(u);
    return this.shown[this.planes[i] * 256 + this.planes[this.count + i]];
  }

  rowOf(v) {
    return facts.observers ? this.row.get(v) : v;
  }

  columnOf(u) {
    return facts.known ? this.column.get(u) : u;
  }

  static async load(fact, k) {
    const [shown, planes] = await Promise.all([unpack("shown-" + k), unpack("codes-" + k)]);
    return new Losses(fact, new Float64Array(shown), new Uint8Array(planes));
  }
}

// The graph: neighbours from which information flows into a node; on a page of
// one participant's losses, neighbours that it flows to.
class Graph {
  constructor(edges, positions) {
    const m = edges.length / 2;
    this.edges = edges;
    this.m = m;
    this.positions = positions;
    this.start = new Uint32Array(facts.nodes + 1);
    const flows = (visit) => {
      for (let i = 0; i < m; i++) {
        if (!facts.known || !facts.directed) visit(edges[i], edges[m + i]);
        if (facts.known || !facts.directed) visit(edges[m + i], edges[i]);
      }
    };
    flows((from, to) => this.start[to + 1]++);
    for (let v = 0; v < facts.nodes; v++) this.start[v + 1] += this.start[v];
    this.sources = new Uint32Array(this.start[facts.nodes]);
    const next = this.start.slice();
    flows((from, to) => (this.sources[next[to]++] = from));
  }

  // Hops from every node to v, or back where the losses are those of v alone (-1:
  // no path), the order in which they were found, and the node through which each was.
  hopsTo(v) {
    const hops = new Int32Array(facts.nodes).fill(-1);
    const via = new Int32Array(facts.nodes).fill(-1);
    const order = [v];
    hops[v] = 0;
    for (let i = 0; i < order.length; i++) {
      const w = order[i];
      for (let j = this.start[w]; j < this.start[w + 1]; j++) {
        const u = this.sources[j];
        if (hops[u] >= 0) continue;
        hops[u] = hops[w] + 1;
        via[u] = w;
        order.push(u);
      }
    }
    return { hops, via, order };
  }

  static async load() {
    const edges = new Uint32Array(await unpack("edges"));
    const positions = facts.placed ? new Uint16Array(await unpack("positions")) : null;
    return new Graph(edges, positions);
  }
}
