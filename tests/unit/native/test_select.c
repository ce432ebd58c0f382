/* Unit test of the selection of what one kernel needs of a SPIR-V module. */
#include "native/select.h"

#include "compiler/ir/grammar.h"
#include "compiler/spirv/reader.h"
#include "native/words.h"
#include "support.h"

#include <spirv/unified1/spirv.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Kernel `first` calls `shared`, which calls `deep`. Kernel `second` calls `other` and `shared`. */
static const char module_text[] = "OpEntryPoint Kernel %first \"first\" %variable\n"
                                  "OpEntryPoint Kernel %second \"second\" %variable\n"
                                  "OpExecutionMode %first LocalSize 8 1 1\n"
                                  "OpExecutionMode %second LocalSize 16 1 1\n"
                                  "OpName %other \"name_of_other\"\n"
                                  "OpName %deep \"name_of_deep\"\n"
                                  "OpName %sum \"name_in_other\"\n"
                                  "OpName %variable \"name_of_variable\"\n"
                                  "OpDecorate %sum NoSignedWrap\n"
                                  "OpDecorate %variable LinkageAttributes \"variable\" Export\n"
                                  "%void = OpTypeVoid\n"
                                  "%int = OpTypeInt 32 0\n"
                                  "%one = OpConstant %int 1\n"
                                  "%pointer = OpTypePointer CrossWorkgroup %int\n"
                                  "%variable = OpVariable %pointer CrossWorkgroup %one\n"
                                  "%function = OpTypeFunction %void\n"
                                  "%other = OpFunction %void None %function\n"
                                  "%l1 = OpLabel\n"
                                  "%sum = OpIAdd %int %one %one\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n"
                                  "%deep = OpFunction %void None %function\n"
                                  "%l2 = OpLabel\n"
                                  "OpStore %variable %one Aligned 4\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n"
                                  "%shared = OpFunction %void None %function\n"
                                  "%l3 = OpLabel\n"
                                  "%c1 = OpFunctionCall %void %deep\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n"
                                  "%first = OpFunction %void None %function\n"
                                  "%l4 = OpLabel\n"
                                  "%c2 = OpFunctionCall %void %shared\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n"
                                  "%second = OpFunction %void None %function\n"
                                  "%l5 = OpLabel\n"
                                  "%c3 = OpFunctionCall %void %other\n"
                                  "%c4 = OpFunctionCall %void %shared\n"
                                  "OpReturn\n"
                                  "OpFunctionEnd\n";

#define DEBUG_IMPORT "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"

struct words {
    uint32_t *items;
    size_t bytes;
};

static struct words assemble(const char *text)
{
    struct words words;
    words.items = support_assemble_bytes(text, &words.bytes);
    return words;
}

static struct words select_linked(const struct words *module, const char *kernel, bool exports)
{
    struct words selected;
    assert_true(geo_spirv_select(module->items, module->bytes, kernel ? 1 : 0, &kernel, exports,
                                 &selected.items, &selected.bytes, NULL));
    return selected;
}

static struct words select_kernel(const struct words *module, const char *kernel)
{
    return select_linked(module, kernel, false);
}

static uint32_t op_count(const struct words *words, uint32_t op)
{
    uint32_t count = 0;
    for (size_t at = 5; at < words->bytes / 4; at += words->items[at] >> 16) {
        count += (words->items[at] & 0xffff) == op;
    }
    return count;
}

static bool has_text(const struct words *words, const char *text)
{
    return memmem(words->items, words->bytes, text, strlen(text)) != NULL;
}

/* Reads the words as the compiler does. Returns the number of functions. */
static uint32_t functions_read(const struct words *words, const char *kernel)
{
    struct geo_ir_module *module;
    struct geo_strbuf log;
    uint32_t count = 0;
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(words->items, words->bytes, &module, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    assert_int_equal(module->variables.count, 1);
    geo_ir_for_each_function(function, module) {
        count++;
        assert_true(!function->is_kernel || strcmp(function->entry_name, kernel) == 0);
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return count;
}

static void what_the_kernel_reaches_is_kept(void **state)
{
    (void)state;
    struct words module = assemble(module_text);
    struct words first = select_kernel(&module, "first");
    struct words second = select_kernel(&module, "second");
    assert_int_equal(functions_read(&first, "first"), 3);
    assert_int_equal(functions_read(&second, "second"), 4);
    assert_true(has_text(&first, "name_of_deep") && has_text(&first, "name_of_variable"));
    assert_true(has_text(&second, "name_of_other") && has_text(&second, "name_in_other"));
    free(first.items);
    free(second.items);
    free(module.items);
}

static void what_others_use_alone_is_left_out(void **state)
{
    (void)state;
    struct words module = assemble(module_text);
    struct words first = select_kernel(&module, "first");
    assert_false(has_text(&first, "name_of_other"));
    assert_false(has_text(&first, "name_in_other"));
    assert_false(has_text(&first, "second"));
    assert_int_equal(op_count(&first, SpvOpEntryPoint), 1);
    assert_int_equal(op_count(&first, SpvOpExecutionMode), 1);
    assert_int_equal(op_count(&first, SpvOpDecorate), 1);
    assert_int_equal(op_count(&first, SpvOpVariable), 1);
    assert_memory_equal(first.items, module.items, 5 * 4); /* ids stay as they are */
    free(first.items);
    free(module.items);
}

static void the_byte_order_does_not_matter(void **state)
{
    (void)state;
    struct words module = assemble(module_text);
    struct words first = select_kernel(&module, "first");
    for (size_t i = 0; i < module.bytes / 4; i++) {
        module.items[i] = __builtin_bswap32(module.items[i]);
    }
    struct words turned = select_kernel(&module, "first");
    assert_int_equal(turned.bytes, first.bytes);
    assert_memory_equal(turned.items, first.items, first.bytes);
    free(turned.items);
    free(first.items);
    free(module.items);
}

static void is_whole(const struct words *module, const char *kernel)
{
    struct words selected = select_kernel(module, kernel);
    assert_int_equal(selected.bytes, module->bytes);
    assert_memory_equal(selected.items, module->items, module->bytes);
    free(selected.items);
}

/* Debug information refers to functions and to what is in them. */
static void other_modules_are_copied_whole(void **state)
{
    (void)state;
    char text[sizeof(DEBUG_IMPORT) + sizeof(module_text)];
    snprintf(text, sizeof(text), "%s%s", DEBUG_IMPORT, module_text);
    struct words debug = assemble(text);
    struct words module = assemble(module_text);
    is_whole(&debug, "first");
    is_whole(&module, "third");
    is_whole(&module, "firs");
    is_whole(&module, "");
    free(debug.items);
    free(module.items);
}

/* Returns the words of the module with more lines in front and behind. */
static struct words assemble_more(const char *before, const char *after)
{
    char text[2 * sizeof(module_text)];
    snprintf(text, sizeof(text), "%s%s%s", before, module_text, after);
    return assemble(text);
}

static void selection_is(const struct words *module, const char *kernel, bool exports,
                         uint32_t functions, uint32_t kernels)
{
    struct words selected = select_linked(module, kernel, exports);
    assert_int_equal(op_count(&selected, SpvOpFunction), functions);
    assert_int_equal(op_count(&selected, SpvOpEntryPoint), kernels);
    free(selected.items);
}

static void exports_are_kept_for_other_modules(void **state)
{
    (void)state;
    struct words module = assemble_more("OpDecorate %other LinkageAttributes \"other\" Export\n"
                                        "OpDecorate %shared LinkageAttributes \"s\" LinkOnceODR\n"
                                        "OpDecorate %absent LinkageAttributes \"absent\" Import\n",
                                        "%absent = OpFunction %void None %function\n"
                                        "OpFunctionEnd\n");
    selection_is(&module, "first", false, 3, 1);
    selection_is(&module, "first", true, 4, 1);
    selection_is(&module, "third", true, 3, 0); /* other, shared, deep */
    selection_is(&module, NULL, true, 3, 0);
    struct words group = assemble_more("OpGroupDecorate %other %shared\n", "");
    selection_is(&group, "first", true, 5, 2);
    selection_is(&group, "first", false, 3, 1);
    free(group.items);
    free(module.items);
}

_Static_assert((uint32_t)GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR == GEO_SPIRV_OP_TYPE_MATRIX,
               "the selection knows the opcode of matrix types");

/* Functions that must not be inlined count, and large ones do. */
static void called_functions_are_measured(void **state)
{
    (void)state;
    static const char *const names[] = {"first", "second"};
    struct words module = assemble(module_text), selected;
    size_t called = 1, more;
    assert_true(geo_spirv_select(module.items, module.bytes, 1, names, false, &selected.items,
                                 &selected.bytes, &called));
    assert_int_equal(called, 0);
    free(selected.items);
    free(module.items);
    module = assemble_more("", "%kept = OpFunction %void DontInline %function\n"
                               "%l9 = OpLabel\n"
                               "OpReturn\n"
                               "OpFunctionEnd\n"
                               "%third = OpFunction %void None %function\n"
                               "%l10 = OpLabel\n"
                               "%c10 = OpFunctionCall %void %kept\n"
                               "OpReturn\n"
                               "OpFunctionEnd\n");
    assert_true(geo_spirv_select(module.items, module.bytes, 2, names, false, &selected.items,
                                 &selected.bytes, &called));
    assert_int_equal(called, 0); /* nobody calls it */
    assert_int_equal(op_count(&selected, SpvOpEntryPoint), 2);
    assert_int_equal(op_count(&selected, SpvOpFunction), 5);
    free(selected.items);
    free(module.items);
    module = assemble_more("OpEntryPoint Kernel %third \"third\"\n",
                           "%kept = OpFunction %void DontInline %function\n"
                           "%l9 = OpLabel\n"
                           "OpReturn\n"
                           "OpFunctionEnd\n"
                           "%third = OpFunction %void None %function\n"
                           "%l10 = OpLabel\n"
                           "%c10 = OpFunctionCall %void %kept\n"
                           "OpReturn\n"
                           "OpFunctionEnd\n");
    static const char *const third[] = {"third"};
    assert_true(geo_spirv_select(module.items, module.bytes, 1, third, false, &selected.items,
                                 &selected.bytes, &more));
    assert_int_equal(more, 9 * 4); /* OpFunction 5, OpLabel 2, OpReturn 1, OpFunctionEnd 1 */
    free(selected.items);
    free(module.items);
}

static void matrices_keep_a_kernel_that_requires_a_size(void **state)
{
    (void)state;
    static const char size[] = "OpExecutionMode %second SubgroupSize 8\n";
    static const char sized_matrix[] = "OpExecutionMode %second SubgroupSize 8\n"
                                       "!0x71168 %matrix %int %one %one %one %one\n";
    struct words plain = assemble_more(size, ""), matrix = assemble_more(sized_matrix, "");
    selection_is(&plain, "first", false, 3, 1);
    selection_is(&matrix, "first", false, 5, 2);
    selection_is(&matrix, "second", false, 4, 1);
    selection_is(&matrix, NULL, true, 4, 1);
    free(plain.items);
    free(matrix.items);
}

/* On the heap without a word to spare, so that sanitizers see what is read beyond the end. */
static void malformed_modules_do_no_harm(void **state)
{
    (void)state;
    struct words module = assemble(module_text);
    for (size_t bytes = 0; bytes < module.bytes; bytes++) {
        struct words cut = {malloc(bytes ? bytes : 1), bytes};
        memcpy(cut.items, module.items, bytes);
        free(select_kernel(&cut, "first").items);
        free(cut.items);
    }
    for (size_t at = 0; at < module.bytes; at++) {
        static const uint8_t patterns[] = {0xff, 0x01, 0x80};
        for (size_t i = 0; i < sizeof(patterns); i++) {
            ((uint8_t *)module.items)[at] ^= patterns[i];
            free(select_kernel(&module, "first").items);
            free(select_linked(&module, NULL, true).items);
            ((uint8_t *)module.items)[at] ^= patterns[i];
        }
    }
    free(module.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_kernel_reaches_is_kept),
        cmocka_unit_test(what_others_use_alone_is_left_out),
        cmocka_unit_test(the_byte_order_does_not_matter),
        cmocka_unit_test(other_modules_are_copied_whole),
        cmocka_unit_test(exports_are_kept_for_other_modules),
        cmocka_unit_test(matrices_keep_a_kernel_that_requires_a_size),
        cmocka_unit_test(called_functions_are_measured),
        cmocka_unit_test(malformed_modules_do_no_harm),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
