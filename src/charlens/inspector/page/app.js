// The page: what is open, what is shown of it, and where questions go. The transport answers them.

import { commandsCard, convertCard, partsCard, repairCard } from "./act.js";
import { Compare } from "./compare.js";
import { button, draw, make, put } from "./dom.js";
import { Strip } from "./strip.js";
import { FileTable } from "./table.js";
import { askForText, EXAMPLE, listenForDrops } from "./taking.js";
import { verdictOf } from "./verdict.js";
import { Viewer } from "./viewer.js";
import { atByte, hintsCard, marksOf, pairs, readingsCard, story } from "./why.js";

const TABS = [
  ["text", "Text"],
  ["compare", "Compare"],
  ["hex", "Bytes"],
];
const POLL = 400;
export class App {
  constructor(root, transport) {
    Object.assign(this, {
      root,
      transport,
      look: null,
      hints: {},
      tab: "text",
      marks: new Map(),
      table: null,
      waiting: 0,
    });
    this.strip = new Strip((offset) => this.go(offset));
    this.viewer = new Viewer(
      transport,
      (at, span) => this.moved(at, span),
      (offset, line) => this.pick(offset, line),
    );
    this.compare = new Compare(
      transport,
      (encoding) => this.choose(encoding),
      (offset) => this.goBytes(offset),
    );
    this.title = make("span", { class: "file" });
    this.backButton = button("All files", () => this.showTable(), { hidden: true });
    this.message = make("div", { class: "message", role: "alert" });
    this.main = make("main", {});
    put(root, make("a", { class: "skip", href: "#view" }, "Skip to the text"), this.header(), this.message, this.main);
    if (transport.can.drop) listenForDrops((files) => this.take(files));
  }

  async start() {
    this.about = await this.transport.ask({ ask: "about" });
    if (this.about.error) return this.say(this.about.error);
    if (this.about.folder) return this.openFolder();
    if (this.about.start) return this.openPath(this.about.start);
    return this.welcome();
  }

  header() {
    const logo = draw(
      "svg",
      { viewBox: "0 0 24 24", class: "logo", "aria-hidden": "true" },
      draw("circle", { cx: "10", cy: "10", r: "7" }),
      draw("path", { d: "M15.5 15.5 22 22" }),
      draw("path", { d: "M7 12.5 10 6l3 6.5M8 10.5h4" }),
    );
    const theme = button("", () => this.turnTheme(theme), { class: "icon", "aria-label": "Light or dark" });
    put(
      theme,
      draw(
        "svg",
        { viewBox: "0 0 24 24", "aria-hidden": "true" },
        draw("circle", { cx: "12", cy: "12", r: "8" }),
        draw("path", { d: "M12 4a8 8 0 0 1 0 16z", class: "half" }),
      ),
    );
    this.chooser = make("input", {
      type: "file",
      multiple: true,
      hidden: true,
      "aria-label": "Choose files",
      onchange: () => this.take([...this.chooser.files]),
    });
    const open = this.transport.can.drop
      ? [
          this.backButton,
          button("Open", () => this.chooser.click()),
          button("Paste", () => askForText((file) => this.take([file]))),
          this.chooser,
        ]
      : [this.backButton];
    return make(
      "header",
      { class: "bar" },
      make("div", { class: "brand" }, logo, "charlens"),
      this.title,
      make("div", { class: "tools" }, open, theme),
    );
  }

  turnTheme() {
    const dark =
      getComputedStyle(document.documentElement).colorScheme === "dark" ||
      (!document.documentElement.style.colorScheme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.style.colorScheme = dark ? "light" : "dark";
    this.strip.paint();
  }

  say(words) {
    put(this.message, words ? make("p", {}, words) : null);
  }

  welcome() {
    this.look = null;
    put(this.title);
    const folder = make("input", {
      type: "file",
      webkitdirectory: true,
      hidden: true,
      "aria-label": "Choose a folder",
      onchange: () => this.take([...folder.files]),
    });
    put(
      this.main,
      make(
        "section",
        { class: "welcome" },
        make("h1", {}, "What are these bytes?"),
        make("p", {}, "Drop a file or a folder anywhere on this page. Nothing leaves your machine."),
        make(
          "div",
          { class: "actions" },
          button("Choose a file", () => this.chooser.click(), { class: "primary" }),
          button("Choose a folder", () => folder.click()),
          button("Paste text or hex", () => askForText((file) => this.take([file]))),
          button("Try an example", () => this.take([new File([EXAMPLE], "letter.txt")])),
          folder,
        ),
      ),
    );
  }

  // What is dropped, chosen or pasted.

  async take(files) {
    this.say("");
    if (!files.length) return;
    if (files.length === 1) {
      const opened = await this.transport.add(files[0], files[0].webkitRelativePath || files[0].name);
      return opened.error ? this.say(`${files[0].name}: ${opened.error}`) : this.open(opened.id);
    }
    this.table = new FileTable((row) => this.open(row.id));
    this.showTable();
    for (const [number, file] of files.entries()) {
      const name = file.webkitRelativePath || file.name;
      const opened = await this.transport.add(file, name);
      const { row, error } = opened.error ? opened : await this.transport.ask({ ask: "closely", id: opened.id });
      const shown = row ?? [name, error, null, 0, null, null, false, file.size, [], ""];
      this.table.add([Object.assign(shown, { id: opened.id })], number === files.length - 1);
    }
  }

  // A folder.

  async openFolder() {
    this.table = new FileTable(async (row) => this.openPath(row[0]));
    this.showTable();
    for (let start = 0, done = false; !done;) {
      const answer = await this.transport.ask({ ask: "folder", start });
      if (answer.error) return this.say(answer.error);
      ({ next: start, done } = answer);
      this.table.add(answer.rows, done);
      if (!answer.rows.length && !done) await new Promise((next) => setTimeout(next, POLL));
    }
    return undefined;
  }

  showTable() {
    this.look = null;
    this.backButton.hidden = true;
    put(this.title, this.about.folder ?? "");
    put(this.main, make("h1", { class: "folder-title" }, "Files"), this.table.element);
  }

  async openPath(path) {
    const opened = await this.transport.ask({ ask: "open", path });
    return opened.error ? this.say(`${path}: ${opened.error}`) : this.open(opened.id);
  }

  // One file.

  async open(id) {
    Object.assign(this, { id, hints: {}, tab: "text", chosen: undefined });
    this.backButton.hidden = !this.table;
    await this.decide();
  }

  /** Ask for the verdict, with the hints as they are, and show it. */
  async decide() {
    const look = await this.transport.ask({ ask: "look", id: this.id, hints: this.hints });
    if (look.error) return this.say(look.error);
    this.say("");
    Object.assign(this, { look, facts: null, parts: null, byParts: false, repairs: null, why: null, marks: new Map() });
    this.chosen = look.encoding;
    if (!look.encoding) this.tab = "hex";
    this.build();
    return this.wait(this.show(), this.askStrip(), this.askWhy(), this.askFacts());
  }

  /** Say that the page is busy until everything that was asked for is there. */
  async wait(...asked) {
    this.waiting += 1;
    this.main.setAttribute("aria-busy", "true");
    await Promise.all(asked);
    this.waiting -= 1;
    if (!this.waiting) this.main.setAttribute("aria-busy", "false");
  }

  /** Read the file as another encoding; null is part by part. */
  async choose(encoding) {
    this.byParts = encoding === null;
    this.chosen = encoding ?? this.look.encoding;
    this.fillSide();
    await this.wait(this.show(this.strip.at), this.askStrip());
  }

  build() {
    const look = this.look;
    put(this.title, look.name);
    this.verdict = make("section", { class: "verdict", "aria-live": "polite", "aria-label": "Verdict" });
    this.fillVerdict();
    this.panel = make("div", { id: "view", role: "tabpanel", class: "panel", tabindex: "-1" });
    this.tabs = make(
      "div",
      { role: "tablist", "aria-label": "View", class: "tabs", onkeydown: (event) => this.tabKey(event) },
      TABS.filter(([name]) => look.encoding || name === "hex").map(([name, words]) =>
        button(words, () => this.turnTo(name), {
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": "view",
          "data-tab": name,
        }),
      ),
    );
    const jump = make("input", {
      type: "text",
      inputmode: "numeric",
      placeholder: "0x1f4",
      "aria-label": "Go to byte",
      size: "9",
    });
    this.reading = make("span", { class: "soft reading-now" });
    const form = make(
      "form",
      {
        class: "jump",
        onsubmit: (event) => {
          event.preventDefault();
          const offset = Number(jump.value);
          if (Number.isInteger(offset) && offset >= 0)
            this.tab === "hex"
              ? this.goBytes(Math.min(offset, look.size - 1))
              : this.go(Math.min(offset, look.size - 1));
        },
      },
      jump,
      button("Go", () => form.requestSubmit(), { class: "small" }),
    );
    this.detail = make("div", { class: "detail", "aria-live": "polite" });
    this.side = make("aside", { class: "side", "aria-label": "Readings, reasons and actions" });
    this.whyPlace = make("div", {});
    put(
      this.main,
      this.verdict,
      look.size ? this.strip.element : null,
      look.size
        ? make(
            "div",
            { class: "columns" },
            make(
              "section",
              { class: "view", "aria-label": "Contents" },
              make("div", { class: "toolbar" }, this.tabs, this.reading, form),
              this.panel,
              this.detail,
            ),
            this.side,
          )
        : null,
    );
    this.fillSide();
  }

  fillVerdict() {
    const hinted = Object.values(this.hints).some(Boolean);
    put(
      this.verdict,
      verdictOf(this.look, this.facts, hinted, (offset) => this.goBytes(offset)),
    );
  }

  fillSide() {
    const { look, about, transport } = this;
    const readings = look.readings.length
      ? readingsCard(look, this.byParts ? null : this.chosen, about, this.parts?.length, (encoding) =>
          this.choose(encoding),
        )
      : null;
    const hints =
      transport.can.ask && look.encoding
        ? hintsCard(about, this.hints, (hints) => {
            this.hints = hints;
            this.decide();
          })
        : null;
    const parts = this.parts
      ? partsCard(
          this.parts,
          about,
          (chosen, part, name) => this.choosePart(chosen, part, name),
          (offset) => this.goBytes(offset),
        )
      : null;
    const fixes = this.repairs ? repairCard(transport, look, this.chosen, this.repairs) : null;
    this.convertPlace = make(
      "div",
      {},
      transport.can.ask && this.chosen ? convertCard(transport, look, this.chosen, this.joined()) : null,
    );
    put(
      this.side,
      readings,
      parts,
      fixes,
      this.convertPlace,
      this.whyPlace,
      hints,
      commandsCard(look, this.chosen, Boolean(this.repairs), this.byParts),
    );
    this.fillWhy();
  }

  fillWhy() {
    const box = story(this.look.steps, (offset) => this.goBytes(offset));
    if (this.why) box.append(pairs(this.why, (offset) => this.goBytes(offset)));
    put(this.whyPlace, box);
  }

  /** The parts as they are chosen, where the file is read by parts. */
  joined() {
    return this.byParts ? this.partsChosen : undefined;
  }

  async choosePart(chosen, part, name) {
    this.partsChosen = chosen;
    put(this.convertPlace, convertCard(this.transport, this.look, this.chosen, this.joined()));
    if (this.byParts && this.tab === "text") this.show(this.strip.at);
    const { rows } = await this.transport.ask({
      ask: "rows",
      id: this.id,
      encoding: name,
      start: part.start,
      count: 2,
      exact: true,
    });
    return rows;
  }

  async askStrip() {
    const id = this.id;
    const answer = await this.transport.ask({ ask: "strip", id, encoding: this.chosen, cells: 512, hints: this.hints });
    if (!answer.error && id === this.id) this.strip.show(answer);
  }

  async askWhy() {
    const { id, hints } = this;
    const why = await this.transport.ask({ ask: "why", id, hints });
    if (why.error || id !== this.id || hints !== this.hints) return;
    this.why = why;
    this.marks = why.winner ? marksOf(why) : new Map();
    this.viewer.mark(this.marks);
    this.fillWhy();
  }

  async askFacts() {
    const { id, chosen } = this;
    if (!chosen) return;
    const facts = await this.transport.ask({ ask: "facts", id, encoding: chosen });
    if (facts.error || id !== this.id) return;
    this.facts = facts;
    this.fillVerdict();
    if (facts.parts > 1) {
      const { parts } = await this.transport.ask({ ask: "parts", id });
      if (id !== this.id) return;
      this.parts = parts ?? null;
      this.partsChosen = parts?.map((part) => [part.start, part.encoding ?? "latin-1"]);
      this.byParts = Boolean(parts);
      if (this.byParts && this.tab === "text") await this.show(this.strip.at);
    }
    if (facts.mojibake) this.repairs = await this.transport.ask({ ask: "repair", id, encoding: chosen });
    if (id === this.id && (this.parts || this.repairs)) this.fillSide();
  }

  // The view.

  async show(start = 0) {
    if (!this.look.size) return;
    for (const tab of this.tabs.children) {
      const on = tab.dataset.tab === this.tab;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    const parts = this.tab === "text" ? this.joined() : undefined;
    put(
      this.reading,
      parts ? "read part by part" : this.chosen && this.tab !== "compare" ? `read as ${this.chosen}` : "",
    );
    put(this.detail);
    if (this.tab === "compare") {
      put(this.panel, this.compare.element);
      await this.compare.show({ id: this.id, readings: this.compared() });
    } else {
      put(this.panel, this.viewer.element);
      await this.viewer.show({
        id: this.id,
        encoding: this.chosen,
        form: this.tab,
        size: this.look.size,
        parts,
        start,
      });
    }
  }

  compared() {
    const { readings } = this.look;
    const rest = readings.filter((reading) => reading.encoding !== this.chosen);
    const first = readings.find((reading) => reading.encoding === this.chosen) ?? {
      encoding: this.chosen,
      web: null,
      confidence: null,
    };
    return [first, ...rest].slice(0, 6);
  }

  async turnTo(tab) {
    this.tab = tab;
    await this.wait(this.show(this.strip.at));
  }

  tabKey(event) {
    const names = [...this.tabs.children].map((tab) => tab.dataset.tab);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = names[(names.indexOf(this.tab) + step + names.length) % names.length];
    this.turnTo(next);
    this.tabs.querySelector(`[data-tab="${next}"]`).focus();
  }

  moved(at, span) {
    this.strip.move(at, span);
  }

  async go(offset) {
    if (this.tab === "compare") {
      this.tab = "text";
      return this.show(offset);
    }
    return this.viewer.go(offset);
  }

  /** Go to a byte in the view of the bytes, and say what stands there. */
  async goBytes(offset) {
    this.tab = "hex";
    await this.show(offset);
    await this.pick(offset, false);
    this.panel.scrollIntoView({ block: "nearest" });
  }

  async pick(offset, line) {
    if (line) return this.goBytes(offset);
    this.viewer.choose(offset);
    if (!this.transport.can.ask) return undefined;
    const encodings = this.chosen ? this.compared().map((reading) => reading.encoding) : [];
    const answer = await this.transport.ask({ ask: "at", id: this.id, offset, encodings });
    if (!answer.error) put(this.detail, atByte(answer, this.marks));
    return undefined;
  }
}
