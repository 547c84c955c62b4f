// The table of nodes: sorted by any column, short until somebody asks for all.
// A click on a name asks about that pair.
const shortTable = 10;

class NodeTable {
  constructor(choose) {
    this.table = document.getElementById("node-table");
    this.more = document.getElementById("node-more");
    this.choose = choose;
    this.by = "loses";
    this.up = false;
    this.all = facts.nodes <= shortTable;
    const each = facts.each;
    this.status = facts.accountants[each.accountant].status;
    const known = (x, other) => (other < 0 ? -1 : x === null ? Infinity : x);
    this.rows = each.towards.map((towards, node) => ({ node, towards, about: each.about[node], loses: known(each.loses[node], towards), learns: known(each.learns[node], each.about[node]) }));
    for (const button of this.table.querySelectorAll("button[data-sort]")) {
      button.addEventListener("click", () => {
        this.up = this.by === button.dataset.sort ? !this.up : button.dataset.sort === "node";
        this.by = button.dataset.sort;
        this.draw();
      });
    }
    this.more.addEventListener("click", () => {
      this.all = !this.all;
      this.draw();
    });
    this.draw();
  }

  draw() {
    const sign = this.up ? 1 : -1;
    const sorted = [...this.rows].sort((a, b) => sign * (a[this.by] === b[this.by] ? 0 : a[this.by] - b[this.by]) || a.node - b.node);
    this.table.tBodies[0].replaceChildren(...(this.all ? sorted : sorted.slice(0, shortTable)).map((row) => this.row(row)));
    for (const button of this.table.querySelectorAll("button[data-sort]")) {
      button.closest("th").ariaSort = button.dataset.sort !== this.by ? "none" : this.up ? "ascending" : "descending";
    }
    this.more.hidden = facts.nodes <= shortTable;
    this.more.textContent = this.all ? "Show " + shortTable : "Show all " + facts.nodes;
  }

  row({ node, towards, loses, about, learns }) {
    const tr = document.createElement("tr");
    const cell = (label, text, numeric) => {
      const td = document.createElement("td");
      if (label) td.dataset.label = label;
      if (numeric) td.className = "n";
      td.append(text);
      tr.append(td);
    };
    const pair = (other, v, u) => {
      if (other < 0) return "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = name(other);
      button.title = "Ask about this pair";
      button.addEventListener("click", () => {
        this.choose(v, u);
        document.getElementById("pairs").scrollIntoView();
      });
      return button;
    };
    cell("", name(node));
    cell("loses most", towards < 0 ? "not priced" : bound(loses, this.status), true);
    cell("towards", pair(towards, towards, node));
    cell("learns most", about < 0 ? "not priced" : bound(learns, this.status), true);
    cell("about", pair(about, node, about));
    return tr;
  }
}
