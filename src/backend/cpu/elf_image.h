/* A relocatable object placed in memory: the second half of the loader. See
 * docs/decisions/codegen.md, "A small loader of our own loads native code".
 *
 *     | code, stubs | constants, offset table | data, zeroes |     one mapping, 1 GiB at most
 *       read, execute  read                     read, write
 *
 * Everything is written while the mapping is readable and writable, then each part gets its final
 * protection: memory is never writable and executable at once. Relocation types and imported names
 * are allow-lists. */
#ifndef GEO_BACKEND_CPU_ELF_IMAGE_H
#define GEO_BACKEND_CPU_ELF_IMAGE_H

#include "backend/cpu/elf_object.h"

#include <level_zero/ze_api.h>

struct geo_elf_image {
    uint8_t *base;
    uint64_t bytes;
    uint64_t code_bytes, constant_bytes; /* whole pages, in this order; the rest is data */
    uint64_t *places; /* owned: offset of each section in the image, GEO_ELF_NOWHERE */
};

#define GEO_ELF_NOWHERE UINT64_MAX

/* A variable in another image that this one refers to. */
struct geo_elf_external {
    const char *symbol;
    void *address;
};

/* An image between its two steps. */
struct geo_elf_loading;

/* The first step: checks everything, maps the image and fills it. Addresses in it are known from
 * then on, so that images can refer to each other. externals: sorted by symbol, their addresses
 * are read in the second step; they, `object`, its bytes and `image` must stay where they are until
 * then. INVALID_NATIVE_BINARY with the reason in log, OUT_OF_HOST_MEMORY. */
ze_result_t geo_elf_place(const struct geo_elf_object *object,
                          const struct geo_elf_external *externals, uint32_t external_count,
                          struct geo_elf_image *image, struct geo_elf_loading **loading,
                          struct geo_strbuf *log);
/* The second step: relocates and protects. Ends `loading` whatever the result. */
ze_result_t geo_elf_relocate(struct geo_elf_loading *loading, struct geo_strbuf *log);
/* Gives the second step up; NULL is accepted. */
void geo_elf_loading_end(struct geo_elf_loading *loading);

/* Both steps, of an image that refers to no other. */
ze_result_t geo_elf_load(const struct geo_elf_object *object, struct geo_elf_image *image,
                         struct geo_strbuf *log);
void geo_elf_unload(struct geo_elf_image *image);

/* Address of a defined symbol by name; NULL when there is none. code: only functions in executable
 * sections count, else only what is not code. */
void *geo_elf_symbol_find(const struct geo_elf_object *object, const struct geo_elf_image *image,
                          const char *name, bool code);

#endif
