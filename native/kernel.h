/* The native kernel: what kernel/pure.py defines, in C11.
 *
 * Every function is linear in its input, allocates nothing, never recurses, and reads no byte
 * outside [data, data + length).  Offsets are -1 for "none".
 */
#ifndef CHARLENS_KERNEL_H
#define CHARLENS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct {
    uint64_t seen[4];    /* bit v: byte value v occurs */
    int64_t first[256];  /* where each byte value comes first */
    ptrdiff_t blocked;   /* first block-listed byte */
    ptrdiff_t non_ascii; /* bytes >= 0x80 */
    ptrdiff_t leads;     /* bytes >= 0xC0 */
    ptrdiff_t error;     /* first byte that is not UTF-8 */
    ptrdiff_t cut;       /* length of the sequence cut off at the end */
    ptrdiff_t nuls[2];   /* at even, at odd offsets */
    ptrdiff_t ends[2];   /* CR and LF at even, at odd offsets */
} charlens_scan;

typedef struct {
    ptrdiff_t sequences, bad, bad_bytes, stopped;
    ptrdiff_t listed; /* how many spans were written */
} charlens_damage;

typedef struct {
    ptrdiff_t error, cut, sequences;
} charlens_walk;

typedef struct {
    ptrdiff_t characters, wide, faults, first, left;
    int64_t weight;
} charlens_weigh;

/* Offset of the first wrong sequence in valid-so-far data, from *start* (a character boundary). */
void charlens_utf8(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, ptrdiff_t *error, ptrdiff_t *cut);

/* Length of the good sequence at data[0]; 0 if bad, and then *bad is the length of the bad range; -1 if cut off. */
ptrdiff_t charlens_utf8_sequence(const uint8_t *data, ptrdiff_t left, ptrdiff_t *bad);

void charlens_scan_portable(const uint8_t *data, ptrdiff_t length, charlens_scan *out);
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CHARLENS_HAVE_AVX2 1
void charlens_scan_avx2(const uint8_t *data, ptrdiff_t length, charlens_scan *out);
#endif

void charlens_find_damage(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, ptrdiff_t ratio,
                          ptrdiff_t slack, ptrdiff_t most, ptrdiff_t *spans, charlens_damage *out);
/* A state from *states* on is an error, 255 among them. */
void charlens_walk_table(const uint8_t *data, ptrdiff_t length, const uint8_t *table, ptrdiff_t width,
                         ptrdiff_t states, charlens_walk *out);

enum { CHARLENS_MOST_TABLES = 32 };

typedef struct {
    const uint8_t *table; /* 256 columns, then the rows */
    ptrdiff_t width, states;
} charlens_table;

/* Walk several tables in one pass. Bit t of pairs[a << 8 | b]: in table t, bytes a and b are one character;
 * bit t of singles[a]: byte a is one. *errors* and *cuts* have room for each table. */
void charlens_walk_together(const uint8_t *data, ptrdiff_t length, const charlens_table *tables, int count,
                            const uint32_t *singles, const uint32_t *pairs, ptrdiff_t *errors, ptrdiff_t *cuts);
void charlens_weigh_units(const uint8_t *data, ptrdiff_t length, int width, int big, const int8_t *table,
                          charlens_weigh *out);

typedef struct {
    const uint16_t *pairs;  /* 65,536: pair of bytes to feature, or 0xFFFF */
    const int8_t *weights;  /* features times classes */
    const uint8_t *levels;  /* what a feature counts by how often it occurs */
    ptrdiff_t level_count, features, classes;
} charlens_model;

typedef struct {
    ptrdiff_t pairs, distinct;
} charlens_evidence;

/* Add up the rows of the features of *data* in *totals*, which has room for 32 more.  With a *stride*, only *size* bytes
 * of each stride are looked at, from its first byte beyond ASCII on (and 16 before it).  *counts* has a zero byte, and
 * *touched* room, for each feature and one more; both belong to the caller. */
void charlens_score_pairs(const uint8_t *data, ptrdiff_t length, ptrdiff_t stride, ptrdiff_t size,
                          const charlens_model *model, uint8_t *counts, uint16_t *touched, int32_t *totals,
                          charlens_evidence *out);

/* Take *penalty* from the classes that speak only for what is doubtful.  *members* has a set of 16 bytes for each
 * class, *sets* two: what is possible, and what of it is doubtful. */
void charlens_doubt_classes(int32_t *totals, const uint8_t *members, const uint8_t *sets, ptrdiff_t classes,
                            int32_t penalty);

/* The possible classes in order of their totals, the best first, at most *most*, none more than *reach* under the best;
 * returns how many. *order* has room for *most*, or for all classes. */
ptrdiff_t charlens_best_classes(const int32_t *totals, const uint8_t *members, const uint8_t *sets, ptrdiff_t classes,
                                ptrdiff_t most, ptrdiff_t reach, int32_t *order);

/* The number of the lowest bit that is set, of at least one. */
static inline int charlens_lowest_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int number = 0;
    for (; !(bits & 1); bits >>= 1) number++;
    return number;
#endif
}

/* Bit k: byte k of the 64 is 0x80 or more. */
static inline uint64_t charlens_high_bytes(const uint8_t *data) {
    uint64_t bits = 0;
#ifdef __SSE2__
    for (int k = 0; k < 4; k++)
        bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(data + 16 * k))) << (16 * k);
#else
    for (int k = 0; k < 64; k++) bits |= (uint64_t)(data[k] >> 7) << k;
#endif
    return bits;
}

enum { CHARLENS_FOLDED = 0x600, CHARLENS_SCRIPTS = 255, CHARLENS_MOST_TONGUES = 256 };
/* A result: four numbers, then two for each class. */
enum { CHARLENS_MOST_NUMBERS = 4 + 2 * CHARLENS_MOST_TONGUES };

/* One script: see pure.tongue, which has the same eight numbers in the same order. */
typedef struct {
    uint32_t letter, wide, classes, first, slots, bits, weights, rows;
} charlens_script;

typedef struct {
    const uint16_t *letters; /* CHARLENS_FOLDED: what a character is folded to, or 0 */
    const uint8_t *blocks;   /* 4,096: the script of 16 characters, from 1 on, or 0 */
    const charlens_script *scripts;
    unsigned script_count;
    const uint16_t *slots;
    const int8_t *weights;
} charlens_tongue_model;

typedef struct {
    uint32_t letters[CHARLENS_SCRIPTS], found[CHARLENS_SCRIPTS];
    uint32_t offsets[CHARLENS_SCRIPTS]; /* where the totals of a script begin */
    int32_t *totals;
} charlens_tongue;

/* Count the letters and add up the rows of the n-grams; all of *out* is set to zero before, but for the offsets. The
 * model has been checked: every number in it stays within its buffer. */
void charlens_read_tongue(const uint8_t *data, ptrdiff_t length, const charlens_tongue_model *model,
                          charlens_tongue *out);

/* Take a model apart, in the order that pure_tongue.tongue tells; whether all its numbers stay within it. */
int charlens_tongue_fits(const void *buffer, ptrdiff_t size, charlens_tongue_model *model);

/* Write what pure_tongue.tongue returns to *numbers*, with room for CHARLENS_MOST_NUMBERS; returns how many. */
ptrdiff_t charlens_tongue_best(const charlens_tongue *out, const charlens_tongue_model *model, ptrdiff_t most,
                               ptrdiff_t *numbers);

/* Write pieces of the input to *out*, which has room for windows * (size + 1) bytes; return how many were written. */
ptrdiff_t charlens_excerpt(const uint8_t *data, ptrdiff_t length, ptrdiff_t windows, ptrdiff_t size, ptrdiff_t ahead,
                           ptrdiff_t back, uint8_t *out);

/* Write the text of a page without its markup to *out*, which has room for *length* bytes; return how many. */
ptrdiff_t charlens_strip_markup(const uint8_t *data, ptrdiff_t length, int xml, uint8_t *out);

/* The parts of a scan that both versions share. */
void charlens_scan_begin(charlens_scan *out);
void charlens_scan_range(const uint8_t *data, ptrdiff_t from, ptrdiff_t to, charlens_scan *out);

#endif
