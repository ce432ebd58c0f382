/* A program as OpenCL C 3.0: for people, and for other implementations to run. */
#ifndef GEOID_TESTS_GENERATOR_OPENCL_C_H
#define GEOID_TESTS_GENERATOR_OPENCL_C_H

#include "program.h"

/* The text; free with free(). The kernel is called GEN_KERNEL_NAME (spirv.h). */
char *gen_emit_opencl(const struct gen_program *program);

#endif
