// SPDX-License-Identifier: MIT
//
// What script adds to pages that are complete without it: pages change without a full reload, charts answer the pointer and the
// keys, filters complete as one types, pages about now follow, and a palette finds everything.
import {watchCharts} from './charts.mjs';
import {watchCompletion} from './completion.mjs';
import {watchLive} from './live.mjs';
import {visit, watchNavigation} from './navigation.mjs';
import {watchPalette} from './palette.mjs';
import {arriveAtQuestion, watchQuestion} from './question.mjs';

function arrive() {
    watchCharts(document, visit);
    watchLive();
    arriveAtQuestion();
}

watchNavigation(arrive, () => watchCharts(document, visit));
watchCompletion();
watchPalette();
watchQuestion();
arrive();
