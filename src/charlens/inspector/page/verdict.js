// The verdict and the facts about a file.

import { button, make } from "./dom.js";
import {
  bytesInWords,
  capitalised,
  certainty,
  count,
  ENDS,
  encodingName,
  languageName,
  percent,
  plural,
  sentence,
} from "./words.js";

/** Text without line breaks at hyphens: 'UTF-8' stays on one line. */
function unbroken(words) {
  return words.split(/(?<=\s)/).map((word) => (word.includes("-") ? make("span", { class: "whole" }, word) : word));
}

/** The verdict in one line, with the facts; `facts` arrive later, and `onGo` gets the byte of a fact. */
export function verdictOf(look, facts, hinted, onGo) {
  const ring = make(
    "div",
    {
      class: look.confidence < 0.9 ? "ring unsure" : "ring",
      role: "img",
      "aria-label": `Confidence ${percent(look.confidence)}`,
    },
    make("span", { "aria-hidden": "true" }, percent(look.confidence)),
  );
  ring.style.setProperty("--share", look.confidence);
  const format = look.steps.find((step) => step.stage === "container");
  const reason = (format ?? look.steps.at(-1))?.words ?? "";
  const said = look.declared.find((each) => !each.true);
  const falsely = said ? ` It declares ${said.label}, which is wrong.` : "";
  const sure = facts?.encodings
    ? `As one encoding it would be ${encodingName(look)}.`
    : look.encoding
      ? capitalised(`${hinted ? "with your hints: " : ""}${certainty(look.confidence)}.${falsely}`)
      : `${capitalised(reason.replace(/^binary: /, ""))}.`;
  const fact = (name, value, tone = "") =>
    make("div", { class: `fact ${tone}` }, make("dt", {}, name), make("dd", {}, value));
  const jump = (words, offset) => button(words, () => onGo(offset), { class: "link" });
  const list = [
    look.encoding && !facts?.encodings && fact("Encoding", make("code", {}, look.encoding)),
    look.language && !facts?.encodings && fact("Language", `${languageName(look.language)} (${look.language})`),
    fact("Size", bytesInWords(look.size)),
    look.encoding && fact("Byte order mark", look.bom || "none"),
    facts?.newline &&
      fact(
        "Line endings",
        facts.newline === "mixed"
          ? Object.entries(facts.ends)
              .filter(([, number]) => number)
              .map(([name, number]) => `${count(number)} ${ENDS[name]}`)
              .join(", ")
          : `${ENDS[facts.newline]}${facts.newline === "none" ? "" : `, ${plural(Math.max(...Object.values(facts.ends)), "line")}`}`,
        facts.newline === "mixed" ? "warn" : "",
      ),
    look.encoding &&
      fact(
        "Damage",
        look.damaged
          ? jump(plural(look.damaged, "place"), look.damage[0][0])
          : look.cut
            ? "cut off at the end"
            : "none",
        look.damaged || look.cut ? "bad" : "good",
      ),
    ...look.declared
      .slice(0, 3)
      .map((said) =>
        fact(
          `Declared by ${said.who}`,
          `${said.label}, ${said.true ? "right" : "wrong"}`,
          said.true ? "good" : "bad",
        ),
      ),
    look.equivalents.length
      ? fact(
          "Same text in",
          make(
            "span",
            { title: look.equivalents.join(", ") },
            look.equivalents.length > 2
              ? `${look.equivalents[0]} and ${plural(look.equivalents.length - 1, "other")}`
              : look.equivalents.join(", "),
          ),
        )
      : null,
    facts?.parts > 1 && fact("Several encodings", plural(facts.parts, "part"), "warn"),
    facts?.repair
      ? fact(
          "Mojibake",
          facts.repair.count
            ? `${plural(facts.repair.count, "place")}${facts.repair.more ? " or more" : ""}`
            : "cannot be repaired",
          "warn",
        )
      : null,
  ];
  return [
    look.encoding && !facts?.encodings ? ring : null,
    make(
      "div",
      { class: "verdict-words" },
      make("h1", {}, unbroken(sentence(look, facts))),
      make("p", { class: "soft" }, sure),
    ),
    make("dl", { class: "facts" }, list.filter(Boolean)),
    facts?.notes?.length ? make("p", { class: "notes soft" }, facts.notes.join(" ")) : null,
  ];
}
