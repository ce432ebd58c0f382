/* One compilation. See job.h. */
#include "job.h"

#include "clang.h"
#include "library.h"
#include "report.h"
#include "spirv.h"

#include "native/native.h"
#include "native/specialize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static bool text_append(char **text, const char *word)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", *text ? *text : "", *text && **text ? " " : "", word) < 0) {
        return false;
    }
    free(*text);
    *text = joined;
    return true;
}

bool job_option_add(struct job *job, const char *option)
{
    return text_append(&job->options, option);
}

bool job_clang_add(struct job *job, const char *argument)
{
    size_t count = job->clang_arguments.count;
    const char **items = realloc(job->clang_arguments.items, (count + 1) * sizeof(*items));
    if (!items) {
        return false;
    }
    job->clang_arguments.items = items;
    items[count] = strdup(argument);
    job->clang_arguments.count += items[count] != NULL;
    return items[count] != NULL;
}

/* Returns the next word of a text, without its quotes; malloc. NULL: the text has ended. */
static char *word_next(const char **text)
{
    const char *at = *text + strspn(*text, " \t\n");
    char *word = *at ? malloc(strlen(at) + 1) : NULL;
    size_t length = 0;
    char quote = 0;
    for (; word && *at && (quote || !strchr(" \t\n", *at)); at++) {
        if (*at == '\\' && at[1]) {
            word[length++] = *++at;
        } else if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
        } else {
            word[length++] = *at;
        }
    }
    if (word) {
        word[length] = '\0';
    }
    *text = at;
    return word;
}

/* Gives one word, and its value if it has one, to clang or to the compiler. */
static bool option_sort(struct job *job, const char *word, const char **rest)
{
    bool more = false;
    if (!geo_clang_takes(word, &more)) {
        job->debug |= strcmp(word, "-g") == 0;
        return job_option_add(job, word);
    }
    bool good = job_clang_add(job, word);
    if (!more) {
        bool both = strncmp(word, "-cl-", 4) == 0;
        return good && (!both || job_option_add(job, word));
    }
    char *value = word_next(rest);
    good = good && value && job_clang_add(job, value);
    free(value);
    return good;
}

bool job_options_read(struct job *job, const char *text)
{
    bool good = true;
    for (char *word = word_next(&text); word && good; word = word_next(&text)) {
        good = option_sort(job, word, &text);
        free(word);
    }
    return good;
}

static bool optimizes(const struct job *job)
{
    const char *options = job->options ? job->options : "";
    return !strstr(options, "-ze-opt-disable") && !strstr(options, "-cl-opt-disable");
}

/* ---- input ---- */

static bool is_native(const struct file *file)
{
    return file->count >= 4 && memcmp(file->bytes, "\177ELF", 4) == 0;
}

static bool is_bitcode(const struct file *file)
{
    return file->count >= 4 && memcmp(file->bytes, "BC\xC0\xDE", 4) == 0;
}

/* Explains why a file is not usable. */
static enum geoidc_exit refuse(const struct job *job, const struct file *file)
{
    if (is_bitcode(file)) {
        geoidc_error("%s is bitcode of LLVM; llvm-spirv converts it to SPIR-V", job->input);
    } else if (file->count == 0) {
        geoidc_error("%s is empty", job->input);
    } else if (job->kind == JOB_IS_NATIVE || job->kind == JOB_IS_SPIRV) {
        geoidc_error("%s is not %s", job->input,
                     job->kind == JOB_IS_NATIVE ? "a native binary" : "SPIR-V");
    } else {
        geoidc_error("%s is neither SPIR-V nor a native binary; OpenCL C has the extension .cl, or "
                     "is named by -x cl",
                     job->input);
    }
    return GEOIDC_FAILED;
}

static enum geoidc_exit opencl_compile(struct job *job)
{
    const struct geo_clang_source source = {
        .path = job->input,
        .clang = job->clang,
        .debug = job->debug,
        .optimize = optimizes(job),
        .arguments = job->clang_arguments.items,
        .argument_count = job->clang_arguments.count,
    };
    return clang_compile(&source, &job->spirv);
}

/* Reads the input, and compiles OpenCL C. A native binary becomes the output. */
static enum geoidc_exit input_read(struct job *job)
{
    struct file file;
    bool opencl = job->kind == JOB_IS_OPENCL ||
                  (job->kind == JOB_BY_CONTENT && file_has_extension(job->input, ".cl"));
    bool standard = strcmp(job->input, "-") == 0;
    if (opencl && standard) {
        return opencl_compile(job);
    }
    if (!file_read(job->input, &file)) {
        return GEOIDC_FILE;
    }
    if (opencl && !spirv_is(file.bytes, file.count)) {
        file_finish(&file);
        return opencl_compile(job);
    }
    if (job->kind != JOB_IS_NATIVE && spirv_is(file.bytes, file.count)) {
        job->spirv = file;
        return GEOIDC_OK;
    }
    if ((job->kind == JOB_BY_CONTENT || job->kind == JOB_IS_NATIVE) && is_native(&file)) {
        job->output = file;
        return GEOIDC_OK;
    }
    enum geoidc_exit status = refuse(job, &file);
    file_finish(&file);
    return status;
}

/* ---- specialisation constants ---- */

static const struct spirv_constant *constant_find(const struct spirv_constant *list, size_t count,
                                                  uint32_t id)
{
    size_t i = 0;
    while (i < count && list[i].id != id) {
        i++;
    }
    return i < count ? &list[i] : NULL;
}

/* Writes the constants into the module. */
static enum geoidc_exit constants_apply(struct job *job)
{
    size_t given = job->constants.count;
    uint64_t *values = calloc(given + 1, sizeof(*values));
    struct geo_spirv_constant *constants = calloc(given + 1, sizeof(*constants));
    struct spirv_constant *known = NULL;
    size_t count = spirv_constants(job->spirv.bytes, job->spirv.count, &known);
    enum geoidc_exit status = values && constants ? GEOIDC_OK : GEOIDC_MEMORY;
    for (size_t i = 0; i < given && status == GEOIDC_OK; i++) {
        const struct job_constant *one = &job->constants.items[i];
        const struct spirv_constant *type = constant_find(known, count, one->id);
        const char *wrong = type ? spirv_value(type, one->value, &values[i])
                                 : "names a constant that the module lacks";
        if (wrong) {
            geoidc_error("--spec %u=%s %s (%s has %zu specialisation constants)", one->id,
                         one->value, wrong, job->input, count);
            status = GEOIDC_USAGE;
        }
        constants[i] = (struct geo_spirv_constant){one->id, &values[i]};
    }
    if (status == GEOIDC_OK && given &&
        !geo_spirv_specialize(job->spirv.bytes, job->spirv.count, constants, (uint32_t)given)) {
        status = GEOIDC_MEMORY;
    }
    free(known);
    free(constants);
    free(values);
    return status;
}

/* ---- build ---- */

static uint32_t forms_of(const struct job *job)
{
    uint32_t forms = job->report ? GEO_COMPILER_REPORT : 0;
    switch (job->emit) {
    case JOB_PTX:
        return forms | GEO_COMPILER_PTX;
    case JOB_IR:
        return forms | GEO_COMPILER_MODELS;
    case JOB_LLVM:
    case JOB_LLVM_LOWERED:
        return forms | GEO_COMPILER_LLVM;
    default:
        return forms;
    }
}

/* Sets the output to a copy of bytes. */
static enum geoidc_exit output_set(struct job *job, const void *bytes, size_t count)
{
    file_finish(&job->output);
    job->output.bytes = malloc(count + 1);
    if (!job->output.bytes) {
        return GEOIDC_MEMORY;
    }
    memcpy(job->output.bytes, bytes, count);
    job->output.bytes[count] = 0;
    job->output.count = count;
    return GEOIDC_OK;
}

/* Joins the models after the passes. A single pass is shown with the whole model, even if it
 * changed nothing. */
static enum geoidc_exit models_join(struct job *job, const struct geo_compiler_output *built)
{
    char *text = NULL;
    size_t size = 0;
    const char *latest = "";
    uint32_t number = 0, printed = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        return GEOIDC_MEMORY;
    }
    for (uint32_t i = 0; i < built->text_count; i++) {
        const struct geo_compiler_text *model = &built->texts[i];
        number += model->form == GEO_COMPILER_MODELS;
        if (model->form == GEO_COMPILER_MODELS && model->length) {
            latest = model->text;
        }
        if (model->form != GEO_COMPILER_MODELS ||
            (job->pass && strcmp(job->pass, model->name) != 0)) {
            continue;
        }
        printed++;
        fprintf(stream, "; ---- pass %u: %s%s\n%s", number, model->name,
                model->length ? "" : ": no change", job->pass ? latest : model->text);
    }
    enum geoidc_exit status = GEOIDC_OK;
    if (fclose(stream) != 0) {
        status = GEOIDC_MEMORY;
    } else if (job->pass && !printed) {
        geoidc_error("--pass '%s': no pass of this name has run; --emit ir alone shows their names",
                     job->pass);
        status = GEOIDC_USAGE;
    } else {
        status = output_set(job, text, size);
    }
    free(text);
    return status;
}

/* Finds a text of a form, or with `name` the one of that name. */
static const struct geo_compiler_text *text_find(const struct geo_compiler_output *built,
                                                 uint32_t form, const char *name)
{
    for (uint32_t i = 0; i < built->text_count; i++) {
        const struct geo_compiler_text *text = &built->texts[i];
        if (text->form == form && (!name || strcmp(text->name, name) == 0)) {
            return text;
        }
    }
    return NULL;
}

static enum geoidc_exit text_take(struct job *job, const struct geo_compiler_output *built,
                                  uint32_t form, const char *name)
{
    const struct geo_compiler_text *text = text_find(built, form, name);
    if (!text) {
        geoidc_error("%s has no code: it has to be linked with other modules", job->input);
        return GEOIDC_FAILED;
    }
    return output_set(job, text->text, text->length);
}

static enum geoidc_exit disassemble(struct job *job, const struct geo_compiler_ops *ops,
                                    const void *binary, size_t bytes)
{
    struct geo_compiler_output output;
    ze_result_t result = ops->disassemble(binary, bytes, &output);
    enum geoidc_exit status = GEOIDC_FAILED;
    if (result != ZE_RESULT_SUCCESS || !output.text_count) {
        geoidc_error("%s: %s", job->input,
                     output.log && *output.log ? output.log : "no memory is left");
    } else {
        status = output_set(job, output.texts[0].text, output.texts[0].length);
    }
    ops->release(&output);
    return status;
}

static enum geoidc_exit output_make(struct job *job, const struct geo_compiler_ops *ops,
                                    const struct geo_compiler_output *built)
{
    switch (job->emit) {
    case JOB_NATIVE:
        return output_set(job, built->binary, built->binary_bytes);
    case JOB_PTX:
        return text_take(job, built, GEO_COMPILER_PTX, NULL);
    case JOB_LLVM:
        return text_take(job, built, GEO_COMPILER_LLVM, "optimised");
    case JOB_LLVM_LOWERED:
        return text_take(job, built, GEO_COMPILER_LLVM, "lowered");
    case JOB_IR:
        return models_join(job, built);
    case JOB_ASM:
        return disassemble(job, ops, built->binary, built->binary_bytes);
    default:
        return GEOIDC_OK;
    }
}

static enum geoidc_exit report_make(struct job *job, const struct geo_compiler_ops *ops,
                                    const struct geo_compiler_output *built)
{
    const struct geo_compiler_text *remarks = text_find(built, GEO_COMPILER_REPORT, NULL);
    job->document = remarks ? report_create(job->input, ops->identity, remarks->text, built->binary,
                                            built->binary_bytes)
                            : NULL;
    if (!job->document) {
        geoidc_error("no memory for the report");
    }
    return job->document ? GEOIDC_OK : GEOIDC_MEMORY;
}

static enum geoidc_exit module_build(struct job *job, const struct geo_compiler_ops *ops)
{
    const struct geo_compiler_source source = {
        .spirv = job->spirv.bytes,
        .bytes = job->spirv.count,
        .options = job->options,
    };
    const struct geo_compiler_request request = {
        .source_count = 1,
        .sources = &source,
        .kernels = GEO_COMPILER_KERNELS_ALL,
        .instrumented = true, /* who passes -zet-profile-flags wants a profile */
        .target_cpu = job->target,
        .lanes = job->width,
        .forms = forms_of(job),
    };
    struct geo_compiler_output built;
    ze_result_t result = ops->build(&request, &built);
    enum geoidc_exit status = GEOIDC_FAILED;
    job->log = built.log && *built.log ? strdup(built.log) : NULL;
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        geoidc_error("no memory is left");
        status = GEOIDC_MEMORY;
    } else if (result == ZE_RESULT_SUCCESS) {
        status = output_make(job, ops, &built);
    }
    if (status == GEOIDC_OK && job->report) {
        status = report_make(job, ops, &built);
    }
    ops->release(&built);
    return status;
}

enum geoidc_exit job_run(struct job *job)
{
    enum geoidc_exit status = input_read(job);
    if (status != GEOIDC_OK) {
        return status;
    }
    bool native = job->spirv.bytes == NULL;
    if (native && job->emit != JOB_ASM) {
        geoidc_error("%s is a native binary already: only --emit asm takes it", job->input);
        return GEOIDC_USAGE;
    }
    status = native ? GEOIDC_OK : constants_apply(job);
    if (status == GEOIDC_OK && job->emit == JOB_SPIRV) {
        status = output_set(job, job->spirv.bytes, job->spirv.count);
    }
    if (status != GEOIDC_OK || (job->emit == JOB_SPIRV && !job->report)) {
        return status;
    }
    const struct geo_compiler_ops *ops = library_open();
    if (!ops) {
        return GEOIDC_MISSING;
    }
    if (!native) {
        return module_build(job, ops);
    }
    struct file binary = job->output;
    job->output = (struct file){0};
    status = disassemble(job, ops, binary.bytes, binary.count);
    file_finish(&binary);
    return status;
}

void job_finish(struct job *job)
{
    for (size_t i = 0; i < job->clang_arguments.count; i++) {
        free((void *)(uintptr_t)job->clang_arguments.items[i]);
    }
    free(job->clang_arguments.items);
    free(job->constants.items);
    free(job->options);
    free(job->log);
    file_finish(&job->spirv);
    file_finish(&job->output);
    json_decref(job->document);
    *job = (struct job){0};
}
