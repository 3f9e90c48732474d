// The table of many files: sorted and filtered here, at most 100 rows of it in the document.

import { button, choice, make, put } from "./dom.js";
import { bytesInWords, count, ENDS, languageName, percent, plural, PROBLEMS } from "./words.js";

const PAGE_ROWS = 100;
const [NAME, OUTCOME, ENCODING, CONFIDENCE, LANGUAGE, NEWLINE, MARK, SIZE, TROUBLE, PREVIEW] = Array(10).keys();
const COLUMNS = [
  ["File", (row) => row[NAME]],
  ["Encoding", (row) => row[ENCODING] ?? `~${row[OUTCOME]}`],
  ["Confidence", (row) => row[CONFIDENCE]],
  ["Language", (row) => languageName(row[LANGUAGE]) || "~"],
  ["Line endings", (row) => row[NEWLINE] ?? "~"],
  ["Size", (row) => row[SIZE]],
  ["Problems", (row) => -row[TROUBLE].length],
];

export class FileTable {
  /** `onOpen` gets a row; without it names are not links. */
  constructor(onOpen) {
    Object.assign(this, { onOpen, rows: [], words: "", only: "", column: 6, down: false, page: 0, done: true });
    this.status = make("p", { class: "soft", role: "status" });
    this.search = make("input", {
      type: "search",
      placeholder: "Filter by name, encoding, language",
      "aria-label": "Filter",
      oninput: () => this.set({ words: this.search.value, page: 0 }),
    });
    this.heads = COLUMNS.map(([words], n) =>
      make(
        "th",
        { scope: "col" },
        button(words, () => this.sort(n), { class: "sort" }),
      ),
    );
    this.body = make("tbody", {});
    this.filters = make("div", {});
    this.back = button("Previous", () => this.set({ page: this.page - 1 }));
    this.forward = button("Next", () => this.set({ page: this.page + 1 }));
    this.element = make(
      "section",
      { class: "files", "aria-label": "Files" },
      make("div", { class: "toolbar" }, this.search, this.filters, this.status, this.back, this.forward),
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of files" },
        make("table", {}, make("thead", {}, make("tr", {}, this.heads)), this.body),
      ),
    );
    this.offer();
    this.paint();
  }

  offer() {
    const found = new Set(this.rows.flatMap((row) => row[TROUBLE].map(([rule]) => rule)));
    const options = [
      ["", "all files"],
      ["any", "with problems"],
      ...[...found].sort().map((rule) => [rule, PROBLEMS[rule] ?? rule]),
      ["binary", "binary"],
      ["doubtful", "under 90 % sure"],
    ];
    put(
      this.filters,
      choice("Show", options, this.only, (only) => this.set({ only, page: 0 })),
    );
  }

  add(rows, done) {
    this.rows.push(...rows);
    this.done = done;
    if (done) this.offer();
    this.paint();
  }

  set(change) {
    Object.assign(this, change);
    this.paint();
  }

  sort(column) {
    this.set({ column, down: this.column === column && !this.down, page: 0 });
  }

  chosen() {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const key = COLUMNS[this.column][1];
    const kept = this.rows.filter(
      (row) =>
        this.fits(row) &&
        words.every((word) =>
          [row[NAME], row[ENCODING], row[LANGUAGE], languageName(row[LANGUAGE]), row[OUTCOME]].some((cell) =>
            cell?.toLowerCase().includes(word),
          ),
        ),
    );
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    kept.sort((a, b) => order(key(a), key(b)) || order(a[NAME], b[NAME]));
    return this.down ? kept.reverse() : kept;
  }

  fits(row) {
    if (!this.only) return true;
    if (this.only === "any") return row[TROUBLE].length > 0;
    if (this.only === "binary") return row[OUTCOME] === "binary";
    if (this.only === "doubtful") return row[ENCODING] !== null && row[CONFIDENCE] < 0.9;
    return row[TROUBLE].some(([rule]) => rule === this.only);
  }

  paint() {
    const rows = this.chosen();
    const first = PAGE_ROWS * this.page;
    this.heads.forEach((head, n) =>
      head.setAttribute("aria-sort", n !== this.column ? "none" : this.down ? "descending" : "ascending"),
    );
    put(
      this.body,
      rows.slice(first, first + PAGE_ROWS).map((row) => this.row(row)),
    );
    if (!rows.length && this.done)
      put(
        this.body,
        make(
          "tr",
          {},
          make("td", { colspan: "7", class: "soft" }, this.rows.length ? "No matching files." : "No files here."),
        ),
      );
    this.back.disabled = !this.page;
    this.forward.disabled = first + PAGE_ROWS >= rows.length;
    const all = plural(this.rows.length, "file");
    const range =
      rows.length > PAGE_ROWS ? `, ${count(first + 1)} to ${count(Math.min(first + PAGE_ROWS, rows.length))}` : "";
    put(
      this.status,
      `${rows.length === this.rows.length ? all : `${count(rows.length)} of ${all}`}${range}${this.done ? "" : " so far…"}`,
    );
  }

  row(row) {
    // A file that could not be opened has no number.
    const name =
      this.onOpen && row.id !== null ? button(row[NAME], () => this.onOpen(row), { class: "link" }) : row[NAME];
    const troubles = row[TROUBLE].map(([rule, words, line]) =>
      make(
        "span",
        { class: `trouble trouble-${rule}`, title: `${line ? `line ${line}: ` : ""}${words}` },
        PROBLEMS[rule] ?? rule,
      ),
    );
    return make(
      "tr",
      { "data-row": row[NAME] },
      make(
        "td",
        { class: "name" },
        make("bdi", {}, name),
        row[PREVIEW] ? make("div", { class: "excerpt", dir: "auto" }, row[PREVIEW]) : null,
      ),
      make(
        "td",
        {},
        row[ENCODING] ? make("code", {}, row[ENCODING]) : make("span", { class: "soft" }, row[OUTCOME]),
        row[MARK] ? make("span", { class: "soft" }, " BOM") : null,
      ),
      make("td", { class: "figure" }, row[ENCODING] ? percent(row[CONFIDENCE]) : ""),
      make("td", {}, languageName(row[LANGUAGE])),
      make("td", {}, ENDS[row[NEWLINE]] ?? ""),
      make("td", { class: "figure" }, bytesInWords(row[SIZE])),
      make("td", {}, troubles),
    );
  }
}
