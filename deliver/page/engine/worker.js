/* worker.js - the worker of a lane: runs one command after the other.
 *
 * It receives {module} once, and {id, args, files} for each run. It sends {id, progress} and, at
 * the end, {id, result}.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {runCommand} from './run.js';

const reader = new FileReaderSync();
let module = null;

function readSlice(blob) {
    return reader.readAsArrayBuffer(blob);
}

self.onmessage = ({data}) => {
    if (data.module) {
        module = data.module;
        return;
    }
    const {id, args, files} = data;
    const progress = (done, total) =>
        self.postMessage({id, progress: {done, total, share: total > 0 ? done / total : 0}});
    self.postMessage({id, result: runCommand(module, args, files, progress, readSlice)});
};
