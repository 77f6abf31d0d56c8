/* explore.js - runs what the pictures need, on a lane of its own, and moves a point over b and k_b.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {Card} from './card.js';
import {byId, newest} from './dom.js';
import {distributionPicture, ranksPicture, recallPicture, timePicture} from './pictures.js';
import {SHAPE, optionArguments, selectArguments} from './question.js';
import {readCsv, readError, rowsThatReach, showCount, showRecall, showTime} from './text.js';

const STEPS = 200;

export class Explorer {
    /* run(args) gives {status, stdout, stderr}. */
    constructor(run) {
        this.run = run;
        this.plain = {recall: false, time: false};
        this.state = null; /* {question, answer, curves, csv, others} of what is shown */
        this.point = null; /* {b, k_b} or null: the chosen */
        this.turn = 0; /* results of older turns are dropped */
        const host = byId('picture-grid');
        const toggle = (which) => ({label: 'Plain scale', on: (pressed) => {
            this.plain[which] = pressed;
            this.drawCurves();
        }});
        this.cards = {
            recall: new Card(host, 'recall', 'Recall against candidates', [toggle('recall')]),
            distribution: new Card(host, 'distribution', 'How rows differ'),
            time: new Card(host, 'time', 'Recall against time', [toggle('time')]),
            ranks: new Card(host, 'ranks', 'Which ranks are lost'),
        };
        this.refresh = newest((...args) => this.compute(...args));
        this.move = newest(() => this.computePoint(this.turn));
        this.listen();
    }

    listen() {
        byId('b-slider').addEventListener('input', () => this.slide());
        byId('kb-slider').addEventListener('input', () => this.slide());
        byId('chosen').addEventListener('click', () => {
            this.point = null;
            this.setSliders();
            this.move();
        });
        const watch = new ResizeObserver(() => this.redraw());
        watch.observe(byId('picture-grid'));
    }

    redraw() {
        for (const card of Object.values(this.cards))
            card.redraw();
    }

    /* A new question and its answer. */
    ask(question, answer) {
        this.turn++;
        this.late(true);
        this.refresh(question, answer, this.turn);
    }

    /* The pictures and the line of the point are of an older question. */
    late(yes) {
        for (const card of Object.values(this.cards))
            card.late(yes);
        byId('point').classList.toggle('late', yes);
    }

    missAll(why) {
        this.state = null;
        for (const card of Object.values(this.cards))
            card.miss(why);
        byId('point').textContent = '';
        byId('point').classList.remove('late');
    }

    /* There is no such point. The curves may stay, the sliders go on. */
    missPoint(why) {
        this.late(false);
        this.cards.distribution.miss(why);
        this.cards.ranks.miss(why);
        byId('point').textContent = why;
    }

    shape(question) {
        return optionArguments(question, SHAPE);
    }

    /* The rows of CSV of a run; an error is thrown with the command's line. */
    async rows(args) {
        const result = await this.run(args);
        if (result.status !== 0)
            throw new Error(readError(result.stderr).message);
        return {csv: result.stdout, rows: readCsv(result.stdout)};
    }

    recallArguments(question, answer, more) {
        return ['recall', ...this.shape(question), ...optionArguments(question, ['m']), '--recall',
            String(answer.recall_target), '--quantile', String(answer.quantile), ...more, '--csv'];
    }

    /* Adds the predicted times to rows of recall, if a profile gave the answer. */
    async addTimes(rows, question, answer, more) {
        if (answer.objective !== 'time' || answer.product)
            return; /* with --d the product is in the time, and predict does not know it so */
        const names = [...SHAPE.slice(0, 2), 'm', 'device', 'dtype', 'kernel'];
        const asked = {...question, kernel: answer.kernel}; /* whose buckets answered */
        const times = await this.rows(['predict', ...optionArguments(asked, names), ...more,
            '--csv']).catch(() => ({rows: []}));
        const place = (row) => `${row.b} ${row.k_b}`;
        const known = new Map(times.rows.map((row) => [place(row), row]));
        for (const row of rows) {
            const time = known.get(place(row)) || {};
            row.predicted_us = time.predicted_us || null;
            row.low_us = time.low_us || null;
            row.high_us = time.high_us || null;
        }
    }

    /* The answer came without its frontier, which takes as long as all the rest. */
    async withFrontier(question, answer) {
        const result = await this.run([...selectArguments(question), '--json']);
        return {...answer, frontier: result.status === 0 ? JSON.parse(result.stdout).frontier : []};
    }

    async compute(question, answer, turn) {
        if (turn !== this.turn)
            return;
        const none = Boolean(!answer.n || answer.queries);
        document.querySelector('.pictures').hidden = none; /* lists have no pictures */
        if (none) {
            this.late(false);
            return;
        }
        if (answer.recall_target === null) /* a budget or a mass: aim at the recall it reaches */
            answer = {...answer, recall_target: (answer.choice || {recall: 1}).recall,
                target_is: 'reached'};
        for (const card of Object.values(this.cards))
            card.late(true);
        try {
            answer = await this.withFrontier(question, answer);
            const kb = [...new Set([1, 2, 3, 4, (answer.choice || {k_b: 1}).k_b])]
                .filter((each) => each <= answer.k).join(',');
            const curves = await this.rows(this.recallArguments(question, answer, ['--kb', kb]));
            await this.addTimes(curves.rows, question, answer, ['--kb', kb]);
            if (turn !== this.turn)
                return;
            this.state = {question, answer, curves: curves.rows, csv: curves.csv, others: [], kb};
            this.point = null;
            this.setSliders();
            await this.computePoint(turn);
            await this.computeOthers(turn);
        } catch (error) {
            if (turn === this.turn)
                this.missAll(error.message);
        }
    }

    /* b and k_b of the point: explored, else chosen, else the first that reaches the recall. */
    where() {
        const {answer, curves} = this.state;
        return this.point || answer.choice ||
            curves.find((row) => row.loss <= 1 - answer.recall_target) || curves[0];
    }

    async computePoint(turn) {
        if (!this.state || turn !== this.turn)
            return;
        const {question, answer} = this.state, {b, k_b} = this.where();
        const more = ['--b', String(b), '--kb', String(k_b)];
        try {
            const [row] = (await this.rows(this.recallArguments(question, answer, more))).rows;
            await this.addTimes([row], question, answer, more);
            if (turn !== this.turn)
                return;
            const chosen = answer.choice && b === answer.choice.b && k_b === answer.choice.k_b;
            this.at = {row, chosen: Boolean(chosen)};
            this.showPoint();
            this.drawCurves();
            const lost = await this.rows(['distribution', ...this.shape(question), ...more, '--csv'])
                .catch((error) => ({error}));
            if (turn !== this.turn)
                return;
            if (lost.error || lost.rows[0].probability === null)
                this.cards.distribution.miss(lost.error ? lost.error.message
                    : 'The distribution of these rows is too wide to compute.');
            else
                this.cards.distribution.show({...distributionPicture(answer, lost.rows, row),
                    csv: lost.csv});
            const ranks = await this.rows(['ranks', ...this.shape(question), ...more, '--ranks',
                ranksOf(answer.k), '--csv']);
            if (turn !== this.turn)
                return;
            this.state.mine = ranks.rows;
            this.drawRanks();
        } catch (error) {
            if (turn === this.turn)
                this.missPoint(error.message);
        }
    }

    /* The ranks that the smallest b of each k_b loses, for comparison. */
    async computeOthers(turn) {
        const {question, answer, kb} = this.state;
        const others = await this.rows(['ranks', ...this.shape(question), '--kb', kb, '--recall',
            String(answer.recall_target), '--ranks', ranksOf(answer.k), '--csv'])
            .catch(() => ({rows: []}));
        if (turn !== this.turn)
            return;
        this.state.others = others.rows;
        this.drawRanks();
    }

    drawCurves() {
        if (!this.state || !this.at)
            return;
        const {answer, curves, csv} = this.state;
        this.cards.recall.show({...recallPicture(answer, curves, this.at, this.plain.recall), csv});
        const time = timePicture(answer, curves, this.at, this.plain.time);
        if (time)
            this.cards.time.show(time);
        else
            this.cards.time.miss(`There are no times: the answer goes by ${answer.objective}. ` +
                'Choose a device, or drop a profile of yours.');
    }

    drawRanks() {
        if (this.state.mine)
            this.cards.ranks.show(ranksPicture(this.state.answer, this.state.mine,
                this.state.others, this.at));
    }

    showPoint() {
        const {row, chosen} = this.at, quantile = this.state.answer.quantile;
        const time = row.predicted_us ? `, predicted ${showTime(row.predicted_us)}` : '';
        byId('point').classList.remove('late');
        byId('point').textContent = `${chosen ? 'Chosen' : 'Explored'}: b = ${row.b}, k_b = ` +
            `${row.k_b}: ${showCount(row.candidates)} candidates, recall ` +
            `${showRecall(row.recall, row.loss)} in the mean, ` +
            `${rowsThatReach(quantile)} ${showRecall(row.recall_quantile)}${time}`;
    }

    /* The b of the slider goes from the fewest buckets that keep k candidates to n/k_b. */
    range(kb) {
        const {answer} = this.state;
        return [Math.max(1, Math.ceil(answer.k / kb)), Math.max(1, Math.floor(answer.n / kb))];
    }

    setSliders() {
        const {b, k_b} = this.where(), [low, high] = this.range(k_b);
        byId('kb-slider').max = Math.max(4, k_b);
        byId('kb-slider').value = k_b;
        byId('b-slider').value = STEPS * Math.log(b / low) / (Math.log(high / low) || 1);
        this.nameSliders(b, k_b);
    }

    nameSliders(b, kb) {
        byId('b-value').textContent = b;
        byId('kb-value').textContent = kb;
        byId('b-slider').setAttribute('aria-valuetext', String(b));
    }

    slide() {
        if (!this.state)
            return;
        const kb = Math.min(Number(byId('kb-slider').value), this.state.answer.k);
        const [low, high] = this.range(kb), share = Number(byId('b-slider').value) / STEPS;
        this.point = {b: Math.round(low * Math.pow(high / low, share)), k_b: kb};
        this.nameSliders(this.point.b, kb);
        this.move();
    }
}

/* About 60 ranks from 1 to k, closer together where there are more of them. */
export function ranksOf(k) {
    const ranks = new Set([1, k]);
    for (let i = 0; i <= 60; i++)
        ranks.add(Math.round(Math.pow(k, i / 60)));
    return [...ranks].sort((a, b) => a - b).join(',');
}
