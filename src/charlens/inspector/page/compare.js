// Readings side by side: first the lines on which they differ.

import { button, checkbox, make, put, runs } from "./dom.js";
import { certainty, count, encodingName, hexOffset, percent, plural } from "./words.js";

const ROWS = 50;

export class Compare {
  constructor(transport, onUse, onGo) {
    Object.assign(this, { transport, onUse, onGo, everything: false, starts: [0] });
    this.body = make("div", { class: "compare", tabindex: "0", role: "region", "aria-label": "Readings side by side" });
    this.status = make("span", { class: "soft", role: "status" });
    this.back = button("Back", () => this.turn(-1));
    this.forward = button("More", () => this.turn(1));
    const bar = make(
      "div",
      { class: "toolbar" },
      checkbox("Only lines that differ", true, (only) => this.again({ everything: !only })),
      this.status,
      this.back,
      this.forward,
    );
    this.element = make("div", { class: "comparing" }, bar, this.body);
  }

  async show({ id, readings }) {
    Object.assign(this, { id, readings });
    await this.again({});
  }

  async again(change) {
    Object.assign(this, { starts: [0] }, change);
    await this.load();
  }

  async turn(step) {
    if (step < 0) this.starts.pop();
    else this.starts.push(this.next);
    await this.load();
    this.body.scrollTop = 0;
  }

  async load() {
    const { readings, starts } = this;
    const encodings = readings.map((reading) => reading.encoding);
    const { rows = [], next = null } = await this.transport.ask({
      ask: "compare",
      id: this.id,
      encodings,
      start: this.starts.at(-1),
      count: ROWS,
      everything: this.everything,
    });
    if (readings !== this.readings || starts !== this.starts) return;
    this.next = next;
    this.back.disabled = this.starts.length < 2;
    this.forward.disabled = next === null;
    const none = this.everything
      ? ""
      : next === null
        ? "These readings give the same text."
        : "No difference here; press More.";
    put(this.status, rows.length ? plural(rows.length, "line") : none);
    this.body.style.setProperty("--readings", this.readings.length);
    put(
      this.body,
      rows.length ? this.head() : null,
      rows.map((row) => this.row(row)),
    );
  }

  head() {
    return make(
      "div",
      { class: "compare-head" },
      make("span", { class: "number" }),
      this.readings.map((reading, n) =>
        make(
          "div",
          { class: "column" },
          make("strong", {}, encodingName(reading)),
          " ",
          make(
            "span",
            { class: "soft", title: reading.confidence === null ? "" : certainty(reading.confidence) },
            reading.confidence === null ? "to compare" : percent(reading.confidence),
          ),
          n === 0
            ? make("span", { class: "in-use" }, "in use")
            : button("Use", () => this.onUse(reading.encoding), {
                class: "small",
                "aria-label": `Use reading ${n + 1}, ${encodingName(reading)}`,
              }),
        ),
      ),
    );
  }

  row(row) {
    const number = row.line === null ? hexOffset(row.start) : count(row.line);
    return make(
      "div",
      { class: "compare-row", "data-row": row.start },
      make(
        "button",
        {
          class: "number",
          type: "button",
          onclick: () => this.onGo(row.start),
          "aria-label": `Bytes of line ${number}`,
        },
        number,
      ),
      row.texts.map((parts, n) =>
        make(
          "div",
          { class: "text column", dir: "auto", "data-encoding": encodingName(this.readings[n]) },
          runs(parts),
        ),
      ),
    );
  }
}
