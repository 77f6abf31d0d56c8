/* usage.js - the call to paste: a tab for each framework that the answer has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId, copyText, element, makeTabs} from './dom.js';
import {commandLine} from './question.js';

/* In the order of the tabs; what the answer names beside these comes last, by its own name. */
const NAMES = {
    graphcore: "PyTorch (Graphcore's kernel)",
    pytorch: 'PyTorch, plain',
    jax: 'JAX',
    c: 'C and CUDA',
    numpy: 'NumPy, on a CPU',
    cpu: 'NumPy, on this CPU',
    exact: 'PyTorch, exact',
    c_exact: 'C and CUDA, exact',
};

let calls = {}, wanted = null, choose = null;

function show(name) {
    wanted = name;
    byId('call').textContent = calls[name] || '';
    byId('call-panel').setAttribute('aria-label', `The call: ${NAMES[name] || name}`);
}

/* A question of another kernel or another answer begins with the call that fits it; otherwise the
 * tab stays. */
let asked = '';

export function showUsage(answer) {
    calls = Object.fromEntries(Object.entries(answer.usage || {}).filter(([, text]) => text));
    const order = Object.keys(NAMES);
    const place = (name) => (order.indexOf(name) + order.length + 1) % (order.length + 1);
    const names = Object.keys(calls).sort((a, b) => place(a) - place(b));
    document.querySelector('.call').hidden = !names.length;
    if (!names.length)
        return;
    const tabs = byId('call-tabs');
    const shown = [...tabs.children].map((tab) => tab.dataset.tab);
    if (shown.join() !== names.join())
        tabs.replaceChildren(...names.map((name) => element('button', {
            type: 'button', role: 'tab', 'data-tab': name, 'aria-controls': 'call-panel',
            'aria-selected': 'false', tabindex: -1}, NAMES[name] || name)));
    const key = `${answer.kernel} ${answer.deploy} ${answer.call}`;
    const at = key === asked && names.includes(wanted) ? wanted : answer.call;
    asked = key;
    choose(at);
}

export function showCommand(question) {
    byId('command').textContent = commandLine(question);
}

export function makeUsage() {
    choose = makeTabs(byId('call-tabs'), show);
    byId('copy-call').addEventListener('click', () =>
        copyText(byId('call').textContent, 'Call'));
    byId('copy-command').addEventListener('click', () =>
        copyText(byId('command').textContent, 'Command'));
}
