/* The SIMT machine: operations of sub-groups and work-groups in the interpreter, the code of
 * atomics and barriers, and what is refused. */
#include "corpus_module.h"
#include "simt.h"

#include "compiler/codegen/ptx/ptx.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LANES 32u

/* One kernel of kernels/groups.cl, lowered. */
struct fixture {
    struct geo_facade_lowered lowered;
    const struct geo_lower_kernel *kernel;
    struct simt *simt;
};

static void open_kernel(struct fixture *f, const char *kernel)
{
    char text[SIMT_TEXT];
    if (!corpus_module_lower(GROUPS, NULL, kernel, &f->lowered, text, sizeof(text))) {
        fail_msg("%s", text);
    }
    assert_int_equal(f->lowered.result.kernel_count, 1);
    f->kernel = &f->lowered.result.kernels[0];
    f->simt = simt_create(f->lowered.result.module, text);
    if (!f->simt) {
        fail_msg("%s", text);
    }
}

static void close_kernel(struct fixture *f)
{
    simt_destroy(f->simt);
    geo_facade_build_lowered_finish(&f->lowered);
}

/* Launches the kernel with a block of arguments that the caller has filled. */
static void launch(struct fixture *f, const uint32_t groups, const uint32_t local[3],
                   const void *block, uint64_t seed)
{
    char text[SIMT_TEXT];
    const uint64_t none = 0;
    const uint32_t work_dim = 3;
    const struct simt_argument arguments[] = {
        {block, f->kernel->argument_bytes}, {&none, 8}, {&none, 8}, {&none, 8}, {&work_dim, 4}};
    const struct simt_launch run = {.kernel = f->kernel->symbol,
                                    .groups = {groups, 1, 1},
                                    .local = {local[0], local[1], local[2]},
                                    .arguments = arguments,
                                    .argument_count = 5,
                                    .shared_bytes = f->kernel->local_bytes,
                                    .seed = seed,
                                    .step_limit = 100000000};
    if (!simt_run(f->simt, &run, text)) {
        fail_msg("%s", text);
    }
}

/* Runs a kernel of two buffers. */
static void run_two(const char *kernel, uint32_t groups, const uint32_t local[3], void *in,
                    size_t in_bytes, void *out, size_t out_bytes, uint64_t seed)
{
    struct fixture f;
    uint64_t block[8] = {0};
    open_kernel(&f, kernel);
    assert_true(f.kernel->argument_bytes <= sizeof(block));
    block[f.kernel->argument_offsets[0] / 8] = simt_buffer_add(f.simt, in, in_bytes, 0);
    block[f.kernel->argument_offsets[1] / 8] = simt_buffer_add(f.simt, out, out_bytes, 0);
    launch(&f, groups, local, block, seed);
    close_kernel(&f);
}

static uint32_t popcount(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

/* The rows of kernel `subgroups` for the items [0, lanes) of one sub-group. `out` has row 0 of the
 * first item; rows are n apart. */
static void expect_subgroup(int *out, uint32_t n, const int *x, uint32_t lanes, uint32_t number,
                            uint32_t count)
{
    int sum = 0, any = 0, all = 1, running = 0, before = INT32_MIN, halves = 0;
    uint32_t least = UINT32_MAX, votes = 0;
    for (uint32_t k = 0; k < lanes; k++) {
        sum += x[k];
        least = (uint32_t)x[k] < least ? (uint32_t)x[k] : least;
        any |= x[k] == 7;
        all &= x[k] > -90;
        votes |= (uint32_t)(x[k] & 1) << k;
        halves += x[k] & 15;
    }
    for (uint32_t k = 0; k < lanes; k++) {
        int *o = out + k, cluster = 0;
        running += x[k];
        for (uint32_t c = k & ~3u; c < lanes && c < (k & ~3u) + 4; c++) {
            cluster += x[c];
        }
        const int rows[] = {sum,
                            running,
                            before,
                            (int)least,
                            all + 2 * any,
                            x[3],
                            (k ^ 1) < lanes ? x[k ^ 1] : 0,
                            x[(k * 3 + 1) % lanes],
                            (int)lanes,
                            (int)k,
                            (int)number,
                            (int)count,
                            (int)votes,
                            (int)popcount(votes & ((1u << k) - 1)),
                            (int)(votes >> k & 1),
                            cluster,
                            halves,
                            (int)((1u << k) - 1)};
        before = x[k] > before ? x[k] : before;
        for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
            o[r * n] = rows[r];
        }
    }
}

#define ROWS 18u

/* Groups of whole and of partial sub-groups, also in several dimensions. */
static void subgroups_compute_what_loops_do(void **state)
{
    static const uint32_t locals[][3] = {{64, 1, 1}, {44, 1, 1}, {10, 3, 2}, {5, 1, 1}};
    (void)state;
    for (size_t s = 0; s < sizeof(locals) / sizeof(locals[0]); s++) {
        uint32_t items = locals[s][0] * locals[s][1] * locals[s][2];
        uint32_t groups = locals[s][1] > 1 ? 1 : 2; /* linear ids of one group are consecutive */
        uint32_t n = groups * items;
        int *in = calloc(n, 4), *out = calloc(ROWS * n, 4), *wanted = calloc(ROWS * n, 4);
        assert_true(in && out && wanted);
        for (uint32_t i = 0; i < n; i++) {
            in[i] = (int)(i * 2654435761u >> 20) % 200 - 95;
        }
        run_two("subgroups", groups, locals[s], in, n * 4, out, ROWS * n * 4, s);
        for (uint32_t at = 0; at < n;) {
            uint32_t first = at % items, lanes = items - first < LANES ? items - first : LANES;
            expect_subgroup(wanted + at, n, in + at, lanes, first / LANES,
                            (items + LANES - 1) / LANES);
            if (lanes % 2) { /* the last lane has no partner */
                wanted[6 * n + at + lanes - 1] = out[6 * n + at + lanes - 1];
            }
            at += lanes;
        }
        for (uint32_t i = 0; i < ROWS * n; i++) {
            if (out[i] != wanted[i]) {
                fail_msg("shape %zu, row %u, item %u of %u: %d, not %d", s, i / n, i % n, n, out[i],
                         wanted[i]);
            }
        }
        free(in);
        free(out);
        free(wanted);
    }
}

/* The order of the items, so that the results are equal bit by bit. */
static void collectives_keep_the_order_of_items(void **state)
{
    enum { LOCAL = 50, GROUPS_RUN = 2, N = LOCAL * GROUPS_RUN };
    static const uint32_t local[3] = {LOCAL, 1, 1};
    float in[N], out[7 * N], wanted[7 * N];
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        in[i] = (float)((i * 2654435761u >> 8) % 100000) * 1.7e-3f - 40.0f;
    }
    for (uint32_t g = 0; g < N; g += LOCAL) {
        float sum = -0.0f, before = 0.0f, most = -__builtin_inff();
        int numbers = 0, greatest = INT32_MIN;
        for (uint32_t i = g; i < g + LOCAL; i++) {
            wanted[2 * N + i] = before;
            wanted[3 * N + i] = most;
            sum += in[i];
            before += in[i];
            most = in[i] > most ? in[i] : most;
            numbers += (int)i;
            greatest = (int)in[i] > greatest ? (int)in[i] : greatest;
            wanted[N + i] = sum;
            wanted[4 * N + i] = (float)numbers;
        }
        for (uint32_t i = g; i < g + LOCAL; i++) {
            wanted[i] = sum;
            wanted[5 * N + i] = (float)greatest;
            wanted[6 * N + i] = in[g + 2];
        }
    }
    for (uint64_t seed = 0; seed < 4; seed++) {
        memset(out, 0, sizeof(out));
        run_two("scans", GROUPS_RUN, local, in, sizeof(in), out, sizeof(out), seed);
        assert_memory_equal(out, wanted, sizeof(out));
    }
}

/* ---- code ---- */

static char *ptx_of(const char *kernel)
{
    struct geo_facade_lowered lowered;
    struct geo_strbuf log;
    char text[SIMT_TEXT], *ptx = NULL;
    geo_strbuf_init(&log, 0);
    if (!corpus_module_lower(GROUPS, NULL, kernel, &lowered, text, sizeof(text))) {
        fail_msg("%s", text);
    }
    if (geo_codegen_ptx_emit(lowered.result.module, "sm_90", true, &ptx, &log) !=
        ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    geo_facade_build_lowered_finish(&lowered);
    return ptx;
}

/* Fails unless the texts stand in the PTX in this order. */
static void expect_sequence(const char *ptx, const char *const *parts)
{
    const char *at = ptx;
    for (size_t i = 0; parts[i]; i++) {
        const char *found = strstr(at, parts[i]);
        if (!found) {
            fail_msg("\"%s\" is not behind the others in:\n%s", parts[i], ptx);
        }
        at = found + strlen(parts[i]);
    }
}

static void atomics_keep_their_order_and_scope(void **state)
{
    static const char *const parts[] = {
        ".global.add.u32", "fence.acq_rel.gpu", ".global.or.b32",    "fence.acq_rel.gpu",
        "fence.sc.cta",    ".global.xor.b32",   "fence.acq_rel.cta", NULL};
    (void)state;
    char *ptx = ptx_of("atomics");
    expect_sequence(ptx, parts);
    free(ptx);
}

/* LLVM's empty scope is the system's, beyond one GPU. */
static void atomics_of_the_system_have_its_scope(void **state)
{
    static const char text[] =
        "define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n"
        "  %a = atomicrmw max ptr addrspace(1) %p, i32 9 release\n"
        "  %b = atomicrmw sub ptr addrspace(1) %q, i64 9 monotonic\n"
        "  ret void\n"
        "}\n";
    static const char *const parts[] = {"fence.acq_rel.sys", "atom.sys.max.s32", "atom.sys.add.u64",
                                        NULL};
    (void)state;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    struct geo_strbuf log;
    char *ptx = NULL;
    geo_strbuf_init(&log, 0);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof(text) - 1, "test");
    assert_false(LLVMParseIRInContext(context, buffer, &module, NULL));
    assert_int_equal(geo_codegen_ptx_prepare(module, "sm_80", &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_codegen_ptx_emit(module, "sm_80", true, &ptx, &log), ZE_RESULT_SUCCESS);
    expect_sequence(ptx, parts);
    free(ptx);
    geo_strbuf_finish(&log);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void barriers_are_aligned_where_all_items_come(void **state)
{
    (void)state;
    char *ptx = ptx_of("together");
    assert_non_null(strstr(ptx, "bar.sync"));
    free(ptx);
    ptx = ptx_of("early");
    assert_null(strstr(ptx, "bar.sync"));
    assert_non_null(strstr(ptx, "barrier.sync"));
    free(ptx);
}

static void accesses_name_their_space(void **state)
{
    (void)state;
    char *ptx = ptx_of("together");
    assert_non_null(strstr(ptx, "st.shared.b32"));
    assert_non_null(strstr(ptx, "st.global.b32"));
    assert_null(strstr(ptx, "\tst.b32"));
    free(ptx);
}

static void items_may_leave_before_a_barrier(void **state)
{
    static const uint32_t local[3] = {64, 1, 1};
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct fixture f;
        uint64_t block[8] = {0};
        int out[128] = {0};
        open_kernel(&f, "early");
        block[0] = simt_buffer_add(f.simt, out, sizeof(out), 0);
        memcpy((uint8_t *)block + f.kernel->argument_offsets[1], &(int){100}, 4);
        launch(&f, 2, local, block, seed);
        for (int i = 0; i < 128; i++) {
            assert_int_equal(out[i], i < 100 ? i ^ 1 : 0);
        }
        close_kernel(&f);
    }
}

/* Kernels may have names that are reserved in PTX, or by the compiler. */
static void reserved_names_are_replaced(void **state)
{
    static const uint32_t local[3] = {64, 1, 1};
    static const char *const names[] = {"WARP_SZ", "geoid_local"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct fixture f;
        uint64_t block[8] = {0};
        int out[64] = {0};
        open_kernel(&f, names[k]);
        assert_string_not_equal(f.kernel->symbol, names[k]);
        block[0] = simt_buffer_add(f.simt, out, sizeof(out), 0);
        launch(&f, 1, local, block, 1);
        assert_int_equal(out[63], 5 + (int)k);
        close_kernel(&f);
    }
}

static void expect_valid(const char *name)
{
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != strlen(name)) {
        fail_msg("PTX does not take the name \"%s\"", name);
    }
}

/* Variables may have the name of a kernel, or one that the compiler gives to others. */
static void colliding_names_are_replaced(void **state)
{
    struct geo_facade_lowered lowered;
    char text[SIMT_TEXT];
    uint32_t count = 0;
    (void)state;
    if (!corpus_module_lower(NAMES, NULL, NULL, &lowered, text, sizeof(text))) {
        fail_msg("%s", text);
    }
    assert_int_equal(lowered.result.kernel_count, 2);
    assert_string_equal(lowered.result.kernels[0].symbol, "first");
    assert_string_equal(lowered.result.kernels[1].symbol, "second");
    LLVMModuleRef module = lowered.result.module;
    assert_non_null(LLVMGetNamedFunction(module, "first"));
    assert_non_null(LLVMGetNamedFunction(module, "second"));
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
        if (LLVMGetLinkage(v) == LLVMExternalLinkage) {
            expect_valid(LLVMGetValueName(v));
            count++;
        }
    }
    assert_true(count >= 3);
    geo_facade_build_lowered_finish(&lowered);
}

/* ---- refusals ---- */

static void expect_refusal(const char *kernel, const char *part)
{
    struct geo_facade_lowered lowered;
    char text[SIMT_TEXT] = "";
    assert_false(corpus_module_lower(GROUPS, NULL, kernel, &lowered, text, sizeof(text)));
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in: %s", part, text);
    }
}

static void what_is_not_supported_is_refused(void **state)
{
    (void)state;
    expect_refusal("divergent", "where items of the sub-group may be elsewhere");
    expect_refusal("prints", "printf is not supported on this machine yet");
    expect_refusal("of_16", "sub-groups of 16 items are not supported: this machine has 32");
}

static void unknown_levels_are_refused(void **state)
{
    struct geo_strbuf log;
    (void)state;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("empty", context);
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_ptx_prepare(module, "sm_10", &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), "'sm_10' is not one of"));
    geo_strbuf_finish(&log);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subgroups_compute_what_loops_do),
        cmocka_unit_test(collectives_keep_the_order_of_items),
        cmocka_unit_test(atomics_keep_their_order_and_scope),
        cmocka_unit_test(atomics_of_the_system_have_its_scope),
        cmocka_unit_test(barriers_are_aligned_where_all_items_come),
        cmocka_unit_test(accesses_name_their_space),
        cmocka_unit_test(items_may_leave_before_a_barrier),
        cmocka_unit_test(reserved_names_are_replaced),
        cmocka_unit_test(colliding_names_are_replaced),
        cmocka_unit_test(what_is_not_supported_is_refused),
        cmocka_unit_test(unknown_levels_are_refused),
    };
    return cmocka_run_group_tests_name("simt_machine", tests, NULL, NULL);
}
