// SPDX-License-Identifier: MIT
//
// openid.mjs SITE LABEL NAME: somebody whom a provider knows comes in by it, from a page to the same page, and goes out again; in a
// browser with script and in one without.
import {claim, finish, holds, launch, open, same} from './browser.mjs';

const [site, label, name] = process.argv.slice(2);
const browser = await launch();
const wanted = `${site}/explore/jobs?by=user&from=2024&to=2025`;

for (const [how, options] of Object.entries({'with script': {}, 'without script': {javaScriptEnabled: false}})) {
    const {context, page} = await open(browser, site, options);
    await claim(`${how}: the provider leads in, back to the page one came from`, async () => {
        await page.goto(wanted);
        same(0, await page.locator('main tbody tr').count(), 'rows that anybody sees');
        await page.click('header a >> text=Log in');
        await page.waitForURL(/\/login\?back=/);
        await page.click(`main a >> text=Log in with ${label}`);
        await page.waitForURL(wanted);
        same(name, (await page.innerText('.login')).trim(), 'who is logged in');
        holds(await page.locator('main tbody tr').count() > 0, 'there is no answer');
    });
    await claim(`${how}: whoever came in by it goes out by the button`, async () => {
        await page.click('header button >> text=Log out');
        await page.waitForSelector('header a >> text=Log in');
    });
    await context.close();
}
await browser.close();
finish();
