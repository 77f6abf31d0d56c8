/* formulas.js - typesets what MkDocs has marked as formulas, \( .. \) and \[ .. \], with KaTeX.
 *
 * SPDX-License-Identifier: Apache-2.0 */
"use strict";
for (const place of document.querySelectorAll(".arithmatex")) {
    const text = place.textContent.trim();
    const display = text.startsWith("\\[");
    katex.render(text.slice(2, -2), place, {
        displayMode: display,
        throwOnError: false, /* an error shows in red, as class katex-error */
        trust: false,
    });
}
