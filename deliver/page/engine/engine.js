/* engine.js - the command, for the page: see docs/page.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import moduleBytes from 'recallmodel.wasm'; /* a Uint8Array */
import workerSource from 'worker.txt'; /* worker.js with what it imports */

/* What a cancelled run rejects with. */
export class Cancelled extends Error {
    constructor() {
        super('cancelled');
        this.cancelled = true;
    }
}

/* A worker, and the runs that wait for its answers. */
class Lane {
    constructor(address, module) {
        this.runs = new Map();
        this.next = 0;
        this.ended = false;
        this.worker = new Worker(address);
        this.worker.onmessage = ({data}) => this.receive(data);
        this.worker.onerror = (event) => {
            event.preventDefault();
            this.end(new Error(event.message || 'the worker could not start'));
        };
        this.loaded = module.then((compiled) => this.ended ||
            this.worker.postMessage({module: compiled}));
        this.loaded.catch((error) => this.end(error));
    }

    receive({id, progress, result}) {
        const run = this.runs.get(id);
        if (!run)
            return; /* sent before the lane ended */
        if (progress) {
            run.onProgress?.(progress);
            return;
        }
        this.runs.delete(id);
        run.resolve(result);
    }

    run(args, files, onProgress) {
        return new Promise((resolve, reject) => {
            const id = this.next++;
            this.runs.set(id, {resolve, reject, onProgress});
            this.loaded.then(() => this.ended || this.worker.postMessage({id, args, files}))
                .catch(reject);
        });
    }

    end(reason) {
        this.ended = true;
        this.worker.terminate();
        for (const {reject} of this.runs.values())
            reject(reason);
        this.runs.clear();
    }
}

export class Engine {
    #lanes = new Map();
    #module;
    #address;

    constructor() {
        this.#address = URL.createObjectURL(new Blob([workerSource], {type: 'text/javascript'}));
        this.#module = WebAssembly.compile(moduleBytes);
        this.ready = this.#module.then(() => undefined);
        this.ready.catch(() => {}); /* each run rejects with it, too */
    }

    /* Runs `recallmodel ARGS`. Resolves to {status, stdout, stderr, ms}, whatever the status.
     *   files       {name: text, Uint8Array or File}: what the command can read, by that name
     *   onProgress  gets {done, total, share} about ten times a second while long work goes on
     *   lane        runs on one lane follow each other; lanes work side by side */
    run(args, {files = {}, onProgress = null, lane = 'answer'} = {}) {
        if (!this.#lanes.has(lane) || this.#lanes.get(lane).ended)
            this.#lanes.set(lane, new Lane(this.#address, this.#module));
        return this.#lanes.get(lane).run(args.map(String), files, onProgress);
    }

    /* Ends the work of a lane at once. Its promises reject with {cancelled: true}. */
    cancel(lane = 'answer') {
        this.#lanes.get(lane)?.end(new Cancelled());
        this.#lanes.delete(lane);
    }
}
