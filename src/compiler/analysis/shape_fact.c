/* Facts of the shape analysis, and their join. See shape_fact.h. */
#include "compiler/analysis/shape_fact.h"

const struct fact geo_uniform_fact = {.kind = FACT_UNIFORM};
const struct fact geo_varying_fact = {.kind = FACT_VARYING};

struct fact geo_strided_fact(int64_t stride)
{
    return stride ? (struct fact){.kind = FACT_STRIDED, .stride = stride} : geo_uniform_fact;
}

struct fact geo_shape_fact(const struct shape_state *state, const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER
               ? state->facts[value->index]
               : geo_uniform_fact;
}

struct fact geo_shape_fact_join(struct fact a, struct fact b)
{
    if (a.kind == FACT_NONE) {
        return b;
    }
    if (b.kind == FACT_NONE) {
        return a;
    }
    if (a.kind != b.kind || a.kind == FACT_VARYING || a.stride != b.stride) {
        return geo_varying_fact;
    }
    a.live_signed &= b.live_signed;
    a.live_unsigned &= b.live_unsigned;
    a.zeros = a.zeros < b.zeros ? a.zeros : b.zeros;
    a.anchored = a.leans = false;
    return a;
}
