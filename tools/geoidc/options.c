/* Reads the command line of geoidc. See options.h. */
#include "options.h"

#include "clang.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GEOID_VERSION
#define GEOID_VERSION "unknown"
#endif

static const char usage[] =
    "usage: geoidc [--emit FORM] [--target TARGET] [OPTION...] INPUT [-o OUTPUT]\n"
    "       geoidc --report[=json] [OPTION...] INPUT\n";

static const char help[] =
    "Compiles a kernel module: SPIR-V, or OpenCL C (*.cl) by a clang in PATH.\n"
    "\n"
    "  --emit FORM        native (binary for zeModuleCreate, default), spirv, ptx\n"
    "                     (for NVIDIA's GPUs), asm (disassembly, also of a binary),\n"
    "                     ir (the model after each pass), llvm, or llvm-lowered\n"
    "                     (before LLVM's passes)\n"
    "  --target TARGET    x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni,\n"
    "                     x86-64-v4-fp16, aarch64 or native (this machine, default);\n"
    "                     sm_80 or sm_90 with --emit native and ptx\n"
    "  --width N          work-items per vector: 1, 2, 4, 8, 16 or 32; 0: chosen\n"
    "  --spec ID=VALUE    value of a specialisation constant; may be repeated\n"
    "  --options TEXT     build options, as zeModuleCreate takes them\n"
    "  -ze-... -cl-...    one build option\n"
    "  -g                 keeps source lines and variables\n"
    "  --pass NAME        with --emit ir: only after the passes of this name\n"
    "  --report[=FORMAT]  reports what was decided about each kernel, and why: text\n"
    "                     (default) or json. Without --emit or -o it is all there is\n"
    "  --report-file FILE file of the report instead of standard output\n"
    "  -o, --output FILE  output; - is standard output. By default it is named after\n"
    "                     the input, in the working folder\n"
    "  -x cl, -x spirv    kind of the input, whatever its name is\n"
    "  -D -U -I -include -cl-std= -W...\n"
    "                     for clang, if the input is OpenCL C\n"
    "  --clang PROGRAM    clang to use\n"
    "  -q, --quiet        prints no build log if the build succeeds\n"
    "  -V, --version      prints the version\n"
    "  -h, --help         prints this help\n"
    "\n"
    "An input named - is standard input. Called as ocloc, it takes the options of\n"
    "that program.\n"
    "\n"
    "Exit status: 0, 1 if the input does not compile, 2 for wrong usage, 3 if a file\n"
    "cannot be read or written. It is 4 if a program or library is missing, and 5 if\n"
    "memory runs out. A failed run leaves no output, and an older output unchanged.\n";

/* The arguments while they are read. */
struct reader {
    struct options *options;
    int argc, at;
    char **argv;
    bool emits; /* --emit was given */
    int status;
};

static bool ends(struct reader *reader, int status)
{
    reader->status = status;
    return false;
}

/* Reports wrong usage. */
static bool wrong(struct reader *reader, const char *option, const char *value, const char *rule)
{
    geoidc_error("%s%s%s%s: %s", option, value ? " '" : "", value ? value : "", value ? "'" : "",
                 rule);
    fputs(usage, stderr);
    return ends(reader, GEOIDC_USAGE);
}

/* ---- values of options ---- */

static bool emit_read(struct reader *reader, const char *value)
{
    static const struct {
        const char *name;
        enum job_emit emit;
    } forms[] = {
        {"native", JOB_NATIVE},
        {"spirv", JOB_SPIRV},
        {"ptx", JOB_PTX},
        {"asm", JOB_ASM},
        {"ir", JOB_IR},
        {"llvm", JOB_LLVM},
        {"llvm-lowered", JOB_LLVM_LOWERED},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(forms[i].name, value) == 0) {
            reader->options->job.emit = forms[i].emit;
            reader->emits = true;
            return true;
        }
    }
    return wrong(reader, "--emit", value,
                 "is not one of native, spirv, ptx, asm, ir, llvm, llvm-lowered");
}

static bool target_read(struct reader *reader, const char *value)
{
    reader->options->job.target = strcmp(value, "native") == 0 ? NULL : value;
    return true;
}

static bool width_read(struct reader *reader, const char *value)
{
    char *end;
    unsigned long width = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || width > 32 || (width & (width - 1))) {
        return wrong(reader, "--width", value, "is not 0, 1, 2, 4, 8, 16 or 32");
    }
    reader->options->job.width = (uint32_t)width;
    return true;
}

static bool spec_read(struct reader *reader, const char *value)
{
    struct job *job = &reader->options->job;
    char *end;
    errno = 0;
    unsigned long id = strtoul(value, &end, 0);
    if (*value < '0' || *value > '9' || *end != '=' || errno || id > UINT32_MAX) {
        return wrong(reader, "--spec", value, "is not of the form ID=VALUE");
    }
    struct job_constant *items =
        realloc(job->constants.items, (job->constants.count + 1) * sizeof(*items));
    if (!items) {
        return ends(reader, GEOIDC_MEMORY);
    }
    job->constants.items = items;
    items[job->constants.count++] = (struct job_constant){(uint32_t)id, end + 1};
    return true;
}

static bool options_text_read(struct reader *reader, const char *value)
{
    return job_options_read(&reader->options->job, value) || ends(reader, GEOIDC_MEMORY);
}

static bool pass_read(struct reader *reader, const char *value)
{
    reader->options->job.pass = value;
    return true;
}

static bool report_file_read(struct reader *reader, const char *value)
{
    reader->options->report_file = value;
    return true;
}

static bool output_read(struct reader *reader, const char *value)
{
    if (!*value) {
        return wrong(reader, "-o", value, "is not the name of a file");
    }
    reader->options->output = value;
    return true;
}

static bool kind_read(struct reader *reader, const char *value)
{
    bool opencl = strcmp(value, "cl") == 0;
    if (!opencl && strcmp(value, "spirv") != 0) {
        return wrong(reader, "-x", value, "is neither cl nor spirv");
    }
    reader->options->job.kind = opencl ? JOB_IS_OPENCL : JOB_IS_SPIRV;
    return true;
}

static bool clang_read(struct reader *reader, const char *value)
{
    reader->options->job.clang = value;
    return true;
}

/* ---- options ---- */

/* Options with a value: "--name VALUE", "--name=VALUE" or "-o VALUE". */
static const struct {
    const char *name, *other;
    bool (*read)(struct reader *reader, const char *value);
} valued[] = {
    {"--emit", NULL, emit_read},
    {"--target", NULL, target_read},
    {"--width", NULL, width_read},
    {"--spec", NULL, spec_read},
    {"--options", NULL, options_text_read},
    {"--pass", NULL, pass_read},
    {"--report-file", NULL, report_file_read},
    {"--output", "-o", output_read},
    {"-x", NULL, kind_read},
    {"--clang", NULL, clang_read},
};

/* Reads an option with a value. Sets *known to false if the argument is another one. */
static bool valued_read(struct reader *reader, const char *argument, bool *known)
{
    for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++) {
        size_t length = strlen(valued[i].name);
        if (strncmp(argument, valued[i].name, length) == 0 && argument[length] == '=' &&
            argument[1] == '-') {
            return valued[i].read(reader, argument + length + 1);
        }
        if (strcmp(argument, valued[i].name) != 0 &&
            (!valued[i].other || strcmp(argument, valued[i].other) != 0)) {
            continue;
        }
        if (reader->at == reader->argc) {
            return wrong(reader, argument, NULL, "its value is missing");
        }
        return valued[i].read(reader, reader->argv[reader->at++]);
    }
    *known = false;
    return true;
}

static bool report_read(struct reader *reader, const char *argument)
{
    const char *format = argument[8] == '=' ? argument + 9 : "text";
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        return wrong(reader, "--report", format, "is neither text nor json");
    }
    reader->options->report = strcmp(format, "json") == 0 ? REPORT_JSON : REPORT_TEXT;
    return true;
}

/* Reads a word for clang, and its value. */
static bool clang_word_read(struct reader *reader, const char *argument, bool more)
{
    struct job *job = &reader->options->job;
    bool both = strncmp(argument, "-cl-", 4) == 0;
    if (more && reader->at == reader->argc) {
        return wrong(reader, argument, NULL, "its value is missing");
    }
    bool good = job_clang_add(job, argument) && (!both || job_option_add(job, argument)) &&
                (!more || job_clang_add(job, reader->argv[reader->at++]));
    return good || ends(reader, GEOIDC_MEMORY);
}

/* Reads an option without a value, or one for clang or the compiler. */
static bool word_read(struct reader *reader, const char *argument)
{
    struct options *options = reader->options;
    bool more;
    if (strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0) {
        printf("%s\n%s", usage, help);
        return ends(reader, GEOIDC_OK);
    }
    if (strcmp(argument, "-V") == 0 || strcmp(argument, "--version") == 0) {
        printf("geoidc (Geoid) %s\n", GEOID_VERSION);
        return ends(reader, GEOIDC_OK);
    }
    if (strcmp(argument, "-q") == 0 || strcmp(argument, "--quiet") == 0) {
        options->quiet = true;
        return true;
    }
    if (strcmp(argument, "-g") == 0) {
        options->job.debug = true;
        return job_option_add(&options->job, "-g") || ends(reader, GEOIDC_MEMORY);
    }
    if (strcmp(argument, "--report") == 0 || strncmp(argument, "--report=", 9) == 0) {
        return report_read(reader, argument);
    }
    if (geo_clang_takes(argument, &more)) {
        return clang_word_read(reader, argument, more);
    }
    if (strncmp(argument, "-ze-", 4) == 0 || strncmp(argument, "-cl-", 4) == 0) {
        return job_option_add(&options->job, argument) || ends(reader, GEOIDC_MEMORY);
    }
    return wrong(reader, argument, NULL, "is not an option");
}

static bool argument_read(struct reader *reader)
{
    const char *argument = reader->argv[reader->at++];
    bool known = true;
    if (argument[0] != '-' || argument[1] == '\0') {
        if (reader->options->job.input) {
            return wrong(reader, argument, NULL, "is a second input, and only one is compiled");
        }
        reader->options->job.input = argument;
        return true;
    }
    return valued_read(reader, argument, &known) && (known || word_read(reader, argument));
}

/* ---- rules between options ---- */

static bool is_gpu(const char *target)
{
    return target && strncmp(target, "sm_", 3) == 0;
}

/* Two outputs cannot both be standard output. */
static bool outputs_clash(const struct options *options)
{
    return options->report && options->job.emit != JOB_NOTHING && options->output &&
           strcmp(options->output, "-") == 0 &&
           (!options->report_file || strcmp(options->report_file, "-") == 0);
}

static bool combination_check(struct reader *reader)
{
    struct options *options = reader->options;
    struct job *job = &options->job;
    if (!job->input) {
        return wrong(reader, "INPUT", NULL, "is missing");
    }
    if (options->report && !reader->emits && !options->output) {
        job->emit = JOB_NOTHING;
    }
    job->report = options->report != REPORT_NONE;
    bool gpu = job->emit == JOB_PTX || is_gpu(job->target);
    if (gpu && job->emit != JOB_PTX && job->emit != JOB_NATIVE) {
        return wrong(reader, "--target", job->target, "is a GPU, which needs --emit ptx or native");
    }
    if (job->emit == JOB_PTX && job->target && !is_gpu(job->target)) {
        return wrong(reader, "--target", job->target,
                     "is not a GPU: --emit ptx takes sm_80, sm_90");
    }
    if (gpu && (job->report || job->width)) {
        return wrong(reader, job->report ? "--report" : "--width", NULL,
                     "is for CPUs, not for GPUs");
    }
    if (job->pass && job->emit != JOB_IR) {
        return wrong(reader, "--pass", job->pass, "needs --emit ir");
    }
    if (options->report_file && !options->report) {
        return wrong(reader, "--report-file", options->report_file, "needs --report");
    }
    return !outputs_clash(options) ||
           wrong(reader, "-o", "-", "the report is on standard output too: see --report-file");
}

bool options_read(struct options *options, int argc, char **argv, int *status)
{
    struct reader reader = {.options = options, .argc = argc, .at = 1, .argv = argv};
    bool good = true;
    *options = (struct options){.job = {.emit = JOB_NATIVE}};
    while (good && reader.at < argc) {
        good = argument_read(&reader);
    }
    good = good && combination_check(&reader);
    *status = reader.status;
    return good;
}
