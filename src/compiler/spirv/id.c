/* The SPIR-V reader: look-ups and definitions of ids. See id.h. */
#include "compiler/spirv/id.h"

#include "compiler/spirv/decoration.h"

struct spirv_id *spirv_id(struct spirv_reader *reader, uint32_t id)
{
    if (id == 0 || id >= reader->id_bound) {
        spirv_error(reader, "id %u is outside the bound %u", id, reader->id_bound);
        return NULL;
    }
    return &reader->ids[id];
}

struct spirv_id *spirv_define(struct spirv_reader *reader, uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (entry && entry->kind != ID_NONE) {
        spirv_error(reader, "id %u is defined twice", id);
        return NULL;
    }
    return entry;
}

const struct geo_ir_type *spirv_type(struct spirv_reader *reader, uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (entry && entry->kind != ID_TYPE) {
        spirv_error(reader, "id %u is not a type defined before", id);
        return NULL;
    }
    return entry ? entry->type : NULL;
}

struct geo_ir_value *spirv_value(struct spirv_reader *reader, uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (entry && entry->kind != ID_VALUE) {
        spirv_error(reader, "id %u is not a value defined before", id);
        return NULL;
    }
    return entry ? entry->value : NULL;
}

struct geo_ir_value *spirv_constant(struct spirv_reader *reader, uint32_t id)
{
    struct geo_ir_value *value = spirv_value(reader, id);
    if (value && value->kind != GEO_VALUE_CONSTANT && value->kind != GEO_VALUE_UNDEF) {
        spirv_error(reader, "id %u is not a constant", id);
        return NULL;
    }
    return value;
}

bool spirv_define_value(struct spirv_reader *reader, uint32_t id, struct geo_ir_value *value)
{
    if (!value) {
        return spirv_out_of_memory(reader);
    }
    struct spirv_id *entry = spirv_define(reader, id);
    if (!entry) {
        return false;
    }
    entry->kind = ID_VALUE;
    entry->value = value;
    value->id = id;
    value->name = entry->name;
    spirv_decorate_value(entry->decorations, value);
    return true;
}

SpvStorageClass spirv_storage(uint32_t word)
{
    return word == SpvStorageClassDeviceOnlyINTEL || word == SpvStorageClassHostOnlyINTEL
               ? SpvStorageClassCrossWorkgroup
               : (SpvStorageClass)word;
}
