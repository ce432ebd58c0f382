/* Memory operations of the backends of this machine. */
#ifndef GEO_BACKEND_HOST_MEMORY_H
#define GEO_BACKEND_HOST_MEMORY_H

#include "backend/backend.h"

extern const struct geo_memory_ops geo_host_memory_ops;

#endif
