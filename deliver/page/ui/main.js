/* main.js - joins the parts: a change of the form or of the address asks the command, the answer
 * is shown, then the words and the pictures follow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {Engine} from '../engine/engine.js';
import {clearErrors, setState, showAnswer, showError, showNotes} from './answer.js';
import {Devices} from './devices.js';
import {byId, copyText, debounce, makeTabs, newest, toast} from './dom.js';
import {Explorer} from './explore.js';
import {followAnswer, makeForm, markPreset, readForm, writeForm} from './form.js';
import {readHash, selectArguments, writeHash} from './question.js';
import {askRows, makeRows, takeRows} from './rows.js';
import {digits, readError} from './text.js';
import {makeDock} from './dock.js';
import {makeTheme} from './theme.js';
import {makeUsage, showCommand, showUsage} from './usage.js';

const engine = new Engine();
const page = {engine, ready: null, answer: null, question: null};
window.recallmodel = page;

let devices = null, tab = 'ask', turn = 0, changedAt = 0, resolveReady = null;
const MOST_PROFILE = 1e6; /* bytes; those that come with the command have some thousand */
const profiles = {}; /* dropped profiles by name: text */
let listed = null; /* resolves when the devices are known */
page.ready = new Promise((resolve) => { resolveReady = resolve; });

function run(args, lane) {
    return engine.run(args, {files: profiles, lane});
}

const explorer = new Explorer((args) => run(args, 'pictures'));

/* The text answer, for the notes and "the command says". It belongs to the answer that is shown, or
 * it is dropped. */
const askWords = newest(async (question, answer) => {
    const result = await run(selectArguments(question), 'words');
    if (page.answer === answer)
        showNotes(result.status === 0 ? result.stdout : '', answer);
});

const askPictures = debounce(60, (question, answer) => explorer.ask(question, answer));

function show(question, result, mine) {
    if (mine !== turn)
        return; /* a newer question is on its way */
    tellOfProfile(question, result);
    if (result.status !== 0) {
        showError(byId('form'), byId('error-box'), result.stderr);
        setState('error');
        resolveReady(page);
        return;
    }
    const answer = JSON.parse(result.stdout);
    page.answer = answer;
    clearErrors(byId('form'), byId('error-box'));
    document.body.classList.remove('unanswered');
    showAnswer(answer);
    showUsage(answer);
    followAnswer(answer);
    byId('version').textContent = answer.version || '';
    byId('measure').textContent = `answered in ${digits(performance.now() - changedAt, 2)} ms`;
    page.ms = performance.now() - changedAt;
    page.engine_ms = result.ms;
    document.body.classList.add('words-late');
    explorer.late(true);
    askWords(question, answer);
    askPictures(question, answer);
    resolveReady(page);
}

/* Only the newest question is asked while one is being answered. */
const askNewest = newest(async (question, mine) => {
    if (mine !== turn)
        return;
    try {
        show(question, await run([...selectArguments(question), '--json', '--brief'],
            'answer'), mine);
    } catch (error) {
        if (!error.cancelled && mine === turn) {
            showError(byId('form'), byId('error-box'), String(error.message || error));
            setState('error');
            resolveReady(page);
        }
    }
});

function ask(question) {
    turn++;
    page.question = question;
    changedAt = performance.now();
    setState('computing');
    showCommand(question);
    showHints(question);
    askNewest(question, turn);
}

function showHints(question) {
    byId('dtype').disabled = !question.device;
    if (devices)
        byId('device-hint').textContent = devices.hint(question.device, question.dtype);
    const own = devices && devices.own && question.device === devices.own.name;
    byId('hash-note').textContent = own
        ? 'The address holds this question, but not your profile: a file cannot be in a link.' : '';
}

/* The address follows the question, but not over an address that came since: hashchange reads it. */
let addressSeen = location.hash;
const keepAddress = debounce(150, () => {
    const hash = '#' + writeHash(page.question, tab);
    if (location.hash === addressSeen && hash !== location.hash)
        history.replaceState(null, '', hash);
    addressSeen = location.hash;
});

function changed() {
    const question = readForm();
    markPreset(question);
    keepAddress();
    ask(question);
}

function showTab(name) {
    tab = name;
    for (const part of ['ask', 'rows', 'help'])
        byId('part-' + part).hidden = part !== name;
    if (page.question)
        keepAddress();
    if (name === 'ask')
        explorer.redraw();
}

/* The question of the address. A hash that names a place in the page, such as #answer, is none. */
function readAddress(chooseTab) {
    addressSeen = location.hash;
    if (page.question && location.hash.length > 1 && !location.hash.includes('=')) {
        keepAddress();
        return;
    }
    const {question, tab: wanted, unknown} = readHash(location.hash);
    if (unknown.length)
        toast(`The address has what is no option: ${unknown.join(', ')}`);
    writeForm(question);
    ask(question);
    chooseTab(['rows', 'help'].includes(wanted) ? wanted : 'ask');
}

/* The name of a profile for the command: no folder, no option, no device that it knows by name. */
function profileName(file) {
    const name = file.name.slice(-60).replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^-/, '_');
    return name.includes('.') ? name : name + '.profile';
}

let profileTurn = 0, newProfile = null;

async function takeProfile(file) {
    const mine = ++profileTurn;
    if (file.size > MOST_PROFILE) {
        toast(`${file.name.slice(-60)} is no profile: a profile is a short text`);
        return;
    }
    const name = profileName(file), text = await file.text();
    await listed;
    if (mine !== profileTurn)
        return; /* another file came meanwhile */
    profiles[name] = text;
    devices.own = {name};
    const question = readForm();
    devices.fill();
    writeForm({...question, device: name, dtype: ''});
    newProfile = name;
    changed();
}

/* The first answer with a file says whether it is a profile. */
function tellOfProfile(question, result) {
    if (!newProfile || question.device !== newProfile)
        return;
    toast(result.status === 0 ? `${newProfile} is used; it stays on this machine`
        : `${newProfile} is refused: ${readError(result.stderr).message}`);
    newProfile = null;
}

function takeDrops(chooseTab) {
    const dropping = (yes) => document.body.classList.toggle('dropping', yes);
    document.addEventListener('dragover', (event) => {
        event.preventDefault();
        dropping(true);
    });
    document.addEventListener('dragleave', (event) => {
        if (!event.relatedTarget)
            dropping(false);
    });
    document.addEventListener('drop', (event) => {
        event.preventDefault();
        dropping(false);
        const file = event.dataTransfer.files[0];
        if (!file)
            return;
        const ofRows = byId('rows-file').accept.split(',');
        if (ofRows.some((suffix) => file.name.toLowerCase().endsWith(suffix))) {
            takeRows(file);
            chooseTab('rows');
        } else {
            takeProfile(file);
        }
    });
    byId('profile').addEventListener('change', (event) => {
        if (event.target.files[0])
            takeProfile(event.target.files[0]);
    });
}

async function start() {
    makeTheme();
    makeUsage();
    makeForm(changed);
    makeRows(engine);
    makeDock();
    const chooseTab = makeTabs(byId('tabs'), showTab);
    takeDrops(chooseTab);
    byId('to-rows').addEventListener('click', () => {
        askRows(page.question);
        chooseTab('rows');
        byId('tab-rows').focus();
    });
    byId('copy-link').addEventListener('click', () => {
        history.replaceState(null, '', '#' + writeHash(page.question, tab));
        copyText(location.href, byId('hash-note').textContent ? 'Link (without your profile)'
            : 'Link');
    });
    window.addEventListener('hashchange', () => readAddress(chooseTab));
    readAddress(chooseTab);
    listed = run(['devices', '--json'], 'pictures').then((result) => {
        devices = new Devices(JSON.parse(result.stdout));
    });
    await listed;
    devices.fill();
    writeForm(page.question);
    showHints(page.question);
}

start();
