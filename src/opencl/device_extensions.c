/* The extensions and the features of OpenCL C that a device has. */
#include "opencl/device_extensions.h"

#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When an extension or a feature is there. */
enum need {
    ALWAYS,
    NEEDS_FP64,
    NEEDS_FP16,
    NEEDS_INT64_ATOMICS,
    NEEDS_FLOAT_ADD,
    NEEDS_IMAGES,
    NEEDS_SUBGROUPS,
    NEEDS_DP4A,
};

struct extension {
    const char *name;
    cl_version version;
    enum need need;
};

#define VERSION_1_0  CL_MAKE_VERSION(1, 0, 0)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct extension extensions[] = {
    {"cl_khr_byte_addressable_store", VERSION_1_0, ALWAYS},
    {"cl_khr_global_int32_base_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_global_int32_extended_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_local_int32_base_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_local_int32_extended_atomics", VERSION_1_0, ALWAYS},
    {"cl_khr_int64_base_atomics", VERSION_1_0, NEEDS_INT64_ATOMICS},
    {"cl_khr_int64_extended_atomics", VERSION_1_0, NEEDS_INT64_ATOMICS},
    {"cl_ext_float_atomics", VERSION_1_0, NEEDS_FLOAT_ADD},
    {"cl_khr_fp64", VERSION_1_0, NEEDS_FP64},
    {"cl_khr_fp16", VERSION_1_0, NEEDS_FP16},
    {"cl_khr_3d_image_writes", VERSION_1_0, NEEDS_IMAGES},
    {"cl_khr_icd", VERSION_1_0, ALWAYS},
    {"cl_khr_device_uuid", VERSION_1_0, ALWAYS},
    {"cl_khr_il_program", VERSION_1_0, ALWAYS},
    {"cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 8), ALWAYS},
    {"cl_khr_create_command_queue", VERSION_1_0, ALWAYS},
    {"cl_khr_priority_hints", VERSION_1_0, ALWAYS},
    {"cl_khr_throttle_hints", VERSION_1_0, ALWAYS},
    {"cl_khr_extended_versioning", VERSION_1_0, ALWAYS},
    {"cl_khr_extended_bit_ops", VERSION_1_0, ALWAYS},
    {"cl_khr_integer_dot_product", CL_MAKE_VERSION(2, 0, 0), NEEDS_DP4A},
    {"cl_khr_suggested_local_work_size", VERSION_1_0, ALWAYS},
    {"cl_khr_spirv_linkonce_odr", VERSION_1_0, ALWAYS},
    {"cl_khr_spirv_no_integer_wrap_decoration", VERSION_1_0, ALWAYS},
    {"cl_khr_subgroups", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_ballot", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_clustered_reduce", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_extended_types", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_non_uniform_arithmetic", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_non_uniform_vote", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_rotate", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_shuffle", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_khr_subgroup_shuffle_relative", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_device_attribute_query", VERSION_1_0, ALWAYS},
    {"cl_intel_required_subgroup_size", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_spirv_subgroups", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroups", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroups_char", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroups_short", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroups_long", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_subgroup_local_block_io", VERSION_1_0, NEEDS_SUBGROUPS},
    {"cl_intel_unified_shared_memory", VERSION_1_0, ALWAYS},
};

static const struct extension features[] = {
    {"__opencl_c_atomic_order_acq_rel", 0, ALWAYS},
    {"__opencl_c_atomic_order_seq_cst", 0, ALWAYS},
    {"__opencl_c_atomic_scope_device", 0, ALWAYS},
    {"__opencl_c_atomic_scope_all_devices", 0, ALWAYS},
    {"__opencl_c_generic_address_space", 0, ALWAYS},
    {"__opencl_c_int64", 0, ALWAYS},
    {"__opencl_c_subgroups", 0, NEEDS_SUBGROUPS},
    {"__opencl_c_work_group_collective_functions", 0, ALWAYS},
    {"__opencl_c_fp64", 0, NEEDS_FP64},
    {"__opencl_c_images", 0, NEEDS_IMAGES},
    {"__opencl_c_3d_image_writes", 0, NEEDS_IMAGES},
    {"__opencl_c_read_write_images", 0, NEEDS_IMAGES},
};

static const struct extension extension_features[] = {
    {"__opencl_c_integer_dot_product_input_4x8bit", 0, NEEDS_DP4A},
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", 0, NEEDS_DP4A},
    {"__opencl_c_ext_fp32_global_atomic_add", 0, NEEDS_FLOAT_ADD},
    {"__opencl_c_ext_fp32_local_atomic_add", 0, NEEDS_FLOAT_ADD},
    {"__opencl_c_ext_fp64_global_atomic_add", 0, NEEDS_FLOAT_ADD},
    {"__opencl_c_ext_fp64_local_atomic_add", 0, NEEDS_FLOAT_ADD},
};

static bool has(const struct _cl_device_id *device, enum need need)
{
    switch (need) {
    case NEEDS_FP64:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP64;
    case NEEDS_FP16:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_FP16;
    case NEEDS_INT64_ATOMICS:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    case NEEDS_FLOAT_ADD:
        return device->has_float_add;
    case NEEDS_IMAGES:
        return device->has_images;
    case NEEDS_SUBGROUPS:
        return device->compute.numSubGroupSizes != 0;
    case NEEDS_DP4A:
        return device->module.flags & ZE_DEVICE_MODULE_FLAG_DP4A;
    default:
        return true;
    }
}

bool geo_ocl_device_extensions_driver_has(ze_driver_handle_t driver, const char *name)
{
    ze_driver_extension_properties_t *list = NULL;
    uint32_t count = 0;
    bool found = false;
    if (zeDriverGetExtensionProperties(driver, &count, NULL) == ZE_RESULT_SUCCESS && count) {
        list = calloc(count, sizeof(*list));
    }
    if (list && zeDriverGetExtensionProperties(driver, &count, list) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count && !found; i++) {
            found = strcmp(list[i].name, name) == 0;
        }
    }
    free(list);
    return found;
}

/* Finds whether atomics add floats and doubles. */
static void float_atomics_read(cl_device_id device, ze_driver_handle_t driver)
{
    const ze_device_fp_atomic_ext_flags_t add =
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD;
    ze_float_atomic_ext_properties_t atomics = {.stype =
                                                    ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                            .pNext = &atomics};
    device->has_float_add =
        geo_ocl_device_extensions_driver_has(driver, ZE_FLOAT_ATOMICS_EXT_NAME) &&
        zeDeviceGetModuleProperties(device->handle, &module) == ZE_RESULT_SUCCESS &&
        (atomics.fp32Flags & add) == add && (atomics.fp64Flags & add) == add;
}

/* Appends the rows that the device has. A version of 0 means OpenCL 3.0. */
static void rows_append(const struct _cl_device_id *device, const struct extension *rows,
                        size_t row_count, cl_name_version *list, size_t *count)
{
    for (size_t i = 0; i < row_count && list; i++) {
        if (has(device, rows[i].need)) {
            cl_name_version *row = &list[(*count)++];
            row->version = rows[i].version ? rows[i].version : CL_MAKE_VERSION(3, 0, 0);
            snprintf(row->name, sizeof(row->name), "%s", rows[i].name);
        }
    }
}

bool geo_ocl_device_extensions_list(cl_device_id device, ze_driver_handle_t driver)
{
    struct geo_strbuf text;
    float_atomics_read(device, driver);
    device->features =
        calloc(COUNT(features) + COUNT(extension_features), sizeof(*device->features));
    rows_append(device, features, COUNT(features), device->features, &device->feature_count);
    device->first_extension_feature = device->feature_count;
    rows_append(device, extension_features, COUNT(extension_features), device->features,
                &device->feature_count);
    device->extension_versions = calloc(COUNT(extensions), sizeof(*device->extension_versions));
    rows_append(device, extensions, COUNT(extensions), device->extension_versions,
                &device->extension_count);
    geo_strbuf_init(&text, 0);
    for (size_t i = 0; i < device->extension_count; i++) {
        geo_strbuf_printf(&text, "%s%s", text.length ? " " : "",
                          device->extension_versions[i].name);
    }
    device->extensions = geo_strbuf_take(&text, &(size_t){0});
    return device->extensions && device->extension_versions && device->features;
}
