// The reasons: the stages, the byte pairs that decided, the character at one byte, and hints.

import { button, card, choice, make, put } from "./dom.js";
import { count, encodingName, hexOffset, languageName, percent, plural, signed, STAGES } from "./words.js";

const PAIRS = 8;
const MARKED = 16;

/** The stages, in order, with links into the bytes. */
export function story(steps, onGo) {
  return card(
    "How it was decided",
    { class: "story" },
    make(
      "ol",
      {},
      steps.map((step) =>
        make(
          "li",
          {},
          make("strong", {}, STAGES[step.stage] ?? step.stage),
          " ",
          make("span", {}, step.words),
          " ",
          step.offset === null
            ? null
            : button(`byte ${count(step.offset)}`, () => onGo(step.offset), { class: "link" }),
        ),
      ),
    ),
  );
}

/** The byte pairs that made the difference; '' if the structure of the bytes decided. */
export function pairs(why, onGo) {
  if (why.large) return make("p", { class: "soft" }, "The file is too large to explain the byte pairs.");
  if (!why.winner || !why.rival) {
    return make("p", { class: "soft" }, "The structure of the bytes decided; no statistics were needed.");
  }
  const most = Math.max(...why.pairs.map((pair) => Math.abs(pair.points)), 1);
  const body = make("tbody", {});
  const list = (shown) =>
    put(
      body,
      shown.map((pair) => pairRow(pair, most, onGo)),
    );
  list(why.pairs.slice(0, PAIRS));
  const more =
    why.pairs.length > PAIRS &&
    button(
      `Show ${why.pairs.length}`,
      () => {
        list(why.pairs);
        more.remove();
      },
      { class: "small" },
    );
  return make(
    "div",
    {},
    make(
      "p",
      {},
      `${why.winner.encoding} (${languageName(why.winner.language)}) leads ${why.rival.encoding} ` +
        `(${languageName(why.rival.language)}) by ${count(why.total)} points: ${signed(why.begin)} before any byte was read, ` +
        `the rest from ${plural(why.count, "different pair")} of bytes.`,
    ),
    make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Pairs of bytes" },
      make(
        "table",
        { class: "pairs" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ["points", "bytes", "times", why.winner.encoding, why.rival.encoding].map((words) =>
              make("th", { scope: "col" }, words),
            ),
          ),
        ),
        body,
      ),
    ),
    more || null,
  );
}

function pairRow(pair, most, onGo) {
  const bar = make("span", { class: pair.points > 0 ? "share for" : "share against", "aria-hidden": "true" });
  bar.style.width = `${(100 * Math.abs(pair.points)) / most}%`;
  return make(
    "tr",
    {},
    make("td", { class: "points" }, bar, make("span", {}, signed(pair.points))),
    make(
      "td",
      {},
      button(pair.pair, () => onGo(pair.offsets[0]), { class: "link mono", title: `Go to byte ${pair.offsets[0]}` }),
    ),
    make("td", { class: "soft" }, count(pair.times)),
    make("td", {}, make("bdi", { class: "read" }, visible(pair.reads[0]))),
    make("td", {}, make("bdi", { class: "read" }, visible(pair.reads[1]))),
  );
}

function visible(text) {
  return text.replace(/[\0-\x20]/g, (sign) => (sign === " " ? "␣" : String.fromCharCode(0x2400 + sign.charCodeAt(0))));
}

/** The bytes of the pairs that decided, each with words, for the view of the bytes. */
export function marksOf(why) {
  const marks = new Map();
  const most = Math.abs(why.pairs[0]?.points ?? 1);
  for (const pair of why.pairs.slice(0, MARKED)) {
    const words =
      `${signed(pair.points)} points: ${why.winner.encoding} reads ` +
      `“${visible(pair.reads[0])}”, ${why.rival.encoding} “${visible(pair.reads[1])}”`;
    for (const at of pair.offsets)
      for (const n of [at, at + 1]) if (!marks.has(n)) marks.set(n, { words, weight: Math.abs(pair.points) / most });
  }
  return marks;
}

/** The character at one byte, in every reading. */
export function atByte(answer, marks) {
  return make(
    "div",
    { class: "at" },
    make(
      "p",
      {},
      make("strong", {}, `Byte ${count(answer.offset)}`),
      ` · 0x${hexOffset(answer.offset)} · value ${answer.value} (0x${answer.value.toString(16).toUpperCase().padStart(2, "0")})`,
      marks.has(answer.offset)
        ? make("span", { class: "decided-words" }, ` · ${marks.get(answer.offset).words}`)
        : null,
    ),
    make(
      "ul",
      {},
      answer.readings.map((reading) =>
        make(
          "li",
          {},
          make("span", { class: "at-name" }, encodingName(reading)),
          make("bdi", { class: `at-sign ${reading.kind ? `is-${reading.kind}` : ""}` }, reading.text || "∅"),
          make("span", { class: "mono soft" }, reading.bytes),
          make("span", { class: "soft" }, reading.names.join(" + ")),
        ),
      ),
    ),
  );
}

/** Hints of the user; each change starts a new detection. */
export function hintsCard(about, hints, onChange) {
  const none = ["", "automatic"];
  const languages = about.languages.map((tag) => [tag, languageName(tag)]).sort((a, b) => a[1].localeCompare(b[1]));
  const set = (name) => (value) => onChange({ ...hints, [name]: value });
  const any = Object.values(hints).some(Boolean);
  return card(
    "What you know about it",
    { class: "hints" },
    make(
      "div",
      { class: "fields" },
      choice("Language", [none, ...languages], hints.language ?? "", set("language")),
      choice(
        "Comes from",
        [none, ...about.platforms.map((name) => [name, name])],
        hints.platform ?? "",
        set("platform"),
      ),
      choice(
        "Said to be in",
        [
          none,
          ...about.encodings.map(([name, other]) => [name, other && other !== name ? `${name} (${other})` : name]),
        ],
        hints.declared ?? "",
        set("declared"),
      ),
    ),
    make(
      "p",
      { class: "soft" },
      "charlens detects again with these hints. Strong evidence in the bytes outweighs them.",
    ),
    any ? button("Back to automatic", () => onChange({}), { class: "small" }) : null,
  );
}

/** The readings to choose from, with `all` any encoding; null stands for each part in its own. */
export function readingsCard(look, chosen, about, parts, { all: any, onChoose }) {
  const pick = (reading) => {
    const radio = make("input", {
      type: "radio",
      name: "reading",
      value: reading.encoding,
      checked: reading.encoding === chosen,
      onchange: () => onChoose(reading.encoding),
    });
    const meter = make("span", { class: "meter", "aria-hidden": "true" }, make("span", {}));
    meter.firstChild.style.width = `${100 * (reading.confidence ?? 0)}%`;
    if (reading.confidence === null) meter.style.visibility = "hidden";
    const alias = reading.web && reading.web.toLowerCase() !== reading.encoding ? reading.encoding : "";
    return make(
      "label",
      { class: "reading" },
      radio,
      make(
        "span",
        { class: "reading-name" },
        make("strong", {}, encodingName(reading)),
        make("small", {}, [alias, languageName(reading.language)].filter(Boolean).join(" · ")),
      ),
      meter,
      make(
        "span",
        { class: reading.confidence === null ? "reading-share soft" : "reading-share" },
        reading.confidence === null ? "to compare" : percent(reading.confidence),
      ),
    );
  };
  const all =
    parts &&
    make(
      "label",
      { class: "reading" },
      make("input", {
        type: "radio",
        name: "reading",
        value: "parts",
        checked: chosen === null,
        onchange: () => onChoose(null),
      }),
      make(
        "span",
        { class: "reading-name" },
        make("strong", {}, "Part by part"),
        make("small", {}, plural(parts, "part")),
      ),
    );
  const known = look.readings.map((reading) => reading.encoding);
  const other = known.includes(chosen) ? "" : (chosen ?? "");
  return card(
    "Readings",
    { class: "readings" },
    make("div", { role: "radiogroup", "aria-label": "Read as" }, all, look.readings.map(pick)),
    any &&
      choice(
        "Another encoding",
        [
          ["", "choose…"],
          ...about.encodings.map(([name, alias]) => [
            name,
            alias && alias.toLowerCase() !== name ? `${name} (${alias})` : name,
          ]),
        ],
        other,
        (name) => name && onChoose(name),
      ),
  );
}
