/* Formats OpenCL C's printf for the compiler's constants and for kernel output. See cl_printf.h. */
#include "base/cl_printf.h"

#include <stdio.h>
#include <string.h>

/* ---- directives ---- */

struct scanner {
    const char *at, *end;
};

static bool scan(struct scanner *scanner, const char *text)
{
    const char *at = scanner->at;
    for (; *text; text++, at++) {
        if (at == scanner->end || *at != *text) {
            return false;
        }
    }
    scanner->at = at;
    return true;
}

/* Reads decimal digits, if any. Numbers above GEO_CL_PRINTF_BYTES become GEO_CL_PRINTF_BYTES +
 * 1. */
static uint32_t scan_number(struct scanner *scanner)
{
    uint32_t number = 0;
    for (; scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9';
         scanner->at++) {
        number = number * 10 + (uint32_t)(*scanner->at - '0');
        number = number > GEO_CL_PRINTF_BYTES ? GEO_CL_PRINTF_BYTES + 1 : number;
    }
    return number;
}

static void scan_flags(struct scanner *scanner, char flags[6])
{
    size_t count = 0;
    for (; scanner->at < scanner->end && *scanner->at && strchr("-+ #0", *scanner->at);
         scanner->at++) {
        if (!memchr(flags, *scanner->at, count)) {
            flags[count++] = *scanner->at;
        }
    }
}

static uint32_t scan_components(struct scanner *scanner)
{
    static const struct {
        const char *text;
        uint32_t components;
    } vectors[] = {{"v16", 16}, {"v2", 2}, {"v3", 3}, {"v4", 4}, {"v8", 8}};
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        if (scan(scanner, vectors[i].text)) {
            return vectors[i].components;
        }
    }
    return 1;
}

/* Reads a length modifier and returns the width in bits, or 0. Also accepts modifiers of C that
 * OpenCL C lacks, because SYCL programs use them. All of these mean 64 bits. */
static uint32_t scan_bits(struct scanner *scanner)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } modifiers[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"ll", 64}, {"l", 64},
                     {"j", 64}, {"z", 64},  {"t", 64}, {"L", 64}};
    for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
        if (scan(scanner, modifiers[i].text)) {
            return modifiers[i].bits;
        }
    }
    return 0;
}

void geo_cl_directive_parse(const char *format, size_t length, struct geo_cl_directive *directive)
{
    struct scanner scanner = {format + 1, format + length};
    memset(directive, 0, sizeof(*directive));
    scan_flags(&scanner, directive->flags);
    directive->width = scan_number(&scanner);
    if (scan(&scanner, ".")) {
        directive->has_precision = true;
        directive->precision = scan_number(&scanner);
    }
    directive->components = scan_components(&scanner);
    directive->bits = scan_bits(&scanner);
    if (scanner.at < scanner.end && *scanner.at && strchr("diouxXfFeEgGaAcsp%", *scanner.at)) {
        directive->conversion = *scanner.at++;
    }
    directive->length = (size_t)(scanner.at - format);
}

static bool is_integer_conversion(char conversion)
{
    return strchr("diouxX", conversion) != NULL;
}

static bool is_float_conversion(char conversion)
{
    return strchr("fFeEgGaA", conversion) != NULL;
}

bool geo_cl_directive_fits(const struct geo_cl_directive *directive, const struct geo_cl_type *type)
{
    char conversion = directive->conversion;
    if (!conversion || type->components != directive->components) {
        return false;
    }
    if (is_float_conversion(conversion)) {
        return type->kind == GEO_CL_FLOAT;
    }
    if (is_integer_conversion(conversion)) {
        return type->kind == GEO_CL_INTEGER ||
               (type->kind == GEO_CL_POINTER && type->components == 1);
    }
    if (type->components != 1) {
        return false;
    }
    return conversion == 's'   ? type->kind == GEO_CL_POINTER
           : conversion == 'c' ? type->kind == GEO_CL_INTEGER
                               : type->kind != GEO_CL_FLOAT; /* p */
}

/* ---- values ---- */

static uint64_t bits_low(uint64_t value, uint32_t bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static int64_t bits_signed(uint64_t value, uint32_t bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static double value_of_half(uint64_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 0 ? (double)fraction * 0x1p-24
                       : exponent == 31
                           ? (fraction ? __builtin_nan("") : __builtin_inf())
                           : (double)(1024 + fraction) * 0x1p-25 * (double)(1u << exponent);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static double value_of_float(uint64_t bits, uint32_t bytes)
{
    if (bytes == 2) {
        return value_of_half(bits);
    }
    if (bytes == 4) {
        uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof(value));
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the integer converted to the directive's width, as 64 bits. A vector without a length
 * modifier keeps its own width. */
static uint64_t value_of_integer(const struct geo_cl_directive *directive,
                                 const struct geo_cl_type *type, uint64_t bits)
{
    bool is_signed = directive->conversion == 'd' || directive->conversion == 'i';
    uint32_t from = type->bytes * 8u;
    uint32_t to = directive->bits ? directive->bits : directive->components > 1 ? from : 32;
    bits = bits_low(bits, from);
    if (is_signed) {
        return (uint64_t)bits_signed((uint64_t)bits_signed(bits, from), to);
    }
    return bits_low(bits, to);
}

/* ---- text ---- */

/* Prints one number with the C library, using a conversion string built here. */
static void text_add(struct geo_strbuf *out, const char *conversion, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, conversion);
    int length = vsnprintf(text, sizeof(text), conversion, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof(text)) {
        geo_strbuf_add(out, text, (size_t)length);
    } else {
        va_start(arguments, conversion);
        geo_strbuf_vprintf(out, conversion, arguments);
        va_end(arguments);
    }
}

/* Writes the decimal digits of `number` and returns the end of the text. `number` is at most
 * GEO_CL_PRINTF_BYTES + 1. */
static char *digits_write(char *to, uint32_t number)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count) {
        *to++ = digits[--count];
    }
    return to;
}

/* Builds a conversion string such as "%-08.3llx" from the directive and a length modifier. Avoids
 * snprintf because it runs for every number. */
static void conversion_make(const struct geo_cl_directive *directive, const char *modifier,
                            char text[48])
{
    char *to = text;
    *to++ = '%';
    to = stpcpy(to, directive->flags);
    if (directive->width) {
        to = digits_write(to, directive->width);
    }
    if (directive->has_precision) {
        *to++ = '.';
        to = digits_write(to, directive->precision);
    }
    to = stpcpy(to, modifier);
    *to++ = directive->conversion;
    *to = '\0';
}

static void padding_add(struct geo_strbuf *out, size_t width, size_t length)
{
    for (; length < width && !out->truncated; length++) {
        geo_strbuf_add(out, " ", 1);
    }
}

static void string_print(struct geo_strbuf *out, const struct geo_cl_directive *directive,
                         const struct geo_cl_arguments *arguments, uint64_t address)
{
    struct geo_strbuf text;
    size_t limit = directive->has_precision ? directive->precision : out->limit_bytes;
    geo_strbuf_init(&text, out->limit_bytes);
    if (!address || !arguments->string(arguments->data, address, limit, &text)) {
        const char *instead = address ? "(invalid)" : "(null)";
        geo_strbuf_finish(&text);
        geo_strbuf_init(&text, out->limit_bytes);
        geo_strbuf_add(&text, instead, strnlen(instead, limit));
    }
    bool left = strchr(directive->flags, '-') != NULL;
    padding_add(out, left ? 0 : directive->width, text.length);
    geo_strbuf_add(out, geo_strbuf_text(&text), text.length);
    padding_add(out, left ? directive->width : 0, text.length);
    out->truncated |= text.truncated;
    geo_strbuf_finish(&text);
}

static void component_print(struct geo_strbuf *out, const struct geo_cl_directive *directive,
                            const struct geo_cl_type *type, uint64_t bits)
{
    char conversion[48];
    if (is_integer_conversion(directive->conversion)) {
        conversion_make(directive, "ll", conversion);
        text_add(out, conversion, (long long)value_of_integer(directive, type, bits));
    } else if (is_float_conversion(directive->conversion)) {
        conversion_make(directive, "", conversion);
        text_add(out, conversion, value_of_float(bits, type->bytes));
    } else if (directive->conversion == 'c') {
        conversion_make(directive, "", conversion);
        text_add(out, conversion, (int)(bits & 255));
    } else {
        conversion_make(directive, "", conversion);
        text_add(out, conversion, (void *)(uintptr_t)bits_low(bits, type->bytes * 8u));
    }
}

static void argument_print(struct geo_strbuf *out, const struct geo_cl_directive *directive,
                           const struct geo_cl_arguments *arguments, const struct geo_cl_type *type,
                           const uint64_t *values)
{
    if (directive->width > out->limit_bytes || directive->precision > out->limit_bytes) {
        out->truncated = true;
        return;
    }
    if (directive->conversion == 's') {
        string_print(out, directive, arguments, values[0]);
        return;
    }
    for (uint32_t i = 0; i < type->components && !out->truncated; i++) {
        if (i > 0) {
            geo_strbuf_add(out, ",", 1);
        }
        component_print(out, directive, type, values[i]);
    }
}

/* ---- formats ---- */

enum geo_cl_result geo_cl_printf(struct geo_strbuf *out, const char *format, size_t length,
                                 const struct geo_cl_arguments *arguments)
{
    const uint64_t *values = arguments->values;
    const char *at = format, *end = format + length;
    uint32_t next = 0;
    bool misfit = false;
    while (at < end && !out->truncated) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        geo_strbuf_add(out, at, (size_t)((percent ? percent : end) - at));
        if (!percent) {
            break;
        }
        struct geo_cl_directive directive;
        geo_cl_directive_parse(percent, (size_t)(end - percent), &directive);
        at = percent + directive.length;
        if (directive.conversion == '%') {
            geo_strbuf_add(out, "%", 1);
            continue;
        }
        const struct geo_cl_type *type = next < arguments->count ? &arguments->types[next] : NULL;
        if (type && geo_cl_directive_fits(&directive, type)) {
            argument_print(out, &directive, arguments, type, values);
        } else {
            misfit = true;
            geo_strbuf_add(out, percent, directive.length);
        }
        if (type && directive.conversion) {
            values += type->components;
            next++;
        }
    }
    return out->truncated ? GEO_CL_TOO_LONG : misfit ? GEO_CL_MISFIT : GEO_CL_DONE;
}
