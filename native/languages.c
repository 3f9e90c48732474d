/* The language kernel: letters of UTF-8 by script, and one row of weights for each n-gram of them. */
#include <string.h>

#include "kernel.h"

/* Rows wait until there are this many of one script: the sum of 256 signed bytes fits into 16 bits. */
enum { WAITING = 256 };

/* The current word, with a copy of the fields of its script: writes to the rows cannot alias it. */
typedef struct {
    unsigned script; /* or 0 */
    uint32_t one, two, word, power;
    uint32_t wide, bits, rows, classes, letters;
    const uint16_t *slots;
} word_state;

typedef struct {
    unsigned script; /* whose rows wait */
    int count;
    uint32_t rows[WAITING]; /* their offset */
} waiting_rows;

#define ADD_WAITING                                                                                                \
    do {                                                                                                           \
        ptrdiff_t c = 0;                                                                                           \
        for (; c + 16 <= classes; c += 16) {                                                                       \
            int16_t sums[16] = {0};                                                                                \
            for (int i = 0; i < count; i++)                                                                        \
                for (int k = 0; k < 16; k++) sums[k] = (int16_t)(sums[k] + weights[rows[i] + c + k]);                        \
            for (int k = 0; k < 16; k++) totals[c + k] += sums[k];                                                 \
        }                                                                                                          \
        for (; c < classes; c++)                                                                                   \
            for (int i = 0; i < count; i++) totals[c] += weights[rows[i] + c];                                     \
    } while (0)

static void add_portable(int32_t *totals, ptrdiff_t classes, const int8_t *weights, const uint32_t *rows, int count) {
    ADD_WAITING;
}

#ifdef CHARLENS_HAVE_AVX2
#include <immintrin.h>

__attribute__((target("avx2"))) static inline __m256i row_at(const int8_t *row) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)row));
}

__attribute__((target("avx2"))) static void store_sums(int32_t *totals, __m256i sums) {
    __m256i *out = (__m256i *)totals;
    __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums));
    __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1));
    _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), low));
    _mm256_storeu_si256(out + 1, _mm256_add_epi32(_mm256_loadu_si256(out + 1), high));
}

__attribute__((target("avx2"))) static void add_avx2(int32_t *totals, ptrdiff_t classes,
                                                     const int8_t *weights, const uint32_t *rows, int count) {
    ptrdiff_t c = 0;
    for (; c + 64 <= classes; c += 64) { /* a line of the cache at a time */
        __m256i a = _mm256_setzero_si256(), b = a, d = a, e = a;
        for (int i = 0; i < count; i++) {
            a = _mm256_add_epi16(a, row_at(weights + rows[i] + c));
            b = _mm256_add_epi16(b, row_at(weights + rows[i] + c + 16));
            d = _mm256_add_epi16(d, row_at(weights + rows[i] + c + 32));
            e = _mm256_add_epi16(e, row_at(weights + rows[i] + c + 48));
        }
        store_sums(totals + c, a);
        store_sums(totals + c + 16, b);
        store_sums(totals + c + 32, d);
        store_sums(totals + c + 48, e);
    }
    for (; c + 16 <= classes; c += 16) {
        __m256i a = _mm256_setzero_si256();
        for (int i = 0; i < count; i++) a = _mm256_add_epi16(a, row_at(weights + rows[i] + c));
        store_sums(totals + c, a);
    }
    for (; c < classes; c++)
        for (int i = 0; i < count; i++) totals[c] += weights[rows[i] + c];
}
#endif

static void add_waiting(waiting_rows *waiting, const charlens_language_model *model, charlens_languages *out) {
    if (waiting->count) {
        unsigned number = waiting->script - 1;
        int32_t *totals = out->totals + out->offsets[number];
        ptrdiff_t classes = model->scripts[number].classes;
        const int8_t *weights = model->weights + model->scripts[number].weights;
        out->found[number] += (uint32_t)waiting->count;
#ifdef CHARLENS_HAVE_AVX2
        if (__builtin_cpu_supports("avx2")) add_avx2(totals, classes, weights, waiting->rows, waiting->count);
        else
#endif
            add_portable(totals, classes, weights, waiting->rows, waiting->count);
    }
    waiting->count = 0;
}

/* Add the row of an n-gram to the waiting rows of its script; there is room. */
static inline void add(const word_state *w, waiting_rows *waiting, uint32_t value) {
    uint32_t row = w->slots[((value ^ value >> 15) * CHARLENS_MIX) >> (32 - w->bits)];
    /* Always written, and kept if it is one: a branch could not be predicted. */
    waiting->rows[waiting->count] = row * w->classes;
    waiting->count += row < w->rows;
}

/* At the end of a word: its last n-gram, and the whole word. */
static inline void end_word(word_state *w, waiting_rows *waiting) {
    if (!w->wide && w->bits && w->one) {
        add(w, waiting, w->two * CHARLENS_PLACE_1 + w->one * CHARLENS_PLACE_2);
        add(w, waiting, w->word * CHARLENS_WORD_END);
    }
    w->one = w->two = w->word = 0;
    w->power = CHARLENS_WORD;
}

/* Change to another script, or to none: 0. */
static void change_script(word_state *w, waiting_rows *waiting, const charlens_language_model *model,
                          charlens_languages *out, unsigned number) {
    end_word(w, waiting);
    if (w->script) out->letters[w->script - 1] += w->letters;
    w->letters = 0;
    w->script = number;
    if (number == 0) return;
    const charlens_script *script = &model->scripts[number - 1];
    w->wide = script->wide;
    w->bits = script->bits;
    w->rows = script->rows;
    w->classes = script->classes;
    w->slots = model->slots + script->slots;
    if (waiting->script != number) {
        add_waiting(waiting, model, out);
        waiting->script = number;
    }
}

static inline void push(word_state *w, waiting_rows *waiting, uint32_t letter) {
    w->letters++;
    if (!w->bits) return;
    if (w->wide) {
        add(w, waiting, letter * CHARLENS_PLACE_1);
        if (w->one) add(w, waiting, w->one * CHARLENS_PLACE_1 + letter * CHARLENS_PLACE_2);
    } else {
        if (w->one) add(w, waiting, w->two * CHARLENS_PLACE_1 + w->one * CHARLENS_PLACE_2 + letter * CHARLENS_PLACE_3);
        w->word += letter * w->power;
        w->power *= CHARLENS_WORD;
    }
    w->two = w->one;
    w->one = letter;
}

static inline unsigned script_of(const charlens_language_model *model, uint32_t value) {
    unsigned number = model->blocks[value >> 4];
    return number <= model->script_count ? number : 0;
}

static int is_ascii_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static int opens_tag(const uint8_t *data, ptrdiff_t at, ptrdiff_t length) {
    if (at + 1 >= length) return 0;
    uint8_t next = data[at + 1];
    return is_ascii_letter(next) || next == '/' || next == '!' || next == '?';
}

static int named(const uint8_t *data, ptrdiff_t left, const char *name) {
    ptrdiff_t i = 0;
    for (; name[i]; i++)
        if (i >= left || !is_ascii_letter(data[i]) || (data[i] | 0x20) != (uint8_t)name[i]) return 0;
    return 1;
}

/* The offset after the tag at *at*; *tags* becomes 0 if there are no more '>'. */
static ptrdiff_t skip_tag(const uint8_t *data, ptrdiff_t at, ptrdiff_t length, int *tags) {
    const uint8_t *end = memchr(data + at, '>', (size_t)(length - at));
    if (!end) {
        *tags = 0;
        return at + 1;
    }
    if (!named(data + at + 1, length - at - 1, "script") && !named(data + at + 1, length - at - 1, "style"))
        return end - data + 1;
    for (const uint8_t *from = end + 1;;) {
        end = memchr(from, '<', (size_t)(data + length - from));
        if (!end || end + 1 >= data + length) return length;
        if (end[1] == '/') return end - data;
        from = end + 1;
    }
}

/* The length of the reference at *at*, such as &eacute; or 0. */
static ptrdiff_t reference(const uint8_t *data, ptrdiff_t at, ptrdiff_t length) {
    ptrdiff_t from = at + 1 + (at + 1 < length && data[at + 1] == '#'), i = from;
    while (i < length && i < from + 8 && (is_ascii_letter(data[i]) || (uint8_t)(data[i] - '0') < 10)) i++;
    return i > from && i < length && data[i] == ';' ? i + 1 - at : 0;
}

/* The length of the character at *at*; *value* is 0 for one that is broken or beyond the first plane. */
static ptrdiff_t character(const uint8_t *data, ptrdiff_t at, ptrdiff_t length, uint32_t *value) {
    uint8_t lead = data[at];
    ptrdiff_t size = lead < 0xC0 || lead >= 0xF8 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t sum = lead & (0xFFu >> (size + 1));
    *value = 0;
    if (size == 1 || size > length - at) return 1;
    for (ptrdiff_t i = 1; i < size; i++) {
        if ((data[at + i] & 0xC0) != 0x80) return 1;
        sum = sum << 6 | (data[at + i] & 0x3Fu);
    }
    if (size < 4) *value = sum;
    return size;
}

/* The offset after an ASCII byte that is not a letter. */
static ptrdiff_t skip_gap(const uint8_t *data, ptrdiff_t at, ptrdiff_t length, int *tags) {
    if (data[at] == '<' && *tags && opens_tag(data, at, length)) return skip_tag(data, at, length, tags);
    ptrdiff_t step = data[at] == '&' ? reference(data, at, length) : 0;
    return at + (step ? step : 1);
}

size_t charlens_begin_languages(const charlens_language_model *model, charlens_languages *out) {
    uint32_t classes = 0;
    memset(out->letters, 0, model->script_count * sizeof *out->letters);
    memset(out->found, 0, model->script_count * sizeof *out->found);
    for (unsigned i = 0; i < model->script_count; classes += model->scripts[i++].classes) out->offsets[i] = classes;
    return classes;
}

void charlens_read_languages(const uint8_t *data, ptrdiff_t length, const charlens_language_model *model,
                          charlens_languages *out) {
    word_state w = {.power = CHARLENS_WORD};
    waiting_rows waiting;
    int tags = 1;
    waiting.script = 0;
    waiting.count = 0;
    for (ptrdiff_t at = 0; at < length;) {
        uint32_t value = data[at], letter;
        if (value < 0x80) {
            letter = model->letters[value];
            if (!letter) {
                end_word(&w, &waiting);
                at = value == '<' || value == '&' ? skip_gap(data, at, length, &tags) : at + 1;
                continue;
            }
            at++;
        } else {
            at += character(data, at, length, &value);
            letter = value < CHARLENS_FOLDED ? model->letters[value] : value;
        }
        unsigned number = letter ? script_of(model, value) : 0;
        if (number == 0) {
            end_word(&w, &waiting);
            continue;
        }
        if (number != w.script) change_script(&w, &waiting, model, out, number);
        /* Each letter brings two rows at most, and the end of a word two more. */
        if (waiting.count > WAITING - 4) add_waiting(&waiting, model, out);
        push(&w, &waiting, letter);
    }
    change_script(&w, &waiting, model, out, 0);
    add_waiting(&waiting, model, out);
}

ptrdiff_t charlens_excerpt(const uint8_t *data, ptrdiff_t length, ptrdiff_t windows, ptrdiff_t size, ptrdiff_t ahead,
                           ptrdiff_t back, uint8_t *out) {
    ptrdiff_t share = length / windows, written = 0;
    for (ptrdiff_t window = 0; share && window < windows; window++) {
        ptrdiff_t start = window * share, end = start + share, to = ahead < share ? start + ahead : end;
        ptrdiff_t first = charlens_skip_ascii(data, start, to);
        first = first == to ? start : first - start > back ? first - back : start;
        ptrdiff_t count = size < end - first ? size : end - first;
        if (first) {
            const uint8_t *close = memchr(data + first, '>', (size_t)count);
            if (close && !memchr(data + first, '<', (size_t)(close - data - first))) {
                count -= close + 1 - data - first;
                first = close + 1 - data;
            }
        }
        if (window) out[written++] = '\n';
        memcpy(out + written, data + first, (size_t)count);
        written += count;
    }
    return written;
}

int charlens_language_model_fits(const void *buffer, ptrdiff_t size, charlens_language_model *model) {
    const uint32_t *counts = buffer;
    enum { HEAD = 16, LETTERS = 2 * CHARLENS_FOLDED, BLOCKS = 0x1000 };
    if (size < HEAD || (uintptr_t)buffer % 4 || counts[0] > CHARLENS_SCRIPTS || counts[1] % 2 || counts[3]) return 0;
    uint64_t slots = counts[1], weights = counts[2];
    uint64_t rest = HEAD + LETTERS + BLOCKS + (uint64_t)counts[0] * sizeof(charlens_script);
    if (rest + 2 * slots + weights != (uint64_t)size) return 0;
    const uint8_t *bytes = (const uint8_t *)buffer + HEAD;
    model->script_count = counts[0];
    model->letters = (const uint16_t *)bytes;
    model->blocks = bytes + LETTERS;
    model->scripts = (const charlens_script *)(bytes + LETTERS + BLOCKS);
    model->slots = (const uint16_t *)(model->scripts + counts[0]);
    model->weights = (const int8_t *)(model->slots + slots);
    for (const charlens_script *s = model->scripts; s < model->scripts + counts[0]; s++) {
        if (s->classes == 0 || s->classes > CHARLENS_MOST_LANGUAGES || s->letter > 1000 || s->first > 0xFFFF ||
            s->bits > 16 || (s->rows && !s->bits) || (s->bits && s->slots + ((uint64_t)1 << s->bits) > slots) ||
            s->rows > 0xFFFF || s->weights + (uint64_t)s->rows * s->classes > weights)
            return 0;
    }
    return 1;
}

/* The script with the most letters, weighted; the first of equals, or -1. */
static ptrdiff_t main_script(const charlens_languages *out, const charlens_language_model *model) {
    const charlens_script *scripts = model->scripts;
    ptrdiff_t best = model->script_count ? 0 : -1;
    for (ptrdiff_t i = 1; i < (ptrdiff_t)model->script_count; i++)
        if ((uint64_t)out->letters[i] * scripts[i].letter > (uint64_t)out->letters[best] * scripts[best].letter) best = i;
    return best >= 0 && out->letters[best] ? best : -1;
}

ptrdiff_t charlens_best_languages(const charlens_languages *out, const charlens_language_model *model, ptrdiff_t most,
                               ptrdiff_t *numbers) {
    const ptrdiff_t best = main_script(out, model);
    memset(numbers, 0, 4 * sizeof *numbers);
    if (best < 0) return 4;
    const charlens_script *script = &model->scripts[best];
    const int32_t *totals = out->totals + out->offsets[best];
    ptrdiff_t kept = 0;
    int32_t order[CHARLENS_MOST_LANGUAGES];
    if (most > (ptrdiff_t)script->classes) most = script->classes;
    for (ptrdiff_t c = 0; c < (ptrdiff_t)script->classes && most; c++) {
        if (kept == most && totals[c] <= totals[order[kept - 1]]) continue;
        ptrdiff_t place = kept < most ? kept++ : kept - 1;
        for (; place > 0 && totals[c] > totals[order[place - 1]]; place--) order[place] = order[place - 1];
        order[place] = (int32_t)c;
    }
    numbers[0] = best + 1;
    numbers[1] = out->letters[best];
    for (unsigned i = 0; i < model->script_count; i++) numbers[2] += out->letters[i];
    numbers[3] = out->found[best];
    for (ptrdiff_t i = 0; i < kept; i++) {
        numbers[4 + 2 * i] = (ptrdiff_t)script->first + order[i];
        numbers[5 + 2 * i] = totals[order[i]];
    }
    return 4 + 2 * kept;
}
