/* answer.js - the answer in large type, its figures, and errors beside their fields. The words are
 * the command's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId, element} from './dom.js';
import {digits, readError, rowsThatReach, showNumber, showRecall} from './text.js';

const KINDS = {exact: ['no', 'No'], threshold: ['no', 'No'], buckets: ['yes', 'Yes'],
    none: ['perhaps', 'Perhaps']};
const CONTENDERS_SHOWN = 8; /* as the command */

/* Yes, no or perhaps, and in which words: [kind, words]. */
function verdictOf(answer) {
    if (answer.queries)
        return ['perhaps', 'A table of answers'];
    if (answer.verdict === 'buckets' && answer.cause === 'no_exact')
        return ['perhaps', 'Only if your exact top-k is slower'];
    if (['exact', 'none'].includes(answer.verdict))
        return KINDS[answer.verdict];
    if (answer.objective_is_bound)
        return ['perhaps', 'Perhaps: this is the most that it can gain'];
    if (answer.objective_unit !== 'us')
        return ['perhaps', `By ${answer.objective} alone` +
            (answer.device ? '' : '; a device gives times')];
    return KINDS[answer.verdict];
}

/* {headline, why} */
function wordsOf(answer) {
    if (answer.queries)
        return {headline: 'One answer for each shape', why: 'The command says, below.'};
    return {headline: answer.headline, why: ''};
}

/* The command's table, in its words. */
function showContenders(answer) {
    const rows = answer.contenders || [];
    byId('contenders').hidden = !rows.length;
    byId('contender-columns').replaceChildren(...(answer.contender_columns || [])
        .map((name) => element('th', {scope: 'col'}, name)));
    byId('contender-rows').replaceChildren(...rows.slice(0, CONTENDERS_SHOWN)
        .map(({callable, shown: [name, ...cells]}) =>
            element('tr', {class: callable ? null : 'soft'},
                element('th', {scope: 'row'}, name),
                ...cells.map((cell) => element('td', {}, cell)))));
    byId('contender-rows').classList.toggle('decided', answer.verdict !== 'none');
}

function tile(name, value, below) {
    return element('div', {}, element('dt', {}, name), element('dd', {}, value),
        below ? element('dd', {}, below) : null);
}

function figures(answer) {
    const tiles = [], choice = answer.choice;
    if (answer.queries)
        return tiles;
    if (choice) {
        const mass = answer.lost_mass_target; /* undefined: no weights; null: no target */
        tiles.push(tile(answer.deploy === 'bucketed' ? 'recall in the mean'
            : 'recall of the buckets', showRecall(choice.recall),
            answer.budget !== null ? 'the most within the budget'
                : mass ? `may lose ${mass} of the mass` : `asked for ${answer.recall_target}`));
        if (mass !== undefined)
            tiles.push(tile('lost mass in the mean', showNumber(choice.lost_mass),
                choice.lost_mass_quantile === null ? ''
                    : `${rowsThatReach(answer.quantile).replace(/reach$/, 'lose at most')} ` +
                      showNumber(choice.lost_mass_quantile)));
        tiles.push(tile(rowsThatReach(answer.quantile), showRecall(choice.recall_quantile),
            `sd of a row ${Number(choice.recall_sd.toPrecision(2))}`));
    }
    return tiles;
}

/* The lines "  label   words" of the text answer, up to the first empty line; a line that goes on
 * begins with more spaces. */
function readNotes(text) {
    const notes = [];
    const others = text.replace(/^ {2}contender [^]*?\n\n/m, ''); /* the table stands above */
    for (const line of others.split('\n')) {
        const begins = /^ {2}(\S.*?) {2,}(\S.*)$/.exec(line), goesOn = /^ {10,}(\S.*)$/.exec(line);
        if (begins)
            notes.push({label: begins[1], words: begins[2]});
        else if (goesOn && notes.length)
            notes[notes.length - 1].words += ' ' + goesOn[1];
        else if (line === '' && notes.length)
            break;
    }
    return notes;
}


export function showNotes(text, answer) {
    const notes = readNotes(text).filter((note) => note.label !== 'lost mass');
    if (answer.exceeds_memory)
        notes.push({label: 'memory', words: `the ${answer.device} has ` +
            `${digits(answer.memory_bytes / 1e9, 4)} GB, less than the rows take`});
    byId('notes').replaceChildren(...notes.flatMap((note) =>
        [element('dt', {}, note.label), element('dd', {}, note.words)]));
    byId('text-answer').textContent = text;
    document.body.classList.remove('words-late');
    const note = /^This call does not.*$/m.exec(text);
    byId('call-note').textContent = note ? note[0] : '';
    if (answer.queries) /* then this is all there is */
        byId('said').open = true;
}

export function showAnswer(answer) {
    const box = byId('answer'), {headline, why} = wordsOf(answer);
    const [kind, words] = verdictOf(answer);
    const buckets = answer.question ? answer : answer.choice || {};
    box.dataset.deploy = answer.deploy || '';
    box.dataset.b = buckets.b === undefined ? '' : buckets.b;
    box.dataset.kb = buckets.k_b === undefined ? '' : buckets.k_b;
    box.dataset.verdict = kind;
    byId('verdict').textContent = words;
    byId('headline').textContent = headline;
    byId('headline').classList.toggle('long', headline.length > 24);
    byId('headline').classList.toggle('longer', headline.length > 110);
    byId('why').textContent = why;
    showContenders(answer);
    const tiles = figures(answer);
    byId('figures').replaceChildren(...tiles);
    byId('figures').hidden = !tiles.length;
    byId('spoken').textContent = `${words}. ${headline} ${why}`;
    setState('ready');
}

/* ready, computing or error. An old answer is dimmed only if the new one is late, so that quick
 * answers do not flicker. */
export function setState(state) {
    const box = byId('answer');
    box.dataset.state = state;
    clearTimeout(setState.timer);
    box.classList.remove('late');
    if (state === 'computing')
        setState.timer = setTimeout(() => box.classList.add('late'), 150);
}

/* Takes the errors away from all fields under `host`. */
export function clearErrors(host, box) {
    for (const line of host.querySelectorAll('.field-error'))
        line.remove();
    for (const field of host.querySelectorAll('[aria-invalid]')) {
        field.removeAttribute('aria-invalid');
        field.removeAttribute('aria-describedby');
    }
    box.hidden = true;
}

/* The line of stderr at the field of the option that it names, otherwise in the box. */
export function showError(host, box, stderr) {
    const {message, option} = readError(stderr);
    clearErrors(host, box);
    if (document.body.classList.contains('unanswered')) { /* and then there is no older answer */
        byId('verdict').textContent = 'No answer';
        byId('headline').textContent = 'The question has a fault';
        byId('why').textContent = message;
    }
    const field = option && host.querySelector(`[data-option="${option}"]`);
    if (!field) {
        box.textContent = message || 'The command gave no answer.';
        box.hidden = false;
        return;
    }
    const input = field.querySelector('input, select');
    const id = (input.id || option) + '-error';
    field.append(element('p', {class: 'field-error', id, role: 'alert'}, message));
    requestAnimationFrame(() => field.scrollIntoView({block: 'nearest'}));
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', id);
    const folded = field.closest('details');
    if (folded)
        folded.open = true;
}
