// SPDX-License-Identifier: MIT
//
// post-office.mjs FOLDER: an SMTP server and a webhook on free ports of loopback. What arrives is kept in FOLDER/mail-N and
// FOLDER/hook-N, with the envelope, or the headers that matter, above it. Their addresses are written to FOLDER/smtp and
// FOLDER/webhook once they listen. With FOLDER/key.pem and cert.pem there are smtp-starttls, smtps and webhook-tls besides,
// which speak TLS; mail is taken there after a login as `stint` with `secret`.
//
// Files in FOLDER say what is wrong, as long as they are there:
//   refuse   nothing is taken
//   hang     the connection is taken, and nothing is said
//   drop     the connection is closed when all of a message is there, without a word
import {existsSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createServer as createHttp} from 'node:http';
import {createServer as createHttps} from 'node:https';
import {createServer as createTcp} from 'node:net';
import {createServer as createTls, TLSSocket} from 'node:tls';

const folder = process.argv[2];
let mails = 0, hooks = 0;
const is = trouble => existsSync(`${folder}/${trouble}`);
const credentials = is('cert.pem') && {key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`)};
const login = Buffer.from('\0stint\0secret').toString('base64');

function announce(name, scheme, server) {
    server.listen(0, '127.0.0.1', () => {
        writeFileSync(`${folder}/${name}.new`, `${scheme}://127.0.0.1:${server.address().port}`);
        renameSync(`${folder}/${name}.new`, `${folder}/${name}`);
    });
}

// A conversation. `starttls`: TLS is offered, and begins when it is asked for. `guarded`: mail is taken after a login, which is
// offered on an encrypted connection.
function talk(socket, {starttls, guarded, greets = true}) {
    let rest = '', envelope = [], letter = null, known = !guarded, asked = false;
    const secure = socket instanceof TLSSocket;
    const offers = [starttls && !secure && 'STARTTLS', guarded && secure && 'AUTH PLAIN'].filter(Boolean);
    const hello = () => ['post-office', ...offers].map((line, i, all) => `250${i < all.length - 1 ? '-' : ' '}${line}`).join('\r\n');
    const answers = {
        EHLO: hello, HELO: () => '250 post-office', NOOP: () => '250 ok', RSET: () => '250 ok', QUIT: () => '221 bye',
        STAR: () => {
            socket.write('220 go ahead\r\n');
            socket.removeAllListeners('data');
            talk(new TLSSocket(socket, {isServer: true, ...credentials}), {starttls, guarded, greets: false});
        },
        AUTH: line => line === 'AUTH PLAIN' ? (asked = true, '334 ') : logs_in(line.slice(11)),
        MAIL: line => known ? (envelope.push(line), '250 ok') : '530 log in first',
        RCPT: line => is('refuse') ? '550 no such mailbox here' : (envelope.push(line), '250 ok'),
        DATA: () => (letter = [], '354 go ahead'),
    };
    function logs_in(proof) {
        asked = false;
        known = secure && proof === login;
        return known ? '235 welcome' : '535 who are you';
    }
    function taken() {
        if (is('drop')) {
            socket.destroy();
            return null;
        }
        writeFileSync(`${folder}/mail-${++mails}`, `${secure ? 'secure ' : ''}${envelope.join('\n')}\n${letter.join('\n')}\n`);
        letter = null;
        envelope = [];
        return '250 taken';
    }
    function take(line) {
        if (letter && line === '.') {
            return taken();
        }
        if (letter) {
            letter.push(line.replace(/^\./, ''));
            return null;
        }
        if (asked) {
            return logs_in(line);
        }
        const answer = answers[line.slice(0, 4).toUpperCase()];
        return answer ? answer(line) : '500 unknown';
    }
    socket.on('error', () => {});
    socket.on('data', data => {
        const lines = (rest + data).split('\r\n');
        rest = lines.pop();
        for (const line of lines) {
            const answer = is('hang') ? null : take(line);
            if (answer) {
                socket.write(`${answer}\r\n`);
            }
        }
    });
    if (greets && !is('hang')) {
        socket.write('220 post-office\r\n');
    }
}

function receive(request, response) {
    let body = '';
    request.on('data', data => { body += data; });
    request.on('end', () => {
        if (is('drop')) {
            request.socket.destroy();
        } else if (!is('hang')) {
            response.statusCode = is('refuse') ? 503 : 204;
            response.end();
            if (!is('refuse')) {
                writeFileSync(`${folder}/hook-${++hooks}`, `${request.url} ${request.headers.authorization || '-'}\n${body}\n`);
            }
        }
    });
}

announce('smtp', 'smtp', createTcp(socket => talk(socket, {})));
announce('webhook', 'http', createHttp(receive));
if (credentials) {
    announce('smtp-starttls', 'smtp', createTcp(socket => talk(socket, {starttls: true, guarded: true})));
    announce('smtps', 'smtps', createTls(credentials, socket => talk(socket, {guarded: true})));
    announce('webhook-tls', 'https', createHttps(credentials, receive));
}
