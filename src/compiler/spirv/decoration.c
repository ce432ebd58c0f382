/* The SPIR-V reader: decorations as flags, alignment and linkage. See decoration.h. */
#include "compiler/spirv/decoration.h"

const struct spirv_decoration *spirv_decoration_find(const struct spirv_decoration *list,
                                                     uint32_t kind)
{
    for (const struct spirv_decoration *d = list; d; d = d->next) {
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
        {SpvFPFastMathModeAllowContractFastINTELMask, GEO_VALUE_FAST_CONTRACT},
        {SpvFPFastMathModeAllowReassocINTELMask, GEO_VALUE_FAST_REASSOC},
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

void spirv_decorate_value(const struct spirv_decoration *list, struct geo_ir_value *value)
{
    for (const struct spirv_decoration *d = list; d; d = d->next) {
        if (d->member >= 0) {
            continue;
        }
        value->flags |= decoration_flags(d);
        if (d->kind == SpvDecorationAlignment && d->count && __builtin_popcount(d->words[0]) == 1) {
            value->align = d->words[0];
        }
    }
}

bool spirv_linkage(struct spirv_reader *reader, const struct spirv_decoration *list,
                   enum geo_ir_linkage *linkage, const char **name)
{
    const struct spirv_decoration *d = spirv_decoration_find(list, SpvDecorationLinkageAttributes);
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
    /* another module may define it too; a strong definition takes precedence */
    case GEO_LINKAGE_TYPE_WEAK_AMD:
        *linkage = GEO_LINKAGE_LINK_ONCE;
        return true;
    default:
        return spirv_error(reader, "linkage type %u is unknown", d->words[used]);
    }
}
