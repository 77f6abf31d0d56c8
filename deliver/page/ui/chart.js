/* chart.js - one picture in SVG: axes, lines, bars, marks, legend, and a read-out for the pointer
 * and the arrow keys.
 *
 * A picture is {label, x, y, series, lines, marks}:
 *   x, y     {label, min, max, log, reverse, format, ticks}
 *   series   [{name, look, kind: 'line' | 'points' | 'bars', bold, hollow,
 *             points: [{x, to, y, tip}]}]
 *            look is 1 .. 5, for colour, shape and dashes; tip is a list of texts
 *   lines    [{axis: 'x' | 'y', at, label}]: references across the plot
 *   marks    [{x, y, label, tip}]: single points that stand out
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {element, svg} from './dom.js';
import {makeScale, tickText} from './scale.js';

const ROW = 15; /* pixels of a label's row */
const DASHES = ['', '', '7 3', '2 3', '9 3 2 3', '4 4'];

/* A shape of about 2 r around a place. */
export function shapeOf(look, x, y, r, hollow = false) {
    const attributes = {class: `shape ${hollow ? 'hollow ' : ''}c${look}`};
    if (look === 1 || look > 4)
        return svg('circle', {...attributes, cx: x, cy: y, r});
    const corners = {
        2: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
        3: [[0, -1.25], [1.2, 0.9], [-1.2, 0.9]],
        4: [[0, -1.4], [1.4, 0], [0, 1.4], [-1.4, 0]],
    }[look];
    const points = corners.map(([dx, dy]) =>
        `${(x + dx * r).toFixed(1)},${(y + dy * r).toFixed(1)}`);
    return svg('polygon', {...attributes, points: points.join(' ')});
}

/* A text beside a place, on the side where it fits: the right one if both do. */
function besideText(text, place, frame, y, away) {
    const wide = 7.3 * text.length;
    const right = place + away + wide <= frame.width - 2, left = place - away - wide >= 0;
    return right || !left
        ? svg('text', {x: right ? place + away : frame.width - wide, y}, text)
        : svg('text', {x: place - away, y, 'text-anchor': 'end'}, text);
}

/* Above the plot are the label of the y axis and a row for the label of each vertical line. */
function frameOf(host, picture) {
    const rows = (picture.lines || []).filter((line) => line.axis === 'x').length;
    const width = Math.max(260, Math.round(host.clientWidth));
    const top = 30 + ROW * rows;
    const height = Math.round(Math.min(310, Math.max(210, width * 0.55))) + ROW * rows;
    const widest = Math.max(...makeScale(picture.y, 1, 0).ticks.map((value) =>
        (picture.y.format || tickText)(value).length));
    return {width, height, left: Math.max(40, 7.3 * widest + 10), right: width - 14, top,
            bottom: height - 42};
}

function drawAxes(picture, frame, sx, sy) {
    const group = svg('g', {class: 'axes', 'aria-hidden': 'true'});
    const {left, right, top, bottom} = frame;
    for (const value of sy.ticks.filter(sy.inside)) {
        const y = sy.place(value);
        group.append(svg('line', {class: 'grid-line', x1: left, x2: right, y1: y, y2: y}),
            svg('text', {x: left - 7, y: y + 4, 'text-anchor': 'end'},
                (picture.y.format || tickText)(value)));
    }
    let free = -Infinity; /* where the next text may begin */
    for (const value of sx.ticks.filter(sx.inside)) {
        const x = sx.place(value), text = (picture.x.format || tickText)(value);
        group.append(svg('line', {class: 'tick', x1: x, x2: x, y1: bottom, y2: bottom + 4}));
        if (x - 3.5 * text.length > free) {
            group.append(svg('text', {x: Math.min(x, frame.width - 3.5 * text.length),
                y: bottom + 17, 'text-anchor': 'middle'}, text));
            free = x + 3.5 * text.length + 6;
        }
    }
    group.append(
        svg('line', {class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom}),
        svg('line', {class: 'axis', x1: left, x2: left, y1: top, y2: bottom}),
        svg('text', {class: 'label', x: right, y: bottom + 35, 'text-anchor': 'end'},
            picture.x.label),
        svg('text', {class: 'label', x: 4, y: 15}, picture.y.label));
    return group;
}

/* A line of the series; a step of NaN or outside the logarithm breaks it. */
function drawLine(series, sx, sy) {
    const path = [];
    let pen = 'M';
    for (const point of series.points) {
        const x = sx.place(point.x), y = sy.place(point.y);
        if (!Number.isFinite(x) || !Number.isFinite(y)) {
            pen = 'M';
            continue;
        }
        path.push(`${pen}${x.toFixed(1)} ${y.toFixed(1)}`);
        pen = 'L';
    }
    return svg('path', {
        class: `line c${series.look}${series.bold ? ' bold' : ''}`,
        d: path.join(''), 'stroke-dasharray': DASHES[series.look] || null,
    });
}

function drawBars(series, frame, sx, sy) {
    const group = svg('g', {});
    for (const point of series.points) {
        const from = sx.place(point.x), to = sx.place(point.to), y = sy.place(point.y);
        group.append(svg('rect', {
            class: `bar c${point.look || series.look}`, x: Math.min(from, to) + 0.4,
            width: Math.max(0.8, Math.abs(to - from) - 0.8), y,
            height: Math.max(0, frame.bottom - y),
        }));
    }
    return group;
}

function drawSeries(picture, frame, sx, sy, clip) {
    const group = svg('g', {'clip-path': `url(#${clip})`});
    for (const series of picture.series) {
        if (series.kind === 'bars')
            group.append(drawBars(series, frame, sx, sy));
        if (series.kind === 'line')
            group.append(drawLine(series, sx, sy));
        if (series.kind === 'points' || series.dots)
            for (const point of series.points)
                if (sx.inside(point.x) && sy.inside(point.y))
                    group.append(shapeOf(series.look, sx.place(point.x), sy.place(point.y),
                        series.bold ? 4 : 2.6, series.hollow));
    }
    return group;
}

/* References; the labels of vertical ones stand above the plot, each in a row of its own. */
function drawReferences(picture, frame, sx, sy) {
    const group = svg('g', {class: 'references'});
    let row = 0;
    for (const line of picture.lines || []) {
        const across = line.axis === 'y';
        const place = (across ? sy : sx).place(line.at);
        if (!(across ? sy : sx).inside(line.at))
            continue;
        if (across) {
            group.append(
                svg('line', {class: 'reference', x1: frame.left, x2: frame.right, y1: place,
                    y2: place}),
                svg('text', {x: frame.right - 3, y: place + (place > frame.bottom - 18 ? -5 : 14),
                    'text-anchor': 'end'}, line.label));
            continue;
        }
        const y = frame.top - 6 - ROW * row++;
        group.append(
            svg('line', {class: 'reference', x1: place, x2: place, y1: y - 8, y2: frame.bottom}),
            besideText(line.label, place, frame, y, 5));
    }
    return group;
}

function drawMarks(picture, frame, sx, sy) {
    const group = svg('g', {class: 'marks'});
    for (const mark of picture.marks || []) {
        if (!sx.inside(mark.x) || !sy.inside(mark.y))
            continue;
        const x = sx.place(mark.x), y = sy.place(mark.y);
        group.append(svg('circle', {class: 'ring', cx: x, cy: y, r: 8}),
            svg('circle', {class: 'dot', cx: x, cy: y, r: 2.5}),
            besideText(mark.label, x, frame, y + (y < frame.top + 20 ? 18 : -9), 13));
    }
    return group;
}

/* Every point that the read-out can name, in pixels. */
function pointsOf(picture, sx, sy) {
    const all = [];
    picture.series.forEach((series, number) => {
        for (const point of series.points) {
            if (!point.tip || !sy.inside(point.y) || !sx.inside(point.x))
                continue;
            const middle = point.to === undefined ? sx.place(point.x)
                : (sx.place(point.x) + sx.place(point.to)) / 2;
            all.push({number, x: middle, y: sy.place(point.y), tip: point.tip,
                      bar: series.kind === 'bars'});
        }
    });
    for (const mark of picture.marks || [])
        if (mark.tip && sx.inside(mark.x) && sy.inside(mark.y))
            all.push({number: -1, x: sx.place(mark.x), y: sy.place(mark.y), tip: mark.tip});
    return all;
}

/* The next point for an arrow key: left and right along a series, up and down to the next one. */
function step(all, at, key) {
    const now = all[at];
    if (!now)
        return 0;
    const along = {ArrowRight: 1, ArrowLeft: -1}[key];
    if (along) {
        const same = all.map((point, i) => ({point, i}))
            .filter((e) => e.point.number === now.number)
            .sort((a, b) => a.point.x - b.point.x);
        const to = same.findIndex((e) => e.i === at) + along;
        return to < 0 || to >= same.length ? at : same[to].i;
    }
    const numbers = [...new Set(all.map((point) => point.number))].sort((a, b) => a - b);
    const turn = numbers.indexOf(now.number) + (key === 'ArrowDown' ? 1 : -1);
    const wanted = numbers[(turn + numbers.length) % numbers.length];
    let best = at, distance = Infinity;
    all.forEach((point, i) => {
        if (point.number === wanted && Math.abs(point.x - now.x) < distance) {
            distance = Math.abs(point.x - now.x);
            best = i;
        }
    });
    return best;
}

function addReadOut(host, drawing, all, frame) {
    const tip = element('div', {class: 'tip', role: 'status', hidden: true});
    const ring = svg('circle', {class: 'focus-ring', r: 7, visibility: 'hidden'});
    let at = -1;
    const show = (i) => {
        at = i;
        ring.setAttribute('visibility', i < 0 ? 'hidden' : 'visible');
        tip.hidden = i < 0;
        if (i < 0)
            return;
        const point = all[i];
        ring.setAttribute('cx', point.x);
        ring.setAttribute('cy', point.y);
        tip.replaceChildren(...point.tip.map((line) => element('div', {}, line)));
        const late = point.x > frame.width / 2;
        tip.style.left = late ? '' : `${point.x + 14}px`;
        tip.style.right = late ? `${frame.width - point.x + 14}px` : '';
        tip.style.top = `${Math.max(0, Math.min(point.y - 20, frame.height - 90))}px`;
    };
    drawing.append(ring);
    host.append(tip);
    drawing.addEventListener('pointermove', (event) => {
        const box = drawing.getBoundingClientRect();
        const x = (event.clientX - box.left) * frame.width / box.width;
        const y = (event.clientY - box.top) * frame.height / box.height;
        let best = -1, least = 70;
        all.forEach((point, i) => {
            const far = point.bar ? Math.abs(point.x - x) : Math.hypot(point.x - x, point.y - y);
            if (far < least) {
                least = far;
                best = i;
            }
        });
        show(best);
    });
    drawing.addEventListener('pointerleave', () => show(-1));
    drawing.addEventListener('blur', () => show(-1));
    drawing.addEventListener('keydown', (event) => {
        if (event.key === 'Escape')
            show(-1);
        if (!event.key.startsWith('Arrow') || !all.length)
            return;
        event.preventDefault();
        show(step(all, at, event.key));
    });
}

export function drawLegend(picture) {
    const list = element('ul', {class: 'legend'});
    for (const series of picture.series.filter((each) => each.name)) {
        const sample = svg('svg', {width: 26, height: 12, 'aria-hidden': 'true'});
        if (series.kind === 'line')
            sample.append(svg('path', {class: `line c${series.look}${series.bold ? ' bold' : ''}`,
                d: 'M0 6H26', 'stroke-dasharray': DASHES[series.look] || null}));
        if (series.kind === 'bars')
            sample.append(svg('rect', {class: `bar c${series.look}`, x: 6, y: 0, width: 12,
                height: 12}));
        if (series.kind === 'points' || series.dots)
            sample.append(shapeOf(series.look, 13, 6, 3.4, series.hollow));
        list.append(element('li', {}, sample, series.name));
    }
    return list;
}

let clips = 0;

/* Draws into host, which must be in the page; what was there goes. */
export function drawChart(host, picture) {
    const frame = frameOf(host, picture), {left, right, top, bottom, width, height} = frame;
    const sx = makeScale(picture.x, left, right), sy = makeScale(picture.y, bottom, top);
    const clip = `clip-${clips++}`;
    const drawing = svg('svg', {
        viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: 'group',
        'aria-roledescription': 'picture', 'aria-label': picture.label +
            '. The arrow keys read the points; the table below has all of them.',
    });
    drawing.append(
        svg('defs', {}, svg('clipPath', {id: clip}, svg('rect', {x: left, y: top - 6,
            width: right - left + 6, height: bottom - top + 6}))),
        drawAxes(picture, frame, sx, sy),
        drawSeries(picture, frame, sx, sy, clip),
        drawReferences(picture, frame, sx, sy),
        drawMarks(picture, frame, sx, sy));
    host.replaceChildren(drawing);
    addReadOut(host, drawing, pointsOf(picture, sx, sy), frame);
    return drawing;
}
