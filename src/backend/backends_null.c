/* The list of the null driver library: no other backend is in it. */
#include "backend/null/null.h"

const struct geo_backend_ops *const geo_backends[] = {&geo_backend_null_ops, NULL};
