/* SPDX-License-Identifier: MIT */
#include "facts/session.h"

static int open_own(struct session *session, struct error *err)
{
    int failed = store_open(session->folder, session->mode, &session->wait, &session->own, err);
    session->taken = failed == ERROR_CONFLICT;
    session->unsettled = !failed && store_is_unsettled(session->own);
    if (!failed && session->mode == FACTS_WRITE && session->opened) {
        session->opened(session->owner, session->own);
    }
    return failed;
}

static int connect(struct session *session, struct error *err)
{
    int failed = session->store ? 0 : open_own(session, err);
    if (failed) {
        return failed;
    }
    failed = facts_open(session->store ? session->store : session->own, session->mode,
                        session->wait.stop, &session->facts, err);
    return failed ? failed : facts_restrict(session->facts, session->scope, err);
}

int session_facts(struct session *session, enum facts_mode mode, struct facts **out,
                  struct error *err)
{
    int failed = 0;
    *out = NULL;
    session->taken = session->read_only && mode == FACTS_WRITE;
    if (session->taken) {
        return error_set(err, ERROR_CONFLICT,
                         "the store is being written to by another process");
    }
    if (session->facts && mode > session->mode) {
        session_close(session);
    }
    if (!session->facts) {
        session->mode = mode;
        failed = connect(session, err);
        if (failed) {
            session_close(session);
        }
    }
    *out = session->facts;
    return failed;
}

void session_close(struct session *session)
{
    facts_close(session->facts);
    session->facts = NULL;
    if (session->own && session->mode == FACTS_WRITE && session->closing) {
        session->closing(session->owner, session->own);
    }
    store_close(session->own);
    session->own = NULL;
}
