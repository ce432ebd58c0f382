/* Types, constants and variables of a module. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static uint32_t scalar_bits(struct simt *simt, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMPointerTypeKind:
        return (uint32_t)LLVMPointerSizeForAS(simt->target, LLVMGetPointerAddressSpace(type)) * 8;
    default:
        return 0;
    }
}

static uint64_t element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        return LLVMCountStructElementTypes(type);
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    default:
        return LLVMGetArrayLength2(type);
    }
}

static LLVMTypeRef element_type(LLVMTypeRef type, uint64_t index)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind
               ? LLVMStructGetTypeAtIndex(type, (unsigned)index)
               : LLVMGetElementType(type);
}

/* Offset of an element in memory. */
static uint64_t element_offset(struct simt *simt, LLVMTypeRef type, uint64_t index)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        return LLVMOffsetOfElement(simt->target, type, (unsigned)index);
    }
    LLVMTypeRef element = LLVMGetElementType(type);
    return index * (LLVMGetTypeKind(type) == LLVMVectorTypeKind
                        ? LLVMSizeOfTypeInBits(simt->target, element) / 8
                        : LLVMABISizeOfType(simt->target, element));
}

static bool layout_make(struct simt *simt, LLVMTypeRef type, struct layout *layout)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVoidTypeKind) {
        return true;
    }
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind) {
        uint32_t bits = scalar_bits(simt, type);
        if (bits == 0 || bits > 128) {
            char *text = LLVMPrintTypeToString(type);
            simt_fail(simt, "the type %s is not supported", text);
            LLVMDisposeMessage(text);
            return false;
        }
        layout->leaves = simt_new(simt, 1, sizeof(*layout->leaves));
        layout->leaves[0] =
            (struct leaf){.bits = bits,
                          .is_float = kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind ||
                                      kind == LLVMDoubleTypeKind};
        layout->count = 1;
        layout->words = bits > 64 ? 2 : 1;
        layout->bytes = LLVMStoreSizeOfType(simt->target, type);
        return true;
    }
    uint64_t count = element_count(type), leaves = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct layout *part = simt_layout(simt, element_type(type, i));
        if (!part) {
            return false;
        }
        leaves += part->count;
    }
    layout->leaves = simt_new(simt, leaves + 1, sizeof(*layout->leaves));
    for (uint64_t i = 0; i < count; i++) {
        const struct layout *part = simt_layout(simt, element_type(type, i));
        for (uint32_t k = 0; k < part->count; k++) {
            struct leaf leaf = part->leaves[k];
            leaf.offset += (uint32_t)element_offset(simt, type, i);
            layout->leaves[layout->count++] = leaf;
        }
        layout->words += part->words;
    }
    layout->bytes = LLVMStoreSizeOfType(simt->target, type);
    return true;
}

const struct layout *simt_layout(struct simt *simt, LLVMTypeRef type)
{
    struct layout *layout = geo_ptrmap_find(&simt->layouts, type);
    if (layout) {
        return layout;
    }
    layout = simt_new(simt, 1, sizeof(*layout));
    if (!layout_make(simt, type, layout)) {
        return NULL;
    }
    if (!geo_ptrmap_set(&simt->layouts, type, layout)) {
        abort();
    }
    return layout;
}

/* ---- constants ---- */

/* Position of a function or variable, as a generic address or an offset of its space. */
static bool address_of_global(struct simt *simt, LLVMValueRef value, uint64_t *word)
{
    if (LLVMIsAFunction(value)) {
        struct function *function = simt_function(simt, value);
        *word = (uint64_t)WINDOW_CODE << SIMT_WINDOW_SHIFT | (uint64_t)(function->index + 1) << 4;
        return true;
    }
    uint64_t *place = geo_ptrmap_find(&simt->globals, value);
    if (!place) {
        return simt_fail(simt, "the variable %s has no address", LLVMGetValueName(value));
    }
    *word = *place;
    return true;
}

static bool expression_gep(struct simt *simt, LLVMValueRef value, uint64_t *words)
{
    LLVMValueRef indices[16];
    int64_t scales[16], constant;
    uint32_t count;
    if (!simt_constant_words(simt, LLVMGetOperand(value, 0), words) ||
        !simt_address_parts(simt, value, &constant, indices, scales, &count, 16)) {
        return false;
    }
    words[0] += (uint64_t)constant;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t index[2];
        if (!simt_constant_words(simt, indices[i], index)) {
            return false;
        }
        uint32_t bits = LLVMGetIntTypeWidth(LLVMTypeOf(indices[i]));
        words[0] += (uint64_t)(bits_signed(index[0], bits) * scales[i]);
    }
    return true;
}

static bool expression_words(struct simt *simt, LLVMValueRef value, uint64_t *words)
{
    LLVMOpcode op = LLVMGetConstOpcode(value);
    uint64_t a[2] = {0, 0}, b[2] = {0, 0};
    if (op == LLVMGetElementPtr) {
        return expression_gep(simt, value, words);
    }
    LLVMTypeRef type = LLVMTypeOf(value), from = LLVMTypeOf(LLVMGetOperand(value, 0));
    uint32_t to_bits = scalar_bits(simt, type), from_bits = scalar_bits(simt, from);
    if (!to_bits || !from_bits || !simt_constant_words(simt, LLVMGetOperand(value, 0), a)) {
        return simt_fail(simt, "a constant expression is not supported");
    }
    if (op == LLVMAddrSpaceCast) {
        words[0] =
            memory_cast(a[0], LLVMGetPointerAddressSpace(from), LLVMGetPointerAddressSpace(type));
        return true;
    }
    if (op == LLVMPtrToInt || op == LLVMIntToPtr || op == LLVMTrunc || op == LLVMBitCast) {
        return scalar_cast(op == LLVMBitCast ? (uint32_t)LLVMTrunc : (uint32_t)op, from_bits,
                           to_bits, a, words) == NULL;
    }
    if (LLVMGetNumOperands(value) != 2 || !simt_constant_words(simt, LLVMGetOperand(value, 1), b)) {
        return simt_fail(simt, "a constant expression is not supported");
    }
    const char *error = scalar_binary(op, to_bits, a, b, words);
    return error ? simt_fail(simt, "a constant expression: %s", error) : true;
}

static bool composite_words(struct simt *simt, LLVMValueRef value, uint64_t *words)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    uint64_t count = element_count(type);
    bool data = LLVMIsAConstantDataSequential(value) || LLVMIsAConstantArray(value) ||
                LLVMIsAConstantVector(value) || LLVMIsAConstantStruct(value);
    for (uint64_t i = 0; i < count; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(value, (unsigned)i);
        if (!data || !element || !simt_constant_words(simt, element, words)) {
            return simt_fail(simt, "a constant is not supported");
        }
        words += simt_layout(simt, LLVMTypeOf(element))->words;
    }
    return true;
}

static void fill_poison(const struct layout *layout, uint64_t *words)
{
    for (uint32_t i = 0, at = 0; i < layout->count; i++) {
        words[at++] = SIMT_POISON & bits_mask(layout->leaves[i].bits);
        if (layout->leaves[i].bits > 64) {
            words[at++] = SIMT_POISON;
        }
    }
}

bool simt_constant_words(struct simt *simt, LLVMValueRef value, uint64_t *words)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const struct layout *layout = simt_layout(simt, type);
    if (!layout) {
        return false;
    }
    if (LLVMIsAConstantInt(value)) {
        uint32_t bits = LLVMGetIntTypeWidth(type);
        if (bits > 64) {
            char *text = LLVMPrintValueToString(value); /* "i128 -5" */
            const char *digits = strchr(text, ' ') + 1;
            wide number = 0;
            bool minus = *digits == '-';
            for (digits += minus; *digits; digits++) {
                number = number * 10 + (wide)(*digits - '0');
            }
            number = minus ? 0 - number : number;
            words[0] = (uint64_t)number;
            words[1] = (uint64_t)(number >> 64);
            LLVMDisposeMessage(text);
            return true;
        }
        words[0] = LLVMConstIntGetZExtValue(value);
        return true;
    }
    if (LLVMIsAConstantFP(value)) {
        LLVMBool lost;
        words[0] = float_word(LLVMConstRealGetDouble(value, &lost), layout->leaves[0].bits);
        return true;
    }
    if (LLVMIsUndef(value) || LLVMIsPoison(value)) {
        fill_poison(layout, words);
        return true;
    }
    if (LLVMIsNull(value)) {
        memset(words, 0, layout->words * sizeof(*words));
        return true;
    }
    if (LLVMIsAGlobalValue(value)) {
        return address_of_global(simt, value, words);
    }
    return LLVMIsAConstantExpr(value) ? expression_words(simt, value, words)
                                      : composite_words(simt, value, words);
}

reference simt_constant(struct simt *simt, LLVMValueRef value)
{
    const struct layout *layout = simt_layout(simt, LLVMTypeOf(value));
    uint32_t words = layout ? layout->words : 0;
    while (simt->constant_count + words > simt->constant_capacity) {
        simt->constant_capacity = simt->constant_capacity * 2 + 64;
        simt->constants =
            realloc(simt->constants, simt->constant_capacity * sizeof(*simt->constants));
        if (!simt->constants) {
            abort();
        }
    }
    size_t at = simt->constant_count;
    simt->constant_count += words;
    uint64_t *copy = simt_new(simt, words + 2, sizeof(*copy));
    if (layout && simt_constant_words(simt, value, copy)) {
        memcpy(simt->constants + at, copy, words * sizeof(*copy));
    }
    return ~(reference)at;
}

/* ---- variables ---- */

/* Alignment of the shared memory whose size the launch chooses. */
#define DYNAMIC_ALIGN 128u

static bool place_variable(struct simt *simt, LLVMValueRef global)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    uint32_t space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
    uint64_t bytes = LLVMABISizeOfType(simt->target, type), align = LLVMGetAlignment(global);
    uint64_t *place = simt_new(simt, 1, sizeof(*place));
    align = align ? align : LLVMABIAlignmentOfType(simt->target, type);
    if (!geo_ptrmap_set(&simt->globals, global, place)) {
        abort();
    }
    if (space == SPACE_SHARED && bytes == 0) {
        return true; /* placed behind all others */
    }
    if (space == SPACE_SHARED) {
        simt->shared_bytes = (simt->shared_bytes + align - 1) / align * align;
        *place = simt->shared_bytes;
        simt->shared_bytes += bytes;
        return true;
    }
    if (space != SPACE_GLOBAL && space != SPACE_CONST) {
        return simt_fail(simt, "the variable %s is in address space %u", LLVMGetValueName(global),
                         space);
    }
    if (!LLVMGetInitializer(global)) {
        return simt_fail(simt, "the variable %s has no value", LLVMGetValueName(global));
    }
    *place = simt_buffer_add(simt, simt_new(simt, bytes + 1, 1), bytes, 0);
    simt->objects[simt->object_count - 1].constant = LLVMIsGlobalConstant(global);
    return true;
}

static bool fill_variable(struct simt *simt, LLVMValueRef global)
{
    const struct layout *layout = simt_layout(simt, LLVMGlobalGetValueType(global));
    uint64_t *place = geo_ptrmap_find(&simt->globals, global);
    uint32_t space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
    if (!layout || space == SPACE_SHARED) {
        return layout != NULL;
    }
    uint64_t *words = simt_new(simt, (size_t)layout->words + 1, sizeof(*words));
    if (!simt_constant_words(simt, LLVMGetInitializer(global), words)) {
        return false;
    }
    uint8_t *memory = simt->objects[(*place >> 32) - 1].memory;
    for (uint32_t i = 0; i < layout->count; i++) {
        uint32_t bits = layout->leaves[i].bits;
        memcpy(memory + layout->leaves[i].offset, words, (bits + 7) / 8);
        words += bits > 64 ? 2 : 1;
    }
    return true;
}

bool simt_globals_make(struct simt *simt)
{
    LLVMValueRef global = LLVMGetFirstGlobal(simt->module);
    for (; global; global = LLVMGetNextGlobal(global)) {
        if (!place_variable(simt, global)) {
            return false;
        }
    }
    simt->variable_count = simt->object_count;
    for (global = LLVMGetFirstGlobal(simt->module); global; global = LLVMGetNextGlobal(global)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == SPACE_SHARED &&
            LLVMABISizeOfType(simt->target, LLVMGlobalGetValueType(global)) == 0) {
            simt->shared_bytes =
                (simt->shared_bytes + DYNAMIC_ALIGN - 1) / DYNAMIC_ALIGN * DYNAMIC_ALIGN;
            *(uint64_t *)geo_ptrmap_find(&simt->globals, global) = simt->shared_bytes;
        }
    }
    global = LLVMGetFirstGlobal(simt->module);
    for (; global; global = LLVMGetNextGlobal(global)) {
        if (!fill_variable(simt, global)) {
            return false;
        }
    }
    return true;
}
