// SPDX-License-Identifier: MIT
//
// script.mjs SITE NAME PASSWORD [SCHEDULER]: what script adds to pages: values under the pointer and by the keys, series taken out,
// narrowing by click and by drawing over time, names as one types, and no full reload; within the bytes that were promised.
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {claim, finish, holds, launch, logIn, open, same, settled} from './browser.mjs';

const [site, name, password, scheduler] = process.argv.slice(2);
const browser = await launch();
const {context, page, complaints} = await open(browser, site);
const question = `${site}/explore/cpu_hours?by=cluster&every=month&from=365d`;

// One chart that answers; where its plot is, without the room for labels.
async function chartOf(address) {
    await page.goto(address);
    await page.waitForSelector('.c-live');
    const plot = page.locator('.c-live').first();
    await plot.scrollIntoViewIfNeeded();
    return plot.evaluate(found => {
        const svg = found.querySelector('svg').getBoundingClientRect();
        const [top, bottom] = found.querySelector('[data-box]').dataset.box.split(' ').map(Number);
        return {x: svg.left, width: svg.width, y: svg.top + top, height: bottom - top};
    });
}

const tipRows = () => page.$$eval('.c-tip:not(.c-linked) tr', rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));
const tableRows = () => page.$$eval('main tbody tr', rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));

// From now on a full reload would be noticed.
const mark = () => page.evaluate(() => { window.notReloaded = true; });
const reloaded = async () => !await page.evaluate(() => window.notReloaded);

await logIn(page, site, name, password);

// What the server drew: the marks, hatched or not, their names, and the writing; without what script added.
const drawing = () => page.$$eval('figure .c-plot > svg', all => all.map(svg => {
    const copy = svg.cloneNode(true);
    for (const added of copy.querySelectorAll('.c-hover, .c-cross, .c-at, .c-brush, .c-cell')) {
        added.remove();
    }
    for (const mark of copy.querySelectorAll('[class=""]')) {
        mark.removeAttribute('class');
    }
    return copy.outerHTML;
}));

await claim('the drawing is the same with and without script, and its marks are the values', async () => {
    const plain = await browser.newContext({javaScriptEnabled: false, storageState: await context.storageState()});
    for (const address of [question, `${site}/`, `${site}/cluster/alder`, `${site}/explore/jobs?by=user&from=365d&chart=bar`]) {
        const other = await plain.newPage();
        let [without, shown] = [['nothing'], []];
        for (let tries = 0; tries < 20 && JSON.stringify(without) !== JSON.stringify(shown); tries++) { // a job runs and grows meanwhile
            await page.goto(address);
            await page.waitForSelector('.c-live');
            await other.goto(address);
            without = await other.$$eval('figure .c-plot > svg', all => all.map(svg => svg.outerHTML));
            shown = await drawing();
        }
        same(without, shown, `the drawings of ${address}`);
        await other.close();
        const counts = await page.$$eval('figure[data-chart]', all => all.map(figure => {
            const data = JSON.parse(figure.dataset.chart);
            const bars = ['bar', 'stacked'].includes(data.kind);
            const marks = [...figure.querySelectorAll('[data-m]')].map(mark => mark.dataset.m.split(' ').map(Number));
            const values = data.series.flatMap((one, s) => one.values.map((value, at) => [s, at, value])).filter(one => one[2] !== null);
            return {
                missing: bars ? values.length - marks.length : 0,
                wrong: bars ? marks.filter(([s, at]) => data.series[s].values[at] === null).length : 0,
                partial: bars ? marks.filter(([, at]) => data.categories[at].partial).length - figure.querySelectorAll('.c-partial').length : 0,
                named: [...figure.querySelectorAll('[data-m] title')].filter(title => {
                    const [, at] = title.parentNode.dataset.m.split(' ').map(Number);
                    return !title.textContent.startsWith(data.categories[at].name);
                }).length,
            };
        }));
        holds(counts.length > 0, `${address} has no chart`);
        same([], counts.filter(one => Object.values(one).some(count => count !== 0)), `marks that are not the values of ${address}`);
    }
    await plain.close();
});

await claim('no element has a style attribute as it comes', async () => {
    for (const address of [question, `${site}/`, `${site}/job/990001`]) {
        same(-1, (await (await context.request.get(address)).text()).search(/<[^>]*\sstyle=/), `where ${address} has one`);
    }
});

await claim('the pointer shows the values of the table', async () => {
    const box = await chartOf(question);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector('.c-tip table');
    const tip = await tipRows();
    const month = (await page.innerText('.c-tip caption')).slice(0, 7);
    const table = await tableRows();
    const heads = await page.$$eval('main thead th', all => all.map(one => one.innerText));
    holds(tip.length >= 3, `${tip.length} clusters in the tip`);
    for (const [cluster, hours] of tip.filter(row => !['all', 'at least'].includes(row[0]))) {
        const row = table.find(cells => cells[0] === cluster);
        const cell = row?.[heads.findIndex(head => head.startsWith(month))];
        same(cell, hours === 'not recorded' ? '---' : hours, `${cluster} in ${month}`);
    }
});

await claim('the keys show them, choose one, mark a stretch of time and lead on', async () => {
    await chartOf(question);
    const at = () => page.innerText('.c-tip caption');
    await page.locator('.c-live').first().focus();
    await page.keyboard.press('End');
    await page.waitForSelector('.c-tip table');
    const last = await at();
    holds(/not whole/.test(last), `the last month is '${last}'`);
    await page.keyboard.press('ArrowLeft');
    const before = await at();
    holds(before < last, `${before} after ${last}`);
    same(before, (await page.innerText('.c-said')).split(':')[0], 'what is said');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.c-tip .c-chosen');
    await page.keyboard.press('Escape');
    same(0, await page.locator('.c-tip').count(), 'tips after Escape');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const to = await at();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    const from = await at();
    await page.waitForSelector('.c-brush');
    await mark();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`from=${from}&to=${to}`));
    await settled(page);
    holds(!await reloaded(), 'it was reloaded');
});

await claim('the bar of all others together leaves the named ones their room', async () => {
    const box = await chartOf(`${site}/explore/jobs?by=user&from=365d&chart=bar`);
    const longest = await page.locator('[data-m] rect').first().evaluate(rect => rect.getBoundingClientRect().width);
    holds(longest > 0.4 * box.width, `the first bar reaches over ${longest} of ${box.width}`);
});

await claim('the only value that is recorded can be seen', async () => {
    await chartOf(`${site}/explore/cpu_hours?every=year&cluster=elm&from=2020&to=2026&chart=area`);
    const box = await page.locator('[data-s] path').first().boundingBox();
    holds(box.width > 2 && box.height > 2, JSON.stringify(box));
});

await claim('a series is taken out by its name, and those above it come down', async () => {
    const box = await chartOf(question);
    const middle = () => page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const shown = () => page.locator('[data-m]:not(.c-out)').count();
    await middle();
    await page.waitForSelector('.c-tip table');
    const all = await shown();
    const before = await page.locator('.c-tip tr:not(.c-sum)').count();
    const button = page.locator('.c-legend button').first();
    const second = page.locator('[data-m^="1 "] rect').first();
    const high = Number(await second.getAttribute('y'));
    await button.click();
    same('false', await button.getAttribute('aria-pressed'), 'the button');
    holds(await shown() < all, 'no mark went away');
    holds(Number(await second.getAttribute('y')) >= high, 'the second series did not come down');
    await middle();
    same(before - 1, await page.locator('.c-tip tr:not(.c-sum)').count(), 'rows of the tip');
    await button.click();
    same(all, await shown(), 'marks after it is back');
    same(high, Math.round(Number(await second.getAttribute('y')) * 100) / 100, 'where the second series is after it is back');
});

await claim('a click on a part of a bar narrows the question to its name, and back goes back, without a full reload', async () => {
    const box = await chartOf(question);
    await mark();
    // the lowest part of some bar: the first series
    for (let x = box.x + box.width * 0.4; page.url() === question && x < box.x + box.width; x += 10) {
        await page.mouse.click(x, box.y + box.height - 2);
        await settled(page);
    }
    await page.waitForURL(/[?&]cluster=/);
    holds(/by=partition/.test(page.url()), page.url());
    await page.waitForSelector('.pill.filter');
    await page.goBack();
    await page.waitForURL(question);
    await settled(page);
    same(0, await page.locator('.pill.filter').count(), 'filters');
    holds(!await reloaded(), 'it was reloaded');
});

await claim('a forecast is a line that ends in a band, of which the keys tell the range', async () => {
    const day = ahead => new Date(Date.now() + ahead * 86400e3).toISOString().slice(0, 10);
    await chartOf(`${site}/answer/forecast?measure=cpu_hours&from=${day(-60)}&to=${day(60)}`);
    same(1, await page.locator('.c-live .c-band').count(), 'bands');
    await page.locator('.c-live').first().focus();
    await page.keyboard.press('End');
    await page.waitForSelector('.c-tip table');
    const [[, expected, range]] = (await tipRows()).filter(row => row.length === 3);
    const [low, high] = range.split(' to ').map(text => Number(text.replaceAll(',', '')));
    const middle = Number(expected.replaceAll(',', ''));
    holds(low < middle && middle < high, `${middle} from ${low} to ${high}`);
});

await claim('one line goes through all charts of the same time', async () => {
    const box = await chartOf(`${site}/job/990001`);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector('.c-tip.c-linked');
    holds(await page.locator('.c-tip').count() >= 3, 'fewer than three charts answer');
    const moments = new Set(await page.$$eval('.c-tip caption', all => all.map(one => one.textContent)));
    same(1, moments.size, `moments: ${[...moments]}`);
});

await claim('drawing over time narrows the period', async () => {
    const box = await chartOf(question);
    await mark();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, {steps: 4});
    await page.mouse.move(box.x + box.width * 0.7, y, {steps: 4});
    await page.mouse.up();
    await page.waitForURL(/from=20\d\d-\d\d&to=20\d\d-\d\d/);
    await page.waitForFunction(() => !/365d/.test(document.querySelector('main input[name=from]').value));
    holds(!await reloaded(), 'it was reloaded');
});

await claim('drawing over the timeline of a job shows that stretch of it alone', async () => {
    const box = await chartOf(`${site}/job/990001`);
    await mark();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, {steps: 4});
    await page.mouse.move(box.x + box.width * 0.7, y, {steps: 4});
    await page.mouse.up();
    await page.waitForURL(/\/answer\/timeline\?.*from=20\d\d-\d\d-\d\d.*to=20\d\d-/);
    await page.waitForSelector('main figure');
    holds(!await reloaded(), 'it was reloaded');
});

await claim('a heat map has its values under the pointer, and drawing over it narrows the period', async () => {
    const map = `${site}/live/use?from=2d`;
    const box = await chartOf(map);
    await mark();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector('.c-tip table');
    const [node, use] = await page.$$eval('.c-tip:not(.c-linked) td', cells => cells.map(cell => cell.innerText));
    const moment = await page.innerText('.c-tip:not(.c-linked) caption');
    await page.click('main .panel:first-child details:not(.ways) summary');
    const table = await page.$$eval('main .panel:first-child tbody tr', rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));
    const row = table.find(cells => cells.includes(node) && cells.includes(moment));
    same(use, row?.at(-1), `${node} at ${moment}`);
    await page.click('main .panel:first-child details:not(.ways) summary');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, {steps: 4});
    await page.mouse.move(box.x + box.width * 0.7, y, {steps: 4});
    await page.mouse.up();
    await page.waitForURL(/\/live\/use\?from=20\d\d-.*to=20\d\d-/);
    await settled(page);
    holds(!await reloaded(), 'it was reloaded');
});

await claim('a form and a link change the page without a full reload', async () => {
    await page.goto(`${site}/explore`);
    await mark();
    await page.focus('select[name=by] >> nth=0');
    await page.selectOption('select[name=by] >> nth=0', 'user');
    await page.waitForURL(/by=user/);
    await settled(page);
    same('by', await page.evaluate(() => document.activeElement.name), 'what has the focus once it is asked');
    await page.click('.presets a >> text=12 months');
    await page.waitForURL(/from=365d/);
    await settled(page);
    await page.waitForSelector('main tbody a');
    await page.locator('main tbody a').first().click();
    await page.waitForURL(/\/user\//);
    await page.waitForSelector('h1 .thing');
    same('main', await page.evaluate(() => document.activeElement.id), 'where the focus is');
    holds(!await reloaded(), 'it was reloaded');
});

await claim('names are completed as one types', async () => {
    await page.goto(`${site}/explore?by=user&from=365d`);
    await page.selectOption('select[name=filter]', 'cluster');
    await page.locator('input[name=pattern]').pressSequentially('birch,!al');
    await page.waitForFunction(() => document.querySelector('datalist option'));
    same(['birch,!alder'], await page.$$eval('datalist option', all => all.map(one => one.value)), 'names');
});

if (scheduler) {
    await claim('a page about now follows the scheduler, without a full reload', async () => {
        const list = `${scheduler}/qstat.xml`;
        await page.goto(`${site}/live`);
        await mark();
        same(0, await page.locator('main >> text=newcomer').count(), 'jobs of the newcomer');
        writeFileSync(`${list}.new`, readFileSync(list, 'utf8').replace(/<JB_owner>ann</, '<JB_owner>newcomer<')
            .replace(/<JB_job_number>7</, '<JB_job_number>77<'));
        renameSync(`${list}.new`, list);
        await page.waitForSelector('main >> text=newcomer');
        holds(!await reloaded(), 'it was reloaded');
    });
}

// What the palette lists, as "title: first name".
const listed = () => page.$$eval('.palette section', all => all.map(one => `${one.querySelector('h2').innerText}: ${one.querySelector('.hit-name').innerText}`));

await claim('/ opens the palette, which finds as one types, and Enter opens what the arrows chose', async () => {
    await page.goto(`${site}/`);
    await mark();
    await page.keyboard.press('/');
    same('q', await page.evaluate(() => document.activeElement.name), 'the field');
    await page.keyboard.type('ANNA');
    await page.waitForSelector('.palette .hit >> text=anna');
    holds((await listed()).some(one => one === 'People: anna'), (await listed()).join(', '));
    const first = await page.getAttribute('.palette [aria-selected=true]', 'id');
    await page.keyboard.press('ArrowDown');
    const second = await page.getAttribute('.palette [aria-selected=true]', 'id');
    holds(first !== second, 'the arrow chooses nothing');
    same(second, await page.getAttribute('.palette input', 'aria-activedescendant'), 'what a screen reader is told');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site}/user/anna`);
    await settled(page);
    same(0, await page.locator('.palette').count(), 'palettes');
    holds(!await reloaded(), 'it was reloaded');
});

await claim('Enter before the list has come opens its first, and what is not there is said', async () => {
    await page.goto(`${site}/`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cpu hours');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site}/explore/cpu_hours`);
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no-such-thing');
    await page.waitForSelector('.palette .found-nothing');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site}/search?q=no-such-thing`);
});

await claim('Escape closes the palette, and the focus is where it was', async () => {
    await page.goto(`${site}/quality`);
    await page.focus('nav a >> text=Jobs');
    await page.keyboard.press('/');
    await page.waitForSelector('.palette');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.palette', {state: 'detached'});
    same('Jobs', await page.evaluate(() => document.activeElement.innerText), 'the focus');
});

await claim('the palette has no serious fault, with results and without', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await page.goto(`${site}/`);
    await page.evaluate(axe);
    for (const text of ['an', 'no-such-thing']) {
        await page.keyboard.press('Control+k');
        await page.keyboard.type(text);
        await page.waitForSelector('.palette .hit, .palette .found-nothing');
        const faults = await page.evaluate(() => window.axe.run(document.querySelector('.palette'), {resultTypes: ['violations']}));
        same([], faults.violations.filter(one => ['serious', 'critical'].includes(one.impact)).map(one => `${one.id} ${one.nodes[0].html.slice(0, 120)}`), 'faults');
        await page.keyboard.press('Escape');
    }
});

await claim('g and a letter go to a page', async () => {
    await page.goto(`${site}/`);
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.waitForURL(`${site}/jobs`);
});

await claim('the bytes are within what was promised', async () => {
    const sizes = {};
    for (const file of ['stint.css', 'stint.js']) {
        const reply = await context.request.get(`${site}/static/${file}`, {headers: {'Accept-Encoding': 'gzip'}});
        sizes[file] = Number(reply.headers()['content-length']) || (await reply.body()).length;
        same('gzip', reply.headers()['content-encoding'], `how ${file} comes`);
    }
    const {gzipSync} = await import('node:zlib');
    for (const file of Object.keys(sizes)) {
        sizes[file] = gzipSync(await (await context.request.get(`${site}/static/${file}`)).body(), {level: 6}).length;
    }
    const html = (await (await context.request.get(`${site}/`)).body()).length;
    holds(sizes['stint.js'] < 60e3, `script of every page: ${sizes['stint.js']}`);
    holds(html + sizes['stint.css'] < 100e3, `HTML ${html}, style ${sizes['stint.css']}`);
});

await claim('a file that was not changed is not sent again', async () => {
    const first = await context.request.get(`${site}/static/stint.js`);
    const again = await context.request.get(`${site}/static/stint.js`, {headers: {'If-None-Match': first.headers().etag}});
    same(304, again.status(), 'status');
});

await claim('nothing of it was blocked, wrong, or fetched from elsewhere', async () => same([], complaints, 'complaints'));

await context.close();
await browser.close();
finish();
