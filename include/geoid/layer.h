/* Layers of tools. The loader opens the libraries that GEOID_LAYERS lists and puts them between the
 * program and the drivers.
 *
 * A layer exports some of the functions z*Get*ProcAddrTable (level_zero/ze_ddi.h and others). The
 * loader calls each once, with a table that holds the next function of every slot. The layer keeps
 * the functions that it needs, replaces those that it wants, and returns ZE_RESULT_SUCCESS. The
 * next functions can be called until the process ends. A layer may return
 * ZE_RESULT_ERROR_UNSUPPORTED_VERSION; it is then asked for an older version of the table. */
#ifndef GEOID_LAYER_H
#define GEOID_LAYER_H

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Optional function of a layer. The loader calls it once when the process ends, while the drivers
 * still work and other threads may still be calling. */
ZE_DLLEXPORT void geoidLayerEnd(void);

#if defined(__cplusplus)
}
#endif

#endif
