/* The table of edge cases of OpenCL C's maths (edges.def) in half, float and double: in scalars at
 * 1, 8 and 16 lanes, and in vectors, of another size and at another number of lanes for each
 * function; GEOID_TEST_ROUNDS=5 takes all sizes. And the table's rows that C99 has against the C
 * library, so that the table is right. */
#include "edges.h"
#include "level.h"
#include "program.h"
#include "support.h"

#include "compiler/ir/grammar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define FUNCTIONS_LIMIT 128u
#define CASES_LIMIT     8192u

/* What a function takes and gives beside numbers of the type. */
enum { PLAIN, INTEGER_Y = 1, STORES_NUMBER = 2, STORES_INTEGER = 4, GIVES_INTEGER = 8 };

static const struct {
    const char *name;
    uint32_t kind;
} kinds[] = {
    {"pown", INTEGER_Y},       {"rootn", INTEGER_Y},         {"ldexp", INTEGER_Y},
    {"fract", STORES_NUMBER},  {"modf", STORES_NUMBER},      {"sincos", STORES_NUMBER},
    {"frexp", STORES_INTEGER}, {"lgamma_r", STORES_INTEGER}, {"remquo", STORES_INTEGER},
    {"ilogb", GIVES_INTEGER},
};

static uint32_t kind_of(const char *function)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(function, kinds[i].name) == 0) {
            return kinds[i].kind;
        }
    }
    return PLAIN;
}

/* ---- kernels ---- */

static const char *const type_names[] = {"half", "float", "double"};
static const uint32_t widths[] = {2, 3, 4, 8, 16}; /* of vectors */
static const uint32_t lanes_of[] = {1, 8, 16};

/* Code for these is built beside that for this machine's own level. */
static const char *const lower_levels[] = {"x86-64-v2", "x86-64-v3"};

struct function {
    char name[24];
    const char *rows; /* the name in the table */
    bool two;         /* has y */
    uint32_t width;   /* components of its arguments */
};

static uint32_t function_add(struct function *functions, uint32_t count, const char *name,
                             const char *rows, bool two)
{
    assert_true(count < FUNCTIONS_LIMIT);
    functions[count] = (struct function){.rows = rows, .two = two, .width = 1};
    snprintf(functions[count].name, sizeof(functions[count].name), "%s", name);
    return count + 1;
}

/* Each function of the table once, and for floats those that are called so with half_ before. */
static uint32_t functions_find(enum edge_type type, struct function *functions)
{
    uint32_t count = 0;
    for (size_t i = 0; i < edge_row_count; i++) {
        const struct edge_row *row = &edge_rows[i];
        bool known = false;
        for (uint32_t k = 0; k < count; k++) {
            known |= strcmp(functions[k].rows, row->function) == 0;
        }
        if (!known) {
            count = function_add(functions, count, row->function, row->function, *row->y != 0);
        }
    }
    uint32_t all = count;
    for (uint32_t k = 0; k < all && type == EDGE_FLOAT; k++) {
        char name[24];
        snprintf(name, sizeof(name), "half_%s", functions[k].rows);
        if (geo_grammar_find_opencl_name(name)) {
            count = function_add(functions, count, name, functions[k].rows, functions[k].two);
        }
    }
    return count;
}

/* Names of types end in the number of components: %t4, %i4, and pointers %gt4, %gi4, %pt4, %pi4. */
static void types_write(struct geo_strbuf *all, enum edge_type type)
{
    geo_strbuf_printf(all,
                      "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
                      "%%void = OpTypeVoid\n%%u64 = OpTypeInt 64 0\n%%v3 = OpTypeVector %%u64 3\n"
                      "%%pv3 = OpTypePointer Input %%v3\n%%id = OpVariable %%pv3 Input\n"
                      "%%t1 = OpTypeFloat %u\n%%i1 = OpTypeInt 32 0\n",
                      8 * edge_bytes(type));
    for (size_t i = 0; i <= COUNT(widths); i++) {
        uint32_t w = i ? widths[i - 1] : 1;
        if (w > 1) {
            geo_strbuf_printf(all, "%%t%u = OpTypeVector %%t1 %u\n%%i%u = OpTypeVector %%i1 %u\n",
                              w, w, w, w);
        }
        geo_strbuf_printf(all,
                          "%%gt%u = OpTypePointer CrossWorkgroup %%t%u\n"
                          "%%gi%u = OpTypePointer CrossWorkgroup %%i%u\n"
                          "%%pt%u = OpTypePointer Function %%t%u\n"
                          "%%pi%u = OpTypePointer Function %%i%u\n",
                          w, w, w, w, w, w, w, w);
    }
    geo_strbuf_printf(all, "%%signature = OpTypeFunction %%void %%gt1 %%gt1 %%gt1 %%gt1\n");
}

/* The place of this item in what parameter `name` of kernel k points to: %a<name><k>. */
static void place_write(struct geo_strbuf *all, char name, char type, uint32_t width, uint32_t k)
{
    geo_strbuf_printf(all,
                      "%%b%c%u = OpBitcast %%g%c%u %%%c%u\n"
                      "%%a%c%u = OpInBoundsPtrAccessChain %%g%c%u %%b%c%u %%n%u\n",
                      name, k, type, width, name, k, name, k, type, width, name, k, k);
}

static void kernel_write(struct geo_strbuf *all, const struct function *function, uint32_t k)
{
    uint32_t kind = kind_of(function->rows), w = function->width;
    char second = kind & INTEGER_Y ? 'i' : 't', stored = kind & STORES_NUMBER ? 't' : 'i';
    geo_strbuf_printf(all, "%%k%u = OpFunction %%void None %%signature\n", k);
    for (const char *name = "xyrm"; *name; name++) {
        geo_strbuf_printf(all, "%%%c%u = OpFunctionParameter %%gt1\n", *name, k);
    }
    geo_strbuf_printf(all,
                      "%%l%u = OpLabel\n%%w%u = OpVariable %%p%c%u Function\n"
                      "%%d%u = OpLoad %%v3 %%id\n%%n%u = OpCompositeExtract %%u64 %%d%u 0\n",
                      k, k, stored, w, k, k, k);
    place_write(all, 'x', 't', w, k);
    place_write(all, 'y', second, w, k);
    place_write(all, 'r', 't', w, k);
    place_write(all, 'm', stored, w, k);
    geo_strbuf_printf(all,
                      "%%lx%u = OpLoad %%t%u %%ax%u\n%%ly%u = OpLoad %%%c%u %%ay%u\n"
                      "%%e%u = OpExtInst %%%c%u %%ocl %s %%lx%u",
                      k, w, k, k, second, w, k, k, kind & GIVES_INTEGER ? 'i' : 't', w,
                      function->name, k);
    if (function->two) {
        geo_strbuf_printf(all, " %%ly%u", k);
    }
    if (kind & (STORES_NUMBER | STORES_INTEGER)) {
        geo_strbuf_printf(all, " %%w%u\n%%lm%u = OpLoad %%%c%u %%w%u\nOpStore %%am%u %%lm%u", k, k,
                          stored, w, k, k, k);
    }
    geo_strbuf_printf(all, "\nOpStore %%a%c%u %%e%u\nOpReturn\nOpFunctionEnd\n",
                      kind & GIVES_INTEGER ? 'm' : 'r', k, k);
}

static struct program *program_make(enum edge_type type, const char *cpu, uint32_t lanes,
                                    const struct function *functions, uint32_t count)
{
    struct geo_strbuf all;
    geo_strbuf_init(&all, 0);
    for (uint32_t k = 0; k < count; k++) {
        geo_strbuf_printf(&all, "OpEntryPoint Kernel %%k%u \"%s\" %%id\n", k, functions[k].name);
    }
    types_write(&all, type);
    for (uint32_t k = 0; k < count; k++) {
        kernel_write(&all, &functions[k], k);
    }
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&all));
    const struct program_options options = {.lanes = lanes, .optimize = true, .cpu = cpu};
    struct program *program = program_build_model(module, &options);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&all);
    return program;
}

/* ---- runs ---- */

struct edge_case {
    const struct edge_row *row;
    uint64_t x, y;
};

static struct edge_case cases[CASES_LIMIT];
static _Alignas(128) uint8_t x[CASES_LIMIT * 16], y[CASES_LIMIT * 16], result[CASES_LIMIT * 16],
    more[CASES_LIMIT * 16];

static uint32_t cases_find(enum edge_type type, const struct function *function)
{
    uint32_t count = 0;
    for (size_t i = 0; i < edge_row_count; i++) {
        const struct edge_row *row = &edge_rows[i];
        uint64_t first[EDGE_LIST_LIMIT], second[EDGE_LIST_LIMIT] = {0};
        if (strcmp(row->function, function->rows) != 0) {
            continue;
        }
        uint32_t firsts = edge_list(type, row->x, false, first), seconds = 1;
        if (*row->y) {
            seconds = edge_list(type, row->y, kind_of(row->function) & INTEGER_Y, second);
        }
        for (uint32_t a = 0; a < firsts; a++) {
            for (uint32_t b = 0; b < seconds; b++) {
                assert_true(count < CASES_LIMIT);
                cases[count++] = (struct edge_case){row, first[a], second[b]};
            }
        }
    }
    return count;
}

/* Where component n of all lies: a vector of three has the room of four. */
static uint8_t *place(uint8_t *memory, uint32_t width, uint32_t n, uint32_t bytes)
{
    uint32_t room = width == 3 ? 4 : width;
    return memory + (size_t)(n / width * room + n % width) * bytes;
}

/* Runs one function; returns how many of its cases are wrong, and names the first ones. */
static uint32_t function_run(const struct program *program, enum edge_type type, uint32_t lanes,
                             const struct function *function)
{
    uint32_t count = cases_find(type, function), kind = kind_of(function->rows), wrong = 0;
    uint32_t width = function->width;
    uint32_t bytes = edge_bytes(type), vectors = (count + width - 1) / width;
    const struct program_launch launch = {.groups = {(vectors + 15) / 16, 1, 1},
                                          .local = {16, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(y),
                                                 PROGRAM_POINTER(result), PROGRAM_POINTER(more)};
    uint32_t second_bytes = kind & INTEGER_Y ? 4 : bytes;
    uint32_t more_bytes = kind & STORES_NUMBER ? bytes : 4;
    assert_true(count > 0);
    memset(x, 0, sizeof(x));
    memset(y, 0, sizeof(y));
    for (uint32_t n = 0; n < count; n++) {
        memcpy(place(x, width, n, bytes), &cases[n].x, bytes);
        memcpy(place(y, width, n, second_bytes), &cases[n].y, second_bytes);
    }
    program_run(program, function->name, &launch, arguments, 4);
    for (uint32_t n = 0; n < count; n++) {
        const struct edge_row *row = cases[n].row;
        uint64_t got = 0, stored = 0;
        memcpy(&got, place(result, width, n, bytes), bytes);
        memcpy(&stored, place(more, width, n, more_bytes), more_bytes);
        bool good = kind & GIVES_INTEGER ||
                    edge_fits(type, row->result, false, cases[n].x, cases[n].y, got);
        bool good_more = !row->more || edge_fits(type, row->more, !(kind & STORES_NUMBER),
                                                 cases[n].x, cases[n].y, stored);
        if ((!good || !good_more) && wrong++ < 6) {
            print_message(
                "%s%u at %u lanes: %s(%g, %s %g): %g, 0x%llx instead of %s, %s\n", type_names[type],
                width, lanes, function->name, edge_value(type, cases[n].x), row->y,
                kind & INTEGER_Y ? (double)(int32_t)cases[n].y : edge_value(type, cases[n].y),
                edge_value(type, got), (unsigned long long)stored, row->result,
                row->more ? row->more : "");
        }
    }
    return wrong;
}

/* Builds code for `cpu`, a level of GEOID_CPU (NULL: this machine's), and runs it where the machine
 * can. Returns how many cases are wrong. */
static uint32_t edges_run(enum edge_type type, const char *cpu, uint32_t lanes,
                          const struct function *functions, uint32_t count)
{
    uint32_t wrong = 0;
    if (!level_runs(cpu)) {
        return 0;
    }
    struct program *program = program_make(type, cpu, lanes, functions, count);
    for (uint32_t k = 0; k < count; k++) {
        wrong += function_run(program, type, lanes, &functions[k]);
    }
    program_destroy(program);
    return wrong;
}

static void type_run(enum edge_type type)
{
    struct function functions[FUNCTIONS_LIMIT];
    const char *text = getenv("GEOID_TEST_ROUNDS");
    uint32_t rounds = text ? (uint32_t)strtoul(text, NULL, 10) : 1;
    uint32_t count = functions_find(type, functions), wrong = 0;
    wrong += edges_run(type, NULL, 1, functions, count);
    wrong += edges_run(type, NULL, 16, functions, count);
    for (size_t i = 0; i < COUNT(lower_levels); i++) {
        wrong += edges_run(type, lower_levels[i], 8, functions, count);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < count; k++) {
            functions[k].width = widths[(k + round) % COUNT(widths)];
        }
        wrong +=
            edges_run(type, NULL, lanes_of[(type + round) % COUNT(lanes_of)], functions, count);
    }
    assert_int_equal(wrong, 0);
}

static void halves_have_the_edges_of_opencl(void **state)
{
    (void)state;
    type_run(EDGE_HALF);
}

static void floats_have_the_edges_of_opencl(void **state)
{
    (void)state;
    type_run(EDGE_FLOAT);
}

static void doubles_have_the_edges_of_opencl(void **state)
{
    (void)state;
    type_run(EDGE_DOUBLE);
}

/* ---- the table itself ---- */

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} c_functions[] = {
    {"acos", acos, NULL},
    {"asin", asin, NULL},
    {"atan", atan, NULL},
    {"cos", cos, NULL},
    {"sin", sin, NULL},
    {"tan", tan, NULL},
    {"acosh", acosh, NULL},
    {"asinh", asinh, NULL},
    {"atanh", atanh, NULL},
    {"cosh", cosh, NULL},
    {"sinh", sinh, NULL},
    {"tanh", tanh, NULL},
    {"exp", exp, NULL},
    {"exp2", exp2, NULL},
    {"expm1", expm1, NULL},
    {"log", log, NULL},
    {"log10", log10, NULL},
    {"log1p", log1p, NULL},
    {"log2", log2, NULL},
    {"logb", logb, NULL},
    {"cbrt", cbrt, NULL},
    {"fabs", fabs, NULL},
    {"sqrt", sqrt, NULL},
    {"erf", erf, NULL},
    {"erfc", erfc, NULL},
    {"lgamma", lgamma, NULL},
    {"tgamma", tgamma, NULL},
    {"ceil", ceil, NULL},
    {"floor", floor, NULL},
    {"rint", rint, NULL},
    {"round", round, NULL},
    {"trunc", trunc, NULL},
    {"atan2", NULL, atan2},
    {"hypot", NULL, hypot},
    {"pow", NULL, pow},
    {"fmod", NULL, fmod},
    {"remainder", NULL, remainder},
    {"copysign", NULL, copysign},
    {"nextafter", NULL, nextafter},
    {"fdim", NULL, fdim},
    {"fmax", NULL, fmax},
    {"fmin", NULL, fmin},
};

/* Maths of OpenCL.std without a row, and why. */
static const char *const without_rows[] = {
    "fma",         "mad",        /* no edges are prescribed, only how the sum is rounded */
    "rsqrt",       "half_rsqrt", /* neither of the texts has them */
    "half_divide", "half_recip", "nan",
};

/* Every maths function of OpenCL.std has rows, but for those of implementation-defined results. */
static void every_function_is_in_the_table(void **state)
{
    uint32_t last = (uint32_t)geo_grammar_find_opencl_name("half_tan")->op, found = 0;
    struct function functions[FUNCTIONS_LIMIT];
    uint32_t count = functions_find(EDGE_FLOAT, functions);
    (void)state;
    for (uint32_t number = 0; number <= last; number++) {
        const char *name = geo_grammar_find_opencl(number)->name;
        bool known = false;
        for (uint32_t k = 0; k < count; k++) {
            known |= strcmp(functions[k].name, name) == 0;
        }
        for (size_t i = 0; i < COUNT(without_rows); i++) {
            known |= strcmp(without_rows[i], name) == 0;
        }
        if (!known) {
            fail_msg("edges.def has no row of %s", name);
        }
        found++;
    }
    assert_int_equal(found, 81); /* acos to half_tan */
}

/* A row that Debian's C library does not keep would be a mistake of the table. */
static void the_table_agrees_with_the_c_library(void **state)
{
    uint32_t checked = 0;
    (void)state;
    for (size_t f = 0; f < COUNT(c_functions); f++) {
        const struct function function = {.rows = c_functions[f].name};
        uint32_t count = cases_find(EDGE_DOUBLE, &function);
        for (uint32_t n = 0; n < count; n++) {
            double a = edge_value(EDGE_DOUBLE, cases[n].x), b = edge_value(EDGE_DOUBLE, cases[n].y);
            double value = c_functions[f].one ? c_functions[f].one(a) : c_functions[f].two(a, b);
            uint64_t bits;
            memcpy(&bits, &value, sizeof(bits));
            if (!edge_fits(EDGE_DOUBLE, cases[n].row->result, false, cases[n].x, cases[n].y,
                           bits)) {
                fail_msg("%s(%g, %g): %g instead of %s", c_functions[f].name, a, b, value,
                         cases[n].row->result);
            }
            checked++;
        }
    }
    assert_true(checked > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_in_the_table),
        cmocka_unit_test(the_table_agrees_with_the_c_library),
        cmocka_unit_test(halves_have_the_edges_of_opencl),
        cmocka_unit_test(floats_have_the_edges_of_opencl),
        cmocka_unit_test(doubles_have_the_edges_of_opencl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
