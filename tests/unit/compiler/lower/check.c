/* Unit tests of lowering: kernels against the reference interpreter. See check.h. */
#include "check.h"

#include "interpret.h"
#include "support.h"

#include "compiler/spirv/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARGUMENTS_LIMIT 8u

/* Modules by the level of optimisation of clang-22, which wrote them. */
#define O0 1u
#define O2 2u
static const char *const levels[] = {"O0", "O2"};

/* Ways to build, and the modules that are built so. Optimised code takes nearly all of the time:
 * both modules are built for the widest vectors, and one of them in each other way. */
static const struct {
    struct program_options options;
    uint32_t levels;
} configurations[] = {
#ifdef GEOID_SANITIZED /* the sanitizer looks at the compiler: a few ways to build show its paths */
    {{.lanes = 1, .optimize = true}, O2},
    {{.lanes = 16, .optimize = false}, O0 | O2},
    {{.lanes = 4, .optimize = true, .cpu = "x86-64"}, O0},
#else
    {{.lanes = 1, .optimize = true}, O2},
    {{.lanes = 8, .optimize = true}, O2},
    {{.lanes = 16, .optimize = true}, O0 | O2},
    {{.lanes = 1, .optimize = false}, O0 | O2},
    {{.lanes = 16, .optimize = false}, O0 | O2},
    {{.lanes = 8, .optimize = true, .cpu = "x86-64-v3"}, O2},
    {{.lanes = 4, .optimize = true, .cpu = "x86-64"}, O0},
#endif
};
#define CONFIGURATION_COUNT (sizeof(configurations) / sizeof(configurations[0]))

/* Programs are kept: a file has many kernels. */
static struct cached {
    char name[64];
    struct program *programs[CONFIGURATION_COUNT];
} cache[8];

static struct program *program_get(const char *name, size_t configuration)
{
    struct cached *at = cache;
    while (at->name[0] && strcmp(at->name, name) != 0) {
        at++;
        assert_true(at < cache + sizeof(cache) / sizeof(cache[0]));
    }
    snprintf(at->name, sizeof(at->name), "%s", name);
    if (!at->programs[configuration]) {
        at->programs[configuration] = program_build(name, &configurations[configuration].options);
    }
    return at->programs[configuration];
}

void check_finish(void)
{
    for (size_t i = 0; i < sizeof(cache) / sizeof(cache[0]); i++) {
        for (size_t k = 0; k < CONFIGURATION_COUNT; k++) {
            if (cache[i].programs[k]) {
                program_destroy(cache[i].programs[k]);
            }
        }
    }
    memset(cache, 0, sizeof(cache));
}

/* ---- the reference ---- */

static uint32_t value_leaves(const struct geo_ir_type *type, const struct check_argument *argument,
                             uint64_t *leaves)
{
    uint32_t count = interp_leaf_count(type);
    size_t bytes = argument->size / count;
    for (uint32_t i = 0; i < count; i++) {
        leaves[i] = 0;
        memcpy(&leaves[i], (const char *)argument->data + i * bytes, bytes);
    }
    return count;
}

static void run_reference(const char *name, const char *kernel, const struct program_launch *launch,
                          const struct check_argument *arguments, uint32_t count, void **buffers)
{
    struct geo_ir_module *module = program_model(name);
    struct interp *interp = interp_create(module);
    struct geo_ir_function *function = interp_find(module, kernel);
    uint64_t leaves[64];
    uint32_t leaf = 0;
    assert_non_null(interp);
    assert_non_null(function);
    assert_int_equal(function->parameter_count, count);
    interp_set_step_limit(interp, UINT64_C(1) << 32);
    for (uint32_t d = 0; d < 3; d++) {
        interp_set_builtin(interp, SpvBuiltInGlobalOffset, d, launch->offset[d]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_type *type = function->parameters[i]->type;
        if (arguments[i].kind == CHECK_BUFFER) {
            leaves[leaf++] = interp_map(interp, buffers[i], arguments[i].size);
        } else if (arguments[i].kind == CHECK_LOCAL) {
            leaves[leaf++] = interp_alloc(interp, arguments[i].size);
        } else if (type->kind == GEO_TYPE_POINTER) {
            leaves[leaf++] = interp_map(interp, buffers[i], arguments[i].size);
        } else {
            leaf += value_leaves(type, &arguments[i], &leaves[leaf]);
        }
    }
    if (!interp_launch(interp, function, leaves, launch->groups, launch->local)) {
        print_error("reference of %s %s: %s\n", name, kernel, interp_error(interp));
        fail();
    }
    interp_destroy(interp);
    geo_ir_module_destroy(module);
}

/* ---- comparing ---- */

static void buffers_copy(void **buffers, const struct check_argument *arguments, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = arguments[i].data ? malloc(arguments[i].size) : NULL;
        if (buffers[i]) {
            memcpy(buffers[i], arguments[i].data, arguments[i].size);
        }
    }
}

static void buffers_free(void **buffers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(buffers[i]);
    }
}

static void compare(const char *what, const struct check_argument *arguments, uint32_t count,
                    void *const *expected, void *const *got)
{
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind != CHECK_BUFFER ||
            memcmp(expected[i], got[i], arguments[i].size) == 0) {
            continue;
        }
        for (size_t at = 0; at + 4 <= arguments[i].size; at += 4) {
            uint32_t a, b;
            memcpy(&a, (const char *)expected[i] + at, 4);
            memcpy(&b, (const char *)got[i] + at, 4);
            if (a != b) {
                print_error("%s: argument %u differs at word %zu: %#x, expected %#x\n", what, i,
                            at / 4, b, a);
                fail();
            }
        }
    }
}

static void run_one(const struct program *program, const char *what, const char *kernel,
                    const struct program_launch *launch, const struct check_argument *arguments,
                    uint32_t count, void *const *expected)
{
    void *buffers[ARGUMENTS_LIMIT];
    struct program_argument passed[ARGUMENTS_LIMIT] = {{0}};
    buffers_copy(buffers, arguments, count);
    for (uint32_t i = 0; i < count; i++) {
        bool buffer = arguments[i].kind == CHECK_BUFFER;
        passed[i].value = buffer ? (const void *)&buffers[i] : arguments[i].data;
        passed[i].size = buffer ? sizeof(void *) : arguments[i].size;
    }
    program_run(program, kernel, launch, passed, count);
    compare(what, arguments, count, expected, buffers);
    buffers_free(buffers, count);
}

static void run_all(const char *name, size_t level, const char *kernel,
                    const struct program_launch *launch, const struct check_argument *arguments,
                    uint32_t count, void *const *expected)
{
    for (size_t i = 0; i < CONFIGURATION_COUNT; i++) {
        const struct program_options *options = &configurations[i].options;
        bool wanted = configurations[i].levels >> level & 1;
        const struct program *program = wanted ? program_get(name, i) : NULL;
        struct program_launch wrap = *launch;
        char what[256];
        wrap.ids_may_wrap = true;
        if (!wanted || !program_runs(program)) {
            continue;
        }
        snprintf(what, sizeof(what), "%s %s W=%u%s %s", name, kernel, options->lanes,
                 options->optimize ? "" : " not optimised", options->cpu ? options->cpu : "");
        run_one(program, what, kernel, launch, arguments, count, expected);
        run_one(program, what, kernel, &wrap, arguments, count, expected);
    }
}

void check_kernel(const char *file, const char *kernel, const struct program_launch *launch,
                  const struct check_argument *arguments, uint32_t argument_count)
{
    assert_true(argument_count <= ARGUMENTS_LIMIT);
    for (size_t level = 0; level < 2; level++) {
        char name[64];
        void *expected[ARGUMENTS_LIMIT];
        snprintf(name, sizeof(name), "%s_%s", file, levels[level]);
        buffers_copy(expected, arguments, argument_count);
        run_reference(name, kernel, launch, arguments, argument_count, expected);
        run_all(name, level, kernel, launch, arguments, argument_count, expected);
        buffers_free(expected, argument_count);
    }
}

void check_kernel_against(const char *file, const char *kernel, const struct program_launch *launch,
                          const struct check_argument *arguments, uint32_t argument_count,
                          const void *const *expected)
{
    assert_true(argument_count <= ARGUMENTS_LIMIT);
    for (size_t level = 0; level < 2; level++) {
        char name[64];
        void *wanted[ARGUMENTS_LIMIT];
        snprintf(name, sizeof(name), "%s_%s", file, levels[level]);
        buffers_copy(wanted, arguments, argument_count);
        for (uint32_t i = 0; i < argument_count; i++) {
            if (expected[i]) {
                memcpy(wanted[i], expected[i], arguments[i].size);
            }
        }
        run_all(name, level, kernel, launch, arguments, argument_count, wanted);
        buffers_free(wanted, argument_count);
    }
}

/* ---- data ---- */

void check_fill_int(int *data, size_t count, int low, int high, uint64_t seed)
{
    struct support_random random = {seed * 2 + 1};
    for (size_t i = 0; i < count; i++) {
        data[i] = low + (int)support_random_below(&random, (uint32_t)(high - low + 1));
    }
}

void check_fill_float(float *data, size_t count, uint64_t seed)
{
    struct support_random random = {seed * 2 + 1};
    for (size_t i = 0; i < count; i++) {
        data[i] = (float)((int)support_random_below(&random, 2000) - 1000) / 64.0f;
    }
}
