"""visit.py - the page as its visitors use it: a question in the address, an answer below it.

SPDX-License-Identifier: Apache-2.0
"""
from urllib.parse import quote

PAGE = "recallmodel.html"

# Sets the hash, and waits until that question is answered, or refused.
ASK = """
const page = window.recallmodel, box = document.getElementById('answer');
const wanted = Object.fromEntries(new URLSearchParams(args[0].replaceAll('+', '%2B')));
const is_asked = () => page.question && Object.entries(page.question).every(
    ([name, value]) => value === (wanted[name] || ''));
location.hash = args[0];
const end = performance.now() + 30000;
while (!(is_asked() && ['ready', 'error'].includes(box.dataset.state))) {
    if (performance.now() > end)
        throw new Error('no answer to ' + args[0] + ' but ' + JSON.stringify(page.question));
    await new Promise((resolve) => setTimeout(resolve, 5));
}
return {answer: JSON.stringify(page.answer), ms: page.ms, text: box.innerText, ...box.dataset};
"""


def hash_of(question):
    return "&".join(f"{name}={quote(value, safe='^,')}" for name, value in question.items())


def ask(opened, question):
    """{answer: as JSON, ms, text, state, deploy, b, kb}"""
    return opened.settle(ASK, hash_of(question))
