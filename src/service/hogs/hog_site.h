/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The rules of `stint hogs` as a site has them: those of advice/hog.h with what sections [hog
 * NAME] of stint.conf change, and rules of its own, which are like one of these with other
 * numbers. Inside service/ only.
 */

#include "advice/hog.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

enum { HOG_SITE_MAX = 64 };

/* Texts are the config's. */
struct hog_site_rule {
    struct hog_rule rule;
    struct str exempt; /* logins */
    /* patterns of those it holds for, with a leading ! of those it does not; null: all */
    struct str partitions, nodes, qos;
    struct str text; /* path of the text of its messages; null: stint's own */
    double busy;     /* it does not hold while less than this share of the cluster is in use */
    bool enabled;
};

struct hog_site {
    struct hog_site_rule rows[HOG_SITE_MAX];
    size_t count;
};

/*
 * `config` may be NULL. A section that names no rule, and is like none, is a mistake that is
 * said.
 */
int hog_site_read(const struct config *config, struct hog_site *out,
                  struct error *err) MUST_CHECK;

/*
 * Whether a list of patterns, separated by commas or blanks, has one that matches; a null list
 * has none.
 */
bool hog_site_lists(struct str list, struct str name);

/*
 * Whether a rule with this list of patterns holds for a name (partitions, qos), or for a run on
 * these nodes (base/hostlist.h), none of which may be excluded and one of which has to be
 * listed where any is. A null list is of everything.
 */
bool hog_site_holds(struct str list, struct str name);
bool hog_site_holds_on(struct str list, struct str nodes);

/* Whether the threshold of a rule is a share: percent in stint.conf. */
bool hog_site_has_share(const struct hog_rule *rule);

/* The definition of a rule with its numbers. */
void hog_site_define(struct buf *out, const struct hog_rule *rule);

/* An amount in the unit of a rule, "12.5 GPU h". */
void hog_site_amount(struct buf *out, const struct hog_rule *rule, double lost);
double hog_site_scaled(const struct hog_rule *rule, double lost);
const char *hog_site_unit(const struct hog_rule *rule);
