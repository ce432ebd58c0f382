/* Implements the choice of a variant; see variant.h. */
#include "compiler/lower/cpu/function/variant.h"

#include "base/assert.h"

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
    const struct geo_variant *variant = geo_variant_choose(k, level);
    if (variant) {
        variant->emit(k);
    }
}
