/* Names, decorations, entry points and execution modes: what stands before the things it speaks of.
 */
#include "compiler/spirv/internal.h"

#include <string.h>

bool spirv_is_annotation(uint32_t op)
{
    switch (op) {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpAliasDomainDeclINTEL:
    case SpvOpAliasScopeDeclINTEL:
    case SpvOpAliasScopeListDeclINTEL:
        return true;
    default:
        return false;
    }
}

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

static bool read_entry_point(struct spirv_reader *reader)
{
    uint32_t used;
    if (!spirv_need(reader, 3)) {
        return false;
    }
    if (reader->operands[0] != SpvExecutionModelKernel) {
        return spirv_error(reader, "execution model %u: only Kernel is supported",
                           reader->operands[0]);
    }
    struct spirv_entry_point *entry =
        geo_arena_new(&reader->module->arena, struct spirv_entry_point);
    if (!entry) {
        return spirv_out_of_memory(reader);
    }
    entry->function_id = reader->operands[1];
    entry->name = spirv_string(reader, reader->operands + 2, reader->length - 3, &used);
    entry->next = reader->entry_points;
    reader->entry_points = entry;
    return entry->name != NULL;
}

static bool read_execution_mode(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct spirv_mode *mode = geo_arena_new(&reader->module->arena, struct spirv_mode);
    if (!mode) {
        return spirv_out_of_memory(reader);
    }
    mode->function_id = reader->operands[0];
    mode->mode = reader->operands[1];
    mode->words = reader->operands + 2;
    mode->count = spirv_operand_count(reader) - 2;
    mode->by_id = reader->op == SpvOpExecutionModeId;
    mode->next = reader->modes;
    reader->modes = mode;
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
        return read_entry_point(reader);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return read_execution_mode(reader);
    default:
        return true; /* OpMemberName */
    }
}

const struct spirv_decoration *spirv_decoration_find(const struct spirv_id *entry, uint32_t kind)
{
    for (const struct spirv_decoration *d = entry->decorations; d; d = d->next) {
        if (d->kind == kind && d->member < 0) {
            return d;
        }
    }
    return NULL;
}

static uint32_t fast_math_flags(uint32_t mask)
{
    static const struct {
        uint32_t mask;
        uint32_t flags;
    } map[] = {
        {SpvFPFastMathModeNotNaNMask, GEO_VALUE_FAST_NOT_NAN},
        {SpvFPFastMathModeNotInfMask, GEO_VALUE_FAST_NOT_INF},
        {SpvFPFastMathModeNSZMask, GEO_VALUE_FAST_NSZ},
        {SpvFPFastMathModeAllowRecipMask, GEO_VALUE_FAST_ALLOW_RECIP},
        {SpvFPFastMathModeFastMask, GEO_VALUE_FAST_REASSOC | GEO_VALUE_FAST_CONTRACT |
                                        GEO_VALUE_FAST_NOT_NAN | GEO_VALUE_FAST_NOT_INF |
                                        GEO_VALUE_FAST_NSZ | GEO_VALUE_FAST_ALLOW_RECIP},
        {0x10000u /* AllowContract */, GEO_VALUE_FAST_CONTRACT},
        {0x20000u /* AllowReassoc */, GEO_VALUE_FAST_REASSOC},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        flags |= mask & map[i].mask ? map[i].flags : 0;
    }
    return flags;
}

static uint32_t parameter_flags(uint32_t attribute)
{
    switch (attribute) {
    case SpvFunctionParameterAttributeZext:
        return GEO_VALUE_ZERO_EXT;
    case SpvFunctionParameterAttributeSext:
        return GEO_VALUE_SIGN_EXT;
    case SpvFunctionParameterAttributeByVal:
        return GEO_VALUE_BY_VAL;
    case SpvFunctionParameterAttributeNoAlias:
        return GEO_VALUE_NO_ALIAS;
    case SpvFunctionParameterAttributeNoWrite:
        return GEO_VALUE_NO_WRITE;
    default:
        return 0;
    }
}

static uint32_t decoration_flags(const struct spirv_decoration *decoration)
{
    uint32_t word = decoration->count ? decoration->words[0] : 0;
    switch (decoration->kind) {
    case SpvDecorationNoSignedWrap:
        return GEO_VALUE_NO_SIGNED_WRAP;
    case SpvDecorationNoUnsignedWrap:
        return GEO_VALUE_NO_UNSIGNED_WRAP;
    case SpvDecorationRestrict:
        return GEO_VALUE_NO_ALIAS;
    case SpvDecorationVolatile:
        return GEO_VALUE_VOLATILE;
    case SpvDecorationSaturatedConversion:
        return GEO_VALUE_SATURATED;
    case SpvDecorationFPFastMathMode:
        return fast_math_flags(word);
    case SpvDecorationFuncParamAttr:
        return decoration->count ? parameter_flags(word) : 0;
    case SpvDecorationFPRoundingMode:
        return word <= SpvFPRoundingModeRTN ? (word + 1) << GEO_VALUE_ROUND_SHIFT : 0;
    default:
        return 0;
    }
}

void spirv_decorate_value(const struct spirv_id *entry, struct geo_ir_value *value)
{
    for (const struct spirv_decoration *d = entry->decorations; d; d = d->next) {
        if (d->member >= 0) {
            continue;
        }
        value->flags |= decoration_flags(d);
        if (d->kind == SpvDecorationAlignment && d->count && __builtin_popcount(d->words[0]) == 1) {
            value->align = d->words[0];
        }
    }
}

bool spirv_linkage(struct spirv_reader *reader, const struct spirv_id *entry,
                   enum geo_ir_linkage *linkage, const char **name)
{
    const struct spirv_decoration *d = spirv_decoration_find(entry, SpvDecorationLinkageAttributes);
    *linkage = GEO_LINKAGE_INTERNAL;
    if (!d) {
        return true;
    }
    uint32_t used = 0;
    *name = spirv_string(reader, d->words, d->count, &used);
    if (!*name || used >= d->count) {
        return spirv_error(reader, "malformed LinkageAttributes decoration");
    }
    switch (d->words[used]) {
    case SpvLinkageTypeExport:
        *linkage = GEO_LINKAGE_EXPORT;
        return true;
    case SpvLinkageTypeImport:
        *linkage = GEO_LINKAGE_IMPORT;
        return true;
    case SpvLinkageTypeLinkOnceODR:
        *linkage = GEO_LINKAGE_LINK_ONCE;
        return true;
    default:
        return spirv_error(reader, "linkage type %u is unknown", d->words[used]);
    }
}
