/* OpSpecConstantOp: what it carries keeps the rules of the instruction of that name, whatever types
 * meet; and what LLVM 22 writes against the rules is understood. */
#include "../support.h"
#include "compiler/ir/grammar.h"
#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- every opcode, any types ---- */

struct code {
    uint32_t words[1024];
    size_t count;
};

static void emit_words(struct code *code, uint32_t op, const uint32_t *operands, uint32_t count)
{
    assert_true(code->count + count + 1 < COUNT(code->words));
    code->words[code->count++] = (count + 1) << 16 | op;
    if (count > 0) {
        memcpy(code->words + code->count, operands, count * sizeof(*operands));
    }
    code->count += count;
}

#define EMIT(code, op, ...)                                                                        \
    emit_words(code, op, (const uint32_t[]){__VA_ARGS__},                                          \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Types, in the order of their ids. A pointer leads to the type before it. */
enum {
    VOID = 1,
    BOOL,
    I8,
    I32,
    I64,
    F16,
    F32,
    F64,
    I32X2,
    I64X2,
    F32X2,
    BOOLX2,
    PAIR,
    ARRAY,
    TO_PAIR,
    TO_I32,
    TO_I8,
    TO_ARRAY,
    GENERIC_I32,
    SIGNATURE,
    VALUES, /* two constants of each type from BOOL to ARRAY, two variables of each pointer */
    END_OF_VALUES = VALUES + 2 * (SIGNATURE - BOOL),
    TWO,
    FUNCTION,
    LABEL,
    RESULT,
    BOUND,
};

static uint32_t value_of(uint32_t type, uint32_t i)
{
    return VALUES + 2 * (type - BOOL) + i;
}

static void types_emit(struct code *code)
{
    EMIT(code, SpvOpTypeVoid, VOID);
    EMIT(code, SpvOpTypeBool, BOOL);
    EMIT(code, SpvOpTypeInt, I8, 8, 0);
    EMIT(code, SpvOpTypeInt, I32, 32, 0);
    EMIT(code, SpvOpTypeInt, I64, 64, 0);
    EMIT(code, SpvOpTypeFloat, F16, 16);
    EMIT(code, SpvOpTypeFloat, F32, 32);
    EMIT(code, SpvOpTypeFloat, F64, 64);
    EMIT(code, SpvOpTypeVector, I32X2, I32, 2);
    EMIT(code, SpvOpTypeVector, I64X2, I64, 2);
    EMIT(code, SpvOpTypeVector, F32X2, F32, 2);
    EMIT(code, SpvOpTypeVector, BOOLX2, BOOL, 2);
    EMIT(code, SpvOpTypeStruct, PAIR, I32, F32);
    EMIT(code, SpvOpConstant, I32, TWO, 2);
    EMIT(code, SpvOpTypeArray, ARRAY, I32, TWO);
    EMIT(code, SpvOpTypePointer, TO_PAIR, SpvStorageClassCrossWorkgroup, PAIR);
    EMIT(code, SpvOpTypePointer, TO_I32, SpvStorageClassCrossWorkgroup, I32);
    EMIT(code, SpvOpTypePointer, TO_I8, SpvStorageClassCrossWorkgroup, I8);
    EMIT(code, SpvOpTypePointer, TO_ARRAY, SpvStorageClassCrossWorkgroup, ARRAY);
    EMIT(code, SpvOpTypePointer, GENERIC_I32, SpvStorageClassGeneric, I32);
    EMIT(code, SpvOpTypeFunction, SIGNATURE, VOID);
}

static void values_emit(struct code *code)
{
    static const uint32_t bits[] = {1, 5};
    for (uint32_t i = 0; i < 2; i++) {
        EMIT(code, i ? SpvOpConstantTrue : SpvOpConstantFalse, BOOL, value_of(BOOL, i));
        for (uint32_t type = I8; type <= F64; type++) {
            if (type == I64 || type == F64) {
                EMIT(code, SpvOpConstant, type, value_of(type, i), bits[i], 0);
            } else {
                EMIT(code, SpvOpConstant, type, value_of(type, i), bits[i]);
            }
        }
        for (uint32_t type = I32X2; type <= BOOLX2; type++) {
            static const uint32_t scalars[] = {I32, I64, F32, BOOL};
            uint32_t scalar = scalars[type - I32X2];
            EMIT(code, SpvOpConstantComposite, type, value_of(type, i), value_of(scalar, i),
                 value_of(scalar, 0));
        }
        EMIT(code, SpvOpConstantComposite, PAIR, value_of(PAIR, i), value_of(I32, i),
             value_of(F32, i));
        EMIT(code, SpvOpConstantComposite, ARRAY, value_of(ARRAY, i), value_of(I32, i),
             value_of(I32, 0));
        for (uint32_t type = TO_PAIR; type <= TO_ARRAY; type++) {
            EMIT(code, SpvOpVariable, type, value_of(type, i), SpvStorageClassCrossWorkgroup);
        }
        EMIT(code, SpvOpSpecConstantOp, GENERIC_I32, value_of(GENERIC_I32, i),
             SpvOpPtrCastToGeneric, value_of(TO_I32, i));
    }
}

/* One operation of random operands: its opcode, its type, its words. */
struct operation {
    uint32_t op, type, words[12], count;
};

/* Reads a module that has the operation as a constant, or as an instruction. */
static bool accepted(const struct operation *operation, bool constant, struct geo_strbuf *log)
{
    struct code code = {.count = 0};
    const uint32_t head[] = {SpvMagicNumber, 0x00010400, 0, BOUND, 0};
    uint32_t words[16] = {operation->type, RESULT, operation->op};
    memcpy(code.words, head, sizeof(head));
    code.count = COUNT(head);
    EMIT(&code, SpvOpCapability, SpvCapabilityKernel);
    EMIT(&code, SpvOpMemoryModel, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    types_emit(&code);
    values_emit(&code);
    if (constant) {
        memcpy(words + 3, operation->words, operation->count * sizeof(*words));
        emit_words(&code, SpvOpSpecConstantOp, words, operation->count + 3);
    }
    EMIT(&code, SpvOpFunction, VOID, FUNCTION, SpvFunctionControlMaskNone, SIGNATURE);
    EMIT(&code, SpvOpLabel, LABEL);
    if (!constant) {
        memcpy(words + 2, operation->words, operation->count * sizeof(*words));
        emit_words(&code, operation->op, words, operation->count + 2);
    }
    emit_words(&code, SpvOpReturn, NULL, 0);
    emit_words(&code, SpvOpFunctionEnd, NULL, 0);
    struct geo_ir_module *module = NULL;
    bool good = geo_spirv_read(code.words, code.count * 4, &module, log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", log) == ZE_RESULT_SUCCESS;
    geo_ir_module_destroy(module);
    return good;
}

/* Returns an operand that often fits: of the result's type, of another that all operands share, an
 * integer, a bool, or of any type. A chain begins with a pointer. */
static uint32_t operand_make(struct support_random *random, uint32_t type, uint32_t shared,
                             bool pointer)
{
    const uint32_t types[] = {
        shared, shared, type, type,
        I32,    I32,    BOOL, BOOL + support_random_below(random, SIGNATURE - BOOL)};
    uint32_t pick = pointer ? 0 : support_random_below(random, COUNT(types));
    return value_of(types[pick], support_random_below(random, 2));
}

static struct operation operation_make(struct support_random *random, uint32_t op)
{
    bool chain = geo_op_is((SpvOp)op, GEO_IS_ACCESS_CHAIN);
    uint32_t first = chain ? TO_PAIR : BOOL;
    struct operation made = {.op = op,
                             .type = first + support_random_below(random, SIGNATURE - first)};
    uint32_t shared = first + support_random_below(random, SIGNATURE - first);
    const struct geo_grammar *grammar = geo_grammar_find(op);
    for (const char *letter = grammar->operands + 2; *letter && made.count < 8; letter++) {
        bool many = letter[1] == '*', optional = letter[1] == '?';
        for (uint32_t n = many ? 1 + support_random_below(random, 3) : 1; n > 0; n--) {
            bool pointer = chain && made.count == 0;
            made.words[made.count] = *letter == 'l'
                                         ? support_random_below(random, 4)
                                         : operand_make(random, made.type, shared, pointer);
            made.count++;
        }
        letter += many || optional;
    }
    return made;
}

/* What the specification lists for modules with the capability Kernel. */
static const uint32_t carried[] = {
    SpvOpSConvert,
    SpvOpFConvert,
    SpvOpUConvert,
    SpvOpConvertFToS,
    SpvOpConvertSToF,
    SpvOpConvertFToU,
    SpvOpConvertUToF,
    SpvOpConvertPtrToU,
    SpvOpConvertUToPtr,
    SpvOpGenericCastToPtr,
    SpvOpPtrCastToGeneric,
    SpvOpBitcast,
    SpvOpFNegate,
    SpvOpFAdd,
    SpvOpFSub,
    SpvOpFMul,
    SpvOpFDiv,
    SpvOpFRem,
    SpvOpFMod,
    SpvOpSNegate,
    SpvOpNot,
    SpvOpIAdd,
    SpvOpISub,
    SpvOpIMul,
    SpvOpUDiv,
    SpvOpSDiv,
    SpvOpUMod,
    SpvOpSRem,
    SpvOpSMod,
    SpvOpShiftRightLogical,
    SpvOpShiftLeftLogical,
    SpvOpShiftRightArithmetic,
    SpvOpBitwiseOr,
    SpvOpBitwiseXor,
    SpvOpBitwiseAnd,
    SpvOpVectorShuffle,
    SpvOpCompositeExtract,
    SpvOpCompositeInsert,
    SpvOpLogicalOr,
    SpvOpLogicalAnd,
    SpvOpLogicalNot,
    SpvOpLogicalEqual,
    SpvOpLogicalNotEqual,
    SpvOpSelect,
    SpvOpIEqual,
    SpvOpINotEqual,
    SpvOpULessThan,
    SpvOpSLessThan,
    SpvOpUGreaterThan,
    SpvOpSGreaterThan,
    SpvOpULessThanEqual,
    SpvOpSLessThanEqual,
    SpvOpUGreaterThanEqual,
    SpvOpSGreaterThanEqual,
    SpvOpAccessChain,
    SpvOpInBoundsAccessChain,
    SpvOpPtrAccessChain,
    SpvOpInBoundsPtrAccessChain,
};

static bool is_carried(uint32_t op)
{
    for (size_t i = 0; i < COUNT(carried); i++) {
        if (carried[i] == op) {
            return true;
        }
    }
    return false;
}

static bool is_integer(uint32_t type)
{
    return (type >= I8 && type <= I64) || type == I32X2 || type == I64X2;
}

static uint32_t type_of(uint32_t value)
{
    return BOOL + (value - VALUES) / 2;
}

/* Mistakes of producers that quirks.c mends in functions alone: integers of different widths, and
 * pointers of different types that are chosen from. */
static bool is_mended_in_functions(const struct operation *operation)
{
    bool integers = is_integer(operation->type), pointers = operation->op == SpvOpSelect;
    bool differ = false;
    for (uint32_t i = 0; i < operation->count; i++) {
        uint32_t type = type_of(operation->words[i]);
        integers &= is_integer(type);
        pointers &= i == 0 || type >= TO_PAIR;
        differ |= i > 0 && type != operation->type;
    }
    return integers || (pointers && differ);
}

/* A chain to bytes that counts in bytes: only constants have it. */
static bool is_mended_in_constants(const struct operation *operation)
{
    return geo_op_is((SpvOp)operation->op, GEO_IS_ELEMENT_CHAIN) && operation->type == TO_I8;
}

/* As a constant an operation is accepted exactly when it is one as an instruction; an opcode that
 * constants may not carry may be refused. */
static void constants_keep_the_rules_of_instructions(void **state)
{
    struct support_random random = {.state = 30};
    uint32_t both[COUNT(carried)] = {0}, refused = 0;
    (void)state;
    for (uint32_t op = 0; op < GEO_OP_FIRST; op++) {
        const struct geo_grammar *grammar = geo_grammar_find(op);
        if (!grammar || strncmp(grammar->operands, "tr", 2) != 0 || op == SpvOpSpecConstantOp) {
            continue;
        }
        for (uint32_t i = 0; i < (is_carried(op) ? 3000u : 40u); i++) {
            struct operation operation = operation_make(&random, op);
            struct geo_strbuf log;
            geo_strbuf_init(&log, 0);
            bool inside = accepted(&operation, false, &log),
                 outside = accepted(&operation, true, &log);
            if ((outside && !inside && !is_mended_in_constants(&operation)) ||
                (inside && !outside && is_carried(op) && !is_mended_in_functions(&operation))) {
                fail_msg("%s, type %u, %u %u %u: as an instruction %d, in a constant %d: %s",
                         grammar->name, operation.type, operation.words[0], operation.words[1],
                         operation.words[2], inside, outside, geo_strbuf_text(&log));
            }
            refused += !outside;
            for (size_t k = 0; k < COUNT(carried); k++) {
                both[k] += carried[k] == op && inside && outside;
            }
            geo_strbuf_finish(&log);
        }
    }
    assert_true(refused > 10000);
    for (size_t k = 0; k < COUNT(carried); k++) {
        if (!both[k]) {
            fail_msg("%s: nothing was accepted", geo_op_name((SpvOp)carried[k]));
        }
    }
}

/* ---- what producers write against the rules ---- */

#define VARIABLES                                                                                  \
    "%uchar = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n"                    \
    "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n"               \
    "%array = OpTypeArray %uint %c2\n%p_array = OpTypePointer CrossWorkgroup %array\n"             \
    "%p_uint = OpTypePointer CrossWorkgroup %uint\n"                                               \
    "%p_uchar = OpTypePointer CrossWorkgroup %uchar\n"                                             \
    "%g_uint = OpTypePointer Generic %uint\n%a = OpVariable %p_array CrossWorkgroup\n"             \
    "%u = OpVariable %p_uint CrossWorkgroup\n%table = OpTypeArray %p_uint %c2\n"

struct mistake {
    const char *text, *reason; /* NULL: understood */
};

static const struct mistake mistakes[] = {
    {"%e = OpSpecConstantOp %p_uchar InBoundsPtrAccessChain %a %c0 %c2\n", NULL},
    {"%e = OpSpecConstantOp %p_uchar PtrAccessChain %u %c2\n", NULL},
    /* Whole arrays, then bytes; elements that lead elsewhere; chains that step over nothing
     * first. */
    {"%e = OpSpecConstantOp %p_uchar InBoundsPtrAccessChain %a %c1 %c2\n", "PtrAccessChain"},
    {"%e = OpSpecConstantOp %p_uchar InBoundsPtrAccessChain %a %c0 %c1 %c0\n", "PtrAccessChain"},
    {"%e = OpSpecConstantOp %p_array InBoundsPtrAccessChain %a %c0 %c1\n", "PtrAccessChain"},
    {"%e = OpSpecConstantOp %p_uchar InBoundsAccessChain %a %c1\n", "AccessChain"},
    {"%e = OpSpecConstantOp %g_uint InBoundsPtrAccessChain %a %c0 %c1\n", "PtrAccessChain"},
    {"%e = OpConstantComposite %table %u %a\n", NULL},
    {"%n = OpConstantNull %p_array\n%e = OpConstantComposite %table %n %u\n", NULL},
    {"%s = OpTypeStruct %p_array %uint\n%t = OpTypeStruct %p_uint %uint\n"
     "%ts = OpTypeArray %t %c2\n%x = OpConstantComposite %s %a %c1\n"
     "%y = OpConstantComposite %t %u %c1\n%e = OpConstantComposite %ts %y %x\n",
     NULL},
    /* Another storage class, another number, and a pointer in the place of a number. */
    {"%g = OpSpecConstantOp %g_uint PtrCastToGeneric %u\n%e = OpConstantComposite %table %u %g\n",
     "member 1 is not a constant of the right type"},
    {"%e = OpConstantComposite %table %u %c1\n", "member 1 is not a constant of the right type"},
    {"%s = OpTypeStruct %uint %ulong\n%t = OpTypeStruct %p_uint %uint\n"
     "%ts = OpTypeArray %t %c2\n%l = OpConstant %ulong 1\n%x = OpConstantComposite %s %c1 %l\n"
     "%y = OpConstantComposite %t %u %c1\n%e = OpConstantComposite %ts %y %x\n",
     "member 1 is not a constant of the right type"},
    {"%pp = OpTypePointer CrossWorkgroup %p_uint\n%v = OpVariable %pp CrossWorkgroup %a\n", NULL},
    {"%pp = OpTypePointer CrossWorkgroup %p_uint\n%v = OpVariable %pp CrossWorkgroup %c1\n",
     "the initialiser's type does not fit"},
};

static void mistakes_with_a_plain_meaning_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        char text[2048];
        size_t bytes;
        struct geo_strbuf log;
        struct geo_ir_module *module = NULL;
        snprintf(text, sizeof(text), "%s%s", VARIABLES, mistakes[i].text);
        void *words = support_assemble_bytes(text, &bytes);
        geo_strbuf_init(&log, 0);
        bool good = geo_spirv_read(words, bytes, &module, &log) == ZE_RESULT_SUCCESS;
        if (good != !mistakes[i].reason ||
            (!good && !strstr(geo_strbuf_text(&log), mistakes[i].reason))) {
            fail_msg("%s%s", mistakes[i].text, geo_strbuf_text(&log));
        }
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_keep_the_rules_of_instructions),
        cmocka_unit_test(mistakes_with_a_plain_meaning_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
