/* printf's formatter against the C library's: many random directives and values, and formats that
 * nobody should write. */
#include "base/cl_printf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT GEO_CL_PRINTF_BYTES

/* ---- the formatter under test ---- */

static bool string_add(void *data, uint64_t address, size_t limit, struct geo_strbuf *out)
{
    const char *text = (const char *)(uintptr_t)address;
    (void)data;
    if (address == 1) {
        return false; /* an address that cannot be read */
    }
    geo_strbuf_add(out, text, strnlen(text, limit));
    return true;
}

struct sample {
    struct geo_cl_type types[8];
    uint64_t values[64];
    uint32_t count, value_count;
};

static void sample_add(struct sample *sample, enum geo_cl_kind kind, uint32_t bytes,
                       uint32_t components, const uint64_t *values)
{
    sample->types[sample->count++] = (struct geo_cl_type){
        .kind = (uint8_t)kind, .bytes = (uint8_t)bytes, .components = (uint8_t)components};
    memcpy(sample->values + sample->value_count, values, components * sizeof(*values));
    sample->value_count += components;
}

static enum geo_cl_result sample_print(const struct sample *sample, const char *format,
                                       size_t length, struct geo_strbuf *out)
{
    const struct geo_cl_arguments arguments = {.types = sample->types,
                                               .count = sample->count,
                                               .values = sample->values,
                                               .string = string_add};
    /* an exact copy, so that reading past its end is noticed */
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, format, length);
    geo_strbuf_init(out, LIMIT);
    enum geo_cl_result result = geo_cl_printf(out, copy, length, &arguments);
    free(copy);
    return result;
}

static void expect(const struct sample *sample, const char *format, enum geo_cl_result result,
                   const char *text, size_t length)
{
    struct geo_strbuf out;
    enum geo_cl_result got = sample_print(sample, format, strlen(format), &out);
    if (got != result || out.length != length || memcmp(geo_strbuf_text(&out), text, length) != 0) {
        fail_msg("\"%s\": %d \"%s\", not %d \"%s\"", format, got, geo_strbuf_text(&out), result,
                 text);
    }
    geo_strbuf_finish(&out);
}

static void expect_text(const struct sample *sample, const char *format, enum geo_cl_result result,
                        const char *text)
{
    expect(sample, format, result, text, strlen(text));
}

/* ---- random directives ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((random_bits() >> 32) % limit);
}

/* Flags, width and precision, as C has them too. */
static void random_prefix(char *text)
{
    char *at = text;
    *at++ = '%';
    for (uint32_t i = random_below(4); i > 0; i--) {
        *at++ = "-+ #0"[random_below(5)];
    }
    if (random_below(2)) {
        at += sprintf(at, "%u", 1 + random_below(random_below(8) ? 30 : 300));
    }
    if (random_below(2)) {
        at += sprintf(at, random_below(8) ? ".%u" : ".", random_below(random_below(8) ? 20 : 300));
    }
    *at = '\0';
}

static uint64_t random_integer(void)
{
    static const uint64_t edges[] = {0,          1,         UINT64_MAX, INT64_MAX,
                                     1ull << 63, INT32_MAX, UINT32_MAX, 0x8000,
                                     0x80,       0x7f,      0xff,       0xffff};
    return random_below(3) ? random_bits() >> random_below(64)
                           : edges[random_below(sizeof(edges) / sizeof(edges[0]))];
}

static double random_double(void)
{
    static const double edges[] = {0.0,    -0.0,      1.0,        0.5,  1e300,
                                   1e-300, 0x1p-1074, 123456.789, 9.995};
    switch (random_below(6)) {
    case 0:
        return edges[random_below(sizeof(edges) / sizeof(edges[0]))];
    case 1:
        return random_below(2) ? (double)INFINITY : -(double)INFINITY;
    case 2:
        return (double)NAN;
    case 3: {
        uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    default:
        return ((double)random_bits() - 0x1p63) / (double)(1ull << random_below(64));
    }
}

struct modifier {
    const char *cl, *c; /* as OpenCL C and as C write it */
    uint32_t bytes;
};

static void check_integer(const char *prefix)
{
    static const struct modifier modifiers[] = {
        {"hh", "hh", 1}, {"h", "h", 2}, {"", "", 4}, {"l", "ll", 8}};
    const struct modifier *modifier = &modifiers[random_below(4)];
    char conversion = "diouxX"[random_below(6)], format[64], c_format[64], text[2048];
    uint64_t value = random_integer();
    struct sample sample = {0};
    /* narrow integers arrive as int, or as they are */
    uint32_t bytes = modifier->bytes < 4 && random_below(2) ? 4 : modifier->bytes;
    uint64_t held = bytes < 8 ? value & ((1ull << (8 * bytes)) - 1) : value;
    sample_add(&sample, GEO_CL_INTEGER, bytes, 1, &held);
    snprintf(format, sizeof(format), "<%s%s%c>", prefix, modifier->cl, conversion);
    snprintf(c_format, sizeof(c_format), "<%s%s%c>", prefix, modifier->c, conversion);
    if (modifier->bytes == 8) {
        snprintf(text, sizeof(text), c_format, (long long)value);
    } else {
        snprintf(text, sizeof(text), c_format, (int)(uint32_t)value);
    }
    expect_text(&sample, format, GEO_CL_DONE, text);
}

static uint64_t float_bits(double value, uint32_t bytes)
{
    uint64_t bits = 0;
    if (bytes == 8) {
        memcpy(&bits, &value, sizeof(value));
    } else {
        float narrow = (float)value;
        memcpy(&bits, &narrow, sizeof(narrow));
    }
    return bits;
}

static double float_value(double value, uint32_t bytes)
{
    return bytes == 8 ? value : (double)(float)value;
}

static void check_float(const char *prefix)
{
    char format[64], text[2048];
    uint32_t bytes = random_below(2) ? 8 : 4;
    double value = random_double();
    uint64_t bits = float_bits(value, bytes);
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_FLOAT, bytes, 1, &bits);
    snprintf(format, sizeof(format), "<%s%s%c>", prefix, random_below(2) ? "l" : "",
             "fFeEgGaA"[random_below(8)]);
    snprintf(text, sizeof(text), format, float_value(value, bytes));
    expect_text(&sample, format, GEO_CL_DONE, text);
}

static void check_vector(const char *prefix)
{
    static const struct modifier modifiers[] = {
        {"hh", "hh", 1}, {"h", "h", 2}, {"hl", "", 4}, {"l", "ll", 8}};
    static const uint32_t counts[] = {2, 3, 4, 8, 16};
    uint32_t count = counts[random_below(5)];
    const struct modifier *modifier = &modifiers[random_below(4)];
    bool is_float = modifier->bytes >= 4 && random_below(2);
    char conversion = is_float ? "fFeEgGaA"[random_below(8)] : "diouxX"[random_below(6)];
    char format[64], c_format[64], text[16 * 1024];
    uint64_t values[16];
    size_t at = 0;
    snprintf(format, sizeof(format), "%sv%u%s%c\n", prefix, count, modifier->cl, conversion);
    snprintf(c_format, sizeof(c_format), "%s%s%c", prefix, is_float ? "" : modifier->c, conversion);
    for (uint32_t i = 0; i < count; i++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", i ? "," : "");
        if (is_float) {
            double value = random_double();
            values[i] = float_bits(value, modifier->bytes);
            at += (size_t)snprintf(text + at, sizeof(text) - at, c_format,
                                   float_value(value, modifier->bytes));
        } else {
            uint32_t bits = 8 * modifier->bytes;
            values[i] = random_integer() & (bits < 64 ? (1ull << bits) - 1 : ~0ull);
            at += (size_t)(bits == 64 ? snprintf(text + at, sizeof(text) - at, c_format,
                                                 (long long)values[i])
                                      : snprintf(text + at, sizeof(text) - at, c_format,
                                                 (int)(uint32_t)values[i]));
        }
    }
    snprintf(text + at, sizeof(text) - at, "\n");
    struct sample sample = {0};
    sample_add(&sample, is_float ? GEO_CL_FLOAT : GEO_CL_INTEGER, modifier->bytes, count, values);
    expect_text(&sample, format, GEO_CL_DONE, text);
}

static void check_text(const char *prefix)
{
    static const char *const words[] = {"", "a", "some words", "a rather long text, %d of it"};
    char format[64], text[2048];
    const char *word = words[random_below(4)];
    uint64_t value = (uint64_t)(uintptr_t)word;
    struct sample sample = {0};
    int length;
    /* '0' and the rest mean nothing here, and C libraries differ */
    const char *rest = prefix + strspn(prefix, "%-+ #0");
    const char *left = strchr(prefix, '-') && strchr(prefix, '-') < rest ? "-" : "";
    if (random_below(2)) {
        sample_add(&sample, GEO_CL_POINTER, 8, 1, &value);
        snprintf(format, sizeof(format), "%%%s%ss", left, rest);
        length = snprintf(text, sizeof(text), format, word);
    } else {
        value = random_below(256);
        sample_add(&sample, GEO_CL_INTEGER, 4, 1, &value);
        snprintf(format, sizeof(format), "%%%s%sc", left, rest);
        length = snprintf(text, sizeof(text), format, (int)value);
    }
    expect(&sample, format, GEO_CL_DONE, text, (size_t)length);
}

static void directives_agree_with_the_c_library(void **state)
{
    (void)state;
    void (*const checks[])(const char *prefix) = {check_integer, check_float, check_vector,
                                                  check_text};
    random_state = 88172645463325252ull;
    for (uint32_t i = 0; i < 200000; i++) {
        char prefix[32];
        random_prefix(prefix);
        checks[i % 4](prefix);
    }
}

/* ---- by hand ---- */

static void halves_print_their_value(void **state)
{
    (void)state;
    static const struct {
        uint64_t bits;
        const char *text;
    } halves[] = {{0x0000, "0"},           {0x8000, "-0"},          {0x3c00, "1"},
                  {0xc500, "-5"},          {0x7bff, "65504"},       {0x0001, "5.96046e-08"},
                  {0x03ff, "6.09756e-05"}, {0x0400, "6.10352e-05"}, {0x7c00, "inf"},
                  {0xfc00, "-inf"},        {0x7e00, "nan"}};
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
        struct sample sample = {0};
        sample_add(&sample, GEO_CL_FLOAT, 2, 1, &halves[i].bits);
        expect_text(&sample, "%g", GEO_CL_DONE, halves[i].text);
    }
    struct sample vector = {0};
    sample_add(&vector, GEO_CL_FLOAT, 2, 2, (const uint64_t[]){0x3c00, 0xb800});
    expect_text(&vector, "%v2hf", GEO_CL_DONE, "1.000000,-0.500000");
}

static void several_arguments_go_in_order(void **state)
{
    (void)state;
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){7});
    sample_add(
        &sample, GEO_CL_FLOAT, 4, 4,
        (const uint64_t[]){float_bits(1, 4), float_bits(2, 4), float_bits(3, 4), float_bits(4, 4)});
    sample_add(&sample, GEO_CL_POINTER, 8, 1, (const uint64_t[]){(uint64_t)(uintptr_t)"word"});
    sample_add(&sample, GEO_CL_INTEGER, 8, 1, (const uint64_t[]){1ull << 40});
    expect_text(&sample, "%d %% %v4hlg [%6s] %ld\n", GEO_CL_DONE,
                "7 % 1,2,3,4 [  word] 1099511627776\n");
    expect_text(&sample, "none\n", GEO_CL_DONE, "none\n");
}

static void widths_of_integers_are_the_directives(void **state)
{
    (void)state;
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_INTEGER, 8, 1, (const uint64_t[]){0x1fffffffeull});
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){0xfffffffe});
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){0xfffffffe});
    expect_text(&sample, "%d %ld %lu", GEO_CL_DONE, "-2 -2 4294967294");
    expect_text(&sample, "%lld %zd %ju", GEO_CL_DONE, "8589934590 -2 4294967294");
    struct sample vector = {0};
    sample_add(&vector, GEO_CL_INTEGER, 2, 2, (const uint64_t[]){0xffff, 5});
    expect_text(&vector, "%v2d", GEO_CL_DONE, "-1,5");
    expect_text(&vector, "%v2hhx", GEO_CL_DONE, "ff,5");
}

static void pointers_print_like_the_c_librarys(void **state)
{
    (void)state;
    struct sample sample = {0};
    char text[64];
    sample_add(&sample, GEO_CL_POINTER, 8, 1, (const uint64_t[]){0x1234abcd});
    snprintf(text, sizeof(text), "%p", (void *)0x1234abcd);
    expect_text(&sample, "%p", GEO_CL_DONE, text);
    expect_text(&sample, "%lx", GEO_CL_DONE, "1234abcd");
}

static void strings_that_are_not_there_say_so(void **state)
{
    (void)state;
    struct sample null = {0}, invalid = {0};
    sample_add(&null, GEO_CL_POINTER, 8, 1, (const uint64_t[]){0});
    sample_add(&invalid, GEO_CL_POINTER, 8, 1, (const uint64_t[]){1});
    expect_text(&null, "[%s]", GEO_CL_DONE, "[(null)]");
    expect_text(&null, "[%8s]", GEO_CL_DONE, "[  (null)]");
    expect_text(&invalid, "[%s]", GEO_CL_DONE, "[(invalid)]");
    expect_text(&invalid, "[%-12.4s]", GEO_CL_DONE, "[(inv        ]");
}

static void what_does_not_fit_is_printed_as_it_stands(void **state)
{
    (void)state;
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_FLOAT, 8, 1, (const uint64_t[]){float_bits(1.5, 8)});
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){7});
    expect_text(&sample, "%d then %d\n", GEO_CL_MISFIT, "%d then 7\n");
    expect_text(&sample, "%s %f\n", GEO_CL_MISFIT, "%s %f\n");
    expect_text(&sample, "%v4hlf|%d|%d\n", GEO_CL_MISFIT, "%v4hlf|7|%d\n");
    expect_text(&sample, "%n%g\n", GEO_CL_MISFIT, "%n1.5\n");
    expect_text(&sample, "%*d %k %", GEO_CL_MISFIT, "%*d %k %");
    expect_text(&sample, "%5.", GEO_CL_MISFIT, "%5.");
    expect_text(&sample, "%v5d %-+08.3v16hl", GEO_CL_MISFIT, "%v5d %-+08.3v16hl");
    expect_text(&sample, "%ls", GEO_CL_MISFIT, "%ls");
}

static void a_text_too_long_is_refused(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "%1048577d",    "%99999999999999999999d", "%.1048577d",     "%.4294967297d",
        "%1048576d%1d", "%1048570d1234567",       "%-2147483648dx", "%0999999999.999999999d"};
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){7});
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){7});
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct geo_strbuf out;
        assert_int_equal(sample_print(&sample, formats[i], strlen(formats[i]), &out),
                         GEO_CL_TOO_LONG);
        assert_true(out.length <= LIMIT);
        geo_strbuf_finish(&out);
    }
    struct geo_strbuf out;
    assert_int_equal(sample_print(&sample, "%1048576d", 9, &out), GEO_CL_DONE);
    assert_int_equal(out.length, LIMIT);
    geo_strbuf_finish(&out);
}

/* Any bytes are a format: nothing is read or written outside. */
static void any_bytes_are_a_format(void **state)
{
    (void)state;
    static const char letters[] = "%%%%%%%v24816hlljztL0123456789.-+ #diouxXfFeEgGaAcspn*$'I\n";
    struct sample sample = {0};
    sample_add(&sample, GEO_CL_INTEGER, 4, 1, (const uint64_t[]){0xffffffff});
    sample_add(&sample, GEO_CL_FLOAT, 8, 1, (const uint64_t[]){float_bits(1e300, 8)});
    sample_add(&sample, GEO_CL_POINTER, 8, 1, (const uint64_t[]){0});
    sample_add(&sample, GEO_CL_INTEGER, 1, 3, (const uint64_t[]){1, 2, 255});
    sample_add(&sample, GEO_CL_POINTER, 8, 1, (const uint64_t[]){1});
    random_state = 1;
    for (uint32_t i = 0; i < 200000; i++) {
        char format[40];
        size_t length = random_below(sizeof(format));
        for (size_t at = 0; at < length; at++) {
            format[at] =
                random_below(16) ? letters[random_below(sizeof(letters))] : (char)random_below(256);
        }
        struct geo_strbuf out;
        sample_print(&sample, format, length, &out);
        assert_true(out.length <= LIMIT);
        geo_strbuf_finish(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives_agree_with_the_c_library),
        cmocka_unit_test(halves_print_their_value),
        cmocka_unit_test(several_arguments_go_in_order),
        cmocka_unit_test(widths_of_integers_are_the_directives),
        cmocka_unit_test(pointers_print_like_the_c_librarys),
        cmocka_unit_test(strings_that_are_not_there_say_so),
        cmocka_unit_test(what_does_not_fit_is_printed_as_it_stands),
        cmocka_unit_test(a_text_too_long_is_refused),
        cmocka_unit_test(any_bytes_are_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
