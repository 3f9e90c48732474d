// Questions are answered out of the page itself, which was saved with the answers inside.

import { App } from "./app.js";

const saved = JSON.parse(document.getElementById("saved").textContent);

function rowsOf({ encoding, form, parts, start, count: number, before }) {
  const rows = saved[form === "hex" ? "hex" : "text"][parts ? "parts" : (encoding ?? "")] ?? [];
  const at = rows.findIndex((row) => row.end > start);
  const from = at < 0 ? rows.length : at;
  return { rows: before ? rows.slice(Math.max(0, from - number), from) : rows.slice(from, from + number) };
}

function differencesOf({ start, count: number, everything }) {
  const rows = saved.compare[everything ? "all" : "differing"];
  const at = rows.findIndex((row) => row.start >= start);
  const from = at < 0 ? rows.length : at;
  const next = rows[from + number]?.start ?? null;
  return { rows: rows.slice(from, from + number), next };
}

const answers = {
  about: () => ({ ...saved.about, start: "saved", folder: null }),
  open: () => ({ id: saved.look.id }),
  look: () => saved.look,
  why: () => saved.why,
  facts: () => saved.facts,
  parts: () => saved.parts,
  repair: () => saved.repair,
  strip: ({ encoding }) => saved.strip[encoding ?? ""] ?? { error: "not saved" },
  rows: rowsOf,
  compare: differencesOf,
};

const app = new App(document.getElementById("app"), {
  can: { ask: false, drop: false, save: false },
  ask: async (question) =>
    answers[question.ask]?.(question) ?? { error: "This is a saved page; open the file with 'charlens inspect'." },
});

await app.start();
if (saved.shown < saved.look.size) app.say(`This saved page has the first ${saved.shown} of ${saved.look.size} bytes.`);
