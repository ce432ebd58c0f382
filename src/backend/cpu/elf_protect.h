/* The last step of loading code: nothing of it is writable and executable at once. */
#ifndef GEO_BACKEND_CPU_ELF_PROTECT_H
#define GEO_BACKEND_CPU_ELF_PROTECT_H

#include "backend/cpu/elf_image.h"

/* OUT_OF_HOST_MEMORY, MODULE_BUILD_FAILURE when the system forbids it; the reason is in log. */
ze_result_t geo_elf_protect(const struct geo_elf_image *image, struct geo_strbuf *log);

#endif
