// Act: convert, part by part where there are several, repair, and the commands that do the same.

import { button, card, checkbox, choice, copyable, make, put, runs } from "./dom.js";
import { bytesInWords, count, encodingName, languageName, percent, plural } from "./words.js";

const TARGETS = [
  ["utf-8", "UTF-8"],
  ["utf-8+bom", "UTF-8 with BOM"],
  ["utf-16", "UTF-16"],
];
const NEWLINES = [
  ["", "as they are"],
  ["lf", "LF"],
  ["crlf", "CRLF"],
];

/** Offers to download and to save what `question` describes; the plan is proved first. */
class Product {
  constructor(transport, look, question) {
    Object.assign(this, { transport, look, question });
    this.status = make("p", { class: "status", role: "status" });
    const can = transport.can;
    this.buttons = [
      button("Download", () => this.act(() => transport.download(this.question, look.name)), { class: "primary" }),
      can.save && !look.own ? button("Save beside it", () => this.act(() => this.save("beside"))) : null,
      can.save && !look.own ? button("Replace, keep .bak", () => this.act(() => this.save("replace"))) : null,
    ].filter(Boolean);
    this.element = make("div", {}, this.status, make("div", { class: "actions" }, this.buttons));
  }

  async plan(question) {
    this.question = question;
    const answer = await this.transport.ask({ ...question, ask: "convert" });
    const refused = answer.error ?? (["refused", "binary"].includes(answer.status) ? answer.words : "");
    for (const each of this.buttons) each.disabled = Boolean(refused);
    this.status.className = `status ${refused ? "refused" : "proved"}`;
    const size = answer.size === null ? "" : `, ${bytesInWords(answer.size ?? 0)}`;
    const changes = answer.changes?.length ? `; ${answer.changes.join(", ")}` : "; the text stays as it is";
    put(
      this.status,
      refused
        ? `Not possible: ${refused}.`
        : answer.status === "unchanged"
          ? "Nothing would change."
          : `Proved${size}${changes}.`,
    );
  }

  async save(where) {
    const answer = await this.transport.ask({ ...this.question, ask: "save", where });
    if (answer.error) throw new Error(answer.error);
    put(this.status, `Saved: ${answer.saved}${answer.backup ? ", the old file is beside it (.bak)" : ""}.`);
  }

  async act(work) {
    try {
      await work();
    } catch (error) {
      this.status.className = "status refused";
      put(this.status, `Not done: ${error.message}`);
    }
  }
}

export function convertCard(transport, look, encoding, parts) {
  const options = { target: "utf-8", newline: "", declarations: true };
  const question = () => ({
    id: look.id,
    encoding,
    target: options.target.split("+")[0],
    bom: options.target.endsWith("bom") || null,
    newline: options.newline,
    declarations: options.declarations,
    parts,
  });
  const product = new Product(transport, look, question());
  const change = (name) => (value) => {
    options[name] = value;
    product.plan(question());
  };
  product.plan(question());
  return card(
    parts ? `Convert, ${plural(parts.length, "part")} joined` : "Convert",
    { class: "convert" },
    make(
      "div",
      { class: "fields" },
      choice("To", TARGETS, "utf-8", change("target")),
      choice("Line ends", NEWLINES, "", change("newline")),
    ),
    checkbox("Make declarations inside true", true, change("declarations")),
    product.element,
  );
}

/** The parts of a file in several encodings, each with its own choice; `onChoose` gets them all. */
export function partsCard(parts, about, onChoose, onGo) {
  const chosen = parts.map((part) => [part.start, part.encoding ?? "latin-1"]);
  const names = about.encodings.map(([name]) => [name, name]);
  const items = parts.map((part, n) => {
    const text = make("div", { class: "text", dir: "auto" });
    const show = (rows) =>
      put(
        text,
        rows.slice(0, 2).map((row) => make("div", {}, runs(row.runs))),
      );
    show(part.rows);
    const best = part.readings.map((reading) => [
      reading.encoding,
      `${encodingName(reading)}${reading.confidence === null ? "" : `, ${percent(reading.confidence)}`}`,
    ]);
    const known = new Set(best.map(([name]) => name));
    return make(
      "li",
      { class: "part" },
      make(
        "div",
        { class: "part-head" },
        button(part.line === null ? `byte ${count(part.start)}` : `line ${count(part.line)}`, () => onGo(part.start), {
          class: "link",
        }),
        make("span", { class: "soft" }, `${bytesInWords(part.end - part.start)} ${languageName(part.language)}`),
        choice(
          `Part ${n + 1} is in`,
          [...best, ...names.filter(([name]) => !known.has(name))],
          part.encoding ?? "latin-1",
          async (name) => {
            chosen[n] = [part.start, name];
            show(await onChoose([...chosen], part, name));
          },
        ),
      ),
      text,
    );
  });
  return card(
    "Several encodings",
    { class: "parts" },
    make("p", {}, "This file changes its encoding on the way. Choose for each part."),
    make("ol", {}, items),
  );
}

export function repairCard(transport, look, encoding, answer) {
  const product = new Product(transport, look, {});
  product.plan({ id: look.id, encoding, target: encoding, repair: true, declarations: false });
  return card(
    "Decoded wrongly before it was saved",
    { class: "repair" },
    make(
      "p",
      {},
      `${plural(answer.count, "line")} read as ${answer.chain.join(", then ")} by mistake; putting that right is ${percent(answer.probability)} sure.`,
    ),
    make(
      "ul",
      { class: "preview" },
      answer.parts
        .slice(0, 5)
        .map((part) =>
          make(
            "li",
            {},
            make("del", { dir: "auto" }, part.old.slice(0, 200)),
            make("ins", { dir: "auto" }, part.new.slice(0, 200)),
          ),
        ),
    ),
    product.element,
  );
}

export function commandsCard(look, encoding, repairs, mixed) {
  const commands = look.commands;
  const shell = [
    commands.detect,
    commands.explain,
    mixed ? commands.mixed : encoding && commands.convert.replace("{encoding}", encoding),
    repairs && commands.repair,
  ];
  return card(
    "The same without this page",
    { class: "commands" },
    copyable(shell.filter(Boolean).join("\n"), "the commands"),
    encoding ? copyable(commands.python.replace("{encoding}", encoding), "the Python lines") : null,
  );
}
