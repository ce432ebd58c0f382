/* Loads a relocatable object into memory: the second half of the loader. See
 * docs/decisions/codegen.md, "A small loader of our own loads native code".
 *
 *     | code, stubs | constants, offset table | data, zeroes |   one mapping, at most 1 GiB
 *       read, execute  read                     read, write
 *
 * Everything is written while the mapping is readable and writable. Then each part gets its final
 * protection, so memory is never writable and executable at once. Relocation types and imported
 * names are allow-lists. */
#ifndef GEO_BACKEND_CPU_ELF_IMAGE_H
#define GEO_BACKEND_CPU_ELF_IMAGE_H

#include "backend/cpu/elf_object.h"

#include <level_zero/ze_api.h>

struct geo_elf_image {
    uint8_t *base;
    uint64_t bytes;
    uint64_t code_bytes, constant_bytes; /* sizes in whole pages, in this order; the rest is data */
    uint64_t *places; /* owned: offset of each section in the image, or GEO_ELF_NOWHERE */
};

#define GEO_ELF_NOWHERE UINT64_MAX

/* A variable in another image that this image imports. */
struct geo_elf_external {
    const char *symbol;
    void *address;
};

/* The state of an image between the two steps. */
struct geo_elf_loading;

/* First step: checks everything, maps the image and fills it. Its addresses are fixed from then on,
 * so that images can refer to each other. `externals` is sorted by symbol; their addresses are read
 * in the second step. The externals, `object`, its bytes and `image` must stay in place until then.
 * Returns INVALID_NATIVE_BINARY with the reason in `log`, or OUT_OF_HOST_MEMORY. */
ze_result_t geo_elf_image_place(const struct geo_elf_object *object,
                                const struct geo_elf_external *externals, uint32_t external_count,
                                struct geo_elf_image *image, struct geo_elf_loading **loading,
                                struct geo_strbuf *log);
/* Second step: relocates and protects. Frees `loading` in any case. */
ze_result_t geo_elf_image_relocate(struct geo_elf_loading *loading, struct geo_strbuf *log);
/* Frees `loading` without the second step. Accepts NULL. */
void geo_elf_image_loading_end(struct geo_elf_loading *loading);

/* Places and relocates an image that imports nothing from other images. Returns the errors of
 * geo_elf_image_place and geo_elf_image_relocate. */
ze_result_t geo_elf_image_load(const struct geo_elf_object *object, struct geo_elf_image *image,
                               struct geo_strbuf *log);
void geo_elf_image_unload(struct geo_elf_image *image);

/* Returns the address of a defined symbol, or NULL. With `code` only functions in executable
 * sections are considered, else only other symbols. */
void *geo_elf_image_symbol_find(const struct geo_elf_object *object,
                                const struct geo_elf_image *image, const char *name, bool code);

#endif
