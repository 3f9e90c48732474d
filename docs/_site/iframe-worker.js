/* Search in a site that is opened from a disk.

   The theme searches in a worker, and browsers start none for file:// pages.  There, and only there, the worker's
   script runs in a hidden frame instead, and messages are handed over.  The plugin `offline` looks for the name of this
   file; without it, it would have every page load such a script from the network. */
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = "<!doctype html><title>search</title>"
      frame.addEventListener("load", () => this.start(frame.contentWindow, url), { once: true })
      document.body.append(frame)
    }

    start(inside, url) {
      // What the script posts goes out of the frame; what comes in waits until the script listens.
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inside.document.createElement("script")
      script.src = url
      script.addEventListener("load", () => {
        this.inside = inside
        this.waiting.splice(0).forEach(data => this.postMessage(data))
      })
      inside.document.head.append(script)
    }

    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new MessageEvent("message", { data }))
      else this.waiting.push(data)
    }
  }
}
