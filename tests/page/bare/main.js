/* main.js - a page with the engine and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {Engine} from '../../../deliver/page/engine/engine.js';

const engine = new Engine();
window.recallmodel = {engine, ready: engine.ready};
