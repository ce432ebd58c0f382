/* Reads names and decorations, which precede the ids that they describe. See annotation.h. */
#include "compiler/spirv/annotation.h"

#include "compiler/spirv/decoration.h"
#include "compiler/spirv/entry_point.h"
#include "compiler/spirv/id.h"

static bool read_name(struct spirv_reader *reader)
{
    uint32_t used;
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct spirv_id *entry = spirv_id(reader, reader->operands[0]);
    if (!entry) {
        return false;
    }
    entry->name = spirv_string(reader, reader->operands + 1, reader->length - 2, &used);
    return entry->name != NULL;
}

static bool decoration_add(struct spirv_reader *reader, uint32_t target, int32_t member,
                           uint32_t kind, const uint32_t *words, uint32_t count)
{
    struct spirv_id *entry = spirv_id(reader, target);
    if (!entry) {
        return false;
    }
    struct spirv_decoration *decoration =
        geo_arena_new(&reader->module->arena, struct spirv_decoration);
    if (!decoration) {
        return spirv_out_of_memory(reader);
    }
    decoration->kind = kind;
    decoration->member = member;
    decoration->words = words;
    decoration->count = count;
    decoration->next = entry->decorations;
    entry->decorations = decoration;
    return true;
}

static bool read_decorate(struct spirv_reader *reader)
{
    bool of_member = reader->op == SpvOpMemberDecorate || reader->op == SpvOpMemberDecorateString;
    uint32_t before = of_member ? 3 : 2;
    if (!spirv_need(reader, before)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    int32_t member = of_member ? (int32_t)(operands[1] & 0x7FFFFFFF) : -1;
    return decoration_add(reader, operands[0], member, operands[before - 1], operands + before,
                          spirv_operand_count(reader) - before);
}

static bool read_decoration_group(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    struct spirv_id *entry = spirv_define(reader, reader->operands[0]);
    if (entry) {
        entry->kind = ID_GROUP;
    }
    return entry != NULL;
}

static bool read_group_decorate(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    bool of_member = reader->op == SpvOpGroupMemberDecorate;
    struct spirv_id *group = spirv_id(reader, operands[0]);
    if (!group) {
        return false;
    }
    uint32_t step = of_member ? 2 : 1;
    for (uint32_t i = 1; i + step <= spirv_operand_count(reader); i += step) {
        struct spirv_decoration *last = group->decorations;
        if (operands[i] == operands[0]) {
            return spirv_error(reader, "group %u decorates itself", operands[0]);
        }
        for (struct spirv_decoration *d = last; d; d = d->next) {
            int32_t member = of_member ? (int32_t)(operands[i + 1] & 0x7FFFFFFF) : d->member;
            if (!decoration_add(reader, operands[i], member, d->kind, d->words, d->count)) {
                return false;
            }
        }
    }
    return true;
}

bool spirv_read_annotation(struct spirv_reader *reader)
{
    switch (reader->op) {
    case SpvOpName:
        return read_name(reader);
    case SpvOpDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
        return read_decorate(reader);
    case SpvOpDecorationGroup:
    case SpvOpAliasDomainDeclINTEL:
    case SpvOpAliasScopeDeclINTEL:
    case SpvOpAliasScopeListDeclINTEL:
        return read_decoration_group(reader);
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return read_group_decorate(reader);
    case SpvOpEntryPoint:
        return spirv_read_entry_point(reader);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return spirv_read_execution_mode(reader);
    default:
        return true; /* OpMemberName is ignored */
    }
}
