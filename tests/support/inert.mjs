// SPDX-License-Identifier: MIT
//
// node inert.mjs: as those who see everything of tests/support/hostile_site.sh, whose names attack whoever shows them: a page is made of the
// elements of its templates and of nothing else, a picture is XML without script, a cell is no formula where that is asked, and every text comes
// back as it was. Writes shown.N.svg and metrics for other programs to read.
import { writeFileSync } from 'node:fs';
import { ask, finish, people } from './door.mjs';
import { addresses, March, pageOf } from './pages.mjs';

const wrong = [];
let looked = 0;
const staff = people.ways.token.staff;
const admin = people.ways.session.admin;

// --- HTML and SVG ---

const attribute = /\s+([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;
const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[^\s=>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/?>/g;
const banned = /^(img|iframe|object|embed|base|applet|foreignobject|b)$/i;
const leads = /^(href|src|action|formaction|xlink:href|data)$/i;
const own = /^(\/(?!\/)|\?|#|data:,$|$)/;
// Characters that end a terminal's line, ring, or turn the order of the text.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/;

function faults(text) {
    const found = [];
    const rest = text.replaceAll(/<!--[^]*?-->|<!DOCTYPE html>|<\?xml[^>]*\?>/gi, '').replaceAll(tag, (all, end, name, attributes) => {
        if (banned.test(name) || (/^script$/i.test(name) && !end && !/ src="\/static\/[a-z.]+"/.test(attributes))) found.push(all);
        for (const [, key, quoted, single] of attributes.matchAll(attribute)) {
            const value = quoted ?? single ?? '';
            if (/^on/i.test(key) || (leads.test(key) && !own.test(value))) found.push(all);
        }
        return '';
    });
    const stray = rest.indexOf('<');
    if (stray >= 0) found.push(rest.slice(stray, stray + 60));
    const turned = unseen.exec(text);
    if (turned) found.push(`U+${turned[0].codePointAt().toString(16)} in ${JSON.stringify(text.slice(Math.max(0, turned.index - 60), turned.index + 20))}`);
    return found;
}

let shown = 0; // pages that had something of theirs
function isInert(path, reply) {
    looked++;
    shown += /quux|corge/.test(reply.text);
    if (reply.status >= 500) wrong.push(`${path}: ${reply.status}`);
    if (reply.headers['x-content-type-options'] !== 'nosniff') wrong.push(`${path} may be taken for something else`);
    faults(reply.text).slice(0, 2).forEach(one => wrong.push(`${path}: ${one}`));
}

const pages = [...addresses, ...['user', 'group', 'metagroup', 'cluster', 'name'].map(kind => pageOf(kind, people.hostile[kind])), `/bank/${encodeURIComponent(people.hostile.account)}?from=2026-01-01`, '/job/70003',
    '/search?q=' + encodeURIComponent('"><script>alert(1)</script>'), '/explore/' + encodeURIComponent('<script>') + '?by=' + encodeURIComponent('"><img src=x>'), '/' + encodeURIComponent('<script>alert(1)</script>'),
    '/login?back=' + encodeURIComponent('javascript:alert(1)'), '/jobs?user=' + encodeURIComponent('"><script>') + `&${March}`, '/admin/metagroup?change=' + encodeURIComponent(people.hostile.metagroup)];
for (const page of pages) {
    const reply = await ask(admin, page);
    if (!/default-src 'none'|default-src 'self'/.test(reply.headers['content-security-policy'] ?? '')) wrong.push(`${page} has no policy`);
    isInert(page, reply);
}
if (shown < 25) wrong.push(`only ${shown} pages show anything of theirs`);

let picture = 0;
for (const words of ['report.svg?measure=jobs&by=user', 'report.svg?measure=jobs&by=group,account&chart=bar', 'report.svg?measure=cpu_hours&by=cluster&every=day', 'top.svg?dimension=partition', 'timeline.svg?of=job_cpus&by=user',
    `report.svg?measure=jobs&by=name&title=${encodeURIComponent('</title><script>alert(1)</script>')}`, 'report.svg?measure=jobs&by=project,department,qos,reservation,gpu_type']) {
    const reply = await ask(staff, `/api/v1/${words}&${March}`);
    isInert(words, reply);
    writeFileSync(`shown.${++picture}.svg`, reply.text);
}

// --- tables, JSON and metrics ---

const everything = `jobs?${March}&fields=all`;
const runs = JSON.parse((await ask(staff, `/api/v1/${everything}`)).text).filter(run => run.user === people.hostile.user);
looked++;
for (const name of ['user', 'group', 'account', 'partition', 'project', 'department', 'qos', 'reservation', 'gpu_type', 'name']) {
    if (runs.length !== 3 || runs.some(run => run[name] !== people.hostile[name])) wrong.push(`${name} is not as it was in JSON: ${JSON.stringify(runs[0]?.[name])}`);
}
const table = await ask(staff, `/api/v1/${everything.replace('jobs', 'jobs.csv')}&no-formulas=true`);
looked++;
if (!table.text.includes("'=quuxjob()") || /(^|,)"?[=@][a-z]/m.test(table.text)) wrong.push('a formula is left in the table');
const metrics = await ask(staff, '/metrics');
writeFileSync('metrics', metrics.text);
looked++;
if (!/quuxacc<img/.test(metrics.text) || /[^\n]*\{[^}\n]*[\u0000-\u001f]/.test(metrics.text)) wrong.push('metrics do not have the account, or have a character that ends a line');
if (!/^text\/plain/.test(metrics.headers['content-type'])) wrong.push('metrics are no text');

// An invoice for printing: the API gives it as text, the command line as a page.
const invoice = await ask(staff, '/api/v1/invoice?action=show&word=1&html=true');
if (!/^text\/plain/.test(invoice.headers['content-type']) || !/quuxacc&lt;img/.test(invoice.text)) wrong.push(`an invoice: ${invoice.headers['content-type']} ${invoice.text.slice(0, 100)}`);
isInert('invoice', invoice);

finish(wrong, looked);
