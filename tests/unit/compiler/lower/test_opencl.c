/* The table of OpenCL.std (ir/opencl_std.def) against what happens: library functions take the
 * place of the instructions that the rows give to the library, and the others are left for
 * lowering, which has an emitter for each. */
#include "program.h"
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/ir/grammar.h"

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

enum origin {
    ORIGIN_LIBRARY,
    ORIGIN_GEOMETRIC,
    ORIGIN_PART,
    ORIGIN_PART_64,
    ORIGIN_WHOLE,
};

struct row {
    uint32_t number;
    enum origin origin;
};

#define LOWERING_LIBRARY          ORIGIN_LIBRARY
#define LOWERING_GEOMETRIC        ORIGIN_GEOMETRIC
#define LOWERING_PART(emitter)    ORIGIN_PART
#define LOWERING_PART_64(emitter) ORIGIN_PART_64
#define LOWERING_WHOLE(emitter)   ORIGIN_WHOLE
static const struct row rows[] = {
#define ROW(name, types, shape, rounding, lowering, ...) {OpenCLstd_##name, LOWERING_##lowering},
#include "compiler/ir/opencl_std.def"
};

/* ---- what instructions look like ---- */

/* Types of result ("-": none) and operands, where they are not all the same. F stands for floats of
 * any width and I for integers as wide, J for integers of any width and K for those half as wide;
 * "x3" and the like make vectors of them. "*" is a pointer to what follows, "=" a literal, "$" the
 * name of a value. */
static const struct {
    uint32_t number;
    const char *types;
} shapes[] = {
    {OpenCLstd_Fract, "F F *F"},
    {OpenCLstd_Frexp, "F F *i32"},
    {OpenCLstd_Ilogb, "i32 F"},
    {OpenCLstd_Ldexp, "F F i32"},
    {OpenCLstd_Lgamma_r, "F F *i32"},
    {OpenCLstd_Modf, "F F *F"},
    {OpenCLstd_Nan, "F I"},
    {OpenCLstd_Pown, "F F i32"},
    {OpenCLstd_Remquo, "F F F *i32"},
    {OpenCLstd_Rootn, "F F i32"},
    {OpenCLstd_Sincos, "F F *F"},
    {OpenCLstd_Cross, "Fx3 Fx3 Fx3"},
    {OpenCLstd_Distance, "F Fx3 Fx3"},
    {OpenCLstd_Length, "F Fx3"},
    {OpenCLstd_Normalize, "Fx3 Fx3"},
    {OpenCLstd_Fast_distance, "F Fx3 Fx3"},
    {OpenCLstd_Fast_length, "F Fx3"},
    {OpenCLstd_Fast_normalize, "Fx3 Fx3"},
    {OpenCLstd_U_Upsample, "J K K"},
    {OpenCLstd_S_Upsample, "J K K"},
    {OpenCLstd_Vloadn, "Fx4 i64 *F =4"},
    {OpenCLstd_Vstoren, "- Fx4 i64 *F"},
    {OpenCLstd_Vload_half, "f32 i64 *f16"},
    {OpenCLstd_Vload_halfn, "f32x4 i64 *f16 =4"},
    {OpenCLstd_Vstore_half, "- f32 i64 *f16"},
    {OpenCLstd_Vstore_half_r, "- f32 i64 *f16 =RTZ"},
    {OpenCLstd_Vstore_halfn, "- f32x4 i64 *f16"},
    {OpenCLstd_Vstore_halfn_r, "- f32x4 i64 *f16 =RTZ"},
    {OpenCLstd_Vloada_halfn, "f32x4 i64 *f16 =4"},
    {OpenCLstd_Vstorea_halfn, "- f32x4 i64 *f16"},
    {OpenCLstd_Vstorea_halfn_r, "- f32x4 i64 *f16 =RTZ"},
    {OpenCLstd_Shuffle, "Fx4 Fx4 Ix4"},
    {OpenCLstd_Shuffle2, "Fx4 Fx4 Fx4 Ix4"},
    {OpenCLstd_Printf, "i32 $format f64"},
    {OpenCLstd_Prefetch, "- *F i64"},
    {OpenCLstd_Select, "F F F I"},
};

static const char *shape_of(uint32_t number)
{
    static const char *const same[2][4] = {{"F F", "F F F", "F F F F", "F F F F F"},
                                           {"J J", "J J J", "J J J J", "J J J J J"}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if (shapes[i].number == number) {
            return shapes[i].types;
        }
    }
    size_t operands = strlen(geo_grammar_find_opencl(number)->operands);
    assert_in_range(operands, 1, 4);
    return same[number > OpenCLstd_Fast_normalize][operands - 1];
}

/* Is this what an instruction is tried with? */
static bool width_fits(const char *shape, uint32_t width)
{
    bool is_float = strchr(shape, 'F') != NULL, is_integer = strchr(shape, 'J') != NULL;
    if (is_float || strchr(shape, 'K')) {
        return width > 8;
    }
    return is_integer || width == 32;
}

/* The name of a type: "F x3" of 32 bits is "f32x3". */
static void type_name(const char *letter, uint32_t width, char *name, size_t size)
{
    switch (*letter) {
    case 'F':
        snprintf(name, size, "f%u%s", width, letter + 1);
        break;
    case 'I':
    case 'J':
        snprintf(name, size, "i%u%s", width, letter + 1);
        break;
    case 'K':
        snprintf(name, size, "i%u%s", width / 2, letter + 1);
        break;
    default:
        snprintf(name, size, "%s", letter);
    }
}

/* ---- a module of kernels with one instruction each ---- */

struct text {
    struct geo_strbuf entries, bodies, all;
    uint32_t kernels;
};

static void text_begin(struct text *text)
{
    memset(text, 0, sizeof(*text));
    geo_strbuf_init(&text->entries, 0);
    geo_strbuf_init(&text->bodies, 0);
    geo_strbuf_init(&text->all, 0);
}

static void operand_write(struct text *text, const char *token, uint32_t number, uint32_t width,
                          char *name, size_t size)
{
    uint32_t kernel = text->kernels;
    char type[16];
    if (*token == '=') {
        snprintf(name, size, " %s", token + 1);
        return;
    }
    if (*token == '$') {
        snprintf(name, size, " %%%s", token + 1);
        return;
    }
    bool pointer = *token == '*';
    type_name(token + pointer, width, type, sizeof(type));
    geo_strbuf_printf(&text->bodies, "%%a%u_%u = OpBitcast %%p_%s %%in%u\n", kernel, number, type,
                      kernel);
    if (!pointer) {
        geo_strbuf_printf(&text->bodies, "%%v%u_%u = OpLoad %%%s %%a%u_%u\n", kernel, number, type,
                          kernel, number);
    }
    snprintf(name, size, " %%%s%u_%u", pointer ? "a" : "v", kernel, number);
}

static void kernel_write(struct text *text, uint32_t number, uint32_t width)
{
    char shape[64], type[16], operands[256] = "", name[32];
    uint32_t kernel = text->kernels, count = 0;
    snprintf(shape, sizeof(shape), "%s", shape_of(number));
    geo_strbuf_printf(&text->entries, "OpEntryPoint Kernel %%k%u \"%s%u\"\n", kernel,
                      geo_grammar_find_opencl(number)->name, width);
    geo_strbuf_printf(&text->bodies,
                      "%%k%u = OpFunction %%void None %%kernel\n"
                      "%%in%u = OpFunctionParameter %%p_i8\n"
                      "%%out%u = OpFunctionParameter %%p_i8\n%%l%u = OpLabel\n",
                      kernel, kernel, kernel, kernel);
    char *saved, *result = strtok_r(shape, " ", &saved);
    for (char *token; (token = strtok_r(NULL, " ", &saved)); count++) {
        operand_write(text, token, count, width, name, sizeof(name));
        strncat(operands, name, sizeof(operands) - strlen(operands) - 1);
    }
    type_name(*result == '-' ? "void" : result, width, type, sizeof(type));
    geo_strbuf_printf(&text->bodies, "%%r%u = OpExtInst %%%s %%ocl %s%s\n", kernel, type,
                      geo_grammar_find_opencl(number)->name, operands);
    if (*result != '-') {
        geo_strbuf_printf(&text->bodies, "%%o%u = OpBitcast %%p_%s %%out%u\nOpStore %%o%u %%r%u\n",
                          kernel, type, kernel, kernel, kernel);
    }
    geo_strbuf_printf(&text->bodies, "OpReturn\nOpFunctionEnd\n");
    text->kernels++;
}

static struct geo_ir_module *text_end(struct text *text)
{
    static const char *const scalars[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    struct geo_strbuf *all = &text->all;
    geo_strbuf_printf(all, "%s%%void = OpTypeVoid\n", geo_strbuf_text(&text->entries));
    for (size_t i = 0; i < COUNT(scalars); i++) {
        const char *kind = *scalars[i] == 'f' ? "Float" : "Int", *type = scalars[i];
        geo_strbuf_printf(all, "%%%s = OpType%s %s%s\n", type, kind, type + 1,
                          *type == 'i' ? " 0" : "");
        geo_strbuf_printf(all, "%%p_%s = OpTypePointer CrossWorkgroup %%%s\n", type, type);
        for (uint32_t n = 3; n <= 4; n++) {
            geo_strbuf_printf(all, "%%%sx%u = OpTypeVector %%%s %u\n", type, n, type, n);
            geo_strbuf_printf(all, "%%p_%sx%u = OpTypePointer CrossWorkgroup %%%sx%u\n", type, n,
                              type, n);
        }
    }
    geo_strbuf_printf(all, "%%kernel = OpTypeFunction %%void %%p_i8 %%p_i8\n"
                           "%%zero = OpConstant %%i8 0\n%%one = OpConstant %%i32 1\n"
                           "%%chars = OpTypeArray %%i8 %%one\n"
                           "%%p_chars = OpTypePointer UniformConstant %%chars\n"
                           "%%string = OpConstantComposite %%chars %%zero\n"
                           "%%format = OpVariable %%p_chars UniformConstant %%string\n");
    geo_strbuf_printf(all, "%s", geo_strbuf_text(&text->bodies));
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(all));
    geo_strbuf_finish(&text->entries);
    geo_strbuf_finish(&text->bodies);
    geo_strbuf_finish(all);
    return module;
}

/* ---- tests ---- */

static bool in_place(const struct row *row, uint32_t width)
{
    return row->origin == ORIGIN_PART || row->origin == ORIGIN_WHOLE ||
           (row->origin == ORIGIN_PART_64 && width == 64);
}

/* The instruction of a kernel that is still there; NULL: it became something else. */
static const struct geo_ir_inst *instruction_left(const struct geo_ir_function *kernel)
{
    geo_ir_for_each_block(block, kernel) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpExtInst) {
                return inst;
            }
        }
    }
    return NULL;
}

static void the_library_takes_its_rows_and_no_other(void **state)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    struct text text;
    struct geo_strbuf log;
    (void)state;
    text_begin(&text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t w = 0; w < COUNT(widths); w++) {
            if (width_fits(shape_of(rows[i].number), widths[w])) {
                kernel_write(&text, rows[i].number, widths[w]);
            }
        }
    }
    struct geo_ir_module *module = text_end(&text);
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
    support_assert_valid(module);
    struct geo_ir_function *kernel = module->first_function;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t w = 0; w < COUNT(widths); w++) {
            if (!width_fits(shape_of(rows[i].number), widths[w])) {
                continue;
            }
            if ((instruction_left(kernel) != NULL) != in_place(&rows[i], widths[w])) {
                fail_msg("%s: %s", kernel->entry_name,
                         in_place(&rows[i], widths[w]) ? "the library took it"
                                                       : "the library has no such function");
            }
            kernel = kernel->next;
        }
    }
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

static void what_is_made_in_place_has_an_emitter(void **state)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    const struct program_options options = {.lanes = 16};
    struct text text;
    (void)state;
    text_begin(&text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t w = 0; w < COUNT(widths); w++) {
            if (width_fits(shape_of(rows[i].number), widths[w]) && in_place(&rows[i], widths[w])) {
                kernel_write(&text, rows[i].number, widths[w]);
            }
        }
    }
    struct geo_ir_module *module = text_end(&text);
    struct program *program = program_build_model(module, &options);
    program_destroy(program);
    geo_ir_module_destroy(module);
}

/* Neighbour of a half, by counting representations. */
static uint32_t half_neighbour(uint32_t x, uint32_t y)
{
    int a = x & 0x8000 ? -(int)(x & 0x7fff) : (int)x, b = y & 0x8000 ? -(int)(y & 0x7fff) : (int)y;
    if (a == b) {
        return y;
    }
    a += a < b ? 1 : -1;
    return a < 0 || (a == 0 && (x & 0x8000)) ? 0x8000u | (uint32_t)-a : (uint32_t)a;
}

static bool is_half_nan(uint32_t x)
{
    return (x & 0x7fff) > 0x7c00;
}

/* SPV-3: a step of half, not of the float in which other functions of half are computed */
static void halves_have_neighbours(void **state)
{
    static const uint16_t goals[] = {0x0000, 0x8000, 0x3c00, 0xbc00,
                                     0x7c00, 0xfc00, 0x7bff, 0x0001};
    static uint16_t x[0x10000], results[0x10000];
    const struct program_options options = {.lanes = 16, .optimize = true};
    const struct program_launch launch = {.groups = {0x10000 / 64, 1, 1}, .local = {64, 1, 1}};
    (void)state;
    struct geo_ir_module *module = support_assemble(
        "OpEntryPoint Kernel %f \"f\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"
        "OpDecorate %id Constant\n%void = OpTypeVoid\n%i64 = OpTypeInt 64 0\n"
        "%v3 = OpTypeVector %i64 3\n%p_v3 = OpTypePointer Input %v3\n"
        "%id = OpVariable %p_v3 Input\n%half = OpTypeFloat 16\n"
        "%p_half = OpTypePointer CrossWorkgroup %half\n"
        "%type = OpTypeFunction %void %p_half %p_half %half\n"
        "%f = OpFunction %void None %type\n%in = OpFunctionParameter %p_half\n"
        "%out = OpFunctionParameter %p_half\n%goal = OpFunctionParameter %half\n%l = OpLabel\n"
        "%ids = OpLoad %v3 %id\n%i = OpCompositeExtract %i64 %ids 0\n"
        "%from = OpInBoundsPtrAccessChain %p_half %in %i\n%x = OpLoad %half %from\n"
        "%r = OpExtInst %half %ocl nextafter %x %goal\n"
        "%to = OpInBoundsPtrAccessChain %p_half %out %i\nOpStore %to %r\n"
        "OpReturn\nOpFunctionEnd\n");
    struct program *program = program_build_model(module, &options);
    for (uint32_t i = 0; i < COUNT(x); i++) {
        x[i] = (uint16_t)i;
    }
    for (size_t g = 0; g < COUNT(goals); g++) {
        const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(results),
                                                     PROGRAM_VALUE(goals[g])};
        program_run(program, "f", &launch, arguments, 3);
        for (uint32_t i = 0; i < COUNT(x); i++) {
            if (is_half_nan(i) ? !is_half_nan(results[i])
                               : results[i] != half_neighbour(i, goals[g])) {
                fail_msg("nextafter(%#x, %#x) = %#x, not %#x", i, goals[g], results[i],
                         half_neighbour(i, goals[g]));
            }
        }
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_takes_its_rows_and_no_other),
        cmocka_unit_test(what_is_made_in_place_has_an_emitter),
        cmocka_unit_test(halves_have_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
