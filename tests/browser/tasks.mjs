// SPDX-License-Identifier: MIT
//
// tasks.mjs SITE NAME PASSWORD: eleven things people come for, each done from the page it begins on with no more actions than are
// stated. An action is a click, a choice from a list, or a text that is typed and sent with Enter.
import {claim, finish, holds, launch, logIn, open, same, settled} from './browser.mjs';

const [site, name, password] = process.argv.slice(2);
const browser = await launch();
const {context, page, complaints} = await open(browser, site);
let actions = 0;

const click = async selector => {
    actions++;
    await page.click(selector);
    await settled(page);
};
const choose = async (selector, value) => {
    actions++;
    await page.selectOption(selector, value);
    await settled(page);
};
const find = async text => { // "/" belongs to the text: it is one movement of the hands
    actions++;
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.palette', {state: 'detached'});
    await settled(page);
};
const type = async (selector, text) => {
    actions++;
    await page.fill(selector, text);
    await page.press(selector, 'Enter');
    await settled(page);
};
const pick = async text => { // a choice from a list that is searched
    actions++;
    await page.click('.picker summary');
    await page.waitForFunction(() => document.activeElement?.matches('.find-in'));
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await settled(page);
};

// task TITLE, FROM, AT MOST, STEPS: the steps throw where the answer is not there.
async function task(title, from, most, steps) {
    await claim(`${title}, in ${most === 1 ? 'one action' : `${most} actions`}`, async () => {
        await page.goto(site + from);
        actions = 0;
        await steps();
        holds(actions <= most, `it took ${actions} actions`);
    });
}

const text = selector => page.innerText(selector);
const address = part => page.waitForURL(url => decodeURIComponent(url.href).includes(part));

await logIn(page, site, name, password);

await task('why a job died', '/', 1, async () => {
    await find('990001');
    await address('/job/990001');
    holds((await text('main')).includes('anna'), 'the page does not say whose it is');
});

await task('GPU hours by group of the last 12 months, stacked', '/explore', 3, async () => {
    await pick('gpu hours');
    await choose('select[name=by] >> nth=0', 'group');
    await click('.presets a >> text=12 months');
    await address('/explore/gpu_hours?by=group&every=month&from=365d');
    same('GPU hours by month, split by group', await text('h1'), 'the question');
    holds(await page.isVisible('main figure'), 'there is no picture');
});

await task('GPU hours by group this year, as a PDF', '/explore', 4, async () => {
    await page.evaluate(() => { window.print = () => { window.wasPrinted = true; }; });
    await pick('gpu hours');
    await choose('select[name=by] >> nth=0', 'group');
    await click('.presets a >> text=This year');
    await click('.qbar button >> text=PDF');
    await address('from=this-year');
    holds(await page.evaluate(() => window.wasPrinted), 'nothing is printed');
    await page.emulateMedia({media: 'print'});
    holds(!await page.isVisible('.qbar') && await page.isVisible('main figure'), 'the controls are on paper, or the picture is not');
    await page.emulateMedia({media: 'screen'});
});

await task('which nodes are down', '/', 1, async () => {
    await click('nav a >> text=Live');
    await page.waitForURL(`${site}/live`);
    const all = await text('main');
    holds(all.includes('elm3') && all.includes('elm4'), 'they are not named');
});

await task('who holds what they do not use', '/', 2, async () => {
    await click('.more summary');
    await click('.more a >> text=Hogs');
    await page.waitForURL(`${site}/hogs`);
});

await task('who used most', '/explore', 1, async () => {
    await choose('select[name=by] >> nth=0', 'user');
    await page.waitForSelector('main tbody a[href*="/user/"]');
});

await task('whether people wait longer than before', '/', 2, async () => {
    await find('wait median');
    await choose('select[name=with]', 'previous');
    await address('with=previous');
});

await task('when it is busy', '/', 2, async () => {
    await click('.more summary');
    await click('.more a:has-text("When")');
    await page.waitForURL(`${site}/when`);
    holds(await page.isVisible('main figure'), 'there is no picture');
});

await task('which groups lose most', '/', 3, async () => {
    await click('.more summary');
    await click('.more a:has-text("Waste")');
    await choose('select[name=by]', 'group');
    await address('/waste?by=group');
});

await task('two jobs side by side', '/compare', 1, async () => {
    await type('input[name=job]', '1, 2');
    await address('job=1');
    holds((await text('main')).includes('Jobs side by side'), 'they are not');
});

await task('the numbers as a file', '/explore/cpu_hours?by=group&from=365d', 1, async () => {
    const [file] = await Promise.all([page.waitForEvent('download'), click('.qbar .end a >> text=CSV')]);
    holds(/csv/.test(file.suggestedFilename()), file.suggestedFilename());
});

await claim('nothing on the way was blocked or wrong', async () => same([], complaints, 'complaints'));

await context.close();
await browser.close();
finish();
