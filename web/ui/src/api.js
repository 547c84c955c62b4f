// Questions to the server that this page came from, the only one it may ask.
const tags = new Map(); // path: { tag, value }

export class Problem extends Error {}

export async function ask(path, signal) {
  const known = tags.get(path);
  let answer;
  try {
    answer = await fetch("/api/" + path, { signal, headers: known ? { "If-None-Match": known.tag } : {}, cache: "no-store" });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Problem("The server does not answer. It may have been stopped.");
  }
  if (answer.status === 304 && known) return known.value;
  if (answer.status === 401) {
    location.href = "/login";
    throw new Problem("Log in first.");
  }
  const value = await answer.json().catch(() => ({ error: "The answer cannot be read." }));
  if (!answer.ok) throw new Problem(value.error || "The server answers " + answer.status + ".");
  if (tags.size > 200) tags.clear();
  tags.set(path, { tag: answer.headers.get("ETag"), value });
  return value;
}

export async function numbers(path) {
  const answer = await fetch("/api/" + path, { cache: "no-store" });
  if (!answer.ok) throw new Problem((await answer.json()).error);
  return new Float64Array(await answer.arrayBuffer());
}

// Asks again and again while the page is looked at, and tells what changed. It ends with
// its signal.
export function follow(path, every, signal, tell, failed) {
  let last;
  let timer = 0;
  const once = async () => {
    clearTimeout(timer);
    if (signal.aborted) return;
    if (!document.hidden) {
      try {
        const value = await ask(path, signal);
        if (signal.aborted) return;
        pulse("");
        if (value !== last) tell((last = value));
      } catch (e) {
        if (signal.aborted || e.name === "AbortError") return;
        pulse(e.message);
        failed(e);
      }
    }
    timer = setTimeout(once, every);
  };
  document.addEventListener("visibilitychange", () => !document.hidden && once(), { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  once();
}

function pulse(problem) {
  const place = document.getElementById("pulse");
  const text = problem ? "not up to date" : "live";
  if (place.textContent !== text) place.textContent = text;
  place.title = problem;
  place.classList.toggle("stale", problem !== "");
}
