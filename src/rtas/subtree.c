/* Builds subtrees by single threads. See subtree.h. */
#include "rtas/subtree.h"

#include "rtas/order.h"

#include <assert.h>
#include <string.h>

/* Depth from which ranges are halved, so that no input exceeds the largest depth of the format: 31
 * more levels are enough for 2^31 references. */
#define DEPTH_HALVE (GEO_RTAS_DEPTH_MAX - 32)

/* Most ranges on the stack. The smallest child is built first. So a range that is begun while
 * others wait has at most half the references of its parent, and fewer than 3 are added per
 * halving. */
#define PENDING_MAX 128

/* Ranges of at most this many references are prefetched, because they soon become leaves. */
#define FETCH_AHEAD 64u

/* A range that will become a node. */
struct pending {
    struct geo_rtas_range range;
    uint32_t node, depth;
};

/* The ranges that wait, of which the last is built next. */
struct pending_stack {
    struct pending at[PENDING_MAX];
    uint32_t count;
};

/* ---- leaves ---- */

/* Returns the kind of all references of a range, or GEO_RTAS_KINDS if they differ. */
static uint32_t range_kind(const struct geo_rtas_build *build, const struct geo_rtas_range *range)
{
    if (build->plan.kind != GEO_RTAS_KINDS) {
        return build->plan.kind;
    }
    const struct geo_rtas_ref *refs = build->refs[range->array];
    uint32_t kind = geo_rtas_ref_kind(&refs[range->begin]);
    for (uint32_t i = range->begin + 1; i < range->end; i++) {
        if (geo_rtas_ref_kind(&refs[i]) != kind) {
            return GEO_RTAS_KINDS;
        }
    }
    return kind;
}

bool geo_rtas_subtree_is_leaf(const struct geo_rtas_build *build,
                              const struct geo_rtas_range *range)
{
    uint32_t count = geo_rtas_range_count(range);
    if (count > GEO_RTAS_LEAF_MAX) {
        return false;
    }
    uint32_t kind = range_kind(build, range);
    return kind != GEO_RTAS_KINDS && count <= build->plan.leaf[kind].always;
}

/* ---- split ---- */

static void range_measure(const struct geo_rtas_build *build, struct geo_rtas_range *range)
{
    geo_rtas_split_measure(&build->refs[range->array][range->begin], geo_rtas_range_count(range),
                           &range->box, &range->centres);
}

/* Splits a range in the middle; references stay in place. */
static void range_halve(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                        struct geo_rtas_range halves[2])
{
    halves[0] = halves[1] = *range;
    halves[0].end = halves[1].begin = range->begin + geo_rtas_range_count(range) / 2;
    range_measure(build, &halves[0]);
    range_measure(build, &halves[1]);
}

/* Splits a small range into references of the first one's kind and all others. */
static void range_sort(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                       struct geo_rtas_range halves[2])
{
    struct geo_rtas_ref *refs = build->refs[range->array];
    uint32_t kind = geo_rtas_ref_kind(&refs[range->begin]), first = range->begin;
    for (uint32_t i = range->begin; i < range->end; i++) {
        if (geo_rtas_ref_kind(&refs[i]) == kind) {
            struct geo_rtas_ref ref = refs[i];
            refs[i] = refs[first];
            refs[first++] = ref;
        }
    }
    halves[0] = halves[1] = *range;
    halves[0].end = halves[1].begin = first;
    range_measure(build, &halves[0]);
    range_measure(build, &halves[1]);
}

static void range_move(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                       const struct geo_rtas_cut *cut, struct geo_rtas_range halves[2])
{
    struct geo_rtas_sides sides;
    geo_rtas_split_sides_clear(&sides);
    uint32_t middle = geo_rtas_split_cut_move(
        cut, &build->refs[range->array][range->begin], geo_rtas_range_count(range),
        build->refs[!range->array], range->begin, range->end, &sides);
    assert(middle > range->begin && middle < range->end);
    halves[0] = (struct geo_rtas_range){range->begin, middle, !range->array, sides.box[0],
                                        sides.centres[0]};
    halves[1] =
        (struct geo_rtas_range){middle, range->end, !range->array, sides.box[1], sides.centres[1]};
}

/* Returns the number of bins. Few references need few bins: evaluating more would cost more than
 * counting. */
static uint32_t bins_for(const struct geo_rtas_build *build, uint32_t count)
{
    bool high = build->input.quality == ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH;
    uint32_t bins = (high ? 8 : 4) + count / 16;
    return bins < GEO_RTAS_BINS ? bins : GEO_RTAS_BINS;
}

static struct geo_rtas_cut cut_find(const struct geo_rtas_build *build,
                                    const struct geo_rtas_range *range)
{
    if (build->plan.ordered) {
        return (struct geo_rtas_cut){.cost = 0};
    }
    uint32_t count = geo_rtas_range_count(range);
    struct geo_rtas_mapping mapping =
        geo_rtas_split_mapping(&range->centres, bins_for(build, count));
    struct geo_rtas_bins bins;
    geo_rtas_split_bins_clear(&bins, mapping.bins);
    geo_rtas_split_bins_add(&bins, &mapping, &build->refs[range->array][range->begin], count);
    return geo_rtas_split_cut_best(&bins, &mapping);
}

/* Splits a range. Returns false if it is better as a leaf, by the expected cost for a ray. */
static bool range_cut(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                      bool must, uint32_t depth, struct geo_rtas_range halves[2])
{
    uint32_t count = geo_rtas_range_count(range);
    uint32_t kind = count <= GEO_RTAS_LEAF_MAX ? range_kind(build, range) : GEO_RTAS_KINDS;
    bool few = count <= GEO_RTAS_LEAF_MAX;
    if (few && kind == GEO_RTAS_KINDS) {
        range_sort(build, range, halves);
        return true;
    }
    if (depth >= DEPTH_HALVE) {
        range_halve(build, range, halves);
        return true;
    }
    struct geo_rtas_cut cut = cut_find(build, range);
    if (few && count <= build->plan.leaf[kind].most && !must) {
        float area = geo_rtas_box_area(&range->box);
        if (!(area + cut.cost < area * (float)count)) {
            return false;
        }
    }
    if (build->plan.ordered) {
        geo_rtas_order_cut(build, range, halves);
    } else if (cut.cost < INFINITY) {
        range_move(build, range, &cut, halves);
    } else {
        range_halve(build, range, halves);
    }
    return true;
}

/* ---- nodes ---- */

static void leaf_write(struct geo_rtas_build *build, const struct geo_rtas_part *part,
                       struct geo_rtas_node *out, uint32_t place)
{
    const struct geo_rtas_ref *refs = &build->refs[part->range.array][part->range.begin];
    uint32_t count = geo_rtas_range_count(&part->range), kind = geo_rtas_ref_kind(refs);
    /* with one kind, primitives have the order of references */
    uint32_t first =
        build->plan.kind != GEO_RTAS_KINDS
            ? part->range.begin
            : atomic_fetch_add_explicit(&build->next[kind], count, memory_order_relaxed);
    out->child[place] = first;
    out->kind[place] = (uint8_t)(GEO_RTAS_CHILD_LEAF + kind);
    out->count[place] = (uint8_t)count;
    if (build->nodes) {
        char *array = (char *)build->target.buffer + build->layout.primitives[kind];
        geo_rtas_input_write(&build->input, refs, count,
                             array + (size_t)first * geo_rtas_primitive_bytes[kind]);
    }
}

static void depth_raise(struct geo_rtas_build *build, uint32_t depth)
{
    uint32_t deepest = atomic_load_explicit(&build->depth, memory_order_relaxed);
    while (deepest < depth &&
           !atomic_compare_exchange_weak_explicit(&build->depth, &deepest, depth,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void geo_rtas_subtree_node_write(struct geo_rtas_build *build, uint32_t node, uint32_t depth,
                                 struct geo_rtas_part *parts, uint32_t count)
{
    struct geo_rtas_node out;
    uint32_t below = 0;
    for (uint32_t i = 0; i < count; i++) {
        below += !parts[i].leaf;
    }
    for (uint32_t i = 0; i < count && build->nodes; i++) {
        if (parts[i].leaf) {
            geo_rtas_input_fetch_corners(&build->input,
                                         &build->refs[parts[i].range.array][parts[i].range.begin],
                                         geo_rtas_range_count(&parts[i].range));
        }
    }
    uint32_t next = atomic_fetch_add_explicit(&build->node_count, below, memory_order_relaxed);
    for (uint32_t i = 0; i < GEO_RTAS_WIDTH; i++) {
        for (int axis = 0; axis < 3; axis++) {
            out.lower[axis][i] = i < count ? parts[i].range.box.lower[axis] : INFINITY;
            out.upper[axis][i] = i < count ? parts[i].range.box.upper[axis] : -INFINITY;
        }
        out.child[i] = 0;
        out.kind[i] = GEO_RTAS_CHILD_NONE;
        out.count[i] = 0;
        if (i < count && parts[i].leaf) {
            leaf_write(build, &parts[i], &out, i);
        } else if (i < count) {
            parts[i].node = out.child[i] = next++;
            out.kind[i] = GEO_RTAS_CHILD_NODE;
        }
    }
    memset(out.reserved, 0, sizeof(out.reserved));
    if (build->nodes && node < build->node_capacity) {
        build->nodes[node] = out;
    }
    depth_raise(build, depth);
}

/* Returns the part with the largest surface that can be split, or `count`. */
static uint32_t part_choose(const struct geo_rtas_part *parts, const float *areas, uint32_t count)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!parts[i].leaf && (best == count || areas[i] > areas[best])) {
            best = i;
        }
    }
    return best;
}

/* Pushes the parts that are not leaves, the largest first. */
static void pending_push(struct pending_stack *stack, const struct geo_rtas_part *parts,
                         uint32_t count, uint32_t depth)
{
    uint32_t first = stack->count;
    for (uint32_t i = 0; i < count; i++) {
        if (!parts[i].leaf) {
            uint32_t at = stack->count++;
            assert(stack->count <= PENDING_MAX);
            for (; at > first && geo_rtas_range_count(&stack->at[at - 1].range) <
                                     geo_rtas_range_count(&parts[i].range);
                 at--) {
                stack->at[at] = stack->at[at - 1];
            }
            stack->at[at] = (struct pending){parts[i].range, parts[i].node, depth};
        }
    }
}

static void node_make(struct geo_rtas_build *build, uint32_t node, uint32_t depth,
                      struct geo_rtas_part parts[GEO_RTAS_WIDTH], uint32_t count,
                      struct pending_stack *stack)
{
    float areas[GEO_RTAS_WIDTH];
    for (uint32_t i = 0; i < count; i++) {
        areas[i] = geo_rtas_box_area(&parts[i].range.box);
    }
    while (count < GEO_RTAS_WIDTH) {
        struct geo_rtas_range halves[2];
        uint32_t best = part_choose(parts, areas, count);
        if (best == count) {
            break;
        }
        /* A range that became a node by itself must be split, because otherwise it would have one
         * child. */
        if (!range_cut(build, &parts[best].range, count == 1, depth, halves)) {
            parts[best].leaf = true;
            continue;
        }
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t at = i ? count++ : best;
            struct geo_rtas_part *part = &parts[at];
            part->range = halves[i];
            areas[at] = geo_rtas_box_area(&halves[i].box);
            part->leaf = geo_rtas_subtree_is_leaf(build, &halves[i]);
        }
    }
    geo_rtas_subtree_node_write(build, node, depth, parts, count);
    pending_push(stack, parts, count, depth + 1);
}

void geo_rtas_subtree_build(struct geo_rtas_build *build, const struct geo_rtas_task *task)
{
    struct geo_rtas_part parts[GEO_RTAS_WIDTH] = {0};
    struct pending_stack stack;
    stack.count = 0;
    for (uint32_t i = 0; i < task->count; i++) {
        parts[i].range = build->top[task->top[i]].range;
        parts[i].leaf = geo_rtas_subtree_is_leaf(build, &parts[i].range);
    }
    node_make(build, task->node, task->depth, parts, task->count, &stack);
    while (stack.count > 0) {
        struct pending next = stack.at[--stack.count];
        if (build->nodes && geo_rtas_range_count(&next.range) <= FETCH_AHEAD) {
            geo_rtas_input_fetch_faces(&build->input,
                                       &build->refs[next.range.array][next.range.begin],
                                       geo_rtas_range_count(&next.range));
        }
        parts[0].range = next.range;
        parts[0].leaf = false;
        node_make(build, next.node, next.depth, parts, 1, &stack);
    }
}
