// SPDX-License-Identifier: MIT
//
// What script adds to pages that are complete without it: pages change without being loaded anew, pictures answer the
// pointer, filters complete as one types, "/" goes to the search box. Charts are loaded by the pages that have some.
import {watchCompletion} from './completion.mjs';
import {watchFigures} from './figures.mjs';
import {watchNavigation} from './navigation.mjs';

function arrive() {
    watchFigures(document);
}

document.addEventListener('keydown', event => {
    const typing = event.target instanceof Element && event.target.closest('input, select, textarea');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        document.querySelector('.search input')?.focus();
    }
});

watchNavigation(arrive);
watchCompletion();
arrive();
