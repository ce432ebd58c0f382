/* Writes the reference results of a topic: runs its kernels through OpenCL and keeps the outputs,
 * and checks them against the cases' own C references where there are some. Results that are newer
 * than the kernels and this program are kept. Usage: corpus_reference TOPIC KERNEL_FOLDER
 * RESULT_FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data.h"
#include "device_opencl.h"
#include "isolate.h"

struct reference {
    const char *kernels;
    const char *results;
    const struct corpus_file *file;
    struct corpus_cl cl;
    cl_program program;
};

static bool begin(void *context, char *text)
{
    struct reference *reference = context;
    char path[4096], options[4200];
    snprintf(path, sizeof(path), "%s/%s.cl", reference->kernels, reference->file->file);
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -I%s", reference->kernels);
    return corpus_cl_open(&reference->cl, text, ISOLATE_TEXT) &&
           corpus_cl_build(&reference->cl, path, options, &reference->program, text, ISOLATE_TEXT);
}

static bool end(void *context, char *text)
{
    struct reference *reference = context;
    (void)text;
    clReleaseProgram(reference->program);
    corpus_cl_close(&reference->cl);
    return true;
}

static bool check_expected(const struct corpus_run *got, char *text)
{
    struct corpus_run expected;
    corpus_run_init(&expected, got->test, got->shape);
    got->test->expect(&expected);
    bool good = corpus_outputs_equal(got, &expected, false, text, ISOLATE_TEXT);
    corpus_run_finish(&expected);
    return good;
}

static bool run_shape(struct reference *reference, const struct corpus_case *test, size_t shape,
                      char *text)
{
    struct corpus_run run;
    char path[4096], temporary[4200];
    corpus_path(path, sizeof(path), reference->results, reference->file->file, test->kernel, shape,
                ".bin");
    snprintf(temporary, sizeof(temporary), "%s.new", path);
    corpus_run_init(&run, test, &test->shapes[shape]);
    bool good = corpus_cl_run(&reference->cl, reference->program, &run, text, ISOLATE_TEXT) &&
                (!test->expect || check_expected(&run, text));
    FILE *stream = good ? fopen(temporary, "wb") : NULL;
    if (good && (!stream || !corpus_outputs_write(&run, stream))) {
        isolate_explain(text, "cannot write %s", temporary);
        good = false;
    }
    if (stream) {
        good &= fclose(stream) == 0 && rename(temporary, path) == 0;
    }
    corpus_run_finish(&run);
    return good;
}

static bool step(void *context, size_t index, char *text, bool *skipped)
{
    struct reference *reference = context;
    const struct corpus_case *test = &reference->file->cases[index];
    if (test->maths || test->flags & CORPUS_NO_POCL) {
        *skipped = true;
        return true;
    }
    bool good = true;
    for (size_t i = 0; good && test->shapes[i].local[0]; i++) {
        good = run_shape(reference, test, i, text);
    }
    return good;
}

static bool is_newer(const char *path, const struct stat *than)
{
    struct stat mine;
    return stat(path, &mine) == 0 && (mine.st_mtim.tv_sec > than->st_mtim.tv_sec ||
                                      (mine.st_mtim.tv_sec == than->st_mtim.tv_sec &&
                                       mine.st_mtim.tv_nsec > than->st_mtim.tv_nsec));
}

/* Whether every result of the case is newer than the kernels' source and this program. */
static bool is_fresh(const struct reference *reference, const struct corpus_case *test)
{
    char source[4096], path[4096];
    struct stat source_stat, program_stat;
    snprintf(source, sizeof(source), "%s/%s.cl", reference->kernels, reference->file->file);
    if (stat(source, &source_stat) != 0 || stat("/proc/self/exe", &program_stat) != 0) {
        return false;
    }
    for (size_t i = 0; test->shapes[i].local[0]; i++) {
        corpus_path(path, sizeof(path), reference->results, reference->file->file, test->kernel, i,
                    ".bin");
        if (!is_newer(path, &source_stat) || !is_newer(path, &program_stat)) {
            return false;
        }
    }
    return true;
}

static size_t run_file(struct reference *reference)
{
    const struct isolate_ops ops = {begin, step, end, 120};
    const struct corpus_file *file = reference->file;
    struct isolate_result *results = isolate_results_create(file->count);
    size_t wrong = 0, fresh = 0;
    for (size_t i = 0; i < file->count; i++) {
        if (file->cases[i].maths || file->cases[i].flags & CORPUS_NO_POCL) {
            results[i].state = ISOLATE_SKIPPED;
        } else if (is_fresh(reference, &file->cases[i])) {
            results[i].state = ISOLATE_PASSED;
            fresh++;
        }
    }
    isolate_run(&ops, reference, results, file->count);
    for (size_t i = 0; i < file->count; i++) {
        if (results[i].state == ISOLATE_FAILED) {
            printf("FAILED %s.%s: %s\n", file->file, file->cases[i].kernel, results[i].text);
            wrong++;
        }
    }
    printf("%s: %zu kernels, %zu kept, %zu failed\n", file->file, file->count, fresh, wrong);
    isolate_results_destroy(results, file->count);
    return wrong;
}

int main(int argc, char **argv)
{
    const struct corpus_topic *topic = argc == 4 ? corpus_topic_find(argv[1]) : NULL;
    if (!topic) {
        fprintf(stderr, "usage: corpus_reference TOPIC KERNEL_FOLDER RESULT_FOLDER\n");
        return 2;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < topic->count; i++) {
        struct reference reference = {
            .kernels = argv[2], .results = argv[3], .file = &topic->files[i]};
        wrong += run_file(&reference);
    }
    return wrong ? 1 : 0;
}
