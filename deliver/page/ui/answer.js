/* answer.js - the answer in large type, its figures, and errors beside their fields. The words are
 * the command's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId, element} from './dom.js';
import {digits, readError, rowsThatReach, showCount, showNumber, showObjective, showRecall,
    showTime} from './text.js';

const KINDS = {exact: ['no', 'No'], threshold: ['no', 'No'], buckets: ['yes', 'Yes'],
    none: ['perhaps', 'Perhaps']};
const CONTENDERS_SHOWN = 8; /* as the command */

/* Does the answer stand on times of everything that can find the top-k? */
function isTimed(answer) {
    return Boolean(answer.contenders && answer.contenders.length);
}

/* Yes, no or perhaps, and in which words: [kind, words]. */
function verdictOf(answer) {
    if (answer.queries)
        return ['perhaps', 'A table of answers'];
    if (answer.verdict === 'buckets' && answer.cause === 'no_exact')
        return ['perhaps', 'Only if your exact top-k is slower'];
    if (isTimed(answer) || ['exact', 'none'].includes(answer.verdict))
        return KINDS[answer.verdict];
    return ['perhaps', answer.objective_unit === 'us'
        ? 'Perhaps: this is the most that it can gain'
        : `By ${answer.objective} alone` + (answer.device ? '' : '; a device gives times')];
}

/* {headline, why} */
function wordsOf(answer) {
    if (answer.queries)
        return {headline: 'One answer for each shape', why: 'The command says, below.'};
    return {headline: answer.headline, why: ''};
}

/* "12.4 to 25.3 us", "838 us to 1.2 ms", "-" */
function showBand({low_us: low, high_us: high}) {
    if (low === null || !(low < high))
        return '-';
    const [from, unit] = showTime(low).split(' '), to = showTime(high);
    return to.endsWith(` ${unit}`) ? `${from} to ${to}` : `${from} ${unit} to ${to}`;
}

/* A row of the table, in the words of the command's. */
function contenderRow(contender) {
    const card = contender.card || contender.profile;
    const known = !contender.callable
        ? `${card}, ${contender.left_out ? 'not in --have' : 'not callable'}`
        : (card || 'as you measured') + (contender.carried ? ', carried' : '') +
          (contender.at_most ? ', larger k or n' : contender.beyond ? ', beyond runs' : '') +
          (contender.other_type ? ', another type' : '');
    const cells = [showTime(contender.time_us),
        showBand(contender),
        contender.loses > 0 ? `${digits(100 * contender.loses, 2)} %` : '0', known];
    return element('tr', {class: contender.callable ? null : 'soft'},
        element('th', {scope: 'row'}, contender.kind === 'exact' ? `exact, ${contender.name}`
            : `${contender.kind} b ${contender.b}, k_b ${contender.k_b}`),
        ...cells.map((cell) => element('td', {}, cell)));
}

function showContenders(answer) {
    const timed = isTimed(answer);
    byId('contenders').hidden = !timed;
    byId('contender-rows').replaceChildren(...(timed ? answer.contenders : [])
        .slice(0, CONTENDERS_SHOWN).map(contenderRow));
    byId('contender-rows').classList.toggle('decided', answer.verdict !== 'none');
}

function tile(name, value, below) {
    return element('div', {}, element('dt', {}, name), element('dd', {}, value),
        below ? element('dd', {}, below) : null);
}

/* Where there is no table of times. */
function objectiveTiles(answer) {
    const {choice, threshold, objective_unit: unit} = answer;
    const roofline = answer.objective === 'roofline';
    return [
        choice && answer.deploy !== 'bucketed' &&
            tile('best buckets', `b = ${choice.b}`, `k_b = ${choice.k_b}`),
        choice && choice.predicted_us !== undefined &&
            tile('predicted time', showTime(choice.predicted_us)),
        choice && (unit === 'us' ? tile(roofline ? 'least time (bound)' : 'least time',
            showTime(roofline ? answer.break_even_us : choice.objective),
            'by the datasheet; kernels take longer')
            : tile(answer.objective, showCount(choice.objective), 'of the best buckets')),
        answer.exact_objective === null ? tile('exact top-k', 'not known', 'measure yours')
            : tile('exact top-k', showObjective(answer.exact_objective, unit)),
        threshold && !roofline && tile('exact by threshold',
            showObjective(threshold.objective, unit),
            `b = ${threshold.b}, k_b = ${threshold.k_b}; reads twice`),
    ].filter(Boolean);
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
    return isTimed(answer) ? tiles : [...tiles, ...objectiveTiles(answer)];
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

/* What the tiles and the table have already; of a bound they have no threshold. */
function inTiles(label, answer) {
    return ['recall', 'time', 'buckets', 'exact', 'lost mass'].includes(label) ||
           (label === 'threshold' && answer.objective !== 'roofline');
}

export function showNotes(text, answer) {
    const notes = readNotes(text).filter((note) => !inTiles(note.label, answer));
    if (answer.exceeds_memory)
        notes.push({label: 'memory', words: `the ${answer.device} has ` +
            `${digits(answer.memory_bytes / 1e9, 4)} GB, less than the rows take`});
    byId('notes').replaceChildren(...notes.flatMap((note) =>
        [element('dt', {}, note.label), element('dd', {}, note.words)]));
    byId('text-answer').textContent = text;
    document.body.classList.remove('words-late');
    const note = /^(No library known|This call does not).*$/m.exec(text);
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
