/* SPDX-License-Identifier: MIT */
#include "service/import/rollup_update.h"

#include "config/config.h"
#include "report/rollup/rollup.h"

static struct str configured_zone(const struct service *service)
{
    const struct config_section *site =
        service->config ? config_find(service->config, STR("site"), (struct str){0}) : NULL;
    return site ? config_text(site, &config_site_keys[CONFIG_SITE_ZONE]) : (struct str){0};
}

int rollup_update_zone(const struct service *service, struct facts *facts, struct zone **out,
                       struct error *err)
{
    const struct str configured = configured_zone(service);
    if (configured.ptr) {
        return zone_open(configured.ptr, out, err);
    }
    int failed = rollup_stored_zone(facts, out, err);
    return failed || *out ? failed : zone_open(NULL, out, err);
}

void rollup_update_follow(const struct service *service, int64_t changed, struct answer *answer)
{
    struct facts *facts = NULL;
    struct zone *zone = NULL;
    struct error err = {0};
    bool left = false;
    if (changed == 0) {
        return;
    }
    if (session_facts(service->session, FACTS_WRITE, &facts, &err) != 0 ||
        rollup_update_zone(service, facts, &zone, &err) != 0 ||
        rollup_follow(facts, zone, changed, &left, &err) != 0) {
        answer_note(answer, NOTE_WARNING, "the daily sums could not be updated: %s", err.text);
    } else if (left) {
        answer_note(answer, NOTE_RESULT,
                    "to make reports faster, update the daily sums: stint rollup");
    }
    zone_close(zone);
}
