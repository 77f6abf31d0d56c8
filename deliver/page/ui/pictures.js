/* pictures.js - what each of the four pictures shows, out of the command's rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {extent} from './scale.js';
import {recallTick, rowsThatReach, showCount, showNumber, showRecall, showTime} from './text.js';

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
function recallAxis(rows, target, plain, at) {
    const losses = rows.map((row) => row.loss).filter((loss) => loss > 0);
    if (plain) {
        const low = Math.min(...rows.map((row) => row.recall), target);
        return {label: 'recall', min: Math.max(0, low - 0.05 * (1 - low)), max: 1};
    }
    const aim = target < 1 ? 1 - target : 1e-6;
    const most = Math.max(...losses, 2 * aim);
    const least = Math.max(Math.min(...losses, aim), aim / 1e4);
    return {
        label: 'recall (its loss on a log scale)', log: true, reverse: true,
        min: Math.min(least, aim / 20, at && at.loss > 1e-13 ? at.loss / 2 : 1),
        max: Math.min(1, most * 1.3),
        format: recallTick,
    };
}

function height(row, plain) {
    return plain ? row.recall : row.loss;
}

function tipOf(row) {
    const lines = [`b = ${row.b}, k_b = ${row.k_b}`, `${showCount(row.candidates)} candidates`,
        `recall ${showRecall(row.recall, row.loss)} (loss ${showNumber(row.loss)})`];
    if (row.predicted_us)
        lines.push(`predicted ${showTime(row.predicted_us)}, ${showTime(row.low_us)} to ` +
            showTime(row.high_us));
    return lines;
}

function targetName(answer) {
    return answer.target_is ? `${answer.target_is}: ${showRecall(answer.recall_target)}`
        : `asked for ${answer.recall_target}`;
}

function targetLine(answer, plain) {
    const target = answer.recall_target;
    return {axis: 'y', at: plain ? target : 1 - target, label: targetName(answer)};
}

function nameOfPoint(at) {
    return `${at.chosen ? 'chosen: ' : ''}b = ${at.row.b}, k_b = ${at.row.k_b}`;
}

/* (a) recall against candidates. at: {row, chosen}, the point that is explored. */
export function recallPicture(answer, rows, at, plain) {
    const y = recallAxis(rows.concat(at ? [at.row] : []), answer.recall_target, plain,
        at && at.row);
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

/* (b) the distribution of one row's loss. ranges: it, in ranges of equal width; row: the point's row
 * of recall, with its quantile. The far tails are in the table, not in the picture. */
export function distributionPicture(answer, ranges, row) {
    const highest = Math.max(...ranges.map((range) => range.probability));
    const bulk = ranges.filter((range) => range.probability > 2e-4 * highest);
    const first = bulk[0], last = bulk[bulk.length - 1];
    /* where a recall lies on the axis of lost elements: each one lost takes the same share */
    const each = last.lost_to > first.lost_to
        ? (first.recall - last.recall) / (last.lost_to - first.lost_to) : 1 / answer.k;
    const place = (recall) => first.lost_to + (first.recall - recall) / each;
    const goal = place(answer.recall_target), reach = place(row.recall_quantile);
    const points = bulk.map((bar) => ({
        x: bar.lost - 0.5, to: bar.lost_to + 0.5, y: bar.probability,
        look: bar.lost_to > goal + 1e-6 ? 2 : 1,
        tip: [bar.lost_to > bar.lost ? `${bar.lost} to ${bar.lost_to} lost` : `${bar.lost} lost`,
            `recall ${showRecall(bar.recall)}`, `in ${share(bar.probability)} of rows`,
            `at most so many: ${share(bar.at_most)}`],
    }));
    /* far from the bars, the target would squeeze them to a line */
    const wide = 2.5 * (last.lost_to - first.lost + 1), far = goal > last.lost_to + wide ||
        goal < first.lost - wide;
    const low = Math.min(first.lost - 0.5, far ? Infinity : goal);
    const high = Math.max(last.lost_to + 0.5, far ? -Infinity : goal, reach);
    const over = points.filter((point) => point.look === 2).length;
    return {
        picture: {
            label: 'The distribution of the loss of one row',
            x: {label: `elements lost of the ${showCount(answer.k)} in one row`,
                min: low - 0.02 * (high - low), max: high + 0.02 * (high - low),
                format: (lost) => Number.isInteger(lost) && lost >= 0 ? String(lost) : ''},
            y: {label: first.lost_to > first.lost
                ? `share of rows that lose so many (${first.lost_to - first.lost + 1} a bar)`
                : 'share of rows that lose so many', min: 0,
                max: 1.12 * Math.max(...points.map((point) => point.y)), format: share},
            series: [{name: answer.target_is ? 'reach the mean' : 'reach the recall asked for',
                      look: 1, kind: 'bars',
                      points: points.filter((point) => point.look === 1)},
                     {name: over ? 'fall below it' : '', look: 2, kind: 'bars',
                      points: points.filter((point) => point.look === 2)}],
            lines: [{axis: 'x', at: goal, label: targetName(answer)},
                    {axis: 'x', at: reach, label: `${rowsThatReach(answer.quantile)} ` +
                        showRecall(row.recall_quantile)}],
        },
        caption: `How many of its top-k one row loses, with b = ${row.b}, k_b = ${row.k_b}. The ` +
            'mean hides this spread; ask for a recall in a row to bound it.',
        rows: ranges.map(({lost, lost_to, recall, probability, at_most}) =>
            ({lost, lost_to, recall, probability, at_most})),
    };
}

export function share(probability) {
    return probability === 0 ? '0' : probability < 0.001 ? probability.toExponential(0)
        : Number((100 * probability).toPrecision(3)) + ' %';
}

/* References of time that the answer has: exact top-k and, if it is predicted, the threshold. */
function timeLines(answer) {
    const lines = [];
    if (answer.exact_objective !== null)
        lines.push({axis: 'x', at: answer.exact_objective,
            label: `exact ${showTime(answer.exact_objective)}`});
    if (answer.threshold)
        lines.push({axis: 'x', at: answer.threshold.objective,
            label: `threshold${answer.objective === 'time' ? '' : ', at least'} ` +
                showTime(answer.threshold.objective)});
    return lines;
}

function frontierSeries(answer, plain) {
    return {
        name: 'nothing quicker loses less', look: 5, kind: 'line', dots: true,
        points: answer.frontier.map((row) => ({x: row.objective, y: height(row, plain), tip: [
            `b = ${row.b}, k_b = ${row.k_b}`, `recall ${showRecall(row.recall, row.loss)}`,
            showTime(row.objective)]})),
    };
}

function timeTable(rows, column) {
    return rows.map((row) => ({k_b: row.k_b, b: row.b, candidates: row.candidates,
        recall: row.recall, loss: row.loss, [column]: row.predicted_us || row.objective,
        ...(row.low_us ? {low_us: row.low_us, high_us: row.high_us} : {})}));
}

/* (c) recall against time: predicted by a profile, or the bound of the device. An answer that goes
 * by no time gives null. */
export function timePicture(answer, rows, at, plain) {
    if (answer.objective_unit !== 'us')
        return null;
    const predicted = answer.objective === 'time' && !answer.product;
    /* A bound is known of what the answer names, and the point is then the chosen one. */
    const timed = predicted ? rows.filter((row) => row.predicted_us)
        : answer.alternatives.map((row) => ({...row, loss: 1 - row.recall}));
    const time = (row) => row.predicted_us || row.objective;
    const point = predicted ? at.row
        : at.chosen && answer.choice && {...at.row, objective: answer.choice.objective};
    const lines = timeLines(answer), tip = (row) => tipOf(row).concat(
        row.predicted_us ? [] : [`at least ${showTime(row.objective)}`]);
    const [min, max] = extent(timed.map(time).concat(answer.frontier.map((row) => row.objective),
        lines.map((line) => line.at)), true, 0.04);
    return {
        picture: {
            label: 'Recall against time',
            x: {label: predicted ? 'predicted time, us (log scale)'
                : answer.product ? 'least time with the product, us (log scale)'
                    : 'least time by the roofline, us (log scale)', log: true, min, max},
            y: recallAxis(timed.concat(answer.frontier), answer.recall_target, plain, point),
            series: byKb(timed).map(([kb, group]) => ({
                name: `k_b = ${kb}`, look: lookOf(kb), kind: 'points', bold: !predicted,
                points: group.map((row) => ({x: time(row), y: height(row, plain),
                                             tip: tip(row)})),
            })).concat(answer.frontier.length ? [frontierSeries(answer, plain)] : []),
            lines: lines.concat([targetLine(answer, plain)]),
            marks: point && time(point) ? [{x: time(point), y: height(point, plain),
                                            label: nameOfPoint(at), tip: tip(point)}] : [],
        },
        caption: predicted ? `Predicted by the profile of ${answer.device}. Buckets pay only to ` +
            `the left of exact top-k${answer.threshold ? ' and of the threshold' : ''}.`
            : `A lower bound by the datasheet of the ${answer.device}, without the launch that ` +
            'the answer may add. Shapes: the best of each k_b. Kernels take longer.',
        rows: timeTable(timed.concat(answer.frontier), predicted ? 'predicted_us' : 'bound_us'),
        chosen: (row) => at && row.b === at.row.b && row.k_b === at.row.k_b,
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
            label: 'Which ranks are lost',
            x: {label: 'rank (1 is the largest; log scale)', log: true, min: 1,
                max: Math.max(2, answer.k)},
            y: {label: 'probability that this rank survives',
                min: Math.max(0, low - 0.06 * (1 - low) - 1e-9), max: 1 + 0.04 * (1 - low) + 1e-12},
            series,
        },
        caption: 'The largest elements are nearly always kept; what is lost are the last ranks. ' +
            'Thin lines: the smallest b of each k_b that reaches the recall in the mean.',
        rows: all.map(({k_b, b, rank, survival}) => ({k_b, b, rank, survival})),
    };
}
