/* answer.js - the answer in large type, its figures, and errors beside their fields. The words are
 * the command's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId, element} from './dom.js';
import {readError, rowsThatReach, showCount, showNumber, showObjective, showRecall, showTime}
    from './text.js';

function capital(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentence(text) {
    return text ? capital(text) + '.' : '';
}

/* Yes, no or perhaps: {kind, words}. A bound or a near tie is never a yes. */
export function verdictOf(answer) {
    if (answer.question)
        return {kind: 'perhaps', words: 'What each must send'};
    if (answer.queries)
        return {kind: 'perhaps', words: 'A table of answers'};
    if (undecided(answer))
        return {kind: 'perhaps', words: 'Perhaps: beyond the runs of a profile'};
    if (answer.deploy === 'exact')
        return {kind: 'no', words: answer.too_close ? 'No: too close to call' : 'No'};
    if (answer.objective_unit !== 'us')
        return {kind: 'perhaps', words: `By ${answer.objective} alone` +
            (answer.device ? '' : '; a device gives times')};
    if (answer.deploy === 'threshold' && answer.stand_in)
        return {kind: 'perhaps', words: 'Perhaps: by the profile of another card'};
    if (answer.deploy === 'threshold')
        return {kind: 'no', words: 'No need: another exact top-k takes less'};
    if (answer.too_close)
        return {kind: 'perhaps', words: 'Too close to call'};
    if (answer.exact_objective === null)
        return {kind: 'perhaps', words: 'Only if your exact top-k is slower'};
    if (answer.objective === 'roofline' || /\bat (least|most)\b/.test(answer.reason))
        return {kind: 'perhaps', words: 'Perhaps: this is the most that it can gain'};
    if (answer.exceeds_memory)
        return {kind: 'perhaps', words: 'Perhaps: the rows exceed the memory of the device'};
    if (answer.stand_in)
        return {kind: 'perhaps', words: 'Probably: by the profile of another card'};
    if (answer.faster_exact && answer.faster_exact.high_us !== null &&
        answer.faster_exact.high_us < answer.choice.objective)
        return {kind: 'perhaps', words: 'Only if you cannot call a faster exact kernel'};
    if (answer.faster_exact && answer.faster_exact.time_us < answer.choice.objective)
        return {kind: 'perhaps', words: 'Perhaps: an exact kernel may be as fast'};
    if (answer.choice.beyond || (answer.exact_kernel && answer.exact_kernel.beyond))
        return {kind: 'perhaps', words: 'Perhaps: beyond the runs of a profile'};
    return {kind: 'yes', words: 'Yes'};
}

/* Do only buckets beyond the runs of the profile keep the recall? */
function undecided(answer) {
    return answer.deploy === 'exact' && !answer.choice && answer.beyond;
}

/* {headline, why} out of the reason: the part before the first colon is the choice. */
function split(answer) {
    if (answer.question) {
        const once = answer.exact_unproved > 0 ? Math.round(1 / answer.exact_unproved) : 0;
        return {headline: `${answer.b} shards, k_b = ${answer.k_b} from each`,
                why: answer.exact_k_b ? `Exact: ${answer.exact_k_b} from each, and a second round ` +
                    (once ? `once in ${once} rows` : 'never') : ''};
    }
    if (answer.queries)
        return {headline: 'One answer for each shape', why: 'The command says, below.'};
    const reason = answer.reason, colon = reason.indexOf(': ');
    if (undecided(answer))
        return {headline: 'Time some buckets first', why: sentence(reason)};
    if (answer.deploy === 'exact')
        return {headline: 'Do not approximate', why: sentence(reason)};
    return {headline: answer.deploy === 'bucketed' ? reason.slice(0, colon)
        : capital(reason.slice(0, colon)), why: sentence(reason.slice(colon + 2))};
}

function tile(name, value, below) {
    return element('div', {}, element('dt', {}, name), element('dd', {}, value),
        below ? element('dd', {}, below) : null);
}

function timeTiles(answer) {
    const choice = answer.choice, tiles = [];
    if (choice.predicted_us !== undefined) {
        const beyond = choice.beyond ? `; beyond the runs of the profile in ${choice.beyond}` : '';
        const band = choice.low_us === null ? 'its error is not known'
            : `${showTime(choice.low_us)} to ${showTime(choice.high_us)}`;
        tiles.push(tile('predicted time', showTime(choice.predicted_us), `${band}, ` +
            `${answer.stand_in ? answer.stand_in.profile : answer.device}'s profile${beyond}`));
    } else if (answer.objective === 'roofline') {
        tiles.push(tile('least time (bound)', showTime(answer.break_even_us),
            'by the datasheet; kernels take longer'));
    } else if (answer.objective_unit === 'us') {
        tiles.push(tile('least time', showTime(choice.objective),
            'product and stage 1 by the roofline'));
    } else {
        tiles.push(tile(answer.objective, showCount(choice.objective),
            answer.objective === 'candidates' ? 'stage 2 looks at these' : answer.objective_unit));
    }
    return tiles;
}

function exactTile(answer, exactUs) {
    if (answer.exact_objective === null)
        return tile('exact top-k', 'not known', answer.break_even_us === null ? ''
            : `break-even: ${showTime(answer.break_even_us)}; measure yours`);
    const by = answer.exact_kernel
        ? `predicted, ${answer.exact_kernel.name}` +
          (answer.exact_kernel.beyond ? `, beyond its runs in ${answer.exact_kernel.beyond}` : '')
        : exactUs ? 'as you measured it'
            : answer.objective === 'time' ? 'predicted by the same profile' : '';
    return tile('exact top-k', showObjective(answer.exact_objective, answer.objective_unit), by);
}

function figures(answer, exactUs) {
    const tiles = [], choice = answer.choice;
    if (answer.question || answer.queries)
        return tiles;
    if (choice) {
        if (answer.deploy !== 'bucketed')
            tiles.push(tile('best buckets', `b = ${choice.b}`, `k_b = ${choice.k_b}`));
        const mass = answer.lost_mass_target; /* undefined: no weights; null: no target */
        tiles.push(tile('recall in the mean', showRecall(choice.recall),
            answer.budget !== null ? 'the most within the budget'
                : mass ? `may lose ${mass} of the mass` : `asked for ${answer.recall_target}`));
        if (mass !== undefined)
            tiles.push(tile('lost mass in the mean', showNumber(choice.lost_mass),
                choice.lost_mass_quantile === null ? ''
                    : `${rowsThatReach(answer.quantile).replace(/reach$/, 'lose at most')} ` +
                      showNumber(choice.lost_mass_quantile)));
        tiles.push(tile(rowsThatReach(answer.quantile), showRecall(choice.recall_quantile),
            `sd of a row ${Number(choice.recall_sd.toPrecision(2))}`));
        tiles.push(...timeTiles(answer));
    }
    tiles.push(exactTile(answer, exactUs));
    const faster = answer.faster_exact;
    if (faster)
        tiles.push(tile('a faster exact kernel', showTime(faster.time_us),
            `predicted, ${faster.name}, measured on ${faster.card}`));
    if (answer.threshold && answer.objective !== 'roofline')
        tiles.push(tile('exact by threshold',
            showObjective(answer.threshold.objective, answer.objective_unit),
            `b = ${answer.threshold.b}, k_b = ${answer.threshold.k_b}; reads twice`));
    return tiles;
}

/* The lines "  label   words" of the text answer, up to the first empty line; a line that goes on
 * begins with more spaces. A sentence without a label, such as that of the memory, is a note. */
export function readNotes(text) {
    const notes = [];
    for (const line of text.split('\n')) {
        const begins = /^ {2}(\S.*?) {2,}(\S.*)$/.exec(line), goesOn = /^ {10,}(\S.*)$/.exec(line);
        if (begins)
            notes.push({label: begins[1], words: begins[2]});
        else if (goesOn && notes.length)
            notes[notes.length - 1].words += ' ' + goesOn[1];
        else if (/^\S/.test(line) && notes.length && notes[notes.length - 1].label === 'note')
            notes[notes.length - 1].words += ' ' + line;
        else if (/^\S/.test(line) && notes.length)
            notes.push({label: 'note', words: line});
        else if (line === '' && notes.length)
            break;
    }
    return notes;
}

/* What the tiles have already; of a bound they have no threshold. */
function inTiles(label, answer) {
    if (answer.question)
        return false;
    return ['recall', 'time', 'buckets', 'exact', 'lost mass'].includes(label) ||
           (label === 'beyond' && !answer.beyond) ||
           (label === 'threshold' && answer.objective !== 'roofline');
}

export function showNotes(text, answer) {
    const notes = readNotes(text).filter((note) => !inTiles(note.label, answer));
    byId('notes').replaceChildren(...notes.flatMap((note) =>
        [element('dt', {}, note.label), element('dd', {}, note.words)]));
    byId('text-answer').textContent = text;
    document.body.classList.remove('words-late');
    const note = /^(No library known|This call does not).*$/m.exec(text);
    byId('call-note').textContent = note ? note[0] : '';
    if (answer.queries) /* then this is all there is */
        byId('said').open = true;
}

/* Shows the answer to a question; exactUs says whether the exact time is the visitor's. */
export function showAnswer(answer, exactUs) {
    const box = byId('answer'), {headline, why} = split(answer), verdict = verdictOf(answer);
    const buckets = answer.question ? answer : answer.choice || {};
    box.dataset.deploy = answer.deploy || '';
    box.dataset.b = buckets.b === undefined ? '' : buckets.b;
    box.dataset.kb = buckets.k_b === undefined ? '' : buckets.k_b;
    box.dataset.verdict = verdict.kind;
    byId('verdict').textContent = verdict.words;
    byId('headline').textContent = headline;
    byId('headline').classList.toggle('long', headline.length > 24);
    byId('why').textContent = why;
    const tiles = figures(answer, exactUs);
    byId('figures').replaceChildren(...tiles);
    byId('figures').hidden = !tiles.length;
    byId('spoken').textContent = `${verdict.words}. ${headline}. ${why}`;
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
