/* Extensions of Geoid's drivers that describe the driver itself. A program gets each function from
 * zeDriverGetExtensionFunctionAddress under its name. Other drivers lack them. */
#ifndef GEOID_DRIVER_H
#define GEOID_DRIVER_H

#include <stddef.h>

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* "geoidDriverExplain": explains whether the driver can use the parts that it needs. It opens them
 * for this: it loads the compiler, and creates the folder of the module cache and a file in it,
 * which it removes.
 *
 * The text has one line per part, with four fields separated by tabs:
 *   name      "kernels", "compiler" or "cache"; later versions may add others
 *   outcome   "ok"; "off" (switched off, or not a part of this driver); "failed"
 *   path      the file or folder, or "-"
 *   detail    an explanation for a reader; its wording may change
 * "kernels" is "off" if this driver runs no kernels: it only manages devices, or its launches
 * complete without running.
 *
 * *size is the size of the buffer in bytes, and becomes the number of bytes needed, including the
 * terminator. With buffer null, the function only sets *size. If the buffer is too small, returns
 * ZE_RESULT_ERROR_INVALID_SIZE and writes nothing to it. */
typedef ze_result_t(ZE_APICALL *geoid_pfnDriverExplain_t)(ze_driver_handle_t driver, char *buffer,
                                                          size_t *size);

#if defined(__cplusplus)
}
#endif

#endif
