/* Reads the geometries that an application describes: checks them once, then reads primitives.
 *
 * The structures of the experimental extension differ only in names and one structure type, so
 * those of the final extension are used for both. */
#ifndef GEO_RTAS_INPUT_H
#define GEO_RTAS_INPUT_H

#include "rtas/box.h"
#include "rtas/format.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

/* The geometries and options of a build, as the application passed them. */
struct geo_rtas_input {
    /* [count]; NULL: an empty geometry */
    const ze_rtas_builder_geometry_info_ext_t *const *geometries;
    uint32_t count;
    ze_rtas_builder_build_quality_hint_ext_t quality;
    ze_rtas_builder_build_op_ext_flags_t flags;
    ze_structure_type_t callback_stype; /* structure type for callbacks */
    void *callback_user;
};

/* The description of an invalid input, for a message. */
struct geo_rtas_complaint {
    const char *text; /* problem of the geometry; NULL: none found */
    uint32_t geometry;
};

/* Checks that every geometry can be read. Returns INVALID_NULL_POINTER for missing arrays and
 * callbacks, INVALID_ENUMERATION for unknown kinds, formats and flags, INVALID_ARGUMENT. Primitives
 * are not checked: invalid ones are left out of the structure. */
ze_result_t geo_rtas_input_check(const struct geo_rtas_input *input,
                                 struct geo_rtas_complaint *complaint);

/* Returns the number of primitives of a geometry; 0 for NULL. */
uint32_t geo_rtas_input_primitives(const ze_rtas_builder_geometry_info_ext_t *geometry);

/* The destination of references; `at` has enough space for all of them. */
struct geo_rtas_sink {
    struct geo_rtas_ref *at;
    uint32_t count;
    struct geo_rtas_box box, centres; /* bounds of all references, and of their centres */
};

void geo_rtas_input_sink_init(struct geo_rtas_sink *sink, struct geo_rtas_ref *at);
void geo_rtas_input_sink_add(struct geo_rtas_sink *sink, const struct geo_rtas_ref *ref);

/* Makes references to primitives first .. first + count - 1 of a geometry. Leaves out primitives
 * with a missing vertex, coordinates that are not finite or an empty box, and instances whose
 * transformation cannot be inverted. May call callbacks of the application. */
void geo_rtas_input_read(const struct geo_rtas_input *input, uint32_t geometry, uint32_t first,
                         uint32_t count, struct geo_rtas_sink *sink);

/* Returns the number of corners of a triangle (3) or quad (4) and the corners; 0 for other
 * kinds. */
uint32_t geo_rtas_input_vertices(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                                 geo_rtas_vec vertices[4]);

/* Prefetch data of the primitives of `count` references before geo_rtas_input_write. References are
 * in spatial order, but their primitives lie anywhere in memory, so each read would miss the
 * caches. First, geo_rtas_input_fetch_faces prefetches the indices of the vertices. Later, when the
 * indices have arrived, geo_rtas_input_fetch_corners reads them and prefetches the vertices. */
void geo_rtas_input_fetch_faces(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                                uint32_t count);
void geo_rtas_input_fetch_corners(const struct geo_rtas_input *input,
                                  const struct geo_rtas_ref *refs, uint32_t count);

/* Writes the primitives of `count` references, which are of the same kind. */
void geo_rtas_input_write(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                          uint32_t count, void *out);

/* Size of a primitive of each kind. */
extern const uint32_t geo_rtas_primitive_bytes[GEO_RTAS_KINDS];

#endif
