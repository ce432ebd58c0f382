/* The command line of ocloc. See ocloc.h. */
#include "ocloc.h"

#include "job.h"
#include "library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef GEOID_VERSION
#define GEOID_VERSION "unknown"
#endif

/* ocloc's error codes. A shell sees the low byte. */
enum ocloc_code {
    OCLOC_OK = 0,
    OCLOC_OUT_OF_MEMORY = -6,
    OCLOC_BUILD_FAILURE = -11,
    OCLOC_INVALID_DEVICE = -33,
    OCLOC_INVALID_COMMAND_LINE = -5150,
    OCLOC_INVALID_FILE = -5151,
};

static const char help[] =
    "ocloc of Geoid: compiles kernels for the CPUs that Geoid's driver runs them on.\n"
    "\n"
    "usage: ocloc [compile] -file FILE -device DEVICE [-output NAME] [-o FILE]\n"
    "             [-out_dir FOLDER] [-output_no_suffix] [-options TEXT]\n"
    "             [-internal_options TEXT] [-spv_only] [-spirv_input] [-64] [-q | -qq]\n"
    "\n"
    "       ocloc ids DEVICE\n"
    "       ocloc disasm -file FILE [-dump FOLDER]\n"
    "       ocloc query NEO_REVISION | OCL_DRIVER_VERSION\n"
    "\n"
    "-device names one of Intel's GPUs. It determines the names of the outputs; the\n"
    "code is for this machine's CPU, or for the level that GEOID_CPU names. Several\n"
    "devices, divided by commas, make an archive of binaries, NAME.ar.\n"
    "geoidc --help describes the same compiler with more options.\n";

/* Bound on the number of devices that -device may list. */
#define DEVICES_MAX 64u

/* The arguments of `compile`. */
struct compile {
    struct job job;
    const char *output, *exact, *folder, *device;
    const struct ocloc_device *known[DEVICES_MAX]; /* the devices */
    size_t known_count;                            /* 0: none is named */
    bool spirv_only, no_suffix, quiet;
    bool options_given;
};

/* An option and what it does. */
enum effect {
    EFFECT_NONE,    /* has no meaning for this compiler; its value is skipped */
    EFFECT_REFUSED, /* cannot be done */
    EFFECT_FILE,
    EFFECT_OUTPUT,
    EFFECT_EXACT,
    EFFECT_FOLDER,
    EFFECT_DEVICE,
    EFFECT_OPTIONS,
    EFFECT_INTERNAL,
    EFFECT_SPIRV_ONLY,
    EFFECT_SPIRV_INPUT,
    EFFECT_NO_SUFFIX,
    EFFECT_QUIET,
};

static const struct {
    const char *name;
    enum effect effect;
    int values;
} table[] = {
    {"-file", EFFECT_FILE, 1},
    {"-output", EFFECT_OUTPUT, 1},
    {"-o", EFFECT_EXACT, 1},
    {"-out_dir", EFFECT_FOLDER, 1},
    {"-device", EFFECT_DEVICE, 1},
    {"-options", EFFECT_OPTIONS, 1},
    {"-internal_options", EFFECT_INTERNAL, 1},
    {"-spv_only", EFFECT_SPIRV_ONLY, 0},
    {"-spirv_input", EFFECT_SPIRV_INPUT, 0},
    {"-output_no_suffix", EFFECT_NO_SUFFIX, 0},
    {"-q", EFFECT_QUIET, 0},
    {"-qq", EFFECT_QUIET, 0},
    {"-v", EFFECT_NONE, 0},
    {"-64", EFFECT_NONE, 0},
    {"-exclude_ir", EFFECT_NONE, 0},
    {"-allow_caching", EFFECT_NONE, 0},
    {"-cache_dir", EFFECT_NONE, 1},
    {"-revision_id", EFFECT_NONE, 1},
    {"-force_stos_opt", EFFECT_NONE, 0},
    {"-stateful_address_mode", EFFECT_NONE, 1},
    {"-heapless_mode", EFFECT_NONE, 1},
    {"-config", EFFECT_NONE, 1},
    {"--format", EFFECT_NONE, 1},
    {"-32", EFFECT_REFUSED, 0},
    {"-llvm_text", EFFECT_REFUSED, 0},
    {"-llvm_bc", EFFECT_REFUSED, 0},
    {"-llvm_input", EFFECT_REFUSED, 0},
    {"-cpp_file", EFFECT_REFUSED, 0},
    {"-gen_file", EFFECT_REFUSED, 0},
    {"-options_name", EFFECT_REFUSED, 0},
    {"-device_options", EFFECT_REFUSED, 2},
};

static int command_line_error(const char *text, const char *value)
{
    geoidc_error("Error: Invalid command line. %s%s", text, value);
    return OCLOC_INVALID_COMMAND_LINE;
}

/* ---- compile: arguments ---- */

static int option_apply(struct compile *compile, enum effect effect, const char *option,
                        const char *value)
{
    switch (effect) {
    case EFFECT_FILE:
        compile->job.input = value;
        break;
    case EFFECT_OUTPUT:
        compile->output = value;
        break;
    case EFFECT_EXACT:
        compile->exact = value;
        break;
    case EFFECT_FOLDER:
        compile->folder = value;
        break;
    case EFFECT_DEVICE:
        compile->device = value;
        break;
    case EFFECT_OPTIONS:
        compile->options_given = true;
        return job_options_read(&compile->job, value) ? OCLOC_OK : OCLOC_OUT_OF_MEMORY;
    case EFFECT_INTERNAL:
        return job_options_read(&compile->job, value) ? OCLOC_OK : OCLOC_OUT_OF_MEMORY;
    case EFFECT_SPIRV_ONLY:
        compile->spirv_only = true;
        break;
    case EFFECT_SPIRV_INPUT:
        compile->job.kind = JOB_IS_SPIRV;
        break;
    case EFFECT_NO_SUFFIX:
        compile->no_suffix = true;
        break;
    case EFFECT_QUIET:
        compile->quiet = true;
        break;
    case EFFECT_REFUSED:
        return command_line_error("Geoid's ocloc does not support ", option);
    case EFFECT_NONE:
        break;
    }
    return OCLOC_OK;
}

/* Reads the option at *at, and moves behind it. */
static int option_read(struct compile *compile, int argc, char **argv, int *at)
{
    const char *option = argv[*at];
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].name, option) == 0) {
            if (table[i].values > argc - *at - 1) {
                return command_line_error("The value is missing: ", option);
            }
            *at += table[i].values + 1;
            return option_apply(compile, table[i].effect, option, argv[*at - 1]);
        }
    }
    geoidc_error("Invalid option (arg %d): %s", *at, option);
    return OCLOC_INVALID_COMMAND_LINE;
}

/* Finds a device and adds it to the list. */
static int device_add(struct compile *compile, const char *name)
{
    const struct ocloc_device *known = ocloc_device_find(name);
    if (!known) {
        geoidc_error("Could not determine device target: %s.", name);
        geoidc_error("Error: Cannot get HW Info for device %s.", name);
        return OCLOC_INVALID_DEVICE;
    }
    if (compile->known_count == DEVICES_MAX) {
        return command_line_error("-device lists more than 64 devices: ", compile->device);
    }
    compile->known[compile->known_count++] = known;
    return OCLOC_OK;
}

/* Reads the list of devices. For SPIR-V, which is the same for all, the first one is enough. */
static int devices_read(struct compile *compile)
{
    const char *at = compile->device;
    if (!at) {
        return compile->spirv_only ? OCLOC_OK
                                   : command_line_error("Device name missing: -device", "");
    }
    if (!compile->spirv_only && strpbrk(at, ":*")) {
        return command_line_error("Geoid's ocloc takes no range of devices. List devices, divided "
                                  "by commas: ",
                                  at);
    }
    for (;; at++) {
        char name[128];
        size_t length = strcspn(at, ",:*");
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        int code = device_add(compile, name);
        at += length;
        if (code != OCLOC_OK || *at == '\0' || compile->spirv_only) {
            return code;
        }
    }
}

/* Reads options from a file beside the source, "NAME_options.txt", as ocloc does if the command
 * line has none. */
static int options_file_read(struct compile *compile, const char *ending)
{
    const char *dot = strrchr(compile->job.input, '.');
    char *path = NULL;
    int code = OCLOC_OK;
    struct file file = {0};
    if (!dot || asprintf(&path, "%.*s%s", (int)(dot - compile->job.input), compile->job.input,
                         ending) < 0) {
        return dot ? OCLOC_OUT_OF_MEMORY : OCLOC_OK;
    }
    if (access(path, F_OK) == 0) {
        code = file_read(path, &file) ? OCLOC_OK : OCLOC_INVALID_FILE;
    }
    char *text = (char *)file.bytes, *comment = text ? strstr(text, "*/") : NULL;
    if (text && code == OCLOC_OK &&
        !job_options_read(&compile->job, comment ? comment + 2 : text)) {
        code = OCLOC_OUT_OF_MEMORY;
    }
    file_finish(&file);
    free(path);
    return code;
}

static int compile_read(struct compile *compile, int argc, char **argv)
{
    int code = OCLOC_OK;
    for (int at = 1 + (argc > 1 && strcmp(argv[1], "compile") == 0);
         at < argc && code == OCLOC_OK;) {
        code = option_read(compile, argc, argv, &at);
    }
    if (code == OCLOC_OK && !compile->job.input) {
        code = command_line_error("Input file name missing: -file", "");
    }
    if (code == OCLOC_OK && access(compile->job.input, F_OK) != 0) {
        geoidc_error("Error: Input file %s missing.", compile->job.input);
        code = OCLOC_INVALID_FILE;
    }
    code = code == OCLOC_OK ? devices_read(compile) : code;
    if (code == OCLOC_OK && !compile->options_given) {
        code = options_file_read(compile, "_options.txt");
        code = code == OCLOC_OK ? options_file_read(compile, "_internal_options.txt") : code;
    }
    return code;
}

/* ---- compile: outputs ---- */

/* Makes a folder and those above it. */
static int folder_make(const char *path)
{
    char *copy = strdup(path);
    for (char *at = copy; at && *at;) {
        char *slash = strchr(at + 1, '/');
        if (slash) {
            *slash = '\0';
        }
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            geoidc_error("Error: Failed to create directory '%s': %s.", copy, strerror(errno));
            free(copy);
            return OCLOC_INVALID_FILE;
        }
        if (slash) {
            *slash = '/';
        }
        at = slash;
    }
    free(copy);
    return copy ? OCLOC_OK : OCLOC_OUT_OF_MEMORY;
}

static int output_save(const char *folder, const char *base, const char *extension,
                       const struct file *file)
{
    char *path = NULL;
    bool slash = folder && *folder && folder[strlen(folder) - 1] != '/';
    if (asprintf(&path, "%s%s%s%s", folder ? folder : "", slash ? "/" : "", base, extension) < 0) {
        return OCLOC_OUT_OF_MEMORY;
    }
    int code = file_write(path, file->bytes, file->count) ? OCLOC_OK : OCLOC_INVALID_FILE;
    free(path);
    return code;
}

/* Returns the extension of the binary. A name that ends with .out or .exe keeps it: DPC++ gives its
 * whole name. */
static const char *binary_extension(const struct compile *compile, const char *base)
{
    bool whole = compile->no_suffix && compile->output &&
                 (file_has_extension(base, ".out") || file_has_extension(base, ".exe"));
    return whole ? "" : ".bin";
}

/* Writes the SPIR-V that was made, and the binary of one device. */
static int device_outputs_write(const struct compile *compile)
{
    const struct job *job = &compile->job;
    char *trunk = file_trunk(job->input), *base = NULL;
    const char *stem = compile->output ? compile->output : trunk;
    const char *suffix = compile->known_count ? compile->known[0]->suffix : "";
    int code = trunk && asprintf(&base, "%s%s%s", stem, compile->no_suffix ? "" : "_",
                                 compile->no_suffix ? "" : suffix) >= 0
                   ? OCLOC_OK
                   : OCLOC_OUT_OF_MEMORY;
    if (code == OCLOC_OK && compile->exact) {
        code = output_save(compile->folder, compile->exact, "", &job->output);
    } else if (code == OCLOC_OK) {
        if (job->kind != JOB_IS_SPIRV) {
            code = output_save(compile->folder, base, ".spv", &job->spirv);
        }
        if (code == OCLOC_OK && !compile->spirv_only) {
            code =
                output_save(compile->folder, base, binary_extension(compile, base), &job->output);
        }
    }
    free(base);
    free(trunk);
    return code;
}

/* Writes an archive for several devices. Its name is the one of the command line, or that of the
 * input with the extension .ar. Like ocloc, it writes no SPIR-V then. */
static int archive_write(const struct compile *compile)
{
    const char *name = compile->exact ? compile->exact : compile->output;
    char *trunk = file_trunk(compile->job.input);
    struct file archive = {0};
    int code = OCLOC_OUT_OF_MEMORY;
    if (trunk &&
        ocloc_archive_make(compile->known, compile->known_count, &compile->job.output, &archive)) {
        code = output_save(compile->folder, name ? name : trunk, name ? "" : ".ar", &archive);
    }
    file_finish(&archive);
    free(trunk);
    return code;
}

static int outputs_write(const struct compile *compile)
{
    int code = compile->folder && *compile->folder ? folder_make(compile->folder) : OCLOC_OK;
    if (code != OCLOC_OK) {
        return code;
    }
    return compile->known_count > 1 ? archive_write(compile) : device_outputs_write(compile);
}

/* Tells of success, for each device if there are several. */
static void success_print(const struct compile *compile)
{
    for (size_t i = 0; i < compile->known_count && compile->known_count > 1; i++) {
        printf("Build succeeded for : %s.\n", compile->known[i]->acronym);
    }
    if (compile->known_count <= 1) {
        printf("Build succeeded.\n");
    }
}

static int code_of(enum geoidc_exit status)
{
    switch (status) {
    case GEOIDC_OK:
        return OCLOC_OK;
    case GEOIDC_FILE:
        return OCLOC_INVALID_FILE;
    case GEOIDC_MEMORY:
    case GEOIDC_MISSING: /* as ocloc, where its compiler's library is missing */
        return OCLOC_OUT_OF_MEMORY;
    case GEOIDC_USAGE:
        return OCLOC_INVALID_COMMAND_LINE;
    default:
        return OCLOC_BUILD_FAILURE;
    }
}

static int compile_run(int argc, char **argv)
{
    struct compile compile = {.job = {.kind = JOB_IS_OPENCL}};
    int code = compile_read(&compile, argc, argv);
    if (code == OCLOC_OK) {
        compile.job.emit = compile.spirv_only ? JOB_SPIRV : JOB_NATIVE;
        code = code_of(job_run(&compile.job));
        if (compile.job.log && (code != OCLOC_OK || !compile.quiet)) {
            fputs(compile.job.log, stdout);
        }
        code = code == OCLOC_OK ? outputs_write(&compile) : code;
        if (code != OCLOC_OK) {
            printf("Build failed with error code: %d\n", code);
        } else if (!compile.quiet) {
            success_print(&compile);
        }
    }
    job_finish(&compile.job);
    return code;
}

/* ---- other commands ---- */

static int ids_run(int argc, char **argv)
{
    if (argc != 3) {
        return command_line_error("Expected ocloc ids <acronym>.", "");
    }
    const struct ocloc_device *device = ocloc_device_find(argv[2]);
    if (!device) {
        return command_line_error("Unknown acronym ", argv[2]);
    }
    printf("Matched ids:\n%s\n", device->version);
    return OCLOC_OK;
}

/* Disassembles a native binary into FOLDER/text.asm. */
static int disasm_run(int argc, char **argv)
{
    const char *folder = "dump";
    struct job job = {.kind = JOB_IS_NATIVE, .emit = JOB_ASM};
    for (int at = 2; at < argc; at++) {
        bool more = at + 1 < argc;
        if (strcmp(argv[at], "-file") == 0 && more) {
            job.input = argv[++at];
        } else if (strcmp(argv[at], "-dump") == 0 && more) {
            folder = argv[++at];
        } else if (strcmp(argv[at], "-device") == 0 && more) {
            at++; /* the binary says what it is for */
        } else if (strcmp(argv[at], "-q") != 0) {
            return command_line_error("Unknown argument ", argv[at]);
        }
    }
    if (!job.input) {
        return command_line_error("Missing command : -file", "");
    }
    int code = code_of(job_run(&job));
    code = code == OCLOC_OK ? folder_make(folder) : code;
    code = code == OCLOC_OK ? output_save(folder, "text", ".asm", &job.output) : code;
    job_finish(&job);
    return code;
}

/* Writes the answer, with its terminating zero, to a file that is named like the question. */
static int query_run(int argc, char **argv)
{
    const char *name = argc == 3 ? argv[2] : NULL;
    const struct geo_compiler_ops *ops;
    char answer[512] = GEOID_VERSION;
    if (!name) {
        return command_line_error("Expected ocloc query <argument>", "");
    }
    if (strcmp(name, "NEO_REVISION") == 0) {
        ops = library_open();
        if (!ops) {
            return OCLOC_OUT_OF_MEMORY;
        }
        snprintf(answer, sizeof(answer), "%s", *ops->build_id ? ops->build_id : ops->identity);
    } else if (strcmp(name, "OCL_DRIVER_VERSION") != 0) {
        return command_line_error("Unknown argument ", name);
    }
    return file_write(name, answer, strlen(answer) + 1) ? OCLOC_OK : OCLOC_INVALID_FILE;
}

static int refused_run(int argc, char **argv)
{
    (void)argc;
    return command_line_error("Geoid's ocloc does not support the command ", argv[1]);
}

int ocloc_main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"ids", ids_run},          {"disasm", disasm_run},  {"query", query_run},
        {"link", refused_run},     {"asm", refused_run},    {"multi", refused_run},
        {"validate", refused_run}, {"concat", refused_run},
    };
    geoidc_set_name("ocloc");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || (i == 1 && strcmp(argv[i], "-h") == 0)) {
            fputs(help, stdout);
            return OCLOC_OK;
        }
    }
    if (argc < 2) {
        fputs(help, stdout);
        return OCLOC_OK;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc, argv);
        }
    }
    return compile_run(argc, argv);
}
