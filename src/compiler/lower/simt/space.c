/* Address spaces. Pointers to global memory are in space 1. All others are generic (0):
 *
 * - Private pointers point to variables of the item or into the block of arguments.
 * - Local memory is in space 3, where address 0 is valid. A generic pointer to it is never null.
 *
 * LLVM finds the space of most generic pointers (its pass infer-address-spaces). */
#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/value/value.h"

#define SPACE_GENERIC 0u
#define SPACE_GLOBAL  1u
#define SPACE_SHARED  3u

/* Least alignment of private variables. Kernels access arrays of bytes as words, too. */
#define PRIVATE_ALIGN 16u

unsigned geo_simt_address_space(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        return SPACE_GLOBAL;
    default:
        return SPACE_GENERIC;
    }
}

static LLVMValueRef is_space(struct geo_lower_function *f, const char *space, LLVMValueRef pointer)
{
    return geo_simt_ids_intrinsic(f, space, &pointer, 1);
}

struct geo_lower_space geo_simt_space_of(struct geo_lower_function *f, struct geo_ir_value *pointer,
                                         bool as_scalar)
{
    GEO_ASSERT(as_scalar);
    (void)as_scalar;
    LLVMValueRef held = geo_value_scalar(f, pointer, 0);
    LLVMValueRef global = is_space(f, "llvm.nvvm.isspacep.global", held);
    return (struct geo_lower_space){.pointer = held,
                                    .in_local = is_space(f, "llvm.nvvm.isspacep.shared", held),
                                    .in_group = LLVMBuildNot(f->llvm.builder, global, "")};
}

/* Returns the generic address of the group's shared memory, whose size the launch chooses. */
static LLVMValueRef local_memory(struct geo_lower_function *f)
{
    struct geo_lower_module_frame *module = f->lower->frame;
    if (!module->local) {
        LLVMTypeRef none = LLVMArrayType2(geo_type_i8(f), 0);
        module->local =
            LLVMAddGlobalInAddressSpace(f->llvm.module, none, "geoid_local", SPACE_SHARED);
        LLVMSetAlignment(module->local, f->lower->machine->local_align);
    }
    return LLVMConstAddrSpaceCast(module->local, geo_type_ptr(f));
}

LLVMValueRef geo_simt_space_local_variable(struct geo_lower_function *f, size_t index)
{
    return geo_emit_offset_const(f, local_memory(f), (int64_t)f->lower->local_offsets[index]);
}

LLVMValueRef geo_simt_space_local_argument(struct geo_lower_function *f, LLVMValueRef place)
{
    return geo_emit_offset(f, local_memory(f), place);
}

LLVMValueRef geo_simt_space_arguments(struct geo_lower_function *f)
{
    GEO_ASSERT(f->frame->arguments);
    return f->frame->arguments;
}

bool geo_simt_space_private_variable(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type->element;
    uint32_t align = inst->value.align > type->align ? inst->value.align : type->align;
    LLVMTypeRef bytes = LLVMArrayType2(geo_type_i8(f), type->size ? type->size : 1);
    LLVMValueRef variable = geo_emit_alloca(f, bytes, "private");
    LLVMSetAlignment(variable, align > PRIVATE_ALIGN ? align : PRIVATE_ALIGN);
    geo_value_set(f, inst, 0, variable);
    return true;
}
