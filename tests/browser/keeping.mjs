// SPDX-License-Identifier: MIT
//
// keeping.mjs SITE ADMIN PASSWORD USER PASSWORD: what is kept by forms: decisions of an admin, views, tokens; each in a
// browser with script and in one without.
import {claim, finish, holds, launch, logIn, open, same} from './browser.mjs';

const [site, admin, adminPassword, user, userPassword] = process.argv.slice(2);
const browser = await launch();
const cells = page => page.$$eval('main tbody tr', rows => rows.map(row => row.innerText));

async function keep(how, options) {
    const {context, page, complaints} = await open(browser, site, options);
    const says = what => `${how}: ${what}`;
    await logIn(page, site, admin, adminPassword);

    await claim(says('an admin adds, changes and removes a target'), async () => {
        await page.goto(`${site}/admin/target`);
        for (const [field, value] of Object.entries({name: 'pledge', measure: 'cpu_hours', amount: '1000', per: 'year'})) {
            await (field === 'per' ? page.selectOption('form.question select[name=per]', value) : page.fill(`form.question input[name=${field}]`, value));
        }
        await page.click('form.question button');
        await page.waitForSelector('main tbody tr');
        holds((await cells(page))[0].includes('1000'), 'it is not there');
        await page.click('main tbody a >> text=Change');
        await page.waitForURL(/change=pledge/);
        await page.fill('form.question input[name=amount]', '2000');
        await page.click('form.question button');
        await page.waitForURL(`${site}/admin/target`);
        holds((await cells(page))[0].includes('2000'), 'it is as before');
        await page.click('main tbody button >> text=Remove');
        await page.waitForSelector('text=None yet.');
    });

    await claim(says('what cannot be is said where it can be mended'), async () => {
        await page.goto(`${site}/admin/target`);
        await page.fill('form.question input[name=name]', 'odd');
        await page.fill('form.question input[name=amount]', 'many');
        await page.click('form.question button');
        await page.waitForSelector('main .failure');
        holds(await page.isVisible('form.question input[name=name]'), 'there is no form');
    });

    await claim(says('a question is kept under a name, and shared'), async () => {
        await page.goto(`${site}/explore/jobs?by=cluster&from=365d`);
        if (!await page.isVisible('.views input[name=name]')) {
            await page.click('.views summary');
        }
        await page.fill('.views input[name=name]', `by cluster ${how}`);
        await page.selectOption('.views select[name=share]', 'user');
        await page.click('.views button');
        await page.waitForSelector(`.views a >> text=by cluster ${how}`);
        same(`${site}/explore/jobs?by=cluster&from=365d`, page.url(), 'where it leads back to');
    });
    await claim(says('an amount goes to another account when the plan is carried out, and not before'), async () => {
        const entries = async () => (await page.request.get(`${site}/api/v1/bank.json?action=history&word=chem`)).json();
        const before = (await entries()).length;
        await page.goto(`${site}/bank/chem`);
        await page.fill('form.question input[name=amount]', '5.5');
        await page.selectOption('form.question select[name=into]', 'bio');
        await page.fill('form.question input[name=note]', how);
        await page.click('form.question button >> text=Show the plan');
        await page.waitForURL(/amount=5.5&into=bio/);
        holds((await cells(page))[0].includes('-5.5'), 'the plan does not say what it takes');
        same(before, (await entries()).length, 'entries while it is a plan');
        await page.click('main button >> text=Transfer 5.5 SU to bio');
        await page.waitForURL(`${site}/bank/chem`);
        same([before + 1, how], [(await entries()).length, (await entries()).at(-1).why], 'entries, and why the last was made');
    });
    await context.close();

    const other = await open(browser, site, options);
    await logIn(other.page, site, user, userPassword);
    await claim(says('others see it, and it leads to the question'), async () => {
        await other.page.goto(`${site}/explore`);
        await other.page.click(`.views a >> text=by cluster ${how}`);
        await other.page.waitForURL(`${site}/explore/jobs?by=cluster&from=365d`);
    });

    await claim(says('somebody makes a token for themselves, which is shown once and can be revoked'), async () => {
        await other.page.goto(`${site}/me`);
        await other.page.fill('form.question input[name=word]', 'laptop');
        await other.page.click('form.question button');
        await other.page.waitForURL(/\/do\/token$/);
        const token = (await other.page.innerText('main')).match(/stint_\S+/)[0];
        const asked = await fetch(`${site}/api/v1/whoami`, {headers: {Authorization: `Bearer ${token}`}});
        const whoami = await asked.json();
        same(['user', [user]], [whoami.role, whoami.logins], 'what it may do');
        await other.page.goto(`${site}/me`);
        holds(!(await other.page.innerText('main')).includes(token), 'it is shown again');
        const revoked = other.page.waitForResponse(reply => reply.request().method() === 'POST');
        await other.page.click('main tbody button >> text=Revoke');
        await revoked; // or the next page would be asked for instead
        await other.page.goto(`${site}/me`);
        same(0, await other.page.locator('main button >> text=Revoke').count(), 'tokens');
        same(401, (await fetch(`${site}/api/v1/whoami`, {headers: {Authorization: `Bearer ${token}`}})).status, 'afterwards');
    });

    await claim(says('what is for admins is not for others'), async () => {
        same(0, await other.page.locator('nav >> text=Admin').count(), 'in the menu');
        await other.page.goto(`${site}/admin/user`);
        holds(await other.page.isVisible('main .failure'), 'they see it');
        same(403, (await other.page.request.get(`${site}/inside`)).status(), 'inside');
    });
    await claim(says('nothing was blocked or wrong'), async () => same([], [...complaints, ...other.complaints], 'complaints'));
    await other.context.close();
}

await keep('with script', {});
await keep('without script', {javaScriptEnabled: false});
await browser.close();
finish();
