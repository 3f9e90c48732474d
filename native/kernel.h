/* The native kernel: what kernel/pure.py defines, in C11.
 *
 * Every function is linear in its input, allocates nothing, never recurses, and reads no byte
 * outside [data, data + length).  Offsets are -1 for "none".
 */
#ifndef CHARLENS_KERNEL_H
#define CHARLENS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

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

/* Add up the rows of the features of *data* in *totals*. *counts* has a zero byte for each feature and
 * *touched* room for each; both belong to the caller. Counts are zero again afterwards. */
void charlens_score_pairs(const uint8_t *data, ptrdiff_t length, const charlens_model *model, uint8_t *counts,
                          uint16_t *touched, int32_t *totals, charlens_evidence *out);

/* Write the text of a page without its markup to *out*, which has room for *length* bytes; return how many. */
ptrdiff_t charlens_strip_markup(const uint8_t *data, ptrdiff_t length, int xml, uint8_t *out);

/* The parts of a scan that both versions share. */
void charlens_scan_begin(charlens_scan *out);
void charlens_scan_range(const uint8_t *data, ptrdiff_t from, ptrdiff_t to, charlens_scan *out);

#endif
