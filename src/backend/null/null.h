/* The null backend, which executes nothing: its table of operations. See null.c. */
#ifndef GEO_BACKEND_NULL_NULL_H
#define GEO_BACKEND_NULL_NULL_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_null_ops;

#endif
