/* Reads structures as a ray query would, by their format alone, and proves them against the scene
 * that they were made of. Shares no code with the builder. */
#ifndef TESTS_UNIT_RTAS_WALK_H
#define TESTS_UNIT_RTAS_WALK_H

#include "scene.h"

#include "rtas/format.h"

/* Fails the test unless: every node is reached once; every box is that around what is below it;
 * every good primitive of the scene is in the leaves once (with parts: at least once, and its parts
 * cover it), and no other; primitives say what the scene says of them. */
void walk_check(const void *structure, const struct scene *scene);

/* What it costs to send a ray through, by the surface area heuristic: less is better. */
double walk_cost(const void *structure);

struct walk_ray {
    double origin[3], direction[3];
    uint8_t mask;
};

struct walk_hit {
    double t; /* INFINITY: none */
    uint32_t geometry, primitive, user_id;
};

/* The first thing that the ray meets. A procedural is met where its box is. */
struct walk_hit walk_cast(const void *structure, const struct walk_ray *ray);
/* The same, by asking every primitive of the scene. */
struct walk_hit walk_cast_all(const struct scene *scene, const struct walk_ray *ray);

/* Casts random rays both ways and compares. Returns how many met something. */
uint32_t walk_compare(const void *structure, struct scene *scene, uint32_t rays);

#endif
