// Numbers and sentences. A shortened number stays on the true side: up, or
// down for a lower bound (audit).
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function name(v) {
  return facts.names ? facts.names[v] : "node " + v;
}

// x to so many significant digits, rounded up or down.
function rounded(x, digits, down) {
  if (x === 0 || !Number.isFinite(x)) return x;
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const nearest = Number(mantissa + "e" + exponent);
  if (down ? nearest <= x : nearest >= x) return nearest;
  const units = Number(mantissa.replace(".", "")), power = Number(exponent) - digits + 1;
  if (down && units === 10 ** (digits - 1)) return Number(10 * units - 1 + "e" + (power - 1));
  return Number(units + (down ? -1 : 1) + "e" + power);
}

function written(x, digits) {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return "∞";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  if (exponent >= -4 && exponent <= 5) return String(Number(x.toPrecision(digits)));
  const power = "10" + String(Number(exponent)).replace("-", "⁻").replace(/\d/g, (d) => raised[d]);
  return Number(mantissa) === 1 ? power : Number(mantissa) + "×" + power;
}

function bound(loss, status) {
  return written(rounded(loss, 4, status === "audit"), 4);
}

// The factor e^loss, with as many decimals as it takes to differ from 1.
function factor(loss, status) {
  const down = status === "audit";
  const gain = Math.expm1(loss);
  if (gain === 0) return "1";
  if (loss > 700) return down ? "10³⁰⁰" : "more than 10³⁰⁰";
  if (gain < 1) return (1 + rounded(gain, 2, down)).toFixed(Math.max(2, 1 - Math.floor(Math.log10(gain))));
  return written(rounded(Math.exp(loss), 3, down), 3);
}

// An (epsilon, delta) view is no better than being told all with probability
// delta and else a hint of odds e^epsilon (Kairouz, Oh and Viswanath 2015). It
// does not say that the odds stay within e^epsilon but for probability delta.
function tellsAll() {
  if (facts.order > 0 || facts.delta === 0) return "";
  const one = 1 / facts.delta;
  return ", or, with a chance of " + (one > 2 ? "1 in " + Math.floor(one * (1 + 1e-9)).toLocaleString("en").replace(/,/g, "\u202f") : String(facts.delta)) + ", tells all";
}

// The node that a page looks from: the observer, or the one whose losses it has.
function centre(state) {
  return facts.known ? state.about : state.observer;
}

// Hops from u to v, -1 where that is not known.
function apart(state, u, v) {
  if (!state.graph) return -1;
  return facts.known ? state.hopsTo(u).hops[v] : state.hopsTo(v).hops[u];
}

// A sentence is a list of texts and of [class, text] to mark up.
function sentence(v, u, all) {
  if (u === v) return [name(v) + " knows its own data: choose two different participants."];
  if (all[0].of(u, v) === undefined) return ["This page does not carry what " + name(v) + " learnt; see " + facts.file + "."];
  const said = all.filter((a) => !silent(a.of(u, v)));
  if (said.length === 0) return ["No accountant priced what ", ["b", name(v)], " learnt about ", ["b", name(u)], "."];
  const before = said[0] === all[0] ? [] : ["Accountant " + all[0].name + " did not " + looked(all[0]) + " this pair; " + said[0].name + " says: "];
  return before.concat(judgement(v, u, said));
}

// Whether a loss says that its pair was not priced, or not attacked: it is no number.
function silent(loss) {
  return loss !== loss;
}

// What an accountant does with a pair.
function looked(a) {
  return a.status === "audit" ? "attack" : "price";
}

function judgement(v, u, all) {
  const lead = all[0];
  const loss = lead.of(u, v);
  const parts = ["Suppose ", ["b", name(v)], " knows all data but " + (facts.record ? facts.record + " at " : "that of "), ["b", name(u)], ", and is undecided between two possibilities for it. Everything it saw during the run "];
  return parts.concat(claim(loss, lead), caveat(v, u, all));
}

function claim(loss, lead) {
  if (loss === 0) return ["changes the odds between any two possibilities by ", ["b", "nothing at all"], " ", badge(lead.status), "."];
  if (loss === Infinity) return ["may settle the matter: ", ["b", "nothing bounds it"], " ", badge(lead.status), "."];
  const limit = lead.status === "audit" ? "by a factor of at least " : "by a factor of at most ";
  const average = facts.order > 0 ? "changes the odds between any two possibilities, in the mean of order " + Math.abs(facts.order - 1) + ", " : "changes the odds between any two possibilities ";
  if (lead.status === "audit") return [average + limit, ["b", factor(loss, lead.status)], " ", badge(lead.status), "."];
  const worth = tellsAll() === "" ? "" : "is worth no more than a hint that ";
  return [worth + average + limit, ["b", factor(loss, lead.status)], tellsAll() + " ", badge(lead.status), "."];
}

// What the sound accountant adds to a number that is none.
function caveat(v, u, all) {
  const sound = all.filter((a) => a.status === "sound" && a.of(u, v) !== undefined).sort((a, b) => a.of(u, v) - b.of(u, v))[0];
  if (all[0].status === "sound") return [];
  const start = { published: " That is the published formula, not a guarantee;", "sound if": " That holds if what it asserts does, which nobody has checked;" }[all[0].status] || " That is a lower bound;";
  if (!sound || sound.of(u, v) === Infinity) return [start + " no guaranteed factor is known."];
  return [start + " the guaranteed factor is ", ["b", factor(sound.of(u, v), "sound")], " ", badge("sound"), "."];
}

function badge(status) {
  return ["badge " + status, status];
}

// A sentence as nodes; texts are never read as HTML.
function nodes(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return document.createTextNode(part);
    const node = document.createElement(part[0] === "b" ? "b" : "span");
    if (part[0] !== "b") node.className = part[0];
    node.textContent = part[1];
    return node;
  });
}
