/* iframe-worker.js - the search of a site that is opened from disk. A browser starts no Worker
 * from file://. In its place this runs the script of the worker in a hidden frame, with the same
 * messages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
"use strict";
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            this.onmessage = null;
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            this.frame.title = "search";
            document.documentElement.appendChild(this.frame);
            const inside = this.frame.contentWindow;
            inside.document.open(); /* so that the empty page stays the one that it is */
            inside.document.write("<!doctype html><title>search</title>");
            inside.document.close();
            this.receive = (event) => {
                if (event.source !== inside) return;
                const copy = new MessageEvent("message", { data: event.data });
                this.dispatchEvent(copy);
                if (this.onmessage) this.onmessage(copy);
            };
            window.addEventListener("message", this.receive);
            inside.importScripts = (...names) => this.load(names);
            inside.postMessage = (data) => parentMessage(inside, data);
            this.ready = this.load([url]);
        }
        /* Scripts in their order; resolves when the last has run. */
        async load(names) {
            for (const name of names) {
                await new Promise((done, failed) => {
                    const script = this.frame.contentDocument.createElement("script");
                    script.src = new URL(name, location.href).href;
                    script.onload = done;
                    script.onerror = () => failed(new Error(`${name} does not load`));
                    this.frame.contentDocument.documentElement.appendChild(script);
                });
            }
        }
        postMessage(data) {
            this.ready.then(() => {
                const inside = this.frame.contentWindow;
                const event = new inside.MessageEvent("message", { data });
                inside.dispatchEvent(event);
                if (inside.onmessage) inside.onmessage(event);
            });
        }
        terminate() {
            window.removeEventListener("message", this.receive);
            this.frame.remove();
        }
    };
    /* Messages of the frame reach this window as if the frame had sent them. */
    window.parentMessage = (source, data) =>
        window.dispatchEvent(new MessageEvent("message", { source, data }));
}
