// Find text or bytes, or go to a byte. A question looks through a limited range; the search goes on until something is
// found, the file ends, or another search starts.

import { button, make, put } from "./dom.js";
import { count, percent } from "./words.js";

const SOUGHT = {
  text: ["Text", "Find text"],
  hex: ["Hex", "Find bytes: de ad be ef"],
  line: ["Line", "Go to line: 120"],
  byte: ["Byte", "Go to byte: 500 or 0x1f4"],
};

/** A place that is given, not searched for. */
const GOING = ["line", "byte"];

export class Find {
  /** `question` gives what is looked at, `onFound` gets a range and whether it is of bytes, `onGo` a byte. */
  constructor(transport, question, onFound, onGo) {
    Object.assign(this, { transport, question, onFound, onGo, turn: 0, range: null });
    this.kind = make(
      "select",
      { "aria-label": "What to look for", onchange: () => this.changed() },
      Object.entries(SOUGHT).map(([value, [words]]) => make("option", { value }, words)),
    );
    this.input = make("input", {
      type: "search",
      size: "16",
      maxlength: "200",
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
      oninput: () => this.stop(),
      onkeydown: (event) => this.key(event),
    });
    this.back = button("↑", () => this.find(true), { class: "small", "aria-label": "Previous", title: "Shift+Enter" });
    this.forward = button("↓", () => this.find(false), { class: "small", "aria-label": "Next", title: "Enter" });
    this.status = make("span", { class: "soft find-status", role: "status" });
    this.element = make(
      "search",
      { class: "find", "aria-label": "Find in this file" },
      this.kind,
      this.input,
      this.back,
      this.forward,
      this.status,
    );
    this.changed();
  }

  changed() {
    const [, words] = SOUGHT[this.kind.value];
    this.input.placeholder = words;
    this.input.setAttribute("aria-label", words);
    this.back.hidden = GOING.includes(this.kind.value);
    this.stop();
  }

  /** End a search that is going on, and forget what was found. */
  stop() {
    this.turn += 1;
    this.range = null;
    this.say("");
  }

  say(words) {
    put(this.status, words);
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  key(event) {
    if (event.key === "Escape") this.stop();
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.find(event.shiftKey);
  }

  async find(back) {
    const sought = this.input.value;
    if (!sought) return;
    if (GOING.includes(this.kind.value)) await this.goTo(sought.trim());
    else if (this.kind.value === "hex") {
      const digits = sought.replace(/0x|\\x|[\s,;:]/gi, "");
      if (!digits.length || digits.length % 2 || /[^0-9a-f]/i.test(digits))
        this.say("These are not pairs of hexadecimal digits.");
      else await this.search(digits, back);
    } else await this.search(sought, back);
  }

  async goTo(words) {
    const { size } = this.question();
    const number = Number(words.replaceAll(",", ""));
    if (words === "" || !Number.isInteger(number) || number < 0) this.say("Give a number.");
    else if (this.kind.value === "line") await this.goToLine(Math.max(1, number));
    else if (number >= size) this.say(`The file has ${count(size)} bytes.`);
    else {
      this.say("");
      this.onGo(number);
    }
  }

  async goToLine(line) {
    this.turn += 1;
    const turn = this.turn;
    const { size, at, ...about } = this.question();
    for (let start = 0; ;) {
      const answer = await this.transport.ask({ ...about, ask: "line", line, start });
      if (turn !== this.turn) return;
      if (answer.error) this.say(answer.error);
      else if (answer.next !== undefined) {
        start = answer.next;
        this.say(`Counting lines, ${percent(start / size)}`);
        continue;
      } else {
        this.say("");
        this.onGo(answer.start);
      }
      return;
    }
  }

  async search(sought, back) {
    this.turn += 1;
    const turn = this.turn;
    const { size, at, ...about } = this.question();
    const form = this.kind.value;
    const from = this.range ? this.range[0] + (back ? 0 : 1) : at;
    let start = from;
    for (let around = false; ;) {
      const answer = await this.transport.ask({ ...about, ask: "find", form, sought, start, back });
      if (turn !== this.turn) return;
      if (answer.error) {
        this.say(answer.error);
        return;
      }
      if (answer.start !== undefined) {
        this.range = [answer.start, answer.end];
        this.say(around ? (back ? "Continued from the end." : "Continued from the beginning.") : "");
        this.onFound(this.range, form === "hex");
        return;
      }
      if (answer.next === null) {
        if (around) {
          this.say("Not found.");
          return;
        }
        around = true;
        start = back ? size : 0;
      } else start = answer.next;
      // Once around is enough.
      if (around && (back ? start < from : start > from)) {
        this.say("Not found.");
        return;
      }
      this.say(`Searching, ${percent(start / size)}`);
    }
  }
}
