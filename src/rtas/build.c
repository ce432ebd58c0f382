/* The sequence of phases of a build, and the simple ones among them. See build.h. */
#include "rtas/build.h"

#include "rtas/order.h"
#include "rtas/top.h"

#include <string.h>

/* ---- read ---- */

/* Returns the geometry of a primitive by its number among all. */
static uint32_t geometry_of(const struct geo_rtas_build *build, uint32_t primitive)
{
    uint32_t low = 0, high = build->input.count;
    while (high - low > 1) { /* starts[low] <= primitive < starts[high] */
        uint32_t middle = low + (high - low) / 2;
        if (build->starts[middle] <= primitive) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void chunk_take(struct geo_rtas_chunk *chunk, const struct geo_rtas_sink *sink)
{
    chunk->count = sink->count;
    chunk->sides.box[0] = sink->box;
    chunk->sides.centres[0] = sink->centres;
}

static void read_run(void *work, uint32_t index)
{
    struct geo_rtas_build *build = work;
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    struct geo_rtas_sink sink;
    uint32_t geometry = geometry_of(build, chunk->begin);
    geo_rtas_input_sink_init(&sink, &build->refs[0][chunk->begin]);
    for (uint32_t at = chunk->begin; at < chunk->end; geometry++) {
        uint32_t end =
            build->starts[geometry + 1] < chunk->end ? build->starts[geometry + 1] : chunk->end;
        if (at < end) {
            geo_rtas_input_read(&build->input, geometry, at - build->starts[geometry], end - at,
                                &sink);
            at = end;
        }
    }
    chunk_take(chunk, &sink);
}

/* Divides `count` references into chunks. */
static void chunks_divide(struct geo_rtas_build *build, uint32_t count)
{
    uint32_t size = geo_rtas_plan_chunk(count);
    build->chunk_count = geo_rtas_plan_chunks(count);
    for (uint32_t i = 0; i < build->chunk_count; i++) {
        uint32_t begin = i * size;
        build->chunks[i] = (struct geo_rtas_chunk){
            .begin = begin, .end = count - begin < size ? count : begin + size};
    }
}

static void read_begin(struct geo_rtas_build *build)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < build->input.count; i++) {
        build->starts[i] = start;
        start += geo_rtas_input_primitives(build->input.geometries[i]);
    }
    build->starts[build->input.count] = start;
    chunks_divide(build, start);
}

/* Collects the references that chunks made in refs[array]. Returns false if a chunk made fewer than
 * it had space for, so that there are gaps. */
static bool chunks_end(struct geo_rtas_build *build, uint32_t array)
{
    bool whole = true;
    uint32_t count = 0;
    build->all = (struct geo_rtas_range){
        .array = array, .box = geo_rtas_box_empty(), .centres = geo_rtas_box_empty()};
    for (uint32_t i = 0; i < build->chunk_count; i++) {
        struct geo_rtas_chunk *chunk = &build->chunks[i];
        whole = whole && (chunk->count == 0 || chunk->begin == count);
        chunk->offset = count;
        count += chunk->count;
        geo_rtas_box_add(&build->all.box, &chunk->sides.box[0]);
        geo_rtas_box_add(&build->all.centres, &chunk->sides.centres[0]);
    }
    build->all.end = count;
    return whole;
}

static void close_up_run(void *work, uint32_t index)
{
    struct geo_rtas_build *build = work;
    const struct geo_rtas_chunk *chunk = &build->chunks[index];
    memcpy(&build->refs[!build->all.array][chunk->offset],
           &build->refs[build->all.array][chunk->begin],
           chunk->count * sizeof(struct geo_rtas_ref));
}

/* ---- presplit ---- */

static void weigh_run(void *work, uint32_t index)
{
    struct geo_rtas_build *build = work;
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    const struct geo_rtas_ref *refs = build->refs[build->all.array];
    chunk->weight = 0;
    for (uint32_t i = chunk->begin; i < chunk->end; i++) {
        chunk->weight += (double)geo_rtas_presplit_weight(&build->input, &refs[i]);
    }
}

static void divide_run(void *work, uint32_t index)
{
    struct geo_rtas_build *build = work;
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    const struct geo_rtas_ref *refs = build->refs[build->all.array];
    for (uint32_t i = chunk->begin; i < chunk->end; i++) {
        float weight = geo_rtas_presplit_weight(&build->input, &refs[i]);
        for (uint32_t d = 0; d < GEO_RTAS_DENSITIES; d++) {
            double density = build->density * geo_rtas_presplit_density(d);
            chunk->extra[d] += geo_rtas_presplit_extra(weight, density);
        }
    }
}

static void cut_run(void *work, uint32_t index)
{
    struct geo_rtas_build *build = work;
    struct geo_rtas_chunk *chunk = &build->chunks[index];
    const struct geo_rtas_ref *refs = build->refs[build->all.array];
    struct geo_rtas_sink sink;
    geo_rtas_input_sink_init(&sink, &build->refs[!build->all.array][chunk->offset]);
    for (uint32_t i = chunk->begin; i < chunk->end; i++) {
        float weight = geo_rtas_presplit_weight(&build->input, &refs[i]);
        uint32_t extra = geo_rtas_presplit_extra(weight, build->density);
        geo_rtas_presplit_cut(&build->input, &refs[i], extra, &sink);
    }
    chunk_take(chunk, &sink);
    chunk->begin = chunk->offset;
}

static bool weigh_begin(struct geo_rtas_build *build)
{
    if (build->plan.extra == 0 || geo_rtas_range_count(&build->all) == 0) {
        return false;
    }
    chunks_divide(build, geo_rtas_range_count(&build->all));
    return true;
}

static bool divide_begin(struct geo_rtas_build *build)
{
    double weight = 0;
    for (uint32_t i = 0; i < build->chunk_count; i++) {
        weight += build->chunks[i].weight;
    }
    build->density = weight > 0 ? build->plan.extra / weight : 0;
    return weight > 0 && build->density < (double)INFINITY;
}

/* Chooses the highest density whose parts fit. Because sums are rounded, even the first density may
 * have too many parts; then nothing is split. */
static bool cut_begin(struct geo_rtas_build *build)
{
    uint32_t best = GEO_RTAS_DENSITIES, offset = 0;
    for (uint32_t d = 0; d < GEO_RTAS_DENSITIES; d++) {
        uint64_t extra = 0;
        for (uint32_t i = 0; i < build->chunk_count; i++) {
            extra += build->chunks[i].extra[d];
        }
        best = extra > 0 && extra <= build->plan.extra ? d : best;
    }
    if (best == GEO_RTAS_DENSITIES) {
        return false;
    }
    for (uint32_t i = 0; i < build->chunk_count; i++) {
        struct geo_rtas_chunk *chunk = &build->chunks[i];
        chunk->offset = offset;
        offset += chunk->end - chunk->begin + chunk->extra[best];
    }
    build->density *= geo_rtas_presplit_density(best);
    build->cut = true;
    return true;
}

/* ---- order (low quality) ---- */

static bool order_begin(struct geo_rtas_build *build)
{
    chunks_divide(build, geo_rtas_range_count(&build->all));
    return geo_rtas_order_begin(build);
}

static void order_count_run(void *work, uint32_t chunk)
{
    geo_rtas_order_count(work, chunk);
}

static void order_move_run(void *work, uint32_t chunk)
{
    geo_rtas_order_move(work, chunk);
}

static void order_gather_run(void *work, uint32_t chunk)
{
    geo_rtas_order_gather(work, chunk);
}

/* ---- tree ---- */

static void top_bin_run(void *work, uint32_t chunk)
{
    geo_rtas_top_bin(work, chunk);
}

static void top_move_run(void *work, uint32_t chunk)
{
    geo_rtas_top_move(work, chunk);
}

static void subtrees_run(void *work, uint32_t task)
{
    struct geo_rtas_build *build = work;
    geo_rtas_subtree_build(build, &build->tasks[task]);
}

/* Counts the primitives of each kind. With several kinds the references have to be counted. */
static void kinds_count(struct geo_rtas_build *build)
{
    const struct geo_rtas_ref *refs = build->refs[build->all.array];
    memset(build->counts, 0, sizeof(build->counts));
    if (build->plan.kind != GEO_RTAS_KINDS) {
        build->counts[build->plan.kind] = build->all.end;
        return;
    }
    for (uint32_t i = 0; i < build->all.end; i++) {
        build->counts[geo_rtas_ref_kind(&refs[i])]++;
    }
}

/* Called when the number of primitives is known, and thus the position of the nodes. */
static void tree_begin(struct geo_rtas_build *build)
{
    const struct geo_rtas_target *target = &build->target;
    kinds_count(build);
    build->layout = geo_rtas_plan_layout(build->counts);
    if (target->buffer_bytes >= build->layout.nodes + sizeof(struct geo_rtas_node)) {
        uint64_t room = (target->buffer_bytes - build->layout.nodes) / sizeof(struct geo_rtas_node);
        build->nodes = (struct geo_rtas_node *)((char *)target->buffer + build->layout.nodes);
        build->node_capacity = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    }
    atomic_store_explicit(&build->node_count, 1, memory_order_relaxed);
    geo_rtas_top_begin(build);
}

static bool tree_round(struct geo_rtas_build *build)
{
    return build->plan.refs > GEO_RTAS_TOP_MIN && !build->plan.ordered && geo_rtas_top_round(build);
}

/* ---- end ---- */

/* Clears the bytes between two arrays. */
static void gap_clear(const struct geo_rtas_build *build, uint64_t from, uint64_t to)
{
    memset((char *)build->target.buffer + from, 0, to - from);
}

static void header_write(const struct geo_rtas_build *build, uint64_t bytes)
{
    struct geo_rtas_header header = {
        .magic = GEO_RTAS_MAGIC,
        .version = GEO_RTAS_VERSION,
        .bytes = bytes,
        .flags = build->cut ? GEO_RTAS_HEADER_SPLIT : 0,
        .depth = atomic_load_explicit(&build->depth, memory_order_relaxed),
        .nodes = build->layout.nodes,
        .node_count = atomic_load_explicit(&build->node_count, memory_order_relaxed)};
    for (int i = 0; i < 3; i++) {
        header.lower[i] = build->all.box.lower[i];
        header.upper[i] = build->all.box.upper[i];
    }
    gap_clear(build, sizeof(header), build->layout.primitives[0]);
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        uint64_t at = build->layout.primitives[kind], last = kind + 1 == GEO_RTAS_KINDS;
        header.primitives[kind] = at;
        header.counts[kind] = (uint32_t)build->counts[kind];
        gap_clear(build, at + build->counts[kind] * geo_rtas_primitive_bytes[kind],
                  last ? build->layout.nodes : build->layout.primitives[kind + 1]);
    }
    memcpy(build->target.buffer, &header, sizeof(header));
}

static void done(struct geo_rtas_build *build)
{
    const struct geo_rtas_target *target = &build->target;
    const struct geo_rtas_box *box = &build->all.box;
    uint64_t nodes = atomic_load_explicit(&build->node_count, memory_order_relaxed);
    uint64_t bytes = build->layout.nodes + nodes * sizeof(struct geo_rtas_node);
    build->too_small = bytes > target->buffer_bytes;
    if (target->bytes) {
        *target->bytes = bytes;
    }
    if (build->too_small) {
        return;
    }
    header_write(build, bytes);
    if (target->bounds) {
        *target->bounds = (ze_rtas_aabb_ext_t){{box->lower[0], box->lower[1], box->lower[2]},
                                               {box->upper[0], box->upper[1], box->upper[2]}};
    }
}

/* ---- phases ---- */

static void (*const runs[])(void *work, uint32_t chunk) = {
    [GEO_RTAS_STAGE_READ] = read_run,
    [GEO_RTAS_STAGE_CLOSE_UP] = close_up_run,
    [GEO_RTAS_STAGE_WEIGH] = weigh_run,
    [GEO_RTAS_STAGE_DIVIDE] = divide_run,
    [GEO_RTAS_STAGE_CUT] = cut_run,
    [GEO_RTAS_STAGE_ORDER_COUNT] = order_count_run,
    [GEO_RTAS_STAGE_ORDER_MOVE] = order_move_run,
    [GEO_RTAS_STAGE_ORDER_GATHER] = order_gather_run,
    [GEO_RTAS_STAGE_TOP_BIN] = top_bin_run,
    [GEO_RTAS_STAGE_TOP_MOVE] = top_move_run,
    [GEO_RTAS_STAGE_SUBTREES] = subtrees_run,
};

static enum geo_rtas_stage tree_next(struct geo_rtas_build *build)
{
    if (tree_round(build)) {
        return GEO_RTAS_STAGE_TOP_BIN;
    }
    geo_rtas_top_put_together(build);
    return GEO_RTAS_STAGE_SUBTREES;
}

static enum geo_rtas_stage tree_first(struct geo_rtas_build *build)
{
    tree_begin(build);
    if (build->plan.refs > GEO_RTAS_TOP_MIN && build->plan.ordered) {
        geo_rtas_top_cut(build);
    }
    return tree_next(build);
}

/* Ends reading or presplitting. Primitives are split only once, after all references were read. */
static enum geo_rtas_stage refs_end(struct geo_rtas_build *build)
{
    if (build->plan.ordered) {
        return order_begin(build) ? GEO_RTAS_STAGE_ORDER_COUNT : tree_first(build);
    }
    return build->cut || !weigh_begin(build) ? tree_first(build) : GEO_RTAS_STAGE_WEIGH;
}

/* Does the work between the finished stage and the next one, which it returns. */
static enum geo_rtas_stage stage_next(struct geo_rtas_build *build)
{
    switch (build->stage) {
    case GEO_RTAS_STAGE_BEGIN:
        read_begin(build);
        return GEO_RTAS_STAGE_READ;
    case GEO_RTAS_STAGE_READ:
        return chunks_end(build, 0) ? refs_end(build) : GEO_RTAS_STAGE_CLOSE_UP;
    case GEO_RTAS_STAGE_CLOSE_UP:
        build->all.array = !build->all.array;
        return refs_end(build);
    case GEO_RTAS_STAGE_WEIGH:
        return divide_begin(build) ? GEO_RTAS_STAGE_DIVIDE : tree_first(build);
    case GEO_RTAS_STAGE_DIVIDE:
        return cut_begin(build) ? GEO_RTAS_STAGE_CUT : tree_first(build);
    case GEO_RTAS_STAGE_CUT:
        return chunks_end(build, !build->all.array) ? refs_end(build) : GEO_RTAS_STAGE_CLOSE_UP;
    case GEO_RTAS_STAGE_ORDER_COUNT:
        geo_rtas_order_choose(build);
        return GEO_RTAS_STAGE_ORDER_MOVE;
    case GEO_RTAS_STAGE_ORDER_MOVE:
        return geo_rtas_order_next(build) ? GEO_RTAS_STAGE_ORDER_COUNT
                                          : GEO_RTAS_STAGE_ORDER_GATHER;
    case GEO_RTAS_STAGE_ORDER_GATHER:
        geo_rtas_order_end(build);
        return tree_first(build);
    case GEO_RTAS_STAGE_TOP_BIN:
        geo_rtas_top_choose(build);
        return GEO_RTAS_STAGE_TOP_MOVE;
    case GEO_RTAS_STAGE_TOP_MOVE:
        geo_rtas_top_end_round(build);
        return tree_next(build);
    default:
        done(build);
        return GEO_RTAS_STAGE_DONE;
    }
}

static bool advance(void *work, struct geo_rtas_phase *phase)
{
    struct geo_rtas_build *build = work;
    build->stage = stage_next(build);
    if (build->stage == GEO_RTAS_STAGE_DONE) {
        return false;
    }
    phase->run = runs[build->stage];
    phase->count = build->stage == GEO_RTAS_STAGE_SUBTREES ? build->task_count : build->chunk_count;
    return true;
}

/* ---- interface ---- */

void geo_rtas_build_begin(struct geo_rtas_build *build, const struct geo_rtas_input *input,
                          const struct geo_rtas_plan *plan, const struct geo_rtas_target *target)
{
    const struct geo_rtas_scratch *at = &plan->scratch;
    char *scratch = (char *)(((uintptr_t)target->scratch + 63) & ~(uintptr_t)63);
    memset(build, 0, sizeof(*build));
    build->input = *input;
    build->plan = *plan;
    build->target = *target;
    build->starts = (uint32_t *)(void *)(scratch + at->starts);
    build->refs[0] = (struct geo_rtas_ref *)(void *)(scratch + at->refs[0]);
    build->refs[1] = (struct geo_rtas_ref *)(void *)(scratch + at->refs[1]);
    build->chunks = (struct geo_rtas_chunk *)(void *)(scratch + at->chunks);
    build->bins = (struct geo_rtas_bins *)(void *)(scratch + at->bins);
    build->places = (struct geo_rtas_place *)(void *)(scratch + at->places);
    build->digits = (uint32_t (*)[GEO_RTAS_DIGITS])(void *)(scratch + at->digits);
    build->blocks = (struct geo_rtas_box *)(void *)(scratch + at->blocks);
    build->top = (struct geo_rtas_top *)(void *)(scratch + at->top);
    build->tasks = (struct geo_rtas_task *)(void *)(scratch + at->tasks);
    geo_rtas_team_init(&build->team, advance, build);
}

void geo_rtas_build_join(struct geo_rtas_build *build)
{
    geo_rtas_team_join(&build->team);
}

void geo_rtas_build_finish(struct geo_rtas_build *build)
{
    geo_rtas_team_finish(&build->team);
}
