/* What pocl 3.1 (Debian 12) is not asked, because it computes it wrongly.
 *
 * Each entry was found by a program on which pocl differs from the interpreter, was reduced, and is
 * right on Geoid and on another vendor's OpenCL device for CPUs, so that neither the interpreter
 * nor our OpenCL C is at fault:
 *
 *   barriers under a condition   work-groups with one item along x: where a uniform condition is
 *                                false, some item's part behind it is run twice or not at all
 *                                (seeds 160, 412)
 *   arguments written to         a structure by value that the kernel changes is one for all items
 *                                (seeds 200000038, 200000148; not tried on the other device)
 *   optimisation                 GEN_OPENCL_POCL_OPTIONS: with it, wrong results (seeds 145, 288)
 *                                and a crash in programs without barriers, of which one is right
 *                                again when only its loop over the items is not vectorised
 *                                (POCL_WORK_GROUP_METHOD=loops)
 *
 * `generator_opencl --everything` asks all the same. */
#ifndef GEOID_TESTS_GENERATOR_OPENCL_AVOID_H
#define GEOID_TESTS_GENERATOR_OPENCL_AVOID_H

#include "program.h"

#define GEN_OPENCL_POCL_OPTIONS "-cl-opt-disable"

/* Whether the program has something in it that pocl gets wrong. */
bool gen_opencl_avoided(const struct gen_program *program);

#endif
