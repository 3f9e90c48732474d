// The whole file as a strip, with the position of the view; click to go anywhere.

import { make, put } from "./dom.js";
import { count, percent } from "./words.js";

const KINDS = [
  ["ascii", "ASCII"],
  ["high", "non-ASCII"],
  ["control", "control"],
  ["invalid", "does not decode"],
];

export class Strip {
  constructor(onGo) {
    this.onGo = onGo;
    this.at = 0;
    this.span = 0;
    this.answer = null;
    this.canvas = make("canvas", { class: "strip-bars", "aria-hidden": "true" });
    this.window = make("div", { class: "strip-window", "aria-hidden": "true" });
    this.track = make(
      "div",
      {
        class: "strip-track",
        role: "slider",
        tabindex: "0",
        "aria-label": "Place in the file",
        "aria-valuemin": "0",
        onkeydown: (event) => this.key(event),
        onpointerdown: (event) => this.point(event),
        onpointermove: (event) => event.buttons && this.point(event),
      },
      this.canvas,
      this.window,
    );
    this.note = make("span", { class: "soft" });
    const legend = KINDS.map(([kind, words]) => make("span", { class: `key key-${kind}` }, words));
    this.element = make(
      "section",
      { class: "strip", "aria-label": "The whole file" },
      this.track,
      make("p", { class: "legend" }, legend, this.note),
    );
    new ResizeObserver(() => this.paint()).observe(this.track);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  show(answer) {
    this.answer = answer;
    this.track.setAttribute("aria-valuemax", answer.size);
    put(this.note, answer.sampled ? "sampled: the file is large" : "");
    this.paint();
    this.move(this.at, this.span);
  }

  /** Say which bytes the view shows. */
  move(at, span) {
    this.at = at;
    this.span = span;
    const size = this.answer?.size || 1;
    this.window.style.left = `min(${(100 * at) / size}%, 100% - 5px)`;
    this.window.style.width = `${Math.max(0.4, (100 * span) / size)}%`;
    this.track.setAttribute("aria-valuenow", at);
    this.track.setAttribute("aria-valuetext", `byte ${count(at)} of ${count(size)}, ${percent(at / size)}`);
  }

  paint() {
    if (!this.answer) return;
    const { width, height } = this.track.getBoundingClientRect();
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: width * scale, height: height * scale });
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(this.track);
    const colours = KINDS.map(([kind]) => style.getPropertyValue(`--${kind}-solid`));
    const step = this.canvas.width / this.answer.cells.length;
    this.answer.cells.forEach((cell, number) => {
      // One invalid byte among thousands must be visible.
      const invalid = cell[3] ? Math.max(0.25, cell[3]) : 0;
      let top = this.canvas.height;
      [...cell.slice(0, 3).map((part) => part * (1 - invalid)), invalid].forEach((part, kind) => {
        pen.fillStyle = colours[kind];
        const tall = part * this.canvas.height;
        pen.fillRect(Math.floor(number * step), top - tall, Math.ceil(step), tall);
        top -= tall;
      });
    });
  }

  point(event) {
    const box = this.track.getBoundingClientRect();
    const share = Math.min(0.9999, Math.max(0, (event.clientX - box.left) / box.width));
    this.onGo(Math.floor(share * (this.answer?.size ?? 0)));
  }

  key(event) {
    const size = this.answer?.size ?? 0;
    const cell = Math.max(16, Math.ceil(size / 64));
    const to = {
      ArrowRight: this.at + cell,
      ArrowUp: this.at + cell,
      ArrowLeft: this.at - cell,
      ArrowDown: this.at - cell,
      PageUp: this.at + 8 * cell,
      PageDown: this.at - 8 * cell,
      Home: 0,
      End: size - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.onGo(Math.max(0, Math.min(to, size - 1)));
  }
}
