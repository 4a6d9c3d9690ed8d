/* SPDX-License-Identifier: MIT */
#include "source/common/instant.h"
#include "source/nomad/nomad_record.h"

bool nomad_time(struct str text, int64_t *out)
{
    return instant_read(text, out);
}

bool nomad_time_local(struct str text, const struct zone *zone, int64_t *out)
{
    struct civil civil = {0};
    if (nomad_time(text, out)) {
        return true;
    }
    if (!instant_take_civil(&text, ":", &civil) || !instant_take_fraction(&text, &civil) ||
        text.len > 0) {
        return false;
    }
    *out = zone_instant(zone, civil);
    return *out > 0;
}

bool nomad_time_of_name(struct str path, int64_t *out)
{
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    struct str name = path;
    if (slash) {
        name = (struct str){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)};
    }
    struct civil civil = {0};
    if (!instant_take_civil(&name, ":-_", &civil)) {
        return false;
    }
    struct str fraction = name; /* 10:00:00.json has none */
    if (instant_take_fraction(&fraction, &civil)) {
        name = fraction;
    }
    (void)instant_take_mark(&name, "Zz");
    *out = zone_instant(NULL, civil);
    return *out > 0 && (name.len == 0 || name.ptr[0] == '.');
}
