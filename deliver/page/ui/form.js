/* form.js - the fields of the question. Texts go to the command as they are; sliders only write
 * into the text fields, and follow the numbers that the command has read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {Devices} from './devices.js';
import {byId, element} from './dom.js';
import {PRESETS} from './presets.js';
import {OPTIONS, complete} from './question.js';

const RECALLS = ['0.5', '0.6', '0.7', '0.8', '0.85', '0.9', '0.92', '0.94', '0.95', '0.96', '0.97',
    '0.98', '0.99', '0.995', '0.998', '0.999', '0.9999', '0.99999', '0.999999'];

/* The fields that "More" hides. It opens if a question uses one of them. */
const FOLDED = ['kb-max', 'kernel', 'have', 'objective', 'budget', 'd', 'valid', 'align',
    'assignment', 'rope-theta', 'head-dim', 'rope-stretch', 'rounding'];

function inRow() {
    return document.querySelector('input[name=goal][value=row]').checked;
}

function setGoal(row) {
    document.querySelector(`input[name=goal][value=${row ? 'row' : 'mean'}]`).checked = true;
    byId('confidence').disabled = !row;
}

/* The question that the fields hold. */
export function readForm() {
    const values = {};
    for (const name of OPTIONS)
        values[name] = byId(name).value;
    if (!inRow())
        values.confidence = '';
    return complete(values);
}

/* Writes a question into the fields. */
export function writeForm(question) {
    for (const name of OPTIONS) {
        const field = byId(name);
        if (field.tagName === 'SELECT')
            Devices.choose(field, question[name]);
        else if (field.value !== question[name])
            field.value = question[name];
    }
    setGoal(question.confidence !== '');
    if (FOLDED.some((name) => question[name]))
        byId('more').open = true;
    markPreset(question);
}

function same(question, preset) {
    const other = complete(preset.question);
    return OPTIONS.every((name) => question[name].toLowerCase() === other[name].toLowerCase());
}

export function markPreset(question) {
    document.querySelectorAll('#presets button').forEach((button) =>
        button.setAttribute('aria-pressed',
            String(same(question, PRESETS[Number(button.dataset.preset)]))));
}

function makePresets(ask) {
    const groups = new Map();
    PRESETS.forEach((preset, number) => {
        if (!groups.has(preset.group)) {
            const row = element('div', {class: 'preset-group'}, element('span', {}, preset.group));
            groups.set(preset.group, row);
            byId('presets').append(row);
        }
        const button = element('button', {type: 'button', 'data-preset': number,
            title: preset.title, 'aria-pressed': 'false'}, preset.name);
        button.addEventListener('click', () => {
            writeForm(complete(preset.question));
            ask();
        });
        groups.get(preset.group).append(button);
    });
}

function makeSliders(changed) {
    for (const slider of document.querySelectorAll('input[data-power]'))
        slider.addEventListener('input', () => {
            byId(slider.dataset.power).value = Number(slider.value) < 7
                ? String(2 ** Number(slider.value)) : '2^' + slider.value;
            slider.setAttribute('aria-valuetext', byId(slider.dataset.power).value);
            changed();
        });
    const recall = byId('recall-slider');
    recall.max = RECALLS.length - 1;
    recall.addEventListener('input', () => {
        byId('recall').value = RECALLS[Number(recall.value)];
        recall.setAttribute('aria-valuetext', RECALLS[Number(recall.value)]);
        changed();
    });
}

/* Moves the sliders to the numbers that the command read; not the one that is in use. */
export function followAnswer(answer) {
    for (const slider of document.querySelectorAll('input[data-power]')) {
        const value = answer[slider.dataset.power];
        if (!value || slider === document.activeElement)
            continue;
        slider.value = Math.round(Math.log2(value));
        slider.setAttribute('aria-valuetext', String(value));
    }
    const recall = byId('recall-slider');
    if (recall === document.activeElement || !answer.recall_target)
        return;
    const distance = (text) => Math.abs(Math.log((1 - Number(text)) /
        (1 - answer.recall_target || 1e-9)));
    recall.value = RECALLS.reduce((best, text, i) =>
        distance(text) < distance(RECALLS[best]) ? i : best, 0);
    recall.setAttribute('aria-valuetext', String(answer.recall_target));
}

/* changed() is called after every change of a field. */
export function makeForm(changed) {
    makePresets(changed);
    makeSliders(changed);
    const form = byId('form');
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        changed();
    });
    form.addEventListener('input', (event) => {
        if (event.target.type === 'range' || event.target.type === 'file')
            return;
        if (event.target.name === 'goal') {
            if (inRow() && !byId('confidence').value)
                byId('confidence').value = '0.99';
            setGoal(inRow());
        }
        changed();
    });
}
