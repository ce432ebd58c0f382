/* The last step of loading code: sets the final protection, so that no memory is writable and
 * executable at once. */
#ifndef GEO_BACKEND_CPU_ELF_PROTECT_H
#define GEO_BACKEND_CPU_ELF_PROTECT_H

#include "backend/cpu/elf_image.h"

/* With GEOID_CODE_FOLDER set, the code is mapped from a file in that folder (elf_file.h). Returns
 * OUT_OF_HOST_MEMORY, or MODULE_BUILD_FAILURE with the reason in `log` when the system forbids
 * executable memory. */
ze_result_t geo_elf_protect(const struct geo_elf_object *object, const struct geo_elf_image *image,
                            struct geo_strbuf *log);

#endif
