// SPDX-License-Identifier: MIT
//
// crowd.mjs ADDRESS UNREAD SLOW PATH: so many clients that ask for the path and read nothing of it, and so many that send a request a byte at a
// time; those that are turned away come again. Says "there" once all were connected. Until it is ended. {n} in the path is a number that is
// another each time. $TOKEN is sent along.
import {connect} from 'node:net';

const [address, unread, slow, path] = process.argv.slice(2);
const {hostname, port} = new URL(address);
const all = Number(unread) + Number(slow);
let there = 0;
let count = 0;

function come(begin) {
    const one = connect(Number(port), hostname, () => {
        if (++there === all)
            console.log('there');
        begin(one);
    });
    one.on('error', () => {}).on('close', () => { setTimeout(come, 1000, begin); });
}

function ask(one) {
    one.pause();
    one.write(`GET ${path.replace('{n}', String(++count))} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${process.env.TOKEN}\r\n\r\n`);
}

function drip(one) {
    one.write('GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Long: ');
    const dripping = setInterval(() => { one.write('a'); }, 1000);
    one.resume().on('close', () => { clearInterval(dripping); });
}

for (let i = 0; i < all; i++)
    setTimeout(come, i / 5, i < unread ? ask : drip);
