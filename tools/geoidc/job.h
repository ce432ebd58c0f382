/* One compilation, from an input file to outputs. Both command lines make a job. */
#ifndef GEOIDC_JOB_H
#define GEOIDC_JOB_H

#include "file.h"

#include <jansson.h>

/* The form of the output. */
enum job_emit {
    JOB_NATIVE,
    JOB_SPIRV,
    JOB_PTX,
    JOB_ASM,
    JOB_IR,
    JOB_LLVM,         /* as the back end gets it */
    JOB_LLVM_LOWERED, /* as it was lowered, before LLVM's passes */
    JOB_NOTHING,      /* a report only */
};

/* A specialisation constant of the command line: "ID=VALUE". */
struct job_constant {
    uint32_t id;
    const char *value; /* points into the command line */
};

/* Kinds of inputs. */
enum job_input {
    JOB_BY_CONTENT, /* SPIR-V and native binaries are recognised, *.cl is OpenCL C */
    JOB_IS_OPENCL,
    JOB_IS_SPIRV,
    JOB_IS_NATIVE,
};

struct job {
    const char *input;
    enum job_input kind;
    enum job_emit emit;
    const char *target; /* level of a CPU or a GPU; NULL: this machine's */
    uint32_t width;     /* 0: chosen */
    bool debug;
    const char *pass; /* JOB_IR: the only pass to print; NULL: all */
    char *options;    /* build options; owned */
    struct {
        const char **items; /* arguments of clang */
        size_t count;
    } clang_arguments;
    const char *clang;
    struct {
        struct job_constant *items;
        size_t count;
    } constants;
    bool report; /* collect a report */

    /* Results. */
    struct file spirv;  /* the module; empty if the input is a native binary */
    struct file output; /* what `emit` says */
    json_t *document;   /* the report */
    char *log;          /* the build log; NULL or empty: none */
};

/* Runs a job: reads the input and makes the output, in memory. Errors are reported. */
enum geoidc_exit job_run(struct job *job);
void job_finish(struct job *job);

/* Appends a word to the job's build options, or to the arguments of clang. They return false when
 * memory runs out. */
bool job_option_add(struct job *job, const char *option);
bool job_clang_add(struct job *job, const char *argument);
/* Divides a text like the one of -options into words, and gives each to clang, to the compiler, or
 * to both. */
bool job_options_read(struct job *job, const char *text);

#endif
