/* Extensions of Geoid's loader to Level Zero. Programs that may also run with another loader look
 * these functions up with dlsym(RTLD_DEFAULT, ...). */
#ifndef GEOID_LOADER_H
#define GEOID_LOADER_H

#include <stddef.h>

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Explains which driver libraries the loader has tried so far and with which outcome. Call it after
 * zeInitDrivers, zeInit or zesInit, whether they succeeded or not.
 *
 * The text has one line per library, with five fields separated by tabs:
 *   name      as it was looked for; the path of the manifest if the manifest names no library
 *   origin    why it was tried; "manifest PATH" if a manifest names the library
 *   path      the file that was opened, or "-"
 *   outcome   "in use", "left out" (works, but not beside the others), "failed" (a driver that gave
 *             no devices), "rejected" (not a driver), "not loaded"
 *   detail    an explanation for a reader; its wording may change
 * *size is the size of the buffer in bytes, and becomes the number of bytes needed, including the
 * terminator. With buffer null, the function only sets *size. If the buffer is too small, returns
 * ZE_RESULT_ERROR_INVALID_SIZE and writes nothing to it. */
ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderExplain(char *buffer, size_t *size);
typedef ze_result_t(ZE_APICALL *geoid_pfnLoaderExplain_t)(char *buffer, size_t *size);

/* Returns the path of the library that implements a driver of zeDriverGet, zeInitDrivers or
 * zesDriverGet. Also works if the loader has replaced the driver's handle by a handle of its own.
 * *size and ZE_RESULT_ERROR_INVALID_SIZE are as for geoidLoaderExplain. Returns
 * ZE_RESULT_ERROR_INVALID_ARGUMENT if those functions did not return `driver`. */
ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderGetDriverPath(ze_driver_handle_t driver,
                                                             char *buffer, size_t *size);
typedef ze_result_t(ZE_APICALL *geoid_pfnLoaderGetDriverPath_t)(ze_driver_handle_t driver,
                                                                char *buffer, size_t *size);

/* Tells whether a driver implements a function of the API: *implemented is 0 if the function only
 * returns that it is unsupported. Get this function from zeDriverGetExtensionFunctionAddress under
 * the name "geoidDriverGetFunctionStatus". Returns ZE_RESULT_ERROR_INVALID_FUNCTION_NAME for an
 * unknown name. */
typedef ze_result_t(ZE_APICALL *geoid_pfnDriverGetFunctionStatus_t)(const char *function,
                                                                    uint32_t *implemented);

#if defined(__cplusplus)
}
#endif

#endif
