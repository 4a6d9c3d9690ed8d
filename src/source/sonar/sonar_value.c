/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/sonar/sonar_record.h"

bool sonar_percent(struct str text, int64_t *out)
{
    return scan_decimal(text, 4, out) && *out >= 0;
}

bool sonar_count(struct str text, int64_t *out)
{
    return scan_int(text, out) && *out >= 0;
}

bool sonar_kib(struct str text, int64_t *out)
{
    return sonar_count(text, out) && !__builtin_mul_overflow(*out, 1024, out);
}

bool sonar_seconds(struct str text, int64_t *out)
{
    return scan_decimal(text, 6, out) && *out >= 0;
}

bool sonar_cards_list(struct str text, struct sonar_cards *out)
{
    *out = (struct sonar_cards){.known = true};
    if (str_eq(text, STR("unknown"))) {
        out->known = false;
        return true;
    }
    if (str_eq(text, STR("none"))) {
        return true;
    }
    for (struct str rest = text; rest.ptr;) {
        int64_t card;
        if (!sonar_count(str_trim(str_cut(&rest, ',')), &card) || card >= SONAR_CARDS_MAX) {
            return false;
        }
        out->bits |= UINT64_C(1) << card;
    }
    return true;
}

/* The last digit is card 0; 32 ones in a row say that nobody knows which. */
bool sonar_cards_bits(struct str text, struct sonar_cards *out)
{
    enum { DIGITS = 32 };

    *out = (struct sonar_cards){.known = true};
    if (text.len == 0 || text.len > DIGITS) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '0' && text.ptr[i] != '1') {
            return false;
        }
        out->bits = out->bits << 1 | (uint64_t)(text.ptr[i] - '0');
    }
    out->known = out->bits != UINT32_MAX;
    return true;
}

void sonar_set_cards(struct sample *sample, struct sonar_cards cards, struct arena *arena)
{
    enum { NUMBER = 3 }; /* digits of a card, and a comma */

    if (!cards.known) {
        return;
    }
    if (cards.bits == 0) {
        SAMPLE_SET(sample, gpus, STR("none"));
        return;
    }
    char *text = arena_alloc(arena, SONAR_CARDS_MAX * NUMBER);
    size_t length = 0;
    for (unsigned card = 0; card < SONAR_CARDS_MAX; card++) {
        if (cards.bits >> card & 1) {
            if (length > 0) {
                text[length++] = ',';
            }
            if (card >= 10) {
                text[length++] = (char)('0' + card / 10);
            }
            text[length++] = (char)('0' + card % 10);
        }
    }
    SAMPLE_SET(sample, gpus, ((struct str){text, length}));
}

static bool take_number(struct str *rest, int64_t *out)
{
    size_t digits = 0;
    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        digits++;
    }
    if (!scan_int((struct str){rest->ptr, digits}, out)) {
        return false;
    }
    *rest = (struct str){rest->ptr + digits, rest->len - digits};
    return true;
}

static bool take_version(struct str text, int64_t *major, int64_t *minor)
{
    return take_number(&text, major) && str_take(&text, '.') && take_number(&text, minor);
}

bool sonar_is_version(struct str text)
{
    int64_t major, minor;
    return take_version(text, &major, &minor);
}

bool sonar_version_from(struct str version, int major, int minor)
{
    int64_t ma = 0, mi = 0;
    return take_version(version, &ma, &mi) && (ma > major || (ma == major && mi >= minor));
}

bool sonar_is_heartbeat(struct str user, struct str command)
{
    return str_eq(user, STR("_sonar_")) || str_eq(command, STR("_heartbeat_"));
}
