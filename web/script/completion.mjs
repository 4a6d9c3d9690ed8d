// SPDX-License-Identifier: MIT
//
// Names as one types: a field with data-names="user" is of users; with data-names-of="filter", of what the select of that name
// in its form says. The names are the answer to a question like any other, so that nobody sees more than they may.
const api = new URL('../api/v1/', import.meta.url);
const WAIT_MS = 150;
const NAMES_MAX = '12';

let timer = 0;
let asking = null;

function dimensionOf(input) {
    return input.dataset.names || input.form?.elements[input.dataset.namesOf]?.value || '';
}

// A field may have several names, separated by commas, each with a ! before it; the last one is being typed.
function split(text) {
    const [, before, typed] = text.match(/^((?:.*,)?\s*!?)(.*)$/s);
    return {before, typed};
}

const escape = text => text.replace(/[*?[\\]/g, '\\$&');

async function ask(dimension, typed, from) {
    asking?.abort();
    asking = new AbortController();
    const url = new URL('report.json', api);
    url.search = new URLSearchParams({
        measure: 'jobs_active', by: dimension, [dimension]: `${escape(typed)}*`, from: from || '365d', top: NAMES_MAX});
    const reply = await fetch(url, {signal: asking.signal});
    return reply.ok ? (await reply.json()).map(row => row[dimension]).filter(name => typeof name === 'string') : [];
}

function offer(input, before, names) {
    let list = input.list;
    if (!list) {
        list = document.createElement('datalist');
        list.id = `names-of-${input.name}`;
        input.after(list);
        input.setAttribute('list', list.id);
    }
    list.replaceChildren(...names.map(name => new Option(before + name)));
}

export function watchCompletion() {
    document.addEventListener('input', event => {
        const input = event.target;
        const dimension = input instanceof HTMLInputElement ? dimensionOf(input) : '';
        if (!dimension || event.inputType === 'insertReplacementText') {
            return;
        }
        clearTimeout(timer);
        timer = setTimeout(async () => {
            const {before, typed} = split(input.value);
            try {
                offer(input, before, typed ? await ask(dimension, typed, input.form?.elements.from?.value) : []);
            } catch (error) {
                if (error.name !== 'AbortError') {
                    throw error;
                }
            }
        }, WAIT_MS);
    });
}
