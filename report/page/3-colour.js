// The colour of a loss on the logarithmic scale of its accountant.
function colour(loss, { low, high }) {
  if (silent(loss)) return style("--unpriced");
  const top = facts.palette.length - 1;
  if (loss >= high) return facts.palette[top];
  if (!(loss > low)) return facts.palette[0];
  return facts.palette[Math.floor((Math.log(loss / low) / Math.log(high / low)) * top)];
}

function drawScale({ low, high, status, unpriced }) {
  document.getElementById("scale-unpriced").hidden = !unpriced;
  document.getElementById("scale-bar").style.background = "linear-gradient(to right," + facts.palette.filter((_, i) => i % 14 === 0).join(",") + ")";
  const flat = !(high > low);
  const texts = flat ? ["every loss that is neither 0 nor ∞ is " + bound(high, status)] : [0, 1, 2, 3, 4].map((i) => bound(i === 4 ? high : low * (high / low) ** (i / 4), status));
  const ticks = texts.map((text) => {
    const tick = document.createElement("span");
    tick.textContent = text;
    return tick;
  });
  document.getElementById("scale-bar").hidden = flat;
  document.getElementById("scale-ticks").replaceChildren(...ticks);
}

// A canvas kept at the size it is shown, in device pixels.
function sized(canvas) {
  const box = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(box.width * ratio);
  canvas.height = Math.round(box.height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { pen, width: box.width, height: box.height };
}

function style(variable) {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

// A tip beside the pointer, kept inside its box.
function showTip(tip, box, x, y, text) {
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = Math.max(4, Math.min(x + 14, box.clientWidth - tip.offsetWidth - 6)) + "px";
  tip.style.top = (y + 14 + tip.offsetHeight > box.clientHeight ? y - tip.offsetHeight - 8 : y + 14) + "px";
}

// What a tip says about a pair.
function pairText(state, u, v) {
  if (u === v) return name(v) + (facts.known ? ", whose data it is" : ", the observer");
  const a = state.losses[state.lens];
  const loss = a.of(u, v);
  const sign = { sound: " ≤ ", "sound if": " ≤ ", audit: " ≥ " }[a.status] || " = ";
  const far = apart(state, u, v);
  const distance = far > 0 ? ", " + far + (far === 1 ? " hop" : " hops") : "";
  if (silent(loss)) return name(facts.known ? v : u) + distance + ": not " + (a.status === "audit" ? "attacked" : "priced");
  return name(facts.known ? v : u) + distance + ": " + (loss === undefined ? "not on this page" : (facts.order > 0 ? "loss" : "ε") + sign + bound(loss, a.status));
}
