// SPDX-License-Identifier: MIT
//
// Addresses that ask for less: one name, one stretch of time.

// What is worth seeing of one of these next.
const below = {
    cluster: 'partition', metagroup: 'group', department: 'group', group: 'user', account: 'user', project: 'user',
    partition: 'user', qos: 'user', node: 'user', gpu_type: 'user', reservation: 'user', user: 'name', class: 'user',
    state: 'user', name: 'class',
};
const finer = {year: 'month', quarter: 'month', month: 'day', week: 'day', day: 'hour'};

// A pattern that matches this name: what patterns read otherwise is escaped, or any byte in its place.
export function patternOf(name) {
    return /[*?[,\\]|^!/.test(name) ? name.replace(/[*?[\\]/g, '\\$&').replace(/,|^!/g, '?') : name;
}

export function toName(explore, dimension, name) {
    const url = new URL(explore, location.href);
    const by = (url.searchParams.get('by') || '').split(',').filter(Boolean);
    const next = below[dimension];
    const kept = by.map(one => (one === dimension ? next : one))
        .filter((one, at, all) => one && all.indexOf(one) === at && !url.searchParams.has(one));
    url.searchParams.delete('by');
    if (kept.length) {
        url.searchParams.set('by', kept.join(','));
    }
    url.searchParams.set(dimension, patternOf(name));
    return url;
}

// From the first to the last of these buckets. A page that has a period of its own stays; others lead to the question.
export function toPeriod(data, first, last) {
    const names = data.categories.map(category => category.name);
    const own = document.querySelector('main input[name=from]');
    if (!own && !data.explore) {
        return null;
    }
    const url = new URL(own ? location.href : data.explore, location.href);
    const hours = data.bucket === 'hour'; // an hour's name is an instant, its beginning
    const to = hours ? names[last + 1] : names[last];
    url.searchParams.set('from', names[first]);
    url.searchParams.delete('to');
    if (to) {
        url.searchParams.set('to', to);
    }
    if (first === last && url.searchParams.has('every') && finer[data.bucket]) {
        url.searchParams.set('every', finer[data.bucket]);
    }
    return url;
}
