/* SPDX-License-Identifier: MIT */

/*
 * The one way in: what is asked is checked against the operation's row, then against who asks,
 * then done.
 */

#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "base/nearest.h"
#include "base/scan.h"
#include "service/core/caller_scope.h"
#include "service/core/service.h"
#include "service/query/question_params.h"

static int check_choice(const struct param *param, struct str value, struct error *err)
{
    struct buf words;
    bool found = false;
    buf_init(&words, ERROR_TEXT_MAX);
    param_words(&words, param);
    for (struct str rest = buf_str(&words); rest.ptr && !found;) {
        found = str_eq(str_cut(&rest, ' '), value);
    }
    int failed = found ? 0
                       : error_set(err, ERROR_USAGE, "%s%s cannot be '%.*s': choose one of: %s",
                                   param->positional ? "" : "--",
                                   param->positional ? param->value : param->name,
                                   STR_ARG(value), words.ptr);
    buf_release(&words);
    return failed;
}

int param_check(const struct param *param, struct str value, struct error *err)
{
    int64_t number;
    if (param->type == PARAM_NUMBER && (!scan_int(value, &number) || number < 0)) {
        return error_set(err, ERROR_USAGE, "--%s needs a whole number, not '%.*s'", param->name,
                         STR_ARG(value));
    }
    return param->type == PARAM_CHOICE ? check_choice(param, value, err) : 0;
}

static int refuse_unknown(const struct operation *operation, const char *name,
                          struct error *err)
{
    struct param param;
    struct nearest nearest = nearest_to(str_of(name));
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        nearest_try(&nearest, str_of(param.name));
    }
    if (nearest.name.ptr) {
        return error_set(err, ERROR_USAGE, "%s has no parameter '%s'; did you mean '%.*s'?",
                         operation->name, name, STR_ARG(nearest.name));
    }
    return error_set(err, ERROR_USAGE, "%s has no parameter '%s'", operation->name, name);
}

/*
 * " after SOURCE 'accounting'", so that a user who left out the former sees what the latter was
 * taken for.
 */
static void add_before(struct buf *out, const struct request *request,
                       const struct param *missing)
{
    struct param param, before = {0};
    for (size_t i = 0; operation_param(request->operation, i, &param) &&
                       strcmp(param.name, missing->name) != 0;
         i++) {
        before = param.positional && request_has(request, param.name) ? param : before;
    }
    if (missing->positional && before.name) {
        buf_addf(out, " after %s '%.*s'", before.value,
                 STR_ARG(request_text(request, before.name)));
    }
}

/* ": jobs, cpu_hours and more": what the parameter takes; of a long list only the first few. */
static void add_words(struct buf *out, const struct param *param)
{
    enum { SHOWN = 8 };

    struct buf words;
    buf_init(&words, LIMIT_ARGUMENT);
    param_words(&words, param);
    struct str rest = words.len > 0 ? buf_str(&words) : (struct str){0};
    for (size_t i = 0; i < SHOWN && rest.ptr; i++) {
        const struct str word = str_cut(&rest, ' ');
        buf_addf(out, "%s %.*s", i ? "," : ":", STR_ARG(word));
    }
    buf_addz(out, rest.ptr ? " and more" : "");
    buf_release(&words);
}

/* "MEASURE is missing (what to measure: jobs, cpu_hours and more)". */
static int refuse_missing(const struct request *request, const struct param *param,
                          struct error *err)
{
    struct buf words, before;
    buf_init(&words, ERROR_TEXT_MAX);
    buf_init(&before, ERROR_TEXT_MAX);
    add_words(&words, param);
    add_before(&before, request, param);
    int failed =
        error_set(err, ERROR_USAGE, "%s is missing%s (%s%s); see: stint help %s", param->value,
                  before.ptr, param->help, words.ptr, request->operation->name);
    buf_release(&before);
    buf_release(&words);
    return failed;
}

static int check_value(const struct request *request, size_t index, struct error *err)
{
    const struct request_value *value = &request->values[index];
    struct param param;
    for (size_t i = 0; operation_param(request->operation, i, &param); i++) {
        if (str_eq(str_of(param.name), str_of(value->name))) {
            return param_check(&param, value->text, err);
        }
    }
    return refuse_unknown(request->operation, value->name, err);
}

int request_check(const struct request *request, struct error *err)
{
    struct param param;
    struct str ignored;
    if (request->count > REQUEST_VALUES_MAX) {
        return error_set(err, ERROR_USAGE, "more than %d values", REQUEST_VALUES_MAX);
    }
    for (size_t i = 0; i < request->count; i++) {
        int failed = check_value(request, i, err);
        if (failed) {
            return failed;
        }
    }
    for (size_t i = 0; operation_param(request->operation, i, &param); i++) {
        if (param.required && !request_has(request, param.name)) {
            return refuse_missing(request, &param, err);
        }
        if (param.positional && !param.repeated &&
            request_each(request, param.name, 1, &ignored)) {
            return error_set(err, ERROR_USAGE, "%s is given more than once; see: stint help %s",
                             param.value, request->operation->name);
        }
    }
    return 0;
}

/* What of the operation's row holds for this request. */
const struct operation_action *request_action(const struct request *request)
{
    const struct operation *operation = request->operation;
    for (size_t i = 0; i < operation->action_count; i++) {
        if (str_eq(request_text(request, "action"), str_of(operation->actions[i].name))) {
            return &operation->actions[i];
        }
    }
    return NULL;
}

unsigned request_rights(const struct request *request)
{
    const struct operation_action *action = request_action(request);
    return action ? action->rights : request->operation->rights;
}

bool request_is_local(const struct request *request)
{
    const struct operation_action *action = request_action(request);
    return request->operation->local || (action && action->traits & ACTION_LOCAL);
}

bool request_is_configured(const struct request *request)
{
    const struct operation_action *action = request_action(request);
    return request->operation->configured || (action && action->traits & ACTION_CONFIGURED);
}

bool request_changes(const struct request *request)
{
    struct param param;
    const struct operation_action *action = request_action(request);
    bool changes =
        action ? action->traits & ACTION_CHANGES : rights_change(request_rights(request));
    for (size_t i = 0; !changes && operation_param(request->operation, i, &param); i++) {
        changes = param.changes && request_has(request, param.name);
    }
    return changes;
}

/* "bank grant needs the rights all and money, and ann has the role staff here". */
static int refuse_caller(const struct caller *caller, const struct request *request,
                         struct error *err)
{
    const struct operation_action *action = request_action(request);
    const unsigned needed = request_rights(request);
    const unsigned missing = needed & ~caller->rights;
    const bool several = (missing & (missing - 1)) != 0;
    struct buf names;
    buf_init(&names, ERROR_TEXT_MAX);
    rights_print(&names, missing, " and ");
    if (caller->remote && caller->role == ROLE_ANYONE) {
        error_set(err, ERROR_DENIED,
                  "%s%s%s needs the right%s %s: log in first, or send a token",
                  request->operation->name, action ? " " : "", action ? action->name : "",
                  several ? "s" : "", names.ptr);
    } else {
        error_set(
            err, ERROR_DENIED,
            "%s%s%s needs the right%s %s, which %s, with the role %s here, does not have%s",
            request->operation->name, action ? " " : "", action ? action->name : "",
            several ? "s" : "", names.ptr, caller->name ? caller->name : "nobody",
            role_name(caller->role),
            caller->remote ? "" : "; users who may write to the store's folder are admin");
    }
    buf_release(&names);
    return ERROR_DENIED;
}

static int check_caller(const struct service *service, const struct request *request,
                        struct error *err)
{
    const struct caller *caller = service->caller;
    const struct operation_action *action = request_action(request);
    if (!caller_may(caller, request_rights(request))) {
        return refuse_caller(caller, request, err);
    }
    if (caller->remote && request_is_local(request) &&
        !(caller->same_host && request_is_configured(request))) {
        return error_set(err, ERROR_DENIED,
                         "%s%s%s uses files and programs on the server's machine: run it there",
                         request->operation->name, action ? " " : "",
                         action ? action->name : "");
    }
    return 0;
}

int service_check(const struct service *service, const struct request *request,
                  struct error *err)
{
    int failed = request_check(request, err);
    return failed ? failed : check_caller(service, request, err);
}

struct books_session service_books_session(const struct service *service)
{
    return (struct books_session){
        .folder = service->store,
        .world = {.kind = {.zone = service->zone,
                           .now = service->now(),
                           .measure_at = question_measure_at,
                           .dimension_at = question_dimension_at},
                  .who = service->caller ? service->caller->name : "stint serve"},
    };
}

int service_books(const struct service *service, enum books_mode mode, struct books **out,
                  struct error *err)
{
    return books_session_open(service->books, mode, out, err);
}

/*
 * A connection is limited to what its first request may see: another may have it where both see
 * everything, and only read.
 */
static void end_session(struct session *session)
{
    const bool stays = session->lasting && session->scope->all && session->store &&
                       session->mode == FACTS_READ;
    if (!stays) {
        session_close(session);
    }
}

/* Whether those who may see only some runs may see sums over all of them. */
static bool shows_totals(const struct service *service)
{
    const struct config_section *section =
        service->config ? config_find(service->config, STR("serve"), (struct str){0}) : NULL;
    return caller_may(service->caller, RIGHT_OWN) &&
           str_eq(config_text(section, &config_serve_keys[CONFIG_SERVE_LIVE]), STR("totals"));
}

/* An answer about some of the runs says whose. */
static void note_scope(const struct service *service, const struct request *request,
                       struct answer *answer)
{
    const struct scope *scope = service->session->scope;
    const bool of_runs = request->operation->sets & (PARAMS_FILTERS | PARAMS_SAMPLES);
    if (scope->all || !(of_runs || answer->narrowed)) {
        return;
    }
    const bool manages = scope->group_count + scope->account_count + scope->stretch_count > 0;
    answer_note(answer, NOTE_SCOPE, "%s",
                manages ? "your jobs and those of the groups and accounts that you manage"
                        : "your jobs only");
}

int service_call(struct service *service, const struct request *request, struct answer *answer,
                 struct error *err)
{
    assert(service->caller && service->session);
    struct scope scope = caller_scope(service->caller);
    struct arena arena = {0};
    int failed = service_check(service, request, err);
    if (failed) {
        return failed;
    }
    struct books_session books = service_books_session(service);
    service->books = service->shared_books ? service->shared_books : &books;
    scope.totals = shows_totals(service);
    service->session->scope = &scope;
    if (!scope.all) {
        session_close(service->session);
    }
    failed = caller_scope_add(service, &arena, &scope, err);
    failed = failed ? failed : request->operation->run(service, request, answer, err);
    if (!failed && service->session->unsettled) {
        answer_note(answer, NOTE_WARNING,
                    "an import was interrupted: what some parallel runs used is incomplete "
                    "until a user who may write to the store imports again");
    }
    if (!failed) {
        note_scope(service, request, answer);
    }
    end_session(service->session);
    books_session_close(&books);
    service->books = NULL;
    service->session->scope = NULL;
    arena_release(&arena);
    return failed;
}

bool request_is_total(const struct request *request)
{
    static const char *const allowed[] = {"measure", "from", "to", "every"};
    if (!str_eq(str_of(request->operation->name), STR("report"))) {
        return false;
    }
    for (size_t i = 0; i < request->count; i++) {
        const struct request_value *value = &request->values[i];
        bool known =
            str_eq(str_of(value->name), STR("by")) && str_eq(value->text, STR("cluster"));
        for (size_t k = 0; k < COUNT_OF(allowed); k++) {
            known = known || str_eq(str_of(value->name), str_of(allowed[k]));
        }
        if (!known) {
            return false;
        }
    }
    return true;
}
