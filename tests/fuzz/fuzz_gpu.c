/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "sampler/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_piece(struct str piece, struct str text)
{
    return !piece.ptr || (piece.len > 0 && piece.len <= text.len);
}

/*
 * Any bytes as each answer of nvidia-smi: every card and every use has a name, no value but a temperature
 * is below 0, a failure is put into words.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct arena arena = {0};
    struct gpu_list list = {0};
    struct error cards = {0}, uses = {0}, pmon = {0};
    bool holds = (gpu_read_cards(&list, text, &arena, &cards) == 0) == (cards.text[0] == '\0');
    holds &= (gpu_read_uses(&list, text, &arena, &uses) == 0) == (uses.text[0] == '\0');
    holds &= (gpu_read_pmon(&list, text, &pmon) == 0) == (pmon.text[0] == '\0');
    for (size_t i = 0; i < list.count; i++) {
        const struct gpu *card = &list.cards[i];
        holds &= card->uuid.ptr || look_has(&card->values, GPU_index);
        holds &= is_piece(card->uuid, text) && is_piece(card->compute_mode, text);
        for (unsigned k = 0; k < GPU_FIELD_COUNT; k++) {
            holds &= k == GPU_temperature || card->values.at[k] >= 0;
        }
    }
    for (size_t i = 0; i < list.use_count; i++) {
        holds &= list.uses[i].uuid.ptr && look_has(&list.uses[i].values, GPU_USE_pid);
    }
    if (!holds) {
        abort();
    }
    arena_release(&arena);
    return 0;
}
