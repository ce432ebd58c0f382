/* What instructions mean, in plain C: the references of the harness's cases. */
#ifndef GEO_TESTS_LOWER_REFERENCE_H
#define GEO_TESTS_LOWER_REFERENCE_H

#include "harness.h"

/* By opcode (SpvOp) or OpenCL.std number. */
uint64_t reference_integer(const struct harness_case *test, const uint64_t *v);
/* SPV_INTEL_shader_integer_functions2. */
uint64_t reference_function2(const struct harness_case *test, const uint64_t *v);
uint64_t reference_ext_integer(const struct harness_case *test, const uint64_t *v);
uint64_t reference_compare(const struct harness_case *test, const uint64_t *v);
uint64_t reference_convert(const struct harness_case *test, const uint64_t *v);
uint64_t reference_float(const struct harness_case *test, const uint64_t *v);
uint64_t reference_ext_float(const struct harness_case *test, const uint64_t *v);

enum reference_rounding { REFERENCE_RTE, REFERENCE_RTZ, REFERENCE_RTP, REFERENCE_RTN };

/* Floats of 16, 32 and 64 bits to their exact value; the nearest float in a mode. */
long double reference_decode(uint32_t width, uint64_t bits);
uint64_t reference_encode(uint32_t width, long double value, enum reference_rounding mode);

#endif
