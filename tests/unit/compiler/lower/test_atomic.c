/* Atomics and fences: lanes in turn on shared, own and uniform addresses; combined operations;
 * plain forms for local memory; what instructions come out. Results agree with one lane after
 * another. */
#include "harness.h"

#include "compiler/lower/machine.h"
#include "compiler/lower/state/function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "reference.h"
#include <cmocka.h>

enum cells {
    CELLS_SHARED, /* several lanes meet in one */
    CELLS_ONE,    /* for all: a uniform address */
    CELLS_OWN,    /* consecutive ones */
};

struct atomic_case {
    SpvOp op;
    const char *type;
    bool local; /* Workgroup storage: plain operations */
    bool used;  /* the old value is stored to out[id] */
    enum cells cells;
    bool uniform; /* value */
    bool masked;  /* some lanes are off */
    uint32_t semantics;
};

static bool takes_value(SpvOp op)
{
    return op != SpvOpAtomicIIncrement && op != SpvOpAtomicIDecrement && op != SpvOpAtomicLoad;
}

/* in0: cells, in1: cell numbers (i32), in2: values, in3: comparators */
static uint32_t atomic_build(struct harness *h, const struct atomic_case *test)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *type = harness_type(h, test->type), *word = harness_type(h, "i32");
    struct geo_ir_value *index = test->cells == CELLS_ONE ? NULL
                                 : test->cells == CELLS_OWN
                                     ? fn.id
                                     : harness_load_input(&fn, 1, word, HARNESS_VARYING);
    struct geo_ir_value *operands[6];
    uint32_t count = 3;
    operands[0] =
        harness_element(&fn, 0, type, index,
                        test->local ? SpvStorageClassWorkgroup : SpvStorageClassCrossWorkgroup);
    operands[1] = harness_constant(&fn, word, SpvScopeDevice);
    operands[2] = harness_constant(&fn, word, test->semantics);
    if (test->op == SpvOpAtomicCompareExchange) {
        operands[count++] = harness_constant(&fn, word, test->semantics & ~0xcu);
    }
    if (takes_value(test->op)) {
        operands[count++] =
            harness_load_input(&fn, 2, type, test->uniform ? HARNESS_UNIFORM : HARNESS_VARYING);
    }
    if (test->op == SpvOpAtomicCompareExchange) {
        operands[count++] = harness_load_input(&fn, 3, type, HARNESS_VARYING);
    }
    bool stores = test->op == SpvOpAtomicStore;
    struct geo_ir_inst *inst = harness_add(
        &fn, test->op, stores ? geo_ir_type_void(h->module) : type, operands, count, NULL, 0);
    if (test->used && !stores) {
        harness_store_output(&fn, &inst->value);
    }
    return harness_function_end(&fn, test->masked, NULL);
}

static uint64_t cut(uint32_t bits, uint64_t value)
{
    return bits == 64 ? value : value & ((1ull << bits) - 1);
}

static uint64_t combine(const struct atomic_case *test, uint64_t old, uint64_t value,
                        uint64_t comparator)
{
    uint32_t bits = harness_type_bits(test->type), shift = 64 - bits;
    int64_t a = (int64_t)(old << shift) >> shift, b = (int64_t)(value << shift) >> shift;
    long double x = reference_decode(bits == 8 ? 16 : bits, old);
    long double y = reference_decode(bits == 8 ? 16 : bits, value);
    switch (test->op) {
    case SpvOpAtomicLoad:
        return old;
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
        return value;
    case SpvOpAtomicCompareExchange:
        return old == comparator ? value : old;
    case SpvOpAtomicIIncrement:
        return cut(bits, old + 1);
    case SpvOpAtomicIDecrement:
        return cut(bits, old - 1);
    case SpvOpAtomicIAdd:
        return cut(bits, old + value);
    case SpvOpAtomicISub:
        return cut(bits, old - value);
    case SpvOpAtomicSMin:
        return a < b ? old : value;
    case SpvOpAtomicSMax:
        return a > b ? old : value;
    case SpvOpAtomicUMin:
        return old < value ? old : value;
    case SpvOpAtomicUMax:
        return old > value ? old : value;
    case SpvOpAtomicAnd:
        return old & value;
    case SpvOpAtomicOr:
        return old | value;
    case SpvOpAtomicXor:
        return old ^ value;
    case SpvOpAtomicFAddEXT:
        return reference_encode(bits,
                                bits == 32 ? (long double)((float)x + (float)y)
                                           : (long double)((double)x + (double)y),
                                REFERENCE_RTE);
    case SpvOpAtomicFMinEXT:
        return y < x ? value : old;
    default:
        return y > x ? value : old;
    }
}

static void atomic_check(struct harness *h, const struct atomic_case *test, uint32_t number)
{
    _Alignas(64) uint8_t cells[64 * 8], expected[64 * 8], values[64 * 8], comparators[64 * 8];
    _Alignas(64) uint8_t out[64 * 8];
    uint32_t index[64], lanes = h->options.lanes;
    bool real = harness_type_is_float(test->type);
    for (uint32_t n = 0; n < 64; n++) {
        uint32_t bits = harness_type_bits(test->type);
        long double number_value = (n * 7 % 19) - 9;
        uint64_t value = real ? reference_encode(bits, number_value, REFERENCE_RTE)
                              : cut(bits, (uint64_t)(int64_t)number_value * 0x10001);
        harness_write(test->type, values, n, value);
        harness_write(test->type, comparators, n,
                      n % 2 ? 5 : harness_read(test->type, values, n / 2));
        harness_write(test->type, cells, n, real ? value : 5);
        index[n] = n % 5;
    }
    memcpy(expected, cells, sizeof(cells));
    for (uint32_t base = 0; base + lanes <= 48; base += lanes) {
        uint64_t all = (UINT64_C(1) << lanes) - 1;
        uint64_t mask = lanes == 1 || !test->masked ? all : 0x36d5b6d7 >> (base / lanes) & all;
        void *inputs[HARNESS_INPUTS] = {cells, index, values, comparators};
        memset(out, 0xee, sizeof(out));
        harness_call(h, number, inputs, out, base, mask);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t id = base + lane;
            uint32_t cell = test->cells == CELLS_ONE   ? 0
                            : test->cells == CELLS_OWN ? id
                                                       : index[id];
            uint64_t old = harness_read(test->type, expected, cell);
            if (mask >> lane & 1) {
                uint64_t value = harness_read(test->type, values, test->uniform ? 0 : id);
                uint64_t comparator = harness_read(test->type, comparators, id);
                harness_write(test->type, expected, cell, combine(test, old, value, comparator));
            }
            if (test->used && test->op != SpvOpAtomicStore) {
                uint64_t got = harness_read(test->type, out, id);
                uint32_t bytes = harness_type_bytes(test->type);
                uint64_t untouched = cut(bytes * 8, 0xeeeeeeeeeeeeeeee);
                assert_int_equal(got, mask >> lane & 1 ? old : untouched);
            }
        }
        if (memcmp(cells, expected, sizeof(cells)) != 0) {
            print_error("op %d %s local %d used %d cells %d uniform %d masked %d W=%u base %u\n",
                        test->op, test->type, test->local, test->used, (int)test->cells,
                        test->uniform, test->masked, lanes, base);
        }
        assert_memory_equal(cells, expected, sizeof(cells));
    }
}

static uint32_t atomic_list(struct atomic_case *cases)
{
    static const SpvOp on_integers[] = {SpvOpAtomicLoad,       SpvOpAtomicStore,
                                        SpvOpAtomicExchange,   SpvOpAtomicCompareExchange,
                                        SpvOpAtomicIIncrement, SpvOpAtomicIDecrement,
                                        SpvOpAtomicIAdd,       SpvOpAtomicISub,
                                        SpvOpAtomicSMin,       SpvOpAtomicUMin,
                                        SpvOpAtomicSMax,       SpvOpAtomicUMax,
                                        SpvOpAtomicAnd,        SpvOpAtomicOr,
                                        SpvOpAtomicXor};
    static const SpvOp on_floats[] = {SpvOpAtomicLoad,    SpvOpAtomicStore,   SpvOpAtomicExchange,
                                      SpvOpAtomicFAddEXT, SpvOpAtomicFMinEXT, SpvOpAtomicFMaxEXT};
    static const char *const types[] = {"i32", "i64", "f32", "f64", "f16"};
    static const uint32_t semantics[] = {0, 2, 4, 8, 16};
    uint32_t count = 0;
    for (uint32_t t = 0; t < 5; t++) {
        uint32_t ops = t < 2 ? sizeof(on_integers) / sizeof(on_integers[0])
                             : sizeof(on_floats) / sizeof(on_floats[0]);
        for (uint32_t i = 0; i < ops; i++) {
            for (uint32_t form = 0; form < 24; form++) {
                SpvOp op = t < 2 ? on_integers[i] : on_floats[i];
                cases[count] = (struct atomic_case){.op = op,
                                                    .type = types[t],
                                                    .local = form & 1,
                                                    .used = form & 2,
                                                    .cells = (enum cells)(form >> 3),
                                                    .masked = form & 4,
                                                    .uniform = count % 3 == 0,
                                                    .semantics = semantics[count % 5]};
                count++;
            }
        }
    }
    return count;
}

/* SPV-16 */
static void lanes_operate_in_turn(void **state)
{
    (void)state;
    static struct atomic_case cases[1536];
    static const struct {
        const char *cpu;
        uint32_t lanes;
        bool optimize;
    } runs[] = {{"x86-64", 8, false},
                {"x86-64-v3", 1, true},
                {"x86-64-v3", 8, true},
                {"x86-64-v4", 16, true},
                {"x86-64-v4", 32, true}};
    uint32_t count = atomic_list(cases);
    for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++) {
        struct harness h;
        harness_begin(&h, runs[r].cpu, runs[r].lanes, runs[r].optimize);
        for (uint32_t i = 0; i < count; i++) {
            atomic_build(&h, &cases[i]);
        }
        if (harness_load(&h)) {
            for (uint32_t i = 0; i < count; i++) {
                atomic_check(&h, &cases[i], i);
            }
        }
        harness_end(&h);
    }
}

/* ---- flags ---- */

static void flags_are_set_and_cleared(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 8};
    for (uint32_t w = 0; w < 2; w++) {
        struct harness h;
        struct harness_function fn;
        harness_begin(&h, "x86-64-v2", widths[w], true);
        const struct geo_ir_type *word = harness_type(&h, "i32");
        for (uint32_t i = 0; i < 2; i++) {
            harness_function_begin(&h, &fn);
            struct geo_ir_value *index = harness_load_input(&fn, 1, word, HARNESS_VARYING);
            struct geo_ir_value *operands[3] = {
                harness_element(&fn, 0, word, index, SpvStorageClassCrossWorkgroup),
                harness_constant(&fn, word, SpvScopeDevice), harness_constant(&fn, word, 16)};
            if (i) {
                harness_add(&fn, SpvOpAtomicFlagClear, geo_ir_type_void(h.module), operands, 3,
                            NULL, 0);
            } else {
                harness_store_output(&fn, &harness_add(&fn, SpvOpAtomicFlagTestAndSet,
                                                       harness_type(&h, "b"), operands, 3, NULL, 0)
                                               ->value);
            }
            harness_function_end(&fn, false, NULL);
        }
        if (harness_load(&h)) {
            uint32_t cells[4] = {0}, index[8] = {0, 1, 1, 2, 0, 0, 1, 2};
            uint8_t out[8];
            for (uint32_t base = 0; base < 8; base += widths[w]) {
                void *inputs[HARNESS_INPUTS] = {cells, index};
                harness_call(&h, 0, inputs, out, base, ~0ull);
            }
            /* The first lane to come finds a flag clear. */
            static const uint8_t seen[8] = {0, 0, 1, 0, 1, 1, 1, 1};
            assert_memory_equal(out, seen, 8);
            assert_true(cells[0] && cells[1] && cells[2] && !cells[3]);
            for (uint32_t base = 0; base < 8; base += widths[w]) {
                void *inputs[HARNESS_INPUTS] = {cells, index};
                harness_call(&h, 1, inputs, out, base, ~0ull);
            }
            assert_true(!cells[0] && !cells[1] && !cells[2]);
        }
        harness_end(&h);
    }
}

/* ---- what was emitted ---- */

static uint32_t count_text(struct harness *h, uint32_t number, const char *what)
{
    char *text = harness_text(h, number);
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
        count++;
    }
    LLVMDisposeMessage(text);
    return count;
}

static void forms_are_as_cheap_as_they_may_be(void **state)
{
    (void)state;
    struct harness h;
    harness_begin(&h, "x86-64-v3", 8, true);
    /* One address, integers: one operation and no loop, used or not. */
    struct atomic_case test = {
        .op = SpvOpAtomicIAdd, .type = "i32", .cells = CELLS_ONE, .masked = true};
    for (uint32_t used = 0; used < 2; used++) {
        test.used = used;
        uint32_t number = atomic_build(&h, &test);
        assert_int_equal(count_text(&h, number, "atomicrmw"), 1);
        assert_int_equal(count_text(&h, number, "phi"), 0);
    }
    /* Floats: one exchange for all lanes. */
    struct atomic_case sum = {.op = SpvOpAtomicFAddEXT, .type = "f32", .cells = CELLS_ONE};
    uint32_t floats = atomic_build(&h, &sum);
    assert_int_equal(count_text(&h, floats, "cmpxchg"), 1);
    assert_int_equal(count_text(&h, floats, "fadd"), 8);
    /* Lanes that are off write where nothing is: no loop. Where others see it there is one. */
    test.cells = CELLS_SHARED;
    assert_int_equal(count_text(&h, atomic_build(&h, &test), "phi") > 0, true);
    test.local = true;
    uint32_t shared = atomic_build(&h, &test);
    assert_int_equal(count_text(&h, shared, "atomic"), 0);
    assert_int_equal(count_text(&h, shared, "phi"), 0);
    assert_int_equal(count_text(&h, shared, "store i32"), 8);
    /* Lanes of their own: vectors. */
    test.cells = CELLS_OWN;
    uint32_t own = atomic_build(&h, &test);
    assert_int_equal(count_text(&h, own, "extractelement"), 0);
    assert_int_equal(count_text(&h, own, "add <8 x i32>"), 1);
    test.local = false;
    assert_int_equal(count_text(&h, atomic_build(&h, &test), "atomicrmw"), 1);
    harness_end(&h);
}

/* Counts the instructions of the operation without optimisations, in which nothing is merged. */
static void operations_that_change_nothing_are_loads(void **state)
{
    (void)state;
    static const SpvOp ops[] = {SpvOpAtomicUMin, SpvOpAtomicSMax, SpvOpAtomicOr};
    struct harness h;
    for (uint32_t lanes = 1; lanes <= 8; lanes += 7) {
        harness_begin(&h, "x86-64-v3", lanes, false);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t form = 0; form < 6; form++) {
                struct atomic_case test = {.op = ops[i],
                                           .type = "i32",
                                           .cells = (enum cells)(form / 2),
                                           .used = form % 2,
                                           .masked = true};
                uint32_t number = atomic_build(&h, &test);
                assert_int_equal(count_text(&h, number, "atomicrmw"), 1);
                assert_int_equal(count_text(&h, number, "\nchange"),
                                 lanes == 1 || test.cells == CELLS_ONE || test.used);
                assert_int_equal(count_text(&h, number, "icmp ne <8 x i32>"),
                                 lanes == 8 && test.cells != CELLS_ONE);
                /* Others synchronise with the store of a release, whatever it stores. */
                test.semantics = 8;
                number = atomic_build(&h, &test);
                assert_int_equal(count_text(&h, number, "atomicrmw"), 1);
                assert_int_equal(count_text(&h, number, "\nchange"), 0);
                assert_int_equal(count_text(&h, number, "icmp ne <8 x i32>"), 0);
            }
        }
        harness_end(&h);
    }
}

static uint32_t fence_build(struct harness *h, SpvScope scope, uint32_t semantics)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *word = harness_type(h, "i32");
    struct geo_ir_value *operands[2] = {harness_constant(&fn, word, scope),
                                        harness_constant(&fn, word, semantics)};
    harness_add(&fn, SpvOpMemoryBarrier, geo_ir_type_void(h->module), operands, 2, NULL, 0);
    return harness_function_end(&fn, false, NULL);
}

static void fences_follow_scope_and_semantics(void **state)
{
    (void)state;
    struct harness h;
    harness_begin(&h, "x86-64-v3", 8, true);
    assert_int_equal(count_text(&h, fence_build(&h, SpvScopeDevice, 0x210), "fence seq_cst"), 1);
    assert_int_equal(count_text(&h, fence_build(&h, SpvScopeDevice, 0x208), "fence acq_rel"), 1);
    assert_int_equal(count_text(&h, fence_build(&h, SpvScopeDevice, 0x200), "fence"), 0);
    assert_int_equal(count_text(&h, fence_build(&h, SpvScopeWorkgroup, 0x110),
                                "fence syncscope(\"singlethread\") seq_cst"),
                     1);
    harness_load(&h);
    harness_end(&h);
}

/* ---- another machine ---- */

static unsigned scope_of_a_block(struct geo_lower_function *f, const struct geo_ir_value *scope)
{
    (void)scope;
    return LLVMGetSyncScopeID(f->llvm.context, "block", 5);
}

/* On a machine whose groups run on several threads, local memory has atomic instructions, with the
 * scopes that the machine says. */
static void the_machine_says_which_atomics_are_instructions(void **state)
{
    (void)state;
    static const SpvOp ops[] = {SpvOpAtomicLoad, SpvOpAtomicStore, SpvOpAtomicIAdd,
                                SpvOpAtomicCompareExchange};
    struct geo_lower_machine machine = geo_lower_cpu;
    machine.plain_local = false;
    machine.sync_scope = scope_of_a_block;
    struct harness h;
    harness_begin(&h, "x86-64-v3", 1, true);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        struct atomic_case test = {.op = ops[i], .type = "i32", .local = true, .used = true};
        h.lower.machine = &geo_lower_cpu;
        assert_int_equal(count_text(&h, atomic_build(&h, &test), "syncscope"), 0);
        h.lower.machine = &machine;
        uint32_t number = atomic_build(&h, &test);
        assert_int_equal(count_text(&h, number, "syncscope(\"block\")"), 1);
    }
    /* a loop: its load, and its exchange */
    struct atomic_case sum = {.op = SpvOpAtomicFAddEXT, .type = "f32", .local = true};
    assert_int_equal(count_text(&h, atomic_build(&h, &sum), "syncscope(\"block\")"), 2);
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_operate_in_turn),
        cmocka_unit_test(flags_are_set_and_cleared),
        cmocka_unit_test(forms_are_as_cheap_as_they_may_be),
        cmocka_unit_test(operations_that_change_nothing_are_loads),
        cmocka_unit_test(fences_follow_scope_and_semantics),
        cmocka_unit_test(the_machine_says_which_atomics_are_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
