/* Descriptors of functions (struct geo_function, abi.h): what the address of a function is.
 *
 * A descriptor has an entry for each width and kind of chunk; those that somebody can ask for are
 * compiled. Calls through the addresses are indirect.c's. */
#include "compiler/lower/frame/frame.h"

#include "compiler/link/symbol.h"

struct geo_lower_descriptor {
    struct geo_lower_code *code;
    LLVMValueRef global;
    struct geo_lower_descriptor *next;
};

/* ---- planning ---- */

static bool behind_pointers(const struct geo_lower *lower, const struct geo_ir_value *value)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (value->kind != GEO_VALUE_CONSTANT || constant->op != SpvOpConstantFunctionPointerINTEL) {
        return false;
    }
    const struct geo_ir_function *function = geo_ir_as_function(constant->operands[0]);
    const struct geo_lower_code *code =
        function ? geo_lower_code_find((struct geo_lower *)lower, function) : NULL;
    return code && code->subgroups;
}

void geo_lower_indirect_plan(struct geo_lower *lower)
{
    bool indirect = false, subgroups = false;
    for (uint32_t i = 0; i < lower->code_count; i++) {
        indirect |= lower->codes[i]->indirect;
        subgroups |= lower->codes[i]->function->indirect && lower->codes[i]->subgroups;
    }
    for (size_t i = 0; indirect && i < lower->module->constants.count; i++) {
        subgroups |= behind_pointers(lower, lower->module->constants.items[i]);
    }
    for (uint32_t i = 0; indirect && subgroups && i < lower->code_count; i++) {
        lower->codes[i]->subgroups |= lower->codes[i]->calls;
    }
}

bool geo_lower_indirect_used(const struct geo_lower *lower)
{
    for (uint32_t i = 0; i < GEO_FUNCTION_WIDTHS; i++) {
        if (lower->indirect_shapes[0][i] || lower->indirect_shapes[1][i]) {
            return true;
        }
    }
    return false;
}

/* ---- descriptors ---- */

static LLVMTypeRef descriptor_type(const struct geo_lower *lower)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(lower->context, 0);
    LLVMTypeRef entry =
        LLVMStructTypeInContext(lower->context, (LLVMTypeRef[]){pointer, word}, 2, 0);
    LLVMTypeRef members[] = {word, pointer, pointer, word,
                             LLVMArrayType2(entry, UINT64_C(2) * GEO_FUNCTION_WIDTHS)};
    return LLVMStructTypeInContext(lower->context, members, 5, 0);
}

LLVMValueRef geo_lower_function_address(struct geo_lower_function *f,
                                        const struct geo_ir_function *function)
{
    struct geo_lower *lower = f->lower;
    struct geo_lower_code *code = geo_lower_code_find(lower, function);
    char label[300];
    const char *name = function->value.name ? function->value.name : "unnamed";
    if (!code || code->barriers.count) {
        geo_lower_error(
            f, NULL, "error: address of function %%%u (%s): %s", function->value.id, name,
            code ? "a function with a barrier cannot be called by pointer" : "it has no body");
        return LLVMConstNull(geo_lower_ptr(f));
    }
    if (code->descriptor) {
        return code->descriptor->global;
    }
    struct geo_lower_descriptor *made = geo_arena_new(&lower->arena, struct geo_lower_descriptor);
    if (!made) {
        geo_lower_no_memory(f);
        return LLVMConstNull(geo_lower_ptr(f));
    }
    geo_symbol_descriptor(function, label, sizeof(label));
    made->code = code;
    made->global = LLVMAddGlobal(lower->llvm_module, descriptor_type(lower), label);
    LLVMSetLinkage(made->global, function->indirect ? LLVMExternalLinkage : LLVMInternalLinkage);
    if (function->indirect) {
        LLVMSetVisibility(made->global, LLVMHiddenVisibility);
    }
    LLVMSetAlignment(made->global, 16);
    LLVMSetGlobalConstant(made->global, 1);
    made->next = lower->descriptors;
    lower->descriptors = code->descriptor = made;
    return made->global;
}

bool geo_lower_indirect_exports(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    geo_lower_module_scope(&f, lower, &arena);
    for (uint32_t i = 0; i < lower->code_count && !f.failed; i++) {
        /* What cannot be called by pointer is no error as long as nobody asks. */
        if (lower->codes[i]->function->indirect && !lower->codes[i]->barriers.count) {
            geo_lower_function_address(&f, lower->codes[i]->function);
        }
    }
    geo_lower_module_scope_finish(&f);
    return !f.failed;
}

/* Whether a function can be compiled for chunks of this kind. */
static bool can_run(const struct geo_lower_code *code, uint32_t lanes, bool linear)
{
    return (code->canonical || lanes == 1) && (!code->subgroups || linear);
}

/* At W = 1 sub-groups have one item, whatever the kind of chunk: not the caller's meaning. */
static bool is_wanted(const struct geo_lower *lower, const struct geo_lower_code *code,
                      uint32_t width, bool linear)
{
    bool fallback = width == 0 && !linear;
    return (fallback || lower->indirect_shapes[linear][width]) &&
           can_run(code, 1u << width, linear);
}

bool geo_lower_indirect_instances(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    if (!lower->descriptors) {
        return true;
    }
    geo_lower_module_scope(&f, lower, &arena);
    for (const struct geo_lower_descriptor *d = lower->descriptors; d; d = d->next) {
        for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS && !f.failed; shape++) {
            uint32_t width = shape % GEO_FUNCTION_WIDTHS;
            bool linear = shape >= GEO_FUNCTION_WIDTHS;
            f.lanes = 1u << width;
            if (is_wanted(lower, d->code, width, linear)) {
                geo_lower_instance_get(&f, d->code, f.lanes, linear);
            }
        }
    }
    geo_lower_module_scope_finish(&f);
    return !f.failed;
}

static const struct geo_lower_instance *instance_find(const struct geo_lower_code *code,
                                                      uint32_t width, bool linear)
{
    for (const struct geo_lower_instance *i = code->instances; i; i = i->next_of_code) {
        if (i->lanes == 1u << width && i->linear == linear) {
            return i;
        }
    }
    return NULL;
}

LLVMValueRef geo_lower_object_mark(struct geo_lower *lower)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    if (lower->shared_local_bytes == 0) {
        return LLVMConstNull(LLVMPointerTypeInContext(lower->context, 0));
    }
    if (!lower->object) {
        lower->object = LLVMAddGlobal(lower->llvm_module, word, "geoid.object");
        LLVMSetInitializer(lower->object, LLVMConstNull(word));
        LLVMSetLinkage(lower->object, LLVMInternalLinkage);
        LLVMSetGlobalConstant(lower->object, 1);
    }
    return lower->object;
}

static bool descriptor_fill(struct geo_lower *lower, const struct geo_lower_descriptor *d,
                            uint64_t *frame_bytes)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(lower->context, 0);
    LLVMValueRef entries[2 * GEO_FUNCTION_WIDTHS];
    LLVMTypeRef entry_type =
        LLVMStructTypeInContext(lower->context, (LLVMTypeRef[]){pointer, word}, 2, 0);
    for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS; shape++) {
        struct geo_lower_instance *instance = (struct geo_lower_instance *)instance_find(
            d->code, shape % GEO_FUNCTION_WIDTHS, shape >= GEO_FUNCTION_WIDTHS);
        uint64_t bytes = 0;
        if (instance) {
            if (!geo_lower_instance_measure(instance)) {
                return false;
            }
            bytes = instance->total_bytes;
        }
        *frame_bytes = bytes > *frame_bytes ? bytes : *frame_bytes;
        LLVMValueRef members[] = {instance ? instance->function : LLVMConstNull(pointer),
                                  LLVMConstInt(word, bytes, 0)};
        entries[shape] = LLVMConstStructInContext(lower->context, members, 2, 0);
    }
    LLVMValueRef members[] = {LLVMConstInt(word, GEO_FUNCTION_MAGIC, 0), d->global,
                              geo_lower_object_mark(lower), LLVMConstNull(word),
                              LLVMConstArray2(entry_type, entries, 2 * GEO_FUNCTION_WIDTHS)};
    LLVMSetInitializer(d->global, LLVMConstStructInContext(lower->context, members, 5, 0));
    return true;
}

bool geo_lower_indirect_finish(struct geo_lower *lower, uint64_t *frame_bytes)
{
    for (const struct geo_lower_descriptor *d = lower->descriptors; d; d = d->next) {
        if (!descriptor_fill(lower, d, frame_bytes)) {
            return false;
        }
    }
    *frame_bytes = geo_lower_indirect_used(lower)
                       ? *frame_bytes + GEO_LOWER_STEP_BYTES + GEO_FUNCTION_RESERVE_BYTES
                       : 0;
    return true;
}
