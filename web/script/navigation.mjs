// SPDX-License-Identifier: MIT
//
// From page to page without a full reload: links and forms of this site are fetched, and what the page shows is replaced. The
// address stays the state, so back, reload and a link in a mail mean what they say.

// Paths below the site whose answers are files, not pages.
const site = new URL('..', import.meta.url);
const files = ['api/', 'static/', 'metrics', 'logout', 'login/openid'];

let arrived = () => {};
let refreshed = () => {};
let shown = location.href;
let fetching = null;

function isPage(url) {
    return url.origin === site.origin && url.pathname.startsWith(site.pathname) &&
        !files.some(name => url.pathname.startsWith(site.pathname + name));
}

const withoutHash = href => href.split('#')[0];

// What has the focus within a form that is asked as it is changed, so that the page that comes can give it back.
function focused() {
    const input = document.activeElement;
    const form = input instanceof Element && input.closest('form[data-apply]');
    if (!form || !input.name) {
        return null;
    }
    const inputs = [...form.querySelectorAll(`[name="${CSS.escape(input.name)}"]`)];
    return {name: input.name, value: input.type === 'radio' ? input.value : null, at: inputs.indexOf(input)};
}

function focusAgain(kept) {
    const inputs = kept ? [...document.querySelectorAll(`form[data-apply] [name="${CSS.escape(kept.name)}"]`)] : [];
    const input = kept?.value !== null ? inputs.find(one => one.type === 'radio' && one.value === kept?.value) : inputs[kept.at];
    const place = input?.closest('details:not([open])')?.querySelector('summary') || input;
    place?.focus({preventScroll: true});
    return Boolean(place);
}

function show(text, href, y, kept) {
    const page = new DOMParser().parseFromString(text, 'text/html');
    document.title = page.title;
    document.body.replaceChildren(...page.body.childNodes);
    shown = href;
    const main = document.getElementById('main');
    main?.setAttribute('tabindex', '-1');
    if (!kept || !focusAgain(kept)) {
        main?.focus({preventScroll: true});
    }
    const place = new URL(href).hash.slice(1);
    const target = place && document.getElementById(decodeURIComponent(place));
    if (target) {
        target.scrollIntoView();
    } else {
        window.scrollTo(0, y);
    }
    arrived();
}

// visit ADDRESS: as if a link to it had been followed.
export async function visit(address, {push = true, y = 0, keep = false} = {}) {
    const url = new URL(address, location.href);
    fetching?.abort();
    fetching = new AbortController();
    const {signal} = fetching;
    document.body.setAttribute('aria-busy', 'true');
    try {
        const reply = await fetch(url, {signal, headers: {Accept: 'text/html'}});
        if (!/^text\/html/.test(reply.headers.get('Content-Type') || '')) {
            location.assign(url);
            return;
        }
        const text = await reply.text();
        const href = reply.url + (reply.url.includes('#') ? '' : url.hash);
        if (push) {
            history.replaceState({y: window.scrollY}, '');
            history.pushState({y: 0}, '', href);
        }
        show(text, href, keep ? window.scrollY : y, keep ? focused() : null);
    } catch (error) {
        if (error.name !== 'AbortError') {
            location.assign(url); // the browser says best why a server does not answer
        }
    } finally {
        if (!signal.aborted) {
            document.body.removeAttribute('aria-busy');
        }
    }
}

// The same page, as it is by now: what it shows is replaced, and whoever reads it stays where they are.
export async function refresh() {
    const at = location.href;
    const reply = await fetch(at, {headers: {Accept: 'text/html'}}).catch(() => null);
    if (!reply?.ok || location.href !== at || document.querySelector('main details[open]')) {
        return;
    }
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
    for (const part of ['main .ann', 'main .panels', '.bottom', '.fresh']) {
        const fresh = page.querySelector(part);
        const old = document.querySelector(part);
        if (fresh && old) {
            old.replaceWith(fresh);
        }
    }
    refreshed();
}

function follow(event) {
    const link = event.target instanceof Element && event.target.closest('a[href]');
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey ||
        event.altKey || link.target || link.hasAttribute('download')) {
        return;
    }
    const url = new URL(link.href);
    if (isPage(url) && !(url.hash && withoutHash(url.href) === withoutHash(location.href))) {
        event.preventDefault();
        visit(url, {keep: Boolean(link.closest('form[data-apply]'))});
    }
}

function send(event) {
    const form = event.target;
    if (event.defaultPrevented || form.method !== 'get') {
        return;
    }
    const url = new URL(form.action);
    url.search = '';
    for (const [name, value] of new FormData(form, event.submitter)) {
        if (value !== '') {
            url.searchParams.append(name, value);
        }
    }
    if (isPage(url)) {
        event.preventDefault();
        visit(url, {keep: form.dataset.apply !== undefined});
    }
}

export function watchNavigation(arrive, refreshing) {
    arrived = arrive;
    refreshed = refreshing;
    history.scrollRestoration = 'manual';
    document.addEventListener('click', follow);
    document.addEventListener('submit', send);
    window.addEventListener('popstate', event => {
        if (withoutHash(location.href) !== withoutHash(shown)) {
            visit(location.href, {push: false, y: event.state?.y ?? 0});
        }
    });
}
