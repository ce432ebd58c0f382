/* Every row of src/compiler/lower/llvm_faults.def: with the workaround the result is right, and
 * where LLVM is trusted there is none, or a wrong one. A row whose second half fails is no longer
 * needed. Each build and run has a process of its own, since trust may cost it. */
#include "../lower/program.h"

#include "compiler/codegen/internal.h"

#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ITEMS 64

/* Of the chains that show squares: length, and what four times the length may take. */
#define CHAIN        2000u
#define CHAIN_GROWTH 8.5

/* Processor time after which a build is taken to go on for ever. */
#define ENDLESS_SECONDS 10

enum outcome {
    RIGHT,
    WRONG,     /* other results */
    NOTHING,   /* no result: the process ended */
    ELSEWHERE, /* the machine lacks the instructions */
};

/* ---- kernels ---- */

struct memory {
    uint32_t in[4 * ITEMS], out[4 * ITEMS];
};

static void expect_store_of_one_lane(const struct memory *m, struct memory *after)
{
    uint8_t *out = (uint8_t *)after->out;
    for (size_t i = 0; i < ITEMS; i++) {
        if (i % 16 == 0) {
            out[i] = (uint8_t)(m->in[i] >> 9);
        }
    }
}

static void expect_shuffled_masked_load(const struct memory *m, struct memory *after)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t next = i ^ 1, own = (2u << i % 8) - 1, others = (2u << next % 8) - 1;
        bool on = m->in[i] & 2, next_on = m->in[next] & 2;
        after->out[i] = !on ? 7 : next_on ? m->in[next] : m->in[ITEMS + next];
        after->out[ITEMS + i] = !on ? 9 : own | (next_on ? others : 0);
    }
}

static void expect_masked_bit_select(const struct memory *m, struct memory *after)
{
    for (size_t i = 0; i < ITEMS; i++) {
        uint32_t x = m->in[i], y = m->in[ITEMS + i];
        bool on = (int32_t)m->in[2 * ITEMS + i] > 0;
        after->out[i] = on ? (x & ~1u) | (y & 1u) : x;
        after->out[ITEMS + i] = on ? (x & ~2u) | (y & 2u) : y;
        after->out[2 * ITEMS + i] = on ? x : (x & ~3u) | (y & 3u);
    }
}

static void expect_cut_mask_moved(const struct memory *m, struct memory *after)
{
    for (size_t i = 0; i < ITEMS; i++) {
        uint32_t sum = m->in[i];
        for (uint32_t k = 0; k < 12; k++) {
            sum = sum * 3 ^ 0xffff;
        }
        after->out[i] = sum;
    }
}

static void expect_repeated_bytes(const struct memory *m, struct memory *after)
{
    for (size_t i = 0; i < ITEMS; i++) {
        int x = (int8_t)m->in[i], y = (int8_t)m->in[ITEMS + i];
        after->out[i] = (uint8_t)((x + y + 1) >> 1);
    }
}

static void expect_moved_masked_load(const struct memory *m, struct memory *after)
{
    for (size_t i = 0; i < ITEMS; i++) {
        bool on = m->in[i] & 1;
        after->in[i] = on ? m->out[i] : 7;
        after->out[i] = on ? 100 : m->out[i];
    }
}

static void expect_floats_in_result(const struct memory *m, struct memory *after)
{
    for (size_t i = 0; i < ITEMS; i++) {
        uint32_t in = m->in[i], *out = &after->out[4 * i];
        out[3] = in;
        out[2] = in | 1;
        out[1] = in ^ 2;
        out[0] = ~in;
    }
}

/* A kernel of kernels/llvm_faults.cl that shows a fault, at the least level of the CPU and with the
 * lanes that show it. */
struct witness {
    enum geo_llvm_fault fault;
    const char *kernel;
    uint32_t lanes;
    const char *cpu;
    void (*expect)(const struct memory *before, struct memory *after);
};

static const struct witness witnesses[] = {
    {GEO_LLVM_STORE_OF_ONE_LANE, "store_of_one_lane", 16, "x86-64-v4", expect_store_of_one_lane},
    {GEO_LLVM_SHUFFLED_MASKED_LOAD, "shuffled_masked_load", 8, "x86-64-v4",
     expect_shuffled_masked_load},
    {GEO_LLVM_MASKED_BIT_SELECT, "masked_bit_select", 16, "x86-64-v4", expect_masked_bit_select},
    {GEO_LLVM_CUT_MASK_MOVED, "cut_mask_moved", 32, "x86-64-v4", expect_cut_mask_moved},
    {GEO_LLVM_REPEATED_BYTES, "repeated_bytes", 16, "x86-64-v4", expect_repeated_bytes},
    {GEO_LLVM_MOVED_MASKED_LOAD, "moved_masked_load", 8, "x86-64-v3", expect_moved_masked_load},
    {GEO_LLVM_FLOATS_IN_RESULT, "floats_in_result", 1, "x86-64-v2", expect_floats_in_result},
};

static enum outcome kernel_run(const struct witness *witness, uint32_t trusted)
{
    const struct program_options options = {
        .lanes = witness->lanes, .optimize = true, .cpu = witness->cpu, .trusted = trusted};
    const struct program_launch launch = {.groups = {ITEMS / 16, 1, 1}, .local = {16, 1, 1}};
    struct program *program = program_build("llvm_faults_O2", &options);
    if (!program_runs(program)) {
        return ELSEWHERE;
    }
    struct memory before, after, wanted;
    uint32_t random = 1;
    for (size_t i = 0; i < 4 * ITEMS; i++) {
        random = random * 1664525 + 1013904223;
        before.in[i] =
            i % 5 == 1 ? 0x7f800001 | random >> 10 : random; /* a fifth signalling NaNs */
        before.out[i] = ~random;
    }
    after = wanted = before;
    witness->expect(&before, &wanted);
    const struct program_argument arguments[] = {PROGRAM_POINTER(after.in),
                                                 PROGRAM_POINTER(after.out)};
    program_run(program, witness->kernel, &launch, arguments, 2);
    program_destroy(program);
    return memcmp(&after, &wanted, sizeof(after)) == 0 ? RIGHT : WRONG;
}

/* ---- the library's ways ---- */

static void fatal_is_told(const char *reason)
{
    (void)reason;
    _exit(RIGHT);
}

static ze_result_t emit(LLVMModuleRef module, uint32_t trusted, bool guarded)
{
    struct geo_lower_result lowered = {.module = module};
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    void *object;
    size_t bytes;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_target_create("x86-64-v4", &target, &log), ZE_RESULT_SUCCESS);
    geo_codegen_target_trust(target, trusted);
    if (guarded) {
        geo_codegen_guard_fatal_error(fatal_is_told);
    }
    ze_result_t result =
        geo_codegen_emit(target, geo_ir_module_create(1 << 20), &lowered,
                         &(struct geo_codegen_notes){0}, GEO_CODEGEN_FULL, &object, &bytes, &log);
    assert_int_equal(result == ZE_RESULT_SUCCESS, object != NULL);
    return result;
}

/* Emits a function that LLVM cannot: one of another machine, or one with a register that is none.
 * Right is an error of ours. */
static enum outcome emission_run(enum geo_llvm_fault fault, uint32_t trusted)
{
    static const char foreign[] = "llvm.nvvm.read.ptx.sreg.tid.x";
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMTypeRef type = LLVMFunctionType(word, NULL, 0, 0);
    LLVMValueRef f = LLVMAddFunction(module, "f", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef callee =
        fault == GEO_LLVM_FATAL_ERROR
            ? LLVMGetIntrinsicDeclaration(
                  module, LLVMLookupIntrinsicID(foreign, sizeof(foreign) - 1), NULL, 0)
            : LLVMGetInlineAsm(type, "", 0, "={nothing}", 10, 1, 0, LLVMInlineAsmDialectATT, 0);
    LLVMBuildRet(builder, LLVMBuildCall2(builder, type, callee, NULL, 0, ""));
    LLVMDisposeBuilder(builder);

    ze_result_t result = emit(module, trusted, !(trusted & GEO_LLVM_FATAL_ERROR));
    return result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ? RIGHT : WRONG;
}

/* ---- time ---- */

/* A sum of `count` products, each of which the next one goes on from. */
static LLVMModuleRef chain_make(uint32_t count)
{
    enum { VARIABLES = 16 };
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef vector = LLVMVectorType(LLVMInt32TypeInContext(context), 16);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, 0);
    LLVMValueRef f = LLVMAddFunction(module, "f", type), memory = LLVMGetParam(f, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef values[VARIABLES], factor = LLVMBuildLoad2(b, vector, memory, ""), sum = factor;
    for (uint32_t i = 0; i < VARIABLES; i++) {
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(context), i + 1, 0);
        LLVMValueRef place = LLVMBuildGEP2(b, vector, memory, &at, 1, "");
        values[i] = LLVMBuildLoad2(b, vector, place, "");
    }
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef *value = &values[i % VARIABLES];
        *value = LLVMBuildMul(b, *value, factor, "");
        sum = LLVMBuildAdd(b, sum, *value, "");
    }
    LLVMBuildStore(b, sum, memory);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return module;
}

/* Processor time; the least of some. */
static double chain_ms(uint32_t count, uint32_t trusted)
{
    double least = 0;
    for (int round = 0; round < 2; round++) {
        struct timespec begin, end;
        LLVMModuleRef module = chain_make(count);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        assert_int_equal(emit(module, trusted, false), ZE_RESULT_SUCCESS);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        double ms =
            (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
        least = round == 0 || ms < least ? ms : least;
    }
    return least;
}

/* Four times the chain: right is about four times the time, wrong what begins to be the square. */
static enum outcome growth_run(uint32_t trusted)
{
    return chain_ms(4 * CHAIN, trusted) < CHAIN_GROWTH * chain_ms(CHAIN, trusted) ? RIGHT : WRONG;
}

/* Needs a processor that does nothing else: `make test-long` asks for it. */
static bool is_of_time(enum geo_llvm_fault fault)
{
    return fault == GEO_LLVM_CHAINS_SQUARED || fault == GEO_LLVM_BLOCKS_COUNTED;
}

/* ---- each row ---- */

static enum outcome fault_run(enum geo_llvm_fault fault, uint32_t trusted)
{
    for (size_t i = 0; i < sizeof(witnesses) / sizeof(witnesses[0]); i++) {
        if (witnesses[i].fault == fault) {
            return kernel_run(&witnesses[i], trusted);
        }
    }
    return is_of_time(fault) ? growth_run(trusted) : emission_run(fault, trusted);
}

static enum outcome outcome_of(enum geo_llvm_fault fault, uint32_t trusted)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (fault == GEO_LLVM_REPEATED_BYTES) {
            setrlimit(RLIMIT_CPU, &(struct rlimit){ENDLESS_SECONDS, ENDLESS_SECONDS});
        }
        if (trusted && !freopen("/dev/null", "w", stderr)) {
            _exit(NOTHING);
        }
        _exit((int)fault_run(fault, trusted));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) && WEXITSTATUS(status) <= (int)ELSEWHERE
               ? (enum outcome)WEXITSTATUS(status)
               : NOTHING;
}

/* One row; *state is its bit. */
static void worked_around_and_needed(void **state)
{
    enum geo_llvm_fault fault = *(const enum geo_llvm_fault *)*state;
    if (is_of_time(fault) && !getenv("GEOID_TEST_TIMES")) {
        skip();
    }
    enum outcome with = outcome_of(fault, 0);
    if (with == ELSEWHERE) {
        skip();
    }
    assert_int_equal(with, RIGHT);
    enum outcome without = outcome_of(fault, (uint32_t)fault);
    assert_true(without == WRONG || without == NOTHING);
}

/* Cuts the chains of a module and disposes of it. Returns the number of fences. */
static uint32_t fences_after(LLVMModuleRef module)
{
    uint32_t fences = 0;
    geo_codegen_chains_cut(module);
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "f"));
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        fences += LLVMIsACallInst(i) != NULL;
    }
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return fences;
}

/* A fence for every 63 operations: what is behind it counts as one more. */
static void long_chains_are_cut(void **state)
{
    (void)state;
    assert_in_range(fences_after(chain_make(CHAIN)), CHAIN / 64, CHAIN / 32);
}

/* A sum of TREE loads, made by pairs: no path has more than 9 operations. */
static void wide_trees_are_cut(void **state)
{
    (void)state;
    enum { TREE = 512 };
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, 0);
    LLVMValueRef f = LLVMAddFunction(module, "f", type), memory = LLVMGetParam(f, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef values[TREE];
    for (uint32_t i = 0; i < TREE; i++) {
        LLVMValueRef at = LLVMConstInt(word, i, 0);
        values[i] = LLVMBuildLoad2(b, word, LLVMBuildGEP2(b, word, memory, &at, 1, ""), "");
    }
    for (uint32_t left = TREE / 2; left > 0; left /= 2) {
        for (uint32_t i = 0; i < left; i++) {
            values[i] = LLVMBuildAdd(b, values[2 * i], values[2 * i + 1], "");
        }
    }
    LLVMBuildStore(b, values[0], memory);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    /* One at each sum of two sums that have 64 leaves or more. */
    assert_int_equal(fences_after(module), TREE / 64 - 1);
}

int main(void)
{
    static enum geo_llvm_fault faults[] = {
#define GEO_LLVM_FAULT(name, version, place, what) GEO_LLVM_##name,
#include "compiler/lower/llvm_faults.def"
#undef GEO_LLVM_FAULT
    };
    static const char *const names[] = {
#define GEO_LLVM_FAULT(name, version, place, what) #name,
#include "compiler/lower/llvm_faults.def"
#undef GEO_LLVM_FAULT
    };
    struct CMUnitTest tests[GEO_LLVM_FAULT_COUNT + 2] = {
        [GEO_LLVM_FAULT_COUNT] = cmocka_unit_test(long_chains_are_cut),
        [GEO_LLVM_FAULT_COUNT + 1] = cmocka_unit_test(wide_trees_are_cut),
    };
    for (size_t i = 0; i < GEO_LLVM_FAULT_COUNT; i++) {
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = worked_around_and_needed, .initial_state = &faults[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
