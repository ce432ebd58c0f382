/* geoidc: compiles kernels offline. Under the name ocloc it understands the command line of that
 * program. See geoidc.h. */
#include "ocloc.h"
#include "options.h"
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program_name = "geoidc";

void geoidc_set_name(const char *name)
{
    program_name = name;
}

const char *geoidc_name(void)
{
    return program_name;
}

void geoidc_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static const char *extension_of(enum job_emit emit)
{
    static const char *const extensions[] = {
        [JOB_NATIVE] = ".bin",
        [JOB_SPIRV] = ".spv",
        [JOB_PTX] = ".ptx",
        [JOB_ASM] = ".s",
        [JOB_IR] = ".model",
        [JOB_LLVM] = ".ll",
        [JOB_LLVM_LOWERED] = ".lowered.ll",
    };
    return extensions[emit];
}

/* Writes the output. Without a name it is in the working folder, and named after the input. */
static enum geoidc_exit output_write(const struct options *options)
{
    const struct job *job = &options->job;
    char *made = NULL;
    if (!options->output && strcmp(job->input, "-") != 0) {
        char *trunk = file_trunk(job->input);
        if (!trunk || asprintf(&made, "%s%s", trunk, extension_of(job->emit)) < 0) {
            free(trunk);
            return GEOIDC_MEMORY;
        }
        free(trunk);
    }
    const char *path = options->output ? options->output : made ? made : "-";
    bool good = file_write(path, job->output.bytes, job->output.count);
    free(made);
    return good ? GEOIDC_OK : GEOIDC_FILE;
}

static enum geoidc_exit report_write(const struct options *options)
{
    const struct job *job = &options->job;
    char *text =
        options->report == REPORT_JSON ? report_json(job->document) : report_text(job->document);
    if (!text) {
        return GEOIDC_MEMORY;
    }
    bool good = file_write(options->report_file ? options->report_file : "-", text, strlen(text));
    free(text);
    return good ? GEOIDC_OK : GEOIDC_FILE;
}

static enum geoidc_exit geoidc_run(struct options *options)
{
    struct job *job = &options->job;
    enum geoidc_exit status = job_run(job);
    if (job->log && (status != GEOIDC_OK || !options->quiet)) {
        fputs(job->log, stderr);
    }
    if (status == GEOIDC_OK && job->emit != JOB_NOTHING) {
        status = output_write(options);
    }
    if (status == GEOIDC_OK && options->report) {
        status = report_write(options);
    }
    if (status == GEOIDC_MEMORY) {
        geoidc_error("memory ran out");
    }
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = 0;
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    if (argc && strcmp(slash ? slash + 1 : argv[0], "ocloc") == 0) {
        return ocloc_main(argc, argv);
    }
    if (options_read(&options, argc, argv, &status)) {
        status = geoidc_run(&options);
    }
    job_finish(&options.job);
    return status;
}
