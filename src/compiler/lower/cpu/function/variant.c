/* Implements the choice of a variant; see variant.h. */
#include "compiler/lower/cpu/function/variant.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"

const struct geo_variant *geo_variant_choose(struct geo_lower_groups *k,
                                             enum geo_variant_level level)
{
    for (uint32_t i = 0; i < k->variant_count && !k->f->failed; i++) {
        const struct geo_variant *variant = &k->variants[i];
        if (variant->level == level && (!variant->legal || variant->legal(k)) &&
            (!variant->pays || variant->pays(k)) && !k->f->failed) {
            return variant;
        }
    }
    GEO_ASSERT(k->f->failed); /* the last row of each level is always legal */
    return NULL;
}

void geo_variant_run(struct geo_lower_groups *k, enum geo_variant_level level)
{
    static const char *const levels[GEO_VARIANT_LEVELS] = {
        [GEO_VARIANT_ANY] = "large ids", [GEO_VARIANT_GROUP] = "group",
        [GEO_VARIANT_REGION] = "region", [GEO_VARIANT_CHUNKS] = "chunks",
        [GEO_VARIANT_ROW] = "row",
    };
    const struct geo_variant *variant = geo_variant_choose(k, level);
    if (variant) {
        if (level == GEO_VARIANT_ANY || k->shapes == &k->shapes_fit) {
            geo_remark(k->f->function, NULL, "variant", "\"level\": \"%s\", \"name\": \"%s\"",
                       levels[level], variant->name);
        }
        variant->emit(k);
    }
}
