// SPDX-License-Identifier: MIT
//
// What the browser tests share: Debian's Chromium, the pages there are, and claims printed for tests/sh/test_browser.sh.
import {chromium} from 'playwright-core';

// Every page in the state that the site of the test gives it; {} stands for nothing that has to be looked up.
export const pages = {
    overview: '/',
    explore: '/explore/cpu_hours,jobs?by=group&every=month&from=365d',
    'explore-bars': '/explore/cpu_hours?by=user&from=365d&top=20',
    'explore-wrong': '/explore/cpu_horus?from=365d',
    jobs: '/jobs?from=30d',
    compare: '/compare?from=90d&by=group',
    'compare-jobs': '/compare?job=1&job=2&job=3',
    waste: '/waste?by=group&from=365d',
    forecast: '/forecast?measure=cpu_hours',
    history: '/history?measure=cpu_hours',
    when: '/when?measure=jobs_submitted&from=365d',
    sizes: '/sizes?of=wall&from=365d',
    rightsize: '/rightsize?user=anna&from=365d',
    energy: '/energy?by=group&from=365d',
    report: '/report?from=365d',
    live: '/live',
    attention: '/attention',
    'live-nodes': '/live/nodes',
    'live-gpus': '/live/gpus',
    soonest: '/live/soonest?cpus=4',
    me: '/me?from=365d',
    'jobs-older': '/jobs?from=365d&page=2',
    admin: '/admin',
    'admin-targets': '/admin/target',
    'admin-tokens': '/admin/token',
    'admin-rates': '/admin/rate',
    'jobs-folded': '/jobs?fold=1&from=30d',
    'admin-users': '/admin/user?change=vera',
    inside: '/inside',
    hogs: '/hogs?from=365d',
    'live-use': '/live/use?from=4d',
    bank: '/bank',
    'bank-account': '/bank/chem?amount=5&into=bio',
    quote: '/quote?cpus=4&time=2:00:00&account=chem',
    'job-sampled': '/job/990001',
    node: '/node/cedar-gpu01',
    quality: '/quality',
    measures: '/measures',
    search: '/search?q=a',
    'long-filter': `/explore/jobs?by=user&user=${'W'.repeat(200)}&from=30d`,
    'long-search': `/search?q=${'W'.repeat(200)}`,
    'long-measure': `/explore/${'W'.repeat(200)}`,
    login: '/login',
    user: '/user/anna',
    group: '/group/chem',
    cluster: '/cluster/alder',
    'job-missing': '/job/4711000',
    missing: '/nowhere',
};

let failures = 0;

// claim NAME, ACTION: prints how it went; an action that throws has failed, and the next one is tried all the same.
export async function claim(name, action) {
    try {
        await action();
        console.log(`ok ${name}`);
    } catch (error) {
        failures++;
        console.log(`not ok ${name}: ${String(error.message || error).replace(/\s+/g, ' ').slice(0, 1500)}`);
    }
}

export function finish() {
    process.exitCode = failures ? 1 : 0;
}

export function same(want, got, what) {
    if (JSON.stringify(want) !== JSON.stringify(got)) {
        throw new Error(`${what}: wanted ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
    }
}

export function holds(condition, what) {
    if (!condition) {
        throw new Error(what);
    }
}

// As root, as in a container, Chromium has no sandbox of its own; pages are ours.
export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-crash-reporter', '--force-device-scale-factor=1'],
    });
}

// open BROWSER, SITE, OPTIONS: a context with one tab. `complaints` is what must stay empty: errors of scripts, of the
// console (the content security policy speaks there) and requests that leave the site.
export async function open(browser, site, options = {}) {
    const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
    const page = await context.newPage();
    const complaints = [];
    page.on('pageerror', error => complaints.push(`script: ${error.message}`));
    page.on('console', message => {
        // a page that is not there is asked for on purpose, and the console says so
        if (message.type() === 'error' && !/the server responded with a status of/.test(message.text())) {
            complaints.push(`console: ${message.text()} (${page.url()})`);
        }
    });
    page.on('request', request => {
        if (!request.url().startsWith(new URL(site).origin) && !/^(data|blob|about):/.test(request.url())) {
            complaints.push(`request: ${request.url()}`);
        }
    });
    page.setDefaultTimeout(120000);
    page.setDefaultNavigationTimeout(120000);
    return {context, page, complaints};
}

export async function logIn(page, site, name, password) {
    await page.goto(`${site}/login`);
    await page.fill('main input[name=name]', name);
    await page.fill('main input[name=password]', password);
    await page.click('main button[type=submit]');
    await page.waitForSelector('.login');
}

// settled PAGE: a page that script fetches has come.
export function settled(page) {
    return page.waitForSelector('body:not([aria-busy])');
}

// The columns by which a page is wider than its window.
export function excess(page) {
    return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
