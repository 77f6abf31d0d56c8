/* wasi.js - the system that the command runs on: the calls of WASI (wasi_snapshot_preview1) that it
 * makes. It has arguments, a clock, random bytes, stdout and stderr, which are kept, and files that
 * can be read. Everything else is refused with an error number.
 *
 * SPDX-License-Identifier: Apache-2.0 */

/* Thrown by proc_exit. */
export class Exit {
    constructor(status) {
        this.status = status;
    }
}

const OK = 0, BADF = 8, INVAL = 28, IO = 29, ISDIR = 31, NOENT = 44, NOSYS = 52, ROFS = 69;
const SPIPE = 70;
const UNKNOWN = 0, DIRECTORY = 3, REGULAR = 4; /* types of files */
const CREATE = 1, ONLY_DIRECTORY = 2;          /* flags of path_open */
const ALL_RIGHTS = (1n << 29n) - 1n;
const FIRST_FOLDER = 3, FIRST_FILE = 4;

/* What the command has printed. */
class Output {
    constructor() {
        this.pieces = [];
    }

    write(bytes) {
        this.pieces.push(bytes.slice());
    }

    text() {
        const decoder = new TextDecoder();
        return this.pieces.map((piece) => decoder.decode(piece, {stream: true})).join('') +
            decoder.decode();
    }
}

/* One run of the command. `files` is a Map of name to file, as files.js makes them. */
export class System {
    constructor(args, files) {
        /* a NUL would end an argument early, and so change the question; no shell can pass one */
        this.args = args.map((text) =>
            new TextEncoder().encode(text.replaceAll('\0', '\ufffd') + '\0'));
        this.files = files;
        this.stdout = new Output();
        this.stderr = new Output();
        this.opened = new Map();
        this.next = FIRST_FILE;
    }

    /* The memory moves when it grows, so every call looks at it anew. */
    get view() {
        return new DataView(this.memory.buffer);
    }

    bytes(at, length) {
        return new Uint8Array(this.memory.buffer, at, length);
    }

    set32(at, value) {
        this.view.setUint32(at, value, true);
    }

    set64(at, value) {
        this.view.setBigUint64(at, BigInt(value), true);
    }

    /* The buffers of a scattered read or write. */
    *buffers(at, count) {
        for (let i = 0; i < count; i++)
            yield this.bytes(this.view.getUint32(at + 8 * i, true),
                this.view.getUint32(at + 8 * i + 4, true));
    }

    /* A path as a key of `files`: without the / or ./ that it begins with. */
    path(at, length) {
        return new TextDecoder().decode(this.bytes(at, length)).replace(/^(\.?\/)+/, '');
    }

    put_filestat(at, type, size, modified) {
        this.bytes(at, 64).fill(0);
        this.view.setUint8(at + 16, type);
        this.set64(at + 24, 1);
        this.set64(at + 32, size);
        for (const time of [40, 48, 56])
            this.set64(at + time, BigInt(Math.round(modified)) * 1000000n);
        return OK;
    }

    read(file, at, count, offset, got) {
        let done = 0;
        try {
            for (const buffer of this.buffers(at, count)) {
                const length = file.read(offset + done, buffer);
                done += length;
                if (length < buffer.length)
                    break;
            }
        } catch (error) {
            return IO; /* the file has gone or may no longer be read */
        }
        this.set32(got, done);
        return OK;
    }

    /* The imports of the module. */
    imports() {
        const calls = {};
        for (const group of [processCalls(this), descriptorCalls(this), pathCalls(this)])
            Object.assign(calls, group);
        return new Proxy(calls, {get: (_, name) => calls[name] || (() => NOSYS)});
    }
}

function processCalls(system) {
    const list = (items, pointers, at) => {
        for (const item of items) {
            system.set32(pointers, at);
            system.bytes(at, item.length).set(item);
            pointers += 4;
            at += item.length;
        }
        return OK;
    };
    const sizes = (items, count, size) => {
        system.set32(count, items.length);
        system.set32(size, items.reduce((sum, item) => sum + item.length, 0));
        return OK;
    };
    return {
        args_get: (pointers, at) => list(system.args, pointers, at),
        args_sizes_get: (count, size) => sizes(system.args, count, size),
        environ_get: () => OK,
        environ_sizes_get: (count, size) => sizes([], count, size),
        clock_res_get(id, at) {
            system.set64(at, 1000);
            return OK;
        },
        clock_time_get(id, precision, at) {
            const ms = id === 0 ? Date.now() : performance.now();
            system.set64(at, Math.round(ms * 1e6));
            return OK;
        },
        random_get(at, length) {
            for (let done = 0; done < length; done += 65536)
                crypto.getRandomValues(system.bytes(at + done, Math.min(65536, length - done)));
            return OK;
        },
        proc_exit(status) {
            throw new Exit(status);
        },
    };
}

function descriptorCalls(system) {
    const output = (fd) => fd === 1 ? system.stdout : fd === 2 ? system.stderr : null;
    return {
        fd_close: (fd) => system.opened.delete(fd) ? OK : fd < FIRST_FILE ? OK : BADF,
        fd_fdstat_get(fd, at) {
            const open = system.opened.has(fd);
            if (fd > FIRST_FOLDER && !open)
                return BADF;
            system.bytes(at, 24).fill(0);
            system.view.setUint8(at, open ? REGULAR : fd === FIRST_FOLDER ? DIRECTORY : UNKNOWN);
            system.set64(at + 8, ALL_RIGHTS);
            system.set64(at + 16, ALL_RIGHTS);
            return OK;
        },
        fd_fdstat_set_flags: () => OK,
        fd_filestat_get(fd, at) {
            const open = system.opened.get(fd);
            if (open)
                return system.put_filestat(at, REGULAR, open.file.size, open.file.modified);
            return fd > FIRST_FOLDER ? BADF
                : system.put_filestat(at, fd === FIRST_FOLDER ? DIRECTORY : UNKNOWN, 0, 0);
        },
        fd_prestat_get(fd, at) {
            if (fd !== FIRST_FOLDER)
                return BADF;
            system.set32(at, 0);
            system.set32(at + 4, 1);
            return OK;
        },
        fd_prestat_dir_name(fd, at) {
            system.bytes(at, 1)[0] = '/'.charCodeAt(0);
            return OK;
        },
        fd_write(fd, at, count, written) {
            const to = output(fd);
            if (!to)
                return BADF;
            let done = 0;
            for (const buffer of system.buffers(at, count)) {
                to.write(buffer);
                done += buffer.length;
            }
            system.set32(written, done);
            return OK;
        },
        fd_read(fd, at, count, got) {
            const open = system.opened.get(fd);
            if (!open) {
                system.set32(got, 0); /* stdin is empty */
                return fd === 0 ? OK : fd === FIRST_FOLDER ? ISDIR : BADF;
            }
            const status = system.read(open.file, at, count, open.offset, got);
            if (status === OK)
                open.offset += system.view.getUint32(got, true);
            return status;
        },
        fd_pread(fd, at, count, offset, got) {
            const open = system.opened.get(fd);
            return open ? system.read(open.file, at, count, Number(offset), got) : BADF;
        },
        fd_seek(fd, offset, whence, at) {
            const open = system.opened.get(fd);
            if (!open)
                return fd < FIRST_FILE ? SPIPE : BADF;
            const place = Number(offset) + [0, open.offset, open.file.size][whence];
            if (!(place >= 0))
                return INVAL;
            open.offset = place;
            system.set64(at, place);
            return OK;
        },
    };
}

function pathCalls(system) {
    const readOnly = () => ROFS;
    return {
        path_open(folder, follow, at, length, flags, rights, inherited, more, opened) {
            const file = system.files.get(system.path(at, length));
            if (!file && system.path(at, length) === '')
                return ISDIR;
            if (flags & CREATE)
                return ROFS;
            if (!file || flags & ONLY_DIRECTORY)
                return NOENT;
            system.opened.set(system.next, {file, offset: 0});
            system.set32(opened, system.next++);
            return OK;
        },
        path_filestat_get(folder, follow, at, length, to) {
            const name = system.path(at, length), file = system.files.get(name);
            if (file)
                return system.put_filestat(to, REGULAR, file.size, file.modified);
            return name === '' ? system.put_filestat(to, DIRECTORY, 0, 0) : NOENT;
        },
        path_readlink: (folder, at, length) => system.files.has(system.path(at, length)) ? INVAL
            : NOENT,
        path_create_directory: readOnly,
        path_rename: readOnly,
        path_unlink_file: readOnly,
    };
}
