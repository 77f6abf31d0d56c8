/* files.js - the files that a command may read: bytes in memory, or a file of the user, of which
 * only the blocks that were read last are held.
 *
 * Both kinds have size, modified (ms since 1970) and read(offset, target): copies from `offset` on
 * into the Uint8Array `target` and returns how many bytes; 0 at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */

const BLOCK = 1 << 20;
const BLOCKS = 8;

/* What is sent to a closed port is freed at once. Garbage would wait for its collection, which on a
 * busy machine lets most of a file pile up. */
const nowhere = new MessageChannel().port1;
nowhere.close();

class BytesFile {
    constructor(bytes) {
        this.bytes = bytes;
        this.size = bytes.length;
        this.modified = 0;
    }

    read(offset, target) {
        const piece = this.bytes.subarray(offset, offset + target.length);
        target.set(piece);
        return piece.length;
    }
}

/* readSlice(blob) returns the ArrayBuffer of a slice at once, as FileReaderSync does. */
class BlobFile {
    constructor(blob, readSlice) {
        this.blob = blob;
        this.readSlice = readSlice;
        this.size = blob.size;
        this.modified = blob.lastModified || 0;
        this.blocks = new Map(); /* the block that was read last comes last */
        this.slices = 0;
    }

    block(number) {
        let bytes = this.blocks.get(number);
        this.blocks.delete(number);
        if (!bytes) {
            bytes = new Uint8Array(
                this.readSlice(this.blob.slice(number * BLOCK, (number + 1) * BLOCK)));
            this.slices++;
            if (this.blocks.size >= BLOCKS)
                this.drop(this.blocks.keys().next().value);
        }
        this.blocks.set(number, bytes);
        return bytes;
    }

    drop(number) {
        nowhere.postMessage(0, [this.blocks.get(number).buffer]);
        this.blocks.delete(number);
    }

    read(offset, target) {
        let done = 0;
        while (done < target.length && offset + done < this.size) {
            const at = offset + done, number = Math.floor(at / BLOCK);
            const from = at - number * BLOCK;
            const piece = this.block(number).subarray(from, from + target.length - done);
            if (piece.length === 0)
                break; /* the file has become shorter */
            target.set(piece, done);
            done += piece.length;
        }
        return done;
    }
}

/* {name: text, Uint8Array or Blob} becomes a Map of files. */
export function openFiles(given, readSlice) {
    const files = new Map();
    for (const [name, content] of Object.entries(given)) {
        if (typeof content === 'string')
            files.set(name, new BytesFile(new TextEncoder().encode(content)));
        else if (content instanceof Uint8Array)
            files.set(name, new BytesFile(content));
        else
            files.set(name, new BlobFile(content, readSlice));
    }
    return files;
}
