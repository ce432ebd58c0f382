/* What Geoid's loader offers beyond Level Zero. Programs that may also run with another loader look
 * these functions up with dlsym(RTLD_DEFAULT, ...). */
#ifndef GEOID_LOADER_H
#define GEOID_LOADER_H

#include <stddef.h>

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Explains which driver libraries the loader has tried so far and what became of each; call it
 * after zeInitDrivers, zeInit or zesInit, whether they succeeded or not.
 *
 * The text is one line per library, of five fields between tabs:
 *   name      as it was looked for; of a manifest that names nothing its own path
 *   origin    why it was tried; "manifest PATH" where a manifest says so
 *   path      the file that was opened, or "-"
 *   outcome   "in use", "left out" (works, but not beside the others), "failed" (is a driver, gave
 *             no devices), "rejected" (is no driver), "not loaded"
 *   detail    in words; further wording may change
 * With buffer null, *size becomes the bytes needed, terminator included; otherwise *size is the
 * room in the buffer and becomes the bytes needed. ZE_RESULT_ERROR_INVALID_SIZE: too little room,
 * nothing was written. */
ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderExplain(char *buffer, size_t *size);
typedef ze_result_t(ZE_APICALL *geoid_pfnLoaderExplain_t)(char *buffer, size_t *size);

/* The path of the library that a driver of zeDriverGet, zeInitDrivers or zesDriverGet belongs to,
 * also where the handle is the loader's own and the driver's is behind it. With buffer null, *size
 * becomes the bytes needed, terminator included; otherwise it is the room in the buffer and becomes
 * the bytes needed. ZE_RESULT_ERROR_INVALID_ARGUMENT: no driver of these lists.
 * ZE_RESULT_ERROR_INVALID_SIZE: too little room, nothing was written. */
ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderGetDriverPath(ze_driver_handle_t driver,
                                                             char *buffer, size_t *size);
typedef ze_result_t(ZE_APICALL *geoid_pfnLoaderGetDriverPath_t)(ze_driver_handle_t driver,
                                                                char *buffer, size_t *size);

/* Whether a driver implements a function of the API, or only answers that it does not. Found by
 * zeDriverGetExtensionFunctionAddress under the name "geoidDriverGetFunctionStatus".
 * ZE_RESULT_ERROR_INVALID_ARGUMENT: no function of that name. */
typedef ze_result_t(ZE_APICALL *geoid_pfnDriverGetFunctionStatus_t)(const char *function,
                                                                    uint32_t *implemented);

#if defined(__cplusplus)
}
#endif

#endif
