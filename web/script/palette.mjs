// SPDX-License-Identifier: MIT
//
// The palette: one box over everything, opened by "/", Ctrl-K or a click on the box of the page. What it lists is the answer of the
// server to what is typed, the same list as on the page of a search; the arrows choose, Enter opens, Escape goes back to where one was.
import {visit} from './navigation.mjs';

const WAIT_MS = 120;

/** @type {HTMLDialogElement | null} */
let dialog = null;
let timer = 0;
/** @type {AbortController | null} */
let asking = null;
let shownFor = ''; // what the list answers
let opening = false; // Enter was pressed before the list had come
let chosen = 0;

const keys = [['o', '', 'overview'], ['l', 'live', 'live'], ['j', 'jobs', 'jobs'], ['e', 'explore', 'explore'], ['b', 'bank', 'bank'], ['m', 'me', 'me']];

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} inside */
function element(name, attributes = {}, ...inside) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    made.append(...inside);
    return made;
}

/** @returns {HTMLFormElement | null} */
const searchForm = () => document.querySelector('header form.search');

/** @returns {HTMLInputElement} */
const field = () => /** @type {HTMLInputElement} */ (dialog?.querySelector('input'));

/** @returns {HTMLElement[]} */
const options = () => [...(dialog?.querySelectorAll('.hit') || [])].map(one => /** @type {HTMLElement} */ (one));

/** @param {number} index */
function choose(index) {
    const all = options();
    chosen = all.length ? (index + all.length) % all.length : 0;
    all.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)));
    if (all[chosen]) {
        field().setAttribute('aria-activedescendant', all[chosen].id);
        all[chosen].scrollIntoView({block: 'nearest'});
    } else {
        field().removeAttribute('aria-activedescendant');
    }
}

/** @param {string} text @param {string} html */
function list(text, html) {
    const into = dialog?.querySelector('.found');
    if (!into || !dialog) {
        return;
    }
    const page = new DOMParser().parseFromString(html, 'text/html');
    into.replaceChildren(...page.body.childNodes);
    into.querySelectorAll('section').forEach((section, at) => {
        const head = section.querySelector('h2');
        section.setAttribute('role', 'group');
        section.setAttribute('aria-label', head?.textContent || '');
        head?.setAttribute('role', 'presentation');
        section.querySelectorAll('ul, li').forEach(one => one.setAttribute('role', 'presentation'));
        section.querySelector('.found-more')?.remove(); // the page of the search has the rest
        section.id = `found-${at}`;
    });
    options().forEach((option, at) => {
        option.id = `hit-${at}`;
        option.setAttribute('role', 'option');
        option.setAttribute('tabindex', '-1');
    });
    const count = options().length;
    into.setAttribute('role', count ? 'listbox' : 'group'); // an empty list is none
    const said = dialog.querySelector('[role=status]');
    if (said) {
        said.textContent = text === '' ? '' : count === 0 ? 'Nothing found' : count === 1 ? '1 result' : `${count} results`;
    }
    shownFor = text;
    choose(0);
    if (opening) {
        opening = false;
        open();
    }
}

async function ask() {
    const text = field().value.trim();
    const address = searchForm()?.dataset.suggest;
    asking?.abort();
    if (text === '' || !address) {
        list('', '');
        return;
    }
    asking = new AbortController();
    const url = new URL(address, location.href);
    url.searchParams.set('q', text);
    try {
        const reply = await fetch(url, {signal: asking.signal, headers: {Accept: 'text/html'}});
        list(text, reply.ok ? await reply.text() : '');
    } catch (error) {
        if (!(error instanceof DOMException && error.name === 'AbortError')) {
            list(text, '');
        }
    }
}

// The chosen one, or, where there is none, the page of the search.
function open() {
    const text = field().value.trim();
    if (text === '') {
        return;
    }
    if (shownFor !== text) {
        opening = true;
        clearTimeout(timer);
        ask();
        return;
    }
    const option = options()[chosen];
    const form = searchForm();
    const url = new URL(option?.getAttribute('href') || form?.action || location.href, location.href);
    if (!option) {
        url.searchParams.set('q', text);
    }
    dialog?.close();
    visit(url);
}

/** @param {KeyboardEvent} event */
function steer(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step) {
        event.preventDefault();
        choose(chosen + step);
    } else if (event.key === 'Enter') {
        event.preventDefault();
        open();
    }
}

function make() {
    const input = element('input', {
        type: 'text', name: 'q', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found', 'aria-autocomplete': 'list', autocomplete: 'off',
        spellcheck: 'false', maxlength: '200', placeholder: 'Job, person, node, measure, page', 'aria-label': 'Search for a job, person, group, node, measure or page',
    });
    const foot = element('p', {class: 'palette-foot'});
    for (const [key, what] of [['↑↓', 'choose'], ['↵', 'open'], ['esc', 'close']]) {
        foot.append(element('kbd', {}, key), ` ${what} `);
    }
    foot.append(element('span', {class: 'palette-go'}, element('kbd', {}, 'g'), ' then ', ...keys.flatMap(([key, , what]) => [element('kbd', {}, key), ` ${what} `])));
    const made = /** @type {HTMLDialogElement} */ (element('dialog', {class: 'palette', 'aria-label': 'Search'}, input,
        element('div', {class: 'found', id: 'found', role: 'group', 'aria-label': 'Results'}), element('p', {class: 'unseen', role: 'status'}), foot));
    input.addEventListener('input', () => {
        clearTimeout(timer);
        opening = false;
        timer = window.setTimeout(ask, WAIT_MS);
    });
    input.addEventListener('keydown', steer);
    made.addEventListener('click', event => {
        const hit = event.target instanceof Element && event.target.closest('a');
        if (hit || event.target === made) {
            made.close(); // the link is followed as any other
        }
    });
    made.addEventListener('close', () => {
        clearTimeout(timer);
        asking?.abort();
        made.remove();
        dialog = null;
    });
    return made;
}

/** @param {string} text */
function show(text) {
    if (dialog || !searchForm()) {
        return;
    }
    shownFor = '';
    opening = false;
    dialog = make();
    document.body.append(dialog);
    dialog.showModal();
    field().value = text;
    field().focus();
    if (text) {
        ask();
    }
}

let went = -Infinity; // when "g" was pressed
const GO_MS = 1500;

/** @param {KeyboardEvent} event */
function go(event) {
    const home = /** @type {HTMLAnchorElement | null} */ (document.querySelector('header .brand'));
    const key = keys.find(([one]) => one === event.key);
    if (key && home && event.timeStamp - went < GO_MS) {
        event.preventDefault();
        visit(new URL(key[1], home.href));
    }
    went = event.key === 'g' ? event.timeStamp : -Infinity;
}

export function watchPalette() {
    document.addEventListener('keydown', event => {
        const typing = event.target instanceof Element && event.target.closest('input, select, textarea, dialog');
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') || (event.key === '/' && plain && !typing)) {
            event.preventDefault();
            show('');
        } else if (plain && !typing) {
            go(event);
        }
    });
    document.addEventListener('click', event => {
        const box = event.target instanceof Element && event.target.closest('header form.search input');
        if (box instanceof HTMLInputElement) {
            show(box.value);
        }
    });
    // who comes to the box by keyboard and types is answered at once, too
    document.addEventListener('input', event => {
        const box = event.target instanceof Element && event.target.closest('header form.search input');
        if (box instanceof HTMLInputElement && box.value !== '') {
            const text = box.value;
            box.value = '';
            show(text);
        }
    });
}
