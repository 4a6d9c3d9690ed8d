/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The people of the demo site: invented logins, their groups, departments and projects, and how
 * busy each is. A few do most of the work, as everywhere: the n-th busiest submits about 1/n of
 * what the busiest does.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "demo/demo_clock.h"
#include "demo/demo_random.h"
#include "demo/demo_site.h"

enum { DEMO_LOGIN_MAX = 24, DEMO_GROUP_PROJECTS = 3 };

struct demo_group {
    char name[DEMO_LOGIN_MAX];
    char projects[DEMO_GROUP_PROJECTS][DEMO_LOGIN_MAX];
    const char *department;
};

struct demo_person {
    char login[DEMO_LOGIN_MAX];
    uint32_t group;      /* index in demo_people.groups */
    uint8_t habit;       /* index in demo_site_habits */
    uint8_t names;       /* where in the habit's job names their own favourites begin */
    uint16_t project;    /* thousandths of jobs that name a project */
    uint16_t asks_queue; /* thousandths of jobs that ask for a queue by name */
    uint16_t came, left; /* part of the period they were here for, in thousandths */
    uint32_t activity;   /* weight of their submissions */
};

struct demo_people {
    uint64_t seed;
    size_t count;
    struct demo_person *persons; /* owned, like groups */
    size_t group_count;
    struct demo_group *groups;
};

/* Those of one rhythm on one cluster, to draw one by weight. */
struct demo_crowd {
    size_t count;
    uint32_t *members; /* owned; index of the person */
    uint64_t *sums;    /* owned; of weights up to and including each */
};

void demo_people_init(struct demo_people *people, uint64_t seed, size_t count);
void demo_people_release(struct demo_people *people);

void demo_people_crowd(const struct demo_people *people, size_t cluster,
                       enum demo_rhythm rhythm, struct demo_crowd *crowd);
void demo_people_crowd_release(struct demo_crowd *crowd);
uint64_t demo_people_crowd_weight(const struct demo_crowd *crowd);

/*
 * Draws a member who is here at that time (thousandths of the period) and not away that week;
 * after a few tries, anybody. The crowd must not be empty.
 */
uint32_t demo_people_draw(const struct demo_people *people, const struct demo_crowd *crowd,
                          struct demo_random *random, uint32_t when, int64_t week);
