/* Parses edges.def's lists and results. See edges.h. */
#include "edges.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PI           3.141592653589793238462643383279502884L

const struct edge_row edge_rows[] = {
#define EDGE(function, x, y, result)            {function, x, y, result, NULL},
#define EDGE_MORE(function, x, y, result, more) {function, x, y, result, more},
#include "edges.def"
};
const size_t edge_row_count = COUNT(edge_rows);

/* ---- numbers of a type ---- */

struct format {
    uint32_t bytes, fraction, bias; /* bits of the fraction */
};

static const struct format formats[] = {
    [EDGE_HALF] = {2, 10, 15}, [EDGE_FLOAT] = {4, 23, 127}, [EDGE_DOUBLE] = {8, 52, 1023}};

uint32_t edge_bytes(enum edge_type type)
{
    return formats[type].bytes;
}

static uint64_t sign_of(enum edge_type type)
{
    return UINT64_C(1) << (8 * formats[type].bytes - 1);
}

static uint64_t infinity_of(enum edge_type type)
{
    const struct format *format = &formats[type];
    return (uint64_t)(2 * format->bias + 1) << format->fraction;
}

static bool is_nan(enum edge_type type, uint64_t bits)
{
    return (bits & ~sign_of(type)) > infinity_of(type);
}

/* The nearest number of a type; ties go to even. */
static uint64_t encode(enum edge_type type, long double value)
{
    const struct format *format = &formats[type];
    int exponent, least = 1 - (int)format->bias;
    uint64_t sign = signbit(value) ? sign_of(type) : 0;
    if (isnan(value)) {
        return infinity_of(type) | UINT64_C(1) << (format->fraction - 1);
    }
    if (isinf(value) || value == 0) {
        return sign | (isinf(value) ? infinity_of(type) : 0);
    }
    (void)frexpl(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    long double units = rintl(ldexpl(fabsl(value), (int)format->fraction - exponent));
    uint64_t bits = ((uint64_t)(exponent - least) << format->fraction) + (uint64_t)units;
    return sign | (bits > infinity_of(type) ? infinity_of(type) : bits);
}

double edge_value(enum edge_type type, uint64_t bits)
{
    const struct format *format = &formats[type];
    uint64_t fraction = bits & ((UINT64_C(1) << format->fraction) - 1);
    uint64_t exponent = (bits & ~sign_of(type)) >> format->fraction;
    double value = exponent == 2 * format->bias + 1 ? fraction ? (double)NAN : (double)INFINITY
                   : exponent == 0
                       ? ldexp((double)fraction, 1 - (int)format->bias - (int)format->fraction)
                       : ldexp((double)(fraction | UINT64_C(1) << format->fraction),
                               (int)exponent - (int)format->bias - (int)format->fraction);
    return bits & sign_of(type) ? -value : value;
}

/* ---- words ---- */

/* A word of one number, without a sign before it. */
static bool word_number(enum edge_type type, const char *word, uint64_t *bits)
{
    const struct format *format = &formats[type];
    long double one = 1, digits = ldexpl(one, (int)format->fraction + 1);
    char *end;
    if (strcmp(word, "min") == 0) {
        *bits = 1;
    } else if (strcmp(word, "norm") == 0) {
        *bits = UINT64_C(1) << format->fraction;
    } else if (strcmp(word, "max") == 0) {
        *bits = infinity_of(type) - 1;
    } else if (strcmp(word, "odd") == 0) {
        *bits = encode(type, digits - 1);
    } else if (strcmp(word, "half") == 0) {
        *bits = encode(type, digits / 4 - 0.5L);
    } else if (strcmp(word, "below1") == 0) {
        *bits = encode(type, 1) - 1;
    } else if (strcmp(word, "below1/2") == 0) {
        *bits = encode(type, 0.5L) - 1;
    } else {
        *bits = encode(type, strtold(word, &end));
        return *end == 0;
    }
    return true;
}

/* What a word of several numbers stands for. */
static const struct {
    const char *word, *list;
} groups[] = {
    {"pos", "min norm 0.25 0.5 0.75 1 1.5 2 3 7 max"},
    {"neg", "-min -norm -0.25 -0.5 -0.75 -1 -1.5 -2 -3 -7 -max"},
    {"fin", "0 -0 pos neg"},
    {"any", "fin inf -inf nan"},
    {"in", "min norm 0.25 0.5 0.75 -min -norm -0.25 -0.5 -0.75"},
    {"above", "1.5 2 3 max"},
    {"below", "-1.5 -2 -3 -max"},
};

static void list_add(enum edge_type type, const char *list, bool integers,
                     uint64_t bits[EDGE_LIST_LIMIT], uint32_t *count)
{
    char text[256];
    snprintf(text, sizeof(text), "%s", list);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *group = NULL;
        for (size_t i = 0; i < COUNT(groups); i++) {
            group = strcmp(word, groups[i].word) == 0 ? groups[i].list : group;
        }
        if (group) {
            list_add(type, group, integers, bits, count);
            continue;
        }
        assert_true(*count < EDGE_LIST_LIMIT);
        bool minus = *word == '-';
        if (integers) {
            bits[*count] = (uint32_t)strtol(word, NULL, 10);
        } else if (word_number(type, word + minus, &bits[*count])) {
            bits[*count] ^= minus ? sign_of(type) : 0;
        } else {
            fail_msg("edges.def: \"%s\" is no word", word);
        }
        (*count)++;
    }
}

uint32_t edge_list(enum edge_type type, const char *list, bool integers,
                   uint64_t bits[EDGE_LIST_LIMIT])
{
    uint32_t count = 0;
    list_add(type, list, integers, bits, &count);
    return count;
}

/* ---- results ---- */

/* A multiple of pi: within a unit of the last place. */
static bool pi_fits(enum edge_type type, const char *result, uint64_t sign, uint64_t bits)
{
    long double value = strcmp(result, "pi") == 0      ? PI
                        : strcmp(result, "pi/2") == 0  ? PI / 2
                        : strcmp(result, "3pi/4") == 0 ? 3 * PI / 4
                                                       : PI / 4;
    int64_t distance = (int64_t)(bits - (encode(type, value) | sign));
    return distance >= -1 && distance <= 1;
}

bool edge_fits(enum edge_type type, const char *result, bool integer, uint64_t x, uint64_t y,
               uint64_t bits)
{
    const char *all = result;
    uint64_t wanted, sign = 0;
    if (integer) {
        return (uint32_t)bits == (uint32_t)strtol(result, NULL, 10);
    }
    if (strcmp(result, "nan") == 0) { /* a quiet one */
        return is_nan(type, bits) && bits >> (formats[type].fraction - 1) & 1;
    }
    if (*result == '~' || *result == '-') {
        sign = *result == '-' ? sign_of(type) : x & sign_of(type);
        result++;
    }
    if (strstr(result, "pi")) {
        return pi_fits(type, result, sign, bits);
    }
    if (strcmp(result, "x") == 0 || strcmp(result, "y") == 0) {
        wanted = *result == 'x' ? x : y;
    } else if (strcmp(result, "|x|") == 0 || strcmp(result, "|y|") == 0) {
        wanted = (result[1] == 'x' ? x : y) & ~sign_of(type);
    } else if (strcmp(result, "even") == 0) {
        wanted = encode(type, rint(edge_value(type, x)));
    } else if (!word_number(type, result, &wanted)) {
        fail_msg("edges.def: \"%s\" is no result", all);
    }
    return bits == (wanted | sign);
}
