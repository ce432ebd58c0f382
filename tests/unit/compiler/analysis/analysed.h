/* A kernel of a fixture with the analyses that others start from: loops and shapes. */
#ifndef GEOID_TESTS_ANALYSED_H
#define GEOID_TESTS_ANALYSED_H

#include "compiler/analysis/shape.h"
#include "compiler/transform/transform.h"
#include "interpret.h"
#include "support.h"

struct analysed {
    struct geo_ir_module *module;
    struct geo_strbuf log;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    struct geo_shape_options options;
};

/* Reads and canonicalises the fixture, and analyses one of its kernels. */
static inline void analysed_begin(struct analysed *a, const char *fixture, const char *kernel,
                                  uint32_t lanes)
{
    *a = (struct analysed){.options = {.lanes = lanes, .ids_fit_31_bits = true}};
    a->module = support_fixture(fixture);
    geo_strbuf_init(&a->log, 0);
    geo_arena_init(&a->arena, 0);
    assert_int_equal(geo_transform_canonicalize(a->module, true, &a->log), ZE_RESULT_SUCCESS);
    struct geo_ir_function *function = interp_find(a->module, kernel);
    assert_non_null(function);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &a->arena, &a->cfg));
    assert_true(geo_dominators_compute(&a->cfg, &a->arena, &a->tree));
    assert_true(geo_loops_compute(&a->tree, &a->arena, &a->loops));
    assert_true(geo_shapes_compute(&a->loops, &a->options, &a->arena, &a->shapes));
}

static inline void analysed_end(struct analysed *a)
{
    geo_arena_finish(&a->arena);
    geo_strbuf_finish(&a->log);
    geo_ir_module_destroy(a->module);
}

#endif
