// charlens in a worker: Pyodide, the pure wheel, and the answers of charlens.inspector. A file that was dropped is
// mounted, not copied: Python reads it by ranges.

import { loadPyodide } from "./pyodide/pyodide.mjs";

let python;
let mounted = 0;

const calls = {
  async start() {
    python = await loadPyodide();
    const wheel = await fetch("charlens.whl");
    if (!wheel.ok) throw new Error("charlens.whl is missing next to this page");
    python.unpackArchive(await wheel.arrayBuffer(), "zip");
    python.runPython(`
import json
from charlens.inspector.answers import Inspector
inspector = Inspector()
def ask(question): return json.dumps(inspector.answer(json.loads(question)))
def add(path, name): return json.dumps(inspector.add(path, name, own=True))
def download(question): return b"".join(inspector.product(json.loads(question))[1])
`);
  },
  ask: ({ question }) => python.globals.get("ask")(question),
  add({ file, name }) {
    mounted += 1;
    const folder = `/dropped/${mounted}`;
    const suffix = /\.[A-Za-z0-9]{1,12}$/.exec(name)?.[0] ?? "";
    python.FS.mkdirTree(folder);
    python.FS.mount(python.FS.filesystems.WORKERFS, { blobs: [{ name: `content${suffix}`, data: file }] }, folder);
    return python.globals.get("add")(`${folder}/content${suffix}`, name);
  },
  download({ question }) {
    const product = python.globals.get("download")(question);
    return product.toJs();
  },
};

onmessage = async ({ data: { number, kind, ...values } }) => {
  try {
    postMessage({ number, answer: (await calls[kind](values)) ?? null });
  } catch (error) {
    // Only the last line of a traceback is shown.
    postMessage({ number, error: error.message.trim().split("\n").at(-1) });
  }
};
