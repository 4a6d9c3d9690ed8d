/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include <string.h>

#include "base/scan.h"
#include "config/config_internal.h"

const struct config_key config_site_keys[] = {
    {.name = "zone",
     .type = CONFIG_ZONE,
     .help = "time zone of the site's calendar, unless --zone is given; default the system's"},
    {.name = "year_starts",
     .type = CONFIG_CHOICE,
     .choices = "1 2 3 4 5 6 7 8 9 10 11 12",
     .help = "first month of the site's year (1 to 12), unless --year-starts is given; defines "
             "FY2025"},
    {.name = "templates",
     .type = CONFIG_FILE,
     .help =
         "folder with templates of messages, such as notices.txt; default: built-in templates"},
};

const size_t config_site_key_count = COUNT_OF(config_site_keys);

const struct config_key config_serve_keys[] = {
    [CONFIG_SERVE_LISTEN] = {.name = "listen",
                             .type = CONFIG_WORDS,
                             .help = "where to listen, as --listen of stint serve, which "
                                     "replaces it: ADDRESS:PORT or unix:PATH, after local= or "
                                     "proxy= if callers are identified that way"},
    [CONFIG_SERVE_ANYONE] = {.name = "anyone",
                             .type = CONFIG_CHOICE,
                             .choices = "nothing totals",
                             .fallback = "totals",
                             .help = "what a server shows without login: nothing, or totals "
                                     "over all users by time and cluster"},
    [CONFIG_SERVE_ANYONE_DAYS] = {.name = "anyone_days",
                                  .type = CONFIG_NUMBER,
                                  .fallback = "1",
                                  .help = "shortest period and interval of totals without "
                                          "login, in whole days of the site; 0: any"},
    [CONFIG_SERVE_ANYONE_USERS] = {.name = "anyone_users",
                                   .type = CONFIG_NUMBER,
                                   .fallback = "5",
                                   .help = "fewest users whose total is shown without login: "
                                           "a row of fewer has no numbers; 1: any"},
    [CONFIG_SERVE_PROXY] = {.name = "proxy",
                            .type = CONFIG_WORDS,
                            .help = "addresses of reverse proxies that are trusted to "
                                    "authenticate users, on listeners of kind proxy; default "
                                    "none"},
    [CONFIG_SERVE_PROXY_UIDS] = {.name = "proxy_uids",
                                 .type = CONFIG_WORDS,
                                 .help = "users of this machine, by name or number, whose "
                                         "processes are such proxies on Unix sockets of kind "
                                         "proxy, such as www-data"},
    [CONFIG_SERVE_PROXY_SECRET] = {.name = "proxy_secret_file",
                                   .type = CONFIG_FILE,
                                   .help = "file with a secret that they send in the header "
                                           "X-Proxy-Secret; required if one of them has an "
                                           "address of this machine"},
    [CONFIG_SERVE_PROXY_USER] = {.name = "proxy_user",
                                 .type = CONFIG_TEXT,
                                 .fallback = "X-Remote-User",
                                 .help = "HTTP header in which they send the name of the user"},
    [CONFIG_SERVE_PROXY_GROUPS] = {.name = "proxy_groups",
                                   .type = CONFIG_TEXT,
                                   .help = "HTTP header in which they send the groups of the "
                                           "user, comma-separated; default none: groups are "
                                           "not read"},
    [CONFIG_SERVE_SESSION] = {.name = "session",
                              .type = CONFIG_DURATION,
                              .fallback = "12h",
                              .help = "how long a login session lasts"},
    [CONFIG_SERVE_ADDRESS] = {.name = "address",
                              .type = CONFIG_TEXT,
                              .help = "URL at which browsers reach this server, such as "
                                      "https://stint.example.org; default the first address it "
                                      "listens on"},
    [CONFIG_SERVE_LIVE] = {.name = "live",
                           .type = CONFIG_CHOICE,
                           .choices = "own totals",
                           .fallback = "totals",
                           .help = "what users see of the present: only their own jobs, or "
                                   "also totals over all users that name nobody (free cpus "
                                   "and GPUs, lengths of queues, waits)"},
};

const struct config_key config_follow_keys[] = {
    [CONFIG_FOLLOW_SOURCE] = {.name = "source",
                              .type = CONFIG_TEXT,
                              .fallback = "auto",
                              .help = "format of the file, as for stint import"},
    [CONFIG_FOLLOW_FILE] = {.name = "file",
                            .type = CONFIG_FILE,
                            .required = true,
                            .help = "accounting file that stint serve reads as it grows"},
    [CONFIG_FOLLOW_CLUSTER] = {.name = "cluster",
                               .type = CONFIG_TEXT,
                               .help = "cluster of its records, unless the records name one"},
};

const struct config_key config_samples_keys[] = {
    [CONFIG_SAMPLES_RAW] = {.name = "raw",
                            .type = CONFIG_DURATION,
                            .fallback = "30d",
                            .help = "how long samples are kept as received; older ones are "
                                    "reduced to one per 5 minutes"},
    [CONFIG_SAMPLES_SHORT] = {.name = "short",
                              .type = CONFIG_DURATION,
                              .fallback = "365d",
                              .help = "how long one sample per 5 minutes is kept; older ones "
                                      "are reduced to one per hour and kept"},
    [CONFIG_SAMPLES_WAITS] = {.name = "waits",
                              .type = CONFIG_DURATION,
                              .help =
                                  "how long what jobs waited for is kept; by default always"},
};

const struct config_key config_backup_keys[] = {
    [CONFIG_BACKUP_FOLDER] = {.name = "folder",
                              .type = CONFIG_FILE,
                              .required = true,
                              .help = "folder of the backups (stint backup), better on another "
                                      "disk or machine"},
    [CONFIG_BACKUP_KEEP] = {.name = "keep",
                            .type = CONFIG_NUMBER,
                            .fallback = "14",
                            .help = "how many backups are kept; 0 keeps all"},
    [CONFIG_BACKUP_EVERY] = {.name = "every",
                             .type = CONFIG_DURATION,
                             .help = "how often stint serve makes one; by default never"},
};

const struct config_key config_energy_keys[] = {
    [CONFIG_ENERGY_CPU] =
        {.name = "cpu_watts",
         .type = CONFIG_NUMBER,
         .help = "for estimates: watts of an allocated cpu; without it, nothing is estimated"},
    [CONFIG_ENERGY_GPU] = {.name = "gpu_watts",
                           .type = CONFIG_NUMBER,
                           .help = "for estimates: watts of an allocated GPU"},
    [CONFIG_ENERGY_OVERHEAD] =
        {.name = "overhead",
         .type = CONFIG_NUMBER,
         .fallback = "0",
         .help = "percent added for cooling and power supplies when carbon is computed"},
    [CONFIG_ENERGY_CARBON] = {.name = "carbon",
                              .type = CONFIG_NUMBER,
                              .help = "grams of CO2 equivalents per kWh"},
    [CONFIG_ENERGY_CARBON_FILE] =
        {.name = "carbon_file",
         .type = CONFIG_FILE,
         .help = "file of lines 'time,grams' used instead; each value applies until the next"},
    [CONFIG_ENERGY_IDLE] =
        {.name = "idle",
         .type = CONFIG_CHOICE,
         .choices = "allocation use",
         .fallback = "allocation",
         .help = "how the idle power of nodes is divided: by allocated cpus and memory, or "
                 "among those at work, by their cpu time"},
};

const struct config_key config_hog_keys[] = {
    [CONFIG_HOG_ENABLED] = {.name = "enabled",
                            .type = CONFIG_FLAG,
                            .fallback = "yes",
                            .help = "whether the rule is used"},
    [CONFIG_HOG_LIKE] = {.name = "like",
                         .type = CONFIG_TEXT,
                         .help = "for a rule of your own: the rule it is based on"},
    [CONFIG_HOG_THRESHOLD] = {.name = "threshold",
                              .type = CONFIG_NUMBER,
                              .help = "percent of what is allocated; for short-runs, a number "
                                      "of runs; for vampires and login-nodes, CPU hours"},
    [CONFIG_HOG_BUSY] =
        {.name = "busy",
         .type = CONFIG_NUMBER,
         .fallback = "50",
         .help = "runs on days with less than this percent of the cluster in use do not count"},
    [CONFIG_HOG_PARTITIONS] = {.name = "partitions",
                               .type = CONFIG_WORDS,
                               .help = "partitions it applies to, as patterns with * and ?; "
                                       "those with a leading ! it does "
                                       "not apply to; default all"},
    [CONFIG_HOG_NODES] = {.name = "nodes",
                          .type = CONFIG_WORDS,
                          .help = "the same for nodes: a run on a node with a leading ! does "
                                  "not count; for login-nodes, "
                                  "the nodes it applies to"},
    [CONFIG_HOG_QOS] = {.name = "qos", .type = CONFIG_WORDS, .help = "the same for QOS"},
    [CONFIG_HOG_SUM] =
        {.name = "sum",
         .type = CONFIG_NUMBER,
         .help = "hours, in the unit of the rule, that somebody's runs lose together "
                 "(low-gpus: hold) from which on they are listed"},
    [CONFIG_HOG_TEXT] = {.name = "text",
                         .type = CONFIG_FILE,
                         .help =
                             "file with the text of its messages, in which {user}, {rule}, "
                             "{definition}, {runs}, {lost}, {list}, {remedy}, {from}, {to} and "
                             "{example} are replaced"},
    [CONFIG_HOG_TIME] = {.name = "time",
                         .type = CONFIG_DURATION,
                         .help = "for how long a run must violate the rule; for short-runs, "
                                 "the run time below which a run is short"},
    [CONFIG_HOG_EXEMPT] = {.name = "exempt",
                           .type = CONFIG_WORDS,
                           .help = "logins that the rule does not apply to"},
};

const struct config_key config_enforce_keys[] = {
    [CONFIG_ENFORCE_DRIVER] =
        {.name = "driver",
         .type = CONFIG_CHOICE,
         .choices = "slurm sge program",
         .required = true,
         .help = "how limits are set: by sacctmgr, by qconf, or by a program of your own"},
    [CONFIG_ENFORCE_MODE] = {.name = "mode",
                             .type = CONFIG_CHOICE,
                             .choices = "limit hold refuse jobs",
                             .fallback = "hold",
                             .help = "limit: the scheduler itself stops at the balance; hold: "
                                     "jobs of an account without balance wait; refuse: they "
                                     "cannot be submitted; jobs: as hold, by a number of jobs"},
    [CONFIG_ENFORCE_OFF] = {.name = "off",
                            .type = CONFIG_FLAG,
                            .fallback = "no",
                            .help = "yes: nothing is changed, plans are only shown"},
    [CONFIG_ENFORCE_STOP_FILE] = {.name = "stop_file",
                                  .type = CONFIG_FILE,
                                  .help = "while this file exists, nothing is changed"},
    [CONFIG_ENFORCE_MAX_AGE] = {.name = "max_age",
                                .type = CONFIG_DURATION,
                                .fallback = "1h",
                                .help = "no account is stopped on data older than this"},
    [CONFIG_ENFORCE_COVERAGE] =
        {.name = "coverage",
         .type = CONFIG_DURATION,
         .fallback = "7d",
         .help = "no account is stopped while data of the last such period are missing"},
    [CONFIG_ENFORCE_MAX_ACCOUNTS] = {.name = "max_accounts",
                                     .type = CONFIG_NUMBER,
                                     .fallback = "10",
                                     .help = "maximum number of accounts stopped at once"},
    [CONFIG_ENFORCE_MAX_SHARE] =
        {.name = "max_share",
         .type = CONFIG_NUMBER,
         .fallback = "20",
         .help =
             "maximum share of accounts stopped at once, in percent; one is always allowed"},
    [CONFIG_ENFORCE_NEVER] =
        {.name = "never",
         .type = CONFIG_WORDS,
         .help = "accounts and users that are never limited, as patterns with * and ?"},
    [CONFIG_ENFORCE_TOLERANCE] = {.name = "tolerance",
                                  .type = CONFIG_NUMBER,
                                  .fallback = "1",
                                  .help = "SU by which a limit may differ from the balance "
                                          "before it is set again"},
    [CONFIG_ENFORCE_ENDS_RUNNING] =
        {.name = "ends_running",
         .type = CONFIG_FLAG,
         .fallback = "no",
         .help = "yes: a limit may be lower than what running jobs still need; Slurm ends them "
                 "if it enforces limits without 'safe'"},
    [CONFIG_ENFORCE_TIMEOUT] = {.name = "timeout",
                                .type = CONFIG_DURATION,
                                .fallback = "60",
                                .help = "maximum run time of a program of the scheduler"},
    [CONFIG_ENFORCE_BIN] = {.name = "bin",
                            .type = CONFIG_FILE,
                            .help = "folder of the scheduler's programs; default that of "
                                    "[cluster NAME], else PATH"},
    [CONFIG_ENFORCE_SLURM_CONF] = {.name = "slurm_conf",
                                   .type = CONFIG_FILE,
                                   .help = "slurm.conf that they use; default that of [cluster "
                                           "NAME], else their own"},
    [CONFIG_ENFORCE_SLURM_CLUSTER] = {.name = "slurm_cluster",
                                      .type = CONFIG_TEXT,
                                      .help = "Slurm's name of the cluster; default that of "
                                              "[cluster NAME], else NAME"},
    [CONFIG_ENFORCE_PROGRAM] =
        {.name = "program",
         .type = CONFIG_FILE,
         .help = "for the driver program: reads the plan as JSON from standard input"},
    [CONFIG_ENFORCE_EVERY] = {.name = "every",
                              .type = CONFIG_DURATION,
                              .help = "how often stint serve applies limits by itself; default "
                                      "never"},
};

const struct config_key config_openid_keys[] = {
    [CONFIG_OPENID_ISSUER] = {.name = "issuer",
                              .type = CONFIG_TEXT,
                              .required = true,
                              .help = "URL of the provider, as in the iss claim of its tokens"},
    [CONFIG_OPENID_CLIENT_ID] = {.name = "client_id",
                                 .type = CONFIG_TEXT,
                                 .required = true,
                                 .help = "name of this server at the provider"},
    [CONFIG_OPENID_CLIENT_SECRET] =
        {.name = "client_secret",
         .type = CONFIG_TEXT,
         .secret = true,
         .help =
             "its secret, for a confidential client; or client_secret_file, a file with it"},
    [CONFIG_OPENID_USER_CLAIM] = {.name = "user_claim",
                                  .type = CONFIG_TEXT,
                                  .fallback = "preferred_username",
                                  .help = "claim with the login of the user; one that users "
                                          "cannot change by themselves"},
    [CONFIG_OPENID_GROUPS_CLAIM] = {.name = "groups_claim",
                                    .type = CONFIG_TEXT,
                                    .fallback = "groups",
                                    .help = "claim with the groups of the user, for the rules "
                                            "in [access RULE]"},
    [CONFIG_OPENID_SCOPES] = {.name = "scopes",
                              .type = CONFIG_TEXT,
                              .fallback = "openid profile",
                              .help = "scopes to request, separated by spaces"},
    [CONFIG_OPENID_LABEL] = {.name = "label",
                             .type = CONFIG_TEXT,
                             .fallback = "OpenID Connect",
                             .help = "name of the provider on the login page"},
    [CONFIG_OPENID_CA] = {.name = "ca",
                          .type = CONFIG_FILE,
                          .help = "file with the certificate authorities to trust for the "
                                  "provider instead of the system's"},
};

const struct config_key config_mail_keys[] = {
    [CONFIG_MAIL_FROM] = {.name = "from",
                          .type = CONFIG_TEXT,
                          .required = true,
                          .help = "sender address of messages"},
    [CONFIG_MAIL_SENDMAIL] = {.name = "sendmail",
                              .type = CONFIG_FILE,
                              .fallback = "/usr/sbin/sendmail",
                              .help = "program that sends mail, called like sendmail"},
    [CONFIG_MAIL_SMTP] = {.name = "smtp",
                          .type = CONFIG_TEXT,
                          .help = "mail server to use instead, such as "
                                  "smtp://mail.example.org:587 or smtps://mail.example.org"},
    [CONFIG_MAIL_USER] = {.name = "user",
                          .type = CONFIG_TEXT,
                          .help = "user to log in as at that server; default no login"},
    [CONFIG_MAIL_PASSWORD] =
        {.name = "password",
         .type = CONFIG_TEXT,
         .secret = true,
         .help = "password of that user, sent over TLS only; or password_file, a file with it"},
    [CONFIG_MAIL_CA] = {.name = "ca",
                        .type = CONFIG_FILE,
                        .help = "file with the certificate authorities to trust for the server "
                                "instead of the system's"},
    [CONFIG_MAIL_STAFF] =
        {.name = "staff",
         .type = CONFIG_TEXT,
         .help = "mail address for messages about accounts in which nobody has an address"},
    [CONFIG_MAIL_TIMEOUT] = {.name = "timeout",
                             .type = CONFIG_DURATION,
                             .fallback = "30s",
                             .help = "maximum time that sending one mail may take"},
};

const struct config_key config_bank_keys[] = {
    [CONFIG_BANK_LEVELS] = {.name = "levels",
                            .type = CONFIG_WORDS,
                            .fallback = "60, 90, 100",
                            .help =
                                "percentages of an allotment used at which a notice is sent"},
    [CONFIG_BANK_DAYS] = {.name = "days",
                          .type = CONFIG_WORDS,
                          .fallback = "90, 30, 7",
                          .help =
                              "days before the end of an allotment at which a notice is sent"},
    [CONFIG_BANK_NOTICES] = {.name = "notices",
                             .type = CONFIG_DURATION,
                             .help = "how often stint serve sends notices by itself; default "
                                     "never"},
    [CONFIG_BANK_REQUESTS] = {.name = "requests",
                              .type = CONFIG_DURATION,
                              .help = "how often stint serve sends messages about requests for "
                                      "allotments by itself; default never"},
    [CONFIG_BANK_BESIDE] = {.name = "beside",
                            .type = CONFIG_PRICE,
                            .help = "what one SU is in a second unit, which is shown beside "
                                    "amounts of SU: 0.02 EUR"},
};

const struct config_key config_invoice_keys[] = {
    [CONFIG_INVOICE_SELLER] = {.name = "seller",
                               .type = CONFIG_TEXT,
                               .help = "name of the site on invoices"},
    [CONFIG_INVOICE_ADDRESS] = {.name = "address",
                                .type = CONFIG_TEXT,
                                .help = "its address; a semicolon begins a new line"},
    [CONFIG_INVOICE_TAX_ID] = {.name = "tax_id", .type = CONFIG_TEXT, .help = "its tax number"},
    [CONFIG_INVOICE_PAYMENT] = {.name = "payment",
                                .type = CONFIG_TEXT,
                                .help = "how to pay: bank, account; a semicolon begins a new "
                                        "line"},
    [CONFIG_INVOICE_NUMBER] =
        {.name = "number",
         .type = CONFIG_TEXT,
         .fallback = "{number}",
         .help = "how numbers are printed: {number}, {number:5} with zeros in front, {year}, "
                 "{month} and {account} are replaced"},
    [CONFIG_INVOICE_DUE] = {.name = "due",
                            .type = CONFIG_NUMBER,
                            .help = "days after its issue at which an invoice is due; default "
                                    "no date"},
    [CONFIG_INVOICE_ROUND] = {.name = "round",
                              .type = CONFIG_CHOICE,
                              .choices = "half-up half-even down",
                              .fallback = "half-up",
                              .help = "how each line is rounded to the smallest unit of the "
                                      "currency"},
    [CONFIG_INVOICE_TAX] = {.name = "tax",
                            .type = CONFIG_TEXT,
                            .help = "tax in percent, such as 19 or 7.7; default none"},
    [CONFIG_INVOICE_TAX_NOTE] = {.name = "tax_note",
                                 .type = CONFIG_TEXT,
                                 .help = "what invoices say about tax: its name, or why there "
                                         "is none"},
};

const struct config_key config_webhook_keys[] = {
    [CONFIG_WEBHOOK_ADDRESS] = {.name = "address",
                                .type = CONFIG_TEXT,
                                .required = true,
                                .help = "URL to which messages are posted as JSON: to, "
                                        "subject, text"},
    [CONFIG_WEBHOOK_TOKEN] =
        {.name = "token",
         .type = CONFIG_TEXT,
         .secret = true,
         .help = "token, sent as Authorization: Bearer TOKEN; or token_file, a file with it"},
    [CONFIG_WEBHOOK_CA] = {.name = "ca",
                           .type = CONFIG_FILE,
                           .help = "file with the certificate authorities to trust for it "
                                   "instead of the system's"},
    [CONFIG_WEBHOOK_TIMEOUT] = {.name = "timeout",
                                .type = CONFIG_DURATION,
                                .fallback = "30s",
                                .help = "maximum time that posting one message may take"},
};

const struct config_key config_access_keys[] = {
    [CONFIG_ACCESS_USERS] = {.name = "users",
                             .type = CONFIG_WORDS,
                             .help = "names of users to whom the rule applies"},
    [CONFIG_ACCESS_GROUPS] = {.name = "groups",
                              .type = CONFIG_WORDS,
                              .help =
                                  "groups to whose members the rule applies: Unix groups on "
                                  "the server's machine, groups sent by a trusted proxy, or "
                                  "groups of an OpenID Connect login"},
    [CONFIG_ACCESS_ROLE] = {.name = "role",
                            .type = CONFIG_CHOICE,
                            .choices = "user manager staff operator treasurer admin",
                            .required = true,
                            .help = "the role they have at least"},
    [CONFIG_ACCESS_RIGHTS] = {.name = "rights",
                              .type = CONFIG_WORDS,
                              .help = "rights that they have beyond those of the role: own, "
                                      "managed, all, transfer, money, books, access, chores"},
    [CONFIG_ACCESS_MANAGES_GROUPS] = {.name = "manages_groups",
                                      .type = CONFIG_WORDS,
                                      .help = "groups whose runs a manager may see"},
    [CONFIG_ACCESS_MANAGES_ACCOUNTS] = {.name = "manages_accounts",
                                        .type = CONFIG_WORDS,
                                        .help = "accounts whose runs a manager may see"},
    [CONFIG_ACCESS_MANAGES_METAGROUPS] = {.name = "manages_metagroups",
                                          .type = CONFIG_WORDS,
                                          .help = "metagroups whose runs a manager may see"},
};

const struct config_plain config_plain[] = {
    {"site", NULL, config_site_keys, COUNT_OF(config_site_keys), NULL},
    {"serve", NULL, config_serve_keys, COUNT_OF(config_serve_keys), NULL},
    {"follow", "NAME", config_follow_keys, COUNT_OF(config_follow_keys), "my-log"},
    {"openid", NULL, config_openid_keys, COUNT_OF(config_openid_keys), NULL},
    {"access", "RULE", config_access_keys, COUNT_OF(config_access_keys), "chemistry"},
    {"samples", NULL, config_samples_keys, COUNT_OF(config_samples_keys), NULL},
    {"backup", NULL, config_backup_keys, COUNT_OF(config_backup_keys), NULL},
    {"hog", "RULE", config_hog_keys, COUNT_OF(config_hog_keys), "idle-gpus"},
    {"energy", NULL, config_energy_keys, COUNT_OF(config_energy_keys), NULL},
    {"enforce", "NAME", config_enforce_keys, COUNT_OF(config_enforce_keys), "alder"},
    {"bank", NULL, config_bank_keys, COUNT_OF(config_bank_keys), NULL},
    {"invoice", NULL, config_invoice_keys, COUNT_OF(config_invoice_keys), NULL},
    {"mail", NULL, config_mail_keys, COUNT_OF(config_mail_keys), NULL},
    {"webhook", NULL, config_webhook_keys, COUNT_OF(config_webhook_keys), NULL},
    {0},
};

const struct config_entry *config_entry_of(const struct config_section *section, struct str key)
{
    for (size_t i = 0; i < section->entry_count; i++) {
        if (str_eq(section->entries[i].key, key)) {
            return &section->entries[i];
        }
    }
    return NULL;
}

const struct config_section *config_find(const struct config *config, struct str kind,
                                         struct str name)
{
    for (size_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        if (str_eq(section->kind, kind) && (!name.ptr || str_eq(section->name, name))) {
            return section;
        }
    }
    return NULL;
}

bool config_next_word(struct str *rest, struct str *word)
{
    while (rest->len > 0 &&
           (rest->ptr[0] == ',' || rest->ptr[0] == ' ' || rest->ptr[0] == '\t')) {
        rest->ptr++;
        rest->len--;
    }
    *word = (struct str){rest->ptr, 0};
    while (word->len < rest->len && !strchr(", \t", rest->ptr[word->len])) {
        word->len++;
    }
    rest->ptr += word->len;
    rest->len -= word->len;
    return word->len > 0;
}

const struct config_entry *config_entry_at(const struct config_section *section,
                                           const char *key)
{
    return section ? config_entry_of(section, str_of(key)) : NULL;
}

struct str config_text(const struct config_section *section, const struct config_key *key)
{
    const struct config_entry *entry =
        section ? config_entry_of(section, str_of(key->name)) : NULL;
    return entry ? entry->value : str_of(key->fallback);
}

int64_t config_number(const struct config_section *section, const struct config_key *key,
                      int64_t otherwise)
{
    const struct str text = config_text(section, key);
    int64_t number = otherwise;
    if (!text.ptr) {
        return otherwise;
    }
    if (key->type == CONFIG_FLAG) {
        return str_eq(text, STR("yes"));
    }
    return (key->type == CONFIG_DURATION ? scan_duration(text, &number)
                                         : scan_int(text, &number))
               ? number
               : otherwise;
}
