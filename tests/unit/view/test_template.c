/* SPDX-License-Identifier: MIT */

/* Templates: what is written for what, and that no value leaves its place. */
#include "view/web/template.h"

#include "support/expect.h"

static struct model *made(struct arena *arena)
{
    struct model *model = model_new(arena);
    model_text(model, "name", STR("<b>\"Bo\" & 'co'</b>"));
    model_text(model, "path", STR("/user/bo?x=1&y=2"));
    model_text(model, "evil", STR("javascript:alert(1)"));
    model_text(model, "far", STR("//elsewhere.example/"));
    model_text(model, "none", (struct str){0});
    model_flag(model, "yes", true);
    model_flag(model, "no", false);
    model_markup(model, "svg", STR("<svg></svg>"));
    model_list(model, "empty");
    for (int i = 1; i <= 3; i++) {
        struct model *row = model_add(model, "rows");
        model_format(row, "number", "%d", i);
        model_flag(row, "last", i == 3);
    }
    return model;
}

static const struct row {
    const char *name, *text;
    const char *page; /* NULL: refused */
} rows[] = {
    {"text", "<p>{{name}}</p>", "<p>&lt;b&gt;&quot;Bo&quot; &amp; &#39;co&#39;&lt;/b&gt;</p>"},
    {"attribute", "<p title=\"{{name}}\">",
     "<p title=\"&lt;b&gt;&quot;Bo&quot; &amp; &#39;co&#39;&lt;/b&gt;\">"},
    {"between single quotes", "<p title='{{name}}'>",
     "<p title='&lt;b&gt;\"Bo\" &amp; &#39;co&#39;&lt;/b&gt;'>"},
    {"a double quote between single ones", "<p title='\"' id=\"{{name}}\">",
     "<p title='\"' id=\"&lt;b&gt;&quot;Bo&quot; &amp; &#39;co&#39;&lt;/b&gt;\">"},
    {"in an event between single quotes", "<p onclick='{{name}}'>", NULL},
    {"a whole address", "<a href=\"{{path}}\">", "<a href=\"/user/bo?x=1&amp;y=2\">"},
    {"an address that runs", "<a href=\"{{evil}}\">", "<a href=\"#\">"},
    {"an address elsewhere", "<a href=\"{{far}}\">", "<a href=\"#\">"},
    {"a piece of an address", "<a href=\"/u/{{name}}\">",
     "<a href=\"/u/%3Cb%3E%22Bo%22%20%26%20%27co%27%3C%2Fb%3E\">"},
    {"two pieces", "<a href=\"/{{evil}}/{{evil}}\">",
     "<a href=\"/javascript%3Aalert%281%29/javascript%3Aalert%281%29\">"},
    {"markup in text", "<div>{{svg}}</div>", "<div><svg></svg></div>"},
    {"if", "{{#if yes}}a{{#else}}b{{/if}}{{#if no}}c{{#else}}d{{/if}}{{#if none}}e{{/if}}",
     "ad"},
    {"each", "{{#each rows}}{{number}}{{#if last}}.{{#else}}, {{/if}}{{/each}}", "1, 2, 3."},
    {"names from around", "{{#each rows}}{{#if yes}}{{number}}{{/if}}{{/each}}", "123"},
    {"each in what is passed over",
     "{{#if no}}{{#each rows}}{{number}}{{/each}}{{#if yes}}x{{/if}}{{/if}}y", "y"},
    {"no rows", "[{{#each empty}}x{{/each}}{{#if empty}}y{{/if}}]", "[]"},
    {"a part", "<{{#part part}}>",
     "<b id=\"&lt;b&gt;&quot;Bo&quot; &amp; "
     "&#39;co&#39;&lt;/b&gt;\">"},
    {"a single brace", "a { b } c", "a { b } c"},
    {"markup in an attribute", "<p title=\"{{svg}}\">", NULL},
    {"in a script", "<script>var a = {{name}};</script>", NULL},
    {"in a style", "<style>{{name}}</style>", NULL},
    {"in an event", "<p onclick=\"{{name}}\">", NULL},
    {"in a style attribute", "<p style=\"{{name}}\">", NULL},
    {"in a tag", "<p {{name}}>", NULL},
    {"as a tag", "<{{name}}>", NULL},
    {"not quoted", "<p title={{name}}>", NULL},
    {"a list as text", "{{rows}}", NULL},
    {"a name nobody has", "{{nobody}}", NULL},
    {"a list nobody has", "{{#each nobody}}{{/each}}", NULL},
    {"a text as list", "{{#each name}}{{/each}}", NULL},
    {"no end of if", "{{#if yes}}a", NULL},
    {"no end of each", "{{#each rows}}a{{/if}}", NULL},
    {"an end too many", "a{{/if}}", NULL},
    {"no braces", "{{name", NULL},
    {"a word nobody knows", "{{#unless yes}}{{/unless}}", NULL},
    {"a part nobody has", "{{#part nobody}}", NULL},
    {"a part in itself", "{{#part page}}", NULL},
};

static void a_template_is_written_or_refused(void **state)
{
    const struct row *row = *state;
    const struct template_file files[] = {
        {"page", str_of(row->text)},
        {"part", STR("b id=\"{{name}}\"")},
    };
    const struct template_set set = {files, 2};
    struct arena arena = {0};
    struct error err = {0};
    struct buf out;
    buf_init(&out, 1 << 16);
    int failed = template_write(&out, &set, "page", made(&arena), &err);
    expect_int(failed, row->page ? 0 : ERROR_INPUT);
    if (row->page) {
        expect_text(out.ptr, row->page);
    } else {
        expect_contains(err.text, "template page");
    }
    buf_release(&out);
    arena_release(&arena);
}

static void a_script_does_not_hide_what_follows_it(void **state)
{
    (void)state;
    const struct template_file files[] = {
        {"page", STR("<script src=\"/x.js\"></script><p>{{name}}</p>")}};
    const struct template_set set = {files, 1};
    struct arena arena = {0};
    struct error err = {0};
    struct buf out;
    buf_init(&out, 1 << 16);
    expect_int(template_write(&out, &set, "page", made(&arena), &err), 0);
    expect_contains(out.ptr, "<p>&lt;b&gt;");
    buf_release(&out);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_template_is_written_or_refused, rows);
    SUITE_TEST(&suite, a_script_does_not_hide_what_follows_it);
    return suite_run(&suite, "template");
}
