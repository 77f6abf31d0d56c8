/* question.js - the question: what the fields hold, as text. It becomes the arguments of the
 * command, and the hash of the address. No field is parsed here; the command reads them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {quoted} from './text.js';

/* Every option that the form has, by the command's name, in the order of the command line. An
 * empty text leaves the option out. */
export const OPTIONS = ['n', 'k', 'm', 'recall', 'lost-mass', 'score-sd', 'confidence', 'device', 'dtype',
    'exact-us', 'exact-kernel', 'have', 'kb-max', 'kernel', 'objective', 'budget', 'd', 'valid',
    'assignment', 'align', 'rope-theta', 'head-dim', 'rope-stretch', 'rounding'];

/* Options that other subcommands take, too; the pictures pass them on. */
export const SHAPE = ['n', 'k', 'valid', 'assignment'];

/* What the page shows where the address says nothing. */
export const FIRST = {n: '151936', k: '50', m: '64', recall: '0.99', device: 'H100-SXM'};

/* A question with every option, the missing ones empty. */
export function complete(values) {
    const question = {};
    for (const name of OPTIONS)
        question[name] = values[name] === undefined ? '' : String(values[name]).trim();
    return question;
}

/* Would the command refuse it beside the others? A type is one of times, which a device has. A lost
 * mass stands in place of the recall. */
function inPlace(question, name) {
    return name === 'dtype' ? question.device : name !== 'recall' || !question['lost-mass'];
}

/* The options that are given, as arguments. */
export function optionArguments(question, names = OPTIONS) {
    const args = [];
    for (const name of names)
        if (question[name] && inPlace(question, name))
            args.push('--' + name, question[name]);
    return args;
}

export function selectArguments(question) {
    return ['select', ...optionArguments(question)];
}

/* What to paste into a terminal. */
export function commandLine(question) {
    return ['recallmodel', ...selectArguments(question)].map(quoted).join(' ');
}

function encode(text) {
    return encodeURIComponent(text).replace(/%5E/g, '^').replace(/%2C/g, ',').replace(/%2F/g, '/');
}

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch (error) {
        return text; /* a stray %: taken as it is */
    }
}

/* The hash without its #: every option that is given, and the tab if it is not the first. */
export function writeHash(question, tab) {
    const parts = OPTIONS.filter((name) => question[name])
        .map((name) => name + '=' + encode(question[name]));
    if (tab && tab !== 'ask')
        parts.push('tab=' + tab);
    return parts.join('&');
}

/* {question, tab, unknown: the names that are no options}. An empty hash is the first question. */
export function readHash(hash) {
    const values = {}, unknown = [];
    let tab = 'ask', any = false;
    for (const part of hash.replace(/^#/, '').split('&')) {
        const at = part.indexOf('=');
        if (at < 0)
            continue;
        const name = decode(part.slice(0, at)), value = decode(part.slice(at + 1));
        if (name === 'tab')
            tab = value;
        else if (OPTIONS.includes(name)) {
            values[name] = value;
            any = true;
        } else {
            unknown.push(name);
        }
    }
    return {question: complete(any ? values : FIRST), tab, unknown};
}
