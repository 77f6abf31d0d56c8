/* devices.js - fills the choices of devices and of exact kernels from `recallmodel devices --json`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
import {byId, element} from './dom.js';

function option(value, text) {
    return element('option', {value}, text);
}

function group(label, options) {
    return element('optgroup', {label}, ...options);
}

export class Devices {
    constructor(listed) {
        /* Profiles of kernels that only find the exact top-k are no devices. */
        this.profiles = listed.profiles.filter((profile) => !profile.exact_only);
        this.exact = listed.profiles.filter((profile) => profile.exact_only);
        this.devices = listed.devices;
        this.own = null; /* {name, text} of the visitor's profile */
    }

    /* Fills both selects. A value that none of them has, as from an address, gets an option. */
    fill() {
        const timed = [...new Set(this.profiles.map((profile) => profile.device))];
        const types = (name) => this.profiles.filter((each) => each.device === name)
            .map((each) => each.dtype).join(', ');
        const device = byId('device'), kernel = byId('exact-kernel');
        device.replaceChildren(
            option('', 'none: count candidates'),
            group('Times predicted by a profile',
                timed.map((name) => option(name, `${name} (${types(name)})`))),
            group('By the profile of another card', this.devices
                .filter((each) => !timed.includes(each.device))
                .map((each) => option(each.device, each.device))));
        if (this.own)
            device.append(group('Yours', [option(this.own.name, this.own.name)]));
        kernel.replaceChildren(option('', 'none, or as the profile has it'),
            ...this.exact.map((each) => option(each.device, `${each.device} (${each.dtype})`)));
    }

    /* The option of the select that means `value`, as the command would take it: a name in any
     * letters. An unknown one is added, so that the command can say what is wrong. */
    static choose(select, value) {
        const same = [...select.options].find((each) =>
            each.value.toLowerCase() === value.toLowerCase());
        if (!same)
            select.append(option(value, value));
        select.value = same ? same.value : value;
    }

    /* What the answer will be worth with this device and type. */
    hint(name, dtype) {
        if (!name)
            return 'Without a device there is no time: the fewest candidates decide.';
        if (this.own && name === this.own.name)
            return 'Your profile. It is not in the link: whoever opens it must drop the file, too.';
        const is = (each) => each.device.toLowerCase() === name.toLowerCase();
        const profiles = this.profiles.filter(is);
        const known = profiles.find((each) => !dtype || each.dtype === dtype);
        if (known)
            return `Times predicted: ${known.kernel}, ${known.dtype}, ${known.run_count} runs of ` +
                `${known.date}.`;
        if (profiles.length)
            return `The profile is of ${profiles.map((each) => each.dtype).join(', ')}; for ` +
                `${dtype} it is carried over, within the errors of doing so.`;
        if (this.devices.some(is))
            return 'No profile: that of another card is carried over by the rates of both. Give ' +
                'the time of your exact top-k.';
        return 'If this is a profile of yours, drop its file on the page.';
    }
}
