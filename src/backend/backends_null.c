/* The list of backends of the null driver library. */
#include "backend/null/null.h"

const struct geo_backend_ops *const geo_backends[] = {&geo_backend_null_ops, NULL};
