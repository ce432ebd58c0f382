/* Tells gdb and perf about loaded code: docs/decisions/codegen.md, "One file tells gdb and perf
 * about loaded code". */
#ifndef GEO_BACKEND_CPU_ELF_REGISTER_H
#define GEO_BACKEND_CPU_ELF_REGISTER_H

#include "backend/cpu/elf_image.h"

struct geo_elf_registration;

/* Copies what it needs; NULL when memory ran out, which harms nothing but debugging. With
 * GEOID_PERF set the functions are added to /tmp/perf-<pid>.map. */
struct geo_elf_registration *geo_elf_register(const struct geo_elf_object *object,
                                              const struct geo_elf_image *image);
/* Accepts NULL. perf's map keeps its lines: the profile may be read later. */
void geo_elf_unregister(struct geo_elf_registration *registration);

#endif
