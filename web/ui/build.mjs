// Builds the page into ../built: one script, one style sheet, two HTML files, and the
// licences of what is bundled. The same sources give the same bytes.
//
//   npm ci --ignore-scripts && node build.mjs [FOLDER]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] || join(here, "../built"));
const report = join(here, "../../report/page");

// The report's own script says what a loss means and paints it; its files are not modules.
const words = {
  name: "report",
  setup(b) {
    b.onResolve({ filter: /^report$/ }, () => ({ path: "report", namespace: "report" }));
    b.onLoad({ filter: /.*/, namespace: "report" }, () => ({
      contents: ["2-words.js", "3-colour.js"].map((name) => readFileSync(join(report, name), "utf8")).join("\n") +
        "\nlet facts = {};\nexport function know(f) { facts = f; }\nexport { badge, bound, colour, factor, name, nodes, sentence, showTip, silent, sized, style };\n",
    }));
  },
};

const result = await build({
  entryPoints: { app: join(here, "src/main.js"), login: join(here, "src/login.js") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none", // they are in NOTICE
  metafile: true,
  plugins: [words],
  absWorkingDir: here,
  logLevel: "warning",
});

// One style sheet: the report's, the charts', and what is this page's own.
const style = [join(report, "page.css"), join(here, "node_modules/uplot/dist/uPlot.min.css"), join(here, "src/app.css")];
writeFileSync(join(out, "app.css"), style.map((file) => readFileSync(file, "utf8")).join("\n"));
for (const name of ["index.html", "login.html", "icon.svg"]) writeFileSync(join(out, name), readFileSync(join(here, "src", name)));

// The packages that are in the bundle, each with its licence.
const packages = new Set(["uplot"]);
for (const input of Object.keys(result.metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const notice = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  return `${name} ${about.version} (${about.license})\n\n${readFileSync(join(folder, licence), "utf8").trim()}\n`;
});
writeFileSync(join(out, "NOTICE.txt"), "The page of hearsay serve contains these packages.\n\n" + notice.join("\n" + "-".repeat(78) + "\n\n"));

// What it was built from, so that a test without Node can tell whether that changed since.
const sources = [];
const walk = (folder) => {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) walk(path);
    else sources.push(path);
  }
};
walk(join(here, "src"));
sources.push(join(here, "build.mjs"), join(here, "package.json"), join(here, "package-lock.json"));
for (const name of ["2-words.js", "3-colour.js", "page.css"]) sources.push(join(report, name));
const line = (path, root) => createHash("sha256").update(readFileSync(path)).digest("hex") + "  " + relative(root, path).replaceAll("\\", "/");
const root = join(here, "../..");
const built = ["NOTICE.txt", "app.css", "app.js", "icon.svg", "index.html", "login.html", "login.js"].map((name) => "built " + line(join(out, name), out));
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "SUMS"), sources.map((path) => "from " + line(path, root)).sort().concat(built).join("\n") + "\n");
