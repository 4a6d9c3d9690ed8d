// SPDX-License-Identifier: MIT
//
// tour.mjs SITE NAME PASSWORD: what somebody does who looks at the site: twice, the second time without script. Then every
// page by a screen reader's rules, on a dark screen, and on a phone.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {claim, excess, finish, holds, launch, logIn, open, pages, same, settled} from './browser.mjs';

const [site, name, password] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await launch();

const rows = page => page.$$eval('main tbody tr:not(.total)', found => found.map(row => row.innerText));
// What they are about: numbers of runs that have not ended grow while one looks.
const names = list => list.map(row => row.split('\t')[0]);

async function tour(how, options) {
    const {context, page, complaints} = await open(browser, site, options);
    const says = what => `${how}: ${what}`;

    await claim(says('a wrong password leads back to the form, with a sentence'), async () => {
        await page.goto(`${site}/login`);
        await page.fill('main input[name=name]', name);
        await page.fill('main input[name=password]', 'wrong');
        await page.click('main button[type=submit]');
        await page.waitForSelector('main [role=alert]');
        same(0, await page.locator('.login').count(), 'names of somebody logged in');
    });

    await claim(says('the right one logs in'), async () => {
        await logIn(page, site, name, password);
        same(name, (await page.innerText('.login')).trim(), 'who is logged in');
    });

    let answer;
    await claim(says('a question is chosen in the form and answered under an address that people can read'), async () => {
        await page.click('nav >> text=Explore');
        const choose = async (select, value) => { // with script it is asked at once
            await page.selectOption(`main select[name=${select}] >> nth=0`, value);
            await settled(page);
        };
        await page.waitForSelector('main .qbar');
        await choose('by', 'group');
        await choose('every', '');
        await page.fill('main .qbar input[name=from]', '365d');
        await page.press('main .qbar input[name=from]', 'Enter');
        await page.waitForURL(`${site}/explore/cpu_hours?by=group&from=365d`);
        answer = await rows(page);
        holds(answer.length > 3, `${answer.length} groups`);
        holds(await page.isVisible('main figure'), 'there is no picture');
    });

    await claim(says('a name leads to its page'), async () => {
        const link = page.locator('main tbody tr a').first();
        const group = await link.innerText();
        await link.click();
        await page.waitForURL(`${site}/group/${group}`);
        same(group, await page.innerText('h1 .thing'), 'what the page is about');
        holds((await rows(page)).length > 3, 'it has no tables');
    });

    await claim(says('back goes back to the same answer'), async () => {
        await page.goBack();
        await page.waitForURL(`${site}/explore/cpu_hours?by=group&from=365d`);
        await settled(page);
        same(names(answer), names(await rows(page)), 'rows');
    });

    await claim(says('a filter is added by the form and taken away by its pill'), async () => {
        await page.selectOption('select[name=filter]', 'cluster');
        await page.fill('input[name=pattern]', 'alder');
        await page.press('input[name=pattern]', 'Enter');
        await page.waitForURL(/cluster=alder/);
        const fewer = await rows(page);
        holds(JSON.stringify(fewer) !== JSON.stringify(answer), 'the answer is the same');
        await page.click('.pill.filter .x');
        await page.waitForURL(url => !/cluster=/.test(url.href));
        same(names(answer), names(await rows(page)), 'rows without the filter');
    });

    await claim(says('the numbers are there as a file'), async () => {
        await page.click('details.ways summary >> nth=0');
        const waiting = page.waitForEvent('download');
        await page.click('details.ways a >> text=CSV');
        const text = readFileSync(await (await waiting).path(), 'utf8').trim().split('\n');
        same(answer.length + 1, text.length, 'lines');
        same(answer[0].split(/\s/)[0], text[1].split(',')[0], 'the first group');
    });

    await claim(says('a long list goes on, and back'), async () => {
        await page.goto(`${site}/jobs?from=365d`);
        const newest = names(await rows(page));
        await page.click('main .parts a >> text=Older');
        await page.waitForURL(/page=2/);
        await settled(page);
        same(0, names(await rows(page)).filter(one => newest.includes(one) && !/\./.test(one)).length, 'jobs that were on the first part');
        await page.click('main .parts a >> text=Newer');
        await page.waitForURL(/page=1/);
        await settled(page);
        same(newest, names(await rows(page)), 'the newest');
    });

    await claim(says('a job is found by its number, and its page leads to its user'), async () => {
        await page.goto(`${site}/jobs?from=365d`);
        const link = page.locator('main tbody tr a').first();
        const job = await link.innerText();
        await page.focus('form.search input');
        if (options.javaScriptEnabled === false) {
            await page.fill('form.search input', job);
            await page.click('form.search button');
        } else {
            await page.keyboard.type(job); // into the palette
            await page.keyboard.press('Enter');
        }
        await page.waitForURL(url => url.pathname.startsWith(new URL(`${site}/job/`).pathname));
        await page.locator('main a[href*="/user/"]').first().click();
        await page.waitForURL(/\/user\//);
    });

    await claim(says('nothing on the way was blocked, wrong, or fetched from elsewhere'), async () => {
        same([], complaints, 'complaints');
    });

    await claim(says('logging out ends it'), async () => {
        await page.click('header button >> text=Log out');
        await page.waitForSelector('header a >> text=Log in');
        await page.goto(`${site}/jobs?from=365d`);
        same(0, (await rows(page)).length, 'jobs that anybody sees');
    });
    await context.close();
}

// A page is fetched once, and then looked at in every way.
async function everyPage() {
    const {context, page, complaints} = await open(browser, site, {});
    await logIn(page, site, name, password);
    for (const [what, path] of Object.entries(pages)) {
        await claim(`${what}: no serious fault`, async () => {
            await page.goto(site + path);
            await page.evaluate(axe);
            await faults(page);
        });
        await claim(`${what}: dark where the system is, and readable there`, async () => {
            await page.emulateMedia({colorScheme: 'dark'});
            const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
            holds(luminance(paper) < 0.2, `the paper is ${paper}`);
            await faults(page, ['color-contrast']);
        });
        await claim(`${what}: no wider than a phone`, async () => {
            await page.setViewportSize({width: 360, height: 740});
            same(0, Math.max(0, await excess(page)), 'columns too many');
            same([], complaints.splice(0), 'complaints');
        });
        await page.emulateMedia({colorScheme: 'light'});
        await page.setViewportSize({width: 1280, height: 900});
    }
    await context.close();
}

// What keeps people out, by axe: serious and critical.
async function faults(page, rules) {
    const found = await page.evaluate(
        only => window.axe.run(document, {resultTypes: ['violations'], ...(only ? {runOnly: only} : {})}), rules);
    const grave = found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
        .map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node => node.html.slice(0, 200)).join(' | ')}`);
    same([], grave, 'faults');
}

const luminance = colour => {
    const [r, g, b] = colour.match(/\d+/g).map(Number);
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
};

await tour('with script', {});
await tour('without script', {javaScriptEnabled: false});
await everyPage();
await browser.close();
finish();
