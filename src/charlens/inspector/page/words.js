// Text for the user: numbers, names of languages, and the verdict in one line.

const COUNT = new Intl.NumberFormat("en");
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" });

// Languages that browsers have no English name for.
const RARE = {
  arz: "Egyptian Arabic",
  dsb: "Lower Sorbian",
  gv: "Manx",
  hsb: "Upper Sorbian",
  kw: "Cornish",
  mdf: "Moksha",
  myv: "Erzya",
  nds: "Low German",
  rue: "Rusyn",
  se: "Northern Sami",
};

export const STAGES = {
  signature: "Byte order mark",
  unicode: "Unicode",
  escapes: "Escape sequences",
  ebcdic: "EBCDIC",
  container: "File format",
  content: "Text or binary",
  declarations: "Declared",
  markup: "Markup",
  structure: "Which encodings fit",
  statistics: "Statistics",
  reading: "Reading",
  hints: "Hints",
  surroundings: "Words around",
  words: "Known words",
  evenness: "One encoding or several",
  language: "Language",
  verdict: "Verdict",
};

export const PROBLEMS = {
  mojibake: "mojibake",
  lost: "characters lost",
  mixed: "several encodings",
  declaration: "wrong declaration",
  damaged: "damaged",
  encoding: "uncertain",
  unreadable: "unreadable",
  newline: "line endings",
  bom: "byte order mark",
};

export const ENDS = { lf: "LF", crlf: "CRLF", cr: "CR", mixed: "mixed", none: "none" };

export function count(number) {
  return COUNT.format(number);
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function bytesInWords(size) {
  if (size < 1000) return plural(size, "byte");
  const power = Math.min(3, Math.floor(Math.log10(size) / 3));
  return `${(size / 1000 ** power).toFixed(1)} ${["", "kB", "MB", "GB"][power]}`;
}

export function hexOffset(offset) {
  return offset.toString(16).padStart(8, "0");
}

export function percent(share) {
  return share >= 1 ? "100 %" : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

/** A number with its sign. */
export function signed(number) {
  return `${number < 0 ? "−" : "+"}${count(Math.abs(number))}`;
}

export function capitalised(words) {
  return words.replace(/^./u, (letter) => letter.toUpperCase());
}

export function languageName(tag) {
  if (!tag) return "";
  if (RARE[tag]) return RARE[tag];
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

export function encodingName(reading) {
  return reading.web ?? reading.encoding;
}

export function certainty(confidence) {
  if (confidence >= 0.99) return "almost certain";
  if (confidence >= 0.9) return "very likely";
  if (confidence >= 0.7) return "likely";
  return confidence >= 0.4 ? "uncertain" : "little more than a guess";
}

/** The verdict in one line; `facts` come a moment later and may know of several encodings. */
export function sentence(look, facts) {
  if (look.outcome === "empty") return "This file is empty.";
  if (look.outcome === "binary") return "This is binary data, not text.";
  if (!look.encoding) return "This may be text, but no encoding is likely enough.";
  if (facts?.encodings?.length > 1) return `Text in several encodings: ${facts.encodings.join(", ")}`;
  const language = languageName(look.language);
  const what = look.encoding === "ascii" ? "plain ASCII" : encodingName(look);
  const words = `${language ? `${language} text` : "Text"} in ${what}`;
  const damage = look.damaged
    ? `, with ${plural(look.damaged, "damaged place")}`
    : look.cut
      ? ", cut off at the end"
      : "";
  return `${words}${damage}`;
}
