// SPDX-License-Identifier: MIT
//
// post-office.mjs FOLDER: an SMTP server and a webhook on free ports of loopback. What arrives is kept in FOLDER/mail-N and
// FOLDER/hook-N, with the envelope, or the headers that matter, above it. As long as there is FOLDER/refuse, neither takes anything.
// Their addresses are written to FOLDER/smtp and FOLDER/webhook once they listen.
import {existsSync, renameSync, writeFileSync} from 'node:fs';
import {createServer as createHttp} from 'node:http';
import {createServer as createTcp} from 'node:net';

const folder = process.argv[2];
let mails = 0, hooks = 0;
const refuses = () => existsSync(`${folder}/refuse`);

function announce(name, text) {
    writeFileSync(`${folder}/${name}.new`, text);
    renameSync(`${folder}/${name}.new`, `${folder}/${name}`);
}

function talk(socket) {
    let rest = '', envelope = [], letter = null;
    const answers = {
        EHLO: () => '250 post-office', HELO: () => '250 post-office', NOOP: () => '250 ok', RSET: () => '250 ok',
        MAIL: line => (envelope.push(line), '250 ok'),
        RCPT: line => refuses() ? '550 no such mailbox here' : (envelope.push(line), '250 ok'),
        DATA: () => (letter = [], '354 go ahead'),
        QUIT: () => '221 bye',
    };
    function take(line) {
        if (letter && line === '.') {
            writeFileSync(`${folder}/mail-${++mails}`, `${envelope.join('\n')}\n${letter.join('\n')}\n`);
            letter = null;
            envelope = [];
            return '250 taken';
        }
        if (letter) {
            letter.push(line.replace(/^\./, ''));
            return null;
        }
        const answer = answers[line.slice(0, 4).toUpperCase()];
        return answer ? answer(line) : '500 unknown';
    }
    socket.on('error', () => {});
    socket.on('data', data => {
        const lines = (rest + data).split('\r\n');
        rest = lines.pop();
        for (const line of lines) {
            const answer = take(line);
            if (answer) {
                socket.write(`${answer}\r\n`);
            }
        }
    });
    socket.write('220 post-office\r\n');
}

const smtp = createTcp(talk).listen(0, '127.0.0.1', () => announce('smtp', `smtp://127.0.0.1:${smtp.address().port}`));
const webhook = createHttp((request, response) => {
    let body = '';
    request.on('data', data => { body += data; });
    request.on('end', () => {
        response.statusCode = refuses() ? 503 : 204;
        response.end();
        if (!refuses()) {
            writeFileSync(`${folder}/hook-${++hooks}`, `${request.url} ${request.headers.authorization || '-'}\n${body}\n`);
        }
    });
}).listen(0, '127.0.0.1', () => announce('webhook', `http://127.0.0.1:${webhook.address().port}`));
