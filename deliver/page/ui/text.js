/* text.js - how numbers look, and reading CSV. Nothing here computes a result: the command did.
 *
 * SPDX-License-Identifier: Apache-2.0 */

/* A recall with as many digits as its loss has meaning; the same rule as the command's text. */
export function showRecall(recall, loss = 1 - recall) {
    if (recall === null || Number.isNaN(recall))
        return 'unknown';
    if (loss <= 0)
        return '1';
    if (loss < 1e-14)
        return '1 - ' + loss.toExponential(0);
    return recall.toFixed(loss >= 0.01 ? 3 : Math.ceil(-Math.log10(loss)) + 1);
}

/* The tick of a loss, as the recall without zeros at its end. */
export function recallTick(loss) {
    return loss >= 1 ? '0' : showRecall(1 - loss, loss).replace(/(\.\d*[1-9])0+$/, '$1');
}

/* A time that is given in microseconds, with three digits and its unit. */
export function showTime(us) {
    if (us === null || !Number.isFinite(us))
        return 'unknown';
    const units = ['us', 'ms', 's'];
    let unit = 0;
    while (unit < 2 && us >= 999.5) {
        us /= 1e3;
        unit++;
    }
    return (us >= 99.95 ? us.toFixed(0) : digits(us, 3)) + ' ' + units[unit];
}

/* As C's %.3g writes it: no zeros at the end. */
export function digits(value, count) {
    return String(Number(value.toPrecision(count)));
}

/* 10240 as "10,240"; large ones as "1.23e9". */
export function showCount(value) {
    if (value === null || value === undefined)
        return 'unknown';
    if (value >= 1e9)
        return digits(value, 4).replace('e+', 'e');
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/* Any number for a read-out: four digits. */
export function showNumber(value) {
    if (value === null || value === undefined || Number.isNaN(value))
        return '-';
    if (Number.isInteger(value) && Math.abs(value) < 1e9)
        return showCount(value);
    return digits(value, 4).replace('e+', 'e');
}

/* "19 of 20 rows reach", "99 % of rows reach": all but this share of the rows. */
export function rowsThatReach(quantile) {
    const odds = Math.round(1 / quantile);
    return quantile >= 0.02 && Math.abs(odds * quantile - 1) < 1e-9
        ? `${odds - 1} of ${odds} rows reach`
        : `${digits(100 * (1 - quantile), 6)} % of rows reach`;
}

/* The fields of one line of CSV; fields may be quoted. */
function splitLine(line) {
    const fields = [];
    const pattern = /("(?:[^"]|"")*"|[^,]*)(,|$)/g;
    for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
        const field = match[1];
        fields.push(field[0] === '"' ? field.slice(1, -1).replace(/""/g, '"') : field);
        if (match[2] === '')
            break;
    }
    return fields;
}

/* Rows of CSV as objects by column; what reads as a number is one, an empty field is null. */
export function readCsv(text) {
    const lines = text.split('\n').filter((line) => line && line[0] !== '#');
    const names = splitLine(lines.shift() || '');
    return lines.map((line) => {
        const row = {};
        splitLine(line).forEach((field, i) => {
            const number = Number(field);
            row[names[i]] = field === '' ? null : Number.isNaN(number) ? field : number;
        });
        return row;
    });
}

/* Rows as CSV, the columns of the first row. */
export function writeCsv(rows) {
    if (!rows.length)
        return '';
    const names = Object.keys(rows[0]);
    const field = (value) => value === null || value === undefined ? ''
        : /[",\n]/.test(String(value)) ? '"' + String(value).replace(/"/g, '""') + '"'
            : String(value);
    const lines = rows.map((row) => names.map((name) => field(row[name])).join(','));
    return [names.join(','), ...lines].join('\n') + '\n';
}

/* The message of an error: the command's line without its name, and the option it names. */
export function readError(stderr) {
    const lines = stderr.trim().split('\n');
    const line = lines.find((each) => each.startsWith('recallmodel: ')) || lines[0] || '';
    const message = line.replace(/^recallmodel: /, '');
    const option = /^--([a-z-]+)/.exec(message);
    return {message, option: option ? option[1] : null};
}

/* An argument as a shell takes it. */
export function quoted(argument) {
    return /^[A-Za-z0-9_.,:=/^+%@-]+$/.test(argument) ? argument
        : "'" + argument.replace(/'/g, "'\\''") + "'";
}
