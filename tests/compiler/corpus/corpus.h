/* The compiler corpus as data: a case is a kernel of kernels/, the buffers and values it gets, and
 * the shapes it is launched in. Inputs follow from the case alone, so that every run of it (pocl
 * through OpenCL for the reference, Geoid at each lane count for the test) sees the same bytes.
 * cases_<topic>.c holds the tables, topics.c names them. */
#ifndef GEOID_TESTS_CORPUS_H
#define GEOID_TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum corpus_type { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64, BYTES };

/* What a buffer is filled with. */
enum corpus_gen {
    GEN_ZERO,
    GEN_RANDOM, /* integers: any bits; floats: uniform in [-100, 100] */
    GEN_EDGE,   /* all combinations of edge values over the case's inputs first, then GEN_RANDOM */
    GEN_BITS,   /* any bit pattern, floats too */
    GEN_UNIT,   /* floats in [-1, 1] */
    GEN_POSITIVE, /* floats in (0, 1000], integers in [1, 1000] */
    GEN_SMALL,    /* integers in [0, 99], floats with such values */
    GEN_INDEX,    /* 0, 1, 2, ... */
    GEN_PERM,     /* a permutation of 0 .. count-1 */
    GEN_BIT,      /* 0 or 1 */
    GEN_WIDE, /* floats: edge values as GEN_EDGE, then in turn [-100, 100], [-1, 1], any bits; else
                 GEN_EDGE */
};

enum corpus_arg_kind {
    ARG_END,
    ARG_IN,
    ARG_OUT,
    ARG_INOUT,
    ARG_VALUE,
    ARG_STRUCT,
    ARG_LOCAL,
    ARG_IMAGE, /* filled before, compared after */
};

enum corpus_format {
    CORPUS_RGBA_UNORM8,
    CORPUS_BGRA_UNORM8,
    CORPUS_RGBA_SNORM8,
    CORPUS_RGBA_UNORM16,
    CORPUS_RGBA_UINT16,
    CORPUS_RGBA_SINT16,
    CORPUS_RGBA_HALF,
    CORPUS_RGBA_FLOAT,
    CORPUS_R_SINT8,
    CORPUS_R_UINT8,
    CORPUS_FORMATS,
};

/* Extents: width, then height and depth, or of an array the layers behind its dimensions; 1 where
 * there is none. Pixels lie in memory without gaps. */
struct corpus_image {
    enum corpus_format format;
    uint32_t dims;
    bool array;
    uint32_t extents[3];
};

struct corpus_arg {
    enum corpus_arg_kind kind;
    enum corpus_type type; /* of an element, for filling and comparing */
    enum corpus_gen gen;
    uint32_t per_item; /* elements per work-item of the launch */
    uint32_t fixed;    /* elements besides; bytes for ARG_LOCAL (per_item too) and ARG_STRUCT */
    uint64_t value;    /* ARG_VALUE: the bits */
    const void *bytes; /* ARG_STRUCT: the value; ARG_IMAGE: struct corpus_image */
};

#define IN(type, gen)           {ARG_IN, type, gen, 1, 0, 0, NULL}
#define IN_N(type, gen, n)      {ARG_IN, type, gen, n, 0, 0, NULL} /* n elements per work-item */
#define IN_ALL(type, gen, n)    {ARG_IN, type, gen, 0, n, 0, NULL} /* n elements in all */
#define OUT(type)               {ARG_OUT, type, GEN_ZERO, 1, 0, 0, NULL}
#define OUT_N(type, n)          {ARG_OUT, type, GEN_ZERO, n, 0, 0, NULL}
#define OUT_ALL(type, n)        {ARG_OUT, type, GEN_ZERO, 0, n, 0, NULL}
#define INOUT(type, gen)        {ARG_INOUT, type, gen, 1, 0, 0, NULL}
#define INOUT_N(type, gen, n)   {ARG_INOUT, type, gen, n, 0, 0, NULL}
#define INOUT_ALL(type, gen, n) {ARG_INOUT, type, gen, 0, n, 0, NULL}
#define VALUE(type, bits)       {ARG_VALUE, type, GEN_ZERO, 0, 0, (uint64_t)(bits), NULL}
#define VALUE_F32(bits)         VALUE(F32, bits) /* the bits of a float */
#define STRUCT(variable)        {ARG_STRUCT, BYTES, GEN_ZERO, 0, sizeof(variable), 0, &(variable)}
#define LOCAL(bytes)            {ARG_LOCAL, BYTES, GEN_ZERO, 0, bytes, 0, NULL}
#define LOCAL_N(bytes)                                                                             \
    {ARG_LOCAL, BYTES, GEN_ZERO, bytes, 0, 0, NULL} /* bytes per work-item of a group */

/* One launch: groups and group size per dimension, and global offsets. local[0] == 0 ends a list of
 * shapes. */
struct corpus_shape {
    uint32_t groups[3];
    uint32_t local[3];
    uint32_t offset[3];
};

enum corpus_flags {
    CORPUS_ZERO_SIGN_FREE = 1, /* +0 and -0 are equally right */
    CORPUS_WIDTH_FREE = 2,     /* lane counts may disagree (still each right by the reference) */
    CORPUS_NO_POCL = 4,        /* pocl 3.1 cannot run it: `expect` is the only reference */
    CORPUS_UNALIGNED = 8,      /* buffers are aligned to their elements only */
};

enum { CORPUS_MAX_ARGS = 12, CORPUS_MAX_SHAPES = 6 };

/* A launch with its memory, host side. */
struct corpus_run {
    const struct corpus_case *test;
    const struct corpus_shape *shape;
    size_t items;
    size_t count;                  /* of arguments */
    size_t bytes[CORPUS_MAX_ARGS]; /* of each buffer, local argument or value */
    size_t elements[CORPUS_MAX_ARGS];
    uint8_t *memory[CORPUS_MAX_ARGS]; /* of each buffer; NULL for values and local arguments */
};

/* One function of OpenCL's maths, as its long double counterpart; see maths.h. */
struct corpus_maths;

struct corpus_case {
    const char *kernel;
    struct corpus_arg args[CORPUS_MAX_ARGS];
    const struct corpus_shape *shapes;
    double ulp;  /* bound against the reference; 0: bit by bit */
    double near; /* differences up to this count as none (where terms cancel) */
    unsigned flags;
    void (*expect)(
        struct corpus_run *run);      /* C reference: turns the inputs in `run` into outputs */
    const struct corpus_maths *maths; /* C reference for maths functions */
};

struct corpus_file {
    const char *file; /* kernels/<file>.cl */
    const struct corpus_case *cases;
    size_t count;
    const char *options; /* of the build on Geoid; NULL: none */
};

struct corpus_topic {
    const char *name;
    const struct corpus_file *files;
    size_t count;
};

#define CORPUS_COUNT(array)                     (sizeof(array) / sizeof((array)[0]))
#define CORPUS_FILE(name, cases)                {name, cases, CORPUS_COUNT(cases), NULL}
#define CORPUS_FILE_BUILT(name, cases, options) {name, cases, CORPUS_COUNT(cases), options}

/* Shapes shared by the tables: one element per work-item, in full and partial chunks of any lane
 * count. */
extern const struct corpus_shape
    corpus_flat[]; /* 1-D, several, enough items for all edge combinations */
extern const struct corpus_shape corpus_short[]; /* 1-D, two: 7 x 41 and 64 x 4 */
extern const struct corpus_shape corpus_cube[];  /* 1-D to 3-D, odd sizes */
extern const struct corpus_shape
    corpus_groups[]; /* for kernels that work per group: 1, 5, 16, 33, 128 items */

extern const struct corpus_topic *const corpus_topics[];
extern const size_t corpus_topic_count;

const struct corpus_topic *corpus_topic_find(const char *name);

#endif
