/* Memory of the backends of this machine: the seam's operations. */
#ifndef GEO_BACKEND_HOST_MEMORY_H
#define GEO_BACKEND_HOST_MEMORY_H

#include "backend/backend.h"

extern const struct geo_memory_ops geo_host_memory_ops;

#endif
