// Convert (part by part if there are several encodings), repair, and the commands that do the same.

import { button, card, checkbox, choice, copyable, make, put, runs } from "./dom.js";
import { bytesInWords, capitalised, count, encodingName, languageName, percent, plural } from "./words.js";

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

/** Offers to download and to save the result of a question, once its plan is verified. */
class Product {
  /** `onSaved` hears that the file itself was replaced. */
  constructor(transport, look, onSaved) {
    Object.assign(this, { transport, look, onSaved, question: null, turn: 0 });
    this.status = make("p", { class: "status", role: "status" });
    const save = (words, where) =>
      transport.can.save && !look.own ? button(words, () => this.act(() => this.save(where))) : null;
    this.download = button("Download", () => this.act(() => transport.download(this.question, look.name)), {
      class: "primary",
      disabled: true,
    });
    this.saves = [save("Save next to it", "beside"), save("Replace, keep .bak", "replace")].filter(Boolean);
    this.element = make("div", {}, this.status, make("div", { class: "actions" }, this.download, this.saves));
  }

  /** Plan, prove, and say what would change; gives the answer. */
  async plan(question) {
    this.turn += 1;
    const turn = this.turn;
    this.question = question;
    this.offer({ status: "waiting" }, "", "Checking…");
    const answer = await this.transport.ask({ ...question, ask: "convert" });
    if (turn !== this.turn) return null;
    const refused = answer.error ?? (["refused", "binary"].includes(answer.status) ? answer.words : "");
    const size = answer.size === null ? "" : `, ${bytesInWords(answer.size ?? 0)}`;
    const changes = answer.changes?.length
      ? `${capitalised(answer.changes.join("; "))}; nothing else changes.`
      : "The text stays as it is.";
    const words = answer.status === "unchanged" ? "Nothing would change." : `Checked${size}. ${changes}`;
    this.offer(answer, refused ? "refused" : "proved", refused ? `Not possible: ${refused}.` : words);
    return answer;
  }

  offer(answer, name, words) {
    const ready = name === "proved";
    this.download.disabled = !ready;
    for (const each of this.saves) each.disabled = !ready || answer.status === "unchanged";
    this.status.className = `status ${name}`;
    put(this.status, words);
  }

  async save(where) {
    const answer = await this.transport.ask({ ...this.question, ask: "save", where });
    if (answer.error) throw new Error(answer.error);
    const words = `Saved: ${answer.saved}${answer.backup ? "; the old file is next to it (.bak)" : ""}.`;
    put(this.status, words);
    if (where === "replace") this.onSaved(words);
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

/** Convert; the page keeps `options`, and `onChange` is called when they change. */
export function convertCard(transport, look, encoding, parts, options, { onChange, onSaved }) {
  const question = () => ({
    id: look.id,
    encoding,
    target: options.target.split("+")[0],
    bom: options.target.endsWith("bom") || null,
    newline: options.newline,
    declarations: options.declarations,
    replace: options.replace,
    parts,
  });
  const product = new Product(transport, look, onSaved);
  const loss = make("div", {});
  const plan = async () => {
    const answer = await product.plan(question());
    if (answer?.lost)
      put(
        loss,
        checkbox(
          `Write � for ${plural(answer.lost, "place")} that cannot be read; those bytes are lost`,
          options.replace,
          change("replace"),
        ),
      );
  };
  const change = (name) => (value) => {
    options[name] = value;
    onChange();
    plan();
  };
  plan();
  return card(
    parts ? "Convert, all parts joined" : "Convert",
    { class: "convert" },
    make(
      "div",
      { class: "fields" },
      choice("To", TARGETS, options.target, change("target")),
      choice("Line endings", NEWLINES, options.newline, change("newline")),
    ),
    checkbox("Update declarations inside", options.declarations, change("declarations")),
    loss,
    product.element,
  );
}

/** The parts of a file in several encodings; `onChoose` gets those with a changed encoding, or null if that fails. */
export function partsCard({ parts, count: all }, about, chosen, onChoose, onGo) {
  const others = new Map(chosen);
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
    if (part.encoding === null) best.unshift(["", "binary, not converted"]);
    const known = new Set(best.map(([name]) => name));
    const place = part.line === null ? `byte ${count(part.start)}` : `line ${count(part.line)}`;
    return make(
      "li",
      { class: "part" },
      make(
        "div",
        { class: "part-head" },
        button(`From ${place}`, () => onGo(part.start), { class: "link" }),
        make(
          "span",
          { class: "soft" },
          [bytesInWords(part.end - part.start), languageName(part.language)].filter(Boolean).join(", "),
        ),
      ),
      onChoose
        ? choice(
            `Part ${n + 1} is in`,
            [...best, ...names.filter(([name]) => !known.has(name))],
            others.get(part.start) ?? part.encoding ?? "",
            async (name) => {
              others.set(part.start, name);
              if (name === (part.encoding ?? "")) others.delete(part.start);
              show(await onChoose([...others], part, name));
            },
          )
        : make("p", {}, best[0][1]),
      text,
    );
  });
  return card(
    "Several encodings",
    { class: "parts" },
    make(
      "p",
      {},
      `This file is in several encodings.${onChoose ? " Each part can be given another one." : ""}`,
    ),
    parts.length < all ? make("p", { class: "soft" }, `The first ${parts.length} of ${count(all)} parts:`) : null,
    make("ol", {}, items),
  );
}

/** Mojibake before and after the repair. */
export function repairCard(transport, look, encoding, found, onSaved) {
  if (found.refusal && !found.count)
    return card("Mojibake: decoded wrongly before it was saved", { class: "repair" }, make("p", {}, `${found.refusal}.`));
  const product = transport.can.ask ? new Product(transport, look, onSaved) : null;
  const plan = () => product.plan({ id: look.id, encoding, target: encoding, repair: true, declarations: false });
  const all = button("Check the whole file", () => {
    all.remove();
    plan();
  });
  if (product && !found.more) plan();
  return card(
    "Mojibake: decoded wrongly before it was saved",
    { class: "repair" },
    make(
      "p",
      {},
      `${plural(found.count, "place")}${found.more ? " or more" : ""}, wrongly decoded as ` +
        `${found.chain.join(", then ")}. The repair is right with a probability of ${percent(found.probability)}.`,
    ),
    make("ul", { class: "preview" }, found.parts.slice(0, 5).map(beforeAndAfter)),
    found.more && product
      ? make("p", { class: "soft" }, "There may be many more places; this can take minutes.")
      : null,
    found.more && product ? make("div", { class: "actions" }, all) : null,
    product?.element,
  );
}

/** A line before and after, with the words that differ marked. */
function beforeAndAfter({ line, old, new: repaired }) {
  const [before, after] = [old, repaired].map((text) => text.slice(0, 200).split(/(\s+)/));
  const same = before.length === after.length;
  const marked = (words, others) =>
    same ? words.map((word, n) => (word === others[n] ? word : make("mark", {}, word))) : words.join("");
  return make(
    "li",
    {},
    make("span", { class: "soft" }, `line ${count(line)}`),
    make("del", { dir: "auto" }, marked(before, after)),
    make("ins", { dir: "auto" }, marked(after, before)),
  );
}

/** The commands that do the same; `parts` are those with a changed encoding. */
export function commandsCard(look, encoding, options, repairs, parts) {
  const { shell } = look.names;
  const [target, mark] = options.target.split("+");
  const flags = [
    parts ? "--mixed" : `--from ${encoding}`,
    target === "utf-8" ? "" : `--to ${target}`,
    mark ? "--bom" : "",
    options.newline ? `--newline ${options.newline}` : "",
    options.declarations ? "" : "--keep-declarations",
    options.replace ? "--replace-damage" : "",
  ];
  const commands = [
    `charlens detect ${shell}`,
    `charlens explain ${shell}`,
    encoding && !parts?.length && `charlens convert --in-place --backup ${flags.filter(Boolean).join(" ")} ${shell}`,
    repairs && `charlens repair --in-place --backup ${shell}`,
  ];
  return card(
    "Do the same on the command line or in Python",
    { class: "commands" },
    copyable(commands.filter(Boolean).join("\n"), "the commands"),
    copyable(pythonLines(look.names.python, encoding, options, parts), "the Python lines"),
    repairs ? copyable(repairLines(look.names.python), "the Python lines that repair") : null,
  );
}

function pythonLines(name, encoding, options, parts) {
  const [target, mark] = options.target.split("+");
  if (!encoding) return `import charlens\n\nverdict = charlens.detect_path(${name})\nprint(verdict.outcome.value)`;
  if (parts || options.replace) {
    const chosen = (parts ?? []).map(([start, other]) => `${start}: '${other}'`).join(", ");
    return [
      "import charlens",
      "",
      `data = open(${name}, 'rb').read()`,
      ...(chosen ? [`chosen = {${chosen}}`] : []),
      !parts
        ? `text = data.decode('${encoding}', 'replace')`
        : chosen
          ? "text = ''.join(data[part.start:part.end].decode(chosen.get(part.start, part.encoding)) for part in charlens.segments(data))"
          : "text = charlens.decode_mixed(data)",
      `open(${name}, 'w', encoding='${target}', newline='').write(text)`,
    ].join("\n");
  }
  const more = `${mark || target === "utf-16" ? ", bom=True" : ""}${options.declarations ? "" : ", declarations=False"}`;
  return [
    "import charlens",
    "",
    `document = charlens.load(${name}, encoding='${encoding}')`,
    ...(options.newline ? [`document.newline = '${{ lf: "\\n", crlf: "\\r\\n" }[options.newline]}'`] : []),
    `document.save(encoding='${target}'${more}, backup='.bak')`,
  ].join("\n");
}

function repairLines(name) {
  return [
    "import charlens",
    "",
    `document = charlens.load(${name})`,
    "document.text = charlens.repair(document.text).text",
    "document.save(backup='.bak')",
  ].join("\n");
}
