// Every figure can be saved: charts as SVG with the colours of the moment, the
// pictures that are drawn point by point as PNG. Nothing leaves the page.
function download(blob, file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The page's name in letters that every file system takes.
function fileName(part, kind) {
  const title = document.querySelector("h1").textContent.trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return (title || "report") + "-" + part + "." + kind;
}

// A chart as a file of its own: variables become colours, fonts are named.
function chartText(svg) {
  const copy = svg.cloneNode(true);
  const [, , inner, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const width = inner + 16; // the last number of an axis may reach beyond
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", "0 0 " + width + " " + height);
  copy.setAttribute("width", width * 2);
  copy.setAttribute("height", height * 2);
  copy.setAttribute("font-family", "Liberation Sans, Arial, Helvetica, sans-serif");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of [["width", width], ["height", height], ["fill", style("--card")]]) paper.setAttribute(key, value);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, (_, variable) => style(variable));
}

function saveChart(svg, part) {
  download(new Blob([chartText(svg)], { type: "image/svg+xml" }), fileName(part, "svg"));
}

// All pictures of a box that are shown, one above the other.
function savePicture(box, part) {
  const layers = [...box.querySelectorAll("img, canvas")].filter((layer) => !layer.hidden);
  const sheet = document.createElement("canvas");
  const last = layers[layers.length - 1];
  [sheet.width, sheet.height] = [last.width, last.height];
  const pen = sheet.getContext("2d");
  pen.fillStyle = getComputedStyle(box).backgroundColor;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.imageSmoothingEnabled = !box.classList.contains("crisp");
  for (const layer of layers) pen.drawImage(layer, 0, 0, sheet.width, sheet.height);
  sheet.toBlob((blob) => download(blob, fileName(part, "png")));
}

function saver(kind, save) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "save";
  button.textContent = "Save " + kind;
  button.addEventListener("click", save);
  return button;
}

function addSavers() {
  for (const svg of document.querySelectorAll("svg.chart")) {
    const part = svg.closest("figure").dataset.save;
    svg.after(saver("SVG", () => saveChart(svg, part)));
  }
  for (const box of document.querySelectorAll(".canvas[data-save]")) box.after(saver("PNG", () => savePicture(box, box.dataset.save)));
}
