/* The native kernel: what kernel/pure.py defines, in C11.
 *
 * Every function is linear in its input, allocates nothing, never recurses, and reads no byte
 * outside [data, data + length).  Offsets are -1 for "none".
 */
#ifndef CHARLENS_KERNEL_H
#define CHARLENS_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "facts.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct {
    uint64_t seen[4];    /* bit v: byte value v occurs */
    int64_t first[32];   /* the first offset of each control */
    ptrdiff_t blocked;   /* first block-listed byte */
    ptrdiff_t non_ascii; /* bytes >= 0x80 */
    ptrdiff_t leads;     /* bytes >= 0xC0 */
    ptrdiff_t error;     /* first byte that is not UTF-8 */
    ptrdiff_t cut;       /* length of the sequence cut off at the end */
    ptrdiff_t nuls[2];   /* at even, at odd offsets */
    ptrdiff_t ends[2];   /* CR and LF at even, at odd offsets */
} charlens_scan;

typedef struct {
    ptrdiff_t sequences, bad, stopped;
    ptrdiff_t listed; /* the number of spans written */
} charlens_damage;

typedef struct {
    ptrdiff_t error, cut, sequences;
} charlens_walk;

typedef struct {
    ptrdiff_t characters, wide, faults, left;
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
/* The fastest one for this machine. */
void (*charlens_scan_best(void))(const uint8_t *, ptrdiff_t, charlens_scan *);

void charlens_find_damage(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, ptrdiff_t ratio,
                          ptrdiff_t slack, ptrdiff_t most, ptrdiff_t *spans, charlens_damage *out);
/* A state from *states* on is an error, 255 among them. */
void charlens_walk_table(const uint8_t *data, ptrdiff_t length, const uint8_t *table, ptrdiff_t width,
                         ptrdiff_t states, charlens_walk *out);

/* How many columns a table has: 256 column numbers, then whole rows; -1 for anything else. */
ptrdiff_t charlens_table_width(const uint8_t *table, ptrdiff_t length);

typedef struct {
    const uint8_t *table; /* 256 columns, then the rows */
    ptrdiff_t width, states;
} charlens_table;

/* Parse the tables of pure.walk_all; returns their number, or -1. */
int charlens_unpack_tables(const uint8_t *packed, ptrdiff_t length, charlens_table *tables);

enum { CHARLENS_NOT_WALKED = 4 };

/* Walk several tables in one pass, table t from starts[t] on, 0 to 3, or not at all.  *masks*: bit t of masks[a], byte a is a character in table
 * t; bit t of masks[256 + (a << 8 | b)], bytes a and b are one.  *out* has room for an error and a cut for each table. */
void charlens_walk_all(const uint8_t *data, ptrdiff_t length, const charlens_table *tables, int count,
                       const uint32_t *masks, const uint8_t *starts, ptrdiff_t *out);

/* The offsets of the bytes that do not fit a table, the first of them at *first*; returns how many, 0 for more than
 * *most* or, at some offset, than one in *apart* bytes and a few.  *out* has room for *most* and one more. */
ptrdiff_t charlens_find_strays(const uint8_t *data, ptrdiff_t length, const charlens_table *table, ptrdiff_t first,
                               ptrdiff_t most, ptrdiff_t apart, ptrdiff_t *out);

/* The offsets of the bytes whose values are in the set *values*, 32 bytes; returns how many, 0 for more than *most*.
 * *out* has room for *most*. */
ptrdiff_t charlens_find_values(const uint8_t *data, ptrdiff_t length, const uint8_t *values, ptrdiff_t most, ptrdiff_t *out);

enum { CHARLENS_MOST_PAGES = 32 };

typedef struct {
    const uint16_t *index; /* 65,536: character to row */
    const uint8_t *bytes;  /* rows times pages: the byte of the character in each code page, 0 where it has none */
    ptrdiff_t rows;
    int count;
} charlens_pages;

/* From *at* on, the lines that pure.misread describes, at most *most*; returns how many.  *out* has room for their
 * starts and ends. */
ptrdiff_t charlens_misread_lines(const uint8_t *data, ptrdiff_t length, ptrdiff_t at, const charlens_pages *pages,
                                 ptrdiff_t most, ptrdiff_t *out);

typedef struct {
    const uint8_t *table;
    const uint8_t *points; /* of a known word, by its length in bytes, up to *longest* */
    ptrdiff_t part;        /* a third of the table */
    ptrdiff_t longest;
} charlens_words;

/* pure_words.known_words: *count* letters and ends of words, 16 bits each; *languages* salts, 32 bits each; *out* has room for
 * a number for each of them. */
void charlens_known_words(const uint8_t *words, ptrdiff_t count, int width, const uint8_t *salts, ptrdiff_t languages,
                          const charlens_words *set, ptrdiff_t *out);

/* pure_scores.line_windows: *out* has room for three windows, a start and an end each; returns how many there are. */
int charlens_line_windows(const uint8_t *data, ptrdiff_t length, ptrdiff_t size, ptrdiff_t *runs, ptrdiff_t *out);

/* The input of pure.candidates: for each byte value a column of 32 bytes, then the tables and their encodings. */
typedef struct {
    const uint8_t *columns, *owners;
    const uint32_t *masks;
    charlens_table tables[CHARLENS_MOST_TABLES];
    int table_count;
} charlens_structure;

/* pure.candidates: *able*, *doubtful* and *cut* are sets of 16 bytes, *walked* has room for two numbers for each table.
 */
void charlens_candidates(const uint8_t *data, ptrdiff_t length, const uint8_t *seen,
                         const charlens_structure *structure, uint8_t *able, uint8_t *doubtful, uint8_t *cut,
                         ptrdiff_t *walked);

void charlens_weigh_units(const uint8_t *data, ptrdiff_t length, int width, int big, const int8_t *table,
                          charlens_weigh *out);

typedef struct {
    const uint16_t *pairs;  /* 65,536: pair of bytes to feature, or 0xFFFF */
    const int8_t *weights;  /* features times classes */
    const uint8_t *levels;  /* the factor of a feature by its number of occurrences */
    const uint8_t *members; /* for each class the set of its encodings, 16 bytes */
    const uint8_t *spoken;  /* for each class the number of its language */
    const int8_t *characters; /* CHARLENS_CHARACTERS rows, a weight for each of the wide classes */
    const uint16_t *wide;     /* the numbers of these classes */
    ptrdiff_t level_count, features, classes, wide_count;
} charlens_model;

/* The points added to a class of one of these encodings and one of these languages; charlens_judge_legacy takes them as
 * log-odds. */
typedef struct {
    uint8_t encodings[16], languages[32];
    int32_t step;
    double odds;
} charlens_nudge;

typedef struct {
    ptrdiff_t pairs, distinct, count;
    int32_t *totals, *order; /* in the block of the caller */
} charlens_scores;

/* The size of the work memory of charlens_score, in bytes. */
size_t charlens_score_room(const charlens_model *model);

/* See pure.score and, where the last of *limits* is 1, pure.score_families.  *sets* are 16 bytes of what is possible and 16
 * of what is doubtful. */
void charlens_score(const uint8_t *data, ptrdiff_t length, const charlens_model *model, const uint8_t *sets,
                    const int32_t *bias, const charlens_nudge *nudges, ptrdiff_t nudge_count, const ptrdiff_t cut[2],
                    const ptrdiff_t limits[4], char *block, charlens_scores *out);

/* pure.misfits for one window: whether class *number* has *least* points or more for each different pair on average.  *block* is as
 * large as for charlens_score. */
int charlens_fits(const uint8_t *data, ptrdiff_t length, const charlens_model *model, ptrdiff_t number, ptrdiff_t least,
                  char *block);

/* pure.compare for one window: three numbers and two for each group.  *sets* are 16 bytes for each of the *groups* of what
 * may be, one or two, and 16 of the encodings that these are compared with. */
#define CHARLENS_MOST_GROUPS 2
void charlens_compare(const uint8_t *data, ptrdiff_t length, const charlens_structure *structure, const charlens_model *model,
                      const uint8_t *sets, ptrdiff_t groups, const int32_t *bias, char *block, ptrdiff_t *out);

/* The offset of the first byte that is not ASCII, from *at* on, or *end*; eight bytes at a time. */
static inline ptrdiff_t charlens_skip_ascii(const uint8_t *data, ptrdiff_t at, ptrdiff_t end) {
    uint64_t eight;
    while (at + 8 <= end && (memcpy(&eight, data + at, 8), (eight & UINT64_C(0x8080808080808080)) == 0)) at += 8;
    while (at < end && data[at] < 0x80) at++;
    return at;
}

/* The number of the lowest bit that is set; at least one must be. */
static inline int charlens_lowest_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int number = 0;
    for (; !(bits & 1); bits >>= 1) number++;
    return number;
#endif
}

/* Eight bytes of a set: bit k is number k of them.  Without a loop, compilers make one load of it. */
static inline uint64_t charlens_word(const uint8_t *set) {
    return (uint64_t)set[0] | (uint64_t)set[1] << 8 | (uint64_t)set[2] << 16 | (uint64_t)set[3] << 24 |
           (uint64_t)set[4] << 32 | (uint64_t)set[5] << 40 | (uint64_t)set[6] << 48 | (uint64_t)set[7] << 56;
}

/* The same the other way. */
static inline void charlens_put_word(uint8_t *set, uint64_t word) {
    set[0] = (uint8_t)word, set[1] = (uint8_t)(word >> 8), set[2] = (uint8_t)(word >> 16), set[3] = (uint8_t)(word >> 24);
    set[4] = (uint8_t)(word >> 32), set[5] = (uint8_t)(word >> 40), set[6] = (uint8_t)(word >> 48);
    set[7] = (uint8_t)(word >> 56);
}

/* The values that occur, as a set of 32 bytes. */
static inline void charlens_values_of(const charlens_scan *scan, uint8_t *seen) {
    for (int i = 0; i < 4; i++) charlens_put_word(seen + 8 * i, scan->seen[i]);
}

/* Whether *number* is in a set. */
static inline int charlens_has(const uint8_t *set, int number) { return set[number >> 3] >> (number & 7) & 1; }

/* Whether two sets of *size* bytes, a multiple of eight, have something in common. */
static inline int charlens_meets(const uint8_t *one, const uint8_t *two, int size) {
    uint64_t both = 0;
    for (int i = 0; i < size; i += 8) both |= charlens_word(one + i) & charlens_word(two + i);
    return both != 0;
}

/* How many bits are set. */
static inline int charlens_count(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (int)(((bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
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

enum { CHARLENS_SCRIPTS = 255, CHARLENS_MOST_LANGUAGES = 256 };
/* A result: four numbers, then two for each class. */
enum { CHARLENS_MOST_NUMBERS = 4 + 2 * CHARLENS_MOST_LANGUAGES };

/* One script: see pure_languages.languages, which has the same eight numbers in the same order. */
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
} charlens_language_model;

typedef struct {
    uint32_t letters[CHARLENS_SCRIPTS], found[CHARLENS_SCRIPTS];
    uint32_t offsets[CHARLENS_SCRIPTS]; /* the offset of the totals of a script */
    int32_t *totals;
} charlens_languages;

/* Prepare *out*, but for the totals, which the caller sets to zero; returns how many there are. */
size_t charlens_begin_languages(const charlens_language_model *model, charlens_languages *out);

/* Count the letters and add up the rows of the n-grams. The model has been checked: every number in it stays within its
 * buffer. */
void charlens_read_languages(const uint8_t *data, ptrdiff_t length, const charlens_language_model *model,
                          charlens_languages *out);

/* Parse a model, in the order of pure_languages.languages; returns whether all its numbers stay within it. */
int charlens_language_model_fits(const void *buffer, ptrdiff_t size, charlens_language_model *model);

/* Write what pure_languages.languages returns to *numbers*, with room for CHARLENS_MOST_NUMBERS; returns how many. */
ptrdiff_t charlens_best_languages(const charlens_languages *out, const charlens_language_model *model, ptrdiff_t most,
                               ptrdiff_t *numbers);

/* The constants of pure_judge.judge_legacy. */
typedef struct {
    CHARLENS_JUDGE_RULES
} charlens_judge_rules;

/* See pure_judge.JudgeTables. */
typedef struct {
    charlens_model model;
    charlens_language_model languages;
    ptrdiff_t language_classes;
    const uint8_t *families;    /* 16 bytes for each class */
    const uint16_t *meanings;   /* 256 rows of 128 */
    const uint8_t *relatives;   /* 128 sets */
    uint8_t identity[128 * 16]; /* see charlens_same_ascii */
    const int64_t *amounts;
    const double *factors;
    const int32_t *bias;
    ptrdiff_t rows; /* of these three */
    const double *priors, *sharpness;
    const uint8_t *spoken; /* 32 bytes for each class of the language model, and once more */
    const uint8_t *rare, *lettered;
    charlens_judge_rules rules;
} charlens_judge;

/* What is known of the input: its byte values, its non-ASCII bytes, the possible and the doubtful encodings. */
typedef struct {
    uint8_t seen[32], sets[32];
    ptrdiff_t beyond_ascii;
} charlens_facts;

/* An encoding that decodes all but some bytes: the values of these, and the encodings that lack the same. */
typedef struct {
    int number;
    uint8_t values[32], alike[16];
} charlens_stray;

typedef struct {
    double share;
    uint8_t same[16];
    int32_t best;
} charlens_text;

/* See shapes.Judged. */
typedef struct {
    ptrdiff_t row, pairs, distinct, glued, cut[2], letter_count, count, text_count;
    int sparse;
    ptrdiff_t letters[4 + 2 * CHARLENS_MOST_JUDGED];
    int32_t classes[CHARLENS_MOST_JUDGED];
    double shares[CHARLENS_MOST_JUDGED];
    charlens_text texts[CHARLENS_MOST_JUDGED];
} charlens_judged;

/* The size of the work memory of charlens_judge_legacy, in bytes. */
size_t charlens_judge_room(const charlens_judge *judge);

/* pure_judge.judge_legacy.  *nudges*, the evidence, has room for CHARLENS_OWN_NUDGES more. */
void charlens_judge_legacy(const charlens_judge *judge, const uint8_t *data, ptrdiff_t length,
                           const charlens_facts *facts, charlens_nudge *nudges, ptrdiff_t nudge_count,
                           const charlens_stray *strays, ptrdiff_t stray_count, char *block, charlens_judged *out);

/* For each ASCII value the encodings in which it is that of ASCII, a set of 16 bytes each. */
void charlens_same_ascii(const uint16_t *meanings, uint8_t *identity);

/* pure_judge.same_reading, of the encodings in *same*, 16 bytes; *identity* is what charlens_same_ascii gives;
 * zeros are right, too, but slower. */
void charlens_same_reading(const uint8_t *seen, int number, const uint16_t *meanings, const uint8_t *relatives,
                           const uint8_t *identity, uint8_t *same);

/* Words (lower case, separated by line ends), prepared for charlens_mentions. */
enum { CHARLENS_WORD_PAIRS = 1024 };
typedef struct {
    uint8_t places[CHARLENS_WORD_PAIRS], is_opening[CHARLENS_WORD_PAIRS]; /* by two bytes, and by the first four */
    ptrdiff_t apart, size;
    const uint8_t *words;
} charlens_word_index;

void charlens_index_words(const uint8_t *words, ptrdiff_t size, charlens_word_index *index);

/* Whether the data contains one of the words, ignoring case. */
int charlens_mentions(const uint8_t *data, ptrdiff_t length, const charlens_word_index *index);

/* The constants of pure_survey.survey. */
typedef struct {
    CHARLENS_SURVEY_RULES
} charlens_survey_rules;

/* See pure_survey.SurveyTables. */
typedef struct {
    const charlens_judge *judge;
    const charlens_structure *structure;
    const int8_t *characters;
    const uint8_t *openings, *watched, *not_base64, *unusual, *together, *gaps, *uncommon, *evidence, *pages, *lacking,
        *tolerant, *relatives, *not_ebcdic;
    charlens_word_index words;
    int page_count, tolerant_count;
    charlens_survey_rules rules;
} charlens_survey;

/* See shapes.Surveyed; *sets* are the possible and the doubtful encodings. */
typedef struct {
    uint8_t sets[32], cut[16];
    ptrdiff_t walked[2 * CHARLENS_MOST_TABLES];
    int is_judged;
    charlens_judged judged;
} charlens_surveyed;

/* Whether nothing in the bytes is for the stages for marks, formats, controls and declarations. */
int charlens_is_quiet(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length, const charlens_scan *scan);

/* pure_survey.survey for quiet bytes, after the scan; whether anything was found.  *nudges* and *block* are as for
 * charlens_judge_legacy; they are needed only if the text is judged. */
int charlens_survey_text(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length,
                         const charlens_scan *scan, int how, charlens_nudge *nudges, ptrdiff_t nudge_count, char *block,
                         charlens_surveyed *out);

/* Write pieces of the input to *out*, which has room for windows * (size + 1) bytes; return how many were written. */
ptrdiff_t charlens_excerpt(const uint8_t *data, ptrdiff_t length, ptrdiff_t windows, ptrdiff_t size, ptrdiff_t ahead,
                           ptrdiff_t back, uint8_t *out);

/* pure_languages._to_utf8: *characters* are 256, and *out* has room for three bytes for each byte; returns how many. */
ptrdiff_t charlens_to_utf8(const uint8_t *data, ptrdiff_t length, const uint16_t *characters, uint8_t *out);

/* Write the text of a page without its markup to *out*, which has room for *length* bytes; return how many. */
ptrdiff_t charlens_strip_markup(const uint8_t *data, ptrdiff_t length, int xml, uint8_t *out);

/* The kind of page by the first bytes of a file: pure_pages.page_flavour. */
int charlens_page_flavour(const uint8_t *data, ptrdiff_t length);

typedef struct {
    ptrdiff_t start, end;
} range_pair;

/* The range of the label after 'charset='; -1 and -1 for none. */
range_pair charlens_find_label(const uint8_t *data, ptrdiff_t length);

/* pure_pages.find_charsets: three numbers for each element; returns how many numbers. */
ptrdiff_t charlens_find_charsets(const uint8_t *data, ptrdiff_t length, int raw, ptrdiff_t *out);

/* The sets of byte values that pure_columns.scan_many takes: of each value the sets that have it, as bits; the same by
 * nibbles for every union of sets (bit h of rows[u][0][l] for value 16h + l, of rows[u][1][l] for 128 + 16h + l); and the
 * set for first bytes. */
typedef struct {
    uint8_t of[256];
    uint8_t rows[1 << CHARLENS_COLUMN_SETS][2][16];
    uint8_t opening[32];
} charlens_column_sets;

void charlens_prepare_sets(const uint8_t *any, const uint8_t *opening, charlens_column_sets *sets);

/* The facts about a row that is UTF-8, in the bits that pure_columns.scan_many describes. */
static inline unsigned charlens_pack_facts(unsigned met, ptrdiff_t leads, ptrdiff_t error, ptrdiff_t cut) {
    if (error >= 0) return CHARLENS_ROW_NOT_UTF8;
    if (leads > CHARLENS_ROW_MOST_LEADS) leads = CHARLENS_ROW_MOST_LEADS;
    return met | (unsigned)cut * CHARLENS_ROW_CUT | (unsigned)leads * CHARLENS_ROW_LEADS;
}

#ifdef CHARLENS_HAVE_AVX2
unsigned charlens_row_facts_avx2(const uint8_t *data, ptrdiff_t length, const charlens_column_sets *sets);
#endif

/* Whether *rows* and one more offsets of *width* bytes, 4 or 8, rise and stay within *length*. */
int charlens_offsets_fit(const void *offsets, int width, ptrdiff_t rows, ptrdiff_t length);

/* pure_columns.scan_many; the offsets have been checked, and *out* has room for a number for each row. */
void charlens_scan_many(const uint8_t *data, const void *offsets, int width, ptrdiff_t rows,
                        const charlens_column_sets *sets, ptrdiff_t longest, uint16_t *out);

/* The parts of a scan that both versions share. */
void charlens_scan_begin(charlens_scan *out);
void charlens_scan_range(const uint8_t *data, ptrdiff_t from, ptrdiff_t to, charlens_scan *out);

#endif
