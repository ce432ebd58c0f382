/* Translates functions from LLVM IR to the interpreter's code (internal.h). */
#include "internal.h"

#include <llvm-c/Analysis.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most indices of one address computation that are not constant. */
#define INDEX_LIMIT 16u

/* One function while it is translated. */
struct decoder {
    struct simt *simt;
    struct function *function;
    struct geo_ptrmap places; /* by value: position in the frame + 1 */
    struct geo_ptrmap starts; /* by block: number of its first instruction + 1 */
    uint32_t next;            /* instruction */
};

bool simt_fail(struct simt *simt, const char *format, ...)
{
    va_list arguments;
    if (!simt->failed) {
        va_start(arguments, format);
        vsnprintf(simt->text, SIMT_TEXT, format, arguments);
        va_end(arguments);
    }
    simt->failed = true;
    return false;
}

void *simt_new(struct simt *simt, size_t count, size_t bytes)
{
    void *block = calloc(count ? count : 1, bytes);
    if (simt->block_count == simt->block_capacity) {
        simt->block_capacity = simt->block_capacity * 2 + 64;
        simt->blocks = realloc(simt->blocks, simt->block_capacity * sizeof(*simt->blocks));
    }
    if (!block || !simt->blocks) {
        abort();
    }
    simt->blocks[simt->block_count++] = block;
    return block;
}

/* ---- operands ---- */

static void place_set(struct decoder *d, LLVMValueRef value, uint32_t words)
{
    if (!geo_ptrmap_set(&d->places, value, (void *)(uintptr_t)(d->function->word_count + 1))) {
        abort();
    }
    d->function->word_count += words;
}

static uint32_t place_of(struct decoder *d, LLVMValueRef value)
{
    return (uint32_t)(uintptr_t)geo_ptrmap_find(&d->places, value) - 1;
}

static reference operand(struct decoder *d, LLVMValueRef value)
{
    uintptr_t place = (uintptr_t)geo_ptrmap_find(&d->places, value);
    return place ? (reference)(place - 1) : simt_constant(d->simt, value);
}

static void operands_set(struct decoder *d, struct instruction *inst, uint32_t first,
                         uint32_t count)
{
    inst->operands = simt_new(d->simt, count, sizeof(*inst->operands));
    inst->operand_count = count;
    for (uint32_t i = 0; i < count; i++) {
        inst->operands[i] = operand(d, LLVMGetOperand(inst->value, first + i));
    }
}

static const struct layout *operand_layout(struct decoder *d, const struct instruction *inst,
                                           uint32_t index)
{
    return simt_layout(d->simt, LLVMTypeOf(LLVMGetOperand(inst->value, index)));
}

/* ---- control flow ---- */

static void edge_make(struct decoder *d, struct edge *edge, LLVMBasicBlockRef from,
                      LLVMBasicBlockRef to)
{
    uint32_t count = 0;
    LLVMValueRef phi = LLVMGetFirstInstruction(to);
    for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        count++;
    }
    edge->target = (uint32_t)(uintptr_t)geo_ptrmap_find(&d->starts, to) - 1;
    edge->moves = simt_new(d->simt, count, sizeof(*edge->moves));
    phi = LLVMGetFirstInstruction(to);
    for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        const struct layout *layout = simt_layout(d->simt, LLVMTypeOf(phi));
        for (unsigned i = 0; layout && i < LLVMCountIncoming(phi); i++) {
            if (LLVMGetIncomingBlock(phi, i) == from) {
                edge->moves[edge->move_count++] = (struct move){
                    operand(d, LLVMGetIncomingValue(phi, i)), place_of(d, phi), layout->words};
                break;
            }
        }
    }
}

static bool terminator(struct decoder *d, struct instruction *inst)
{
    uint32_t count = LLVMGetNumSuccessors(inst->value);
    LLVMBasicBlockRef from = LLVMGetInstructionParent(inst->value);
    inst->edges = simt_new(d->simt, count, sizeof(*inst->edges));
    inst->edge_count = count;
    for (uint32_t i = 0; i < count; i++) {
        edge_make(d, &inst->edges[i], from, LLVMGetSuccessor(inst->value, i));
    }
    if (inst->op == LLVMBr) {
        operands_set(d, inst, 0, count > 1 ? 1 : 0);
        return true;
    }
    /* successor 0 of a switch is the default */
    operands_set(d, inst, 0, 1);
    inst->bits = operand_layout(d, inst, 0)->leaves[0].bits;
    inst->numbers = simt_new(d->simt, count, sizeof(*inst->numbers));
    for (uint32_t i = 1; i < count; i++) {
        inst->numbers[i] =
            (int64_t)LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(inst->value, i));
    }
    return true;
}

/* ---- addresses ---- */

bool simt_address_parts(struct simt *simt, LLVMValueRef value, int64_t *constant,
                        LLVMValueRef *indices, int64_t *scales, uint32_t *count, uint32_t limit)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    *constant = 0;
    *count = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(value); i++) {
        LLVMValueRef index = LLVMGetOperand(value, i + 1);
        int64_t scale;
        if (i > 0 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            *constant += (int64_t)LLVMOffsetOfElement(simt->target, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        type = i > 0 ? LLVMGetElementType(type) : type;
        scale = (int64_t)LLVMABISizeOfType(simt->target, type);
        if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind || *count == limit) {
            return simt_fail(simt, "an address computation is not supported");
        }
        if (LLVMIsAConstantInt(index)) {
            *constant += LLVMConstIntGetSExtValue(index) * scale;
        } else {
            indices[*count] = index;
            scales[(*count)++] = scale;
        }
    }
    return true;
}

/* Operands: the pointer, then the indices. numbers: scale and width of each index. */
static bool address(struct decoder *d, struct instruction *inst)
{
    LLVMValueRef indices[INDEX_LIMIT];
    int64_t scales[INDEX_LIMIT];
    uint32_t count;
    if (inst->count != 1 || !simt_address_parts(d->simt, inst->value, &inst->constant, indices,
                                                scales, &count, INDEX_LIMIT)) {
        return simt_fail(d->simt, "an address computation is not supported");
    }
    inst->operands = simt_new(d->simt, (size_t)count + 1, sizeof(*inst->operands));
    inst->numbers = simt_new(d->simt, (size_t)count * 2 + 1, sizeof(*inst->numbers));
    inst->operand_count = count + 1;
    inst->operands[0] = operand(d, LLVMGetOperand(inst->value, 0));
    for (uint32_t i = 0; i < count; i++) {
        inst->operands[i + 1] = operand(d, indices[i]);
        inst->numbers[2 * i] = scales[i];
        inst->numbers[2 * i + 1] = LLVMGetIntTypeWidth(LLVMTypeOf(indices[i]));
    }
    return true;
}

/* ---- memory ---- */

static bool access(struct decoder *d, struct instruction *inst)
{
    bool is_store = inst->op == LLVMStore, is_load = inst->op == LLVMLoad;
    uint32_t pointer = is_store ? 1 : 0;
    operands_set(d, inst, 0, is_load ? 1 : inst->op == LLVMAtomicCmpXchg ? 3 : 2);
    inst->detail = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst->value, pointer)));
    inst->align = LLVMGetAlignment(inst->value);
    inst->layout = is_load ? simt_layout(d->simt, LLVMTypeOf(inst->value))
                           : operand_layout(d, inst, is_store ? 0 : 1);
    if (!inst->layout) {
        return false;
    }
    for (uint32_t i = 0; i < inst->layout->count; i++) {
        uint32_t bits = inst->layout->leaves[i].bits;
        if (bits % 8 && (bits != 1 || inst->layout->count != 1)) {
            return simt_fail(d->simt, "an access to %u bits is not supported", bits);
        }
    }
    if (is_load || is_store) {
        return true;
    }
    inst->bits = inst->layout->leaves[0].bits;
    inst->constant = inst->op == LLVMAtomicRMW ? (int64_t)LLVMGetAtomicRMWBinOp(inst->value) : 0;
    return inst->layout->count == 1 && inst->bits >= 8 && inst->bits <= 64
               ? true
               : simt_fail(d->simt, "an atomic operation is not supported");
}

static bool allocate(struct decoder *d, struct instruction *inst)
{
    LLVMValueRef count = LLVMGetOperand(inst->value, 0);
    uint32_t space = LLVMGetPointerAddressSpace(LLVMTypeOf(inst->value));
    if (!LLVMIsAConstantInt(count) || (space != SPACE_GENERIC && space != SPACE_LOCAL)) {
        return simt_fail(d->simt, "an alloca is not supported");
    }
    inst->constant =
        (int64_t)(LLVMABISizeOfType(d->simt->target, LLVMGetAllocatedType(inst->value)) *
                  LLVMConstIntGetZExtValue(count));
    inst->align = LLVMGetAlignment(inst->value);
    inst->align = inst->align ? inst->align : 1;
    inst->detail = space;
    return true;
}

/* ---- composites ---- */

/* The words in front of the part that the indices select, and the part's size. */
static bool part_select(struct decoder *d, LLVMValueRef value, LLVMTypeRef type, uint32_t *at,
                        uint32_t *words)
{
    *at = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(value); i++) {
        unsigned index = LLVMGetIndices(value)[i];
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        LLVMTypeRef element = is_struct ? NULL : LLVMGetElementType(type);
        for (unsigned k = 0; k < index; k++) {
            *at += simt_layout(d->simt, is_struct ? LLVMStructGetTypeAtIndex(type, k) : element)
                       ->words;
        }
        type = is_struct ? LLVMStructGetTypeAtIndex(type, index) : element;
    }
    *words = simt_layout(d->simt, type)->words;
    return true;
}

static bool composite(struct decoder *d, struct instruction *inst)
{
    uint32_t at, words;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst->value, 0));
    operands_set(d, inst, 0, inst->op == LLVMInsertValue ? 2 : 1);
    if (!operand_layout(d, inst, 0) || !part_select(d, inst->value, type, &at, &words)) {
        return false;
    }
    inst->numbers = simt_new(d->simt, 2, sizeof(*inst->numbers));
    inst->numbers[0] = at;
    inst->numbers[1] = words;
    return true;
}

static bool vector(struct decoder *d, struct instruction *inst)
{
    operands_set(d, inst, 0, inst->op == LLVMInsertElement ? 3 : 2);
    const struct layout *layout = operand_layout(d, inst, 0);
    if (!layout || layout->words != layout->count) {
        return simt_fail(d->simt, "a vector is not supported");
    }
    inst->constant = layout->count;
    if (inst->op != LLVMShuffleVector) {
        return true;
    }
    inst->numbers = simt_new(d->simt, inst->count, sizeof(*inst->numbers));
    for (uint32_t i = 0; i < inst->count; i++) {
        inst->numbers[i] = LLVMGetMaskValue(inst->value, i);
    }
    return true;
}

static bool bitcast(struct decoder *d, struct instruction *inst)
{
    operands_set(d, inst, 0, 1);
    const struct layout *from = operand_layout(d, inst, 0);
    if (!from) {
        return false;
    }
    if (from->count == 1 && inst->count == 1) {
        inst->op = OP_MOVE;
        return true;
    }
    inst->layout = from; /* the leaves' bytes are put together anew */
    return true;
}

/* ---- calls ---- */

static bool call(struct decoder *d, struct instruction *inst)
{
    LLVMValueRef callee = LLVMGetCalledValue(inst->value);
    uint32_t count = LLVMGetNumArgOperands(inst->value);
    if (LLVMIsAInlineAsm(callee)) {
        return simt_fail(d->simt, "inline assembly is not supported");
    }
    if (!LLVMIsAFunction(callee)) {
        operands_set(d, inst, 0, count + 1);
        inst->operands[count] = operand(d, callee);
        return true;
    }
    const char *name = LLVMGetValueName(callee);
    if (LLVMIsDeclaration(callee)) {
        bool none = strcmp(name, "llvm.assume") == 0 || strncmp(name, "llvm.lifetime.", 14) == 0;
        operands_set(d, inst, 0, none ? 0 : count);
        inst->from_bits = inst->operand_count && operand_layout(d, inst, 0)->count
                              ? operand_layout(d, inst, 0)->leaves[0].bits
                              : 0;
        inst->detail = count && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst->value, 0))) ==
                                    LLVMPointerTypeKind
                           ? LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst->value, 0)))
                           : 0;
        inst->constant =
            count > 1 && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst->value, 1))) ==
                             LLVMPointerTypeKind
                ? LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst->value, 1)))
                : 0;
        if (!simt_intrinsic_decode(d->simt, name, inst)) {
            return false;
        }
        return true;
    }
    operands_set(d, inst, 0, count);
    inst->callee = simt_function(d->simt, callee);
    return true;
}

/* ---- one instruction ---- */

static bool decode_operation(struct decoder *d, struct instruction *inst)
{
    switch (inst->op) {
    case LLVMRet:
        operands_set(d, inst, 0, (uint32_t)LLVMGetNumOperands(inst->value));
        inst->words = inst->operand_count ? operand_layout(d, inst, 0)->words : 0;
        return true;
    case LLVMBr:
    case LLVMSwitch:
        return terminator(d, inst);
    case LLVMUnreachable:
    case LLVMFence:
        return true;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        operands_set(d, inst, 0, 2);
        return true;
    case LLVMFNeg:
        operands_set(d, inst, 0, 1);
        return true;
    case LLVMFreeze:
        inst->op = OP_MOVE;
        operands_set(d, inst, 0, 1);
        return true;
    case LLVMSelect:
        operands_set(d, inst, 0, 3);
        inst->constant = operand_layout(d, inst, 0)->count;
        return true;
    case LLVMICmp:
    case LLVMFCmp:
        operands_set(d, inst, 0, 2);
        inst->detail = inst->op == LLVMICmp ? (uint32_t)LLVMGetICmpPredicate(inst->value)
                                            : (uint32_t)LLVMGetFCmpPredicate(inst->value);
        inst->bits = operand_layout(d, inst, 0)->leaves[0].bits;
        return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        operands_set(d, inst, 0, 1);
        inst->from_bits = operand_layout(d, inst, 0)->leaves[0].bits;
        return true;
    case LLVMAddrSpaceCast:
        operands_set(d, inst, 0, 1);
        inst->detail = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst->value, 0)));
        inst->constant = LLVMGetPointerAddressSpace(LLVMTypeOf(inst->value));
        return inst->count == 1 ? true : simt_fail(d->simt, "a cast of a vector of pointers");
    case LLVMBitCast:
        return bitcast(d, inst);
    case LLVMGetElementPtr:
        return address(d, inst);
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return access(d, inst);
    case LLVMAlloca:
        return allocate(d, inst);
    case LLVMExtractValue:
    case LLVMInsertValue:
        return composite(d, inst);
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return vector(d, inst);
    case LLVMCall:
        return call(d, inst);
    default:
        return simt_fail(d->simt, "the instruction is not known");
    }
}

static bool decode_instruction(struct decoder *d, LLVMValueRef value)
{
    struct instruction *inst = &d->function->code[d->next++];
    LLVMTypeRef type = LLVMTypeOf(value);
    const struct layout *layout = simt_layout(d->simt, type);
    if (!layout) {
        return false;
    }
    *inst = (struct instruction){.op = (uint32_t)LLVMGetInstructionOpcode(value),
                                 .count = layout->count,
                                 .words = layout->words,
                                 .value = value};
    if (layout->count) {
        inst->bits = layout->leaves[0].bits;
        inst->is_float = layout->leaves[0].is_float;
        inst->result = place_of(d, value);
    }
    bool good = decode_operation(d, inst) && !d->simt->failed;
    if (!good && !strstr(d->simt->text, ": ")) {
        char *text = LLVMPrintValueToString(value);
        size_t length = strlen(d->simt->text);
        snprintf(d->simt->text + length, SIMT_TEXT - length, ": %s", text);
        LLVMDisposeMessage(text);
    }
    return good;
}

/* ---- functions ---- */

struct function *simt_function(struct simt *simt, LLVMValueRef value)
{
    struct function *function = geo_ptrmap_find(&simt->functions, value);
    if (function) {
        return function;
    }
    function = simt_new(simt, 1, sizeof(*function));
    function->name = LLVMGetValueName(value);
    function->value = value;
    function->index = (uint32_t)simt->function_count;
    if (simt->function_count == simt->function_capacity) {
        simt->function_capacity = simt->function_capacity * 2 + 16;
        simt->function_list =
            realloc(simt->function_list, simt->function_capacity * sizeof(*simt->function_list));
    }
    if (!simt->function_list || !geo_ptrmap_set(&simt->functions, value, function)) {
        abort();
    }
    simt->function_list[simt->function_count++] = function;
    return function;
}

static void parameters_place(struct decoder *d)
{
    struct function *function = d->function;
    uint32_t count = LLVMCountParams(function->value);
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    unsigned align_kind = LLVMGetEnumAttributeKindForName("align", 5);
    function->parameter_count = count;
    function->parameters = simt_new(d->simt, count, sizeof(*function->parameters));
    function->parameter_at = simt_new(d->simt, count, sizeof(*function->parameter_at));
    function->by_value = simt_new(d->simt, count, sizeof(*function->by_value));
    function->by_value_align = simt_new(d->simt, count, sizeof(*function->by_value_align));
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef parameter = LLVMGetParam(function->value, i);
        const struct layout *layout = simt_layout(d->simt, LLVMTypeOf(parameter));
        LLVMAttributeRef by_value = LLVMGetEnumAttributeAtIndex(function->value, i + 1, kind);
        if (!layout) {
            return;
        }
        function->parameters[i] = layout;
        function->parameter_at[i] = function->word_count;
        if (by_value) {
            LLVMTypeRef type = LLVMGetTypeAttributeValue(by_value);
            LLVMAttributeRef attribute =
                LLVMGetEnumAttributeAtIndex(function->value, i + 1, align_kind);
            uint32_t align = attribute ? (uint32_t)LLVMGetEnumAttributeValue(attribute) : 0;
            function->by_value[i] = LLVMABISizeOfType(d->simt->target, type);
            function->by_value_align[i] =
                align ? align : LLVMABIAlignmentOfType(d->simt->target, type);
        }
        place_set(d, parameter, layout->words);
    }
}

/* Gives each instruction its place in the frame, and each block the number of its first
 * instruction. Phis have no code: edges move their values. */
static void values_place(struct decoder *d)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(d->function->value); block;
         block = LLVMGetNextBasicBlock(block)) {
        if (!geo_ptrmap_set(&d->starts, block, (void *)(uintptr_t)(count + 1))) {
            abort();
        }
        for (LLVMValueRef value = LLVMGetFirstInstruction(block); value;
             value = LLVMGetNextInstruction(value)) {
            const struct layout *layout = simt_layout(d->simt, LLVMTypeOf(value));
            count += LLVMIsAPHINode(value) ? 0 : 1;
            if (layout && layout->words) {
                place_set(d, value, layout->words);
            }
        }
    }
    d->function->code = simt_new(d->simt, count, sizeof(*d->function->code));
    d->function->count = count;
}

bool simt_function_decode(struct simt *simt, struct function *function)
{
    struct decoder d = {.simt = simt, .function = function};
    if (function->decoded || LLVMIsDeclaration(function->value)) {
        return true;
    }
    function->decoded = true;
    parameters_place(&d);
    values_place(&d);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function->value); block && !simt->failed;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef value = LLVMGetFirstInstruction(block); value && !simt->failed;
             value = LLVMGetNextInstruction(value)) {
            if (!LLVMIsAPHINode(value)) {
                decode_instruction(&d, value);
            }
        }
    }
    geo_ptrmap_finish(&d.places);
    geo_ptrmap_finish(&d.starts);
    return !simt->failed;
}

struct simt *simt_create(LLVMModuleRef module, char text[SIMT_TEXT])
{
    struct simt *simt = calloc(1, sizeof(*simt));
    if (!simt) {
        abort();
    }
    simt->module = module;
    simt->text = text;
    simt->target = LLVMGetModuleDataLayout(module);
    for (LLVMValueRef value = LLVMGetFirstFunction(module); value;
         value = LLVMGetNextFunction(value)) {
        if (!LLVMIsDeclaration(value)) {
            simt_function(simt, value);
        }
    }
    simt_globals_make(simt);
    for (size_t i = 0; i < simt->function_count && !simt->failed; i++) {
        simt_function_decode(simt, simt->function_list[i]);
    }
    if (simt->failed) {
        simt_destroy(simt);
        return NULL;
    }
    simt->text = NULL;
    return simt;
}

void simt_destroy(struct simt *simt)
{
    geo_ptrmap_finish(&simt->layouts);
    geo_ptrmap_finish(&simt->functions);
    geo_ptrmap_finish(&simt->globals);
    for (size_t i = 0; i < simt->block_count; i++) {
        free(simt->blocks[i]);
    }
    free(simt->blocks);
    free(simt->function_list);
    free(simt->constants);
    free(simt->objects);
    free(simt);
}

uint64_t simt_steps(const struct simt *simt)
{
    return simt->steps;
}
