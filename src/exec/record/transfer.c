/* Copies and fills. See transfer.h. */
#include "exec/record/transfer.h"

#include "base/assert.h"
#include "machine/machine.h"

#include <string.h>

#define BLOCK_BYTES (256u << 10) /* unit of a shared copy or fill */
/* bytes that a fill repeats, small enough for the first-level cache */
#define SEED_BYTES 4096u

/* Copies of at least this size bypass the caches, which could not hold them. Their destination is
 * then not read first. */
#define STREAM_BYTES ((uint64_t)16 << 20)

/* Learnt costs per unit, shared by all copies and by all fills. */
static _Atomic uint32_t copy_cost_ps, fill_cost_ps;

static bool overlaps(const void *a, const void *b, uint64_t bytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < bytes : x - y < bytes;
}

static uint64_t block_length(uint64_t bytes, uint64_t block, uint64_t first, uint64_t count)
{
    GEO_ASSERT(count != 0 && first <= (bytes - 1) / block);
    uint64_t begin = first * block;
    uint64_t length = count * block;
    return length < bytes - begin ? length : bytes - begin;
}

/* Runs a job whose units, data and fault callback the caller has set. */
static ze_result_t transfer_run(struct geo_exec_job_desc *desc, const struct geo_runner *runner,
                                struct geo_exec_worker *worker)
{
    /* for a single unit: nothing is shared or learnt */
    _Atomic uint32_t cost_ps = 0;
    desc->owner = runner;
    desc->busy = GEO_BUSY_COPY;
    desc->name = "copy or fill";
    if (!desc->cost_ps) {
        desc->cost_ps = &cost_ps;
    }
    return geo_runner_job(runner, desc, worker);
}

/* ---- copy ---- */

static void copy_past_caches(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    const uint64_t line = GEO_MACHINE_LINE_BYTES;
    uint64_t at = (0 - (uintptr_t)to) % line;
    at = at < bytes ? at : bytes;
    memcpy(to, from, at);
    for (; bytes - at >= line; at += line) {
        geo_machine_line_stream(to + at, from + at);
    }
    memcpy(to + at, from + at, bytes - at);
    geo_machine_stream_end(); /* before anything that announces completion */
}

static void copy_blocks(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    const struct geo_command_copy *copy = data;
    uint64_t begin = first * BLOCK_BYTES;
    uint64_t bytes = block_length(copy->bytes, BLOCK_BYTES, first, count);
    uint8_t *to = (uint8_t *)copy->destination + begin;
    const uint8_t *from = (const uint8_t *)copy->source + begin;
    if (copy->bytes >= STREAM_BYTES) {
        copy_past_caches(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

static void copy_whole(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    const struct geo_command_copy *copy = data;
    memmove(copy->destination, copy->source, copy->bytes);
}

/* Reports the whole copy, not the job's units, which are parts of it. */
static void copy_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                       uint64_t first, uint64_t count)
{
    const struct geo_command_copy *copy = desc->data;
    struct geo_fault fault = {
        .operation = copy->header.operation,
        .destination = copy->destination,
        .source = copy->source,
        .bytes = copy->bytes,
    };
    (void)first;
    (void)count;
    geo_runner_fault_caught(desc->owner, &fault, scope);
}

ze_result_t geo_transfer_copy(const struct geo_command_copy *copy, const struct geo_runner *runner,
                              struct geo_exec_worker *worker)
{
    if (copy->bytes == 0) {
        return ZE_RESULT_SUCCESS;
    }
    bool whole =
        copy->bytes <= BLOCK_BYTES || overlaps(copy->destination, copy->source, copy->bytes);
    struct geo_exec_job_desc desc = {
        .run = whole ? copy_whole : copy_blocks,
        .fault = copy_fault,
        .data = copy,
        .units = whole ? 1 : (copy->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES,
        .cost_ps = whole ? NULL : &copy_cost_ps,
    };
    return transfer_run(&desc, runner, worker);
}

/* ---- region ---- */

static void region_rows(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    const struct geo_command_copy_region *region = data;
    for (uint64_t i = first; i < first + count; i++) {
        uint64_t slice = i / region->height, row = i % region->height;
        memmove(region->destination + slice * region->destination_slice_pitch +
                    row * region->destination_pitch,
                region->source + slice * region->source_slice_pitch + row * region->source_pitch,
                region->width);
    }
}

static void region_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                         uint64_t first, uint64_t count)
{
    const struct geo_command_copy_region *region = desc->data;
    struct geo_fault fault = {
        .operation = region->header.operation,
        .destination = region->destination,
        .source = region->source,
        .bytes = region->width * region->height * region->depth,
    };
    (void)first;
    (void)count;
    geo_runner_fault_caught(desc->owner, &fault, scope);
}

ze_result_t geo_transfer_region(const struct geo_command_copy_region *region,
                                const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    /* the cost of a row depends on its width, so the cost of other copies does not help */
    struct geo_exec_job_desc desc = {
        .run = region_rows,
        .fault = region_fault,
        .data = region,
        .units = region->height * region->depth,
    };
    return transfer_run(&desc, runner, worker);
}

/* ---- fill ---- */

/* The description of a fill for the job's callbacks. */
struct fill_plan {
    uint8_t *destination;
    uint64_t bytes;
    const uint8_t *pattern;
    uint32_t pattern_bytes;
    uint64_t block; /* a multiple of the pattern */
    bool uniform;   /* every byte of the pattern is the same */
};

/* Writes the pattern once, doubles it up to a seed, then repeats the seed. */
static void fill_stretch(uint8_t *to, uint64_t bytes, const uint8_t *pattern,
                         uint64_t pattern_bytes)
{
    uint64_t seed = pattern_bytes < bytes ? pattern_bytes : bytes;
    memcpy(to, pattern, seed);
    while (seed < bytes && seed < SEED_BYTES) {
        uint64_t more = seed < bytes - seed ? seed : bytes - seed;
        memcpy(to + seed, to, more);
        seed += more;
    }
    for (uint64_t at = seed; at < bytes; at += seed) {
        memcpy(to + at, to, seed < bytes - at ? seed : bytes - at);
    }
}

static void fill_blocks(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    const struct fill_plan *plan = data;
    uint8_t *to = plan->destination + first * plan->block;
    uint64_t bytes = block_length(plan->bytes, plan->block, first, count);
    if (plan->uniform) {
        memset(to, plan->pattern[0], bytes);
        return;
    }
    while (bytes != 0) {
        uint64_t now = bytes < plan->block ? bytes : plan->block;
        fill_stretch(to, now, plan->pattern, plan->pattern_bytes);
        to += now;
        bytes -= now;
    }
}

static bool pattern_uniform(const uint8_t *pattern, uint32_t bytes)
{
    return bytes == 1 || memcmp(pattern, pattern + 1, bytes - 1) == 0;
}

static void fill_fault(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                       uint64_t first, uint64_t count)
{
    const struct fill_plan *plan = desc->data;
    struct geo_fault fault = {
        .operation = GEO_COMMAND_FILL,
        .destination = plan->destination,
        .bytes = plan->bytes,
    };
    (void)first;
    (void)count;
    geo_runner_fault_caught(desc->owner, &fault, scope);
}

ze_result_t geo_transfer_fill(const struct geo_command_fill *fill, const struct geo_runner *runner,
                              struct geo_exec_worker *worker)
{
    const uint8_t *pattern = (const uint8_t *)fill + fill->pattern_offset;
    struct fill_plan plan = {
        .destination = fill->destination,
        .bytes = fill->bytes,
        .pattern = pattern,
        .pattern_bytes = fill->pattern_bytes,
        .block = (uint64_t)fill->pattern_bytes *
                 (fill->pattern_bytes < BLOCK_BYTES ? BLOCK_BYTES / fill->pattern_bytes : 1),
        .uniform = pattern_uniform(pattern, fill->pattern_bytes),
    };
    if (plan.bytes == 0) {
        return ZE_RESULT_SUCCESS;
    }
    bool whole = plan.bytes <= plan.block;
    struct geo_exec_job_desc desc = {
        .run = fill_blocks,
        .fault = fill_fault,
        .data = &plan,
        .units = whole ? 1 : (plan.bytes + plan.block - 1) / plan.block,
        .cost_ps = whole ? NULL : &fill_cost_ps,
    };
    return transfer_run(&desc, runner, worker);
}
