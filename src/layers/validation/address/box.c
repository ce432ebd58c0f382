/* Compares memory and image regions. See box.h. */
#include "layers/validation/address/box.h"

enum { STEPS = 1 << 16 }; /* maximum number of steps of a comparison */

size_t geo_val_box_bytes_span(const struct geo_val_bytes *bytes)
{
    size_t rows, slices, span;
    if (__builtin_mul_overflow(bytes->pitch, (size_t)bytes->rows - 1, &rows) ||
        __builtin_mul_overflow(bytes->slice, (size_t)bytes->slices - 1, &slices) ||
        __builtin_add_overflow(rows, slices, &span) ||
        __builtin_add_overflow(span, bytes->width, &span) || span > UINTPTR_MAX - bytes->base) {
        return SIZE_MAX;
    }
    return span;
}

static bool spans_meet(const struct geo_val_bytes *one, const struct geo_val_bytes *other)
{
    const size_t a = geo_val_box_bytes_span(one), b = geo_val_box_bytes_span(other);
    return a != SIZE_MAX && b != SIZE_MAX && one->base < other->base + b &&
           other->base < one->base + a;
}

/* Returns whether a row of the slice at `base` has a byte from `begin` to before `end`. */
static bool slice_meets(const struct geo_val_bytes *bytes, uintptr_t base, uintptr_t begin,
                        uintptr_t end)
{
    size_t row = 0;
    if (begin >= base + bytes->width) {
        if (bytes->pitch == 0) {
            return false;
        }
        row = (begin - base - bytes->width) / bytes->pitch + 1;
    }
    return row < bytes->rows && base + row * bytes->pitch < end;
}

static bool row_meets(const struct geo_val_bytes *bytes, uintptr_t begin, uintptr_t end)
{
    for (uint32_t z = 0; z < bytes->slices; z++) {
        if (slice_meets(bytes, bytes->base + z * bytes->slice, begin, end)) {
            return true;
        }
    }
    return false;
}

static uint64_t row_count(const struct geo_val_bytes *bytes)
{
    return (uint64_t)bytes->rows * bytes->slices;
}

bool geo_val_box_bytes_meet(const struct geo_val_bytes *one, const struct geo_val_bytes *other)
{
    if (one->width == 0 || other->width == 0 || !spans_meet(one, other)) {
        return false;
    }
    if (row_count(one) > row_count(other)) {
        const struct geo_val_bytes *more = one;
        one = other;
        other = more;
    }
    if (row_count(one) > STEPS || row_count(one) * other->slices > STEPS) {
        return false;
    }
    for (uint32_t z = 0; z < one->slices; z++) {
        for (uint32_t y = 0; y < one->rows; y++) {
            const uintptr_t begin = one->base + z * one->slice + y * one->pitch;
            if (row_meets(other, begin, begin + one->width)) {
                return true;
            }
        }
    }
    return false;
}

bool geo_val_box_pixels_meet(const struct geo_val_pixels *one, const struct geo_val_pixels *other)
{
    for (int i = 0; i < 3; i++) {
        if ((uint64_t)one->origin[i] + one->size[i] <= other->origin[i] ||
            (uint64_t)other->origin[i] + other->size[i] <= one->origin[i]) {
            return false;
        }
    }
    return true;
}
