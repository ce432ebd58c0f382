/* Lays out a kernel's argument block and loads the arguments at the kernel's entry; see
 * argument.h. */
#include "compiler/lower/memory/argument.h"

#include "base/assert.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/state/place.h"
#include "compiler/lower/value/value.h"

bool geo_argument_place(const struct geo_ir_function *function, uint32_t *offsets, uint32_t *bytes)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct geo_ir_type *type = function->parameters[i]->type;
        bool by_value = type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction;
        const struct geo_ir_type *held = by_value ? type->element : type;
        bool address =
            !by_value && (type->kind == GEO_TYPE_POINTER || type->kind == GEO_TYPE_OPAQUE);
        uint64_t size = address ? 8 : held->size;
        uint64_t align = address ? 8 : held->align;
        uint64_t offset;
        if (!geo_place(&total, size ? size : 1, align ? align : 1, &offset) ||
            total > UINT32_MAX / 2) {
            return false;
        }
        GEO_ASSERT(i == 0 || offset > offsets[i - 1]);
        offsets[i] = (uint32_t)offset;
    }
    *bytes = (uint32_t)((total + 15) & ~(uint64_t)15);
    return true;
}

static void load_argument(struct geo_lower_function *f, const struct geo_ir_value *parameter,
                          LLVMValueRef block, uint64_t offset)
{
    const struct geo_ir_type *type = parameter->type;
    if (type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction) {
        LLVMValueRef place = geo_emit_offset_const(f, block, (int64_t)offset);
        geo_value_set_value(f, parameter, 0, geo_emit_pointer_cast(f, place, geo_type_of(f, type)));
        return;
    }
    if (type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassWorkgroup) {
        LLVMValueRef bytes =
            geo_emit_load_invariant(f, geo_type_i64(f), geo_emit_offset_const(f, block, offset), 8);
        geo_value_set_value(f, parameter, 0, f->lower->machine->local_argument(f, bytes));
        return;
    }
    for (uint32_t part = 0; part < geo_part_count(type) && !f->failed; part++) {
        const struct geo_ir_type *part_type = geo_part_type(type, part);
        uint64_t at = offset + geo_part_offset(type, part);
        bool is_bool = part_type->kind == GEO_TYPE_BOOL;
        LLVMTypeRef held = geo_type_of(f, part_type);
        LLVMValueRef value = geo_emit_load_invariant(
            f, is_bool ? geo_type_i8(f) : held, geo_emit_offset_const(f, block, at),
            part_type->size ? (uint32_t)part_type->size : 1);
        uint32_t image_bytes = f->lower->machine->image_bytes;
        if (image_bytes && part_type->kind == GEO_TYPE_OPAQUE &&
            part_type->opaque == SpvOpTypeImage) {
            geo_emit_mark_readable(f, value, image_bytes);
        }
        if (is_bool) {
            value = LLVMBuildTrunc(f->llvm.builder, value, held, "");
        }
        geo_value_set_value(f, parameter, part, value);
    }
}

void geo_argument_load(struct geo_lower_function *f, const uint32_t *offsets)
{
    if (!f->function->parameter_count) {
        return;
    }
    LLVMValueRef block = f->lower->machine->arguments(f);
    for (uint32_t i = 0; i < f->function->parameter_count; i++) {
        load_argument(f, f->function->parameters[i], block, offsets[i]);
    }
}
