/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "service/bank/enforcement.h"
#include "service/doctor/doctor.h"

enum { CHECK_MAX = 160 };

/* Of each verdict, how many limits there are, and the first: it is where to look. */
struct tally {
    size_t count;
    const struct limit_plan_row *first;
};

static struct tally tally_of(const struct enforcement *enforcing, const char *verdict)
{
    const struct limit_plan *plan = &enforcing->plan;
    struct tally tally = {0};
    for (size_t i = 0; i < plan->count; i++) {
        const struct limit_plan_row *row = &plan->rows[i];
        const bool due = row->demand && !row->demand->unlimited && row->demand->room <= 0;
        if (strcmp(enforcement_verdict(enforcing, row), verdict) == 0 &&
            (!row->untouched || due || strcmp(verdict, "differs") == 0)) {
            tally.first = tally.first ? tally.first : row;
            tally.count++;
        }
    }
    return tally;
}

/*
 * Limits that are not as the bank shows for a reason: a line for each kind, with what to do
 * about the first.
 */
static bool say_findings(struct doctor *doctor, struct enforcement *enforcing,
                         const char *check)
{
    static const struct {
        const char *verdict, *what;
        enum finding finding;
    } findings[] = {
        {"not ours", "are stopped though they have balance", TROUBLE},
        {"overridden", "do not stop every job", NOTICE},
        {"left alone", "have no balance and are left alone", NOTICE},
    };

    bool any = false;
    for (size_t i = 0; i < COUNT_OF(findings); i++) {
        const struct tally tally = tally_of(enforcing, findings[i].verdict);
        if (tally.first) {
            doctor_add(doctor, findings[i].finding, check, "%zu of %zu limits %s, '%.*s': %s",
                       tally.count, enforcing->plan.count, findings[i].what,
                       STR_ARG(tally.first->target.name),
                       enforcement_finding(enforcing, tally.first));
            any = true;
        }
    }
    return any;
}

static void report_enforcement(struct doctor *doctor, struct enforcement *enforcing,
                               const char *check)
{
    const struct tally differ = tally_of(enforcing, "differs");
    const char *factors = enforcement_factors(enforcing);
    bool any = say_findings(doctor, enforcing, check);
    if (differ.first) {
        doctor_add(doctor, TROUBLE, check,
                   "%zu limits of %.*s differ from what the bank shows, that of '%.*s' among "
                   "them: stint bank limits; to set them: stint bank enforce --apply",
                   differ.count, STR_ARG(enforcing->site.cluster),
                   STR_ARG(differ.first->target.name));
        any = true;
    }
    if (factors) {
        doctor_add(doctor, NOTICE, check, "%s", factors);
        any = true;
    }
    if (!any) {
        doctor_add(doctor, FINE, check, "%zu limits are as the bank shows",
                   enforcing->plan.count);
    }
}

static int check_section(struct doctor *doctor, const struct config_section *section,
                         struct error *err)
{
    const struct request nothing = {0};
    struct bank bank = {0};
    struct enforcement enforcing = {0};
    struct error why;
    char check[CHECK_MAX];
    (void)snprintf(check, sizeof(check), "%.*s (enforce)", STR_ARG(section->name));
    int failed = bank_open(doctor->service, &nothing, doctor->answer, BOOKS_READ, &bank, err);
    if (!failed &&
        enforcement_open(&bank, section, false, (struct str){0}, &enforcing, &why) != 0) {
        doctor_add(doctor, TROUBLE, check, "%s", why.text);
    } else if (!failed) {
        report_enforcement(doctor, &enforcing, check);
    }
    enforcement_close(&enforcing);
    bank_close(&bank);
    return failed;
}

int doctor_check_enforce(struct doctor *doctor, struct error *err)
{
    const struct config *config = doctor->service->config;
    int failed = 0;
    for (size_t i = 0; !failed && config && i < config->section_count; i++) {
        if (str_eq(config->sections[i].kind, STR("enforce"))) {
            failed = check_section(doctor, &config->sections[i], err);
        }
    }
    return failed;
}
