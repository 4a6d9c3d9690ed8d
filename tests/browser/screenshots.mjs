// SPDX-License-Identifier: MIT
//
// screenshots.mjs SITE NAME PASSWORD FOLDER [PAGE...]: pictures of pages, for people to look at: light, dark, on a phone.
import {mkdirSync} from 'node:fs';
import {launch, logIn, open, pages} from './browser.mjs';

const [site, name, password, folder, ...wanted] = process.argv.slice(2);
const looks = {
    light: {},
    dark: {colorScheme: 'dark'},
    phone: {viewport: {width: 360, height: 740}, isMobile: true, hasTouch: true},
};

mkdirSync(folder, {recursive: true});
const browser = await launch();
for (const [look, options] of Object.entries(looks)) {
    const {context, page} = await open(browser, site, options);
    await logIn(page, site, name, password);
    for (const [what, path] of Object.entries(pages)) {
        if (wanted.length === 0 || wanted.includes(what)) {
            await page.goto(site + path);
            await page.screenshot({path: `${folder}/${what}-${look}.png`, fullPage: true});
        }
    }
    await context.close();
}
await browser.close();
