// Text and bytes by ranges: at most 100 rows are in the document, whatever the size of the file. Scrolling to an edge
// loads more rows on that side and removes as many on the other.

import { make, put, runs } from "./dom.js";
import { count, ENDS, hexOffset } from "./words.js";

const FIRST = 60;
const MORE = 40;
const MOST = 100;
const EDGE = 240;
/** What the arrow keys do among bytes. */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -16, ArrowDown: 16 };

export class Viewer {
  /** `onMove` hears which bytes are shown, `onPick` which byte was chosen. */
  constructor(transport, onMove, onPick) {
    Object.assign(this, { transport, onMove, onPick, rows: [], marks: new Map(), busy: false, turn: 0, found: null });
    /** Keys are handled one after the other, once the rows have arrived: this promise is the last of them. */
    this.waiting = Promise.resolve();
    this.element = make("div", {
      class: "viewer",
      tabindex: "0",
      role: "region",
      onscroll: () => this.scrolled(),
      onclick: (event) => this.picked(event),
      onkeydown: (event) => this.key(event),
      onmouseover: (event) => this.hover(event),
      onmouseleave: () => this.hover(null),
    });
    const columns = Array.from({ length: 16 }, (_, n) => n.toString(16).padStart(2, "0"));
    this.head = make(
      "div",
      { class: "viewer-head", "aria-hidden": "true" },
      make("span", { class: "number" }, "offset"),
      make(
        "span",
        { class: "bytes" },
        columns.map((name) => make("span", { class: "byte" }, name)),
      ),
      make("span", { class: "signs" }, "characters"),
    );
  }

  /** Show a file; `form` is 'text' or 'hex', `encoding` null for bytes that are not text. */
  async show({ id, encoding, form, size, parts = null, start = 0 }) {
    // Rows of another view or file must not be drawn any more.
    Object.assign(this, { id, encoding, form, size, parts, rows: [], chosen: null });
    this.element.className = `viewer viewer-${form}`;
    this.head.hidden = form !== "hex";
    this.element.setAttribute("aria-label", form === "hex" ? "Bytes and characters" : "Text");
    const shown = this.go(start);
    this.waiting = shown.catch(() => undefined);
    await shown;
  }

  /** Highlight bytes: a map from offset to words and a weight. */
  mark(marks) {
    this.marks = marks;
    if (this.form === "hex" && this.rows.length) this.paint();
  }

  async ask(question) {
    const { rows = [] } = await this.transport.ask({
      ask: "rows",
      id: this.id,
      encoding: this.encoding,
      form: this.form,
      parts: this.parts,
      found: this.found,
      ...question,
    });
    return rows;
  }

  /** Go to the row of a byte. */
  async go(offset, chosen = null) {
    const turn = ++this.turn;
    const rows = await this.ask({ start: Math.max(0, offset), count: FIRST });
    if (turn !== this.turn) return;
    // At the end of the file there is room for rows before.
    const before = rows.length < FIRST && rows.length ? await this.before(rows[0].start, FIRST - rows.length) : [];
    if (turn !== this.turn) return;
    this.rows = [...before, ...rows];
    this.chosen = chosen;
    this.paint();
    const row = this.rows.findIndex((each) => each.end > offset);
    const target = this.element.children[Math.max(0, row)];
    // Keep a row above visible, so there is something to scroll to.
    this.element.scrollTop = target && row > 0 ? target.offsetTop - 2 * target.offsetHeight : 0;
    if (rows.length && !before.length && rows[0].start > 0) await this.more(false);
    this.tell();
  }

  async before(start, rows) {
    if (start <= 0) return [];
    if (this.form !== "hex") return this.ask({ start, count: rows, before: true });
    const first = Math.max(0, start - 16 * rows);
    return this.ask({ start: first, count: (start - first) / 16 });
  }

  async more(down) {
    if (this.busy || !this.rows.length) return;
    this.busy = true;
    const turn = this.turn;
    try {
      if (down) {
        const start = this.rows.at(-1).end;
        const found = start < this.size ? await this.ask({ start, count: MORE, exact: true }) : [];
        if (turn === this.turn && found.length) this.extend(found, true);
      } else {
        const found = await this.before(this.rows[0].start, MORE);
        if (turn === this.turn && found.length) this.extend(found, false);
      }
    } finally {
      this.busy = false;
    }
  }

  extend(found, down) {
    const box = this.element;
    if (down) {
      this.rows.push(...found);
      box.append(...found.map((row) => this.line(row)));
      const gone = Math.max(0, this.rows.length - MOST);
      const keep = box.children[gone];
      const shift = keep ? keep.offsetTop - box.children[0].offsetTop : 0;
      this.rows.splice(0, gone);
      for (let n = 0; n < gone; n += 1) box.firstChild.remove();
      if (gone) box.scrollTop -= shift;
    } else {
      this.rows.unshift(...found);
      const first = box.children[0];
      const top = first.offsetTop;
      box.prepend(...found.map((row) => this.line(row)));
      box.scrollTop += first.offsetTop - top;
      while (this.rows.length > MOST) {
        this.rows.pop();
        box.lastChild.remove();
      }
    }
  }

  scrolled() {
    const box = this.element;
    if (box.scrollTop < EDGE && this.rows[0]?.start > 0) this.more(false);
    else if (box.scrollHeight - box.scrollTop - box.clientHeight < EDGE) this.more(true);
    this.tell();
  }

  tell() {
    const box = this.element;
    const top = box.scrollTop;
    const lines = [...box.children];
    const first = lines.findIndex((line) => line.offsetTop + line.offsetHeight > top);
    const below = lines.findIndex((line) => line.offsetTop > top + box.clientHeight);
    const from = this.rows[Math.max(0, first)];
    const to = this.rows[below > 0 ? below - 1 : this.rows.length - 1];
    if (from && to) this.onMove(from.start, to.end - from.start);
  }

  key(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey) return;
    // Before a byte is chosen, up and down scroll.
    const steps = this.form === "hex" && (this.chosen !== null || Math.abs(STEPS[event.key]) === 1);
    if (["Home", "End"].includes(event.key) || (steps && event.key in STEPS)) event.preventDefault();
    else return;
    const follow = {
      Home: () => this.go(0),
      End: () => this.go(Math.max(0, this.size - 1)),
    }[event.key];
    this.waiting = this.waiting.then(follow ?? (() => this.step(STEPS[event.key]))).catch(() => undefined);
  }

  /** Choose the next byte or the one before, or the one in the next row or the row before. */
  async step(by) {
    if (!this.rows.length) return;
    const next = this.chosen === null ? this.rows[0].start : this.chosen + by;
    if (next < 0 || next >= this.size) return;
    // The byte stays chosen while rows arrive: the next arrow key must move it, not scroll.
    if (next < this.rows[0].start || next >= this.rows.at(-1).end) await this.go(next, next);
    this.onPick(next, false);
    this.element.querySelector(".byte.chosen")?.scrollIntoView({ block: "nearest" });
  }

  paint() {
    put(
      this.element,
      this.rows.map((row) => this.line(row)),
    );
    if (!this.rows.length) put(this.element, make("p", { class: "soft pad" }, "There is nothing to show."));
  }

  line(row) {
    return this.form === "hex" ? this.hexLine(row) : this.textLine(row);
  }

  textLine(row) {
    const number = row.line === null ? (this.continues(row) ? "↳" : hexOffset(row.start)) : count(row.line);
    const found = this.found && row.start < this.found[1] && this.found[0] < row.end;
    return make(
      "div",
      { class: found ? "row has-found" : "row", "data-row": row.start },
      make(
        "button",
        { class: "number", type: "button", "data-offset": row.start, "aria-label": `Bytes of line ${number}` },
        number,
      ),
      make("div", { class: "text", dir: "auto" }, runs(row.runs)),
      make("span", { class: "ends", "aria-hidden": "true" }, ENDS[row.ends] ?? ""),
    );
  }

  continues(row) {
    return row.start > 0 && this.rows.some((each) => each.end === row.start && !each.ends);
  }

  hexLine(row) {
    const values = row.hex.match(/../g) ?? [];
    const shapes = new Array(values.length).fill("");
    for (const [at, length, text, kind, split] of row.signs) {
      const many = length > 1 || split;
      for (let n = at; n < at + length; n += 1)
        shapes[n] = `${kind ? `is-${kind}` : ""}${many ? " many" : ""}${many && n === at && text ? " first" : ""}`;
    }
    const [from, to] = this.found ?? [0, 0];
    const bytes = values.map((value, n) => {
      const at = row.start + n;
      const mark = this.marks.get(at);
      const byte = parseInt(value, 16);
      // Inside a longer character, any byte is part of it.
      const control = byte < 32 || byte === 127;
      const group = byte > 0x7f ? "high" : !control ? "" : shapes[n].includes("many") ? "faint" : "low";
      const name = [
        "byte",
        group,
        shapes[n],
        mark && "decided",
        at === this.chosen && "chosen",
        from <= at && at < to && "is-found",
      ]
        .filter(Boolean)
        .join(" ");
      return this.weigh(make("span", { class: name, "data-offset": at, title: mark?.words }, value), mark);
    });
    const signs = row.signs.map(([at, length, text, kind, split]) => {
      const mark = this.marks.get(row.start + at);
      const name = [
        "sign",
        kind && `is-${kind}`,
        (length > 1 || split) && "many",
        mark && "decided",
        row.start + at === this.chosen && "chosen",
        from <= row.start + at && row.start + at < to && "is-found",
      ];
      const sign = make(
        "span",
        { class: name.filter(Boolean).join(" "), "data-offset": row.start + at, "data-length": length },
        make("bdi", {}, text),
      );
      sign.style.gridColumn = `${at + 1} / span ${length}`;
      return this.weigh(sign, mark);
    });
    return make(
      "div",
      { class: "row", "data-row": row.start },
      make("span", { class: "number" }, hexOffset(row.start)),
      make("span", { class: "bytes" }, bytes),
      make("span", { class: "signs", dir: "ltr" }, signs),
    );
  }

  /** The more a pair of bytes decided, the stronger its colour. */
  weigh(element, mark) {
    if (mark) element.style.setProperty("--weight", `${Math.round(35 + 65 * mark.weight)}%`);
    return element;
  }

  picked(event) {
    const target = event.target.closest("[data-offset]");
    if (target) this.onPick(Number(target.dataset.offset), target.classList.contains("number"));
  }

  choose(offset) {
    this.chosen = offset;
    for (const each of this.element.querySelectorAll(".chosen")) each.classList.remove("chosen");
    for (const each of this.element.querySelectorAll(`[data-offset="${offset}"]`)) each.classList.add("chosen");
  }

  /** Light up the bytes of the character under the pointer. */
  hover(event) {
    for (const each of this.element.querySelectorAll(".lit")) each.classList.remove("lit");
    const target = event?.target.closest?.(".byte, .sign");
    if (!target) return;
    const at = Number(target.dataset.offset);
    const row = target.closest(".row");
    const sign = [...row.querySelectorAll(".sign")].find((each) => {
      const start = Number(each.dataset.offset);
      return start <= at && at < start + Number(each.dataset.length);
    });
    if (!sign) return;
    sign.classList.add("lit");
    const start = Number(sign.dataset.offset);
    for (let n = start; n < start + Number(sign.dataset.length); n += 1)
      row.querySelector(`.byte[data-offset="${n}"]`)?.classList.add("lit");
  }
}
