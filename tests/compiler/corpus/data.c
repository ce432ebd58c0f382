/* Implementation of data.h. Random values come from splitmix64 over (kernel, argument, index), so
 * that an element does not depend on how many came before it. */
#include "data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILL = 0xA5 };

size_t corpus_type_bytes(enum corpus_type type)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1};
    return bytes[type];
}

size_t corpus_shape_group_items(const struct corpus_shape *shape)
{
    return (size_t)shape->local[0] * shape->local[1] * shape->local[2];
}

size_t corpus_shape_items(const struct corpus_shape *shape)
{
    return corpus_shape_group_items(shape) * shape->groups[0] * shape->groups[1] * shape->groups[2];
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t seed_of(const struct corpus_case *test, size_t arg)
{
    uint64_t seed = 0xcbf29ce484222325u;
    for (const char *c = test->kernel; *c; c++) {
        seed = (seed ^ (uint8_t)*c) * 0x100000001b3u;
    }
    return mix(seed + arg);
}

static bool is_float(enum corpus_type type)
{
    return type == F16 || type == F32 || type == F64;
}

/* Edge values as bits of the type. */
static const uint64_t edges_f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                     0x7e00, 1,      0x8001, 0x03ff, 0x0400, 0x7bff,
                                     0xfbff, 0x3555, 0x3c01, 0x4248};
static const uint64_t edges_f32[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
    0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3f800001, 0xc0200000, 0x4b000001};
static const uint64_t edges_f64[] = {0,
                                     0x8000000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     1,
                                     0x800fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0xffefffffffffffff,
                                     0x3fe0000000000000,
                                     0x3ff0000000000001,
                                     0xc004000000000000,
                                     0x4330000000000001};

enum { EDGES = 16 };

static uint64_t edge(enum corpus_type type, size_t i)
{
    unsigned bits = 8 * (unsigned)corpus_type_bytes(type);
    uint64_t top = 1ull << (bits - 1);
    const uint64_t integers[EDGES] = {0,
                                      1,
                                      ~0ull,
                                      2,
                                      3,
                                      7,
                                      top,
                                      top - 1,
                                      top + 1,
                                      top - 2,
                                      bits - 1,
                                      bits,
                                      0x5555555555555555,
                                      ~1ull,
                                      100,
                                      10};
    switch (type) {
    case F16:
        return edges_f16[i];
    case F32:
        return edges_f32[i];
    case F64:
        return edges_f64[i];
    default:
        return integers[i];
    }
}

static uint64_t float_bits(enum corpus_type type, double value)
{
    if (type == F64) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        return bits;
    }
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

/* A float of type F16, F32 or F64 from one that every type represents well enough. */
static uint64_t encode(enum corpus_type type, double value)
{
    if (type != F16) {
        return float_bits(type, value);
    }
    if (value == 0.0) {
        return 0;
    }
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1): 14 <= exponent + 14 normal */
    uint64_t sign = value < 0.0 ? 0x8000 : 0;
    if (exponent < -13) {
        return sign | (uint64_t)(ldexp(fabs(value), 24));
    }
    return sign | ((uint64_t)(exponent + 14) << 10 | ((uint64_t)(fraction * 2048.0) & 0x3ff));
}

static uint64_t gen_float(enum corpus_type type, enum corpus_gen gen, uint64_t random, size_t index)
{
    double unit = (double)(random >> 40) * (1.0 / 16777216.0); /* [0, 1), exact in a float */
    switch (gen) {
    case GEN_UNIT:
        return encode(type, 2.0 * unit - 1.0);
    case GEN_POSITIVE:
        return encode(type, 1000.0 * (1.0 - unit));
    case GEN_SMALL:
        return encode(type, (double)(random % 100));
    case GEN_INDEX:
        return encode(type, (double)index);
    case GEN_BIT:
        return encode(type, (double)(random & 1));
    case GEN_BITS:
        return random;
    case GEN_WIDE:
        return index % 3 == 2 ? random : encode(type, (index % 3 ? 2.0 : 200.0) * (unit - 0.5));
    default:
        return encode(type, 200.0 * unit - 100.0);
    }
}

/* A number around 5/8 of count that has no factor in common with it: its multiples visit every
 * residue. */
static size_t coprime(size_t count)
{
    size_t step = count * 5 / 8;
    size_t a, b;
    do {
        step++;
        for (a = step, b = count; b;) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
    } while (a != 1);
    return step;
}

static uint64_t gen_integer(enum corpus_gen gen, uint64_t random, size_t index, size_t count)
{
    switch (gen) {
    case GEN_POSITIVE:
        return 1 + random % 1000;
    case GEN_SMALL:
        return random % 100;
    case GEN_INDEX:
        return index;
    case GEN_PERM:
        return (index * coprime(count) + 3) % count;
    case GEN_BIT:
        return random & 1;
    default:
        return random;
    }
}

static bool is_edgy(const struct corpus_arg *arg)
{
    return (arg->kind == ARG_IN || arg->kind == ARG_INOUT) &&
           (arg->gen == GEN_EDGE || arg->gen == GEN_WIDE);
}

static size_t edgy_inputs(const struct corpus_case *test)
{
    size_t count = 0;
    for (size_t i = 0; i < CORPUS_MAX_ARGS; i++) {
        count += is_edgy(&test->args[i]);
    }
    return count;
}

static void fill(struct corpus_run *run, size_t arg, size_t input)
{
    const struct corpus_arg *desc = &run->test->args[arg];
    size_t bytes = corpus_type_bytes(desc->type), count = run->elements[arg];
    uint64_t seed = seed_of(run->test, arg);
    size_t stride = 1;
    for (size_t i = 0; i < input && i < 2; i++) {
        stride *= EDGES;
    }
    size_t edges = edgy_inputs(run->test) > 1 ? (size_t)EDGES * EDGES : (size_t)EDGES;
    for (size_t i = 0; i < count; i++) {
        uint64_t random = mix(seed + i), bits = 0;
        if (is_edgy(desc) && i < edges) {
            bits = edge(desc->type, input < 2 ? (i / stride) % EDGES : (i / EDGES + i) % EDGES);
        } else if (desc->gen != GEN_ZERO) {
            bits = is_float(desc->type) ? gen_float(desc->type, desc->gen, random, i)
                                        : gen_integer(desc->gen, random, i, count);
        }
        memcpy(run->memory[arg] + i * bytes, &bits, bytes); /* little endian: the low bytes */
    }
}

void corpus_run_init(struct corpus_run *run, const struct corpus_case *test,
                     const struct corpus_shape *shape)
{
    memset(run, 0, sizeof(*run));
    run->test = test;
    run->shape = shape;
    run->items = corpus_shape_items(shape);
    size_t input = 0;
    while (run->count < CORPUS_MAX_ARGS && test->args[run->count].kind != ARG_END) {
        size_t i = run->count++;
        const struct corpus_arg *arg = &test->args[i];
        size_t scale = arg->kind == ARG_LOCAL ? corpus_shape_group_items(shape) : run->items;
        run->elements[i] = arg->kind == ARG_VALUE ? 1 : arg->per_item * scale + arg->fixed;
        run->bytes[i] = run->elements[i] * corpus_type_bytes(arg->type);
        if (arg->kind == ARG_VALUE || arg->kind == ARG_STRUCT || arg->kind == ARG_LOCAL) {
            continue;
        }
        run->memory[i] = malloc(run->bytes[i] ? run->bytes[i] : 1);
        if (!run->memory[i]) {
            abort();
        }
        if (arg->kind == ARG_OUT) {
            memset(run->memory[i], FILL, run->bytes[i]);
        } else {
            fill(run, i, input++);
        }
    }
}

void corpus_run_finish(struct corpus_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        free(run->memory[i]);
    }
    memset(run, 0, sizeof(*run));
}

static bool is_output(const struct corpus_run *run, size_t arg)
{
    enum corpus_arg_kind kind = run->test->args[arg].kind;
    return kind == ARG_OUT || kind == ARG_INOUT || kind == ARG_IMAGE;
}

bool corpus_outputs_write(const struct corpus_run *run, FILE *stream)
{
    bool good = true;
    for (size_t i = 0; i < run->count; i++) {
        if (is_output(run, i)) {
            good &= fwrite(run->memory[i], 1, run->bytes[i], stream) == run->bytes[i];
        }
    }
    return good;
}

bool corpus_outputs_read(struct corpus_run *run, FILE *stream)
{
    for (size_t i = 0; i < run->count; i++) {
        if (is_output(run, i) && fread(run->memory[i], 1, run->bytes[i], stream) != run->bytes[i]) {
            return false;
        }
    }
    return fgetc(stream) == EOF;
}

/* Maps a float's bits to an integer such that neighbours differ by one. */
static int64_t ordered(uint64_t bits, unsigned width)
{
    uint64_t sign = 1ull << (width - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static uint64_t load(const uint8_t *memory, size_t index, size_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, memory + index * bytes, bytes);
    return bits;
}

static bool is_nan(enum corpus_type type, uint64_t bits)
{
    switch (type) {
    case F16:
        return (bits & 0x7fff) > 0x7c00;
    case F32:
        return (bits & 0x7fffffff) > 0x7f800000;
    case F64:
        return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
        return false;
    }
}

static double decode(enum corpus_type type, uint64_t bits)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case F32:
        memcpy(&narrow, &low, sizeof(narrow));
        return (double)narrow;
    case F64:
        memcpy(&wide, &bits, sizeof(wide));
        return wide;
    default:
        return 0.0;
    }
}

static bool floats_equal(enum corpus_type type, uint64_t a, uint64_t b,
                         const struct corpus_case *bounds)
{
    unsigned width = 8 * (unsigned)corpus_type_bytes(type);
    if (is_nan(type, a) || is_nan(type, b)) {
        return is_nan(type, a) == is_nan(type, b);
    }
    if (!bounds) {
        return false;
    }
    if (((a | b) << (65 - width)) == 0) {
        return bounds->ulp > 0 || bounds->flags & CORPUS_ZERO_SIGN_FREE;
    }
    /* long double holds every difference of 64-bit integers closely enough, and 0 exactly */
    return fabsl((long double)ordered(a, width) - (long double)ordered(b, width)) <=
               (long double)bounds->ulp ||
           fabs(decode(type, a) - decode(type, b)) <= bounds->near;
}

bool corpus_outputs_equal(const struct corpus_run *got, const struct corpus_run *expected,
                          bool exact, char *text, size_t text_bytes)
{
    const struct corpus_case *bounds = exact ? NULL : got->test;
    size_t wrong = 0, first_arg = 0, first = 0, total = 0;
    for (size_t i = 0; i < got->count; i++) {
        enum corpus_type type = got->test->args[i].type;
        size_t bytes = corpus_type_bytes(type);
        for (size_t k = 0; is_output(got, i) && k < got->elements[i]; k++, total++) {
            uint64_t a = load(got->memory[i], k, bytes), b = load(expected->memory[i], k, bytes);
            if (a != b && !(is_float(type) && floats_equal(type, a, b, bounds)) && wrong++ == 0) {
                first_arg = i;
                first = k;
            }
        }
    }
    if (wrong == 0) {
        return true;
    }
    enum corpus_type type = got->test->args[first_arg].type;
    size_t bytes = corpus_type_bytes(type);
    uint64_t a = load(got->memory[first_arg], first, bytes),
             b = load(expected->memory[first_arg], first, bytes);
    int used = snprintf(text, text_bytes,
                        "%zu of %zu wrong; first: argument %zu [%zu] is 0x%llx, not 0x%llx", wrong,
                        total, first_arg, first, (unsigned long long)a, (unsigned long long)b);
    if ((type == F32 || type == F64) && used > 0 && (size_t)used < text_bytes) {
        snprintf(text + used, text_bytes - (size_t)used, " (%.9g, not %.9g)", decode(type, a),
                 decode(type, b));
    }
    return false;
}

uint8_t *corpus_file_read(const char *path, size_t *bytes, char *text, size_t text_bytes)
{
    FILE *stream = fopen(path, "rb");
    struct stat status;
    uint8_t *content = NULL;
    if (stream && fstat(fileno(stream), &status) == 0) {
        *bytes = (size_t)status.st_size;
        content = calloc(1, *bytes + 1);
    }
    if (content && fread(content, 1, *bytes, stream) != *bytes) {
        free(content);
        content = NULL;
    }
    if (stream) {
        fclose(stream);
    }
    if (!content) {
        snprintf(text, text_bytes, "cannot read %s", path);
    }
    return content;
}

void corpus_path(char *path, size_t bytes, const char *folder, const char *file, const char *kernel,
                 size_t shape, const char *suffix)
{
    snprintf(path, bytes, "%s/%s.%s.%zu%s", folder, file, kernel, shape, suffix);
}
