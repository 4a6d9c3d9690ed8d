// SPDX-License-Identifier: MIT
//
// Addresses of every page of the site, with a question about March 2026 where it has a period. NAME is what a page is about.
import { readFileSync } from 'node:fs';

const March = 'from=2026-03&to=2026-03';
const things = ['user', 'group', 'metagroup', 'account', 'project', 'department', 'partition', 'qos', 'node', 'cluster', 'name', 'gpu_type', 'reservation'];

// A page of one thing: by its kind and name.
export const pageOf = (kind, name) => `/${kind}/${encodeURIComponent(name)}?${March}`;

// Pages about all; those of one thing, job and account are made by whoever asks.
export const addresses = [
    '/', '/explore', `/explore/jobs?by=user&${March}`, `/explore/cpu_hours,jobs?by=group,account,partition,name,qos,project&${March}`,
    `/explore/cpu_hours?by=cluster,metagroup&every=day&chart=stacked&${March}`, `/jobs?${March}`, `/jobs?fold=1&sort=user&${March}`, `/compare?${March}`,
    '/compare?job=1,70003', '/job?id=70003', '/live', '/live/nodes', '/live/gpus', `/live/use?${March}`, '/live/soonest?cpus=4', `/hogs?${March}`, '/bank', '/requests', '/quote',
    '/quote?cpus=2&time=1:00:00&account=annacc', `/waste?by=group&${March}`, `/forecast?measure=jobs&${March}`, '/history?measure=jobs', `/when?measure=cpu_hours&${March}`, `/sizes?of=wait&${March}`, `/rightsize?${March}`, `/report?${March}`,
    `/energy?by=name&${March}`, '/quality', '/measures', '/me', '/admin', '/admin/metagroup', '/admin/member', '/admin/people', '/admin/target', '/admin/gap',
    '/admin/token', '/admin/user', '/admin/view', '/inside', '/done', '/login', '/search', '/search?q=quu', '/suggest?q=quu', `/answer/usage?by=user&${March}`,
    '/answer/books?action=history', '/answer/bank?action=history&word=annacc', '/answer/invoice?action=list', `/answer/timeline?of=job_cpus&by=user&${March}`,
    `/answer/samples?${March}`, '/answer/audit?action=list', '/answer/quarantine',
];

// The pages in the table of the program that are not among those tried.
export function untried(table, tried) {
    const rows = [...readFileSync(table, 'utf8').matchAll(/^    \{"(\/[^"]*)", "/gm)].map(match => match[1]);
    const fits = row => tried.some(address => address.split('?')[0] === row || (row.endsWith('/') && row !== '/' && address.startsWith(row)));
    return rows.length < 30 ? ['the table of pages is not read'] : rows.filter(row => !fits(row));
}

export { March, things };
