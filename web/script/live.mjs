// SPDX-License-Identifier: MIT
//
// Pages about now follow what is written to the store: the server says when something was, and the panels are fetched again.
// A tab that is hidden asks nothing.
import {refresh} from './navigation.mjs';

let source = null;
let heard = '';

function stop() {
    source?.close();
    source = null;
}

function listen() {
    const address = document.getElementById('main')?.dataset.events;
    stop();
    if (!address || document.hidden) {
        return;
    }
    source = new EventSource(address);
    source.addEventListener('change', event => {
        const first = heard === '';
        if (event.lastEventId !== heard) {
            heard = event.lastEventId;
            if (!first) {
                refresh();
            }
        }
    });
}

document.addEventListener('visibilitychange', listen);

export function watchLive() {
    heard = '';
    listen();
}
