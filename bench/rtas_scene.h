/* The scene for builders of ray tracing structures: a bumpy sphere of triangles with shared
 * vertices, and as many triangles at random places. Both bench_rtas and bench_embree print a line
 * for each quality, "build NAME MILLISECONDS": the best of several builds, with the allocation of
 * memory. The benchmark script compares them. */
#ifndef GEOID_BENCH_RTAS_SCENE_H
#define GEOID_BENCH_RTAS_SCENE_H

#include <stddef.h>
#include <stdint.h>

enum { RTAS_REPEATS = 5 };

struct rtas_mesh {
    float *vertices;   /* three numbers per vertex */
    uint32_t *indices; /* three per triangle */
    uint32_t vertex_count, triangle_count;
};

enum rtas_scene { RTAS_SPHERE, RTAS_SOUP, RTAS_SCENES };
extern const char *const rtas_scene_names[RTAS_SCENES];
extern const char *const rtas_quality_names[3];

/* Makes a scene of about 500,000 triangles. Ends the program if memory is short. The caller frees
 * the arrays with free(). */
struct rtas_mesh rtas_mesh_create(enum rtas_scene scene);

#endif
