/* dock.js - on a narrow screen the answer lies below the form: a line at the bottom shows it while
 * it is out of sight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId} from './dom.js';

export function makeDock() {
    const dock = byId('dock'), narrow = window.matchMedia('(max-width: 960px)');
    let visible = true;
    const update = () => {
        dock.hidden = visible || !narrow.matches || byId('part-ask').hidden;
        dock.textContent = ['verdict', 'headline'].map((id) => byId(id).textContent)
            .filter(Boolean).join(': ');
        dock.dataset.verdict = byId('answer').dataset.verdict;
    };
    new IntersectionObserver(([entry]) => {
        /* below the answer there is no need of it */
        visible = entry.isIntersecting || entry.boundingClientRect.top < 0;
        update();
    }).observe(byId('answer'));
    new MutationObserver(update).observe(byId('headline'), {childList: true});
    /* A link to #answer would take the question out of the address. */
    dock.addEventListener('click', (event) => {
        event.preventDefault();
        byId('answer').scrollIntoView();
    });
}
