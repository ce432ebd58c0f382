/* The format of acceleration structures in memory that zeRTASBuilderBuild* writes, version 1. No
 * hardware requires another format.
 *
 *     header | triangles | quads | procedurals | instances | nodes
 *
 * Everything is found by offsets from the header, so the bytes may be copied to any address with
 * the alignment GEO_RTAS_ALIGNMENT. Only an instance contains an address: of the structure that it
 * places.
 *
 * Node 0 is the root. A node has up to eight children, each with a box: another node, or a leaf,
 * which is a run of primitives of one kind. A box contains everything below it. An unused child has
 * the kind NONE and a box that no ray hits (lower above upper), so that a traversal can test all
 * eight at once. Nodes with unused children have only leaves. A primitive is in one leaf; if the
 * header has the flag SPLIT, it may be in several, each with the box of a part of it. The depth is
 * the largest number of nodes on a path, at most GEO_RTAS_DEPTH_MAX.
 *
 * Numbers are in the host's byte order, floats are IEEE single precision. Unused bytes are zero. */
#ifndef GEO_RTAS_FORMAT_H
#define GEO_RTAS_FORMAT_H

#include <stdint.h>

#define GEO_RTAS_MAGIC     0x53415247u /* "GRAS" */
#define GEO_RTAS_VERSION   1u
#define GEO_RTAS_FORMAT    (0x47520000u | GEO_RTAS_VERSION) /* as ze_rtas_format_ext_t, _exp_t */
#define GEO_RTAS_ALIGNMENT 128u
#define GEO_RTAS_WIDTH     8u
#define GEO_RTAS_DEPTH_MAX 64u
#define GEO_RTAS_LEAF_MAX  16u /* most primitives in a leaf */
/* levels that a ray query walks: a structure, and those that its instances place */
#define GEO_RTAS_LEVELS 2u

/* Kinds of primitives, numbered as in ze_rtas_builder_geometry_type_ext_t. */
enum geo_rtas_kind {
    GEO_RTAS_TRIANGLES,
    GEO_RTAS_QUADS,
    GEO_RTAS_PROCEDURALS,
    GEO_RTAS_INSTANCES,
    GEO_RTAS_KINDS,
};

/* The kind of a node's child: one of these, or GEO_RTAS_CHILD_LEAF + a kind of primitives. */
enum geo_rtas_child {
    GEO_RTAS_CHILD_NONE = 0,
    GEO_RTAS_CHILD_NODE = 1,
    GEO_RTAS_CHILD_LEAF = 2,
};

enum geo_rtas_header_flags {
    GEO_RTAS_HEADER_SPLIT = 1u << 0, /* primitives may be in several leaves */
};

/* The header at the start of a structure. */
struct geo_rtas_header {
    uint32_t magic, version;
    uint64_t bytes;           /* size of the structure with the header */
    float lower[3], upper[3]; /* bounds; +infinity and -infinity without primitives */
    uint32_t flags;
    uint32_t depth;
    uint64_t nodes;                      /* offset in bytes */
    uint64_t primitives[GEO_RTAS_KINDS]; /* offset in bytes of the first primitive of each kind */
    uint32_t node_count;
    uint32_t counts[GEO_RTAS_KINDS]; /* number of primitives, counting copies in several leaves */
    uint32_t reserved;
};

/* A node with its children's boxes. */
struct geo_rtas_node {
    float lower[3][GEO_RTAS_WIDTH], upper[3][GEO_RTAS_WIDTH];
    /* number of the node; or of the leaf's first primitive in its kind */
    uint32_t child[GEO_RTAS_WIDTH];
    uint8_t kind[GEO_RTAS_WIDTH];
    uint8_t count[GEO_RTAS_WIDTH]; /* number of primitives in the leaf */
    uint8_t reserved[16];
};

enum geo_rtas_primitive_flags {
    GEO_RTAS_NON_OPAQUE = 1u << 0,             /* triangles, quads, procedurals */
    GEO_RTAS_CULL_DISABLE = 1u << 0,           /* instances, as ze_rtas_builder_instance_*_flag_t */
    GEO_RTAS_FRONT_COUNTERCLOCKWISE = 1u << 1, /* of triangles and quads below the instance */
    GEO_RTAS_FORCE_OPAQUE = 1u << 2,
    GEO_RTAS_FORCE_NON_OPAQUE = 1u << 3,
};

/* The end of every primitive that rays are tested against. */
struct geo_rtas_identity {
    uint32_t geometry;  /* index in the array of geometries */
    uint32_t primitive; /* index in its geometry */
    uint8_t mask;       /* a ray hits it only if its mask and the ray's have a common bit */
    uint8_t flags;
    uint16_t reserved;
};

/* A triangle in a leaf. */
struct geo_rtas_triangle {
    float vertices[3][3];
    struct geo_rtas_identity identity;
};

/* Two triangles, with vertices 0, 1, 3 and 2, 3, 1. */
struct geo_rtas_quad {
    float vertices[4][3];
    struct geo_rtas_identity identity;
    uint32_t reserved;
};

/* A procedural primitive. It is alone in its leaf and has the leaf's box. */
struct geo_rtas_procedural {
    struct geo_rtas_identity identity;
    uint32_t reserved;
};

/* An instance, alone in its leaf. Matrices have three rows of four: x' = m[0] x + m[1] y + m[2] z +
 * m[3]. */
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
