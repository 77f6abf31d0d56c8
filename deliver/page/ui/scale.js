/* scale.js - from values to places in a picture, and the ticks of an axis.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {digits} from './text.js';

/* axis: {min, max, log, reverse}; from, to: where min and max lie, in pixels. */
export function makeScale(axis, from, to) {
    const through = axis.log ? Math.log10 : (value) => value;
    const low = through(axis.min), high = through(axis.max), span = high - low || 1;
    const place = (value) => {
        const share = (through(value) - low) / span;
        return from + (to - from) * (axis.reverse ? 1 - share : share);
    };
    const inside = (value) => Number.isFinite(through(value)) &&
        through(value) >= low - 1e-9 * span && through(value) <= high + 1e-9 * span;
    return {place, inside, ticks: axis.ticks || ticksOf(axis)};
}

/* Round values between min and max, about `count` of them. */
export function linearTicks(min, max, count = 5) {
    const rough = (max - min) / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
    const ticks = [];
    for (let i = Math.ceil(min / step - 1e-9); i * step <= max + 1e-9 * step; i++)
        ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
}

/* Powers of ten; with few of them also 2 and 5 times these, with many only some. */
export function logTicks(min, max) {
    const first = Math.ceil(Math.log10(min) - 1e-9), last = Math.floor(Math.log10(max) + 1e-9);
    const factors = last - first < 1 ? [1, 2, 3, 4, 5, 6, 8] : last - first < 3 ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil((last - first) / 7));
    const ticks = [];
    for (let power = first - 1; power <= last; power += 1)
        for (const factor of factors) {
            const value = Number(`${factor}e${power}`);
            if (value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9) &&
                (every === 1 || (power - first) % every === 0))
                ticks.push(value);
        }
    return ticks;
}

function ticksOf(axis) {
    return axis.log ? logTicks(axis.min, axis.max) : linearTicks(axis.min, axis.max);
}

/* A tick's text: 1000, 10,000, 1e6, 0.001, 1e-5. */
export function tickText(value) {
    if (value === 0)
        return '0';
    if (value >= 1e6 || value < 1e-3)
        return digits(value, 3).includes('e') ? digits(value, 3).replace('e+', 'e')
            : value.toExponential().replace('e+', 'e');
    return value >= 1000 ? String(value).replace(/\B(?=(\d{3})+$)/g, ',') : String(value);
}

/* The least and the largest of values, wider by a share of their span. */
export function extent(values, log, share = 0.04) {
    const good = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
    if (!good.length)
        return [log ? 0.1 : 0, 1];
    let low = Math.min(...good), high = Math.max(...good);
    if (log) {
        const span = Math.log10(high / low) || 0.5;
        return [low * Math.pow(10, -share * span), high * Math.pow(10, share * span)];
    }
    const span = high - low || Math.abs(high) || 1;
    return [low - share * span, high + share * span];
}
