/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Samples that agents have sent and that are not in the store yet: files below inbox/CLUSTER/
 * of the store's folder, one an hour. A thread of the server imports them as any other files,
 * from where the last import ended, and removes each when its hour is over and all of it is in
 * the store. A request that adds to the inbox does not wait for that. One import takes what
 * many nodes have sent: they are some seconds apart. Once a day the thread thins old samples
 * (stint thin).
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/store.h"
#include "service/core/service.h"

struct sample_inbox;

/*
 * Also imports what a server that was killed has left. `service` is that of the user who
 * started the server.
 */
struct sample_inbox *sample_inbox_start(struct store *store, const struct service *service);

/*
 * What is imported and thinned from now on is by these settings: config, zone and address of
 * `service`.
 */
void sample_inbox_adopt(struct sample_inbox *inbox, const struct service *service);

/* Whether something is under way that began with this config. */
bool sample_inbox_uses(struct sample_inbox *inbox, const struct config *config);

/* Stops the thread; what is not imported stays for the next server. Accepts NULL. */
void sample_inbox_stop(struct sample_inbox *inbox);

/*
 * Counts what a node sends against what it may send in an hour, before it is added.
 * ERROR_CONFLICT: it is to send the rest in the next one. From any thread.
 */
int sample_inbox_admit(struct sample_inbox *inbox, const char *cluster, struct str node,
                       size_t bytes, struct error *err) MUST_CHECK;

/*
 * Adds whole lines of JSON to the inbox of a cluster. They are on the disk when it returns 0.
 * ERROR_CONFLICT: the inbox of the cluster is full, because nothing can be imported; agents
 * keep what they have and try again. From any thread.
 */
int sample_inbox_add(struct sample_inbox *inbox, const char *cluster, struct str looks,
                     struct error *err) MUST_CHECK;
