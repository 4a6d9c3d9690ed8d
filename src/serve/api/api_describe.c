/* SPDX-License-Identifier: MIT */

/* The API as OpenAPI 3.1 has it: loops over operations, their parameters and formats. */

#include "base/json.h"
#include "serve/api/api.h"
#include "serve/api/api_format.h"

static void put(struct json *json, const char *key, const char *text)
{
    json_put_key(json, key);
    json_put_text(json, str_of(text));
}

static void put_choices(struct json *json, const struct param *param)
{
    struct buf words;
    buf_init(&words, EXCHANGE_TARGET_MAX);
    param_words(&words, param);
    json_put_key(json, "enum");
    json_begin_array(json);
    for (struct str rest = buf_str(&words); rest.ptr;) {
        json_put_text(json, str_cut(&rest, ' '));
    }
    json_end_level(json);
    buf_release(&words);
}

static void put_type(struct json *json, const struct param *param)
{
    static const char *const types[] = {
        [PARAM_FLAG] = "boolean",  [PARAM_TEXT] = "string",  [PARAM_NUMBER] = "integer",
        [PARAM_CHOICE] = "string", [PARAM_INPUT] = "string",
    };
    put(json, "type", types[param->type]);
    if (param->type == PARAM_CHOICE) {
        put_choices(json, param);
    }
    if (param->type == PARAM_NUMBER) {
        json_put_key(json, "minimum");
        json_put_int(json, 0);
    }
    if (param->fallback) {
        json_put_key(json, "default");
        if (param->type == PARAM_NUMBER) {
            json_put_number(json, str_of(param->fallback));
        } else {
            json_put_text(json, str_of(param->fallback));
        }
    }
}

static void put_schema(struct json *json, const struct param *param)
{
    json_begin_object(json);
    if (param->repeated) {
        put(json, "type", "array");
        json_put_key(json, "items");
        json_begin_object(json);
        put_type(json, param);
        json_end_level(json);
    } else {
        put_type(json, param);
    }
    json_end_level(json);
}

static void put_param(struct json *json, const struct param *param)
{
    json_begin_object(json);
    put(json, "name", param->name);
    put(json, "in", "query");
    put(json, "description", param->help);
    if (param->required) {
        json_put_key(json, "required");
        json_put_bool(json, true);
    }
    json_put_key(json, "schema");
    put_schema(json, param);
    json_end_level(json);
}

static void put_params(struct json *json, const struct operation *operation)
{
    struct param param;
    json_put_key(json, "parameters");
    json_begin_array(json);
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        put_param(json, &param);
    }
    for (size_t i = 0; i < api_param_count; i++) {
        json_begin_object(json);
        json_put_key(json, "$ref");
        struct buf name;
        buf_init(&name, 256);
        buf_addf(&name, "#/components/parameters/%s", api_params[i].name);
        json_put_text(json, buf_str(&name));
        buf_release(&name);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_responses(struct json *json)
{
    json_put_key(json, "responses");
    json_begin_object(json);
    json_put_key(json, "200");
    json_begin_object(json);
    put(json, "description", "the answer");
    json_put_key(json, "content");
    json_begin_object(json);
    for (size_t i = 0; i < api_format_count; i++) {
        json_put_key(json, api_formats[i].type);
        json_begin_object(json);
        json_end_level(json);
    }
    json_end_level(json);
    json_end_level(json);
    json_put_key(json, "default");
    json_begin_object(json);
    json_put_key(json, "$ref");
    json_put_text(json, STR("#/components/responses/problem"));
    json_end_level(json);
    json_end_level(json);
}

static void add_rights(struct buf *note, unsigned rights)
{
    buf_addz(note, rights == RIGHT_PUBLIC ? "No rights are needed" : "Rights: ");
    rights_print(note, rights, ", ");
    buf_addc(note, '.');
}

static void put_method(struct json *json, const struct operation *operation, const char *method)
{
    struct buf id, note;
    buf_init(&id, 256);
    buf_init(&note, EXCHANGE_TARGET_MAX);
    buf_addf(&id, "%s_%s", method, operation->name);
    buf_addf(&note, "%s\n\n", operation->description);
    add_rights(&note, operation->rights);
    for (size_t i = 0; i < operation->action_count; i++) {
        const struct operation_action *action = &operation->actions[i];
        buf_addf(&note, "\n\naction=%s: %s. ", action->name, action->summary);
        add_rights(&note, action->rights);
        buf_addz(&note, action->traits & ACTION_CHANGES ? " POST." : "");
    }
    json_put_key(json, method);
    json_begin_object(json);
    put(json, "operationId", id.ptr);
    put(json, "summary", operation->summary);
    put(json, "description", note.ptr);
    put_params(json, operation);
    put_responses(json);
    json_end_level(json);
    buf_release(&id);
    buf_release(&note);
}

/*
 * GET where a caller can do something with it that changes nothing, POST where something is
 * changed.
 */
static void put_operation(struct json *json, const struct operation *operation)
{
    bool reads = operation->action_count == 0 && !rights_change(operation->rights);
    bool writes = operation->action_count == 0 && rights_change(operation->rights);
    struct buf path;
    for (size_t i = 0; i < operation->action_count; i++) {
        writes = writes || operation->actions[i].traits & ACTION_CHANGES;
        reads = reads || !(operation->actions[i].traits & ACTION_CHANGES);
    }
    buf_init(&path, 256);
    buf_addf(&path, "/api/v1/%s", operation->name);
    json_put_key(json, path.ptr);
    json_begin_object(json);
    if (reads) {
        put_method(json, operation, "get");
    }
    if (writes) {
        put_method(json, operation, "post");
    }
    json_end_level(json);
    buf_release(&path);
}

static void put_problem(struct json *json)
{
    static const char *const texts[] = {"type", "title", "detail"};
    json_put_key(json, "responses");
    json_begin_object(json);
    json_put_key(json, "problem");
    json_begin_object(json);
    put(json, "description", "what is wrong, in a sentence");
    json_put_key(json, "content");
    json_begin_object(json);
    json_put_key(json, "application/problem+json");
    json_begin_object(json);
    json_put_key(json, "schema");
    json_begin_object(json);
    put(json, "type", "object");
    json_put_key(json, "properties");
    json_begin_object(json);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_put_key(json, texts[i]);
        json_begin_object(json);
        put(json, "type", "string");
        json_end_level(json);
    }
    json_put_key(json, "status");
    json_begin_object(json);
    put(json, "type", "integer");
    for (int level = 0; level < 7; level++) {
        json_end_level(json);
    }
}

static void put_components(struct json *json)
{
    json_put_key(json, "components");
    json_begin_object(json);
    json_put_key(json, "parameters");
    json_begin_object(json);
    for (size_t i = 0; i < api_param_count; i++) {
        json_put_key(json, api_params[i].name);
        put_param(json, &api_params[i]);
    }
    json_end_level(json);
    put_problem(json);
    json_put_key(json, "securitySchemes");
    json_begin_object(json);
    json_put_key(json, "token");
    json_begin_object(json);
    put(json, "type", "http");
    put(json, "scheme", "bearer");
    json_end_level(json);
    json_end_level(json);
    json_end_level(json);
}

void api_describe(struct buf *out, const char *server)
{
    struct json json = {.out = out, .indent = 1};
    json_begin_object(&json);
    put(&json, "openapi", "3.1.0");
    json_put_key(&json, "info");
    json_begin_object(&json);
    put(&json, "title", "stint");
    put(&json, "version", STINT_VERSION);
    put(&json, "description", "What compute clusters did, for whom, and how well.");
    json_end_level(&json);
    json_put_key(&json, "servers");
    json_begin_array(&json);
    json_begin_object(&json);
    put(&json, "url", *server ? server : "/");
    json_end_level(&json);
    json_end_level(&json);
    json_put_key(&json, "security");
    json_begin_array(&json);
    json_begin_object(&json);
    json_put_key(&json, "token");
    json_begin_array(&json);
    json_end_level(&json);
    json_end_level(&json);
    json_begin_object(&json);
    json_end_level(&json);
    json_end_level(&json);
    json_put_key(&json, "paths");
    json_begin_object(&json);
    for (size_t i = 0; operations[i]; i++) {
        if (api_offers(operations[i])) {
            put_operation(&json, operations[i]);
        }
    }
    json_end_level(&json);
    put_components(&json);
    json_end_level(&json);
    buf_addc(out, '\n');
}
