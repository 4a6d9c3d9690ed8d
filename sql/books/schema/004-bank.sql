-- SPDX-License-Identifier: MIT
--
-- The bank: rates, and a ledger of service units in double entry. Amounts are millionths of an SU, instants microseconds
-- since 1970 UTC. What was posted is never edited: a mistake is corrected by another entry. What must hold of every posting
-- (both sides exist, an amount above zero, no pot below zero that has a limit, a number that exists once) is checked here,
-- in the transaction, whoever writes. src/bank/ledger.h is the way in.

-- What a run costs. The columns are the rows of the kind `rate` in src/books/kind.c.
CREATE TABLE rate (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "cluster" TEXT,
    "partition" TEXT,
    "qos" TEXT,
    "gpu_type" TEXT,
    "hours" TEXT,
    "days" TEXT,
    "from" TEXT,
    "to" TEXT,
    "unit" TEXT,
    "how" TEXT,
    "cpu" INTEGER,
    "gpu" INTEGER,
    "mem" INTEGER,
    "node" INTEGER,
    "factor" INTEGER,
    "least" INTEGER,
    "free" TEXT,
    "under" INTEGER,
    "note" TEXT
);
CREATE UNIQUE INDEX rate_key ON rate ("name", ifnull("from", ''));

CREATE TABLE bank_account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "opened" INTEGER NOT NULL,          -- runs that start before are not charged
    "closed" INTEGER,                   -- runs that start from then on are not charged
    "overdraft" TEXT NOT NULL DEFAULT 'none' CHECK ("overdraft" IN ('none', 'amount', 'share')),
    "overdraft_micro" INTEGER NOT NULL DEFAULT 0 CHECK ("overdraft_micro" >= 0),
    "held" INTEGER NOT NULL DEFAULT 0   -- sum of the liens that are not settled
        CHECK (typeof("held") = 'integer' AND "held" >= 0),
    "note" TEXT
);

-- Which runs draw on an account: those of a scheduler's account, a project or a user. A name draws on one account.
CREATE TABLE bank_draw (
    "kind" TEXT NOT NULL CHECK ("kind" IN ('account', 'project', 'user')),
    "name" TEXT NOT NULL,
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    PRIMARY KEY ("kind", "name")
) WITHOUT ROWID;

CREATE TABLE bank_allotment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    "kind" TEXT NOT NULL CHECK ("kind" IN ('grant', 'purchase', 'investment', 'default')),
    "unlimited" INTEGER NOT NULL DEFAULT 0 CHECK ("unlimited" IN (0, 1)),
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL CHECK ("from" < "to"),
    "clusters" TEXT,                    -- comma-separated; NULL: any
    "carry" INTEGER NOT NULL DEFAULT 0  -- millionths of what is left at its end that are carried over
        CHECK ("carry" BETWEEN 0 AND 1000000),
    "note" TEXT
);
CREATE INDEX bank_allotment_account ON bank_allotment ("account");

-- Where SU are: in the three pots of the site, in an allotment, or, below zero, in what an account has overdrawn.
CREATE TABLE bank_pot (
    id INTEGER PRIMARY KEY,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('granted', 'used', 'expired', 'allotment', 'over')),
    "account" INTEGER REFERENCES bank_account (id),
    "allotment" INTEGER UNIQUE REFERENCES bank_allotment (id),
    "limited" INTEGER NOT NULL,
    "in" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("in") = 'integer'),
    "out" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("out") = 'integer'),
    "charged" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("charged") = 'integer'), -- of what went out, less what came back
    "expired" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("expired") = 'integer'),
    CONSTRAINT "more than the allotment has" CHECK ("limited" = 0 OR "in" >= "out")
);
CREATE INDEX bank_pot_account ON bank_pot ("account");
INSERT INTO bank_pot (id, "kind", "limited") VALUES (1, 'granted', 0), (2, 'used', 0), (3, 'expired', 0);

CREATE TABLE bank_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "key" TEXT NOT NULL UNIQUE,         -- doing the same again finds it there
    "kind" TEXT NOT NULL CHECK ("kind" IN
        ('grant', 'charge', 'refund', 'transfer', 'adjustment', 'expiry', 'carry-over')),
    "from" INTEGER NOT NULL REFERENCES bank_pot (id),
    "to" INTEGER NOT NULL REFERENCES bank_pot (id) CHECK ("from" <> "to"),
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer' AND "amount" > 0),
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "why" TEXT,
    "run" TEXT,                         -- of a refund: which run
    "round" INTEGER                     -- of a charge: its lines are those of this round
);
CREATE INDEX bank_entry_from ON bank_entry ("from");
CREATE INDEX bank_entry_to ON bank_entry ("to");
CREATE INDEX bank_entry_run ON bank_entry ("run") WHERE "run" IS NOT NULL;

CREATE TRIGGER bank_entry_is_posted AFTER INSERT ON bank_entry
BEGIN
    UPDATE bank_pot SET "out" = "out" + new.amount, "charged" = "charged" + (new.kind = 'charge') * new.amount,
        "expired" = "expired" + (new.kind = 'expiry') * new.amount WHERE id = new."from";
    UPDATE bank_pot SET "in" = "in" + new.amount, "charged" = "charged" - (new.kind = 'charge') * new.amount,
        "expired" = "expired" - (new.kind = 'expiry') * new.amount WHERE id = new."to";
END;
-- Nobody gives away what running jobs hold, or what was overdrawn.
CREATE TRIGGER bank_transfer_leaves_what_is_held BEFORE INSERT ON bank_entry
WHEN new.kind = 'transfer' AND (SELECT "limited" FROM bank_pot WHERE id = new."from") = 1
    AND (SELECT sum(p."in" - p."out") - max(a."held")
         FROM bank_pot p JOIN bank_account a ON a.id = p."account"
         WHERE a.id = (SELECT "account" FROM bank_pot WHERE id = new."from")
             AND (p."limited" = 1 OR p."kind" = 'over')) < new.amount
BEGIN
    SELECT raise(ABORT, 'the account has less than that free: running jobs hold a part, or it is overdrawn');
END;
CREATE TRIGGER bank_entry_is_not_changed BEFORE UPDATE ON bank_entry
BEGIN
    SELECT raise(ABORT, 'an entry is never edited: correct it by another');
END;
CREATE TRIGGER bank_entry_is_not_removed BEFORE DELETE ON bank_entry
BEGIN
    SELECT raise(ABORT, 'an entry is never removed: correct it by another');
END;
-- The totals of a pot follow from its entries and from nothing else.
CREATE TRIGGER bank_pot_follows_entries BEFORE UPDATE ON bank_pot
WHEN typeof(new."in") = 'integer' AND typeof(new."out") = 'integer' AND (
    new."in" - old."in" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new."out" - old."out" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1)))
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;
CREATE TRIGGER bank_pot_is_not_removed BEFORE DELETE ON bank_pot
BEGIN
    SELECT raise(ABORT, 'a pot is never removed');
END;

-- A lien: what a running run may come to cost. It is settled at most once, and never edited.
CREATE TABLE bank_lien (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "run" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer' AND "amount" > 0),
    "at" INTEGER NOT NULL,
    UNIQUE ("run", "n")
);
CREATE TABLE bank_lien_end (
    "lien" INTEGER PRIMARY KEY REFERENCES bank_lien (id),
    "how" TEXT NOT NULL CHECK ("how" IN ('settled', 'voided', 'timed-out')),
    "amount" INTEGER NOT NULL CHECK ("amount" >= 0), -- what was charged; the rest is free again
    "at" INTEGER NOT NULL
);
CREATE TRIGGER bank_lien_is_held AFTER INSERT ON bank_lien
BEGIN
    UPDATE bank_account SET "held" = "held" + new.amount WHERE id = new.account;
END;
CREATE TRIGGER bank_lien_is_let_go AFTER INSERT ON bank_lien_end
BEGIN
    UPDATE bank_account SET "held" = "held" - (SELECT "amount" FROM bank_lien WHERE id = new.lien)
    WHERE id = (SELECT "account" FROM bank_lien WHERE id = new.lien);
END;
CREATE TRIGGER bank_lien_is_not_changed BEFORE UPDATE ON bank_lien
BEGIN
    SELECT raise(ABORT, 'a lien is never edited: settle it and place another');
END;
CREATE TRIGGER bank_lien_is_not_removed BEFORE DELETE ON bank_lien
BEGIN
    SELECT raise(ABORT, 'a lien is never removed: settle it');
END;
CREATE TRIGGER bank_lien_end_is_not_changed BEFORE UPDATE ON bank_lien_end
BEGIN
    SELECT raise(ABORT, 'a lien is settled once');
END;
CREATE TRIGGER bank_lien_end_is_not_removed BEFORE DELETE ON bank_lien_end
BEGIN
    SELECT raise(ABORT, 'a lien is settled once');
END;

-- The lines behind the charges: what a run was charged, and, below zero, what of that was taken back when its record or its
-- rate changed. The sum of a run's lines is what it is charged now.
CREATE TABLE bank_charge (
    "run" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "round" INTEGER NOT NULL,
    "account" INTEGER NOT NULL,
    "cluster" INTEGER NOT NULL,         -- of bank_name
    "user" INTEGER NOT NULL,            -- of bank_name
    "rate" INTEGER NOT NULL,
    "start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer'),
    PRIMARY KEY ("run", "n")
) WITHOUT ROWID;
CREATE TRIGGER bank_charge_is_not_changed BEFORE UPDATE ON bank_charge
BEGIN
    SELECT raise(ABORT, 'a charge is never edited: the difference is another line');
END;
CREATE TRIGGER bank_charge_is_not_removed BEFORE DELETE ON bank_charge
BEGIN
    SELECT raise(ABORT, 'a charge is never removed: the difference is another line');
END;

CREATE TABLE bank_name (id INTEGER PRIMARY KEY, "name" TEXT NOT NULL UNIQUE);

-- The same lines by day, shared out over the days of each run: a summary that statements and draws are made from, and
-- that `stint bank check` compares with the lines.
CREATE TABLE bank_usage (
    "account" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,             -- days since 1970-01-01 in the zone of the bank
    "cluster" INTEGER NOT NULL,
    "user" INTEGER NOT NULL,
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer'),
    PRIMARY KEY ("account", "day", "cluster", "user")
) WITHOUT ROWID;

-- What was told of an allotment: levels that it reached, days before its end. Each once.
CREATE TABLE bank_notice_sent (
    "allotment" INTEGER NOT NULL REFERENCES bank_allotment (id),
    "what" TEXT NOT NULL,               -- "90 %", "30 days"
    "at" INTEGER NOT NULL,
    PRIMARY KEY ("allotment", "what")
) WITHOUT ROWID;

-- How far charging has read the change feed, its rounds, the zone of its days.
CREATE TABLE bank_state ("key" TEXT PRIMARY KEY, "value" TEXT NOT NULL) WITHOUT ROWID;
