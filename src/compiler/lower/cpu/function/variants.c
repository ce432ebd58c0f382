/* The table of variants: when each is legal, when it pays, and who emits it. A new variant is a row
 * here and a file that emits it. Functions that weigh costs are beside the code that they weigh.
 *
 * Each level lists its variants from the most special to the most general. The last one is always
 * legal. */
#include "compiler/lower/cpu/function/variants.h"

#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/function/assumed.h"
#include "compiler/lower/cpu/function/chunks.h"
#include "compiler/lower/cpu/function/regions.h"
#include "compiler/lower/cpu/function/switched.h"
#include "compiler/lower/cpu/function/tiles.h"
#include "compiler/lower/cpu/function/versions.h"

/* ---- when a variant is legal ---- */

/* Items can run one at a time: the kernel has no sub-groups or calls. A barrier of the device ends
 * the call of the kernel, and only the function that was called can continue it. */
static bool is_of_items(const struct geo_lower_groups *k)
{
    const struct geo_lower_code *code = k->f->frame->code;
    return !code->barriers.any_device && !code->subgroups && !code->calls;
}

static bool is_cut(const struct geo_lower_groups *k)
{
    return k->f->frame->split.cut != NULL;
}

static bool has_no_barriers(const struct geo_lower_groups *k)
{
    return !k->f->frame->code->barriers.count;
}

/* Patterns are known for up to GEO_PATTERN_LANES lanes in rows. Assumed copies run whole chunks, so
 * they need an unmasked copy of the body. */
static bool may_assume(const struct geo_lower_groups *k)
{
    const struct geo_lower_function *f = k->f;
    return f->options->optimize && f->lanes > 1 && f->lanes <= GEO_PATTERN_LANES &&
           !f->body.shapes->linear && !k->masked_only;
}

static bool is_linear(const struct geo_lower_groups *k)
{
    return k->f->body.shapes->linear;
}

/* Rows have full chunks, and there are several rows. Members share one frame, which excludes calls,
 * host calls and private variables. Large bodies and assumed copies have no tiles, because tiles
 * multiply the code again. */
static bool may_tile(const struct geo_lower_groups *k)
{
    const struct geo_lower_function *f = k->f;
    const struct geo_lower_code *code = f->frame->code;
    const uint32_t *required = f->function->required_size;
    bool fits = !required[0] || (required[0] >= f->lanes && required[1] > 1);
    return f->options->optimize && f->options->tile != 1 && f->lanes > 1 && fits &&
           !k->masked_only && !k->whole && !k->large && !f->body.shapes->linear &&
           code->canonical && !code->calls && !code->service_slots && !code->variable_count &&
           !geo_frame_cut_descends(f) && (!code->barriers.count || f->frame->split.cut);
}

/* No item of the row is left behind its full chunks. */
static bool is_whole(const struct geo_lower_groups *k)
{
    uint32_t items = k->row.known_items;
    return k->f->lanes == 1 || (items && items % k->f->lanes == 0);
}

/* A full chunk can start again with masks, unless a frame of a function that it calls is known to
 * others. A kernel with barriers is left out: a chunk would start again in the middle, or enter the
 * record of the next chunk. */
static bool may_agree(const struct geo_lower_groups *k)
{
    const struct geo_lower_function *f = k->f;
    return f->options->optimize && f->lanes > 1 && !geo_frame_cut_descends(f) && !k->masked_only &&
           !f->body.shapes->linear && is_of_items(k) && f->frame->code->canonical && !k->records;
}

/* ---- when a variant pays ---- */

static bool is_masked_only(struct geo_lower_groups *k)
{
    return k->masked_only;
}

/* ---- the table ---- */

static const struct geo_variant variants[] = {
    /* code without masks and vectors, which compiles fastest; it is rarely run */
    {GEO_VARIANT_ANY, "items", is_of_items, NULL, geo_function_versions_any_items_run},
    /* one copy of the body */
    {GEO_VARIANT_ANY, "masked", NULL, NULL, geo_function_versions_any_masked_run},

    /* one loop over chunks for each region, and group values computed once: the fastest form */
    {GEO_VARIANT_GROUP, "regions", is_cut, NULL, geo_function_regions_run},
    {GEO_VARIANT_GROUP, "straight", has_no_barriers, NULL, geo_function_groups_straight_run},
    /* all chunks again for each barrier, 4.7 times as long for a tree reduction */
    {GEO_VARIANT_GROUP, "switched", NULL, NULL, geo_function_switched_run},

    /* up to seven more copies of the region, where they remove gathers */
    {GEO_VARIANT_REGION, "assumed", may_assume, geo_function_assumed_pays,
     geo_function_assumed_run},
    {GEO_VARIANT_REGION, "plain", NULL, NULL, geo_function_regions_plain_run},

    {GEO_VARIANT_CHUNKS, "linear", is_linear, NULL, geo_function_chunks_linear_run},
    /* a second copy of the body for T rows, where members share loads or overlap chains */
    {GEO_VARIANT_CHUNKS, "tiles", may_tile, geo_function_tiles_pay, geo_function_tiles_run},
    {GEO_VARIANT_CHUNKS, "rows", NULL, NULL, geo_function_chunks_rows_run},

    /* the unmasked copy takes branches at borders as uniform; else the masked copy runs */
    {GEO_VARIANT_ROW, "agreed", may_agree, geo_function_versions_agree,
     geo_function_chunks_row_agreed_run},
    {GEO_VARIANT_ROW, "whole", is_whole, NULL, geo_function_chunks_row_whole_run},
    /* one copy of the body, where copies cost more compile time than they save */
    {GEO_VARIANT_ROW, "masked", NULL, is_masked_only, geo_function_chunks_row_masked_run},
    /* two copies of the body */
    {GEO_VARIANT_ROW, "mixed", NULL, NULL, geo_function_chunks_row_mixed_run},
};

const struct geo_variant *geo_variants_table(uint32_t *count)
{
    *count = sizeof(variants) / sizeof(variants[0]);
    return variants;
}
