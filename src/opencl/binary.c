/* Program binaries. They come from files, so no byte of them is trusted. See binary.h. */
#include "opencl/binary.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define FOOTER_MAGIC 0x324c434f44494f47ull /* "GOIDOCL2" */

struct footer {
    uint64_t checksum; /* of the trailer before it, and of what follows here */
    uint64_t native_bytes;
    uint64_t trailer_bytes; /* without the footer */
    uint32_t type, module_count;
    uint64_t magic;
};

static uint64_t checksum(uint64_t sum, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    }
    return sum;
}

static uint64_t footer_checksum(const struct footer *footer, const uint8_t *trailer)
{
    const uint8_t *rest = (const uint8_t *)footer + sizeof(footer->checksum);
    return checksum(checksum(0xcbf29ce484222325ull, trailer, footer->trailer_bytes), rest,
                    sizeof(*footer) - sizeof(footer->checksum));
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

bool geo_ocl_binary_module_add(struct geo_ocl_modules *modules, const void *bytes, size_t count)
{
    if (!geo_array_reserve(modules, 1)) {
        return false;
    }
    uint8_t *copy = malloc(count ? count : 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, count);
    modules->items[modules->count++] = (struct geo_ocl_module){copy, count};
    return true;
}

void geo_ocl_binary_modules_finish(struct geo_ocl_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        free(modules->items[i].bytes);
    }
    geo_array_finish(modules);
}

bool geo_ocl_binary_parse(const uint8_t *bytes, size_t count, struct geo_ocl_binary *binary)
{
    struct footer footer;
    if (count < sizeof(footer)) {
        return false;
    }
    memcpy(&footer, bytes + count - sizeof(footer), sizeof(footer));
    size_t before = count - sizeof(footer);
    if (footer.magic != FOOTER_MAGIC || footer.trailer_bytes > before ||
        footer.native_bytes != before - footer.trailer_bytes) {
        return false;
    }
    const uint8_t *trailer = bytes + footer.native_bytes;
    if (footer.checksum != footer_checksum(&footer, trailer)) {
        return false;
    }
    const char *flags = (const char *)trailer;
    size_t length = strnlen(flags, footer.trailer_bytes);
    size_t at = padded(length + 1);
    if (length == footer.trailer_bytes || at > footer.trailer_bytes) {
        return false;
    }
    *binary = (struct geo_ocl_binary){footer.type,         bytes,       footer.native_bytes, flags,
                                      footer.module_count, trailer + at};
    for (uint32_t i = 0; i < footer.module_count; i++) {
        uint64_t size;
        if (footer.trailer_bytes - at < sizeof(size)) {
            return false;
        }
        memcpy(&size, trailer + at, sizeof(size));
        at += sizeof(size);
        if (size > footer.trailer_bytes - at || padded(size) > footer.trailer_bytes - at) {
            return false;
        }
        at += padded(size);
    }
    return true;
}

bool geo_ocl_binary_modules(const struct geo_ocl_binary *binary, struct geo_ocl_modules *modules)
{
    const uint8_t *at = binary->modules;
    for (uint32_t i = 0; i < binary->module_count; i++) {
        uint64_t size;
        memcpy(&size, at, sizeof(size));
        at += sizeof(size);
        if (!geo_ocl_binary_module_add(modules, at, size)) {
            return false;
        }
        at += padded(size);
    }
    return true;
}

uint8_t *geo_ocl_binary_make(cl_program_binary_type type, const uint8_t *native,
                             size_t native_bytes, const char *flags,
                             const struct geo_ocl_modules *modules, size_t *count)
{
    struct footer footer = {.native_bytes = native_bytes,
                            .type = type,
                            .module_count = (uint32_t)modules->count,
                            .magic = FOOTER_MAGIC};
    footer.trailer_bytes = padded(strlen(flags) + 1);
    for (size_t i = 0; i < modules->count; i++) {
        footer.trailer_bytes += sizeof(uint64_t) + padded(modules->items[i].count);
    }
    *count = native_bytes + footer.trailer_bytes + sizeof(footer);
    uint8_t *binary = calloc(1, *count);
    if (!binary) {
        return NULL;
    }
    if (native_bytes) {
        memcpy(binary, native, native_bytes);
    }
    uint8_t *trailer = binary + native_bytes, *at = trailer;
    memcpy(at, flags, strlen(flags) + 1);
    at += padded(strlen(flags) + 1);
    for (size_t i = 0; i < modules->count; i++) {
        uint64_t size = modules->items[i].count;
        memcpy(at, &size, sizeof(size));
        memcpy(at + sizeof(size), modules->items[i].bytes, size);
        at += sizeof(size) + padded(size);
    }
    footer.checksum = footer_checksum(&footer, trailer);
    memcpy(at, &footer, sizeof(footer));
    return binary;
}
