/* The size of a ray query's state, which ray.cl and imports_ray.c share. */
#ifndef GEO_COMPILER_BUILTINS_RAY_STATE_H
#define GEO_COMPILER_BUILTINS_RAY_STATE_H

/* The size of `struct geo_ray_query` in units of 8 bytes. */
#define GEO_RAY_QUERY_UNITS 156

#endif
