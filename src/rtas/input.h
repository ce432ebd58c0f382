/* What the application describes: geometries, checked once, then read primitive by primitive.
 *
 * The structures of the experimental extension are the same but for their names and one structure
 * type; those of the other are used here for both. */
#ifndef GEO_RTAS_INPUT_H
#define GEO_RTAS_INPUT_H

#include "rtas/box.h"
#include "rtas/format.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

struct geo_rtas_input {
    const ze_rtas_builder_geometry_info_ext_t *const *geometries; /* [count], some NULL: empty */
    uint32_t count;
    ze_rtas_builder_build_quality_hint_ext_t quality;
    ze_rtas_builder_build_op_ext_flags_t flags;
    ze_structure_type_t callback_stype; /* of what callbacks get */
    void *callback_user;
};

/* What is wrong, for a message. */
struct geo_rtas_complaint {
    const char *text; /* of the geometry; NULL: text of the whole */
    uint32_t geometry;
};

/* SUCCESS when every geometry can be read; else INVALID_NULL_POINTER for missing arrays and
 * callbacks, INVALID_ENUMERATION for kinds, formats and flags that there are not, INVALID_ARGUMENT.
 * Primitives are not looked at: those that are no good are left out of the structure. */
ze_result_t geo_rtas_input_check(const struct geo_rtas_input *input,
                                 struct geo_rtas_complaint *complaint);

/* Primitives that a geometry describes; 0 for NULL. */
uint32_t geo_rtas_geometry_primitives(const ze_rtas_builder_geometry_info_ext_t *geometry);

/* Where references go; `at` has room for all that are asked for. */
struct geo_rtas_sink {
    struct geo_rtas_ref *at;
    uint32_t count;
    struct geo_rtas_box box, centres; /* of all, and of their centres */
};

void geo_rtas_sink_init(struct geo_rtas_sink *sink, struct geo_rtas_ref *at);
void geo_rtas_sink_add(struct geo_rtas_sink *sink, const struct geo_rtas_ref *ref);

/* References to primitives first .. first + count - 1 of a geometry. Left out are those with a
 * vertex that is not there, with coordinates that are not finite, with empty boxes, and instances
 * whose transformation cannot be inverted. May call the application. */
void geo_rtas_input_read(const struct geo_rtas_input *input, uint32_t geometry, uint32_t first,
                         uint32_t count, struct geo_rtas_sink *sink);

/* The corners of a triangle (3) or quad (4) and how many; 0 for other kinds. */
uint32_t geo_rtas_input_vertices(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                                 geo_rtas_vec vertices[4]);

/* References are in the order of space, and primitives are wherever the application has them: these
 * fetch what is going to be written, first the numbers of its corners, then, when these are there,
 * the corners. */
void geo_rtas_input_fetch_faces(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                                uint32_t count);
void geo_rtas_input_fetch_corners(const struct geo_rtas_input *input,
                                  const struct geo_rtas_ref *refs, uint32_t count);

/* Writes the primitives of `count` references, all of one kind. */
void geo_rtas_input_write(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                          uint32_t count, void *out);

/* Bytes of a primitive of each kind. */
extern const uint32_t geo_rtas_primitive_bytes[GEO_RTAS_KINDS];

#endif
