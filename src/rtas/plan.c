/* Computes the sizes for a build. See plan.h. */
#include "rtas/build.h"

#include <string.h>

#define SCRATCH_ALIGNMENT 64u

/* Chooses the sizes of leaves. A triangle costs about as much as the box of a node, so a few
 * triangles make a leaf. Procedurals and instances are expensive, so each gets its own leaf and
 * box. */
static void leaves_plan(const struct geo_rtas_input *input, struct geo_rtas_plan *plan)
{
    bool compact = input->flags & ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_COMPACT;
    bool high = input->quality == ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH;
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        plan->leaf[kind] = kind > GEO_RTAS_QUADS ? (struct geo_rtas_leaf_limit){1, 1}
                           : compact             ? (struct geo_rtas_leaf_limit){8, 16}
                           : high                ? (struct geo_rtas_leaf_limit){1, 8}
                                                 : (struct geo_rtas_leaf_limit){4, 8};
    }
}

/* Returns how many extra parts are planned: half as many as triangles and quads, if these may be
 * split. */
static uint64_t extra_plan(const struct geo_rtas_input *input, const struct geo_rtas_plan *plan)
{
    const uint32_t whole = ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_COMPACT |
                           ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION;
    bool high = input->quality == ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH;
    return high && !(input->flags & whole)
               ? (plan->counts[GEO_RTAS_TRIANGLES] + plan->counts[GEO_RTAS_QUADS]) / 2
               : 0;
}

static void kinds_count(const struct geo_rtas_input *input, struct geo_rtas_plan *plan)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < input->count; i++) {
        uint32_t count = geo_rtas_input_primitives(input->geometries[i]);
        if (count) {
            plan->counts[input->geometries[i]->geometryType] += count;
            plan->primitives += count;
        }
    }
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        if (plan->counts[kind]) {
            plan->kind = kind;
            kinds++;
        }
    }
    plan->kind = kinds > 1 ? GEO_RTAS_KINDS : plan->kind;
}

uint32_t geo_rtas_plan_chunk(uint64_t count)
{
    uint64_t size = (count + GEO_RTAS_CHUNKS - 1) / GEO_RTAS_CHUNKS;
    size = (size + GEO_RTAS_BLOCK - 1) / GEO_RTAS_BLOCK * GEO_RTAS_BLOCK;
    return size < GEO_RTAS_CHUNK_MIN ? GEO_RTAS_CHUNK_MIN : (uint32_t)size;
}

uint32_t geo_rtas_plan_chunks(uint64_t count)
{
    uint32_t size = geo_rtas_plan_chunk(count);
    return (uint32_t)((count + size - 1) / size);
}

uint32_t geo_rtas_plan_task(uint32_t refs)
{
    return geo_rtas_plan_chunk(refs);
}

struct geo_rtas_layout geo_rtas_plan_layout(const uint64_t counts[GEO_RTAS_KINDS])
{
    struct geo_rtas_layout layout;
    uint64_t at = (sizeof(struct geo_rtas_header) + GEO_RTAS_ALIGNMENT - 1) &
                  ~(uint64_t)(GEO_RTAS_ALIGNMENT - 1);
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        layout.primitives[kind] = at;
        at += counts[kind] * geo_rtas_primitive_bytes[kind];
        at = (at + GEO_RTAS_ALIGNMENT - 1) & ~(uint64_t)(GEO_RTAS_ALIGNMENT - 1);
    }
    layout.nodes = at;
    return layout;
}

/* Returns an upper bound for the number of nodes. Let b be the nodes without child nodes, which
 * have at least `least` primitives each, and f the other nodes, which have eight children each.
 * Then b is at most 7f + 1, and each of the other 7f + 1 - b children of f nodes is a leaf with at
 * least one primitive. So least * b + (7f + 1 - b) is at most n. The sum b + f is largest for b =
 * 7f + 1. */
static uint64_t nodes_most(const struct geo_rtas_plan *plan)
{
    uint64_t least = plan->kind == GEO_RTAS_KINDS ? 2 : plan->leaf[plan->kind].always + 1;
    return 1 + 8 * (uint64_t)plan->refs / (7 * least);
}

/* Returns the expected number of nodes: all but small scenes need less than three quarters of the
 * bound. */
static uint64_t nodes_expected(uint64_t most)
{
    uint64_t usual = 16 + most * 3 / 4;
    return usual < most ? usual : most;
}

static void sizes_plan(struct geo_rtas_plan *plan)
{
    uint64_t counts[GEO_RTAS_KINDS], most = nodes_most(plan);
    memcpy(counts, plan->counts, sizeof(counts));
    /* Parts are of triangles or quads; all are counted as the larger kind that occurs. */
    counts[plan->counts[GEO_RTAS_QUADS] ? GEO_RTAS_QUADS : GEO_RTAS_TRIANGLES] += plan->extra;
    uint64_t nodes = geo_rtas_plan_layout(counts).nodes + 2 * GEO_RTAS_ALIGNMENT;
    plan->max_bytes = nodes + most * sizeof(struct geo_rtas_node);
    plan->expected_bytes = nodes + nodes_expected(most) * sizeof(struct geo_rtas_node);
}

static size_t scratch_take(struct geo_rtas_scratch *scratch, uint64_t count, size_t size)
{
    size_t at = scratch->bytes;
    scratch->bytes +=
        (size_t)((count * size + SCRATCH_ALIGNMENT - 1) & ~(uint64_t)(SCRATCH_ALIGNMENT - 1));
    return at;
}

static void scratch_plan(const struct geo_rtas_input *input, struct geo_rtas_plan *plan)
{
    struct geo_rtas_scratch *scratch = &plan->scratch;
    bool shared = plan->refs > GEO_RTAS_TOP_MIN;
    /* Ranges of a round are larger than a task, so there are fewer than GEO_RTAS_CHUNKS of them,
     * and each has one chunk that is not full. */
    uint32_t chunks = shared ? 2 * GEO_RTAS_CHUNKS : geo_rtas_plan_chunks(plan->primitives) + 4;
    scratch->starts = scratch_take(scratch, (uint64_t)input->count + 1, sizeof(uint32_t));
    scratch->refs[0] = scratch_take(scratch, plan->refs, sizeof(struct geo_rtas_ref));
    scratch->refs[1] = scratch_take(scratch, plan->refs, sizeof(struct geo_rtas_ref));
    scratch->chunks = scratch_take(scratch, chunks, sizeof(struct geo_rtas_chunk));
    scratch->bins =
        scratch_take(scratch, shared && !plan->ordered ? chunks : 0, sizeof(struct geo_rtas_bins));
    uint64_t ordered = plan->ordered ? plan->refs : 0;
    scratch->places = scratch_take(scratch, ordered, sizeof(struct geo_rtas_place));
    scratch->digits =
        scratch_take(scratch, geo_rtas_plan_chunks(ordered), GEO_RTAS_DIGITS * sizeof(uint32_t));
    scratch->blocks = scratch_take(scratch, ordered / GEO_RTAS_BLOCK, sizeof(struct geo_rtas_box));
    scratch->top =
        scratch_take(scratch, shared ? GEO_RTAS_TOP_NODES : 1, sizeof(struct geo_rtas_top));
    scratch->tasks =
        scratch_take(scratch, shared ? GEO_RTAS_TOP_NODES : 1, sizeof(struct geo_rtas_task));
    scratch->bytes += SCRATCH_ALIGNMENT; /* to align the start of the application's buffer */
}

ze_result_t geo_rtas_plan_make(const struct geo_rtas_input *input, struct geo_rtas_plan *plan)
{
    *plan = (struct geo_rtas_plan){0};
    leaves_plan(input, plan);
    kinds_count(input, plan);
    uint64_t extra = extra_plan(input, plan);
    if (input->count >> GEO_RTAS_KIND_SHIFT || plan->primitives + extra > UINT32_MAX / 2) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    plan->extra = (uint32_t)extra;
    plan->refs = (uint32_t)(plan->primitives + extra);
    plan->ordered = input->quality == ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_LOW;
    scratch_plan(input, plan);
    sizes_plan(plan);
    return ZE_RESULT_SUCCESS;
}
