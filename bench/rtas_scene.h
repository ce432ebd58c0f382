/* The scene that builders of ray tracing structures are compared with: a bumpy sphere of triangles
 * with shared vertices, and as many triangles here and there. Both programs print one line per
 * quality, "build NAME MILLISECONDS", best of several, memory included; scripts/bench compares. */
#ifndef GEOID_BENCH_RTAS_SCENE_H
#define GEOID_BENCH_RTAS_SCENE_H

#include <stddef.h>
#include <stdint.h>

enum { RTAS_REPEATS = 5 };

struct rtas_mesh {
    float *vertices;   /* three numbers each */
    uint32_t *indices; /* three each */
    uint32_t vertex_count, triangle_count;
};

enum rtas_scene { RTAS_SPHERE, RTAS_SOUP, RTAS_SCENES };
extern const char *const rtas_scene_names[RTAS_SCENES];
extern const char *const rtas_quality_names[3];

/* About 500,000 triangles; ends the program without memory. The C library's free gives it back. */
struct rtas_mesh rtas_mesh_create(enum rtas_scene scene);

#endif
