/* Unit test of rtas/input.h: descriptions that are refused, and how callbacks are called. */
#include "made.h"

#include <stdlib.h>
#include <string.h>

static ze_result_t check(const struct scene *scene, uint32_t geometry)
{
    struct geo_rtas_complaint complaint = {NULL, UINT32_MAX};
    struct geo_rtas_input input = made_input(scene, MEDIUM, 0);
    ze_result_t result = geo_rtas_input_check(&input, &complaint);
    if (result != ZE_RESULT_SUCCESS) {
        assert_int_equal(complaint.geometry, geometry);
        assert_non_null(complaint.text);
    }
    return result;
}

static void types_and_formats(void **state)
{
    const ze_rtas_aabb_ext_t box = {{0, 0, 0}, {1, 1, 1}};
    const float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    struct scene scene;
    (void)state;
    scene_init(&scene, 1);
    scene_nothing(&scene);
    scene_soup(&scene, 3, 2, 1);
    scene_soup(&scene, 4, 2, 1);
    scene_instance(&scene, &scene, &box, rows);
    assert_int_equal(check(&scene, 0), ZE_RESULT_SUCCESS);
    for (uint32_t wrong = 0; wrong < 256; wrong++) {
        uint8_t *fields[] = {&scene.info[1].triangles.triangleFormat,
                             &scene.info[1].triangles.vertexFormat, &scene.info[2].quads.quadFormat,
                             &scene.info[2].quads.vertexFormat,
                             &scene.info[3].instance.transformFormat};
        for (uint32_t i = 0; i < 5; i++) {
            uint8_t right = *fields[i];
            bool good = i < 4 ? wrong == right : wrong >= 1 && wrong <= 3;
            *fields[i] = (uint8_t)wrong;
            assert_int_equal(check(&scene, 1 + i / 2),
                             good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ENUMERATION);
            *fields[i] = right;
        }
        if (wrong > 3) {
            scene.info[2].any.geometryType = (uint8_t)wrong;
            assert_int_equal(check(&scene, 2), ZE_RESULT_ERROR_INVALID_ENUMERATION);
            scene.info[2].any.geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_QUADS;
        }
    }
    scene_free(&scene);
}

static void flags(void **state)
{
    const ze_rtas_aabb_ext_t box = {{0, 0, 0}, {1, 1, 1}};
    const float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    struct scene scene;
    (void)state;
    scene_init(&scene, 2);
    scene_soup(&scene, 3, 2, 1);
    scene_soup(&scene, 4, 2, 1);
    scene_boxes(&scene, 2);
    scene_instance(&scene, &scene, &box, rows);
    for (uint32_t bits = 0; bits < 256; bits++) {
        uint8_t *fields[] = {
            &scene.info[0].triangles.geometryFlags, &scene.info[1].quads.geometryFlags,
            &scene.info[2].procedural.geometryFlags, &scene.info[3].instance.instanceFlags};
        for (uint32_t i = 0; i < 4; i++) {
            *fields[i] = (uint8_t)bits;
            assert_int_equal(check(&scene, i), bits < (i < 3 ? 2 : 16)
                                                   ? ZE_RESULT_SUCCESS
                                                   : ZE_RESULT_ERROR_INVALID_ENUMERATION);
            *fields[i] = 0;
        }
    }
    scene_free(&scene);
}

static void arrays_that_are_missing(void **state)
{
    const ze_rtas_aabb_ext_t box = {{0, 0, 0}, {1, 1, 1}};
    const float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    struct scene scene;
    (void)state;
    scene_init(&scene, 3);
    scene_soup(&scene, 3, 2, 1);
    scene_soup(&scene, 4, 2, 1);
    scene_instance(&scene, &scene, &box, rows);
    void **fields[] = {
        &scene.info[0].triangles.pTriangleBuffer, &scene.info[0].triangles.pVertexBuffer,
        &scene.info[1].quads.pQuadBuffer,         &scene.info[1].quads.pVertexBuffer,
        &scene.info[2].instance.pTransform,       &scene.info[2].instance.pAccelerationStructure};
    for (uint32_t i = 0; i < 6; i++) {
        void *right = *fields[i];
        *fields[i] = NULL;
        assert_int_equal(check(&scene, i / 2), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        *fields[i] = right;
    }
    scene.info[2].instance.pBounds = NULL;
    assert_int_equal(check(&scene, 2), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    scene.list[2] = NULL;
    scene_boxes(&scene, 2);
    scene.info[3].procedural.reserved = 1;
    assert_int_equal(check(&scene, 3), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    scene.info[3].procedural.reserved = 0;
    scene.info[3].procedural.pfnGetBoundsCb = NULL;
    assert_int_equal(check(&scene, 3), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    scene.info[3].procedural.primCount = 0;
    assert_int_equal(check(&scene, 3), ZE_RESULT_SUCCESS);
    scene_free(&scene);
}

/* ---- callbacks ---- */

enum { PRIMITIVES = 5000 };

static uint8_t asked[PRIMITIVES];
static int build_user;

static void counting_callback(ze_rtas_geometry_aabbs_exp_cb_params_t *params)
{
    assert_int_equal(params->stype, ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS);
    assert_null(params->pNext);
    assert_ptr_equal(params->pGeomUserPtr, asked);
    assert_ptr_equal(params->pBuildUserPtr, &build_user);
    for (uint32_t i = 0; i < params->primIDCount; i++) {
        uint32_t primitive = params->primID + i;
        asked[primitive]++;
        if (primitive % 2) { /* nothing is written for the others: they are left out */
            params->pBoundsOut[i] =
                (ze_rtas_aabb_exp_t){{(float)primitive, 0, 0}, {(float)primitive + 1, 1, 1}};
        }
    }
}

static void callbacks_are_asked_once_for_each(void **state)
{
    struct scene scene;
    struct geo_rtas_plan plan;
    struct geo_rtas_build build;
    size_t bytes = 0;
    (void)state;
    scene_init(&scene, 4);
    scene_boxes(&scene, PRIMITIVES);
    scene.info[0].procedural.pfnGetBoundsCb = (ze_rtas_geometry_aabbs_cb_ext_t)counting_callback;
    scene.info[0].procedural.pGeomUserPtr = asked;
    struct geo_rtas_input input = made_input(&scene, MEDIUM, 0);
    input.callback_stype = ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS;
    input.callback_user = &build_user;
    assert_int_equal(geo_rtas_plan_make(&input, &plan), ZE_RESULT_SUCCESS);
    void *buffer = aligned_alloc(GEO_RTAS_ALIGNMENT, (plan.max_bytes + 127) & ~(size_t)127);
    struct geo_rtas_target target = {.scratch = malloc(plan.scratch.bytes),
                                     .buffer = buffer,
                                     .buffer_bytes = plan.max_bytes,
                                     .bytes = &bytes};
    assert_true(buffer && target.scratch);
    geo_rtas_build_begin(&build, &input, &plan, &target);
    geo_rtas_build_join(&build);
    assert_false(build.too_small);
    geo_rtas_build_finish(&build);
    for (uint32_t i = 0; i < PRIMITIVES; i++) {
        assert_int_equal(asked[i], 1);
    }
    const struct geo_rtas_header *header = buffer;
    assert_int_equal(header->counts[GEO_RTAS_PROCEDURALS], PRIMITIVES / 2);
    assert_int_equal(header->bytes, bytes);
    assert_true(header->lower[0] == 1 && header->upper[0] == PRIMITIVES);
    free(buffer);
    free(target.scratch);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_formats),
        cmocka_unit_test(flags),
        cmocka_unit_test(arrays_that_are_missing),
        cmocka_unit_test(callbacks_are_asked_once_for_each),
    };
    return cmocka_run_group_tests_name("rtas_input", tests, NULL, NULL);
}
