/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint.conf: what a site says about itself, read once and never written.
 *
 *     # a comment
 *     [site]
 *     zone = Europe/Berlin
 *     year_starts = 7
 *
 *     [cluster alder]
 *     scheduler = slurm
 *     via = slurmrestd
 *     address = unix:/run/slurmrestd.sock
 *
 * A section has a kind and, but for [site], [serve] and the like, a name. A key stands once in
 * a section; its value is the rest of the line without blanks at its ends; there are no quotes
 * and no continuation lines. What keys there are is defined by tables of struct config_key: the
 * site's here, a scheduler's by its live driver (live/live.h). A key nobody knows, a value that
 * cannot be, a section twice: an error that names file and line and what may have been meant.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum config_type {
    CONFIG_TEXT,
    CONFIG_NUMBER,   /* a whole number, not negative */
    CONFIG_PRICE,    /* an amount and a unit: 0.02 EUR */
    CONFIG_DURATION, /* 90, 90s, 5m, 2h, 7d: to microseconds */
    CONFIG_FLAG,     /* yes, no */
    CONFIG_CHOICE,   /* one of `choices` */
    CONFIG_ZONE,     /* a time zone there is */
    CONFIG_FILE,     /* an absolute path */
    CONFIG_WORDS,    /* names, separated by commas or blanks */
    CONFIG_INSTANT,  /* a date or time as --from takes it */
};

struct config_key {
    const char *name;
    enum config_type type;
    const char *choices; /* blank-separated, for CONFIG_CHOICE; or NULL and ... */
    const char *(*name_at)(size_t index); /* ... its choices until NULL */
    const char *fallback;                 /* value when it is not there; NULL: none */
    const char *help;                     /* one line */
    /* `stint config show` says only that it is set; NAME_file names a file with it */
    bool secret;
    bool required;
};

/* What a key takes, in words: "a whole number", or its choices, for which there is `text`. */
enum { CONFIG_TYPE_MAX = 256 };

const char *config_type_name(const struct config_key *key, char text[CONFIG_TYPE_MAX]);

struct config_entry {
    struct str key, value; /* each followed by a NUL */
    /*
     * of a secret that lies in a file (KEY_file = PATH); else NULL. Where it cannot be read,
     * the value is null
     */
    const char *file;
    unsigned line;
};

struct config_section {
    struct str kind, name; /* "cluster", "alder" */
    unsigned line;
    struct config_entry *entries;
    size_t entry_count;
};

struct config {
    /* where it was read from; NULL: none, everything has its default */
    const char *path;
    struct config_section *sections; /* in the order of the file */
    size_t section_count;
    struct arena arena; /* holds all of the above */
};

/* Keys of [site], in the order of their enum. */
enum config_site { CONFIG_SITE_ZONE, CONFIG_SITE_YEAR_STARTS, CONFIG_SITE_TEMPLATES };

extern const struct config_key config_site_keys[];
extern const size_t config_site_key_count;

/* Keys of [serve]. */
extern const struct config_key config_serve_keys[];

enum config_serve_key {
    CONFIG_SERVE_LISTEN,
    CONFIG_SERVE_ANYONE,
    CONFIG_SERVE_ANYONE_DAYS,
    CONFIG_SERVE_ANYONE_USERS,
    CONFIG_SERVE_PROXY,
    CONFIG_SERVE_PROXY_UIDS,
    CONFIG_SERVE_PROXY_SECRET,
    CONFIG_SERVE_PROXY_USER,
    CONFIG_SERVE_PROXY_GROUPS,
    CONFIG_SERVE_SESSION,
    CONFIG_SERVE_ADDRESS,
    CONFIG_SERVE_LIVE,
};

/* Keys of [follow NAME]. */
extern const struct config_key config_follow_keys[];

enum config_follow_key { CONFIG_FOLLOW_SOURCE, CONFIG_FOLLOW_FILE, CONFIG_FOLLOW_CLUSTER };

/* Keys of [samples]. */
extern const struct config_key config_samples_keys[];

enum config_samples_key { CONFIG_SAMPLES_RAW, CONFIG_SAMPLES_SHORT, CONFIG_SAMPLES_WAITS };

/* Keys of [backup]. */
extern const struct config_key config_backup_keys[];

enum config_backup_key { CONFIG_BACKUP_FOLDER, CONFIG_BACKUP_KEEP, CONFIG_BACKUP_EVERY };

/* Keys of [energy]. */
extern const struct config_key config_energy_keys[];

enum config_energy_key {
    CONFIG_ENERGY_CPU,
    CONFIG_ENERGY_GPU,
    CONFIG_ENERGY_OVERHEAD,
    CONFIG_ENERGY_CARBON,
    CONFIG_ENERGY_CARBON_FILE,
    CONFIG_ENERGY_IDLE,
};

/* Keys of [hog RULE]. */
extern const struct config_key config_hog_keys[];

enum config_hog_key {
    CONFIG_HOG_ENABLED,
    CONFIG_HOG_LIKE,
    CONFIG_HOG_THRESHOLD,
    CONFIG_HOG_TIME,
    CONFIG_HOG_BUSY,
    CONFIG_HOG_EXEMPT,
    CONFIG_HOG_PARTITIONS,
    CONFIG_HOG_NODES,
    CONFIG_HOG_QOS,
    CONFIG_HOG_SUM,
    CONFIG_HOG_TEXT,
};

/* Keys of [enforce NAME], where NAME is a cluster. */
extern const struct config_key config_enforce_keys[];

enum config_enforce_key {
    CONFIG_ENFORCE_DRIVER,
    CONFIG_ENFORCE_MODE,
    CONFIG_ENFORCE_OFF,
    CONFIG_ENFORCE_STOP_FILE,
    CONFIG_ENFORCE_MAX_AGE,
    CONFIG_ENFORCE_COVERAGE,
    CONFIG_ENFORCE_MAX_ACCOUNTS,
    CONFIG_ENFORCE_MAX_SHARE,
    CONFIG_ENFORCE_NEVER,
    CONFIG_ENFORCE_TOLERANCE,
    CONFIG_ENFORCE_ENDS_RUNNING,
    CONFIG_ENFORCE_TIMEOUT,
    CONFIG_ENFORCE_BIN,
    CONFIG_ENFORCE_SLURM_CONF,
    CONFIG_ENFORCE_SLURM_CLUSTER,
    CONFIG_ENFORCE_PROGRAM,
    CONFIG_ENFORCE_EVERY,
};

/* Keys of [openid]. */
extern const struct config_key config_openid_keys[];

enum config_openid_key {
    CONFIG_OPENID_ISSUER,
    CONFIG_OPENID_CLIENT_ID,
    CONFIG_OPENID_CLIENT_SECRET,
    CONFIG_OPENID_USER_CLAIM,
    CONFIG_OPENID_GROUPS_CLAIM,
    CONFIG_OPENID_SCOPES,
    CONFIG_OPENID_LABEL,
    CONFIG_OPENID_CA,
};

/* Keys of [mail]. */
extern const struct config_key config_mail_keys[];

enum config_mail_key {
    CONFIG_MAIL_FROM,
    CONFIG_MAIL_SENDMAIL,
    CONFIG_MAIL_SMTP,
    CONFIG_MAIL_USER,
    CONFIG_MAIL_PASSWORD,
    CONFIG_MAIL_CA,
    CONFIG_MAIL_STAFF,
    CONFIG_MAIL_TIMEOUT,
};

/* Keys of [bank]. */
extern const struct config_key config_bank_keys[];

enum config_bank_key {
    CONFIG_BANK_LEVELS,
    CONFIG_BANK_DAYS,
    CONFIG_BANK_NOTICES,
    CONFIG_BANK_REQUESTS,
    CONFIG_BANK_BESIDE,
};

/* Keys of [invoice]. */
extern const struct config_key config_invoice_keys[];

enum config_invoice_key {
    CONFIG_INVOICE_SELLER,
    CONFIG_INVOICE_ADDRESS,
    CONFIG_INVOICE_TAX_ID,
    CONFIG_INVOICE_PAYMENT,
    CONFIG_INVOICE_NUMBER,
    CONFIG_INVOICE_DUE,
    CONFIG_INVOICE_ROUND,
    CONFIG_INVOICE_TAX,
    CONFIG_INVOICE_TAX_NOTE,
};

/* Keys of [webhook]. */
extern const struct config_key config_webhook_keys[];

enum config_webhook_key {
    CONFIG_WEBHOOK_ADDRESS,
    CONFIG_WEBHOOK_TOKEN,
    CONFIG_WEBHOOK_CA,
    CONFIG_WEBHOOK_TIMEOUT,
};

/* Keys of [access RULE]. */
extern const struct config_key config_access_keys[];

enum config_access_key {
    CONFIG_ACCESS_USERS,
    CONFIG_ACCESS_GROUPS,
    CONFIG_ACCESS_ROLE,
    CONFIG_ACCESS_RIGHTS,
    CONFIG_ACCESS_MANAGES_GROUPS,
    CONFIG_ACCESS_MANAGES_ACCOUNTS,
    CONFIG_ACCESS_MANAGES_METAGROUPS,
};

/* The kinds of sections whose keys are the same for all of them; ended by a NULL kind. */
struct config_plain {
    const char *kind;
    /* what stands for its name: "NAME", "RULE"; NULL: there is one, without a name */
    const char *name;
    const struct config_key *keys;
    size_t key_count;
    const char *example; /* of a name; NULL: it has none */
};

extern const struct config_plain config_plain[];

/* Reads a file. `out` is released also when it fails. Does not look at which keys there are. */
int config_read(const char *path, struct config *out, struct error *err) MUST_CHECK;
int config_parse(struct str text, const char *name, struct config *out,
                 struct error *err) MUST_CHECK; /* the same of text: `name` for messages */
void config_release(struct config *config);

/*
 * Holds a section against its keys. Values are read once, so that config_* below cannot fail.
 */
int config_check_section(const struct config *config, const struct config_section *section,
                         const struct config_key *keys, size_t key_count,
                         struct error *err) MUST_CHECK;

/*
 * Only whether its keys are among these: for a section of which it is not known what they take.
 */
int config_check_keys(const struct config *config, const struct config_section *section,
                      const struct config_key *keys, size_t key_count,
                      struct error *err) MUST_CHECK;

/* Holds all plain sections that are there against their keys. */
int config_check_plain(const struct config *config, struct error *err) MUST_CHECK;

/* The section of this kind and name (any name if that is null), or NULL. */
const struct config_section *config_find(const struct config *config, struct str kind,
                                         struct str name);

/* A key's value, or its fallback, or the null string. Of a section that was checked. */
/* The entry of a section that sets a key; NULL: it is not set, or there is no section. */
const struct config_entry *config_entry_at(const struct config_section *section,
                                           const char *key);

struct str config_text(const struct config_section *section, const struct config_key *key);

/* The next word of a value of type CONFIG_WORDS, cut off `rest`; false: that was the last. */
bool config_next_word(struct str *rest, struct str *word);
int64_t config_number(const struct config_section *section, const struct config_key *key,
                      int64_t otherwise); /* numbers, durations (microseconds), flags (0, 1) */
