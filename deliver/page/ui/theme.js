/* theme.js - light, dark, or as the system has it. The choice lasts while the page is open, and
 * longer where the browser lets a file keep something.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId} from './dom.js';

const CHOICES = ['system', 'light', 'dark'];
const system = window.matchMedia('(prefers-color-scheme: dark)');

let choice = 'system';

function kept() {
    try {
        return localStorage.getItem('recallmodel-theme');
    } catch (error) {
        return null; /* no storage, as for some pages from disk */
    }
}

function keep() {
    try {
        localStorage.setItem('recallmodel-theme', choice);
    } catch (error) {
        /* then it lasts as long as the page */
    }
}

function apply() {
    const dark = choice === 'dark' || (choice === 'system' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    byId('theme').textContent = `Theme: ${choice}`;
    byId('theme').setAttribute('aria-label', `Theme: ${choice}`);
}

export function makeTheme() {
    choice = CHOICES.includes(kept()) ? kept() : 'system';
    system.addEventListener('change', apply);
    window.addEventListener('beforeprint', () => {
        document.documentElement.dataset.theme = 'light'; /* paper is */
    });
    window.addEventListener('afterprint', apply);
    byId('theme').addEventListener('click', () => {
        choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
        keep();
        apply();
    });
    apply();
}
