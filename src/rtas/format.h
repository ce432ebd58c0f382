/* What an acceleration structure is in memory: the format that zeRTASBuilderBuild* writes, version
 * 1. There is no hardware that would ask for another.
 *
 *     header | triangles | quads | procedurals | instances | nodes
 *
 * Everything is found by offsets from the header, so the bytes may be copied to any address that is
 * aligned to GEO_RTAS_ALIGNMENT. Only an instance points outward: to the structure that it places.
 *
 * Node 0 is the root. A node has up to eight children, each with its box: another node, or a leaf,
 * which is a run of primitives of one kind. A box holds everything below it. A place without child
 * has the kind NONE and a box that no ray meets (lower above upper), so that a walk can test all
 * eight at once. Nodes with free places have leaves only. A primitive is in one leaf; when the
 * header says SPLIT it may be in several, each with the box of a part of it. The depth, which is
 * the most nodes on a path, is at most GEO_RTAS_DEPTH_MAX.
 *
 * Numbers are those of the host, floats IEEE single. What is not used is zero. */
#ifndef GEO_RTAS_FORMAT_H
#define GEO_RTAS_FORMAT_H

#include <stdint.h>

#define GEO_RTAS_MAGIC     0x53415247u /* "GRAS" */
#define GEO_RTAS_VERSION   1u
#define GEO_RTAS_FORMAT    (0x47520000u | GEO_RTAS_VERSION) /* as ze_rtas_format_ext_t, _exp_t */
#define GEO_RTAS_ALIGNMENT 128u
#define GEO_RTAS_WIDTH     8u
#define GEO_RTAS_DEPTH_MAX 64u
#define GEO_RTAS_LEAF_MAX  16u /* primitives of a leaf */

/* Kinds of primitives are numbered as ze_rtas_builder_geometry_type_ext_t. */
enum geo_rtas_kind {
    GEO_RTAS_TRIANGLES,
    GEO_RTAS_QUADS,
    GEO_RTAS_PROCEDURALS,
    GEO_RTAS_INSTANCES,
    GEO_RTAS_KINDS,
};

/* What a child of a node is: one of these, or GEO_RTAS_CHILD_LEAF + a kind. */
enum geo_rtas_child {
    GEO_RTAS_CHILD_NONE = 0,
    GEO_RTAS_CHILD_NODE = 1,
    GEO_RTAS_CHILD_LEAF = 2,
};

enum geo_rtas_header_flags {
    GEO_RTAS_HEADER_SPLIT = 1u << 0, /* primitives may be in several leaves */
};

struct geo_rtas_header {
    uint32_t magic, version;
    uint64_t bytes;           /* of all, from the header on */
    float lower[3], upper[3]; /* of all; lower is +infinity, upper -infinity without primitives */
    uint32_t flags;
    uint32_t depth;
    uint64_t nodes;                      /* offset in bytes */
    uint64_t primitives[GEO_RTAS_KINDS]; /* offset in bytes of the first of each kind */
    uint32_t node_count;
    uint32_t counts[GEO_RTAS_KINDS]; /* of primitives as they stand in leaves */
    uint32_t reserved;
};

struct geo_rtas_node {
    float lower[3][GEO_RTAS_WIDTH], upper[3][GEO_RTAS_WIDTH];
    uint32_t child[GEO_RTAS_WIDTH]; /* a node's number; a leaf's first primitive among its kind */
    uint8_t kind[GEO_RTAS_WIDTH];
    uint8_t count[GEO_RTAS_WIDTH]; /* primitives of a leaf */
    uint8_t reserved[16];
};

enum geo_rtas_primitive_flags {
    GEO_RTAS_NON_OPAQUE = 1u << 0,             /* triangles, quads, procedurals */
    GEO_RTAS_CULL_DISABLE = 1u << 0,           /* instances, as ze_rtas_builder_instance_*_flag_t */
    GEO_RTAS_FRONT_COUNTERCLOCKWISE = 1u << 1, /* of triangles and quads below the instance */
    GEO_RTAS_FORCE_OPAQUE = 1u << 2,
    GEO_RTAS_FORCE_NON_OPAQUE = 1u << 3,
};

/* How every primitive ends that rays are tested against. */
struct geo_rtas_identity {
    uint32_t geometry;  /* place in the array of geometries */
    uint32_t primitive; /* number in its geometry */
    uint8_t mask;       /* a ray meets it when a bit is set in both masks */
    uint8_t flags;
    uint16_t reserved;
};

struct geo_rtas_triangle {
    float vertices[3][3];
    struct geo_rtas_identity identity;
};

/* Two triangles: vertices 0, 1, 3 and 2, 3, 1. */
struct geo_rtas_quad {
    float vertices[4][3];
    struct geo_rtas_identity identity;
    uint32_t reserved;
};

/* Its box is that of the leaf, in which it is alone. */
struct geo_rtas_procedural {
    struct geo_rtas_identity identity;
    uint32_t reserved;
};

/* Matrices have three rows of four: x' = m[0] x + m[1] y + m[2] z + m[3]. Alone in its leaf. */
struct geo_rtas_instance {
    float object_to_world[12], world_to_object[12];
    uint64_t structure; /* address */
    struct geo_rtas_identity identity;
    uint32_t user_id;
    uint64_t reserved;
};

_Static_assert(sizeof(struct geo_rtas_header) == 112, "a format is its bytes");
_Static_assert(sizeof(struct geo_rtas_node) == 256, "a format is its bytes");
_Static_assert(sizeof(struct geo_rtas_triangle) == 48, "a format is its bytes");
_Static_assert(sizeof(struct geo_rtas_quad) == 64, "a format is its bytes");
_Static_assert(sizeof(struct geo_rtas_procedural) == 16, "a format is its bytes");
_Static_assert(sizeof(struct geo_rtas_instance) == 128, "a format is its bytes");

#endif
