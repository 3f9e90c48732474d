// Questions go to charlens in a worker of this page: Pyodide runs the same Python as the local server.

import { App } from "./app.js";
import { keep } from "./taking.js";

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let last = 0;

worker.onmessage = ({ data: { number, answer, error } }) => {
  const { done, failed } = waiting.get(number);
  waiting.delete(number);
  if (error) failed(new Error(error));
  else done(answer);
};

function call(kind, values) {
  last += 1;
  const number = last;
  const answer = new Promise((done, failed) => waiting.set(number, { done, failed }));
  worker.postMessage({ number, kind, ...values });
  return answer;
}

const transport = {
  can: { ask: true, drop: true, save: false },
  ask: async (question) => JSON.parse(await call("ask", { question: JSON.stringify(question) })),
  add: async (file, name) => JSON.parse(await call("add", { file, name })),
  download: async (question, name) =>
    keep(new Blob([await call("download", { question: JSON.stringify(question) })]), name),
};

try {
  await call("start", {});
  await new App(document.getElementById("app"), transport).start();
} catch (error) {
  document.querySelector(".loading").textContent = `Python could not be started: ${error.message}`;
}
