/* Known words: pure_words.py defines it. */
#include <string.h>

#include "kernel.h"

static uint32_t unit_at(const uint8_t *words, ptrdiff_t at) { return words[2 * at] | (uint32_t)words[2 * at + 1] << 8; }

static int is_known(const charlens_words *set, uint32_t key) {
    key ^= key >> 15;
    const uint64_t part = (uint64_t)set->part, mixed = key * CHARLENS_SCATTER, mask = (1u << CHARLENS_PLACE_BITS) - 1;
    const uint64_t first = (mixed & mask) * part >> CHARLENS_PLACE_BITS;
    const uint64_t second = (mixed >> CHARLENS_PLACE_BITS & mask) * part >> CHARLENS_PLACE_BITS;
    const uint64_t third = (mixed >> 2 * CHARLENS_PLACE_BITS & mask) * part >> CHARLENS_PLACE_BITS;
    return part && (set->table[first] ^ set->table[part + second] ^ set->table[2 * part + third]) == (int)(key >> 24);
}

static ptrdiff_t look_up(const uint8_t *words, ptrdiff_t count, int width, uint32_t salt, const charlens_words *set) {
    uint32_t key = salt, greatest = 0;
    ptrdiff_t bytes = 0, found = 0;
    for (ptrdiff_t at = 0; at < count; at++) {
        const uint32_t unit = unit_at(words, at);
        if (unit) {
            if (unit > greatest) greatest = unit;
            key = (key ^ unit) * CHARLENS_WORD_MIX, bytes += width;
        } else {
            if (greatest >= 0x80 && greatest != CHARLENS_WORD_SIGN && is_known(set, key))
                found += set->points[bytes < set->longest ? bytes : set->longest];
            key = salt, greatest = 0, bytes = 0;
        }
    }
    return found;
}

void charlens_known_words(const uint8_t *words, ptrdiff_t count, int width, const uint8_t *salts, ptrdiff_t languages,
                          const charlens_words *set, ptrdiff_t *out) {
    for (ptrdiff_t i = 0; i < languages; i++) {
        uint32_t salt;
        memcpy(&salt, salts + 4 * i, 4);
        out[i] = look_up(words, count, width, salt, set);
    }
}
