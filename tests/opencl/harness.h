/* Helpers of the tests of the OpenCL driver: a context with one device, a queue, and programs. */
#ifndef TESTS_OPENCL_HARNESS_H
#define TESTS_OPENCL_HARNESS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_cl(expected, call) assert_int_equal(expected, call)

struct cl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling */
};

/* Setup and teardown of a case: *state becomes a struct cl. */
int cl_setup(void **state);
int cl_teardown(void **state);

#define CL_CASE(name) cmocka_unit_test_setup_teardown(name, cl_setup, cl_teardown)

/* Builds a source. The test fails, with the build log, if that fails. */
cl_program cl_program_build(struct cl *cl, const char *source, const char *options);
/* Returns a buffer of zeroed ints. */
cl_mem cl_ints(struct cl *cl, size_t count);
/* Reads an int of a buffer, with a blocking command. */
int cl_int_read(struct cl *cl, cl_mem buffer, size_t index);
/* A kernel of a program, whose first argument is a buffer. */
cl_kernel cl_kernel_of(cl_program program, const char *name, cl_mem buffer);

#endif
