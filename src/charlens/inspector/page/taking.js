// Input and output: dropped files, pasted text, an example, and downloads.

import { button, make, put } from "./dom.js";

// Russian in KOI8-R: "Hello! This letter was written twenty years ago."
export const EXAMPLE = Uint8Array.from(
  "f0d2c9d7c5d42120fcd4cf20d0c9d3d8cdcf20cec1d0c9d3c1cecf20c4d7c1c4c3c1d4d820ccc5d420cec1dac1c42e0a".match(/../g),
  (pair) => parseInt(pair, 16),
);

/** Accept files dropped anywhere on the page: `onFiles` gets them, including those in folders. */
export function listenForDrops(onFiles) {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = [...event.dataTransfer.files];
    onFiles(entries.some((entry) => entry.isDirectory) ? (await Promise.all(entries.map(filesOf))).flat() : files);
  });
}

/** Ask for text or hexadecimal digits; `onFile` gets them as a file. */
export function askForText(onFile) {
  const area = make("textarea", { rows: "8", id: "paste", dir: "auto" });
  const box = make("dialog", { class: "paste", "aria-labelledby": "paste-title" });
  const done = (isHex) => {
    const digits = area.value.replace(/0x|\\x|[\s,;:]/gi, "");
    if (isHex && (digits.length % 2 || /[^0-9a-f]/i.test(digits)))
      return put(note, "These are not pairs of hexadecimal digits.");
    const data = isHex ? Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : area.value;
    box.close();
    return onFile(new File([data], isHex ? "pasted.bin" : "pasted.txt"));
  };
  const note = make("p", { class: "status refused", role: "status" });
  put(
    box,
    make("h2", { id: "paste-title" }, "Paste text or hex"),
    make("label", { for: "paste", class: "soft" }, "Text is read as UTF-8; hexadecimal digits are read as bytes."),
    area,
    note,
    make(
      "div",
      { class: "actions" },
      button("As text", () => done(false), { class: "primary" }),
      button("As hex", () => done(true)),
      button("Cancel", () => box.close()),
    ),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

/** The files of an entry; one that cannot be read has an error, and the others are read anyway. */
async function filesOf(entry) {
  try {
    return await readEntry(entry);
  } catch (error) {
    return [{ name: entry.fullPath.replace(/^\//, ""), size: 0, error: error.message || "cannot be read" }];
  }
}

async function readEntry(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    // The name includes the folders, as in a chosen folder.
    Object.defineProperty(file, "webkitRelativePath", { value: entry.fullPath.replace(/^\//, "") });
    return [file];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesOf))).flat();
}

/** Download a file. */
export function keep(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name.split(/[\\/]/).at(-1) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
