/* run.js - runs the command once, from its arguments to its exit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {openFiles} from './files.js';
import {Exit, System} from './wasi.js';

const STATUS_FAILED = 1;

/* Returns {status, stdout, stderr, ms}. A fault of the module itself, such as a stack that is too
 * deep, is a line on stderr and the status of a failure. `progress(done, total)` is called now and
 * then while it works. */
export function runCommand(module, args, files, progress, readSlice) {
    const begin = performance.now();
    const system = new System(['recallmodel', ...args], openFiles(files, readSlice));
    let status = 0, fault = '';
    try {
        const instance = new WebAssembly.Instance(module, {
            wasi_snapshot_preview1: system.imports(),
            page: {progress},
        });
        system.memory = instance.exports.memory;
        instance.exports._start();
    } catch (error) {
        if (!(error instanceof Exit)) {
            status = STATUS_FAILED;
            fault = `recallmodel: the command stopped in this browser: ${error.message}\n`;
        } else {
            status = error.status;
        }
    }
    return {
        status,
        stdout: system.stdout.text(),
        stderr: system.stderr.text() + fault,
        ms: performance.now() - begin,
    };
}
