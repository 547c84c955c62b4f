// Elements from data: texts are never read as HTML.
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key in node && key !== "list" && key !== "form") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return node;
}

export const small = (...text) => h("p", { class: "small" }, ...text);

export function status(s) {
  return s ? h("span", { class: "badge " + s, title: meanings[s] || "" }, s) : null;
}

// What the statuses are, in a line; reports say it in full.
const meanings = {
  published: "as a paper prints it: for comparing, not a guarantee",
  sound: "an upper bound whose every step is defended",
  "sound if": "an upper bound if what it asserts is true, which nobody has checked",
  audit: "a lower bound: what an explicit attack achieves",
  estimate: "a mean over a sample of pairs, which is no bound",
};

// A section with its heading; empty ones are left out.
export function section(title, ...children) {
  const inside = children.flat(3).filter(Boolean);
  return inside.length ? h("section", {}, h("h2", {}, title), ...inside) : null;
}

export function table(head, rows, props = {}) {
  return h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": props.label || "table" },
    h("table", { class: "stack " + (props.class || "") },
      h("thead", {}, h("tr", {}, head.map((c) => (c instanceof Node ? c : h("th", { class: c.n ? "n" : "", scope: "col" }, c.text ?? c))))),
      h("tbody", {}, rows)));
}

export function cell(text, props = {}) {
  return h("td", { class: props.n ? "n" : props.class || "", data: props.label ? { label: props.label } : {} }, text ?? "");
}

export function facts(pairs) {
  return h("dl", { class: "list" }, pairs.filter(([, v]) => v !== "" && v !== undefined && v !== null).map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v))));
}

// When something was, for people; the machine's own time zone.
export function when(text) {
  if (!text) return "never";
  const date = new Date(text);
  return h("time", { dateTime: text, title: date.toLocaleString() }, ago(date));
}

export function ago(date, now = new Date()) {
  const s = Math.round((now - date) / 1000);
  if (Number.isNaN(s)) return "";
  if (s < 5) return "just now";
  if (s < 100) return s + " s ago";
  if (s < 6000) return Math.round(s / 60) + " min ago";
  if (s < 100_000) return Math.round(s / 3600) + " h ago";
  return date.toISOString().slice(0, 10);
}

export const count = (n) => Math.round(n).toLocaleString("en").replace(/,/g, "\u202f");

export function bytes(n) {
  if (n < 1e3) return n + " B";
  if (n < 1e6) return (n / 1e3).toFixed(1) + " kB";
  return (n / 1e6).toFixed(1) + " MB";
}

export function duration(s) {
  if (!(s >= 0)) return "";
  if (s < 120) return s.toFixed(s < 10 ? 1 : 0) + " s";
  if (s < 7200) return Math.round(s / 60) + " min";
  return (s / 3600).toFixed(1) + " h";
}

export function number(x, digits = 4) {
  if (x === null || x === undefined) return "–";
  if (!Number.isFinite(x)) return "∞";
  return String(Number(x.toPrecision(digits)));
}

// A loss with four digits, never below the real one, or, for a lower bound, never above it.
export function loss(x, down) {
  if (x === null || x === undefined || x === 0 || !Number.isFinite(x)) return number(x);
  const [mantissa, exponent] = x.toExponential(3).split("e");
  const nearest = Number(mantissa + "e" + exponent);
  if (down ? nearest <= x : nearest >= x) return String(nearest);
  return String(Number(Number(mantissa.replace(".", "")) + (down ? -1 : 1) + "e" + (Number(exponent) - 3)));
}

// Puts new content in place of old, and the focus and the scroll back to where they were.
export function refill(box, children) {
  const at = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const opened = new Set([...box.querySelectorAll("details[open][data-key]")].map((d) => d.dataset.key));
  box.replaceChildren(...[children].flat(3).filter(Boolean));
  for (const d of box.querySelectorAll("details[data-key]")) if (opened.has(d.dataset.key)) d.open = true;
  if (at) box.querySelector(`[data-key="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
}

export function fileList(id, files) {
  if (!files || !files.length) return null;
  return section("Files", h("ul", { class: "files" }, files.map((f) => h("li", {},
    h("a", { href: `/files/${id}/${f.name}`, target: f.page ? "_blank" : null, rel: "noreferrer", download: f.page ? null : "" }, f.name), " ", h("span", { class: "dim" }, bytes(f.bytes))))),
    files.some((f) => f.page) && small("Pages open in a tab of their own, shut off from this one."));
}
