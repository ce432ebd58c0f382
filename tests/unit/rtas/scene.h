/* Scenes for tests of the builder: geometries with their arrays, and what is expected of them. */
#ifndef TESTS_UNIT_RTAS_SCENE_H
#define TESTS_UNIT_RTAS_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <level_zero/ze_api.h>

enum { SCENE_GEOMETRIES = 64 };

union scene_info {
    ze_rtas_builder_geometry_info_ext_t any;
    ze_rtas_builder_triangles_geometry_info_ext_t triangles;
    ze_rtas_builder_quads_geometry_info_ext_t quads;
    ze_rtas_builder_procedural_geometry_info_ext_t procedural;
    ze_rtas_builder_instance_geometry_info_ext_t instance;
};

struct scene {
    union scene_info info[SCENE_GEOMETRIES];
    const ze_rtas_builder_geometry_info_ext_t *list[SCENE_GEOMETRIES]; /* NULL: empty */
    void *arrays[SCENE_GEOMETRIES][2];                                 /* owned */
    uint32_t count;
    uint64_t random;
};

void scene_init(struct scene *scene, uint64_t seed);
void scene_free(struct scene *scene);

/* [0, 1) and [from, to). */
float scene_random(struct scene *scene);
float scene_between(struct scene *scene, float from, float to);

/* Adds a mesh of `count` faces with their own vertices, uninitialised; its vertices, three numbers
 * each. `corners` is 3 or 4. Faces stand `pad` bytes apart, vertices too. */
float *scene_mesh(struct scene *scene, uint32_t corners, uint32_t count, uint32_t pad);
/* Where face f's corner c has its three numbers, in the scene's last mesh. */
float *scene_corner(const struct scene *scene, uint32_t face, uint32_t corner);
uint32_t *scene_face(const struct scene *scene, uint32_t face);

/* Random faces of about this size in a unit cube around the origin. */
void scene_soup(struct scene *scene, uint32_t corners, uint32_t count, float size);
/* A square terrain of 2 n^2 triangles, or n^2 quads. */
void scene_terrain(struct scene *scene, uint32_t corners, uint32_t n);
/* Long thin triangles, askew. */
void scene_needles(struct scene *scene, uint32_t count);
/* Procedural boxes; every seventh is empty or no box. */
void scene_boxes(struct scene *scene, uint32_t count);
/* A structure, placed; bounds and rows of the transformation are copied. */
void scene_instance(struct scene *scene, const void *structure, const ze_rtas_aabb_ext_t *bounds,
                    const float rows[12]);
/* A geometry that is NULL. */
void scene_nothing(struct scene *scene);

/* The primitive's corners when it is one that structures have; how many (0: it is left out). For
 * procedurals two: the corners of its box. */
uint32_t scene_primitive(const struct scene *scene, uint32_t geometry, uint32_t primitive,
                         float corners[4][3]);
uint32_t scene_primitives(const struct scene *scene, uint32_t geometry);

#endif
