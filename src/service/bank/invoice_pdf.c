/* SPDX-License-Identifier: MIT */

/*
 * An invoice as PDF: sheets of A4, drawn as SVG, with the heading of the table repeated on
 * each.
 */

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "service/bank/invoice_draft.h"
#include "view/chart/markup.h"
#include "view/chart/pdf.h"

static const double LEFT = 57, RIGHT = PDF_WIDTH - 57, TOP = 60, BOTTOM = PDF_HEIGHT - 70;
static const double SIZE = 9.5, STEP = 13.5, TERM_WIDTH = 110, AMOUNT_WIDTH = 90;

/* How a text stands at its place. */
enum look { PLAIN, AT_RIGHT = 1, BOLD = 2 };

struct sheets {
    const struct invoice *invoice;
    struct pdf_page *pages;
    size_t count, room;
    double y;      /* of the next line, on the last page */
    bool in_lines; /* a page that begins has the heading of the lines on it */
};

static struct buf *last_page(struct sheets *sheets)
{
    return &sheets->pages[sheets->count - 1].svg;
}

static void put(struct sheets *sheets, double x, double y, double size, unsigned look,
                struct str text)
{
    struct buf *out = last_page(sheets);
    buf_addz(out, "<text x=\"");
    markup_number(out, x);
    buf_addz(out, "\" y=\"");
    markup_number(out, y);
    buf_addz(out, "\" font-size=\"");
    markup_number(out, size);
    buf_addf(out, "\"%s%s>", look & AT_RIGHT ? " text-anchor=\"end\"" : "",
             look & BOLD ? " font-weight=\"bold\"" : "");
    markup_text(out, text);
    buf_addz(out, "</text>\n");
}

static void put_rule(struct sheets *sheets, double y, double width)
{
    struct buf *out = last_page(sheets);
    buf_addz(out, "<path stroke=\"#444\" fill=\"none\" stroke-width=\"");
    markup_number(out, width);
    buf_addz(out, "\" d=\"M");
    markup_number(out, LEFT);
    buf_addc(out, ' ');
    markup_number(out, y);
    buf_addc(out, 'H');
    markup_number(out, RIGHT);
    buf_addz(out, "\"/>\n");
}

static void put_heading(struct sheets *sheets)
{
    const struct invoice *invoice = sheets->invoice;
    put(sheets, LEFT, sheets->y, SIZE, BOLD, STR("What"));
    put(sheets, invoice->unit.ptr ? RIGHT - AMOUNT_WIDTH : RIGHT, sheets->y, SIZE,
        BOLD | AT_RIGHT, STR("SU"));
    if (invoice->unit.ptr) {
        put(sheets, RIGHT, sheets->y, SIZE, BOLD | AT_RIGHT, invoice->unit);
    }
    put_rule(sheets, sheets->y + 4, 1);
    sheets->y += STEP + 4;
}

static void begin_page(struct sheets *sheets)
{
    sheets->pages =
        mem_grow(sheets->pages, sheets->count, &sheets->room, sizeof(*sheets->pages));
    buf_init(&sheets->pages[sheets->count++].svg, LIMIT_OUTPUT);
    buf_addf(last_page(sheets),
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
             "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" fill=\"#000\">\n",
             PDF_WIDTH, PDF_HEIGHT, PDF_WIDTH, PDF_HEIGHT);
    sheets->y = TOP;
    if (sheets->in_lines) {
        put_heading(sheets);
    }
}

/* Room for a line of text, on another page where there is none left. */
static void need_line(struct sheets *sheets)
{
    if (sheets->y > BOTTOM) {
        begin_page(sheets);
    }
}

/* Text in as many lines as it takes; the next line is below it. */
static void put_wrapped(struct sheets *sheets, double x, double width, struct str text)
{
    while (text.len > 0) {
        struct str paragraph = str_cut(&text, '\n');
        do {
            need_line(sheets);
            put(sheets, x, sheets->y, SIZE, PLAIN, markup_line(&paragraph, SIZE, width));
            sheets->y += STEP;
        } while (paragraph.len > 0);
    }
}

static void put_party(struct sheets *sheets, double x, unsigned look, struct str name,
                      struct str address)
{
    bool cut;
    const double width = (RIGHT - LEFT) / 2 - 10;
    put(sheets, x, sheets->y, SIZE, look | BOLD, markup_fit(name, SIZE, width, &cut));
    sheets->y += STEP;
    while (address.len > 0) {
        put(sheets, x, sheets->y, SIZE, look,
            markup_fit(str_cut(&address, '\n'), SIZE, width, &cut));
        sheets->y += STEP;
    }
}

static void put_parties(struct sheets *sheets, struct str account)
{
    const struct str *terms = sheets->invoice->terms;
    const double y = sheets->y;
    put_party(sheets, LEFT, PLAIN,
              terms[INVOICE_CUSTOMER].ptr ? terms[INVOICE_CUSTOMER] : account,
              terms[INVOICE_CUSTOMER_ADDRESS]);
    const double left = sheets->y;
    sheets->y = y;
    if (terms[INVOICE_SELLER].ptr) {
        put_party(sheets, RIGHT, AT_RIGHT, terms[INVOICE_SELLER],
                  terms[INVOICE_SELLER_ADDRESS]);
    }
    sheets->y = (left > sheets->y ? left : sheets->y) + STEP;
}

static void put_term(struct sheets *sheets, const char *label, struct str text)
{
    if (text.len > 0) {
        need_line(sheets);
        put(sheets, LEFT, sheets->y, SIZE, PLAIN, str_of(label));
        put_wrapped(sheets, LEFT + TERM_WIDTH, RIGHT - LEFT - TERM_WIDTH, text);
    }
}

static void put_dates(struct sheets *sheets, const struct bank *bank)
{
    const struct invoice *invoice = sheets->invoice;
    const struct civil days[] = {zone_civil(bank->zone, invoice->period.from),
                                 zone_civil(bank->zone, invoice->period.to - 1),
                                 zone_civil(bank->zone, invoice->at)};
    struct arena arena = {0};
    put_term(sheets, "Period",
             str_of(arena_printf(&arena, "%04d-%02d-%02d to %04d-%02d-%02d", days[0].year,
                                 days[0].month, days[0].day, days[1].year, days[1].month,
                                 days[1].day)));
    put_term(sheets, "By", str_of(invoice_basis_name(invoice->basis)));
    put_term(sheets, invoice->number > 0 ? "Issued" : "As of",
             str_of(arena_printf(&arena, "%04d-%02d-%02d", days[2].year, days[2].month,
                                 days[2].day)));
    arena_release(&arena);
}

static void put_terms(struct sheets *sheets, const struct bank *bank, struct str account)
{
    const struct invoice *invoice = sheets->invoice;
    put_term(sheets, "Account", account);
    put_dates(sheets, bank);
    for (size_t i = 0; i < INVOICE_TERMS; i++) {
        if (invoice_terms[i].label) {
            put_term(sheets, invoice_terms[i].label, invoice->terms[i]);
        }
    }
    put_term(sheets, "Note", invoice->note);
    sheets->y += STEP;
}

static void put_amount(struct sheets *sheets, double x, double y, unsigned look, int64_t amount,
                       int decimals)
{
    struct arena arena = {0};
    put(sheets, x, y, SIZE, look | AT_RIGHT, rounding_print(&arena, amount, decimals));
    arena_release(&arena);
}

static void put_line(struct sheets *sheets, const struct invoice_line *line)
{
    const struct invoice *invoice = sheets->invoice;
    const unsigned look = str_eq(line->what, STR(INVOICE_TOTAL)) ? BOLD : PLAIN;
    const double su_at = invoice->unit.ptr ? RIGHT - AMOUNT_WIDTH : RIGHT;
    struct buf what;
    buf_init(&what, LIMIT_TEXT_FIELD);
    invoice_line_title(invoice, line, &what);
    if (line->cluster.ptr) {
        buf_addf(&what, " of %.*s, %.*s", STR_ARG(line->user), STR_ARG(line->cluster));
    }
    need_line(sheets);
    if (look & BOLD) {
        put_rule(sheets, sheets->y - STEP + 3, 0.5);
    }
    if (line->has_su) {
        put_amount(sheets, su_at, sheets->y, look, line->su, 0);
    }
    if (line->has_cost) {
        put_amount(sheets, RIGHT, sheets->y, look, line->cost,
                   rounding_decimals(invoice->unit));
    }
    if (look & BOLD) {
        put(sheets, LEFT, sheets->y, SIZE, BOLD, buf_str(&what));
        sheets->y += STEP;
    } else {
        put_wrapped(sheets, LEFT, su_at - AMOUNT_WIDTH - LEFT, buf_str(&what));
    }
    buf_release(&what);
}

static void put_annex(struct sheets *sheets)
{
    const struct invoice *invoice = sheets->invoice;
    sheets->in_lines = false;
    if (invoice->rate_count == 0) {
        return;
    }
    sheets->y += STEP;
    need_line(sheets);
    put(sheets, LEFT, sheets->y, SIZE + 2, BOLD, STR("Annex: rates"));
    sheets->y += STEP + 4;
    for (size_t i = 0; i < invoice->rate_count; i++) {
        bool cut;
        need_line(sheets);
        put(sheets, LEFT, sheets->y, SIZE, PLAIN,
            markup_fit(invoice->rates[i].name, SIZE, TERM_WIDTH - 8, &cut));
        put_wrapped(sheets, LEFT + TERM_WIDTH, RIGHT - LEFT - TERM_WIDTH,
                    invoice->rates[i].text);
    }
}

/* Which page of how many, once their number is known. */
static void end_pages(struct sheets *sheets, struct str title)
{
    const size_t count = sheets->count;
    for (sheets->count = 1; sheets->count <= count; sheets->count++) {
        struct arena arena = {0};
        put(sheets, RIGHT, PDF_HEIGHT - 40, 8, AT_RIGHT,
            str_of(arena_printf(&arena, "%.*s, page %zu of %zu", STR_ARG(title), sheets->count,
                                count)));
        buf_addz(last_page(sheets), "</svg>\n");
        arena_release(&arena);
    }
    sheets->count = count;
}

int invoice_pdf(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                struct str account)
{
    struct sheets sheets = {.invoice = invoice};
    struct buf title;
    char at[INSTANT_TEXT_MAX];
    buf_init(&title, LIMIT_TEXT_FIELD);
    invoice_title(invoice, &title);
    begin_page(&sheets);
    put(&sheets, LEFT, sheets.y, 18, BOLD, buf_str(&title));
    sheets.y += 30;
    put_parties(&sheets, account);
    put_terms(&sheets, bank, account);
    need_line(&sheets);
    put_heading(&sheets);
    sheets.in_lines = true;
    for (size_t i = 0; i < invoice->line_count; i++) {
        put_line(&sheets, &invoice->lines[i]);
    }
    put_annex(&sheets);
    end_pages(&sheets, buf_str(&title));
    int failed =
        pdf_draw(out, sheets.pages, sheets.count, title.ptr,
                 zone_print(bank->zone, invoice->at / SECOND_US * SECOND_US, at), bank->err);
    for (size_t i = 0; i < sheets.count; i++) {
        buf_release(&sheets.pages[i].svg);
    }
    free(sheets.pages);
    buf_release(&title);
    return failed;
}
