/* The checksum of a native binary. */
#ifndef GEO_NATIVE_CHECKSUM_H
#define GEO_NATIVE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of all bytes except the eight at `hole`, which hold the checksum. */
uint64_t geo_native_checksum(const uint8_t *bytes, size_t size, size_t hole);

#endif
