/* Splits large ranges by all threads together. See top.h. */
#include "rtas/top.h"

#include "rtas/order.h"

/* Limit for scenes in which each split removes only little; single threads then build the rest. */
#define ROUNDS_MAX 16u

void geo_rtas_top_begin(struct geo_rtas_build *build)
{
    build->top[0] = (struct geo_rtas_top){.range = build->all};
    build->top_count = build->round_end = 1;
    build->round_begin = build->round = 0;
}

/* ---- rounds ---- */

static bool range_is_large(const struct geo_rtas_build *build, const struct geo_rtas_range *range)
{
    return geo_rtas_range_count(range) > geo_rtas_plan_task(build->plan.refs);
}

static void range_divide(struct geo_rtas_build *build, uint32_t number)
{
    const struct geo_rtas_range *range = &build->top[number].range;
    uint32_t size = geo_rtas_plan_chunk(build->plan.refs);
    for (uint32_t at = range->begin; at < range->end;) {
        uint32_t left = range->end - at, take = left < size ? left : size;
        build->chunks[build->chunk_count++] =
            (struct geo_rtas_chunk){.begin = at, .end = at + take, .range = number};
        at += take;
    }
}

bool geo_rtas_top_round(struct geo_rtas_build *build)
{
    uint32_t large = 0;
    for (uint32_t i = build->round_begin; i < build->round_end; i++) {
        large += range_is_large(build, &build->top[i].range);
    }
    if (large == 0 || build->round++ == ROUNDS_MAX ||
        build->top_count + 2 * large > GEO_RTAS_TOP_NODES) {
        return false;
    }
    build->chunk_count = 0;
    for (uint32_t i = build->round_begin; i < build->round_end; i++) {
        struct geo_rtas_top *top = &build->top[i];
        if (range_is_large(build, &top->range)) {
            top->cut.mapping = geo_rtas_split_mapping(&top->range.centres, GEO_RTAS_BINS);
            range_divide(build, i);
        }
    }
    return true;
}

void geo_rtas_top_bin(struct geo_rtas_build *build, uint32_t index)
{
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    const struct geo_rtas_top *top = &build->top[chunk->range];
    const struct geo_rtas_ref *refs = &build->refs[top->range.array][chunk->begin];
    geo_rtas_split_bins_clear(&build->bins[index], GEO_RTAS_BINS);
    geo_rtas_split_bins_add(&build->bins[index], &top->cut.mapping, refs,
                            chunk->end - chunk->begin);
}

/* Returns the end of the chunks of a range, which are consecutive and begin at `from`. */
static uint32_t chunks_end(const struct geo_rtas_build *build, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < build->chunk_count && build->chunks[end].range == build->chunks[from].range) {
        end++;
    }
    return end;
}

static void cut_choose(struct geo_rtas_build *build, uint32_t from, uint32_t end)
{
    struct geo_rtas_cut *cut = &build->top[build->chunks[from].range].cut;
    struct geo_rtas_bins all = build->bins[from];
    for (uint32_t i = from + 1; i < end; i++) {
        geo_rtas_split_bins_merge(&all, &build->bins[i], GEO_RTAS_BINS);
    }
    *cut = geo_rtas_split_cut_best(&all, &cut->mapping);
    for (uint32_t i = from; i < end; i++) {
        build->chunks[i].count = 0;
        for (uint32_t bin = 0; bin < cut->bin; bin++) {
            build->chunks[i].count += build->bins[i].count[cut->axis][bin];
        }
    }
}

void geo_rtas_top_choose(struct geo_rtas_build *build)
{
    for (uint32_t from = 0, end; from < build->chunk_count; from = end) {
        const struct geo_rtas_range *range = &build->top[build->chunks[from].range].range;
        uint32_t left = range->begin, right = range->end;
        end = chunks_end(build, from);
        cut_choose(build, from, end);
        for (uint32_t i = from; i < end; i++) {
            struct geo_rtas_chunk *chunk = &build->chunks[i];
            chunk->offset = left;
            chunk->offset2 = right;
            left += chunk->count;
            right -= chunk->end - chunk->begin - chunk->count;
        }
    }
}

void geo_rtas_top_move(struct geo_rtas_build *build, uint32_t index)
{
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    const struct geo_rtas_top *top = &build->top[chunk->range];
    geo_rtas_split_sides_clear(&chunk->sides);
    if (top->cut.cost < INFINITY) {
        geo_rtas_split_cut_move(&top->cut, &build->refs[top->range.array][chunk->begin],
                                chunk->end - chunk->begin, build->refs[!top->range.array],
                                chunk->offset, chunk->offset2, &chunk->sides);
    }
}

/* Adds the two ranges that a split made. */
static void range_end(struct geo_rtas_build *build, uint32_t from, uint32_t end)
{
    struct geo_rtas_top *top = &build->top[build->chunks[from].range];
    struct geo_rtas_sides all = build->chunks[from].sides;
    uint32_t middle = top->range.begin + build->chunks[from].count;
    for (uint32_t i = from + 1; i < end; i++) {
        for (int side = 0; side < 2; side++) {
            geo_rtas_box_add(&all.box[side], &build->chunks[i].sides.box[side]);
            geo_rtas_box_add(&all.centres[side], &build->chunks[i].sides.centres[side]);
        }
        middle += build->chunks[i].count;
    }
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t number = build->top_count++;
        top->below[side] = number;
        build->top[number] = (struct geo_rtas_top){
            .range = {side ? middle : top->range.begin, side ? top->range.end : middle,
                      !top->range.array, all.box[side], all.centres[side]}};
    }
}

void geo_rtas_top_end_round(struct geo_rtas_build *build)
{
    build->round_begin = build->round_end;
    for (uint32_t from = 0, end; from < build->chunk_count; from = end) {
        end = chunks_end(build, from);
        if (build->top[build->chunks[from].range].cut.cost < INFINITY) {
            range_end(build, from, end);
        }
    }
    build->round_end = build->top_count;
}

void geo_rtas_top_cut(struct geo_rtas_build *build)
{
    for (uint32_t i = 0; i < build->top_count; i++) {
        struct geo_rtas_top *top = &build->top[i];
        if (build->top_count + 2 <= GEO_RTAS_TOP_NODES && range_is_large(build, &top->range) &&
            geo_rtas_order_is_known(build, &top->range)) {
            struct geo_rtas_range halves[2];
            geo_rtas_order_cut(build, &top->range, halves);
            for (uint32_t side = 0; side < 2; side++) {
                top->below[side] = build->top_count++;
                build->top[top->below[side]] = (struct geo_rtas_top){.range = halves[side]};
            }
        }
    }
}

/* ---- collapsing to nodes of eight ---- */

/* An upper node to make from a range of the top. */
struct upper {
    uint32_t top, node, depth;
};

/* Returns the largest part that is split in the top, or `count`. */
static uint32_t part_choose(const struct geo_rtas_build *build, const struct geo_rtas_part *parts,
                            uint32_t count)
{
    uint32_t best = count;
    float most = 0;
    for (uint32_t i = 0; i < count; i++) {
        float area = geo_rtas_box_area(&parts[i].range.box);
        if (build->top[parts[i].top].below[0] && (best == count || area > most)) {
            best = i;
            most = area;
        }
    }
    return best;
}

static uint32_t parts_open(const struct geo_rtas_build *build, uint32_t top,
                           struct geo_rtas_part parts[GEO_RTAS_WIDTH])
{
    uint32_t count = 1, best;
    parts[0] = (struct geo_rtas_part){.range = build->top[top].range, .top = top};
    while (count < GEO_RTAS_WIDTH && (best = part_choose(build, parts, count)) < count) {
        const uint32_t *below = build->top[parts[best].top].below;
        parts[best] = (struct geo_rtas_part){.range = build->top[below[0]].range, .top = below[0]};
        parts[count++] =
            (struct geo_rtas_part){.range = build->top[below[1]].range, .top = below[1]};
    }
    return count;
}

static void task_add(struct geo_rtas_build *build, uint32_t node, uint32_t depth,
                     const struct geo_rtas_part *parts, uint32_t count)
{
    struct geo_rtas_task *task = &build->tasks[build->task_count++];
    *task = (struct geo_rtas_task){.node = node, .depth = depth, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        task->top[i] = parts[i].top;
    }
}

/* Makes one upper node. Returns how many nodes it adds to the list. */
static uint32_t upper_make(struct geo_rtas_build *build, const struct upper *upper,
                           struct upper *list)
{
    struct geo_rtas_part parts[GEO_RTAS_WIDTH];
    uint32_t count = parts_open(build, upper->top, parts), more = 0;
    if (count < GEO_RTAS_WIDTH) { /* the thread that builds the subtree continues */
        task_add(build, upper->node, upper->depth, parts, count);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i].leaf = geo_rtas_subtree_is_leaf(build, &parts[i].range);
    }
    geo_rtas_subtree_node_write(build, upper->node, upper->depth, parts, count);
    for (uint32_t i = 0; i < count; i++) {
        if (build->top[parts[i].top].below[0]) {
            list[more++] = (struct upper){parts[i].top, parts[i].node, upper->depth + 1};
        } else if (!parts[i].leaf) {
            task_add(build, parts[i].node, upper->depth + 1, &parts[i], 1);
        }
    }
    return more;
}

void geo_rtas_top_put_together(struct geo_rtas_build *build)
{
    struct upper list[GEO_RTAS_TOP_SPLITS + GEO_RTAS_WIDTH];
    uint32_t waiting = 1;
    list[0] = (struct upper){0, 0, 1};
    build->task_count = 0;
    if (geo_rtas_range_count(&build->all) == 0) { /* a root without children */
        task_add(build, 0, 1, NULL, 0);
        return;
    }
    while (waiting > 0) {
        struct upper upper = list[--waiting];
        waiting += upper_make(build, &upper, &list[waiting]);
    }
}
