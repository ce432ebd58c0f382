/* Runs corpus launches through OpenCL (pocl on the CPU) for reference results. */
#ifndef GEOID_TESTS_CORPUS_DEVICE_OPENCL_H
#define GEOID_TESTS_CORPUS_DEVICE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "corpus.h"

struct corpus_cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* All of them return false with the reason in `text`. */
bool corpus_cl_open(struct corpus_cl *cl, char *text, size_t text_bytes);
bool corpus_cl_build(struct corpus_cl *cl, const char *path, const char *options,
                     cl_program *program, char *text, size_t text_bytes);
bool corpus_cl_run(struct corpus_cl *cl, cl_program program, struct corpus_run *run, char *text,
                   size_t text_bytes);
void corpus_cl_close(struct corpus_cl *cl);

#endif
