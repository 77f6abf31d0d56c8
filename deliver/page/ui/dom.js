/* dom.js - the few helpers that every part of the page uses.
 *
 * SPDX-License-Identifier: Apache-2.0 */

export function byId(id) {
    return document.getElementById(id);
}

/* An element with attributes and children; a child may be text. */
export function element(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/* The same in SVG. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes))
        if (value !== null && value !== undefined && value !== false)
            made.setAttribute(key, value === true ? '' : value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

/* Runs what was given last, `wait` ms after the last call. */
export function debounce(wait, action) {
    let timer = 0;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...args), wait);
    };
}

/* At most one job at a time, and of those that wait only the newest: a slider that is dragged asks
 * faster than the answers come. job(...args) returns a promise. */
export function newest(job) {
    let running = false, waiting = null;
    const start = async (args) => {
        running = true;
        try {
            await job(...args);
        } finally {
            running = false;
            if (waiting) {
                const next = waiting;
                waiting = null;
                start(next);
            }
        }
    };
    return (...args) => {
        if (running)
            waiting = args;
        else
            start(args);
    };
}

/* A line for screen readers and for the eye that goes after a while. */
export function toast(message) {
    const line = byId('toast');
    line.textContent = message;
    line.hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { line.hidden = true; }, 4000);
}

/* Copies text; file:// has no clipboard in some browsers, so a selection is the second way. */
export async function copyText(text, what) {
    try {
        await navigator.clipboard.writeText(text);
    } catch (error) {
        const area = element('textarea', {class: 'off-screen'});
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
    }
    toast(`${what} copied`);
}

/* Saves text as a file. */
export function saveFile(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], {type}));
    const link = element('a', {href: address, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/* Tabs as WAI-ARIA has them: arrow keys move, one tab stop. show(name) is called on a change. */
export function makeTabs(list, show) {
    const tabs = () => [...list.querySelectorAll('[role=tab]')];
    const choose = (tab, focus) => {
        for (const each of tabs()) {
            each.setAttribute('aria-selected', String(each === tab));
            each.tabIndex = each === tab ? 0 : -1;
        }
        if (focus)
            tab.focus();
        show(tab.dataset.tab);
    };
    list.addEventListener('click', (event) => {
        const tab = event.target.closest('[role=tab]');
        if (tab)
            choose(tab, false);
    });
    list.addEventListener('keydown', (event) => {
        const all = tabs(), at = all.indexOf(document.activeElement);
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (at < 0 || (!step && event.key !== 'Home' && event.key !== 'End'))
            return;
        event.preventDefault();
        const to = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1
            : (at + step + all.length) % all.length;
        choose(all[to], true);
    });
    return (name) => {
        const tab = tabs().find((each) => each.dataset.tab === name);
        if (tab)
            choose(tab, false);
    };
}
