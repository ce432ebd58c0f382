/* Large and hostile functions: no deep recursion, no quadratic work, limits with a log.
 *
 * Work is counted, not timed (steps.h). A function four times as large may need five times the work
 * (n log n is 4.5 to 5 times, n^2 16 times), and each case has a bound of its own, three times what
 * it needs. */
#include "canonical.h"
#include "steps.h"
#include "support.h"

#include "compiler/ir/debug.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- work ---- */

#define FACTOR         4
#define FACTOR_OF_WORK 5
#define MILLION        1000000

/* ---- a function being written ---- */

struct writer {
    struct geo_ir_module *module;
    struct geo_ir_function *function;
    struct geo_ir_block *block;
    const struct geo_ir_type *none, *boolean, *i32, *pointer;
    struct geo_ir_value *condition; /* a parameter */
};

static void *needed(void *made)
{
    assert_non_null(made);
    return made;
}

static void writer_function(struct writer *w, const char *name)
{
    w->function = needed(
        geo_ir_function_create(w->module, geo_ir_type_function(w->module, w->none, 1, &w->i32)));
    w->function->is_kernel = name != NULL;
    w->function->entry_name = name;
    w->block = needed(geo_ir_block_create(w->function, NULL));
}

static struct geo_ir_inst *add(struct writer *w, SpvOp op, const struct geo_ir_type *type,
                               uint32_t operands, uint32_t literals, uint32_t targets)
{
    struct geo_ir_inst *inst =
        needed(geo_ir_inst_create(w->module, op, type, operands, literals, targets));
    geo_ir_inst_append(w->block, inst);
    return inst;
}

static void writer_init(struct writer *w)
{
    memset(w, 0, sizeof(*w));
    w->module = needed(geo_ir_module_create((size_t)2 << 30));
    w->none = geo_ir_type_void(w->module);
    w->boolean = geo_ir_type_bool(w->module);
    w->i32 = geo_ir_type_int(w->module, 32);
    w->pointer = geo_ir_type_pointer(w->module, w->i32, SpvStorageClassFunction);
    writer_function(w, "k");
    struct geo_ir_inst *compare = add(w, SpvOpINotEqual, w->boolean, 2, 0, 0);
    compare->operands[0] = w->function->parameters[0];
    compare->operands[1] = geo_ir_const_int(w->module, w->i32, 7);
    w->condition = &compare->value;
}

static struct geo_ir_block *block_new(struct writer *w)
{
    return needed(geo_ir_block_create(w->function, NULL));
}

static void branch(struct writer *w, struct geo_ir_block *yes, struct geo_ir_block *no)
{
    struct geo_ir_inst *inst =
        add(w, no ? SpvOpBranchConditional : SpvOpBranch, w->none, no != NULL, 0, no ? 2 : 1);
    inst->targets[0] = yes;
    if (no) {
        inst->targets[1] = no;
        inst->operands[0] = w->condition;
    }
}

static struct geo_ir_inst *variable(struct writer *w)
{
    struct geo_ir_inst *inst = add(w, SpvOpVariable, w->pointer, 0, 1, 0);
    inst->literals[0] = SpvStorageClassFunction;
    return inst;
}

static struct geo_ir_value *load(struct writer *w, struct geo_ir_inst *from)
{
    struct geo_ir_inst *inst = add(w, SpvOpLoad, w->i32, 1, 0, 0);
    inst->operands[0] = &from->value;
    return &inst->value;
}

static void store(struct writer *w, struct geo_ir_inst *to, struct geo_ir_value *value)
{
    struct geo_ir_inst *inst = add(w, SpvOpStore, w->none, 2, 0, 0);
    inst->operands[0] = &to->value;
    inst->operands[1] = value;
}

/* Something that must stay. */
static void effect(struct writer *w, struct geo_ir_inst *to, struct geo_ir_value *value)
{
    store(w, to, value);
    w->block->last->memory_flags = SpvMemoryAccessVolatileMask;
}

/* Canonicalises a function; with a text, it must be refused and say so. The steps that took. */
static uint64_t work_of(void (*write)(struct writer *w, uint32_t size), uint32_t size,
                        const char *refusal)
{
    struct writer w;
    struct geo_strbuf log;
    writer_init(&w);
    write(&w, size);
    geo_strbuf_init(&log, 1 << 16);
    steps = 0;
    ze_result_t result = geo_transform_canonicalize(w.module, true, &log);
    uint64_t taken = steps;
    if (result != (refusal ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_SUCCESS) ||
        (refusal && !strstr(geo_strbuf_text(&log), refusal))) {
        fail_msg("result %#x, log: %s", (unsigned)result, geo_strbuf_text(&log));
    }
    if (!refusal) {
        assert_canonical(w.module);
    }
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(w.module);
    return taken;
}

static void check_work(void (*write)(struct writer *w, uint32_t size), uint32_t size, uint64_t most,
                       const char *refusal)
{
    uint64_t small = work_of(write, size / FACTOR, refusal), large = work_of(write, size, refusal);
    print_message("           %u: %.1f million steps, %.2f times those of a quarter\n", size,
                  (double)large * 1e-6, (double)large / (double)small);
    assert_true(small > 1000); /* so they are counted */
    if (large > FACTOR_OF_WORK * small || large > most) {
        fail_msg("%llu steps became %llu; allowed: %llu", (unsigned long long)small,
                 (unsigned long long)large, (unsigned long long)most);
    }
}

#define CASE(name, write, size, millions, refusal)                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_work(write, size, (uint64_t)millions * MILLION, refusal);                            \
    }

/* ---- large ones ---- */

/* Loops in loops, as deep as size. */
static void write_nest(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *out = variable(w);
    struct geo_ir_block **heads = calloc(size, sizeof(*heads));
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_block *head = block_new(w);
        branch(w, head, NULL);
        w->block = heads[i] = head;
        effect(w, out, w->function->parameters[0]);
    }
    for (uint32_t i = size; i-- > 0;) {
        struct geo_ir_block *next = block_new(w);
        branch(w, heads[i], next);
        w->block = next;
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
    free(heads);
}

static void write_blocks(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *x = variable(w), *out = variable(w);
    store(w, x, w->function->parameters[0]);
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_block *yes = block_new(w), *no = block_new(w), *join = block_new(w);
        branch(w, yes, no);
        w->block = yes;
        effect(w, out, load(w, x));
        branch(w, join, NULL);
        w->block = no;
        struct geo_ir_inst *sum = add(w, SpvOpIAdd, w->i32, 2, 0, 0);
        geo_ir_inst_remove(sum);
        sum->operands[0] = load(w, x);
        sum->operands[1] = w->function->parameters[0];
        geo_ir_inst_append(w->block, sum);
        store(w, x, &sum->value);
        branch(w, join, NULL);
        w->block = join;
    }
    effect(w, out, load(w, x));
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

/* Every block of a long loop leaves it, each with a value of its own. */
static void write_exits(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *out = variable(w), *values[64];
    struct geo_ir_block *head = block_new(w), *done = block_new(w);
    for (int i = 0; i < 64; i++) {
        values[i] = variable(w);
        store(w, values[i], w->function->parameters[0]);
    }
    branch(w, head, NULL);
    w->block = head;
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_block *next = block_new(w);
        struct geo_ir_value *x = load(w, values[i % 64]);
        struct geo_ir_inst *sum = add(w, SpvOpIMul, w->i32, 2, 0, 0);
        sum->operands[0] = sum->operands[1] = x;
        store(w, values[(i * 7) % 64], &sum->value);
        branch(w, next, done);
        w->block = next;
    }
    branch(w, head, done);
    w->block = done;
    for (int i = 0; i < 64; i++) {
        effect(w, out, load(w, values[i]));
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

static void write_cases(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *out = variable(w);
    struct geo_ir_block *done = block_new(w);
    struct geo_ir_inst *inst = add(w, SpvOpSwitch, w->none, 1, 2 * size, size + 1);
    inst->operands[0] = w->function->parameters[0];
    inst->targets[0] = done;
    for (uint32_t i = 0; i < size; i++) {
        inst->literals[2 * i] = i;
        inst->targets[1 + i] = w->block = block_new(w);
        effect(w, out, w->function->parameters[0]);
        if (i % 3 == 0) {
            add(w, SpvOpReturn, w->none, 0, 0, 0);
        } else {
            branch(w, done, NULL);
        }
    }
    w->block = done;
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

static void write_variables(struct writer *w, uint32_t size)
{
    struct geo_ir_inst **list = calloc(size, sizeof(*list)), *out = variable(w);
    for (uint32_t i = 0; i < size; i++) {
        list[i] = variable(w);
        store(w, list[i], w->function->parameters[0]);
    }
    for (uint32_t i = 0; i < size; i += 3) {
        struct geo_ir_block *yes = block_new(w), *join = block_new(w);
        branch(w, yes, join);
        w->block = yes;
        store(w, list[i], load(w, list[size - 1 - i]));
        branch(w, join, NULL);
        w->block = join;
    }
    for (uint32_t i = 0; i < size; i += 100) {
        effect(w, out, load(w, list[i]));
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
    free(list);
}

/* Two paths store to all variables, so the block where they meet has a phi for each. With `name`,
 * debug records say that a source variable is in each of them. */
static void joins_write(struct writer *w, uint32_t size, const struct geo_ir_debug_variable *name)
{
    struct geo_ir_inst **list = calloc(size, sizeof(*list)), *out = variable(w);
    struct geo_ir_block *yes = block_new(w), *join = block_new(w);
    for (uint32_t i = 0; i < size; i++) {
        list[i] = variable(w);
        store(w, list[i], w->function->parameters[0]);
    }
    branch(w, yes, join);
    for (uint32_t i = 0; name && i < size; i++) {
        assert_non_null(geo_ir_debug_get(w->module));
        geo_ir_record_add(w->block->last, &(struct geo_ir_record){.variable = name,
                                                                  .place = GEO_PLACE_MEMORY,
                                                                  .value = &list[i]->value});
    }
    w->block = yes;
    for (uint32_t i = 0; i < size; i++) {
        store(w, list[i], geo_ir_const_int(w->module, w->i32, i));
    }
    branch(w, join, NULL);
    w->block = join;
    for (uint32_t i = 0; i < size; i++) {
        effect(w, out, load(w, list[i]));
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
    free(list);
}

static void write_joins(struct writer *w, uint32_t size)
{
    joins_write(w, size, NULL);
}

static void write_named_joins(struct writer *w, uint32_t size)
{
    static const struct geo_ir_debug_variable name = {.name = "x"};
    joins_write(w, size, &name);
}

/* Each function calls the one before twice, and the first has a barrier. */
static void write_doubling_calls(struct writer *w, uint32_t size)
{
    struct geo_ir_function *kernel = w->function, *last = NULL;
    struct geo_ir_block *kernel_block = w->block;
    for (uint32_t i = 0; i < size; i++) {
        writer_function(w, NULL);
        for (int c = 0; c < 2; c++) {
            struct geo_ir_inst *inst = last ? add(w, SpvOpFunctionCall, w->none, 2, 0, 0)
                                            : add(w, SpvOpControlBarrier, w->none, 3, 0, 0);
            for (uint32_t o = 0; o < inst->operand_count; o++) {
                inst->operands[o] = geo_ir_const_int(w->module, w->i32, 2);
            }
            if (last) {
                inst->operands[0] = &last->value;
            }
        }
        add(w, SpvOpReturn, w->none, 0, 0, 0);
        last = w->function;
    }
    w->function = kernel;
    w->block = kernel_block;
    struct geo_ir_inst *call = add(w, SpvOpFunctionCall, w->none, 2, 0, 0);
    call->operands[0] = &last->value;
    call->operands[1] = kernel->parameters[0];
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

/* Casts of casts, chains of chains, sums of sums. */
static void write_operations(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *x = variable(w), *out = variable(w);
    struct geo_ir_value *pointer = &x->value, *sum = w->function->parameters[0];
    const struct geo_ir_type *f32 =
        geo_ir_type_pointer(w->module, geo_ir_type_float(w->module, 32), SpvStorageClassFunction);
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_inst *cast = add(w, SpvOpBitcast, i % 2 ? w->pointer : f32, 1, 0, 0);
        cast->operands[0] = pointer;
        pointer = &cast->value;
        struct geo_ir_inst *next = add(w, SpvOpIAdd, w->i32, 2, 0, 0);
        next->operands[0] = sum;
        next->operands[1] = geo_ir_const_int(w->module, w->i32, 3);
        sum = &next->value;
    }
    struct geo_ir_inst *write = add(w, SpvOpStore, w->none, 2, 0, 0);
    write->operands[0] = pointer;
    write->operands[1] = sum;
    effect(w, out, load(w, x));
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

/* Vectors that are taken apart and put together again, thousands of times. */
static void write_composites(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *out = variable(w);
    const struct geo_ir_type *vector = geo_ir_type_vector(w->module, w->i32, 4);
    struct geo_ir_value *value = geo_ir_const_null(w->module, vector);
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_inst *insert = add(w, SpvOpCompositeInsert, vector, 2, 1, 0);
        insert->operands[0] = w->function->parameters[0];
        insert->operands[1] = value;
        insert->literals[0] = i % 3;
        value = &insert->value;
        struct geo_ir_inst *extract = add(w, SpvOpCompositeExtract, w->i32, 1, 1, 0);
        extract->operands[0] = value;
        extract->literals[0] = 3;
        effect(w, out, &extract->value);
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

/* Accesses of all sizes all over one variable; copies of a large struct many times. */
static void write_copies(struct writer *w, uint32_t size)
{
    struct geo_ir_inst *out = variable(w);
    const struct geo_ir_type *array = geo_ir_type_array(w->module, w->i32, 200);
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(w->module, array, SpvStorageClassFunction);
    struct geo_ir_inst *sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = add(w, SpvOpVariable, pointer, 0, 1, 0);
        sides[i]->literals[0] = SpvStorageClassFunction;
    }
    for (uint32_t i = 0; i < size; i++) {
        struct geo_ir_inst *copy = add(w, SpvOpCopyMemory, w->none, 2, 0, 0);
        copy->operands[0] = &sides[i % 2]->value;
        copy->operands[1] = &sides[1 - i % 2]->value;
    }
    struct geo_ir_inst *chain = add(w, SpvOpInBoundsAccessChain, w->pointer, 2, 0, 0);
    chain->operands[0] = &sides[0]->value;
    chain->operands[1] = geo_ir_const_int(w->module, w->i32, 199);
    effect(w, out, load(w, chain));
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

/* A kernel that calls the last of a chain of functions. */
static void calls_write(struct writer *w, uint32_t functions, uint32_t calls)
{
    struct geo_ir_function *kernel = w->function, *last = NULL;
    struct geo_ir_block *kernel_block = w->block;
    for (uint32_t i = 0; i < functions; i++) {
        writer_function(w, NULL);
        struct geo_ir_block *yes = block_new(w), *no = block_new(w);
        w->condition = geo_ir_const_undef(w->module, w->boolean);
        branch(w, yes, no);
        w->block = yes;
        if (last) {
            struct geo_ir_inst *call = add(w, SpvOpFunctionCall, w->none, 2, 0, 0);
            call->operands[0] = &last->value;
            call->operands[1] = w->function->parameters[0];
        }
        add(w, SpvOpReturn, w->none, 0, 0, 0);
        w->block = no;
        add(w, SpvOpReturn, w->none, 0, 0, 0);
        last = w->function;
    }
    w->function = kernel;
    w->block = kernel_block;
    for (uint32_t i = 0; i < calls; i++) {
        struct geo_ir_inst *call = add(w, SpvOpFunctionCall, w->none, 2, 0, 0);
        call->operands[0] = &last->value;
        call->operands[1] = kernel->parameters[0];
    }
    add(w, SpvOpReturn, w->none, 0, 0, 0);
}

static void write_wide_calls(struct writer *w, uint32_t size)
{
    calls_write(w, 1, size);
}

static void write_deep_calls(struct writer *w, uint32_t size)
{
    calls_write(w, size, 1);
}

CASE(tens_of_thousands_of_blocks, write_blocks, 8000, 490, NULL)
CASE(nested_loops, write_nest, 200, 7, NULL)
CASE(loops_nested_too_deep_are_refused, write_nest, 20000, 480, "nest deeper than 256")
CASE(a_loop_with_many_exits_and_values, write_exits, 1500, 140, NULL)
CASE(a_switch_of_five_thousand_cases, write_cases, 5000, 75, NULL)
CASE(tens_of_thousands_of_variables, write_variables, 30000, 2500, NULL)
CASE(a_block_with_ten_thousand_phis, write_joins, 10000, 250, NULL)
CASE(inlining_that_doubles_each_time_is_refused, write_doubling_calls, 160, 52,
     "instructions after inlining")
CASE(a_block_with_twenty_thousand_calls, write_wide_calls, 20000, 60, NULL)
CASE(a_chain_of_five_thousand_calls, write_deep_calls, 5000, 155, NULL)
CASE(long_chains_of_operations, write_operations, 50000, 250, NULL)
CASE(long_chains_of_composites, write_composites, 20000, 1250, NULL)
CASE(a_struct_copied_ten_thousand_times, write_copies, 10000, 2100, NULL)

/* Written out, because scripts/mutants finds no case that a macro makes. */
static void a_block_with_ten_thousand_named_phis(void **state)
{
    (void)state;
    check_work(write_named_joins, 10000, 310 * MILLION, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tens_of_thousands_of_blocks),
        cmocka_unit_test(nested_loops),
        cmocka_unit_test(loops_nested_too_deep_are_refused),
        cmocka_unit_test(a_loop_with_many_exits_and_values),
        cmocka_unit_test(a_switch_of_five_thousand_cases),
        cmocka_unit_test(tens_of_thousands_of_variables),
        cmocka_unit_test(a_block_with_ten_thousand_phis),
        cmocka_unit_test(a_block_with_ten_thousand_named_phis),
        cmocka_unit_test(inlining_that_doubles_each_time_is_refused),
        cmocka_unit_test(a_block_with_twenty_thousand_calls),
        cmocka_unit_test(a_chain_of_five_thousand_calls),
        cmocka_unit_test(long_chains_of_operations),
        cmocka_unit_test(long_chains_of_composites),
        cmocka_unit_test(a_struct_copied_ten_thousand_times),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
