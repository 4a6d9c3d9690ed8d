// SPDX-License-Identifier: MIT
//
// What script adds to pages that are complete without it: pages change without being loaded anew, pictures answer the
// pointer, filters complete as one types, pages about now follow, "/" goes to the search box. Charts are loaded by the pages that have some.
import {watchCompletion} from './completion.mjs';
import {watchFigures} from './figures.mjs';
import {watchLive} from './live.mjs';
import {watchNavigation} from './navigation.mjs';

function arrive() {
    watchFigures(document);
    watchLive();
}

document.addEventListener('keydown', event => {
    const typing = event.target instanceof Element && event.target.closest('input, select, textarea');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        document.querySelector('.search input')?.focus();
    }
});

watchNavigation(arrive, () => watchFigures(document));
watchCompletion();
arrive();
