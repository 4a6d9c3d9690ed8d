// SPDX-License-Identifier: MIT
//
// openid-provider.mjs FOLDER: a small provider of OpenID Connect on a free port of loopback, which lets everybody in as the person that
// FOLDER/person.json describes: {user, groups, wrong}. `wrong` names what is not as it should be with the next token. Its
// address is written to FOLDER/issuer once it listens. What it was asked is in FOLDER/asked, a line each.
import {createHash, createHmac, createSign, generateKeyPairSync, randomBytes} from 'node:crypto';
import {appendFileSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';

const folder = process.argv[2];
const make = {
    RS256: () => generateKeyPairSync('rsa', {modulusLength: 2048}),
    ES256: () => generateKeyPairSync('ec', {namedCurve: 'P-256'}),
};
const keys = {RS256: make.RS256(), ES256: make.ES256()};
const stranger = make.RS256();
const weak = generateKeyPairSync('rsa', {modulusLength: 1024});
let generation = 1;
const codes = new Map();
let issuer;

const encode = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function sign(header, claims, key) {
    const text = `${encode(header)}.${encode(claims)}`;
    if (header.alg === 'none') {
        return `${text}.`;
    }
    if (header.alg === 'HS256') { // with the public key as the secret, as those do who hope for a mix-up
        const secret = keys.RS256.publicKey.export({type: 'spki', format: 'pem'});
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    }
    const signature = createSign('SHA256').update(text).sign({key, dsaEncoding: 'ieee-p1363'});
    return `${text}.${signature.toString('base64url')}`;
}

function makeToken(person, nonce, client) {
    const now = Math.floor(Date.now() / 1000);
    const algorithm = person.algorithm || 'RS256';
    const header = {alg: algorithm, typ: 'JWT', kid: `${algorithm}-${generation}`};
    const claims = {iss: issuer, aud: client, sub: 'x', nonce, iat: now, exp: now + 300,
        preferred_username: person.user, groups: person.groups};
    let key = keys[algorithm].privateKey;
    const wrongs = {
        nonce: () => { claims.nonce = 'other'; },
        'no nonce': () => { delete claims.nonce; },
        issuer: () => { claims.iss = 'https://elsewhere.example'; },
        audience: () => { claims.aud = 'other'; },
        audiences: () => { claims.aud = [client, 'other']; },
        party: () => { claims.azp = 'other'; },
        expired: () => { claims.exp = now - 3600; },
        'no end': () => { delete claims.exp; },
        future: () => { claims.iat = now + 3600; },
        early: () => { claims.nbf = now + 3600; },
        signature: () => { key = stranger.privateKey; },
        none: () => { header.alg = 'none'; },
        mixed: () => { header.alg = 'HS256'; },
        crit: () => { header.crit = ['exp']; },
        weak: () => { header.kid = 'weak'; key = weak.privateKey; },
        'no key': () => { header.kid = 'unknown'; },
        user: () => { delete claims.preferred_username; },
        'odd user': () => { claims.preferred_username = 'a,b c'; },
        rotated: () => { generation++; Object.assign(keys, {RS256: make.RS256()}); header.kid = `RS256-${generation}`; key = keys.RS256.privateKey; },
        'two audiences': () => { claims.aud = [client, 'other']; claims.azp = client; },
    };
    wrongs[person.wrong]?.();
    const token = sign(header, claims, key);
    return person.wrong === 'changed' ? token.replace(/\.[^.]+\./, `.${encode({...claims, preferred_username: 'mallory'})}.`)
        : person.wrong === 'rubbish' ? 'rubbish' : token;
}

const jwk = (pair, more) => ({...pair.publicKey.export({format: 'jwk'}), use: 'sig', ...more});

function authorize(url, reply) {
    const ask = name => url.searchParams.get(name);
    const code = randomBytes(16).toString('hex');
    codes.set(code, {nonce: ask('nonce'), challenge: ask('code_challenge'), client: ask('client_id'), redirect: ask('redirect_uri')});
    appendFileSync(`${folder}/asked`, `authorize ${ask('response_type')} ${ask('scope')} ${ask('code_challenge_method')} ${ask('state').length}\n`);
    const back = new URL(ask('redirect_uri'));
    back.searchParams.set('state', ask('state'));
    back.searchParams.set('code', code);
    reply.writeHead(302, {Location: back.href}).end();
}

function token(body, headers, reply) {
    const form = new URLSearchParams(body);
    const known = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    const challenge = createHash('sha256').update(form.get('code_verifier') || '').digest('base64url');
    const secret = 'Basic ' + Buffer.from('stint:s%20cret').toString('base64');
    appendFileSync(`${folder}/asked`, `token ${form.get('grant_type')}\n`);
    if (!known || challenge !== known.challenge || form.get('redirect_uri') !== known.redirect || headers.authorization !== secret) {
        reply.writeHead(400, {'Content-Type': 'application/json'}).end(JSON.stringify({error: 'invalid_grant'}));
        return;
    }
    const person = JSON.parse(readFileSync(`${folder}/person.json`, 'utf8'));
    reply.writeHead(200, {'Content-Type': 'application/json'}).end(JSON.stringify({token_type: 'Bearer', access_token: 'x',
        id_token: makeToken(person, known.nonce, known.client)}));
}

const server = createServer((request, reply) => {
    const url = new URL(request.url, issuer);
    const say = value => reply.writeHead(200, {'Content-Type': 'application/json'}).end(JSON.stringify(value));
    if (url.pathname === '/.well-known/openid-configuration') {
        appendFileSync(`${folder}/asked`, 'place\n');
        say({issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`});
    } else if (url.pathname === '/keys') {
        appendFileSync(`${folder}/asked`, 'keys\n');
        say({keys: [jwk(keys.RS256, {kid: `RS256-${generation}`}), jwk(keys.ES256, {kid: `ES256-${generation}`, alg: 'ES256'}), jwk(weak, {kid: 'weak'})]});
    } else if (url.pathname === '/authorize') {
        authorize(url, reply);
    } else if (url.pathname === '/token') {
        let body = '';
        request.on('data', part => { body += part; }).on('end', () => token(body, request.headers, reply));
    } else {
        reply.writeHead(404).end();
    }
});
server.listen(0, '127.0.0.1', () => {
    issuer = `http://127.0.0.1:${server.address().port}`;
    writeFileSync(`${folder}/issuer.new`, issuer);
    renameSync(`${folder}/issuer.new`, `${folder}/issuer`);
});
