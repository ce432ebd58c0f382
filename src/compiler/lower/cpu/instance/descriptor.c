/* Declares the descriptors of functions in the LLVM module; see descriptor.h. */
#include "compiler/lower/cpu/instance/descriptor.h"

#include "base/assert.h"
#include "compiler/link/symbol.h"
#include "compiler/lower/cpu/instance/module_frame.h"
#include "compiler/lower/emit/type.h"

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

LLVMValueRef geo_descriptor_address(struct geo_lower_function *f,
                                    const struct geo_ir_function *function)
{
    struct geo_lower *lower = f->lower;
    struct geo_lower_code *code = geo_state_code_find(lower, function);
    char label[300];
    const char *name = function->value.name ? function->value.name : "unnamed";
    if (!code || code->barriers.count) {
        geo_state_error(
            f, NULL, "error: address of function %%%u (%s): %s", function->value.id, name,
            code ? "a function with a barrier cannot be called by pointer" : "it has no body");
        return LLVMConstNull(geo_type_ptr(f));
    }
    struct geo_lower_requests *requests = geo_instance_requests(lower, code);
    if (requests->descriptor) {
        return requests->descriptor->global;
    }
    struct geo_lower_descriptor *made = geo_arena_new(&lower->arena, struct geo_lower_descriptor);
    if (!made) {
        geo_state_no_memory(f);
        return LLVMConstNull(geo_type_ptr(f));
    }
    GEO_ASSERT(code->function == function && function->first_block);
    geo_symbol_descriptor(function, label, sizeof(label));
    made->code = code;
    made->global = LLVMAddGlobal(lower->llvm_module, descriptor_type(lower), label);
    LLVMSetLinkage(made->global, function->indirect ? LLVMExternalLinkage : LLVMInternalLinkage);
    if (function->indirect) {
        LLVMSetVisibility(made->global, LLVMHiddenVisibility);
    }
    LLVMSetAlignment(made->global, 16);
    LLVMSetGlobalConstant(made->global, 1);
    made->next = lower->frame->descriptors;
    lower->frame->descriptors = requests->descriptor = made;
    return made->global;
}

LLVMValueRef geo_descriptor_object_mark(struct geo_lower *lower)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    if (lower->shared_local_bytes == 0) {
        return LLVMConstNull(LLVMPointerTypeInContext(lower->context, 0));
    }
    if (!lower->frame->object) {
        lower->frame->object = LLVMAddGlobal(lower->llvm_module, word, "geoid.object");
        LLVMSetInitializer(lower->frame->object, LLVMConstNull(word));
        LLVMSetLinkage(lower->frame->object, LLVMInternalLinkage);
        LLVMSetGlobalConstant(lower->frame->object, 1);
    }
    return lower->frame->object;
}
