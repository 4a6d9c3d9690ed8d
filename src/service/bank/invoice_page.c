/* SPDX-License-Identifier: MIT */

/*
 * An invoice as one HTML page, made for printing: nothing is fetched, and the same invoice is
 * the same bytes.
 */

#include <inttypes.h>

#include "base/limit.h"
#include "service/bank/invoice_draft.h"
#include "view/chart/markup.h"

static const char style[] =
    "@page{size:A4;margin:20mm}"
    "body{font:11pt/1.45 sans-serif;color:#000;background:#fff;max-width:170mm;margin:2em auto}"
    "h1{font-size:18pt;margin:0 0 .5em}h2{font-size:13pt;margin:2em 0 .5em}"
    "dl{display:grid;grid-template-columns:max-content auto;gap:.2em 1.5em;margin:0 0 1.5em}"
    "dt{color:#444}dd{margin:0}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "th,td{padding:.3em .6em;text-align:left;border-bottom:1px solid #bbb;vertical-align:top}"
    "th{border-bottom:2px solid #444}.n{text-align:right;white-space:nowrap}"
    "tr:last-child td{font-weight:bold}.annex tr:last-child td{font-weight:normal}"
    ".parties{display:flex;justify-content:space-between;gap:2em;margin:0 0 1.5em}"
    ".parties div{white-space:pre-line}.parties div+div{text-align:right}"
    "thead{display:table-header-group}tr{break-inside:avoid}"
    "@media print{body{max-width:none;margin:0}.annex{break-before:auto}}";

static void add_date(struct buf *out, const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

static void add_cell(struct buf *out, struct str text, bool number)
{
    buf_addz(out, number ? "<td class=\"n\">" : "<td>");
    markup_text(out, text.ptr ? text : STR(""));
    buf_addz(out, "</td>");
}

static void add_amount(struct buf *out, bool has, int64_t amount, int decimals)
{
    struct arena arena = {0};
    add_cell(out, has ? rounding_print(&arena, amount, decimals) : STR(""), true);
    arena_release(&arena);
}

/* One side: its name, then its address. */
static void add_party(struct buf *out, struct str name, struct str address)
{
    buf_addz(out, "<div><strong>");
    markup_text(out, name);
    buf_addz(out, "</strong>\n");
    markup_text(out, address.ptr ? address : STR(""));
    buf_addz(out, "</div>");
}

static void add_parties(struct buf *out, const struct invoice *invoice, struct str account)
{
    const struct str *terms = invoice->terms;
    if (!terms[INVOICE_SELLER].ptr && !terms[INVOICE_CUSTOMER].ptr) {
        return;
    }
    buf_addz(out, "<div class=\"parties\">");
    add_party(out, terms[INVOICE_CUSTOMER].ptr ? terms[INVOICE_CUSTOMER] : account,
              terms[INVOICE_CUSTOMER_ADDRESS]);
    add_party(out, terms[INVOICE_SELLER].ptr ? terms[INVOICE_SELLER] : STR(""),
              terms[INVOICE_SELLER_ADDRESS]);
    buf_addz(out, "</div>\n");
}

static void add_term(struct buf *out, const char *term, struct str text)
{
    if (text.len > 0) {
        buf_addf(out, "<dt>%s</dt><dd>", term);
        markup_text(out, text);
        buf_addz(out, "</dd>\n");
    }
}

static void add_head(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                     struct str account)
{
    struct buf text;
    buf_init(&text, 64);
    buf_addz(out, "<dl>\n");
    add_term(out, "Account", account);
    add_date(&text, bank, invoice->period.from);
    buf_addz(&text, " to ");
    add_date(&text, bank, invoice->period.to - 1);
    add_term(out, "Period", buf_str(&text));
    add_term(out, "By", str_of(invoice_basis_name(invoice->basis)));
    if (invoice->number > 0) {
        buf_clear(&text);
        add_date(&text, bank, invoice->at);
        add_term(out, "Issued", buf_str(&text));
    } else {
        char at[INSTANT_TEXT_MAX];
        add_term(out, "As of",
                 str_of(zone_print(bank->zone, invoice->at / SECOND_US * SECOND_US, at)));
    }
    if (invoice->replaces > 0) {
        buf_clear(&text);
        buf_addf(&text, "invoice %" PRId64, invoice->replaces);
        add_term(out, "Replaces", buf_str(&text));
    }
    for (size_t i = 0; i < INVOICE_TERMS; i++) {
        if (invoice_terms[i].label && invoice->terms[i].ptr) {
            add_term(out, invoice_terms[i].label, invoice->terms[i]);
        }
    }
    add_term(out, "Note", invoice->note);
    buf_addz(out, "</dl>\n");
    buf_release(&text);
}

static void add_lines(struct buf *out, const struct invoice *invoice)
{
    const bool usage = invoice->basis == INVOICE_USAGE;
    const int decimals = invoice->unit.ptr ? rounding_decimals(invoice->unit) : 0;
    buf_addz(out, "<table>\n<thead><tr><th>What</th>");
    buf_addz(out, usage ? "<th>Cluster</th><th>User</th>" : "");
    buf_addz(out, "<th class=\"n\">SU</th>");
    if (invoice->unit.ptr) {
        buf_addz(out, "<th class=\"n\">");
        markup_text(out, invoice->unit);
        buf_addz(out, "</th>");
    }
    buf_addz(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < invoice->line_count; i++) {
        const struct invoice_line *line = &invoice->lines[i];
        buf_addz(out, "<tr>");
        struct buf what;
        buf_init(&what, LIMIT_TEXT_FIELD);
        invoice_line_title(invoice, line, &what);
        add_cell(out, buf_str(&what), false);
        buf_release(&what);
        if (usage) {
            add_cell(out, line->cluster, false);
            add_cell(out, line->user, false);
        }
        add_amount(out, line->has_su, line->su, 0);
        if (invoice->unit.ptr) {
            add_amount(out, line->has_cost, line->cost, decimals);
        }
        buf_addz(out, "</tr>\n");
    }
    buf_addz(out, "</tbody></table>\n");
}

static void add_annex(struct buf *out, const struct invoice *invoice)
{
    if (invoice->rate_count == 0) {
        return;
    }
    buf_addz(out, "<h2>Annex: rates</h2>\n<table class=\"annex\">\n"
                  "<thead><tr><th>Rate</th><th>What it says</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < invoice->rate_count; i++) {
        buf_addz(out, "<tr>");
        add_cell(out, invoice->rates[i].name, false);
        add_cell(out, invoice->rates[i].text, false);
        buf_addz(out, "</tr>\n");
    }
    buf_addz(out, "</tbody></table>\n");
}

void invoice_page(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                  struct str account)
{
    struct buf title;
    buf_init(&title, LIMIT_TEXT_FIELD);
    invoice_title(invoice, &title);
    buf_addz(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<title>");
    markup_text(out, buf_str(&title));
    buf_addf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    markup_text(out, buf_str(&title));
    buf_addz(out, "</h1>\n");
    add_parties(out, invoice, account);
    add_head(out, bank, invoice, account);
    add_lines(out, invoice);
    add_annex(out, invoice);
    buf_addz(out, "</body>\n</html>\n");
    buf_release(&title);
}
