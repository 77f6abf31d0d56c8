/* pictures.js - what each of the four pictures shows, out of the command's rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {extent} from './scale.js';
import {showCount, showNumber, showRecall, showTime} from './text.js';

/* Looks 1 .. 4 are those of k_b = 1 .. 4; a larger k_b has the fifth. */
export function lookOf(kb) {
    return Math.min(kb, 5);
}

function byKb(rows) {
    const groups = new Map();
    for (const row of rows) {
        if (!groups.has(row.k_b))
            groups.set(row.k_b, []);
        groups.get(row.k_b).push(row);
    }
    return [...groups].sort((a, b) => a[0] - b[0]);
}

/* The axis of recall: as loss on a logarithm, or plain. Each end leaves room for the target. */
function recallAxis(rows, target, plain) {
    const losses = rows.map((row) => row.loss).filter((loss) => loss > 0);
    if (plain) {
        const low = Math.min(...rows.map((row) => row.recall), target);
        return {label: 'recall', min: Math.max(0, low - 0.05 * (1 - low)), max: 1};
    }
    const aim = target < 1 ? 1 - target : 1e-6;
    const most = Math.max(...losses, 2 * aim), least = Math.max(Math.min(...losses, aim), aim / 1e4);
    return {
        label: 'recall (its loss on a log scale)', log: true, reverse: true,
        min: Math.min(least, aim / 20), max: Math.min(1, most * 1.3),
        format: (loss) => showRecall(1 - loss, loss).replace(/(\.\d*[1-9])0+$/, '$1'),
    };
}

function height(row, plain) {
    return plain ? row.recall : row.loss;
}

function tipOf(row) {
    const lines = [`b = ${row.b}, k_b = ${row.k_b}`, `${showCount(row.candidates)} candidates`,
        `recall ${showRecall(row.recall, row.loss)} (loss ${showNumber(row.loss)})`];
    if (row.predicted_us)
        lines.push(`predicted ${showTime(row.predicted_us)}, ${showTime(row.predicted_low_us)} to ` +
            showTime(row.predicted_high_us));
    else if (row.roofline_time_us)
        lines.push(`at least ${showTime(row.roofline_time_us)}`);
    return lines;
}

function targetLine(answer, plain) {
    const target = answer.recall_target;
    return {axis: 'y', at: plain ? target : 1 - target, label: `asked for ${target}`};
}

function nameOfPoint(at) {
    return `${at.chosen ? 'chosen: ' : ''}b = ${at.row.b}, k_b = ${at.row.k_b}`;
}

/* (a) recall against candidates. at: {row, chosen}, the point that is explored. */
export function recallPicture(answer, rows, at, plain) {
    const y = recallAxis(rows.concat(at ? [at.row] : []), answer.recall_target, plain);
    const [min, max] = extent(rows.map((row) => row.candidates), true, 0.02);
    const marks = at ? [{x: at.row.candidates, y: height(at.row, plain), label: nameOfPoint(at),
                         tip: tipOf(at.row)}] : [];
    return {
        picture: {
            label: 'Recall against candidates for each k_b',
            x: {label: 'candidates, b k_b (log scale)', log: true, min, max}, y,
            series: byKb(rows).map(([kb, group]) => ({
                name: `k_b = ${kb}`, look: lookOf(kb), kind: 'line', dots: true,
                points: group.map((row) => ({x: row.candidates, y: height(row, plain),
                                             tip: tipOf(row)})),
            })),
            lines: [targetLine(answer, plain)], marks,
        },
        caption: 'Further left is less work for stage 2, higher is less loss. A larger k_b needs ' +
            'fewer candidates, but more compares for each element of the row.',
        rows: rows.map(({b, k_b, candidates, recall, recall_sd, loss}) =>
            ({k_b, b, candidates, recall, recall_sd, loss})),
        chosen: (row) => at && row.b === at.row.b && row.k_b === at.row.k_b,
    };
}

/* (b) the law of one row's loss. row: the point's row of recall, with its quantile. */
export function lawPicture(answer, law, row) {
    const first = law[0], last = law[law.length - 1];
    /* where a recall lies on the axis of lost elements: each loses the same share of it */
    const each = last.lost > first.lost
        ? (first.recall - last.recall) / (last.lost - first.lost) : 1 / answer.k;
    const place = (recall) => first.lost + (first.recall - recall) / each;
    const end = (bar) => (bar.lost_to === null || bar.lost_to === undefined ? bar.lost
        : bar.lost_to) + 0.5;
    const goal = place(answer.recall_target), reach = place(row.recall_quantile);
    const points = law.map((bar) => ({
        x: bar.lost - 0.5, to: end(bar), y: bar.probability, look: bar.lost > goal + 1e-6 ? 2 : 1,
        tip: [end(bar) - bar.lost > 1 ? `${bar.lost} to ${bar.lost_to} lost` : `${bar.lost} lost`,
            `recall ${showNumber(bar.recall)}`, `in ${share(bar.probability)} of rows`,
            `at most so many: ${share(bar.at_most)}`],
    }));
    const low = Math.min(first.lost - 0.5, goal), high = Math.max(end(last), goal, reach);
    const over = points.filter((point) => point.look === 2).length;
    return {
        picture: {
            label: 'The law of the loss of one row',
            x: {label: `elements lost of the ${showCount(answer.k)} in one row`,
                min: low - 0.02 * (high - low), max: high + 0.02 * (high - low),
                format: (lost) => Number.isInteger(lost) && lost >= 0 ? String(lost) : ''},
            y: {label: 'share of rows', min: 0,
                max: 1.12 * Math.max(...points.map((point) => point.y)), format: share},
            series: [{name: 'reach the recall asked for', look: 1, kind: 'bars',
                      points: points.filter((point) => point.look === 1)},
                     {name: over ? 'fall below it' : '', look: 2, kind: 'bars',
                      points: points.filter((point) => point.look === 2)}],
            lines: [{axis: 'x', at: goal, label: `asked for ${answer.recall_target}`},
                    {axis: 'x', at: reach,
                     label: `${quantileWords(answer.quantile)}: ${showRecall(row.recall_quantile)}`}],
        },
        caption: `How many of its top-k one row loses, with b = ${row.b}, k_b = ${row.k_b}. The ` +
            'mean hides this spread; ask for a recall in a row to bound it.',
        rows: law,
    };
}

export function share(probability) {
    return probability === 0 ? '0' : probability < 0.001 ? probability.toExponential(0)
        : Number((100 * probability).toPrecision(3)) + ' %';
}

function quantileWords(quantile) {
    return quantile === 0.05 ? '19 of 20 rows reach'
        : `${Number((100 * (1 - quantile)).toPrecision(6))} % of rows reach`;
}

/* The column of time in rows of recall: predicted if there is a profile, else the roofline. */
function timeColumn(rows) {
    return rows.some((row) => row.predicted_us > 0) ? 'predicted_us'
        : rows.some((row) => row.roofline_time_us > 0) ? 'roofline_time_us' : null;
}

/* (c) recall against time. Without times it returns null. */
export function timePicture(answer, rows, at, plain) {
    const column = timeColumn(rows);
    if (!column)
        return null;
    const predicted = column === 'predicted_us';
    const timed = rows.filter((row) => row[column] > 0);
    const lines = [targetLine(answer, plain)];
    if (answer.objective_unit === 'us' && answer.exact_objective !== null)
        lines.push({axis: 'x', at: answer.exact_objective,
            label: `exact ${showTime(answer.exact_objective)}`});
    if (predicted && answer.objective === 'time' && answer.threshold)
        lines.push({axis: 'x', at: answer.threshold.objective,
            label: `threshold ${showTime(answer.threshold.objective)}`});
    const frontier = predicted === (answer.objective === 'time') ? answer.frontier || [] : [];
    const times = timed.map((row) => row[column]).concat(frontier.map((row) => row.objective),
        lines.filter((line) => line.axis === 'x').map((line) => line.at));
    const [min, max] = extent(times, true, 0.04);
    const series = byKb(timed).map(([kb, group]) => ({
        name: `k_b = ${kb}`, look: lookOf(kb), kind: 'points',
        points: group.map((row) => ({x: row[column], y: height(row, plain), tip: tipOf(row)})),
    }));
    if (frontier.length)
        series.push({
            name: 'nothing faster loses less', look: 5, kind: 'line', dots: true,
            points: frontier.map((row) => ({x: row.objective, y: height(row, plain), tip: [
                `frontier: b = ${row.b}, k_b = ${row.k_b}`,
                `recall ${showRecall(row.recall, row.loss)}`, showTime(row.objective)]})),
        });
    const row = at && at.row;
    return {
        picture: {
            label: 'Recall against time',
            x: {label: predicted ? 'predicted time, us (log scale)'
                : 'least time by the roofline, us (log scale)', log: true, min, max},
            y: recallAxis(timed.concat(frontier), answer.recall_target, plain), series, lines,
            marks: row && row[column] ? [{x: row[column], y: height(row, plain),
                                          label: nameOfPoint(at), tip: tipOf(row)}] : [],
        },
        caption: predicted ? `Predicted by the profile of ${answer.device}. Buckets pay only to ` +
            'the left of exact top-k.'
            : `${answer.device} has no profile for this type: this is a lower bound by its ` +
            'datasheet, without a launch. Kernels take longer.',
        rows: timed.map((each) => ({k_b: each.k_b, b: each.b, candidates: each.candidates,
            recall: each.recall, loss: each.loss, [column]: each[column],
            ...(predicted ? {low_us: each.predicted_low_us, high_us: each.predicted_high_us} : {}),
        })).concat(frontier.map((each) => ({k_b: each.k_b, b: each.b, candidates: each.candidates,
            recall: each.recall, loss: each.loss, [column]: each.objective}))),
        chosen: (each) => at && each.b === at.row.b && each.k_b === at.row.k_b,
    };
}

/* (d) which ranks are lost. mine: rows of ranks for the point, others: for the smallest b of each
 * k_b. */
export function ranksPicture(answer, mine, others, at) {
    const all = mine.concat(others);
    const low = Math.min(...all.map((row) => row.survival));
    const points = (rows) => rows.map((row) => ({x: row.rank, y: row.survival, tip: [
        `rank ${showCount(row.rank)}`, `survives with probability ${showNumber(row.survival)}`,
        `b = ${row.b}, k_b = ${row.k_b}`]}));
    const series = byKb(others).map(([kb, rows]) => ({
        name: `k_b = ${kb}, b = ${rows[0].b}`, look: lookOf(kb), kind: 'line',
        points: points(rows)}));
    if (mine.length)
        series.push({name: nameOfPoint(at), look: lookOf(at.row.k_b), kind: 'line', bold: true,
            points: points(mine)});
    return {
        picture: {
            label: 'Which ranks are lost', x: {label: 'rank in the row (1 is the largest; log scale)',
                log: true, min: 1, max: Math.max(2, answer.k)},
            y: {label: 'probability that this rank survives',
                min: Math.max(0, low - 0.06 * (1 - low) - 1e-9), max: 1 + 0.04 * (1 - low) + 1e-12},
            series,
        },
        caption: 'The largest elements are nearly always kept; what is lost are the last ranks. ' +
            'Thin lines: the smallest b of each k_b that reaches the recall in the mean.',
        rows: all.map(({k_b, b, rank, survival}) => ({k_b, b, rank, survival})),
    };
}
