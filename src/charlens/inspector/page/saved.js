// The answers are in the saved page.

import { App } from "./app.js";

const saved = JSON.parse(document.getElementById("saved").textContent);

function rowsOf({ encoding, form, parts, start, count: number, before }) {
  const rows = saved[form === "hex" ? "hex" : "text"][parts ? "parts" : (encoding ?? "")] ?? [];
  const at = rows.findIndex((row) => row.end > start);
  const from = at < 0 ? rows.length : at;
  return { rows: before ? rows.slice(Math.max(0, from - number), from) : rows.slice(from, from + number) };
}

/** Text is found by rows, bytes by offset: a saved page has rows, not the file. */
function findIn({ encoding, form, parts, sought, start, back }) {
  if (form === "hex") return findBytes(sought.toLowerCase(), start, back);
  const rows = saved.text[parts ? "parts" : (encoding ?? "")] ?? [];
  const fits = (row) => {
    const text = row.runs.map(([, run]) => run).join("");
    return (back ? row.start < start : row.start >= start) && text.toLowerCase().includes(sought.toLowerCase());
  };
  const row = back ? rows.findLast(fits) : rows.find(fits);
  return row ? { start: row.start, end: row.end } : { next: null };
}

function findLine({ encoding, parts, line }) {
  const rows = saved.text[parts ? "parts" : (encoding ?? "")] ?? [];
  return { start: (rows.findLast((row) => row.line !== null && row.line <= line) ?? rows[0]).start };
}

function findBytes(digits, start, back) {
  const whole = saved.hex[""].map((row) => row.hex).join("");
  let at = back ? (start ? whole.lastIndexOf(digits, 2 * start - 2) : -1) : whole.indexOf(digits, 2 * start);
  // A match must not start in the middle of a byte.
  while (at > 0 && at % 2) at = back ? whole.lastIndexOf(digits, at - 1) : whole.indexOf(digits, at + 1);
  return at < 0 ? { next: null } : { start: at / 2, end: (at + digits.length) / 2 };
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
  strip: ({ encoding }) => saved.strip[encoding ?? ""] ?? { error: "not saved" },
  rows: rowsOf,
  find: findIn,
  line: findLine,
  compare: differencesOf,
};

const app = new App(document.getElementById("app"), {
  can: { ask: false, drop: false, save: false },
  ask: async (question) =>
    answers[question.ask]?.(question) ?? { error: "This is a saved page; open the file with 'charlens inspect'." },
});

await app.start();
if (saved.shown < saved.look.size) app.say(`This saved page has the first ${saved.shown} of ${saved.look.size} bytes.`);
