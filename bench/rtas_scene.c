/* Meshes for bench_rtas and bench_embree. See rtas_scene.h. */
#include "rtas_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 500, SOUP = 2 * RINGS * RINGS };

const char *const rtas_scene_names[RTAS_SCENES] = {"sphere", "soup"};
const char *const rtas_quality_names[3] = {"low", "medium", "high"};

static struct rtas_mesh mesh_alloc(uint32_t vertices, uint32_t triangles)
{
    /* Allocates a few bytes more, as Embree reads sixteen bytes for a vertex. */
    struct rtas_mesh mesh = {malloc((size_t)vertices * 12 + 16), malloc((size_t)triangles * 12),
                             vertices, triangles};
    if (!mesh.vertices || !mesh.indices) {
        fprintf(stderr, "no memory for a scene\n");
        exit(1);
    }
    return mesh;
}

static struct rtas_mesh sphere(void)
{
    struct rtas_mesh mesh = mesh_alloc((RINGS + 1) * (RINGS + 1), SOUP);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        uint32_t row = i / (RINGS + 1), column = i % (RINGS + 1);
        float v = (float)row / RINGS * 3.14159265f;
        float u = (float)column / RINGS * 6.2831853f;
        float radius = 1 + 0.1f * sinf(20 * u) * sinf(30 * v);
        mesh.vertices[3 * i] = radius * sinf(v) * cosf(u);
        mesh.vertices[3 * i + 1] = radius * cosf(v);
        mesh.vertices[3 * i + 2] = radius * sinf(v) * sinf(u);
    }
    for (uint32_t i = 0; i < RINGS * RINGS; i++) {
        uint32_t at = i / RINGS * (RINGS + 1) + i % RINGS, *out = mesh.indices + (size_t)6 * i;
        const uint32_t corners[6] = {at, at + 1,         at + RINGS + 2,
                                     at, at + RINGS + 2, at + RINGS + 1};
        for (int c = 0; c < 6; c++) {
            out[c] = corners[c];
        }
    }
    return mesh;
}

static float number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static struct rtas_mesh soup(void)
{
    struct rtas_mesh mesh = mesh_alloc(3 * SOUP, SOUP);
    uint32_t state = 1;
    for (uint32_t i = 0; i < 3 * SOUP; i++) {
        mesh.indices[i] = i;
        for (int axis = 0; axis < 3; axis++) { /* close to the triangle's first corner */
            float first = mesh.vertices[3 * (i / 3 * 3) + (uint32_t)axis];
            mesh.vertices[3 * i + (uint32_t)axis] =
                i % 3 ? first + 0.02f * number(&state) : number(&state);
        }
    }
    return mesh;
}

struct rtas_mesh rtas_mesh_create(enum rtas_scene scene)
{
    return scene == RTAS_SPHERE ? sphere() : soup();
}
