// The search of the documentation. The index is a script of the site, read when it is first needed.
"use strict";
const root = document.body.dataset.root;
const field = document.getElementById("find"), found = document.getElementById("found"), text = document.getElementById("text");
const shelves = document.querySelector(".shelves");
if (matchMedia("(max-width: 820px)").matches) shelves.open = false;
const here = shelves.querySelector("[aria-current]");
if (here) shelves.scrollTop = here.offsetTop - shelves.clientHeight / 2;

let index = null;
function hearsayIndex(pages) {
  index = pages.flatMap((p) => p.sections.map((s) => ({
    href: root + p.file + (s.anchor ? "#" + s.anchor : ""), page: p.title, title: s.title || p.title, text: s.text,
    inTitle: (p.title + " " + s.title).toLowerCase(), inText: s.text.toLowerCase(),
  })));
  show();
}

// load reads the index once.
function load() {
  if (document.getElementById("index")) return;
  const script = document.createElement("script");
  script.id = "index";
  script.src = root + "site/index.js";
  document.head.append(script);
}

// search returns the sections that have every word, the best first: words in titles count most.
function search(words) {
  const hits = [];
  for (const s of index) {
    let score = 0;
    const all = words.every((w) => {
      const titled = s.inTitle.includes(w), times = s.inText.split(w).length - 1;
      score += (titled ? 12 : 0) + Math.min(times, 5);
      return titled || times > 0;
    });
    if (all) hits.push({ s, score });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, 30).map((h) => h.s);
}

// excerpt returns the text around the first of words, with all of them marked.
function excerpt(s, words) {
  const places = words.map((w) => s.inText.indexOf(w)).filter((i) => i >= 0);
  const at = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
  const part = (at ? "… " : "") + s.text.slice(at, at + 200);
  const p = document.createElement("p"), low = part.toLowerCase();
  for (let i = 0; i < part.length;) {
    const next = words.map((w) => ({ w, at: low.indexOf(w, i) })).filter((m) => m.at >= 0).sort((a, b) => a.at - b.at || b.w.length - a.w.length)[0];
    p.append(part.slice(i, next ? next.at : part.length));
    if (!next) break;
    const mark = document.createElement("mark");
    mark.textContent = part.slice(next.at, next.at + next.w.length);
    p.append(mark);
    i = next.at + next.w.length;
  }
  return p;
}

// show shows the results for what is in the field, or the page if it is empty.
function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = !words.length;
  text.hidden = words.length > 0;
  if (!words.length || !index) return;
  const hits = search(words), head = document.createElement("h1"), list = document.createElement("ol");
  head.textContent = hits.length ? "Found" : "Nothing has all of these words";
  for (const s of hits) {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = s.href;
    link.textContent = s.title === s.page ? s.page : s.page + " › " + s.title;
    link.addEventListener("click", () => { field.value = ""; show(); });
    item.append(link, excerpt(s, words));
    list.append(item);
  }
  found.replaceChildren(head, list);
}

field.addEventListener("focus", load);
field.addEventListener("input", () => { load(); show(); });
field.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { field.value = ""; show(); }
  if (e.key === "Enter" && index) found.querySelector("a")?.click();
});
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== field) { e.preventDefault(); field.focus(); }
});
