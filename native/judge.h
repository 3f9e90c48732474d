/* From numbers to an answer: what the stages for surroundings, statistics, verdict and language work out.
 *
 * Nothing here knows of Python.  The sums are those of the stages, in their order, so that they agree to the last bit.
 */
#ifndef CHARLENS_JUDGE_H
#define CHARLENS_JUDGE_H

#include "declare.h"

/* A product and a sum are rounded apart, as in Python; gcc is told so on its command line. */
#if defined(_MSC_VER)
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum {
    CHARLENS_MOST_LIKELY = 64,   /* classes of the model that are kept */
    CHARLENS_MOST_ENCODINGS = 128,
    CHARLENS_MOST_TOTALS = 1024, /* classes of all scripts of a language model */
    CHARLENS_MOST_PIECE = 8192,  /* bytes that the language is read from */
    CHARLENS_MOST_ASKED = 16     /* languages that are asked for */
};

typedef struct {
    charlens_limits limits;
    /* The language model: two lists by script, two by class. */
    charlens_tongue_model tongue;
    const double *sharpness, *least, *priors;
    const uint16_t *tongue_tags; /* a number for each tag, the same as in class_tags */
    uint16_t no_language, english;
    /* The model. */
    charlens_model model;
    const uint8_t *members;         /* 16 bytes for each class: the set of the encodings it speaks for */
    const uint8_t *families;        /* the same as a list, the preferred first, 0xFF behind the last */
    ptrdiff_t family;               /* the length of such a list */
    const uint16_t *class_tags;     /* the language of each class */
    const uint8_t *strangers;       /* whether it is not written in Latin */
    const int64_t *amounts;         /* the sharpness goes by how many bytes are beyond ASCII */
    const double *factors;
    ptrdiff_t amount_count;
    /* The structure. */
    const uint8_t *undefined;       /* 256 sets of 32 bytes; from the 128th on C1 controls */
    const uint32_t *masks;          /* of single bytes, then of pairs */
    charlens_table tables[CHARLENS_MOST_TABLES];
    int table_count;
    const uint8_t *walked;          /* the number of the encoding of each table */
    uint64_t strict[2], lax[2];     /* sets of encodings: where a strict one decodes everything, no byte is stray */
    uint32_t tolerant;              /* the tables whose stray bytes are forgiven */
    const uint16_t *maps;           /* 256 code points for each encoding of one byte a character */
    const uint8_t *single;          /* whether an encoding is that */
    const int8_t *weights;          /* of characters: see kernel.pure.weigh */
} charlens_judge;

/* Some text that the bytes may be. */
typedef struct {
    double share;
    uint64_t same[2]; /* the encodings that read it so */
    int best;         /* its likeliest class */
} charlens_reading;

typedef struct {
    const uint8_t *data;
    ptrdiff_t length;
    charlens_scan scan;
    /* Markup: the words, in memory of their own, or NULL. */
    charlens_flavour flavour;
    uint8_t *stripped;
    ptrdiff_t stripped_length, stripped_beyond, stripped_size;
    int enough;
    /* What is scored. */
    const uint8_t *words;
    ptrdiff_t words_length, beyond_ascii, row, windows[2];
    uint64_t sets[4]; /* what is possible, and what of it is doubtful */
    ptrdiff_t walked[2 * CHARLENS_MOST_TABLES];
    /* What stands around, as `kernel.tongue` gives it, and its log-odds. */
    ptrdiff_t around_count, around[4 + 2 * CHARLENS_MOST_ASKED];
    int likely_count, is_english;
    uint16_t likely[CHARLENS_MOST_ASKED];
    double likely_odds[CHARLENS_MOST_ASKED];
    /* The scores. */
    charlens_evidence evidence;
    int32_t penalty;
    ptrdiff_t count;
    int32_t order[CHARLENS_MOST_LIKELY];
    double shares[CHARLENS_MOST_LIKELY];
    ptrdiff_t reading_count;
    charlens_reading readings[CHARLENS_MOST_LIKELY];
    /* The language. */
    ptrdiff_t tongue_count, tongue[4 + 2 * CHARLENS_MOST_ASKED];
    /* What is declared: -1 where it is not plain. */
    int declares;
    charlens_declared declared;
} charlens_case;

/* Structure and markup of legacy text, up to what has to be scored; 0 where a stage must look closer.  -1: no memory. */
int charlens_settle(const charlens_judge *judge, charlens_case *it);

/* Read what stands around the bytes beyond ASCII, where they are few, and add what it says to *bias*, one number for
 * each class.  Whether there was anything to add. */
int charlens_read_around(const charlens_judge *judge, charlens_case *it, int32_t *bias);

/* Score the words, beginning with *bias*; -1: no memory. */
int charlens_score_words(const charlens_judge *judge, charlens_case *it, const int32_t *bias);

/* Gives the set of the encodings that read the bytes of *it* like encoding *number* does; 0 for an error. */
typedef int (*charlens_same)(void *who, const charlens_case *it, int number, uint64_t same[2]);

/* Join the classes that give the same text, the likeliest text first; 0 for an error of *same*. */
int charlens_join_readings(const charlens_judge *judge, charlens_case *it, charlens_same same, void *who);

/* The number of the language of text in UTF-8, or -1. */
int charlens_judge_language(const charlens_judge *judge, charlens_case *it);

/* The class whose language the text in the likeliest encoding *number*, of one byte a character, is in, or -1. */
int charlens_judge_beside(const charlens_judge *judge, charlens_case *it, int number);

static inline int charlens_in_set(const uint64_t set[2], int number) { return (int)(set[number >> 6] >> (number & 63) & 1); }

/* The lowest of a set that is not empty. */
static inline int charlens_lowest(const uint64_t set[2]) {
    return set[0] ? charlens_lowest_bit(set[0]) : 64 + charlens_lowest_bit(set[1]);
}

#endif
