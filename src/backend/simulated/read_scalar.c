/* Reads numbers, words and texts. See read.h. */
#include "backend/simulated/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

/* Reads a number that depends on the device: {"index": factor, "plus": summand}. */
static bool indexed_read(struct sim_reader *reader, const struct sim_json *json, double *out)
{
    double factor = 0, summand = 0;
    for (const struct sim_json *member = json->first; member; member = member->next) {
        const bool is_factor = strcmp(member->key, "index") == 0;
        if ((!is_factor && strcmp(member->key, "plus") != 0) || member->kind != GEO_JSON_NUMBER) {
            return sim_wrong(reader, "a number by device is {\"index\": NUMBER, \"plus\": NUMBER}");
        }
        *(is_factor ? &factor : &summand) = member->number;
    }
    *out = factor * reader->index + summand;
    return isfinite(*out) || sim_wrong(reader, "a number that is too large");
}

static bool word_read(struct sim_reader *reader, const struct sim_json *json, const char *words,
                      double *out)
{
    return (sim_read_kind(reader, json, GEO_JSON_STRING) &&
            sim_word_find(words, json->text, out)) ||
           sim_wrong(reader, "unknown word \"%.60s\"", json->text ? json->text : "");
}

/* Reads one word, or an array of words. */
static bool words_read(struct sim_reader *reader, const struct sim_json *json, const char *words,
                       double *out)
{
    uint32_t bits = 0;
    double value;
    if (json->kind == GEO_JSON_STRING) {
        return word_read(reader, json, words, out);
    }
    if (!sim_read_kind(reader, json, GEO_JSON_ARRAY)) {
        return false;
    }
    for (const struct sim_json *element = json->first; element; element = element->next) {
        if (!word_read(reader, element, words, &value)) {
            return false;
        }
        bits |= (uint32_t)value;
    }
    *out = bits;
    return true;
}

bool sim_read_number(struct sim_reader *reader, const struct sim_json *json, const char *words,
                     double min, double max, double *out)
{
    if (words) {
        return words_read(reader, json, words, out);
    }
    if (json->kind == GEO_JSON_OBJECT) {
        if (!indexed_read(reader, json, out)) {
            return false;
        }
    } else if (!sim_read_kind(reader, json, GEO_JSON_NUMBER)) {
        return false;
    } else {
        *out = json->number;
    }
    if ((min != 0 || max != 0) && !(*out >= min && *out <= max)) {
        return sim_wrong(reader, "%.10g is not from %.10g to %.10g", *out, min, max);
    }
    return true;
}

/* Returns the range of a type. 64-bit types are limited to the integers that a JSON number
 * represents exactly. */
static void type_bounds(enum sim_key_type type, double *min, double *max)
{
    *min = type == SIM_I32 ? INT32_MIN : type == SIM_I64 ? -0x1p53 : 0;
    *max = type == SIM_I32   ? INT32_MAX
           : type == SIM_U32 ? UINT32_MAX
           : type == SIM_U8  ? UINT8_MAX
                             : 0x1p53;
}

static bool integer_read(struct sim_reader *reader, const struct sim_json *json,
                         const struct sim_key *key, void *at)
{
    double min, max, number = 0;
    type_bounds(key->type, &min, &max);
    if (key->min != 0 || key->max != 0) {
        min = key->min;
        max = key->max;
    }
    if (!sim_read_number(reader, json, NULL, min, max, &number)) {
        return false;
    }
    if (number != floor(number)) {
        return sim_wrong(reader, "%.10g is not an integer", number);
    }
    switch (key->type) {
    case SIM_I32:
        *(int32_t *)at = (int32_t)number;
        break;
    case SIM_U32:
        *(uint32_t *)at = (uint32_t)number;
        break;
    case SIM_U8:
        *(uint8_t *)at = (uint8_t)number;
        break;
    case SIM_I64:
        *(int64_t *)at = (int64_t)number;
        break;
    default:
        *(uint64_t *)at = (uint64_t)number;
        break;
    }
    return true;
}

/* ---- words, texts ---- */

static bool word_key_read(struct sim_reader *reader, const struct sim_json *json,
                          const struct sim_key *key, void *at)
{
    double value = 0;
    uint32_t bits = 0;
    if (key->type == SIM_WORD    ? !word_read(reader, json, key->words, &value)
        : key->type == SIM_WORDS ? !words_read(reader, json, key->words, &value)
                                 : !sim_read_kind(reader, json, GEO_JSON_ARRAY)) {
        return false;
    }
    if (key->type != SIM_CHOICE) {
        *(uint32_t *)at = (uint32_t)value;
        return true;
    }
    for (const struct sim_json *element = json->first; element; element = element->next) {
        if (!word_read(reader, element, key->words, &value)) {
            return false;
        }
        bits |= 1u << ((uint32_t)value & 31);
    }
    *(uint32_t *)at = bits;
    return true;
}

const char *sim_read_text(struct sim_reader *reader, const char *text)
{
    static const char mark[] = "{index}";
    char number[16];
    const size_t digits = (size_t)snprintf(number, sizeof(number), "%u", reader->index);
    /* "{index}" is never shorter than the number. */
    char *out = geo_arena_alloc(reader->arena, strlen(text) * 2 + 1);
    char *end = out;
    if (!out) {
        sim_no_memory(reader);
        return NULL;
    }
    while (*text) {
        if (strncmp(text, mark, sizeof(mark) - 1) == 0) {
            memcpy(end, number, digits);
            end += digits;
            text += sizeof(mark) - 1;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return out;
}

static bool text_read(struct sim_reader *reader, const struct sim_json *json,
                      const struct sim_key *key, void *at)
{
    if (!sim_read_kind(reader, json, GEO_JSON_STRING)) {
        return false;
    }
    const char *text = sim_read_text(reader, json->text);
    if (!text) {
        return false;
    }
    const size_t most = key->type == SIM_CHARS ? key->size - 1 : 255;
    if (strlen(text) > most) {
        return sim_wrong(reader, "a text of more than %zu bytes", most);
    }
    if (key->type == SIM_TEXT) {
        *(const char **)at = text;
    } else {
        memcpy(at, text, strlen(text) + 1);
    }
    return true;
}

bool sim_read_scalar(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, void *at)
{
    double number = 0;
    switch (key->type) {
    case SIM_BOOL:
    case SIM_FLAG:
        if (!sim_read_kind(reader, json, GEO_JSON_BOOL)) {
            return false;
        }
        if (key->type == SIM_BOOL) {
            *(ze_bool_t *)at = json->number != 0;
        } else {
            *(bool *)at = json->number != 0;
        }
        return true;
    case SIM_REAL:
        if (!sim_read_number(reader, json, NULL, key->min, key->max, &number)) {
            return false;
        }
        *(double *)at = number;
        return true;
    case SIM_WORD:
    case SIM_WORDS:
    case SIM_CHOICE:
        return word_key_read(reader, json, key, at);
    case SIM_CHARS:
    case SIM_TEXT:
        return text_read(reader, json, key, at);
    case SIM_JSON:
        *(const struct sim_json **)at = json;
        return true;
    default:
        return integer_read(reader, json, key, at);
    }
}
