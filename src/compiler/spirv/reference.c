/* Lists of operands that are filled in when their ids are defined. See reference.h. */
#include "compiler/spirv/reference.h"

#include "compiler/spirv/id.h"

/* An operand whose id was undefined when it was read. */
struct spirv_fixup {
    struct spirv_fixup *next;
    struct geo_ir_value **slot;
    uint32_t id;
    uint32_t word_offset;
};

bool spirv_fixup_add(struct spirv_reader *reader, struct spirv_fixup **list,
                     struct geo_ir_value **slot, uint32_t id)
{
    struct spirv_fixup *fixup = geo_arena_new(&reader->module->arena, struct spirv_fixup);
    if (!fixup) {
        return spirv_out_of_memory(reader);
    }
    fixup->slot = slot;
    fixup->id = id;
    fixup->word_offset = (uint32_t)reader->at;
    fixup->next = *list;
    *list = fixup;
    return true;
}

bool spirv_fixups_resolve(struct spirv_reader *reader, struct spirv_fixup *list)
{
    for (struct spirv_fixup *fixup = list; fixup; fixup = fixup->next) {
        const struct spirv_id *entry = &reader->ids[fixup->id];
        if (entry->kind != ID_VALUE) {
            return spirv_error(reader, "id %u, used at word %u, is never defined as a value",
                               fixup->id, fixup->word_offset);
        }
        *fixup->slot = entry->value;
    }
    return true;
}

bool spirv_functions_resolve(struct spirv_reader *reader)
{
    for (struct spirv_fixup *fixup = reader->calls; fixup; fixup = fixup->next) {
        const struct spirv_id *entry = &reader->ids[fixup->id];
        if (entry->kind == ID_VALUE && entry->value->kind != GEO_VALUE_FUNCTION) {
            return spirv_error(reader, "id %u, used at word %u, is not a function", fixup->id,
                               fixup->word_offset);
        }
    }
    return spirv_fixups_resolve(reader, reader->calls);
}

bool spirv_function_later(struct spirv_reader *reader, struct geo_ir_value **slot, uint32_t id)
{
    return spirv_id(reader, id) && spirv_fixup_add(reader, &reader->calls, slot, id);
}

struct geo_ir_block *spirv_block(struct spirv_reader *reader, uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (!entry) {
        return NULL;
    }
    if (entry->kind == ID_NONE) {
        entry->block = geo_arena_new(&reader->module->arena, struct geo_ir_block);
        if (!entry->block) {
            spirv_out_of_memory(reader);
            return NULL;
        }
        entry->kind = ID_BLOCK;
        entry->block->id = id; /* `function` stays NULL until the block's OpLabel */
    }
    if (entry->kind != ID_BLOCK) {
        spirv_error(reader, "id %u is not a label", id);
        return NULL;
    }
    if (entry->block->function && entry->block->function != reader->function) {
        spirv_error(reader, "label %u belongs to another function", id);
        return NULL;
    }
    return entry->block;
}
