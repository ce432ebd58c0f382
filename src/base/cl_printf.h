/* OpenCL C's printf (6.15.14): a format and typed arguments become text.
 *
 * Compiled kernels describe their arguments by types and values; the format is a string in their
 * memory. Both are untrusted. The format is taken apart here, directive by directive, and each
 * number goes to snprintf with a conversion text made by us: a kernel's format never reaches the C
 * library, and %n does not exist.
 *
 *     %[flags][width][.precision][v2|v3|v4|v8|v16][hh|h|hl|l|ll|j|z|t|L]conversion
 *
 * What a directive cannot print (no argument left, another kind of argument, an unknown conversion)
 * is undefined in OpenCL; here its own text is printed, and the result says so. Integers of another
 * width than the directive's are converted to it, as C would on most machines.
 *
 * Used by backends to print, by the compiler to warn. */
#ifndef GEO_BASE_CL_PRINTF_H
#define GEO_BASE_CL_PRINTF_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest text of one call. */
#define GEO_CL_PRINTF_BYTES (1u << 20)

enum geo_cl_kind {
    GEO_CL_INTEGER = 1,
    GEO_CL_FLOAT,
    GEO_CL_POINTER,
};

/* An argument's type; compiled code holds arrays of it (the calling contract: native/abi.h). */
struct geo_cl_type {
    uint8_t kind;       /* enum geo_cl_kind */
    uint8_t bytes;      /* of one component: 1, 2, 4, 8 */
    uint8_t components; /* 1: a scalar */
    uint8_t reserved;
};
_Static_assert(sizeof(struct geo_cl_type) == 4, "kernel calling contract");

struct geo_cl_arguments {
    const struct geo_cl_type *types;
    uint32_t count;
    const uint64_t *values; /* the bits of every component of every argument, zero-extended */
    /* Adds the string at an address, at most `limit` bytes of it, to `out`; false: there is none.
     */
    bool (*string)(void *data, uint64_t address, size_t limit, struct geo_strbuf *out);
    void *data; /* handed to `string` */
};

/* One directive, taken apart. */
struct geo_cl_directive {
    size_t length;  /* from '%' to the conversion */
    char flags[6];  /* those of "-+ #0" that were there, each once */
    uint32_t width; /* more than GEO_CL_PRINTF_BYTES: too much */
    uint32_t precision;
    bool has_precision;
    uint32_t components; /* 1: no vector specifier */
    uint32_t bits;       /* of an integer, by the length modifier; 0: none was there */
    char conversion;     /* '\0': not a directive */
};

/* format starts with '%' and has `length` characters. */
void geo_cl_directive_parse(const char *format, size_t length, struct geo_cl_directive *directive);

/* Whether the directive can print an argument of this type. Not for "%%", which takes none. */
bool geo_cl_directive_fits(const struct geo_cl_directive *directive,
                           const struct geo_cl_type *type);

enum geo_cl_result {
    GEO_CL_DONE,
    GEO_CL_MISFIT,   /* some directive was printed as it stands */
    GEO_CL_TOO_LONG, /* more than the limit of `out`, or memory ran out: the text is not whole */
};

/* Adds the text to `out`, which the caller has given a limit. The format ends at `length`. */
enum geo_cl_result geo_cl_printf(struct geo_strbuf *out, const char *format, size_t length,
                                 const struct geo_cl_arguments *arguments);

#endif
