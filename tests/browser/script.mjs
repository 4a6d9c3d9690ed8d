// SPDX-License-Identifier: MIT
//
// script.mjs SITE NAME PASSWORD [SCHEDULER]: what script adds to pages: values under the pointer, series switched off, narrowing by click
// and by drawing over time, names as one types, and no full reload; within the bytes that were promised.
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {claim, finish, holds, launch, logIn, open, same, settled} from './browser.mjs';

const [site, name, password, scheduler] = process.argv.slice(2);
const browser = await launch();
const {context, page, complaints} = await open(browser, site);
const question = `${site}/explore/cpu_hours?by=cluster&every=month&from=365d`;

// One chart, drawn; and where it is.
async function chartOf(address) {
    await page.goto(address);
    await page.waitForSelector('figure.drawn canvas');
    await page.locator('figure.drawn canvas').first().scrollIntoViewIfNeeded();
    return page.locator('figure.drawn canvas').first().boundingBox();
}

// From now on a full reload would be noticed.
const mark = () => page.evaluate(() => { window.notReloaded = true; });
const reloaded = async () => !await page.evaluate(() => window.notReloaded);

await logIn(page, site, name, password);

await claim('the chart has the room of the picture, which stays for paper', async () => {
    await page.goto(question, {waitUntil: 'commit'});
    const box = await chartOf(question);
    holds(box.height >= 240 && box.width >= 600, JSON.stringify(box));
    same('none', await page.$eval('figure.drawn > svg', svg => getComputedStyle(svg).display), 'the picture on a screen');
    await page.emulateMedia({media: 'print'});
    same('block', await page.$eval('figure.drawn > svg', svg => getComputedStyle(svg).display), 'the picture on paper');
    await page.emulateMedia({media: 'screen'});
});

await claim('the pointer shows the values of the table', async () => {
    const box = await chartOf(question);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector('.tip table');
    const tip = await page.$$eval('.tip tr', rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));
    const month = (await page.innerText('.tip caption')).slice(0, 7);
    const table = await page.$$eval('main tbody tr', rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));
    holds(tip.length >= 3, `${tip.length} clusters in the tip`);
    for (const [cluster, hours] of tip) {
        const row = table.find(cells => cells[0] === cluster && cells[1].startsWith(month));
        same(row ? row[2] : '0.0', hours, `${cluster} in ${month}`);
    }
});

// How many points of the colour of the first series each row of the canvas has.
const colouredRows = () => page.locator('figure.drawn canvas').first().evaluate(canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const rows = new Array(canvas.height).fill(0);
    for (let at = 0; at < data.length; at += 4) {
        const off = Math.abs(data[at] - 0x1d) + Math.abs(data[at + 1] - 0x5f) + Math.abs(data[at + 2] - 0x91);
        rows[Math.floor(at / 4 / canvas.width)] += off < 30 ? 1 : 0;
    }
    return rows.map(count => count / canvas.width);
});

await claim('the bar of all others together leaves the named ones their room', async () => {
    await chartOf(`${site}/explore/jobs?by=user&from=365d&chart=bar`);
    const rows = await colouredRows();
    const longest = Math.max(...rows.slice(0, Math.floor(rows.length / 4)));
    holds(longest > 0.4, `the first bars reach over ${longest} of the chart`);
});

await claim('the only value that is recorded can be seen', async () => {
    await page.goto(`${site}/explore/cpu_hours?every=year&cluster=elm&from=2020&to=2026&chart=area`);
    await page.waitForSelector('figure.drawn canvas');
    const coloured = (await colouredRows()).filter(share => share > 0).length;
    holds(coloured > 2, `${coloured} rows of it are drawn`);
});

await claim('a series is switched off by its name', async () => {
    const box = await chartOf(question);
    const middle = () => page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await middle();
    await page.waitForSelector('.tip table');
    const before = await page.locator('.tip tr').count();
    await page.mouse.click(box.x + 30, box.y + 12); // the first name of the legend
    await middle();
    await page.waitForFunction(n => document.querySelectorAll('.tip tr').length === n, before - 1);
});

await claim('a click on a part of a bar narrows the question to its name, and back goes back, without a full reload', async () => {
    const box = await chartOf(question);
    await mark();
    // the lowest part of some bar: the first series
    for (let x = box.x + box.width * 0.4; page.url() === question && x < box.x + box.width; x += 10) {
        await page.mouse.click(x, box.y + box.height - 45);
        await settled(page);
    }
    await page.waitForURL(/[?&]cluster=/);
    holds(/by=partition/.test(page.url()), page.url());
    await page.waitForSelector('.filters a');
    await page.goBack();
    await page.waitForURL(question);
    await settled(page);
    same(0, await page.locator('.filters').count(), 'filters');
    holds(!await reloaded(), 'it was reloaded');
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
    await page.waitForSelector('.tip table');
    const [node, use] = await page.$$eval('.tip td', cells => cells.map(cell => cell.innerText));
    const moment = await page.innerText('.tip caption');
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
    await page.selectOption('select[name=by]', 'user');
    await page.fill('input[name=from]', '365d');
    await page.click('main form.question button[type=submit]');
    await page.waitForURL(/by=user&from=365d/);
    await page.waitForSelector('main tbody a');
    await page.locator('main tbody a').first().click();
    await page.waitForURL(/\/user\//);
    await page.waitForSelector('h1 .thing');
    same('main', await page.evaluate(() => document.activeElement.id), 'where the focus is');
    holds(!await reloaded(), 'it was reloaded');
});

await claim('names are completed as one types', async () => {
    await page.goto(`${site}/explore`);
    await page.selectOption('select[name=filter]', 'cluster');
    await page.fill('input[name=from]', '365d');
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

await claim('/ goes to the search box', async () => {
    await page.goto(`${site}/`);
    await page.keyboard.press('/');
    same('q', await page.evaluate(() => document.activeElement.name), 'the field');
});

await claim('the bytes are within what was promised', async () => {
    const sizes = {};
    for (const file of ['stint.css', 'stint.js', 'charts.js']) {
        const reply = await context.request.get(`${site}/static/${file}`, {headers: {'Accept-Encoding': 'gzip'}});
        sizes[file] = Number(reply.headers()['content-length']) || (await reply.body()).length;
        same('gzip', reply.headers()['content-encoding'], `how ${file} comes`);
    }
    const {gzipSync} = await import('node:zlib');
    for (const file of Object.keys(sizes)) {
        sizes[file] = gzipSync(await (await context.request.get(`${site}/static/${file}`)).body(), {level: 6}).length;
    }
    const html = (await (await context.request.get(`${site}/`)).body()).length;
    holds(sizes['stint.js'] < 40e3, `script of every page: ${sizes['stint.js']}`);
    holds(sizes['stint.js'] + sizes['charts.js'] < 250e3, `script with charts: ${sizes['charts.js']}`);
    holds(html + sizes['stint.css'] < 100e3, `HTML ${html}, style ${sizes['stint.css']}`);
});

await claim('a file that was not changed is not sent again', async () => {
    const first = await context.request.get(`${site}/static/charts.js`);
    const again = await context.request.get(`${site}/static/charts.js`, {headers: {'If-None-Match': first.headers().etag}});
    same(304, again.status(), 'status');
});

await claim('nothing of it was blocked, wrong, or fetched from elsewhere', async () => same([], complaints, 'complaints'));

await context.close();
await browser.close();
finish();
