/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "service/bank/enforcing.h"
#include "service/doctor/doctor.h"

enum { CHECK_MAX = 160 };

/* The first that differs is named: it is where to look. */
static void say(struct doctor *doctor, const struct enforcing *enforcing, const char *check)
{
    const struct limit_plan *plan = &enforcing->plan;
    const struct limit_plan_row *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (enforcing_differs(enforcing, &plan->rows[i])) {
            first = first ? first : &plan->rows[i];
            count++;
        }
    }
    if (first) {
        doctor_add(doctor, TROUBLE, check,
                   "%zu limits of %.*s differ from what the bank shows, that of '%.*s' among "
                   "them: stint bank limits; to set them: stint bank enforce --apply",
                   count, STR_ARG(enforcing->site.cluster), STR_ARG(first->target.name));
    } else {
        doctor_add(doctor, FINE, check, "%zu limits are as the bank shows", plan->count);
    }
}

static int check_section(struct doctor *doctor, const struct config_section *section,
                         struct error *err)
{
    const struct request nothing = {0};
    struct bank bank = {0};
    struct enforcing enforcing = {0};
    struct error why;
    char check[CHECK_MAX];
    (void)snprintf(check, sizeof(check), "%.*s (enforce)", STR_ARG(section->name));
    int failed = bank_open(doctor->service, &nothing, doctor->answer, BOOKS_READ, &bank, err);
    if (!failed &&
        enforcing_open(&bank, section, false, (struct str){0}, &enforcing, &why) != 0) {
        doctor_add(doctor, TROUBLE, check, "%s", why.text);
    } else if (!failed) {
        say(doctor, &enforcing, check);
    }
    enforcing_close(&enforcing);
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
