/* card.js - the frame of a picture: title, caption, legend, downloads, the data as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {drawChart, drawLegend} from './chart.js';
import {element, saveFile, svg} from './dom.js';
import {showNumber, writeCsv} from './text.js';

const KEPT = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity',
    'font-family', 'font-size', 'font-weight', 'paint-order', 'visibility'];

/* A drawing that needs no style sheet: every element carries what the page's styles give it, the
 * title and the legend stand above. */
function standAlone(drawing, title, legend) {
    const copy = drawing.cloneNode(true);
    const originals = [drawing, ...drawing.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((each, i) => {
        const style = getComputedStyle(originals[i]);
        for (const name of KEPT)
            each.setAttribute(name, style.getPropertyValue(name));
        for (const name of ['class', 'tabindex', 'role', 'aria-roledescription', 'aria-label'])
            each.removeAttribute(name);
    });
    const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number);
    const items = [...legend.children], rows = 26 + 18 * items.length;
    const head = svg('g', {'font-family': 'sans-serif', 'font-size': 12,
        fill: getComputedStyle(drawing.closest('.picture')).color});
    head.append(svg('text', {x: 4, y: 16, 'font-size': 14, 'font-weight': 'bold'}, title));
    items.forEach((item, i) => {
        const sample = item.querySelector('svg'), y = 26 + 18 * i;
        const group = svg('g', {transform: `translate(4 ${y})`});
        for (const part of sample.children) {
            const twin = part.cloneNode(true), style = getComputedStyle(part);
            for (const name of KEPT)
                twin.setAttribute(name, style.getPropertyValue(name));
            twin.removeAttribute('class');
            group.append(twin);
        }
        group.append(svg('text', {x: 32, y: 10}, item.textContent));
        head.append(group);
    });
    const whole = svg('svg', {viewBox: `0 ${-rows} ${width} ${height + rows}`, width,
        height: height + rows});
    whole.append(
        svg('rect', {x: 0, y: -rows, width, height: height + rows,
            fill: getComputedStyle(drawing.closest('.picture')).backgroundColor}),
        svg('g', {transform: `translate(0 ${-rows})`}, head), ...copy.childNodes);
    return '<?xml version="1.0" encoding="UTF-8"?>\n' +
        new XMLSerializer().serializeToString(whole) + '\n';
}

/* A table of rows; columns are those of the first row. chosen(row) marks a row. */
export function makeTable(rows, chosen) {
    if (!rows.length)
        return element('p', {}, 'No data.');
    const names = Object.keys(rows[0]);
    const text = (name) => typeof rows[0][name] === 'string' ? 'text' : null;
    const head = element('tr', {}, ...names.map((name) =>
        element('th', {scope: 'col', class: text(name)}, name)));
    const body = rows.map((row) => element('tr', {class: chosen && chosen(row) ? 'chosen' : null},
        ...names.map((name) => element('td', {class: text(name)},
            typeof row[name] === 'number' ? showNumber(row[name])
                : row[name] === null || row[name] === undefined ? '-' : String(row[name])))));
    return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
}

/* A card with .show({picture, caption, rows, csv}) and .miss(why); `choices` are buttons that
 * change the look, {label, on: (pressed) => ..}. */
export class Card {
    constructor(host, name, title, choices = []) {
        this.name = name;
        this.title = title;
        this.caption = element('figcaption');
        this.legend = element('div');
        this.plot = element('div', {class: 'plot'});
        this.tableHost = element('div', {class: 'data-table', tabindex: 0});
        this.details = element('details', {}, element('summary', {}, 'Show as table'),
            this.tableHost);
        this.details.addEventListener('toggle', () => this.fillTable());
        const button = (label, action) => {
            const made = element('button', {type: 'button'}, label);
            made.addEventListener('click', action);
            return made;
        };
        this.buttons = element('div', {class: 'picture-buttons'},
            ...choices.map((choice) => {
                const made = button(choice.label, () => {
                    const pressed = made.getAttribute('aria-pressed') !== 'true';
                    made.setAttribute('aria-pressed', String(pressed));
                    choice.on(pressed);
                });
                made.setAttribute('aria-pressed', 'false');
                return made;
            }),
            button('SVG', () => this.saveDrawing()),
            button('CSV', () => this.saveData()));
        this.figure = element('figure', {class: 'picture', id: 'picture-' + name},
            element('h3', {}, title), this.caption, this.legend, this.plot, this.buttons,
            this.details);
        host.append(this.figure);
        this.shown = null;
    }

    late(yes) {
        this.figure.classList.toggle('late', yes);
    }

    /* what: {picture, caption, rows: for the table, csv: for the file, if not the rows}. */
    show(what) {
        this.shown = what;
        this.caption.textContent = what.caption;
        this.legend.replaceChildren(drawLegend(what.picture));
        this.redraw();
        this.late(false);
        this.fillTable();
    }

    redraw() {
        if (this.shown && this.plot.clientWidth)
            this.drawing = drawChart(this.plot, this.shown.picture);
    }

    miss(why) {
        this.shown = null;
        this.caption.textContent = '';
        this.legend.replaceChildren();
        this.tableHost.replaceChildren();
        this.plot.replaceChildren(element('p', {class: 'missing'}, why));
        this.late(false);
    }

    fillTable() {
        if (this.details.open && this.shown)
            this.tableHost.replaceChildren(makeTable(this.shown.rows, this.shown.chosen));
    }

    saveDrawing() {
        if (this.shown && this.drawing)
            saveFile(`recallmodel-${this.name}.svg`, 'image/svg+xml',
                standAlone(this.drawing, this.title, this.legend.firstChild));
    }

    saveData() {
        if (this.shown)
            saveFile(`recallmodel-${this.name}.csv`, 'text/csv',
                this.shown.csv || writeCsv(this.shown.rows));
    }
}
