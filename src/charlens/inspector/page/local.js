// Questions go to the server on this machine that served the page.

import { App } from "./app.js";
import { keep } from "./taking.js";

async function send(where, method, body, headers) {
  try {
    return await fetch(where, { method, body, headers });
  } catch {
    throw new Error("charlens inspect has ended; start it again");
  }
}

const transport = {
  can: { ask: true, drop: true, save: true },
  async ask(question) {
    try {
      const answer = await send("ask", "POST", JSON.stringify(question), { "Content-Type": "application/json" });
      return answer.ok ? await answer.json() : { error: await answer.text() };
    } catch (error) {
      return { error: error.message };
    }
  },
  async add(file, name) {
    const answer = await send("content", "PUT", file, { "X-Name": encodeURIComponent(name) });
    return answer.ok ? answer.json() : { error: await answer.text() };
  },
  async download(question, name) {
    const answer = await send("download", "POST", JSON.stringify(question), { "Content-Type": "application/json" });
    if (!answer.ok) throw new Error(await answer.text());
    keep(await answer.blob(), name);
  },
};

new App(document.getElementById("app"), transport).start();
