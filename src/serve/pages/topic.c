/* SPDX-License-Identifier: MIT */
#include "serve/pages/topic.h"

#include "base/attribute.h"

enum topic { TOPIC_USED, TOPIC_JOBS, TOPIC_WAITS, TOPIC_QUALITY, TOPIC_SHAPE, TOPIC_CAPACITY };

static const char *const titles[] = {
    [TOPIC_USED] = "Used",
    [TOPIC_JOBS] = "Jobs and people",
    [TOPIC_WAITS] = "Waits",
    [TOPIC_QUALITY] = "How well it was used",
    [TOPIC_SHAPE] = "How long and how large",
    [TOPIC_CAPACITY] = "Capacity",
};

const char *topic_title(size_t topic)
{
    return topic < COUNT_OF(titles) ? titles[topic] : NULL;
}

size_t topic_of(const struct measure *measure)
{
    const bool waits =
        measure->quantity == QUANTITY_WAIT || measure->quantity == QUANTITY_WAIT_ELIGIBLE;
    if (measure->kind == MEASURE_SIZE || measure->per == PER_CPUS || measure->per == PER_GPUS) {
        return TOPIC_CAPACITY;
    }
    if (waits) {
        return TOPIC_WAITS;
    }
    if (measure->aggregate == AGGREGATE_SHARE || measure->aggregate == AGGREGATE_KNOWN ||
        measure->aggregate == AGGREGATE_RATE) {
        return TOPIC_QUALITY;
    }
    if (measure->aggregate == AGGREGATE_MEAN || measure->aggregate == AGGREGATE_MIN ||
        measure->aggregate == AGGREGATE_MAX || measure->aggregate == AGGREGATE_QUANTILE) {
        return TOPIC_SHAPE;
    }
    return measure->kind == MEASURE_OVERLAP || measure->kind == MEASURE_USED ? TOPIC_USED
                                                                             : TOPIC_JOBS;
}

static const struct {
    const char *id, *one, *several;
} named[] = {
    {"user", "user", "users"},
    {"group", "group", "groups"},
    {"metagroup", "metagroup", "metagroups"},
    {"account", "account", "accounts"},
    {"project", "project", "projects"},
    {"department", "department", "departments"},
    {"cluster", "cluster", "clusters"},
    {"partition", "queue", "queues"},
    {"node", "node", "nodes"},
    {"qos", "quality of service", "qualities of service"},
    {"gpu_type", "GPU model", "GPU models"},
    {"name", "job name", "job names"},
    {"reservation", "reservation", "reservations"},
    {"class", "outcome", "outcomes"},
    {"hour_of_day", "hour of day", "hours of the day"},
};

const char *topic_dimension(const char *id)
{
    for (size_t i = 0; i < COUNT_OF(named); i++) {
        if (str_eq(str_of(id), str_of(named[i].id))) {
            return named[i].one;
        }
    }
    return id;
}

const char *topic_dimensions(const char *id)
{
    for (size_t i = 0; i < COUNT_OF(named); i++) {
        if (str_eq(str_of(id), str_of(named[i].id))) {
            return named[i].several;
        }
    }
    return id;
}
