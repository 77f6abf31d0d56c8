/* rows.js - the tab "My rows": `recallmodel simulate --file` on a file of the visitor's, in a
 * worker that reads it by slices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {clearErrors, showError} from './answer.js';
import {Card, makeTable} from './card.js';
import {byId, copyText, element} from './dom.js';
import {lookOf} from './pictures.js';
import {extent} from './scale.js';
import {digits, quoted, recallTick, showCount, showNumber, showRecall} from './text.js';

const MOST_BYTES = 200e6;

let engine = null, file = null, running = false;

/* The name of a file for the command: no folder, nothing that an option could be. */
function nameOf(chosen) {
    return chosen.name.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^-/, '_');
}

function simulateArguments() {
    const value = (name) => byId('rows-' + name).value.trim();
    const args = ['simulate', '--file', nameOf(file)];
    for (const name of ['k', 'kb', 'b', 'recall', 'assignment', 'dtype', 'repetitions'])
        if (value(name))
            args.push('--' + name, value(name));
    return args;
}

function setFile(chosen) {
    file = chosen;
    const bytes = chosen.size < 1e6 ? `${Math.ceil(chosen.size / 1e3)} kB`
        : `${digits(chosen.size / 1e6, 3)} MB`;
    byId('chosen-file').textContent = `${chosen.name}, ${bytes}`;
    clearErrors(byId('rows-form'), byId('rows-error'));
    byId('rows-result').classList.add('late'); /* it is of the file before */
    if (chosen.size > MOST_BYTES)
        fail('recallmodel: --file is larger than 200 MB; the page reads at most that, the ' +
            'command in a terminal any');
}

function fail(line) {
    showError(byId('rows-form'), byId('rows-error'), line);
    byId('rows-state').textContent = 'No result.';
}

function setRunning(yes) {
    running = yes;
    byId('rows-run').disabled = yes;
    byId('rows-cancel').hidden = !yes;
    byId('rows-progress').hidden = !yes;
    if (yes)
        byId('rows-progress').value = 0;
}

async function measure() {
    if (running)
        return;
    if (!file || file.size > MOST_BYTES) {
        fail(file ? 'recallmodel: --file is larger than 200 MB'
            : 'recallmodel: --file is not given; drop a .npy file or choose one');
        return;
    }
    clearErrors(byId('rows-form'), byId('rows-error'));
    setRunning(true);
    byId('rows-result').classList.add('late'); /* until there is another */
    /* another file may be dropped while this one is read */
    const begin = performance.now(), args = simulateArguments(), measured = file;
    byId('rows-state').textContent = 'Reading and measuring ..';
    try {
        const result = await engine.run([...args, '--json'], {
            files: {[nameOf(measured)]: measured}, lane: 'rows',
            onProgress: ({done, total}) => {
                byId('rows-progress').value = total ? done / total : 0;
                byId('rows-state').textContent = `${showCount(done)} of ${showCount(total)}`;
            },
        });
        if (result.status !== 0) {
            fail(result.stderr);
        } else {
            const seconds = (performance.now() - begin) / 1000;
            byId('rows-state').textContent = `Done in ${digits(seconds, 2)} s.`;
            showResult(JSON.parse(result.stdout), args, measured);
            await addWords(args, measured);
        }
    } catch (error) {
        if (error.cancelled)
            byId('rows-state').textContent = 'Cancelled.';
        else
            fail(String(error.message || error));
    }
    setRunning(false);
}

/* The command's own words on the same rows: what it advises, and whether the model holds. */
async function addWords(args, measured) {
    const result = await engine.run(args, {files: {[nameOf(measured)]: measured}, lane: 'rows'});
    const advice = result.stdout.trim().split('\n\n').pop();
    const holds = /((In \d+ of \d+ configurations|All) \|z\| [^:]*: these rows[^]*?\.)\s/
        .exec(result.stdout);
    byId('rows-words').textContent = result.stdout;
    byId('rows-model').textContent = holds ? holds[1].replace(/\s+/g, ' ') : '';
    if (/^Recall /.test(advice))
        byId('rows-why').replaceChildren(...advice.split(/(?<=\.)\s+(?=The model)/)
            .map((part) => element('p', {class: 'why'}, part.replace(/\s+/g, ' '))));
}

function tile(name, value, below) {
    return element('div', {}, element('dt', {}, name), element('dd', {}, value),
        element('dd', {}, below));
}

/* The configuration of the results that a choice names. */
function resultOf(answer, choice) {
    return choice && answer.results.find((each) => each.b === choice.b &&
        each.k_b === choice.k_b && each.assignment === choice.assignment);
}

function shapeName(choice) {
    return `b = ${choice.b}, k_b = ${choice.k_b}`;
}

function headOf(answer, choice) {
    const measured = choice && choice.measured;
    return [
        element('p', {class: 'headline', id: 'rows-headline'}, measured ? shapeName(measured)
            : choice ? 'No shape is shown to reach it' : 'Measured'),
        element('div', {id: 'rows-why'}, element('p', {class: 'why'}, measured
            ? `${showCount(measured.candidates)} candidates, ${measured.assignment}: recall ` +
              `${showRecall(measured.recall_mean)} on these rows, at least ` +
              `${showRecall(measured.recall_lower)} with 95 % confidence.` : '')),
        element('p', {id: 'rows-model', class: 'why'}),
    ];
}

function tilesOf(answer, best) {
    const zs = answer.results.map((each) => each.z).filter((z) => z !== null);
    const worst = zs.length ? Math.max(...zs.map(Math.abs)) : null;
    const rows = answer.rows[0] || {};
    const tiles = [tile('rows read', showCount(answer.repetitions),
        `of n = ${showCount(answer.n)}; with NaN: ${showCount(rows.rows_with_nan || 0)}`)];
    if (best) {
        tiles.push(tile('recall', showRecall(best.recall_mean),
            `standard error ${showNumber(best.recall_stderr)}`));
        if (best.mass_mean !== null && best.mass_mean !== undefined)
            tiles.push(tile('softmax mass kept', showRecall(best.mass_mean),
                `worst row ${showRecall(best.mass_worst)}; the exact top-k has ` +
                `${showNumber(rows.topk_mass_mean)} of a row`));
        tiles.push(tile('worst row', showRecall(best.recall_worst),
            `5 % of rows at or below ${showRecall(best.recall_p05)}`));
    }
    tiles.push(tile('largest |z| of all shapes', worst === null ? '-' : digits(worst, 2),
        'standard errors from the model; above 4 the model does not hold for these rows'));
    return element('dl', {class: 'figures'}, ...tiles);
}

function tableRows(answer) {
    return answer.results.map((each) => ({
        assignment: each.assignment, k_b: each.k_b, b: each.b, candidates: each.candidates,
        recall: each.recall_mean, standard_error: each.recall_stderr,
        worst_row: each.recall_worst, exact_rows: each.exact_rows, mass_kept: each.mass_mean,
        worst_mass: each.mass_worst, model_recall: each.model_recall, z: each.z,
    }));
}

/* Measured recall as shapes, the model as lines. */
function pictureOf(answer, best, target) {
    const rows = answer.results, series = [], loss = (recall) => 1 - recall;
    for (const assignment of new Set(rows.map((row) => row.assignment)))
        for (const kb of new Set(rows.map((row) => row.k_b))) {
            const mine = rows.filter((row) => row.k_b === kb && row.assignment === assignment)
                .sort((a, b) => a.candidates - b.candidates);
            const look = lookOf(kb), hollow = assignment !== 'interleaved';
            const name = `k_b = ${kb}, ${assignment}`;
            if (!hollow)
                series.push({name: `model, k_b = ${kb}`, look, kind: 'line', points: mine.map(
                    (row) => ({x: row.candidates, y: loss(row.model_recall)}))});
            series.push({name, look, hollow, kind: 'points', bold: true,
                points: mine.map((row) => ({
                x: row.candidates, y: loss(row.recall_mean),
                tip: [`b = ${row.b}, k_b = ${row.k_b}, ${assignment}`,
                    `recall ${showRecall(row.recall_mean)} on these rows`,
                    `model ${showRecall(row.model_recall)}`,
                    `z ${row.z === null ? '-' : digits(row.z, 3)}`]}))});
        }
    const losses = rows.map((row) => loss(row.recall_mean)).concat(
        target ? [1 - target] : []).filter((each) => each > 0);
    const [low, high] = extent(losses, true, 0.06), [min, max] =
        extent(rows.map((row) => row.candidates), true, 0.03);
    return {
        label: 'Measured recall and the model against candidates',
        x: {label: 'candidates (log scale)', log: true, min, max},
        y: {label: 'recall (its loss on a log scale)', log: true, reverse: true, min: low,
            max: Math.min(1, high), format: recallTick},
        series, lines: target ? [{axis: 'y', at: 1 - target, label: `asked for ${target}`}] : [],
        marks: best ? [{x: best.candidates, y: loss(best.recall_mean),
                        label: shapeName(best)}] : [],
    };
}

function commandOf(args, measured) {
    return ['recallmodel', ...args].map((each) =>
        quoted(each === nameOf(measured) ? measured.name : each)).join(' ');
}

function showResult(answer, args, measured) {
    const choice = answer.choices && answer.choices[0];
    const best = resultOf(answer, choice && choice.measured);
    const target = choice ? choice.recall_target : 0;
    const pictures = element('div', {class: 'picture-grid'});
    const command = commandOf(args, measured);
    const copy = element('button', {type: 'button', class: 'copy'}, 'Copy');
    copy.addEventListener('click', () => copyText(command, 'Command'));
    const rows = tableRows(answer);
    const host = byId('rows-result');
    host.hidden = false;
    host.classList.toggle('late', file !== measured);
    host.replaceChildren(
        ...headOf(answer, choice), tilesOf(answer, best),
        pictures, element('h3', {}, 'Every shape'),
        element('div', {class: 'data-table', tabindex: 0}, makeTable(rows, (row) => best &&
            row.b === best.b && row.k_b === best.k_b && row.assignment === best.assignment)),
        element('h3', {}, 'The same in a terminal'),
        element('div', {class: 'code'}, copy, element('pre', {}, command)),
        element('details', {}, element('summary', {}, 'The command says'),
            element('pre', {id: 'rows-words', tabindex: 0})));
    const card = new Card(pictures, 'rows', 'Your rows beside the model');
    card.show({picture: pictureOf(answer, best, target), rows,
        caption: 'Shapes are measured on your rows, lines are the model. Where they part, the ' +
            'top-k of your rows do not lie anywhere: trust the shapes.'});
    window.recallmodel.rows = answer;
}

/* The k and the recall of a question, for the same on rows. */
export function askRows(question) {
    byId('rows-k').value = question.k;
    byId('rows-recall').value = question.recall || '0.95';
}

/* A dropped .npy file, from anywhere on the page. */
export function takeRows(dropped) {
    setFile(dropped);
}

export function makeRows(made) {
    engine = made;
    byId('rows-file').addEventListener('change', (event) => {
        if (event.target.files[0])
            setFile(event.target.files[0]);
    });
    byId('rows-form').addEventListener('submit', (event) => {
        event.preventDefault();
        measure();
    });
    byId('rows-cancel').addEventListener('click', () => engine.cancel('rows'));
}
