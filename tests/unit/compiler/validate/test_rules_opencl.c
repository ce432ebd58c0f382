/* Rules of types of OpenCL.std (the types column of ir/opencl_std.def): each kind of operands is
 * taken as the specification has it, and is refused with another number or type. */
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/validate/rules.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Scalar types. Vectors of them are f32x2, f32x3 and so on, pointers p_f32. Each has a value, such
 * as %v_f32. */
static const char *const scalars[] = {
    "i8 OpTypeInt 8 0",   "i16 OpTypeInt 16 0", "i32 OpTypeInt 32 0", "i64 OpTypeInt 64 0",
    "f16 OpTypeFloat 16", "f32 OpTypeFloat 32", "f64 OpTypeFloat 64"};

/* Instructions: type of the result, name, types of operands. A literal begins with "=". */
static const struct row {
    const char *good[3], *bad[8];
} rows[] = {
    /* SAME(FLOAT, n) and SAME(INT, n) */
    {{"f32 fmax f32 f32", "f64x2 fmax f64x2 f64x2", "f16 sqrt f16"},
     {"i32 fmax i32 i32", "f32 fmax f32 f64", "f32x2 fmax f32x2 f32", "p_f32 fmax p_f32 p_f32",
      "f32 sqrt f64", "i32 sqrt i32"}},
    {{"i32 s_max i32 i32", "i8x2 u_mul_hi i8x2 i8x2", "i64 clz i64"},
     {"f32 s_max f32 f32", "i32 s_max i32 i64", "i32 clz i64", "f32 clz f32",
      "i32x2 u_max i32x2 i32", "i32 u_abs f32"}},
    {{"i32 bitselect i32 i32 i32", "f64 bitselect f64 f64 f64"},
     {"p_f32 bitselect p_f32 p_f32 p_f32", "f32 bitselect f32 f32 i32"}},
    /* floats and integers */
    {{"i32 ilogb f32", "i32x2 ilogb f64x2"},
     {"i64 ilogb f64", "i32x2 ilogb f64", "i32 ilogb i32", "f32 ilogb f32"}},
    {{"f32 nan i32", "f64x2 nan i64x2"},
     {"f32 nan i64", "f32x2 nan i32", "i32 nan i32", "f32 nan f32"}},
    {{"f64 ldexp f64 i32", "f32x2 pown f32x2 i32x2", "f16 rootn f16 i32"},
     {"f64 ldexp f64 i64", "f64 ldexp f32 i32", "f32x2 pown f32x2 i32", "i32 ldexp i32 i32",
      "f32 rootn f32 f32"}},
    {{"f32 length f32x3", "f64 distance f64x2 f64x2", "f32 length f32"},
     {"f64 length f32x3", "i32 length i32x2", "f32 distance f32x3 f32x2", "f32x2 length f32x2"}},
    {{"f32 fract f32 p_f32", "f64x2 modf f64x2 p_f64x2", "f32 sincos f32 p_f32"},
     {"f32 fract f64 p_f32", "f32 fract f32 p_f64", "f32 fract f32 f32", "i32 fract i32 p_i32"}},
    {{"f32 frexp f32 p_i32", "f64x2 lgamma_r f64x2 p_i32x2", "f32 remquo f32 f32 p_i32"},
     {"f32 frexp f32 p_i64", "f32x2 frexp f32x2 p_i32", "f32 frexp f32 p_f32", "f32 frexp f32 i32",
      "f32 remquo f32 f64 p_i32", "f64 remquo f32 f64 p_i32", "i32 frexp i32 p_i32"}},
    /* integers and bits */
    {{"f32 select f32 f32 i32", "i16x2 select i16x2 i16x2 i16x2"},
     {"f32 select f32 f32 i64", "f32 select f32 f32 f32", "f32x2 select f32x2 f32x2 i32",
      "f32 select f32 f64 i32", "f32 select f64 f32 i32"}},
    {{"i16 u_upsample i8 i8", "i64x2 s_upsample i32x2 i32x2"},
     {"i32 u_upsample i8 i8", "i16 u_upsample i8 i16", "i16x2 u_upsample i8 i8",
      "f32 u_upsample i16 i16", "i16 u_upsample i16 i16"}},
    {{"f32x3 shuffle f32x2 i32x3", "i8x2 shuffle2 i8x3 i8x3 i8x2"},
     {"f32x3 shuffle f64x2 i32x3", "f32x3 shuffle f32x2 i32x2", "f32x3 shuffle f32x2 f32x3",
      "f32 shuffle f32x2 i32", "i8x2 shuffle2 i8x3 i8x2 i8x2", "f32x2 shuffle f32 i32x2"}},
    /* memory */
    {{"f32x3 vloadn i64 p_f32 =3"},
     {"f32x3 vloadn f32 p_f32 =3", "f32x3 vloadn i64 p_f64 =3", "f32x3 vloadn i64 p_f32 =2",
      "f32x3 vloadn i64 i64 =3"}},
    {{"f32 vload_half i64 p_f16", "f32x3 vload_halfn i64 p_f16 =3",
      "f64x2 vloada_halfn i64 p_f16 =2"},
     {"i32 vload_half i64 p_f16", "f32 vload_half f32 p_f16", "f32 vload_half i64 p_f32",
      "f32 vload_half i64 i64"}},
    {{"void vstoren f32x3 i64 p_f32"},
     {"void vstoren f32x3 f32 p_f32", "void vstoren f32x3 i64 p_f64",
      "void vstoren f32x3 i64 i64"}},
    {{"void vstore_half f32 i64 p_f16", "void vstorea_halfn_r f64x2 i64 p_f16 =RTZ"},
     {"void vstore_half i32 i64 p_f16", "void vstore_half f32 f32 p_f16",
      "void vstore_halfn f32x2 i64 p_f32", "void vstore_half f32 i64 i64"}},
    {{"i32 printf p_i8", "i32 printf p_i8 f64 p_f32"}, {"i32 printf i8", "i32 printf f32 p_i8"}},
    {{"void prefetch p_f32 i64"}, {"void prefetch i64 i64", "void prefetch p_f32 f32"}},
};

/* Writes a module whose kernel has one instruction. */
static void module_write(const char *line, struct geo_strbuf *text)
{
    char words[96], *saved;
    snprintf(words, sizeof(words), "%s", line);
    geo_strbuf_printf(text, "OpEntryPoint Kernel %%k \"k\"\n%%void = OpTypeVoid\n");
    for (size_t i = 0; i < COUNT(scalars); i++) {
        int name = (int)strcspn(scalars[i], " ");
        geo_strbuf_printf(text, "%%%.*s = %s\n", name, scalars[i], scalars[i] + name + 1);
        for (unsigned n = 1; n <= 3; n++) {
            char type[16];
            snprintf(type, sizeof(type), n == 1 ? "%.*s" : "%.*sx%u", name, scalars[i], n);
            if (n > 1) {
                geo_strbuf_printf(text, "%%%s = OpTypeVector %%%.*s %u\n", type, name, scalars[i],
                                  n);
            }
            geo_strbuf_printf(text,
                              "%%p_%s = OpTypePointer CrossWorkgroup %%%s\n"
                              "%%v_%s = OpUndef %%%s\n%%v_p_%s = OpUndef %%p_%s\n",
                              type, type, type, type, type, type);
        }
    }
    geo_strbuf_printf(text, "%%fn = OpTypeFunction %%void\n%%k = OpFunction %%void None %%fn\n"
                            "%%entry = OpLabel\n");
    const char *result = strtok_r(words, " ", &saved), *name = strtok_r(NULL, " ", &saved);
    geo_strbuf_printf(text, "%%x = OpExtInst %%%s %%ocl %s", result, name);
    for (const char *word; (word = strtok_r(NULL, " ", &saved));) {
        geo_strbuf_printf(text, *word == '=' ? " %s" : " %%v_%s", word + (*word == '='));
    }
    geo_strbuf_printf(text, "\nOpReturn\nOpFunctionEnd\n");
}

static void line_judge(const char *line, bool expected)
{
    struct geo_strbuf text, log;
    struct geo_ir_module *module = NULL;
    size_t bytes;
    geo_strbuf_init(&text, 0);
    geo_strbuf_init(&log, 0);
    module_write(line, &text);
    void *words = support_assemble_bytes(geo_strbuf_text(&text), &bytes);
    bool good = geo_spirv_read(words, bytes, &module, &log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS;
    if (good != expected) {
        fail_msg("%s: %s", line, good ? "taken" : geo_strbuf_text(&log));
    }
    if (!good) {
        assert_non_null(strstr(geo_strbuf_text(&log), "OpExtInst"));
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&text);
    geo_strbuf_finish(&log);
    free(words);
}

/* SPV-1 */
static void operands_have_the_types_of_the_specification(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(rows[i].good) && rows[i].good[k]; k++) {
            line_judge(rows[i].good[k], true);
        }
        for (size_t k = 0; k < COUNT(rows[i].bad) && rows[i].bad[k]; k++) {
            line_judge(rows[i].bad[k], false);
        }
    }
}

static bool is_taken(struct geo_ir_module *module, uint32_t number, uint32_t operands)
{
    const char *reason;
    const struct geo_ir_type *type = geo_ir_type_float(module, 32);
    struct geo_ir_inst *inst = geo_ir_inst_create(module, SpvOpExtInst, type, operands, 2, 0);
    inst->literals[0] = GEO_EXT_OPENCL_STD;
    inst->literals[1] = number;
    for (uint32_t i = 0; i < operands; i++) {
        inst->operands[i] = geo_ir_const_null(module, type);
    }
    return geo_rules_check(inst, &reason);
}

/* SPV-1: the reader takes any number of operands */
static void operands_are_as_many_as_in_the_grammar(void **state)
{
    struct geo_ir_module *module = geo_ir_module_create(0);
    (void)state;
    for (uint32_t count = 0; count < 5; count++) {
        assert_int_equal(is_taken(module, OpenCLstd_Sqrt, count), count == 1);
        assert_int_equal(is_taken(module, OpenCLstd_Fmax, count), count == 2);
        assert_int_equal(is_taken(module, OpenCLstd_Length, count), count == 1);
        assert_int_equal(is_taken(module, OpenCLstd_Distance, count), count == 2);
        assert_false(is_taken(module, OpenCLstd_Select, count));
        assert_false(is_taken(module, OpenCLstd_Remquo, count));
        assert_false(is_taken(module, OpenCLstd_Printf, count));
        assert_false(is_taken(module, 1000, count));
    }
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_have_the_types_of_the_specification),
        cmocka_unit_test(operands_are_as_many_as_in_the_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
