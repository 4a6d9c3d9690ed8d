// SPDX-License-Identifier: MIT
//
// empty.mjs SITE NAME PASSWORD: a site that has no data yet says so on every page that would show some, and nothing breaks.
import {claim, excess, finish, holds, launch, logIn, open, pages, same} from './browser.mjs';

const [site, name, password] = process.argv.slice(2);
const browser = await launch();
const {context, page, complaints} = await open(browser, site, {viewport: {width: 360, height: 740}});
await logIn(page, site, name, password);
// those that show data; of several that are made alike, one
const telling = ['overview', 'explore', 'jobs', 'compare', 'compare-jobs', 'live', 'live-nodes', 'live-gpus', 'soonest', 'me', 'hogs', 'live-use',
    'bank', 'bank-account', 'quote', 'job-sampled', 'node', 'quality', 'search', 'user'];
for (const what of telling) {
    const path = pages[what];
    await claim(`${what}: there without data`, async () => {
        const reply = await page.goto(site + path);
        holds(reply.status() < 500, `status ${reply.status()}`);
        holds(await page.isVisible('h1'), 'it has no title');
        same(0, Math.max(0, await excess(page)), 'columns too many');
        same([], complaints.splice(0), 'complaints');
    });
}
await context.close();
await browser.close();
finish();
