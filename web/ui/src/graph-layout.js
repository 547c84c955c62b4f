// Rings by distance around the observer; on a ring, nodes in the order of their angle in the
// graph's own layout, which keeps neighbours together. Nodes without a path make the outermost ring.
export function rings(p, hops, centre) {
  const { x, y } = p.picture;
  const far = Array.from({ length: p.nodes }, (_, u) => (u === centre ? 0 : hops(u)));
  const last = far.reduce((a, b) => Math.max(a, b), 0);
  const ring = Array.from({ length: last + 2 }, () => []);
  far.forEach((d, u) => ring[d < 0 ? last + 1 : d].push(u));
  const outer = ring[last + 1].length > 0 ? last + 1 : Math.max(1, last);
  const angle = (u) => Math.atan2(y[u] - y[centre], x[u] - x[centre]);
  const at = { x: new Array(p.nodes), y: new Array(p.nodes) };
  ring.forEach((nodes, k) => {
    nodes.sort((a, b) => angle(a) - angle(b) || a - b).forEach((u, i) => {
      const turn = ((i + 0.5) / nodes.length) * 2 * Math.PI - Math.PI;
      at.x[u] = 0.5 + (k / outer) * 0.5 * Math.cos(turn);
      at.y[u] = 0.5 + (k / outer) * 0.5 * Math.sin(turn);
    });
  });
  return at;
}

// How large nodes are, in pixels, in a drawing of that side.
export const radius = (side, nodes) => Math.max(1.8, Math.min(11, (side * 0.22) / Math.sqrt(nodes)));
