-- SPDX-License-Identifier: MIT
--
-- Who may ask a server: tokens for programs, and people who log in.
CREATE TABLE token (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "role" TEXT NOT NULL,
    "logins" TEXT,
    "groups" TEXT,
    "accounts" TEXT,
    "to" TEXT,
    "note" TEXT
);

CREATE TABLE user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "role" TEXT NOT NULL,
    "logins" TEXT,
    "groups" TEXT,
    "accounts" TEXT,
    "note" TEXT
);

-- What they prove it with: hashes of tokens, of passwords and of log-ins. No kind of the books, so that it is in
-- no list, sheet, dump or history: who restores books gives out new tokens and passwords.
CREATE TABLE secret (
    "kind" TEXT NOT NULL,               -- token, user, session
    "name" TEXT NOT NULL,               -- of the token or user; of a session, the user's
    "hash" TEXT NOT NULL UNIQUE,
    "until" INTEGER                     -- of a session: microseconds since 1970 UTC
);
CREATE INDEX secret_name ON secret ("kind", "name");

-- What happened at a server's door: who logged in, who was refused. Never edited, as history is not.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "at" INTEGER NOT NULL,              -- microseconds since 1970 UTC
    "who" TEXT NOT NULL,
    "from" TEXT NOT NULL,               -- address
    "what" TEXT NOT NULL
);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is never edited');
END;

CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is never edited');
END;
