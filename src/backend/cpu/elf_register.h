/* Registers loaded code with gdb and perf: docs/decisions/codegen.md, "One file tells gdb and perf
 * about loaded code". */
#ifndef GEO_BACKEND_CPU_ELF_REGISTER_H
#define GEO_BACKEND_CPU_ELF_REGISTER_H

#include "backend/cpu/elf_image.h"

struct geo_elf_registration;

/* Registers an image and copies everything that it needs. Returns NULL when memory ran out, which
 * only affects debugging. With GEOID_PERF set, the functions are added to /tmp/perf-<pid>.map. */
struct geo_elf_registration *geo_elf_register(const struct geo_elf_object *object,
                                              const struct geo_elf_image *image);
/* Returns the registered object: the native binary, in which sh_addr of each loaded section is its
 * address. It lives as long as the registration. */
const void *geo_elf_register_object(const struct geo_elf_registration *registration, size_t *bytes);
/* Removes a registration. Accepts NULL. perf's map file keeps the lines, because a profile may be
 * read later. */
void geo_elf_unregister(struct geo_elf_registration *registration);

#endif
