/* Tests of a platform with a chosen name and IP version, and of what its devices answer to queries
 * of cl_intel_device_attribute_query and to partition. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#define NAME       "Geoid for Intel software"
#define IP_VERSION 0x01020304u

static void platforms_have_the_chosen_name(void **state)
{
    struct cl *cl = *state;
    char text[64];
    assert_cl(CL_SUCCESS,
              clGetPlatformInfo(cl->platform, CL_PLATFORM_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, NAME);
}

static cl_uint number(struct cl *cl, cl_device_info name)
{
    cl_uint value = UINT32_MAX;
    size_t bytes = 0;
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, name, sizeof(value), &value, &bytes));
    assert_int_equal(bytes, sizeof(value));
    return value;
}

static void attributes_are_those_of_level_zero(void **state)
{
    struct cl *cl = *state;
    char text[4096];
    cl_device_feature_capabilities_intel features = 0;
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
    assert_non_null(strstr(text, "cl_intel_device_attribute_query"));
    assert_int_equal(number(cl, CL_DEVICE_IP_VERSION_INTEL), IP_VERSION);
    /* the same processors, counted in two ways */
    cl_uint units = number(cl, CL_DEVICE_NUM_SLICES_INTEL) *
                    number(cl, CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL) *
                    number(cl, CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL);
    assert_int_equal(units, number(cl, CL_DEVICE_MAX_COMPUTE_UNITS));
    assert_in_range(number(cl, CL_DEVICE_NUM_THREADS_PER_EU_INTEL), 1, 1024);
    (void)number(cl, CL_DEVICE_ID_INTEL);
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL,
                                          sizeof(features), &features, NULL));
    assert_int_equal(features, CL_DEVICE_FEATURE_FLAG_DP4A_INTEL);
    assert_cl(CL_INVALID_VALUE,
              clGetDeviceInfo(cl->device, CL_DEVICE_IP_VERSION_INTEL, 1, text, NULL));
    assert_cl(CL_INVALID_VALUE,
              clGetDeviceInfo(cl->device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL + 1, sizeof(text),
                              text, NULL));
}

static cl_int partition(struct cl *cl, cl_device_partition_property kind,
                        cl_device_partition_property value, cl_device_partition_property end)
{
    const cl_device_partition_property properties[] = {kind, value, end, 0};
    cl_uint count = 0;
    return clCreateSubDevices(cl->device, properties, 0, NULL, &count);
}

static void devices_cannot_be_divided_further(void **state)
{
    struct cl *cl = *state;
    const cl_device_partition_property domain = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    assert_cl(CL_DEVICE_PARTITION_FAILED,
              partition(cl, domain, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0));
    assert_cl(CL_DEVICE_PARTITION_FAILED, partition(cl, CL_DEVICE_PARTITION_EQUALLY, 1, 0));
    assert_cl(CL_DEVICE_PARTITION_FAILED, partition(cl, CL_DEVICE_PARTITION_BY_COUNTS, 1, 0));
    assert_cl(CL_INVALID_VALUE, partition(cl, domain, 0, 0));
    assert_cl(CL_INVALID_VALUE, partition(cl, domain, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 5));
    assert_cl(CL_INVALID_VALUE, partition(cl, CL_DEVICE_PARTITION_EQUALLY, 0, 0));
    assert_cl(CL_INVALID_VALUE, partition(cl, 7, 1, 0));
    assert_cl(CL_INVALID_VALUE, clCreateSubDevices(cl->device, NULL, 0, NULL, NULL));
    assert_cl(CL_INVALID_DEVICE, clCreateSubDevices(NULL, NULL, 0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(platforms_have_the_chosen_name),
        CL_CASE(attributes_are_those_of_level_zero),
        CL_CASE(devices_cannot_be_divided_further),
    };
    setenv("GEOID_OPENCL_PLATFORM", NAME, 1);
    setenv("GEOID_DEVICE_IP_VERSION", "0x01020304", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
