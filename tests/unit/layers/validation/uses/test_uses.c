/* Descriptions of what calls use, and the rules of functions: nothing that the registry has is
 * forgotten in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layers/validation/objects/data.h"
#include "layers/validation/objects/rules.h"
#include "layers/validation/uses/uses.h"

/* The parts are linked without the layer that they are in. */
const struct geo_layer_part *const geo_layer_parts[] = {NULL};

static bool is_place(const struct geo_ddi_param *param)
{
    return param->kind == GEO_DDI_HANDLE || param->kind == GEO_DDI_CALLBACK || param->depth > 0;
}

static void every_parameter_has_a_role(void **state)
{
    (void)state;
    size_t appends = 0, missing = 0;
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[i]);
        if (!geo_val_uses_appends(id))
            continue;
        appends++;
        for (size_t k = 0; k < geo_ddi_functions[i].param_count; k++) {
            if (!is_place(&params[k]) || geo_val_uses_role(id, k) != GEO_VAL_ROLE_NONE)
                continue;
            print_error("%s: %s has no role\n", geo_ddi_functions[i].name, params[k].name);
            missing++;
        }
    }
    assert_true(appends > 35);
    assert_int_equal(missing, 0);
}

/* A size that a row names is a parameter of the right kind. */
static void size_check(const struct geo_val_row *row, const struct geo_ddi_param *params)
{
    switch ((enum geo_val_extent)row->extent) {
    case GEO_VAL_EXTENT_PARAM:
        assert_int_equal(params[row->size].kind, GEO_DDI_VALUE);
        assert_int_equal(params[row->size].size, sizeof(size_t));
        assert_int_equal(params[row->size].depth, 0);
        break;
    case GEO_VAL_EXTENT_ARRAY:
    case GEO_VAL_EXTENT_TIMESTAMPS:
        assert_int_equal(params[row->size].size, sizeof(uint32_t));
        break;
    case GEO_VAL_EXTENT_REGION:
        assert_string_equal(params[row->size].type, "const ze_copy_region_t *");
        assert_int_equal(params[row->size + 2].size, sizeof(uint32_t));
        break;
    case GEO_VAL_EXTENT_PIXELS:
    case GEO_VAL_EXTENT_PACKED:
    case GEO_VAL_EXTENT_PITCHED:
        assert_string_equal(params[row->size].type, "const ze_image_region_t *");
        if (row->extent == GEO_VAL_EXTENT_PITCHED)
            assert_non_null(strstr(params[row->size + 1].name, "RowPitch"));
        break;
    default:
        break;
    }
}

static void rows_fit_their_functions(void **state)
{
    (void)state;
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        size_t count;
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        const struct geo_val_row *row = geo_val_uses_rows((enum geo_ddi_function_id)i, &count);
        for (size_t k = 0; k < count; k++) { /* those of a function stand together */
            const struct geo_ddi_param *params = geo_ddi_function_params(function);
            assert_int_equal(row[k].function, i);
            assert_true(row[k].param < function->param_count);
            assert_true(k == 0 || row[k].param > row[k - 1].param);
            assert_true(row[k].size < function->param_count ||
                        row[k].extent == GEO_VAL_EXTENT_BYTES);
            if (row[k].role == GEO_VAL_ROLE_IMAGE)
                assert_true(
                    geo_val_data_kind_is(GEO_VAL_IMAGE, (unsigned)params[row[k].param].index));
            if (row[k].role == GEO_VAL_ROLE_MEMORY)
                assert_int_equal(params[row[k].param].depth, 1);
            if (row[k].role == GEO_VAL_ROLE_MEMORY || row[k].role == GEO_VAL_ROLE_IMAGE)
                size_check(&row[k], params);
        }
    }
}

/* Objects whose books the model keeps. */
static bool is_kept(const struct geo_ddi_param *param)
{
    static const enum geo_val_kind kinds[] = {
        GEO_VAL_LIST,  GEO_VAL_QUEUE, GEO_VAL_FENCE,   GEO_VAL_KERNEL, GEO_VAL_POOL,
        GEO_VAL_EVENT, GEO_VAL_IMAGE, GEO_VAL_SAMPLER, GEO_VAL_GRAPH,  GEO_VAL_EXECUTABLE,
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (param->kind == GEO_DDI_HANDLE && geo_val_data_kind_is(kinds[i], (unsigned)param->index))
            return true;
    }
    return false;
}

/* A function that makes, ends or changes such an object has a rule, if only that nothing is to be
 * done. */
static void every_function_has_a_rule(void **state)
{
    (void)state;
    size_t missing = 0;
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[i]);
        bool touches = false;
        for (size_t k = 0; k < geo_ddi_functions[i].param_count; k++)
            touches |=
                is_kept(&params[k]) && (params[k].release || params[k].create || params[k].alone);
        if (!touches || geo_val_rules[i].of[0])
            continue;
        print_error("%s has no rule\n", geo_ddi_functions[i].name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

/* A handle may come again from a call that nothing follows: the data of its last object is not that
 * of the new one. */
static void data_is_of_one_life(void **state)
{
    (void)state;
    const void *handle = (const void *)(uintptr_t)0x5000;
    const struct geo_val_birth birth = {.function = GEO_DDI_FN_zeEventCreate};
    struct geo_val_object *object =
        geo_val_object_take(geo_val_data_kind_type(GEO_VAL_EVENT), handle);
    uint64_t life;
    geo_val_object_begin(object, &birth);
    assert_null(geo_val_data_of(GEO_VAL_EVENT, handle));
    void *data = geo_val_data_begin(GEO_VAL_EVENT, handle, sizeof(struct geo_val_data));
    assert_non_null(data);
    assert_ptr_equal(geo_val_data_of(GEO_VAL_EVENT, handle), data);
    assert_null(geo_val_data_of(GEO_VAL_POOL, handle));
    assert_true(geo_val_object_ending(object, GEO_DDI_FN_zeEventDestroy, &life));
    geo_val_object_ended(object, life, true);
    geo_val_object_begin(object, &birth);
    assert_null(geo_val_data_of(GEO_VAL_EVENT, handle));
    assert_ptr_equal(geo_val_data_begin(GEO_VAL_EVENT, handle, sizeof(struct geo_val_data)), data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_has_a_role),
        cmocka_unit_test(rows_fit_their_functions),
        cmocka_unit_test(every_function_has_a_rule),
        cmocka_unit_test(data_is_of_one_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
