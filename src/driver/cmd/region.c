/* Boxes of bytes for region copies: conversion from the API's regions, overlap checks, records of
 * copies. See region.h. */
#include "driver/cmd/region.h"

#include "base/assert.h"

#include <stdbool.h>

/* Sets the start of the region after checking that its end is within the address space. */
static ze_result_t region_place(struct geo_region *region, const void *base, uint64_t offset)
{
    uint64_t rows = (region->height ? region->height - 1 : 0) * region->pitch, extent, slices, end;
    if (__builtin_add_overflow(region->width, rows, &extent) ||
        __builtin_mul_overflow(region->depth - 1, region->slice_pitch, &slices) ||
        __builtin_add_overflow(extent, slices, &extent) ||
        __builtin_add_overflow((uint64_t)(uintptr_t)base, offset, &end) ||
        __builtin_add_overflow(end, extent, &end)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the region ends beyond the address space");
    }
    region->start = (uintptr_t)base + offset;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_region_init(struct geo_region *region, const void *base,
                            const ze_copy_region_t *box, uint32_t pitch, uint32_t slice_pitch)
{
    bool flat = box->depth == 0; /* two-dimensional: slice pitch and z are ignored */
    *region = (struct geo_region){
        .width = box->width,
        .height = box->height,
        .depth = flat ? 1 : box->depth,
        .pitch = pitch ? pitch : box->width,
    };
    region->slice_pitch = slice_pitch && !flat ? slice_pitch : region->pitch * region->height;
    if (region->height > 1 && region->pitch < region->width) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a pitch of %u is too small for rows of %u bytes", pitch, box->width);
    }
    if (region->depth > 1 && region->height != 0 &&
        region->slice_pitch < region->pitch * (region->height - 1) + region->width) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a slice pitch of %u is too small for %u rows", slice_pitch, box->height);
    }
    /* products of 32-bit factors: the sum fits in 64 bits, but the address may not */
    uint64_t offset = box->originX + box->originY * region->pitch +
                      (flat ? 0 : box->originZ * region->slice_pitch);
    return region_place(region, base, offset);
}

ze_result_t geo_region_like(struct geo_region *region, const void *base,
                            const struct geo_region *other, uint32_t pitch, uint32_t slice_pitch)
{
    *region = (struct geo_region){
        .width = other->width,
        .height = other->height,
        .depth = other->depth,
        .pitch = pitch ? pitch : other->width,
    };
    region->slice_pitch =
        slice_pitch && region->depth > 1 ? slice_pitch : region->pitch * region->height;
    return region_place(region, base, 0);
}

static uintptr_t row_start(const struct geo_region *region, uint64_t row)
{
    return region->start + row / region->height * region->slice_pitch +
           row % region->height * region->pitch;
}

/* Returns whether two regions share a byte. Rows ascend in both, so one pass over both is
 * enough. */
static bool regions_meet(const struct geo_region *a, const struct geo_region *b)
{
    uint64_t rows = a->height * a->depth, i = 0, j = 0;
    GEO_ASSERT(rows != 0 && rows == b->height * b->depth);
    uintptr_t a_end = row_start(a, rows - 1) + a->width, b_end = row_start(b, rows - 1) + b->width;
    if (a_end <= b->start || b_end <= a->start) {
        return false;
    }
    while (i < rows && j < rows) {
        uintptr_t x = row_start(a, i), y = row_start(b, j);
        if (x + a->width <= y) {
            i++;
        } else if (y + b->width <= x) {
            j++;
        } else {
            return true;
        }
    }
    return false;
}

ze_result_t geo_region_check(const struct geo_region *to, const struct geo_region *from)
{
    if (to->width != from->width || to->height != from->height || to->depth != from->depth) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the regions have different extents");
    }
    if (to->width != 0 && to->height != 0 && regions_meet(to, from)) {
        return geo_fail(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, "the regions overlap");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_region_append(struct geo_command_list *list, const struct geo_region *to,
                              const struct geo_region *from, const struct geo_append_events *events,
                              struct geo_append *append)
{
    GEO_ASSERT(to->width == from->width && to->height == from->height && to->depth == from->depth);
    GEO_ASSERT(to->depth != 0);
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_COPY_REGION,
                               sizeof(struct geo_command_copy_region), events, append));
    struct geo_command_copy_region *copy = (struct geo_command_copy_region *)append->command;
    copy->destination = (uint8_t *)to->start;
    copy->source = (const uint8_t *)from->start;
    copy->width = to->width;
    copy->height = to->height;
    copy->depth = to->depth;
    copy->destination_pitch = to->pitch;
    copy->destination_slice_pitch = to->slice_pitch;
    copy->source_pitch = from->pitch;
    copy->source_slice_pitch = from->slice_pitch;
    if (to->width == 0 ||
        to->height == 0) { /* nothing to copy, but events to wait for and signal */
        append->command->operation = GEO_COMMAND_NOP;
    }
    return ZE_RESULT_SUCCESS;
}
