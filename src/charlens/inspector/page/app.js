// The page: the open file, its view, and its questions, which the transport answers.

import { commandsCard, convertCard, partsCard, repairCard } from "./act.js";
import { Compare } from "./compare.js";
import { button, draw, make, put } from "./dom.js";
import { Find } from "./find.js";
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
/** Questions whose answer is all that a view has to show. */
const VIEWED = ["rows", "compare", "at"];

export class App {
  constructor(root, carrier) {
    const transport = { ...carrier, ask: (question) => this.ask(carrier, question) };
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
    this.finder = new Find(
      transport,
      () => ({ id: this.id, encoding: this.chosen, parts: this.joined(), size: this.look.size, at: this.strip.at }),
      (range, bytes) => this.showFound(range, bytes),
      (offset) => (this.tab === "hex" ? this.goBytes(offset) : this.go(offset)),
    );
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
    this.backButton = button("All files", () => history.back(), { hidden: true });
    this.message = make("div", { class: "message", role: "alert" });
    this.main = make("main", {});
    put(root, make("a", { class: "skip", href: "#view" }, "Skip to the text"), this.header(), this.message, this.main);
    if (transport.can.drop) listenForDrops((files) => this.take(files));
    addEventListener("popstate", () => this.table && this.showTable());
    // The browser's search finds only the rows in the document; pressing the key again opens it.
    addEventListener("keydown", (event) => {
      const wanted = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === "f";
      if (!wanted || !this.look?.size || document.activeElement === this.finder.input) return;
      event.preventDefault();
      this.finder.focus();
    });
  }

  async start() {
    this.about = await this.transport.ask({ ask: "about" });
    if (this.about.error) return this.say(this.about.error);
    if (this.about.folder) return this.openFolder();
    if (this.about.start) return this.openPath(this.about.start);
    return this.welcome();
  }

  /** Ask, and see to it that no answer is about another file than the one that is shown. */
  async ask(carrier, question) {
    const answer = await carrier.ask(question);
    if (!this.look || question.id !== this.look.id || question.ask === "look") return answer;
    if (answer.error && VIEWED.includes(question.ask)) this.say(answer.error);
    else if (answer.version !== undefined && answer.version !== this.look.version)
      this.say(
        "The file has changed since. ",
        button("Look again", () => this.decide(), { class: "small" }),
      );
    return answer;
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

  /** Say what is looked at, in the bar and in the title of the window. */
  call(name) {
    put(this.title, name);
    const short = name.split("/").findLast(Boolean);
    document.title = short ? `${short} – charlens` : "charlens inspect";
  }

  say(...words) {
    put(this.message, words[0] ? make("p", {}, words) : null);
  }

  welcome() {
    this.leave();
    this.call("");
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
        make("p", { class: "soft" }, "You see the encoding, the language and any damage, and why: byte by byte."),
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

  // Files that are dropped, chosen or pasted.

  async take(files) {
    this.say("");
    if (!files.length) return;
    if (files.length === 1) {
      const opened = await this.addFile(files[0]);
      return opened.error ? this.say(`${files[0].name}: ${opened.error}`) : this.open(opened.id);
    }
    this.table = new FileTable((row) => this.open(row.id));
    this.showTable();
    for (const [number, file] of files.entries()) {
      const name = file.webkitRelativePath || file.name;
      const opened = await this.addFile(file);
      const { row, error } = opened.error ? opened : await this.transport.ask({ ask: "closely", id: opened.id });
      const shown = row ?? [name, error, null, 0, null, null, false, file.size, [], ""];
      this.table.add([Object.assign(shown, { id: opened.id ?? null })], number === files.length - 1);
    }
  }

  async addFile(file) {
    if (file.error) return { error: file.error };
    try {
      return await this.transport.add(file, file.webkitRelativePath || file.name);
    } catch (error) {
      return { error: error.message };
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
    this.leave();
    this.backButton.hidden = true;
    this.call(this.about.folder ?? "");
    this.say("");
    put(this.main, make("h1", { class: "folder-title" }, "Files"), this.table.element);
  }

  async openPath(path) {
    const opened = await this.transport.ask({ ask: "open", path });
    return opened.error ? this.say(`${path}: ${opened.error}`) : this.open(opened.id);
  }

  // One file.

  /** Answers that are still to come are about a file that is not shown any more. */
  leave() {
    Object.assign(this, { look: null, id: null });
    this.finder.stop();
  }

  async open(id) {
    // After opening a file from the table, the back button leads to the table.
    if (this.table && !this.look) history.pushState({}, "");
    Object.assign(this, { id, hints: {}, tab: "text", chosen: undefined });
    this.backButton.hidden = !this.table;
    await this.decide();
  }

  /** Ask for the verdict, with the hints as they are, and show it. */
  async decide() {
    const { id } = this;
    const look = await this.transport.ask({ ask: "look", id, hints: this.hints });
    if (id !== this.id) return undefined;
    if (look.error) return this.say(look.error);
    this.say("");
    Object.assign(this, { look, facts: null, parts: null, partsChosen: [], byParts: false, why: null });
    Object.assign(this, {
      marks: new Map(),
      options: { target: "utf-8", newline: "", declarations: true, replace: false },
    });
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
    this.options.replace = false;
    this.finder.stop();
    this.viewer.found = null;
    this.fillSide();
    await this.wait(this.show(this.strip.at), this.askStrip());
  }

  build() {
    const look = this.look;
    this.call(look.name);
    this.finder.stop();
    this.viewer.found = null;
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
    this.reading = make("span", { class: "soft reading-now" });
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
              make("div", { class: "toolbar" }, this.tabs, this.reading, this.finder.element),
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
      ? readingsCard(look, this.byParts ? null : this.chosen, about, this.parts?.count, {
          all: transport.can.ask,
          onChoose: (encoding) => this.choose(encoding),
        })
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
          this.partsChosen,
          transport.can.ask ? (chosen, part, name) => this.choosePart(chosen, part, name) : null,
          (offset) => this.goBytes(offset),
        )
      : null;
    const saved = (words) => this.savedAs(words);
    const { repair: found } = this.facts ?? {};
    const fixes =
      found && this.chosen === look.encoding ? repairCard(transport, look, this.chosen, found, saved) : null;
    this.convertPlace = make("div", {});
    this.commandsPlace = make("div", {});
    this.fillConvert();
    put(this.side, readings, parts, fixes, this.convertPlace, this.whyPlace, hints, this.commandsPlace);
    this.fillWhy();
  }

  fillConvert() {
    const { look, transport, chosen, options } = this;
    const commands = () =>
      put(this.commandsPlace, commandsCard(look, chosen, options, Boolean(this.facts?.repair?.count), this.joined()));
    commands();
    if (transport.can.ask && chosen)
      put(
        this.convertPlace,
        convertCard(transport, look, chosen, this.joined(), options, {
          onChange: commands,
          onSaved: (words) => this.savedAs(words),
        }),
      );
  }

  /** The file is another one now: look again. */
  async savedAs(words) {
    await this.decide();
    this.say(words);
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
    this.fillConvert();
    if (this.byParts && this.tab === "text") this.show(this.strip.at);
    const { rows } = await this.transport.ask({
      ask: "rows",
      id: this.id,
      encoding: name || "latin-1",
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
      const parts = await this.transport.ask({ ask: "parts", id });
      if (parts.error || id !== this.id) return;
      this.parts = parts;
      // The user may have chosen a reading in the meantime.
      this.byParts = chosen === this.chosen;
      if (this.byParts && this.tab === "text") await this.show(this.strip.at);
    }
    if (id === this.id && (this.parts || facts.repair)) this.fillSide();
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
      put(this.panel, this.viewer.head, this.viewer.element);
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

  /** Show the range that was found; bytes are shown as bytes. */
  async showFound(range, bytes) {
    this.viewer.found = range;
    if (this.tab === "compare" || (bytes && this.tab !== "hex")) {
      this.tab = bytes ? "hex" : "text";
      await this.show(range[0]);
    } else await this.viewer.go(range[0]);
    this.viewer.element.querySelector(".is-found, .has-found")?.scrollIntoView({ block: "nearest" });
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
    // Another byte may have been chosen before the answer arrived.
    if (!answer.error && offset === this.viewer.chosen) put(this.detail, atByte(answer, this.marks));
    return undefined;
  }
}
