/* Scan the bytes, and judge them at once if no stage before the structure can find anything in them: pure_survey.py
 * defines it. */
#include <string.h>

#include "kernel.h"

/* Whether the first line may be that of a mail: a name and a colon. */
static int may_be_header(const uint8_t *data, ptrdiff_t length) {
    ptrdiff_t at = 0;
    if (length >= 5 && memcmp(data, "From ", 5) == 0) return 1;
    while (at < length && at < 60 && data[at] > ' ' && data[at] < 0x7F && data[at] != ':') at++;
    return at < length && data[at] == ':';
}

static int may_be_wide(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length) {
    const charlens_survey_rules *rules = &survey->rules;
    charlens_weigh out;
    if (length < rules->nulless_least || length >= rules->nulless_most) return 0;
    for (int big = 0; big < 2; big++) {
        charlens_weigh_units(data, length, 2, big, survey->characters, &out);
        if (out.characters >= 2 && out.weight >= (int64_t)rules->least_weight * out.characters) return 1;
    }
    return 0;
}

static int may_be_damaged(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length,
                          const charlens_scan *scan) {
    const charlens_survey_rules *rules = &survey->rules;
    const ptrdiff_t continuations = scan->non_ascii - scan->leads, ratio = rules->good_per_bad;
    charlens_damage damage = {0};
    ptrdiff_t none;
    if (length < rules->least_faulty || continuations < 2 || (1 + ratio) * continuations < ratio * (scan->leads - 1))
        return 0;
    for (ptrdiff_t i = 0; i < scan->error; i++) damage.sequences += data[i] >= 0xC0;
    charlens_find_damage(data, length, scan->error, ratio, ratio * rules->patience, 0, &none, &damage);
    return damage.stopped < 0 && damage.sequences >= 2 && damage.sequences >= ratio * damage.bad;
}

/* How many values two sets of byte values have in common. */
static int count_of(const uint8_t *set, const uint8_t *other) {
    int count = 0;
    for (int i = 0; i < 32; i += 8) count += charlens_count(charlens_word(set + i) & charlens_word(other + i));
    return count;
}

/* Whether a page of Windows lacks only a few of the bytes, and no doubtful encoding reads the others as it does: then
 * these are stray, unless an East Asian encoding decodes many bytes. */
static int lacks_few(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                     const uint8_t *seen, const uint8_t *able, const uint8_t *doubtful) {
    const charlens_survey_rules *rules = &survey->rules;
    static const uint8_t none[4];
    const int controls = memcmp(seen + 16, none, 4) != 0;
    const ptrdiff_t least = controls ? rules->least_bytes : rules->least_without_c1,
                    apart = controls ? rules->apart : rules->apart_without_c1;
    ptrdiff_t places[CHARLENS_MOST_UNDEFINED], most = 1 + scan->non_ascii / apart;
    if (scan->non_ascii < least) return 0;
    for (int i = 0; scan->non_ascii >= rules->least_wide && i < survey->tolerant_count; i++)
        if (charlens_meets(able, survey->relatives + 16 * i, 16)) return 0;
    if (most > rules->most_undefined) most = rules->most_undefined;
    for (int page = 0; page < survey->page_count; page++) {
        const uint8_t *undefined = survey->lacking + 32 * page;
        uint8_t lacking[32], others[32], same[16];
        if (charlens_has(able, survey->pages[page]) || count_of(undefined, seen) > rules->most_values) continue;
        for (int i = 0; i < 32; i++) {
            lacking[i] = undefined[i] & seen[i];
            others[i] = seen[i] & (uint8_t)~lacking[i];
        }
        if (!charlens_find_values(data, length, lacking, most, places)) continue;
        memcpy(same, doubtful, 16);
        charlens_same_reading(others, survey->pages[page], survey->judge->meanings, survey->judge->relatives,
                              survey->judge->identity, same);
        if (!charlens_meets(same, doubtful, 16)) return 1;
    }
    return 0;
}

/* Whether a multi-byte encoding, no relative of which decodes everything, decodes all but a few late bytes. */
static int may_have_strays(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length,
                           const charlens_scan *scan, const uint8_t *able, const ptrdiff_t *walked) {
    const charlens_survey_rules *rules = &survey->rules;
    ptrdiff_t places[CHARLENS_MOST_SURVEYED_STRAYS + 1], most = scan->non_ascii / rules->bytes_per_fault;
    if (scan->non_ascii < rules->forgiven_from) return 0;
    if (most < 1) most = 1;
    for (int i = 0; i < survey->tolerant_count; i++) {
        const ptrdiff_t error = walked[2 * survey->tolerant[i]];
        if (error < scan->error + rules->first_forgiven || charlens_meets(able, survey->relatives + 16 * i, 16)) continue;
        const charlens_table *table = &survey->structure->tables[survey->tolerant[i]];
        if (most > CHARLENS_MOST_SURVEYED_STRAYS ||
            charlens_find_strays(data, length, table, error, most, rules->bytes_per_fault, places))
            return 1;
    }
    return 0;
}

/* Whether the values, or the spaces, leave EBCDIC possible.  The limits are one value and one space wider than those of
 * the stage, so that the stage decides in doubt. */
static int may_be_ebcdic(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length, const uint8_t *seen) {
    const charlens_survey_rules *rules = &survey->rules;
    const int has_space = charlens_has(seen, CHARLENS_EBCDIC_SPACE);
    if (length < rules->ebcdic_from || (!has_space && charlens_meets(seen, survey->gaps, 32))) return 0;
    if (100 * (ptrdiff_t)(count_of(seen, survey->uncommon) - 2) <= rules->ebcdic_others * length) return 1;
    if (!has_space || length > rules->ebcdic_sample) return has_space;
    ptrdiff_t spaces = 1;
    for (ptrdiff_t i = 0; i < length; i++) spaces += data[i] == CHARLENS_EBCDIC_SPACE;
    return 100 * spaces >= rules->ebcdic_spaces * length;
}

int charlens_is_quiet(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length, const charlens_scan *scan) {
    uint8_t seen[32];
    charlens_values_of(scan, seen);
    if (length < 2 || charlens_meets(seen, survey->watched, 32) ||
        (length >= survey->rules.least_base64 && !charlens_meets(seen, survey->not_base64, 32)))
        return 0;
    const unsigned opening = (unsigned)data[0] << 8 | data[1];
    return !(survey->openings[opening >> 3] >> (opening & 7) & 1) && !may_be_header(data, length) &&
           !charlens_mentions(data, length < survey->rules.look ? length : survey->rules.look, &survey->words);
}

/* Whether a stage before the structure may find something in legacy text that is quiet. */
static int is_unusual(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                      const uint8_t *seen) {
    return charlens_meets(seen, survey->unusual, 32) ||
           count_of(seen, survey->together) == count_of(survey->together, survey->together) ||
           may_be_ebcdic(survey, data, length, seen) || may_be_wide(survey, data, length) ||
           may_be_damaged(survey, data, length, scan);
}

int charlens_survey_text(const charlens_survey *survey, const uint8_t *data, ptrdiff_t length,
                         const charlens_scan *scan, int how, charlens_nudge *nudges, ptrdiff_t nudge_count, char *block,
                         charlens_surveyed *out) {
    charlens_facts facts = {.beyond_ascii = scan->non_ascii};
    charlens_values_of(scan, facts.seen);
    if (scan->error < 0 || is_unusual(survey, data, length, scan, facts.seen)) return 0;
    uint8_t *able = facts.sets, *doubtful = facts.sets + 16;
    charlens_candidates(data, length, facts.seen, survey->structure, able, doubtful, out->cut, out->walked);
    for (int i = 0; i < 16 && length >= survey->rules.ebcdic_from && !(how & CHARLENS_SURVEY_EBCDIC); i++) {
        able[i] &= survey->not_ebcdic[i];
        doubtful[i] &= survey->not_ebcdic[i];
    }
    for (int i = 0; i < 16; i++) doubtful[i] |= out->cut[i];
    if (lacks_few(survey, data, length, scan, facts.seen, able, doubtful) ||
        may_have_strays(survey, data, length, scan, able, out->walked))
        return 0;
    memcpy(out->sets, facts.sets, sizeof out->sets);
    out->is_judged = how & CHARLENS_SURVEY_JUDGES && !charlens_meets(facts.seen, survey->evidence, 32);
    if (out->is_judged)
        charlens_judge_legacy(survey->judge, data, length, &facts, nudges, nudge_count, NULL, 0, block, &out->judged);
    return 1;
}
