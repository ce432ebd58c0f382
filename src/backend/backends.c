/* The one file that names the backends, in the order of the drivers. */
#include "backend/cpu/cpu.h"
#include "backend/null/null.h"

const struct geo_backend_ops *const geo_backends[] = {&geo_backend_cpu_ops, NULL};
