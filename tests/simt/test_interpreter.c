/* The interpreter of nvptx64 modules, tested with modules written by hand. */
#include "simt.h"

#include <llvm-c/IRReader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n"        \
    "target triple = \"nvptx64-nvidia-cuda\"\n"                                                    \
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                               \
    "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"                                              \
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"                                             \
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"                                  \
    "declare void @llvm.nvvm.barrier.cta.sync.all(i32)\n"                                          \
    "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"                              \
    "declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)\n"                                \
    "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"                               \
    "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"                                           \
    "declare i1 @llvm.nvvm.vote.all.sync(i32, i1)\n"                                               \
    "declare i32 @llvm.nvvm.activemask()\n"

/* A module with its interpreter and one buffer of words. */
struct fixture {
    LLVMContextRef context;
    LLVMModuleRef module;
    struct simt *simt;
    uint32_t memory[1024];
    uint64_t address;
    char text[SIMT_TEXT];
};

static void parse(struct fixture *f, const char *text)
{
    char *message = NULL;
    memset(f, 0, sizeof(*f));
    f->context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    if (LLVMParseIRInContext(f->context, buffer, &f->module, &message)) {
        fail_msg("%s", message);
    }
    f->simt = simt_create(f->module, f->text);
}

static void finish(struct fixture *f)
{
    if (f->simt) {
        simt_destroy(f->simt);
    }
    LLVMDisposeModule(f->module);
    LLVMContextDispose(f->context);
}

/* Launches the kernel k(buffer) of `groups` groups of `local` items. */
static bool launch(struct fixture *f, uint32_t groups, uint32_t local, uint64_t seed)
{
    assert_non_null(f->simt);
    simt_buffers_clear(f->simt);
    f->address = simt_buffer_add(f->simt, f->memory, sizeof(f->memory), 0);
    const struct simt_argument argument = {&f->address, sizeof(f->address)};
    const struct simt_launch run = {.kernel = "k",
                                    .groups = {groups, 1, 1},
                                    .local = {local, 1, 1},
                                    .arguments = &argument,
                                    .argument_count = 1,
                                    .seed = seed,
                                    .step_limit = 10000000};
    return simt_run(f->simt, &run, f->text);
}

static void expect_error(const char *module, uint32_t local, const char *part)
{
    struct fixture f;
    parse(&f, module);
    assert_false(launch(&f, 1, local, 1));
    if (!strstr(f.text, part)) {
        fail_msg("\"%s\" is not in: %s", part, f.text);
    }
    finish(&f);
}

/* A tree reduction of the 64 items of a group in shared memory. %s is the barrier. */
#define REDUCTION(barrier)                                                                         \
    HEAD "@s = internal addrspace(3) global [64 x i32] poison, align 4\n"                          \
         "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"                                      \
         "entry:\n"                                                                                \
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                      \
         "  %g = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"                                    \
         "  %at = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"                  \
         "  %sq = mul i32 %t, %t\n"                                                                \
         "  %v = add i32 %sq, %g\n"                                                                \
         "  store i32 %v, ptr addrspace(3) %at, align 4\n"                                         \
         "  br label %loop\n"                                                                      \
         "loop:\n"                                                                                 \
         "  %n = phi i32 [ 32, %entry ], [ %half, %next ]\n" barrier                               \
         "  %in = icmp ult i32 %t, %n\n"                                                           \
         "  br i1 %in, label %add, label %next\n"                                                  \
         "add:\n"                                                                                  \
         "  %other = add i32 %t, %n\n"                                                             \
         "  %from = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %other\n"            \
         "  %a = load i32, ptr addrspace(3) %from, align 4\n"                                      \
         "  %b = load i32, ptr addrspace(3) %at, align 4\n"                                        \
         "  %sum = add i32 %a, %b\n"                                                               \
         "  store i32 %sum, ptr addrspace(3) %at, align 4\n"                                       \
         "  br label %next\n"                                                                      \
         "next:\n"                                                                                 \
         "  %half = lshr i32 %n, 1\n"                                                              \
         "  %more = icmp ne i32 %half, 0\n"                                                        \
         "  br i1 %more, label %loop, label %end\n"                                                \
         "end:\n"                                                                                  \
         "  %first = icmp eq i32 %t, 0\n"                                                          \
         "  br i1 %first, label %out, label %done\n"                                               \
         "out:\n"                                                                                  \
         "  %result = load i32, ptr addrspace(3) @s, align 4\n"                                    \
         "  %to = getelementptr i32, ptr addrspace(1) %p, i32 %g\n"                                \
         "  store i32 %result, ptr addrspace(1) %to, align 4\n"                                    \
         "  br label %done\n"                                                                      \
         "done:\n"                                                                                 \
         "  ret void\n"                                                                            \
         "}\n"

static uint32_t wrong_sums(const char *module, uint64_t seeds)
{
    struct fixture f;
    uint32_t wrong = 0;
    parse(&f, module);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        assert_true(launch(&f, 5, 64, seed));
        for (uint32_t g = 0; g < 5; g++) {
            wrong += f.memory[g] != 85344 + 64 * g;
        }
    }
    finish(&f);
    return wrong;
}

static void a_reduction_needs_its_barriers(void **state)
{
    (void)state;
    assert_int_equal(
        wrong_sums(REDUCTION("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"), 20), 0);
    assert_true(wrong_sums(REDUCTION(""), 20) > 0);
}

/* Items of odd number go to another barrier. */
#define TWO_BARRIERS(kind)                                                                         \
    HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"                                      \
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                      \
         "  %odd = trunc i32 %t to i1\n"                                                           \
         "  br i1 %odd, label %a, label %b\n"                                                      \
         "a:\n"                                                                                    \
         "  call void @llvm.nvvm.barrier.cta.sync." kind "all(i32 0)\n"                            \
         "  ret void\n"                                                                            \
         "b:\n"                                                                                    \
         "  call void @llvm.nvvm.barrier.cta.sync." kind "all(i32 0)\n"                            \
         "  ret void\n"                                                                            \
         "}\n"

static void an_aligned_barrier_in_divergent_flow_is_found(void **state)
{
    (void)state;
    struct fixture f;
    expect_error(TWO_BARRIERS("aligned."), 32, "the barrier is in divergent flow");
    parse(&f, TWO_BARRIERS(""));
    assert_true(launch(&f, 1, 32, 3));
    finish(&f);
}

#define SIMPLE(body)                                                                               \
    HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"                                      \
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" body "  ret void\n"                  \
         "}\n"

static void shuffles_and_votes_work_in_sub_groups(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f,
          SIMPLE("  %v = mul i32 %t, 3\n"
                 "  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 5, i32 31)\n"
                 "  %u = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %v, i32 1, i32 0)\n"
                 "  %w = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 1, i32 6175)\n"
                 "  %odd = trunc i32 %t to i1\n"
                 "  %m = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)\n"
                 "  %small = icmp ult i32 %t, 32\n"
                 "  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %small)\n"
                 "  %all32 = zext i1 %all to i32\n"
                 "  %at = getelementptr [5 x i32], ptr addrspace(1) %p, i32 %t\n"
                 "  %at1 = getelementptr i32, ptr addrspace(1) %at, i32 1\n"
                 "  %at2 = getelementptr i32, ptr addrspace(1) %at, i32 2\n"
                 "  %at3 = getelementptr i32, ptr addrspace(1) %at, i32 3\n"
                 "  %at4 = getelementptr i32, ptr addrspace(1) %at, i32 4\n"
                 "  store i32 %x, ptr addrspace(1) %at\n"
                 "  store i32 %u, ptr addrspace(1) %at1\n"
                 "  store i32 %m, ptr addrspace(1) %at2\n"
                 "  store i32 %all32, ptr addrspace(1) %at3\n"
                 "  store i32 %w, ptr addrspace(1) %at4\n"));
    assert_true(launch(&f, 1, 96, 7));
    for (uint32_t i = 0; i < 96; i++) {
        assert_int_equal(f.memory[5 * i], 3 * (i ^ 5));
        assert_int_equal(f.memory[5 * i + 1], i % 32 ? 3 * (i - 1) : 3 * i);
        assert_int_equal(f.memory[5 * i + 2], 0xaaaaaaaa);
        assert_int_equal(f.memory[5 * i + 3], i < 32);
        assert_int_equal(f.memory[5 * i + 4], 3 * (i / 8 * 8 + 1)); /* segments of 8 lanes */
    }
    finish(&f);
}

static void lanes_outside_of_the_mask_are_errors(void **state)
{
    (void)state;
    expect_error(
        SIMPLE("  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 1, i32 %t, i32 1, i32 31)\n"), 32,
        "is not in the mask 0x1");
    /* the others never come */
    expect_error(HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                      "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                      "  %odd = trunc i32 %t to i1\n"
                      "  br i1 %odd, label %a, label %b\n"
                      "a:\n"
                      "  %x = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)\n"
                      "  br label %b\n"
                      "b:\n"
                      "  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)\n"
                      "  ret void\n"
                      "}\n",
                 32, "it waits for ever");
    /* nothing says that others are at the same place: each lane sees itself */
    struct fixture f;
    parse(&f, SIMPLE("  %m = call i32 @llvm.nvvm.activemask()\n"
                     "  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t\n"
                     "  store i32 %m, ptr addrspace(1) %at\n"));
    assert_true(launch(&f, 1, 64, 7));
    assert_int_equal(f.memory[33], 2);
    finish(&f);
}

static void accesses_outside_of_objects_are_errors(void **state)
{
    (void)state;
    expect_error(SIMPLE("  %at = getelementptr i32, ptr addrspace(1) %p, i32 1024\n"
                        "  store i32 1, ptr addrspace(1) %at\n"),
                 1, "outside of an object of 4096 bytes");
    expect_error(SIMPLE("  %at = getelementptr i8, ptr addrspace(1) %p, i32 -4\n"
                        "  store i32 1, ptr addrspace(1) %at\n"),
                 1, "is in no object");
    expect_error(SIMPLE("  %a = alloca [4 x i32], align 4\n"
                        "  %b = alloca [4 x i32], align 4\n"
                        "  %at = getelementptr i32, ptr %a, i32 4\n"
                        "  %v = load i32, ptr %at\n"),
                 1, "outside of the objects of the local memory");
    expect_error(HEAD "@s = internal addrspace(3) global [4 x i32] poison, align 4\n"
                      "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                      "  store i64 1, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) "
                      "@s, i32 0, i32 3), align 4\n"
                      "  ret void\n"
                      "}\n",
                 1, "outside of the shared memory of 16 bytes");
    expect_error(SIMPLE("  %v = load i32, ptr null\n"), 1, "is in no object");
}

static void misaligned_accesses_are_errors(void **state)
{
    (void)state;
    expect_error(SIMPLE("  %at = getelementptr i8, ptr addrspace(1) %p, i32 2\n"
                        "  store i32 1, ptr addrspace(1) %at, align 4\n"),
                 1, "is not aligned to 4 bytes");
    expect_error(SIMPLE("  %at = getelementptr i8, ptr addrspace(1) %p, i32 2\n"
                        "  %o = atomicrmw add ptr addrspace(1) %at, i32 1 monotonic\n"),
                 1, "is not aligned to 4 bytes");
}

static void addresses_of_other_spaces_are_errors(void **state)
{
    (void)state;
    /* a shared address, used as a global one, and the reverse */
    expect_error(HEAD "@s = internal addrspace(3) global [4 x i32] poison, align 4\n"
                      "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                      "  %g = addrspacecast ptr addrspace(3) @s to ptr\n"
                      "  %w = addrspacecast ptr %g to ptr addrspace(1)\n"
                      "  store i32 1, ptr addrspace(1) %w, align 1\n"
                      "  ret void\n"
                      "}\n",
                 1, "is not in the global space");
    expect_error(SIMPLE("  %g = addrspacecast ptr addrspace(1) %p to ptr\n"
                        "  %w = addrspacecast ptr %g to ptr addrspace(3)\n"
                        "  store i32 1, ptr addrspace(3) %w, align 1\n"),
                 1, "is not in the shared space");
    expect_error(SIMPLE("  %n = ptrtoint ptr addrspace(1) %p to i64\n"
                        "  %w = inttoptr i64 %n to ptr addrspace(3)\n"
                        "  store i32 1, ptr addrspace(3) %w\n"),
                 1, "outside of the shared memory");
    expect_error(HEAD "@c = addrspace(4) constant i32 5\n"
                      "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                      "  store i32 1, ptr addrspace(4) @c\n"
                      "  ret void\n"
                      "}\n",
                 1, "it writes to a constant");
}

/* Address 0 of the shared space is valid; a generic null pointer does not become it. */
static void a_null_pointer_stays_outside_of_all_spaces(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, HEAD "@s = internal addrspace(3) global [4 x i32] poison, align 4\n"
                   "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                   "  %s = addrspacecast ptr null to ptr addrspace(3)\n"
                   "  %same = icmp eq ptr addrspace(3) %s, @s\n"
                   "  %back = addrspacecast ptr addrspace(3) %s to ptr\n"
                   "  %null = icmp eq ptr %back, null\n"
                   "  %a = zext i1 %same to i32\n"
                   "  %b = zext i1 %null to i32\n"
                   "  store i32 %a, ptr addrspace(1) %p\n"
                   "  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 1\n"
                   "  store i32 %b, ptr addrspace(1) %p1\n"
                   "  ret void\n"
                   "}\n");
    f.memory[0] = 7;
    assert_true(launch(&f, 1, 1, 0));
    assert_int_equal(f.memory[0], 0);
    assert_int_equal(f.memory[1], 1);
    finish(&f);
}

static void generic_pointers_reach_every_space(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, HEAD "@s = internal addrspace(3) global [64 x i32] poison, align 4\n"
                   "@c = internal addrspace(4) constant [2 x i32] [i32 40, i32 2]\n"
                   "define i32 @sum(ptr %a, ptr %b, ptr %c) {\n"
                   "  %x = load i32, ptr %a\n"
                   "  %y = load i32, ptr %b\n"
                   "  %z = load i32, ptr %c\n"
                   "  %xy = add i32 %x, %y\n"
                   "  %r = add i32 %xy, %z\n"
                   "  ret i32 %r\n"
                   "}\n"
                   "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                   "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                   "  %own = alloca i32, align 4\n"
                   "  store i32 %t, ptr %own\n"
                   "  %at = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"
                   "  store i32 1000, ptr addrspace(3) %at\n"
                   "  %shared = addrspacecast ptr addrspace(3) %at to ptr\n"
                   "  %const = addrspacecast ptr addrspace(4) getelementptr (i32, ptr "
                   "addrspace(4) @c, i32 1) to ptr\n"
                   "  %r = call i32 @sum(ptr %own, ptr %shared, ptr %const)\n"
                   "  %to = getelementptr i32, ptr addrspace(1) %p, i32 %t\n"
                   "  store i32 %r, ptr addrspace(1) %to\n"
                   "  ret void\n"
                   "}\n");
    assert_true(launch(&f, 1, 64, 11));
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(f.memory[i], 1002 + i);
    }
    finish(&f);
}

/* Without the atomic operation, additions of several items are lost. */
#define COUNT(add)                                                                                 \
    SIMPLE("  br label %loop\n"                                                                    \
           "loop:\n"                                                                               \
           "  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]\n" add "  %i1 = add i32 %i, 1\n"              \
           "  %more = icmp ult i32 %i1, 50\n"                                                      \
           "  br i1 %more, label %loop, label %end\n"                                              \
           "end:\n")

static void atomics_lose_nothing(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, COUNT("  %o = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic\n"));
    assert_true(launch(&f, 4, 32, 5));
    assert_int_equal(f.memory[0], 4 * 32 * 50);
    finish(&f);
    parse(&f, COUNT("  %o = load i32, ptr addrspace(1) %p\n"
                    "  %n = add i32 %o, 1\n"
                    "  store i32 %n, ptr addrspace(1) %p\n"));
    assert_true(launch(&f, 4, 32, 5));
    assert_true(f.memory[0] < 4 * 32 * 50);
    finish(&f);
    parse(&f, SIMPLE("  br label %loop\n"
                     "loop:\n"
                     "  %o = load atomic i32, ptr addrspace(1) %p monotonic, align 4\n"
                     "  %n = add i32 %o, %t\n"
                     "  %r = cmpxchg ptr addrspace(1) %p, i32 %o, i32 %n acq_rel monotonic\n"
                     "  %good = extractvalue { i32, i1 } %r, 1\n"
                     "  br i1 %good, label %end, label %loop\n"
                     "end:\n"));
    assert_true(launch(&f, 1, 64, 5));
    assert_int_equal(f.memory[0], 64 * 63 / 2);
    finish(&f);
}

static void what_is_unknown_is_named(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, HEAD "declare float @llvm.sin.f32(float)\n"
                   "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                   "  %x = call float @llvm.sin.f32(float 1.0)\n"
                   "  ret void\n"
                   "}\n");
    assert_null(f.simt);
    assert_non_null(strstr(f.text, "the intrinsic llvm.sin.f32 is not known"));
    finish(&f);
    parse(&f, SIMPLE("  %x = va_arg ptr null, i32\n"));
    assert_null(f.simt);
    assert_non_null(strstr(f.text, "the instruction is not known"));
    assert_non_null(strstr(f.text, "va_arg"));
    finish(&f);
}

static void errors_of_arithmetic_and_endless_loops_are_found(void **state)
{
    (void)state;
    expect_error(SIMPLE("  %x = udiv i32 5, %t\n"), 1, "division by zero");
    expect_error(SIMPLE("  br label %loop\n"
                        "loop:\n"
                        "  br label %loop\n"
                        "end:\n"),
                 1, "has not ended");
}

/* One store of a result for each line; compared with what C computes. */
static void scalars_are_computed_as_c_does(void **state)
{
    (void)state;
    struct fixture f;
    parse(&f, HEAD "declare i32 @llvm.fshl.i32(i32, i32, i32)\n"
                   "declare i32 @llvm.ctlz.i32(i32, i1)\n"
                   "declare i32 @llvm.fptosi.sat.i32.f32(float)\n"
                   "declare float @llvm.fma.f32(float, float, float)\n"
                   "declare i8 @llvm.sadd.sat.i8(i8, i8)\n"
                   "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                   "  %a = alloca [16 x i32], align 16\n"
                   "  %t = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n" /* 1 */
                   "  %x = mul i32 %t, -559038737\n"
                   "  %v0 = call i32 @llvm.fshl.i32(i32 %x, i32 %t, i32 8)\n"
                   "  %v1 = call i32 @llvm.ctlz.i32(i32 %t, i1 false)\n"
                   "  %v2 = call i32 @llvm.fptosi.sat.i32.f32(float -1.0e10)\n"
                   "  %f = uitofp i32 %t to float\n"
                   "  %g = fdiv float %f, 3.0\n"
                   "  %h = call float @llvm.fma.f32(float %g, float 3.0, float -1.0)\n"
                   "  %v3 = bitcast float %h to i32\n"
                   "  %s = sext i32 %x to i128\n"
                   "  %m = mul i128 %s, %s\n"
                   "  %hi = lshr i128 %m, 32\n"
                   "  %v4 = trunc i128 %hi to i32\n"
                   "  %v5 = ashr i32 %x, 4\n"
                   "  %half = fptrunc float %g to half\n"
                   "  %hb = bitcast half %half to i16\n"
                   "  %v6 = zext i16 %hb to i32\n"
                   "  %b = trunc i32 %t to i8\n"
                   "  %sat = call i8 @llvm.sadd.sat.i8(i8 127, i8 %b)\n"
                   "  %v7 = zext i8 %sat to i32\n"
                   "  %q = insertelement <4 x i32> poison, i32 %v0, i32 0\n"
                   "  %q1 = insertelement <4 x i32> %q, i32 %v1, i32 1\n"
                   "  %q2 = insertelement <4 x i32> %q1, i32 %v2, i32 2\n"
                   "  %q3 = insertelement <4 x i32> %q2, i32 %v3, i32 3\n"
                   "  store <4 x i32> %q3, ptr addrspace(1) %p, align 16\n"
                   "  %p4 = getelementptr i32, ptr addrspace(1) %p, i32 4\n"
                   "  %p5 = getelementptr i32, ptr addrspace(1) %p, i32 5\n"
                   "  %p6 = getelementptr i32, ptr addrspace(1) %p, i32 6\n"
                   "  %p7 = getelementptr i32, ptr addrspace(1) %p, i32 7\n"
                   "  store i32 %v4, ptr addrspace(1) %p4\n"
                   "  store i32 %v5, ptr addrspace(1) %p5\n"
                   "  store i32 %v6, ptr addrspace(1) %p6\n"
                   "  store i32 %v7, ptr addrspace(1) %p7\n"
                   "  ret void\n"
                   "}\n");
    if (!f.simt) {
        fail_msg("%s", f.text);
    }
    assert_true(launch(&f, 1, 1, 0));
    int64_t x = -559038737;
    float third = 1.0f / 3.0f, rest = (float)((double)third * 3.0 - 1.0);
    uint32_t rest_bits;
    memcpy(&rest_bits, &rest, sizeof(rest_bits));
    assert_int_equal(f.memory[0], (uint32_t)x << 8);
    assert_int_equal(f.memory[1], 31);
    assert_int_equal(f.memory[2], 0x80000000);
    assert_int_equal(f.memory[3], rest_bits);
    assert_int_equal(f.memory[4], (uint32_t)((uint64_t)(x * x) >> 32));
    assert_int_equal(f.memory[5], (uint32_t)(x >> 4));
    assert_int_equal(f.memory[6], 0x3555);
    assert_int_equal(f.memory[7], 127);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduction_needs_its_barriers),
        cmocka_unit_test(an_aligned_barrier_in_divergent_flow_is_found),
        cmocka_unit_test(shuffles_and_votes_work_in_sub_groups),
        cmocka_unit_test(lanes_outside_of_the_mask_are_errors),
        cmocka_unit_test(accesses_outside_of_objects_are_errors),
        cmocka_unit_test(misaligned_accesses_are_errors),
        cmocka_unit_test(addresses_of_other_spaces_are_errors),
        cmocka_unit_test(a_null_pointer_stays_outside_of_all_spaces),
        cmocka_unit_test(generic_pointers_reach_every_space),
        cmocka_unit_test(atomics_lose_nothing),
        cmocka_unit_test(what_is_unknown_is_named),
        cmocka_unit_test(errors_of_arithmetic_and_endless_loops_are_found),
        cmocka_unit_test(scalars_are_computed_as_c_does),
    };
    return cmocka_run_group_tests_name("simt_interpreter", tests, NULL, NULL);
}
