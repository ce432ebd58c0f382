/* The regions that a command accesses: rows of bytes in memory, or boxes of pixels in an image. */
#ifndef GEO_LAYERS_VALIDATION_BOX_H
#define GEO_LAYERS_VALIDATION_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A region of memory: slices of rows of `width` bytes. Rows are `pitch` bytes apart, slices are
 * `slice` bytes apart.
 *
 *   base           base + pitch
 *    |<--- width --->|........|<--- width --->|........  `rows` times, then the next slice
 */
struct geo_val_bytes {
    uintptr_t base;
    size_t width, pitch, slice;
    uint32_t rows, slices; /* at least 1 */
};

struct geo_val_pixels {
    uint32_t origin[3], size[3];
};

/* Returns the region of `size` bytes at an address. */
static inline struct geo_val_bytes geo_val_box_bytes_at(uintptr_t base, size_t size)
{
    return (struct geo_val_bytes){.base = base, .width = size, .rows = 1, .slices = 1};
}

/* Returns the number of bytes from the first to the last byte of the region, or SIZE_MAX when it
 * exceeds the address space. */
size_t geo_val_box_bytes_span(const struct geo_val_bytes *bytes);

/* Returns true when the regions certainly share a byte. Returns false also when a comparison would
 * take too many steps. */
bool geo_val_box_bytes_meet(const struct geo_val_bytes *one, const struct geo_val_bytes *other);

bool geo_val_box_pixels_meet(const struct geo_val_pixels *one, const struct geo_val_pixels *other);

#endif
