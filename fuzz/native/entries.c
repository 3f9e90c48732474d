/* Coverage-guided fuzzing of the native kernel: what libFuzzer calls, one function for each entry of native/kernel.h.
 *
 * --entry=NAME says which; --tables=FOLDER has the tables of the package, as run.py writes them.  The first bytes of an
 * input are numbers and say whether the tables are real or made of the input itself; the rest is the data.  Everything
 * lies in blocks of its exact size, so that AddressSanitizer sees one byte too many.  Beyond memory: vector
 * instructions give what plain code gives, offsets rise and stay within the data, and one walk gives what many give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/kernel.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __func__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef struct {
    uint8_t *at;
    ptrdiff_t length;
} block;

/* ---- input */

static unsigned number(block *in) {
    if (!in->length) return 0;
    in->length--;
    return *in->at++;
}

static block new_block(ptrdiff_t length) { return (block){malloc(length ? (size_t)length : 1), length}; }

/* What is left of the input, or its first bytes, in a block of its own. */
static block copy(block in, ptrdiff_t most) {
    block out = new_block(in.length < most ? in.length : most);
    if (out.length) memcpy(out.at, in.at, (size_t)out.length);
    return out;
}

/* *length* bytes that repeat the *seed*, mixed so that no two rounds are the same. */
static block made(block seed, ptrdiff_t length) {
    block out = new_block(length);
    uint8_t round = 0;
    for (ptrdiff_t i = 0, k = 0; i < length; i++, k++) {
        if (k >= seed.length) k = 0, round += 37;
        out.at[i] = seed.length ? (uint8_t)(seed.at[k] + round) : round;
    }
    return out;
}

/* The next bytes of the input, where they lie. */
static block next(block *in, ptrdiff_t most) {
    block out = {in->at, in->length < most ? in->length : most};
    in->at += out.length;
    in->length -= out.length;
    return out;
}

/* One of eight large tables of *length* bytes without a plan; they are kept, because making one takes longer than its use. */
static block wild_table(unsigned seed, ptrdiff_t length) {
    static block kept[512];
    const uint8_t three[3] = {(uint8_t)(seed & 7), (uint8_t)((seed & 7) * 29), (uint8_t)((seed & 7) * 101)};
    block *found = kept + (seed & 7);
    while (found->at && found->length != length) found += 8;
    REQUIRE(found < kept + 512);
    if (!found->at) {
        *found = made((block){(uint8_t *)three, 3}, length);
        for (ptrdiff_t i = 1; length == 2 * 65536 && i < length; i += 2) found->at[i] = !(found->at[i] & 3); /* small numbers */
    }
    return *found;
}

/* ---- real tables */

enum { PACKED, MASKS, COLUMNS, OWNERS, CHARACTERS, LANGUAGES, MODEL, INDEX = MODEL + 7, SIGNS, FAMILIES, MEANINGS, RELATIVES, AMOUNTS, FACTORS, BIAS, PRIORS,
       SHARPNESS, SPOKEN, JUDGE_SETS, JUDGE_RULES, WORDS, OPENINGS, SURVEY_SETS, PAGES, LACKING, TOLERANT, STRAY_RELATIVES, NOT_EBCDIC,
       SURVEY_RULES, TABLES };
static const char *const table_names[TABLES] = {"packed",   "masks",    "columns",  "owners",   "characters", "languages",
                                                "model-0",  "model-1",  "model-2",  "model-3",    "model-4",
                                                "model-5",  "model-6",  "index",    "signs",      "families",
                                                "meanings", "relatives", "amounts", "factors",    "bias",
                                                "priors",   "sharpness", "spoken",  "judge-sets", "judge-rules",
                                                "words",    "openings", "survey-sets", "pages",   "lacking",
                                                "tolerant", "stray-relatives", "not-ebcdic", "survey-rules"};
static block real[TABLES];

static block read_table(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "%s is missing: `python fuzz/native/run.py` writes it\n", path);
        exit(2);
    }
    block out = new_block(ftell(file));
    rewind(file);
    REQUIRE(fread(out.at, 1, (size_t)out.length, file) == (size_t)out.length);
    fclose(file);
    return out;
}

/* ---- entries */

static void scan(block in) {
    block data = copy(in, in.length);
    charlens_scan one, two;
    ptrdiff_t beyond = 0, leads = 0;
    charlens_scan_portable(data.at, data.length, &one);
    charlens_scan_best()(data.at, data.length, &two);
    REQUIRE(memcmp(&one, &two, sizeof one) == 0);
    for (ptrdiff_t i = 0; i < data.length; i++) {
        beyond += data.at[i] >= 0x80;
        leads += data.at[i] >= 0xC0;
        REQUIRE(data.at[i] >= 0x20 || (one.first[data.at[i]] <= i && one.first[data.at[i]] >= 0));
    }
    REQUIRE(one.non_ascii == beyond && one.leads == leads && one.error < data.length && one.cut < 4);
    free(data.at);
}

static int64_t offset_at(block offsets, ptrdiff_t row, int width) {
    int64_t wide;
    int32_t narrow;
    memcpy(width == 8 ? (void *)&wide : (void *)&narrow, offsets.at + row * width, (size_t)width);
    return width == 8 ? wide : narrow;
}

static void scan_many(block in) {
    const ptrdiff_t longest = number(&in) * 4, count = 1 + number(&in) % 32;
    const int width = number(&in) & 1 ? 8 : 4, wild = number(&in) & 1;
    block sets = made(next(&in, 40), 32 * CHARLENS_COLUMN_SETS + 32), steps = next(&in, count), data = copy(in, in.length);
    block offsets = new_block(count * width), facts = new_block(2 * (count - 1));
    int64_t at = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const int64_t step = i < steps.length ? steps.at[i] : 0;
        at = wild ? at + step - 3 : at + step > data.length ? data.length : at + step;
        const int32_t narrow = (int32_t)at;
        memcpy(offsets.at + i * width, width == 8 ? (void *)&at : (void *)&narrow, (size_t)width);
    }
    charlens_column_sets prepared;
    charlens_prepare_sets(sets.at, sets.at + 32 * CHARLENS_COLUMN_SETS, &prepared);
    const int fits = charlens_offsets_fit(offsets.at, width, count - 1, data.length);
    REQUIRE(fits || wild);
    if (fits) {
        charlens_scan_many(data.at, offsets.at, width, count - 1, &prepared, longest, (uint16_t *)facts.at);
        for (ptrdiff_t row = 0; row + 1 < count; row++) {
            const int64_t from = offset_at(offsets, row, width), to = offset_at(offsets, row + 1, width);
            charlens_scan seen;
            const unsigned fact = ((uint16_t *)facts.at)[row];
            charlens_scan_portable(data.at + from, (ptrdiff_t)(to - from), &seen);
            if (to - from > longest) REQUIRE(fact == CHARLENS_ROW_LONG);
            else REQUIRE(!!(fact & CHARLENS_ROW_NOT_UTF8) == (seen.error >= 0));
            if (to - from > longest || seen.error >= 0) continue;
            unsigned met = 0;
            for (ptrdiff_t i = (ptrdiff_t)from; i < to; i++) met |= prepared.of[data.at[i]];
            REQUIRE((fact & 15) == met && (fact / CHARLENS_ROW_CUT & 3) == (unsigned)seen.cut);
        }
    }
    free(sets.at), free(data.at), free(offsets.at), free(facts.at);
}

static void damage(block in) {
    const ptrdiff_t ratio = number(&in), slack = number(&in) * 16, most = number(&in) % 32, skip = number(&in);
    block data = copy(in, in.length), spans = new_block((2 * most + 1) * (ptrdiff_t)sizeof(ptrdiff_t));
    const ptrdiff_t *span = (const ptrdiff_t *)spans.at, start = skip < 128 ? 0 : skip - 128;
    charlens_damage out = {.sequences = 0};
    charlens_find_damage(data.at, data.length, start, ratio, slack, most, (ptrdiff_t *)spans.at, &out);
    REQUIRE(out.listed <= most && out.listed <= out.bad && out.stopped <= data.length);
    for (ptrdiff_t i = 0, before = start; i < out.listed; before = span[2 * i + 1], i++)
        REQUIRE(before <= span[2 * i] && span[2 * i] < span[2 * i + 1] && span[2 * i + 1] <= data.length);
    if (start == 0) {
        ptrdiff_t error, cut_off;
        charlens_utf8(data.at, data.length, 0, &error, &cut_off);
        REQUIRE((error >= 0) == (out.bad > 0) && (error < 0 || !out.listed || span[0] == error));
    }
    free(data.at), free(spans.at);
}

/* One of the real tables, or one made of the input: 256 columns, then rows. */
static charlens_table a_table(block *in, block *own) {
    charlens_table tables[CHARLENS_MOST_TABLES];
    const unsigned which = number(in);
    *own = (block){NULL, 0};
    if (which & 1) {
        const int count = charlens_unpack_tables(real[PACKED].at, real[PACKED].length, tables);
        REQUIRE(count > 0);
        return tables[(int)(which >> 1) % count];
    }
    const ptrdiff_t width = 1 + number(in) % 8, states = 1 + which / 2 % 8;
    *own = made(next(in, 64), 256 + width * states);
    for (ptrdiff_t i = 0; i < 256; i++) own->at[i] = (uint8_t)(own->at[i] % width);
    own->at[255] = (uint8_t)(width - 1);
    for (ptrdiff_t i = 256; i < own->length; i++) own->at[i] = (uint8_t)(own->at[i] % (states + 2));
    REQUIRE(charlens_table_width(own->at, own->length) == width);
    return (charlens_table){own->at, width, states};
}

static void walk(block in) {
    block own;
    const charlens_table table = a_table(&in, &own);
    block data = copy(in, in.length);
    charlens_walk out;
    charlens_walk_table(data.at, data.length, table.table, table.width, table.states, &out);
    REQUIRE(out.error < data.length && out.cut >= 0 && out.cut <= data.length && out.sequences <= data.length);
    REQUIRE(out.error < 0 || out.cut == 0);
    free(data.at), free(own.at);
}

static void strays(block in) {
    const ptrdiff_t most = number(&in) % 64, apart = 1 + number(&in);
    block own;
    const charlens_table table = a_table(&in, &own);
    block data = copy(in, in.length), found = new_block((most + 1) * (ptrdiff_t)sizeof(ptrdiff_t));
    const ptrdiff_t *offsets = (const ptrdiff_t *)found.at;
    charlens_walk out;
    charlens_walk_table(data.at, data.length, table.table, table.width, table.states, &out);
    if (out.error >= 0) {
        const ptrdiff_t count =
            charlens_find_strays(data.at, data.length, &table, out.error, most, apart, (ptrdiff_t *)found.at);
        REQUIRE(count >= 0 && count <= most);
        for (ptrdiff_t i = 0; i < count; i++) REQUIRE(offsets[i] < data.length && (!i || offsets[i - 1] < offsets[i]));
    }
    free(data.at), free(own.at), free(found.at);
}

static void walk_all(block in) {
    const int wild = number(&in) & 1;
    charlens_table tables[CHARLENS_MOST_TABLES];
    uint8_t starts[CHARLENS_MOST_TABLES];
    ptrdiff_t out[2 * CHARLENS_MOST_TABLES];
    const int count = charlens_unpack_tables(real[PACKED].at, real[PACKED].length, tables);
    REQUIRE(count > 0);
    for (int t = 0; t < count; t++) starts[t] = number(&in) % 5;
    if (wild) { /* masks that have nothing to do with the tables */
        const block masks = wild_table(number(&in), real[MASKS].length), data = copy(in, in.length);
        charlens_walk_all(data.at, data.length, tables, count, (const uint32_t *)masks.at, starts, out);
        free(data.at);
        return;
    }
    block data = copy(in, in.length);
    charlens_walk_all(data.at, data.length, tables, count, (const uint32_t *)real[MASKS].at, starts, out);
    for (int t = 0; t < count; t++) {
        charlens_walk one;
        REQUIRE(out[2 * t] < data.length && out[2 * t + 1] <= data.length);
        if (starts[t] >= CHARLENS_NOT_WALKED || starts[t] > data.length) continue;
        charlens_walk_table(data.at + starts[t], data.length - starts[t], tables[t].table, tables[t].width,
                            tables[t].states, &one);
        REQUIRE(out[2 * t] == (one.error < 0 ? -1 : one.error + starts[t]) && out[2 * t + 1] == one.cut);
    }
    free(data.at);
}

/* The packed tables themselves: anything is taken apart or refused. */
static void tables(block in) {
    block packed = new_block(real[PACKED].length);
    charlens_table found[CHARLENS_MOST_TABLES];
    memcpy(packed.at, real[PACKED].at, (size_t)packed.length);
    while (in.length >= 3) {
        const unsigned at = number(&in) << 8;
        packed.at[(at | number(&in)) % packed.length] = (uint8_t)number(&in);
    }
    const int count = charlens_unpack_tables(packed.at, packed.length - (ptrdiff_t)number(&in), found);
    for (int t = 0; t < count; t++) {
        charlens_walk out;
        charlens_walk_table(real[COLUMNS].at, 512, found[t].table, found[t].width, found[t].states, &out);
    }
    free(packed.at);
}

static void find_values(block in) {
    const ptrdiff_t most = number(&in) % 64;
    block values = copy(in, in.length < 32 ? in.length : 32), set = new_block(32);
    memset(set.at, 0, 32);
    memcpy(set.at, values.at, (size_t)values.length);
    block data = copy(in, in.length), found = new_block((most + 1) * (ptrdiff_t)sizeof(ptrdiff_t));
    const ptrdiff_t *offsets = (const ptrdiff_t *)found.at;
    const ptrdiff_t count = charlens_find_values(data.at, data.length, set.at, most, (ptrdiff_t *)found.at);
    REQUIRE(count >= 0 && count <= most);
    for (ptrdiff_t i = 0; i < count; i++) {
        REQUIRE(offsets[i] < data.length && (!i || offsets[i - 1] < offsets[i]));
        REQUIRE(set.at[data.at[offsets[i]] >> 3] >> (data.at[offsets[i]] & 7) & 1);
    }
    free(values.at), free(set.at), free(data.at), free(found.at);
}

static void known_words(block in) {
    const int width = 1 + (int)(number(&in) % 4), languages = (int)(number(&in) % CHARLENS_MOST_SALTS);
    const ptrdiff_t part = number(&in), longest = number(&in) % 8;
    block salts = made(next(&in, 4 * languages), 4 * languages), points = made(next(&in, longest + 1), longest + 1);
    block table = made(next(&in, 3 * part), 3 * part), data = copy(in, in.length & ~(ptrdiff_t)1);
    block found = new_block(languages * (ptrdiff_t)sizeof(ptrdiff_t));
    const charlens_words set = {table.at, points.at, part, longest};
    charlens_known_words(data.at, data.length / 2, width, salts.at, languages, &set, (ptrdiff_t *)found.at);
    for (int i = 0; i < languages; i++) {
        const ptrdiff_t sum = ((const ptrdiff_t *)found.at)[i];
        REQUIRE(sum >= 0 && sum <= 255 * (data.length / 2));
    }
    free(salts.at), free(points.at), free(table.at), free(data.at), free(found.at);
}

static void misread(block in) {
    const unsigned kind = number(&in);
    const ptrdiff_t most = 1 + number(&in) % 16, start = number(&in);
    charlens_pages pages = {(const uint16_t *)real[INDEX].at, real[SIGNS].at, 0, 0};
    block signs = {NULL, 0};
    pages.count = real[SIGNS].at[real[SIGNS].length - 1];
    pages.rows = (real[SIGNS].length - 1) / pages.count;
    if (kind & 1) {
        pages.count = 1 + (int)(kind >> 1) % CHARLENS_MOST_PAGES;
        signs = made(next(&in, 32), (ptrdiff_t)pages.count * 300);
        pages.index = (const uint16_t *)wild_table(number(&in), 131072).at;
        pages.bytes = signs.at;
        pages.rows = 300;
    }
    block data = copy(in, in.length), found = new_block(2 * most * (ptrdiff_t)sizeof(ptrdiff_t));
    const ptrdiff_t *lines = (const ptrdiff_t *)found.at;
    const ptrdiff_t count =
        charlens_misread_lines(data.at, data.length, start, &pages, most, (ptrdiff_t *)found.at);
    REQUIRE(count >= 0 && count <= most);
    for (ptrdiff_t i = 0; i < count; i++)
        REQUIRE(lines[2 * i] < lines[2 * i + 1] && lines[2 * i + 1] <= data.length && (!i || lines[2 * i - 1] < lines[2 * i]));
    free(signs.at), free(data.at), free(found.at);
}

static void weigh(block in) {
    const unsigned kind = number(&in);
    const block table = kind & 4 ? wild_table(number(&in), 65536) : real[CHARACTERS], data = copy(in, in.length);
    charlens_weigh out;
    charlens_weigh_units(data.at, data.length, kind & 1 ? 4 : 2, kind >> 1 & 1,
                         (const int8_t *)table.at, &out);
    REQUIRE(out.characters >= 0 && out.wide <= out.characters && out.left >= 0 && out.left < 4 && out.faults >= 0);
    free(data.at);
}

/* The real model, or a small one: pairs, weights, levels, members, spoken, characters, wide. */
static charlens_model a_model(block *in, unsigned kind, block own[7]) {
    const block *parts = &real[MODEL];
    block pairs = parts[0], characters = parts[5];
    memset(own, 0, 7 * sizeof *own);
    if (kind & 1) {
        const ptrdiff_t classes = 1 + number(in) % 80, features = 1 + number(in) % 40, wide = number(in) % 8;
        const block seed = next(in, 64);
        const ptrdiff_t sizes[7] = {0, features * classes, 1 + (ptrdiff_t)number(in) % 20, 16 * classes, classes, 0, 2 * wide};
        for (int i = 0; i < 7; i++) own[i] = made(seed, sizes[i]);
        for (ptrdiff_t i = 0; i < wide; i++) ((uint16_t *)own[6].at)[i] %= classes;
        if (kind & 4)
            for (ptrdiff_t i = 0; i < own[2].length; i++) own[2].at[i] %= 17;
        parts = own;
        pairs = wild_table(kind >> 3, 2 * 65536);
        characters = wild_table(kind >> 3, CHARLENS_CHARACTERS * wide);
    }
    charlens_model model = {(const uint16_t *)pairs.at, (const int8_t *)parts[1].at, parts[2].at, parts[3].at, parts[4].at,
                            (const int8_t *)characters.at, (const uint16_t *)parts[6].at, parts[2].length, 0,
                            parts[3].length / 16, parts[6].length / 2};
    model.features = parts[1].length / model.classes;
    return model;
}

/* What the classes begin with. */
static block a_bias(block *in, const charlens_model *model) {
    block bias = made(next(in, 8), 4 * model->classes);
    for (ptrdiff_t i = 0; i < model->classes; i++) ((int32_t *)bias.at)[i] %= 1 << 24;
    return bias;
}

static charlens_structure real_structure(void) {
    charlens_structure out = {.columns = real[COLUMNS].at, .owners = real[OWNERS].at, .masks = (const uint32_t *)real[MASKS].at};
    out.table_count = charlens_unpack_tables(real[PACKED].at, real[PACKED].length, out.tables);
    REQUIRE(out.table_count > 0);
    return out;
}

static void candidates(block in) {
    const charlens_structure structure = real_structure();
    block data = copy(in, in.length);
    charlens_scan seen;
    uint8_t bytes[32], able[16], doubtful[16], cut[16];
    ptrdiff_t flat[2 * CHARLENS_MOST_TABLES];
    charlens_scan_portable(data.at, data.length, &seen);
    memcpy(bytes, seen.seen, 32);
    charlens_candidates(data.at, data.length, bytes, &structure, able, doubtful, cut, flat);
    for (int t = 0; t < structure.table_count; t++) {
        REQUIRE(flat[2 * t] < data.length && flat[2 * t + 1] <= data.length);
        if (flat[2 * t] < 0) REQUIRE(able[structure.owners[t] >> 3] >> (structure.owners[t] & 7) & 1);
    }
    for (int i = 0; i < 16; i++) REQUIRE((doubtful[i] & ~able[i]) == 0);
    free(data.at);
}

/* The tables of the package for legacy text; they are prepared once. */
static const charlens_judge *real_judge(void) {
    static charlens_judge judge;
    if (judge.rows) return &judge;
    block none[7], empty = {NULL, 0};
    judge.model = a_model(&empty, 0, none);
    REQUIRE(charlens_language_model_fits(real[LANGUAGES].at, real[LANGUAGES].length, &judge.languages));
    judge.language_classes = real[PRIORS].length / 8;
    judge.families = real[FAMILIES].at;
    judge.meanings = (const uint16_t *)real[MEANINGS].at;
    judge.relatives = real[RELATIVES].at;
    charlens_same_ascii(judge.meanings, judge.identity);
    judge.amounts = (const int64_t *)real[AMOUNTS].at;
    judge.factors = (const double *)real[FACTORS].at;
    judge.bias = (const int32_t *)real[BIAS].at;
    judge.priors = (const double *)real[PRIORS].at;
    judge.sharpness = (const double *)real[SHARPNESS].at;
    judge.spoken = real[SPOKEN].at;
    judge.rare = real[JUDGE_SETS].at;
    judge.lettered = judge.rare + 16;
    memcpy(&judge.rules, real[JUDGE_RULES].at, sizeof judge.rules);
    judge.rows = real[AMOUNTS].length / 8;
    return &judge;
}

static void check_judged(const charlens_judge *judge, const charlens_judged *out) {
    double together = 0;
    REQUIRE(out->row < judge->rows && out->count >= 0 && out->count <= judge->rules.most_classes && out->text_count <= out->count);
    for (ptrdiff_t i = 0; i < out->count; i++) {
        REQUIRE(out->classes[i] >= 0 && out->classes[i] < judge->model.classes && out->shares[i] > 0 && out->shares[i] <= 1);
        REQUIRE(!i || out->shares[i - 1] >= out->shares[i]);
    }
    for (ptrdiff_t i = 0; i < out->text_count; i++) {
        REQUIRE(!i || out->texts[i - 1].share >= out->texts[i].share);
        together += out->texts[i].share;
    }
    REQUIRE(!out->count || (together > 0.999 && together < 1.001));
}

static void judge(block in) {
    const charlens_judge *tables = real_judge();
    charlens_nudge nudges[4 + CHARLENS_OWN_NUDGES];
    charlens_stray strays[2];
    charlens_facts facts;
    charlens_judged out;
    const unsigned kind = number(&in);
    block sets = made(next(&in, 64), 64), more = made(next(&in, 24), 2 * (sizeof strays->values + sizeof strays->alike));
    memcpy(facts.seen, sets.at, 32);
    memcpy(facts.sets, sets.at + 32, 32);
    facts.beyond_ascii = kind & 1 ? number(&in) : (ptrdiff_t)number(&in) << 10;
    for (int i = 0; i < 2; i++) {
        strays[i].number = number(&in) & 127;
        memcpy(strays[i].values, more.at + 48 * i, 32);
        memcpy(strays[i].alike, more.at + 48 * i + 32, 16);
    }
    for (int i = 0; i < 4; i++) {
        memset(&nudges[i], (int)number(&in), sizeof nudges[i]);
        nudges[i].odds = ((int)number(&in) - 128) / 10.0;
    }
    block data = copy(in, in.length), room = new_block((ptrdiff_t)charlens_judge_room(tables));
    charlens_judge_legacy(tables, data.at, data.length, &facts, nudges, kind >> 1 & 3, strays, kind >> 3 & 1, (char *)room.at, &out);
    check_judged(tables, &out);
    free(sets.at), free(more.at), free(data.at), free(room.at);
}

static void survey(block in) {
    static charlens_survey tables;
    static charlens_structure structure;
    if (!tables.judge) {
        structure = real_structure();
        tables = (charlens_survey){.judge = real_judge(), .structure = &structure, .characters = (const int8_t *)real[CHARACTERS].at,
                                   .openings = real[OPENINGS].at, .watched = real[SURVEY_SETS].at, .pages = real[PAGES].at,
                                   .lacking = real[LACKING].at, .tolerant = real[TOLERANT].at, .relatives = real[STRAY_RELATIVES].at,
                                   .not_ebcdic = real[NOT_EBCDIC].at, .page_count = (int)real[PAGES].length,
                                   .tolerant_count = (int)real[TOLERANT].length};
        tables.not_base64 = tables.watched + 32;
        tables.unusual = tables.watched + 64;
        tables.together = tables.watched + 96;
        tables.gaps = tables.watched + 128;
        tables.uncommon = tables.watched + 160;
        tables.evidence = tables.watched + 192;
        charlens_index_words(real[WORDS].at, real[WORDS].length, &tables.words);
        memcpy(&tables.rules, real[SURVEY_RULES].at, sizeof tables.rules);
    }
    block data = copy(in, in.length), room = new_block((ptrdiff_t)charlens_judge_room(tables.judge));
    charlens_scan seen;
    charlens_surveyed out;
    charlens_nudge nudges[1 + CHARLENS_OWN_NUDGES] = {{.encodings = {0xF0, 0x0F}, .languages = {0xFF}, .odds = 4.0}};
    charlens_scan_best()(data.at, data.length, &seen);
    if (charlens_is_quiet(&tables, data.at, data.length, &seen) &&
        charlens_survey_text(&tables, data.at, data.length, &seen, CHARLENS_SURVEY_JUDGES, nudges, in.length & 1, (char *)room.at, &out)) {
        REQUIRE(seen.error >= 0);
        if (out.is_judged) check_judged(tables.judge, &out.judged);
    }
    free(data.at), free(room.at);
}

static void same_reading(block in) {
    const charlens_judge *tables = real_judge();
    static const uint8_t unknown[128 * 16];
    const int wanted = (int)number(&in) & 127;
    block seen = made(in, 32);
    uint8_t one[16], two[16];
    memset(one, 0xFF, 16), memset(two, 0xFF, 16);
    charlens_same_reading(seen.at, wanted, tables->meanings, tables->relatives, tables->identity, one);
    charlens_same_reading(seen.at, wanted, tables->meanings, tables->relatives, unknown, two);
    REQUIRE(memcmp(one, two, 16) == 0 && one[wanted >> 3] >> (wanted & 7) & 1);
    free(seen.at);
}

static void compare(block in) {
    const unsigned kind = number(&in);
    const charlens_structure structure = real_structure();
    block own[7];
    const charlens_model model = a_model(&in, kind, own);
    block sets = made(next(&in, 48), 48), bias = a_bias(&in, &model);
    block data = copy(in, in.length), room = new_block((ptrdiff_t)charlens_score_room(&model));
    ptrdiff_t out[3 + 2 * CHARLENS_MOST_GROUPS];
    charlens_compare(data.at, data.length, &structure, &model, sets.at, 1 + kind % 2, (const int32_t *)bias.at, (char *)room.at, out);
    REQUIRE(out[1] <= out[0] && out[1] <= model.features);
    for (int i = 0; i < 7; i++) free(own[i].at);
    free(sets.at), free(bias.at), free(data.at), free(room.at);
}

static void misfits(block in) {
    const unsigned kind = number(&in);
    block own[7];
    const charlens_model model = a_model(&in, kind, own);
    const ptrdiff_t class = (ptrdiff_t)number(&in) % model.classes;
    block data = copy(in, in.length), room = new_block((ptrdiff_t)charlens_score_room(&model));
    const int lax = charlens_fits(data.at, data.length, &model, class, -CHARLENS_MOST_POINTS, (char *)room.at);
    const int strict = charlens_fits(data.at, data.length, &model, class, (ptrdiff_t)number(&in) - 128, (char *)room.at);
    REQUIRE(lax && (strict == 0 || strict == 1));
    for (int i = 0; i < 7; i++) free(own[i].at);
    free(data.at), free(room.at);
}

static void score(block in) {
    const unsigned kind = number(&in);
    const ptrdiff_t steps[2] = {(ptrdiff_t)number(&in) * (kind & 2 ? 1 : 0), 1 + (ptrdiff_t)number(&in)};
    const ptrdiff_t limits[4] = {(ptrdiff_t)number(&in) - 1, (ptrdiff_t)number(&in) * 16, (ptrdiff_t)number(&in) << 16, kind >> 5 & 1};
    block own[7];
    const charlens_model model = a_model(&in, kind, own);
    block sets = made(next(&in, 48), 48), bias = a_bias(&in, &model);
    charlens_nudge nudges[4];
    const ptrdiff_t nudge_count = kind >> 3 & 3;
    for (ptrdiff_t i = 0; i < nudge_count; i++) {
        block bytes = made(next(&in, 12), sizeof nudges[i].encodings + sizeof nudges[i].languages);
        memcpy(nudges[i].encodings, bytes.at, sizeof nudges[i].encodings);
        memcpy(nudges[i].languages, bytes.at + sizeof nudges[i].encodings, sizeof nudges[i].languages);
        nudges[i].step = ((int32_t)number(&in) - 128) * 1000;
        free(bytes.at);
    }
    block data = copy(in, in.length), room = new_block((ptrdiff_t)charlens_score_room(&model));
    charlens_scores out;
    charlens_score(data.at, data.length, &model, sets.at, (const int32_t *)bias.at, nudges, nudge_count, steps, limits,
                   (char *)room.at, &out);
    REQUIRE(out.count >= 0 && out.count <= model.classes && (limits[0] < 0 || out.count <= limits[0]));
    REQUIRE(out.distinct <= out.pairs && out.distinct <= model.features);
    for (ptrdiff_t i = 0; i < out.count; i++) {
        REQUIRE(out.order[i] >= 0 && out.order[i] < model.classes);
        REQUIRE(!i || out.totals[out.order[i - 1]] >= out.totals[out.order[i]]);
    }
    for (int i = 0; i < 7; i++) free(own[i].at);
    free(sets.at), free(bias.at), free(data.at), free(room.at);
}

/* A language model of the real tables for letters, with scripts, slots and weights made of the input. */
static block made_languages(block *in) {
    enum { HEAD = 16, LETTERS = 2 * CHARLENS_FOLDED, BLOCKS = 0x1000 };
    const uint32_t scripts = number(in) % 6, bits = number(in) % 8, slots = scripts * (2 << bits), weights = 64 * number(in);
    const block seed = next(in, 64);
    const ptrdiff_t tables_end = HEAD + LETTERS + BLOCKS;
    block out = made(seed, tables_end + (ptrdiff_t)(scripts * sizeof(charlens_script) + 2 * slots + weights));
    const uint32_t counts[4] = {scripts, slots, weights, number(in) == 1};
    memcpy(out.at, counts, HEAD);
    memcpy(out.at + HEAD, real[LANGUAGES].at + HEAD, LETTERS + BLOCKS);
    for (uint32_t i = 0; i < scripts; i++) {
        const unsigned hostile = number(in);
        charlens_script script = {1 + number(in), number(in) & 1, 1 + number(in) % 40, number(in), i << bits, bits, 0, 0};
        script.rows = weights / script.classes;
        if (hostile > 200) ((uint32_t *)&script)[hostile & 7] ^= number(in) << (number(in) & 24);
        memcpy(out.at + tables_end + i * sizeof script, &script, sizeof script);
    }
    return out;
}

static void languages(block in) {
    const unsigned kind = number(&in);
    const ptrdiff_t most = number(&in);
    block own = kind & 1 ? made_languages(&in) : (block){NULL, 0}, tables_of = own.at ? own : real[LANGUAGES];
    block data = copy(in, in.length);
    charlens_language_model model;
    if (charlens_language_model_fits(tables_of.at, tables_of.length, &model)) {
        charlens_languages out;
        ptrdiff_t numbers[CHARLENS_MOST_NUMBERS];
        uint32_t classes = 0;
        memset(out.letters, 0, sizeof out.letters);
        memset(out.found, 0, sizeof out.found);
        for (unsigned i = 0; i < model.script_count; classes += model.scripts[i++].classes) out.offsets[i] = classes;
        out.totals = calloc(classes + 1, sizeof *out.totals);
        charlens_read_languages(data.at, data.length, &model, &out);
        const ptrdiff_t count = charlens_best_languages(&out, &model, most, numbers);
        REQUIRE(count >= 4 && count <= CHARLENS_MOST_NUMBERS && (count - 4) / 2 <= most);
        REQUIRE(numbers[1] <= numbers[2] && numbers[2] <= data.length);
        for (ptrdiff_t i = 6; i < count; i += 2) REQUIRE(numbers[i - 1] >= numbers[i + 1]);
        free(out.totals);
    } else {
        REQUIRE(own.at);
    }
    free(own.at), free(data.at);
}

static void excerpt(block in) {
    const ptrdiff_t windows = 1 + number(&in) % 64, size = 1 + number(&in) * 16, ahead = number(&in) * 16, back = number(&in);
    block data = copy(in, in.length), out = new_block(windows * (size + 1));
    const ptrdiff_t count = charlens_excerpt(data.at, data.length, windows, size, ahead, back, out.at);
    REQUIRE(count >= 0 && count <= out.length && count <= data.length + windows);
    free(data.at), free(out.at);
}

static void to_utf8(block in) {
    block characters = made(next(&in, 40), 512), data = copy(in, in.length), out = new_block(3 * data.length);
    const ptrdiff_t count = charlens_to_utf8(data.at, data.length, (const uint16_t *)characters.at, out.at);
    ptrdiff_t error, cut;
    REQUIRE(count >= 0 && count <= out.length);
    charlens_utf8(out.at, count, 0, &error, &cut);
    REQUIRE(error < 0 && cut == 0);
    free(characters.at), free(data.at), free(out.at);
}

static void line_windows(block in) {
    const ptrdiff_t size = 1 + number(&in) * 16;
    block data = copy(in, in.length);
    ptrdiff_t runs, out[6];
    const int count = charlens_line_windows(data.at, data.length, size, &runs, out);
    REQUIRE(count >= 0 && count <= 3 && runs >= 0 && runs <= 3 * size);
    for (int i = 0; i < 2 * count; i += 2) REQUIRE(out[i] >= 0 && out[i] < out[i + 1] && out[i + 1] <= data.length && out[i + 1] - out[i] <= size);
    free(data.at);
}

static void strip_markup(block in) {
    const int xml = number(&in) & 1;
    block data = copy(in, in.length), out = new_block(data.length);
    const ptrdiff_t count = charlens_strip_markup(data.at, data.length, xml, out.at);
    REQUIRE(count >= 0 && count <= data.length);
    free(data.at), free(out.at);
}

static void page_flavour(block in) {
    block data = copy(in, in.length);
    const int found = charlens_page_flavour(data.at, data.length);
    REQUIRE(found >= CHARLENS_NO_MARKUP && found <= CHARLENS_SCRIPTED);
    free(data.at);
}

static void find_label(block in) {
    block data = copy(in, in.length);
    const range_pair found = charlens_find_label(data.at, data.length);
    REQUIRE((found.start < 0 && found.end < 0) || (found.start <= found.end && found.end <= data.length));
    free(data.at);
}

static void mentions(block in) {
    const ptrdiff_t size = number(&in);
    block words = copy(next(&in, size), size), data = copy(in, in.length);
    charlens_word_index index;
    charlens_index_words(words.at, words.length, &index);
    charlens_mentions(data.at, data.length, &index);
    free(words.at), free(data.at);
}

static void find_charsets(block in) {
    const int raw = number(&in) & 1;
    block data = copy(in, in.length), out = new_block(3 * CHARLENS_MOST_CHARSETS * (ptrdiff_t)sizeof(ptrdiff_t));
    const ptrdiff_t *found = (const ptrdiff_t *)out.at;
    const ptrdiff_t count = charlens_find_charsets(data.at, data.length, raw, (ptrdiff_t *)out.at);
    REQUIRE(count >= 0 && count <= 3 * CHARLENS_MOST_CHARSETS && count % 3 == 0);
    for (ptrdiff_t i = 0; i < count; i += 3) {
        REQUIRE(found[i] < found[i + 1] && found[i + 1] <= found[i + 2] && found[i + 2] <= data.length);
        REQUIRE(!i || found[i - 3] < found[i]);
    }
    free(data.at), free(out.at);
}

/* ---- libFuzzer */

static const struct {
    const char *name;
    void (*run)(block);
} entries[] = {
    {"scan", scan},           {"scan_many", scan_many}, {"damage", damage},     {"walk", walk},
    {"walk_all", walk_all},   {"strays", strays},       {"tables", tables},
    {"judge", judge},         {"survey", survey},       {"same_reading", same_reading},
    {"find_values", find_values}, {"known_words", known_words},
    {"misread", misread},     {"weigh", weigh},         {"score", score},         {"compare", compare},     {"misfits", misfits},     {"candidates", candidates},       {"languages", languages},
    {"excerpt", excerpt},     {"line_windows", line_windows}, {"to_utf8", to_utf8},
    {"strip_markup", strip_markup}, {"page_flavour", page_flavour}, {"find_label", find_label},
    {"mentions", mentions},   {"find_charsets", find_charsets},
};
enum { ENTRIES = sizeof entries / sizeof *entries };
static void (*chosen)(block);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const char *entry = "", *folder = "";
    for (int i = 1; i < *count; i++) {
        if (strcmp((*arguments)[i], "--list") == 0) {
            for (int k = 0; k < ENTRIES; k++) puts(entries[k].name);
            exit(0);
        }
        if (strncmp((*arguments)[i], "--entry=", 8) == 0) entry = (*arguments)[i] + 8;
        if (strncmp((*arguments)[i], "--tables=", 9) == 0) folder = (*arguments)[i] + 9;
    }
    for (int k = 0; k < ENTRIES; k++)
        if (strcmp(entries[k].name, entry) == 0) chosen = entries[k].run;
    if (!chosen) {
        fprintf(stderr, "--entry=%s: no such entry; --list prints them\n", entry);
        exit(2);
    }
    for (int t = 0; t < TABLES; t++) real[t] = read_table(folder, table_names[t]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    chosen((block){(uint8_t *)data, (ptrdiff_t)size});
    return 0;
}
