/* Unit test of the passes that the emitter leaves out (codegen/emitter.cpp): without them LLVM
 * makes the same object. Also of the pass that adds up spill slots. */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"

#include "base/strbuf.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A loop of vectors with a switch and calls, and a comparison byte by byte: the passes of the back
 * end find something to do. LLVM expands the call of memcmp in spite of "no-builtins". */
static const char text[] =
    "declare i32 @memcmp(ptr, ptr, i64)\n"
    "declare float @llvm.sqrt.f32(float)\n"
    "define void @loop(ptr %a, ptr %b, i64 %n, i32 %kind) #0 {\n"
    "entry: br label %head\n"
    "head: %i = phi i64 [ 0, %entry ], [ %next, %join ]\n"
    "  %at = mul i64 %i, 96\n"
    "  %p = getelementptr i8, ptr %a, i64 %at\n"
    "  %q = getelementptr i8, ptr %p, i64 32\n"
    "  %x = load <8 x float>, ptr %p, align 4\n"
    "  %y = load <8 x float>, ptr %q, align 4\n"
    "  %z = fmul <8 x float> %x, %y\n"
    "  switch i32 %kind, label %join [ i32 1, label %one i32 2, label %two i32 3, label %three\n"
    "    i32 4, label %four ]\n"
    "one: %c = call i32 @memcmp(ptr %p, ptr %q, i64 16)\n"
    "  %equal = icmp eq i32 %c, 0\n"
    "  br i1 %equal, label %two, label %join\n"
    "two: store i64 %i, ptr %b, align 8\n"
    "  br label %join\n"
    "three: %e = extractelement <8 x float> %z, i32 0\n"
    "  %r = call float @llvm.sqrt.f32(float %e)\n"
    "  store float %r, ptr %b, align 4\n"
    "  br label %join\n"
    "four: store <8 x float> %x, ptr %b, align 4\n"
    "  br label %join\n"
    "join: store <8 x float> %z, ptr %q, align 4\n"
    "  %next = add i64 %i, 1\n"
    "  %more = icmp ult i64 %next, %n\n"
    "  br i1 %more, label %head, label %exit\n"
    "exit: ret void\n"
    "}\n"
    "define i1 @same(ptr %a, ptr %b) #0 {\n"
    "entry: %a0 = load i32, ptr %a, align 4\n"
    "  %b0 = load i32, ptr %b, align 4\n"
    "  %c0 = icmp eq i32 %a0, %b0\n"
    "  br i1 %c0, label %second, label %end\n"
    "second: %pa = getelementptr i8, ptr %a, i64 4\n"
    "  %pb = getelementptr i8, ptr %b, i64 4\n"
    "  %a1 = load i32, ptr %pa, align 4\n"
    "  %b1 = load i32, ptr %pb, align 4\n"
    "  %c1 = icmp eq i32 %a1, %b1\n"
    "  br label %end\n"
    "end: %result = phi i1 [ false, %entry ], [ %c1, %second ]\n"
    "  ret i1 %result\n"
    "}\n"
    "attributes #0 = { nounwind \"no-builtins\" }\n";

/* Emits a text's object by the library, or by all passes that LLVM has. */
static LLVMMemoryBufferRef emit(LLVMTargetMachineRef machine, const char *code, size_t bytes,
                                bool all, const struct geo_emitter_profile *profile)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef source = LLVMCreateMemoryBufferWithMemoryRange(code, bytes, "text", 1);
    assert_int_equal(LLVMParseIRInContext(context, source, &module, &message), 0);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    if (all) {
        assert_int_equal(
            LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object),
            0);
    } else {
        object = geo_codegen_object(machine, module, true, profile);
    }
    assert_non_null(object);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object;
}

static void idle_passes_change_nothing(void **state)
{
    (void)state;
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_target_create(NULL, &target, &log), ZE_RESULT_SUCCESS);
    const LLVMCodeGenOptLevel efforts[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelDefault};
    for (size_t i = 0; i < sizeof(efforts) / sizeof(efforts[0]); i++) {
        struct geo_codegen_machine *machine = geo_codegen_target_machine_take(target, efforts[i]);
        assert_non_null(machine);
        LLVMMemoryBufferRef all = emit(machine->llvm, text, sizeof(text) - 1, true, NULL);
        LLVMMemoryBufferRef some = emit(machine->llvm, text, sizeof(text) - 1, false, NULL);
        assert_int_equal(LLVMGetBufferSize(some), LLVMGetBufferSize(all));
        assert_memory_equal(LLVMGetBufferStart(some), LLVMGetBufferStart(all),
                            LLVMGetBufferSize(all));
        LLVMDisposeMemoryBuffer(all);
        LLVMDisposeMemoryBuffer(some);
        geo_codegen_target_machine_give(machine);
    }
    geo_codegen_target_destroy(target);
    geo_strbuf_finish(&log);
}

/* Two functions with vectors that live across calls, which keep no vector register on the targets
 * here: one vector of 16 bytes in @leaf, and two in @wide. */
static const char spilling[] = "declare void @outside()\n"
                               "define void @leaf(ptr %p) #0 {\n"
                               "  %x = load <4 x float>, ptr %p, align 16\n"
                               "  call void @outside()\n"
                               "  store <4 x float> %x, ptr %p, align 16\n"
                               "  ret void\n"
                               "}\n"
                               "define void @wide(ptr %p) #0 {\n"
                               "  %q = getelementptr i8, ptr %p, i64 16\n"
                               "  %x = load <4 x float>, ptr %p, align 16\n"
                               "  %y = load <4 x float>, ptr %q, align 16\n"
                               "  call void @outside()\n"
                               "  store <4 x float> %x, ptr %q, align 16\n"
                               "  store <4 x float> %y, ptr %p, align 16\n"
                               "  ret void\n"
                               "}\n"
                               "define void @root(ptr %p) #0 {\n"
                               "  %x = load <4 x float>, ptr %p, align 16\n"
                               "  call void @leaf(ptr %p)\n"
                               "  call void @wide(ptr %p)\n"
                               "  store <4 x float> %x, ptr %p, align 16\n"
                               "  ret void\n"
                               "}\n"
                               "define void @none(ptr %p) #0 {\n"
                               "  %a = alloca [64 x i32], align 16\n"
                               "  call void @outside()\n"
                               "  store volatile i32 1, ptr %a, align 4\n"
                               "  ret void\n"
                               "}\n"
                               "attributes #0 = { nounwind noinline }\n";

/* Bytes of spill slots by function. */
struct spills {
    uint64_t leaf, wide, root, none;
    uint32_t told;
};

static void spills_keep(void *data, const char *function, uint64_t bytes)
{
    struct spills *spills = data;
    spills->told++;
    *(strcmp(function, "leaf") == 0   ? &spills->leaf
      : strcmp(function, "wide") == 0 ? &spills->wide
      : strcmp(function, "root") == 0 ? &spills->root
                                      : &spills->none) = bytes;
}

/* Variables, and registers that are saved for the caller, are not spills. */
static void spills_are_added_along_calls(void **state)
{
    (void)state;
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_target_create(NULL, &target, &log), ZE_RESULT_SUCCESS);
    struct geo_codegen_machine *machine =
        geo_codegen_target_machine_take(target, LLVMCodeGenLevelDefault);
    assert_non_null(machine);
    struct spills spills = {.none = 1};
    const struct geo_emitter_profile wishes = {.tell_spills = spills_keep, .data = &spills};
    LLVMMemoryBufferRef object =
        emit(machine->llvm, spilling, sizeof(spilling) - 1, false, &wishes);
    assert_int_equal(spills.told, 4);
    assert_int_equal(spills.leaf, 16);
    assert_int_equal(spills.wide, 32);
    assert_int_equal(spills.root, 16 + 32);
    assert_int_equal(spills.none, 0);
    LLVMDisposeMemoryBuffer(object);
    geo_codegen_target_machine_give(machine);
    geo_codegen_target_destroy(target);
    geo_strbuf_finish(&log);
}

static void only_idle_passes_are_left_out(void **state)
{
    (void)state;
    assert_true(geo_codegen_object_is_idle("Insert XRay ops"));
    assert_true(geo_codegen_object_is_idle("Tile Register Configure"));
    assert_false(geo_codegen_object_is_idle("Insert XRay"));
    assert_false(geo_codegen_object_is_idle("Loop Strength Reduction"));
    assert_false(geo_codegen_object_is_idle("Expand reduction intrinsics"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_passes_change_nothing),
        cmocka_unit_test(spills_are_added_along_calls),
        cmocka_unit_test(only_idle_passes_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
