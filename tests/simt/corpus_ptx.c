/* Emits PTX of every module of the corpus, from one producer of SPIR-V, and feeds it to ptxas, the
 * assembler of the CUDA toolkit. Where ptxas is not installed, the test ends behind the emission
 * and counts as skipped. Each module is emitted in a process of its own, as LLVM ends the process
 * where it cannot select an instruction. The text is searched for stores that ptxas is known to
 * take wrongly. Beside the PTX is a text with a line for each kernel, from
 * which corpus_gpu launches it:
 *
 *     name local_bytes argument_bytes count offset ...
 *
 * Usage: corpus_ptx SPIRV_FOLDER PTX_FOLDER PTXAS LEVEL [FILE] (PTXAS "-": none) */
#include "corpus_module.h"
#include "data.h"
#include "isolate.h"

#include "compiler/codegen/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILES = 128, SKIPPED = 77 };

static const char *const producers[] = {"O2", "L15", "DPC"};

/* One run of this program. */
struct session {
    const char *spirv, *ptx, *ptxas, *level;
    const struct corpus_file *files[MAX_FILES];
    size_t count;
};

static bool spirv_path(const struct session *session, const struct corpus_file *file, char *path,
                       size_t bytes)
{
    for (size_t i = 0; i < CORPUS_COUNT(producers); i++) {
        snprintf(path, bytes, "%s/%s.%s.spv", session->spirv, file->file, producers[i]);
        if (access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

static bool file_write(const char *path, const char *ptx, char *text)
{
    FILE *stream = fopen(path, "w");
    bool good = stream && fputs(ptx, stream) >= 0;
    if (stream) {
        good &= fclose(stream) == 0;
    }
    if (!good) {
        isolate_explain(text, "cannot write %s", path);
    }
    return good;
}

/* Runs ptxas. Its messages go to a file, whose first line is the reason of a failure. */
static bool assemble(const struct session *session, const char *path, char *text)
{
    char arch[32], log[2100], line[300] = "";
    snprintf(arch, sizeof(arch), "-arch=%s", session->level);
    snprintf(log, sizeof(log), "%s.log", path);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(log, "w", stderr) || !freopen(log, "a", stdout)) {
            _exit(126);
        }
        execl(session->ptxas, session->ptxas, arch, path, "-o", "/dev/null", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0) {
        return true;
    }
    FILE *stream = fopen(log, "r");
    if (stream && !fgets(line, sizeof(line), stream)) {
        line[0] = '\0';
    }
    if (stream) {
        fclose(stream);
    }
    isolate_explain(text, "ptxas refuses %s (status %d): %s", path, status, line);
    return false;
}

/* Returns whether an instruction of PTX makes a float: its first type is one of a float. */
static bool makes_float(const char *opcode)
{
    static const char *const types[] = {".f16", ".bf16", ".f32", ".f64"};
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.')) {
        for (size_t i = 0; i < CORPUS_COUNT(types); i++) {
            if (strncmp(at, types[i], strlen(types[i])) == 0) {
                return true;
            }
        }
        if (strchr("sub", at[1]) && at[2] >= '0' && at[2] <= '9') {
            return false;
        }
    }
    return false;
}

/* Checks that no register that a float instruction wrote is stored in parts, because ptxas would
 * convert the float (codegen/ptx/bytes.c). */
static bool floats_are_stored_whole(const char *ptx, char *text)
{
    enum { FILES = 3, REGISTERS = 1 << 16 };
    static const char *const names[FILES] = {"%rs", "%r", "%rd"};
    static bool floats[FILES][REGISTERS];
    char opcode[64], target[64], source[64];
    for (const char *line = ptx; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "{", 1) == 0) { /* registers are numbered for each function */
            memset(floats, 0, sizeof(floats));
        }
        int count = sscanf(line, " %63[a-z0-9._:] %63[^,;], %63[^,; ]", opcode, target, source);
        bool is_store = count == 3 && strncmp(opcode, "st.", 3) == 0;
        char *reg = is_store ? source : target;
        unsigned number = 0;
        for (size_t i = 0; count >= 2 && i < FILES; i++) {
            size_t length = strlen(names[i]);
            bool fits = strncmp(reg, names[i], length) == 0 &&
                        sscanf(reg + length, "%u", &number) == 1 && number < REGISTERS;
            if (fits && is_store && floats[i][number] && strstr(opcode, ".b8")) {
                isolate_explain(text, "%s stores a byte of the float %s", opcode, reg);
                return false;
            }
            if (fits && !is_store) {
                floats[i][number] = strncmp(opcode, "setp", 4) != 0 && makes_float(opcode);
            }
        }
    }
    return true;
}

/* Writes what a host has to know of the kernels. */
static bool kernels_write(const char *path, const struct geo_facade_lowered *lowered, char *text)
{
    FILE *stream = fopen(path, "w");
    for (uint32_t i = 0; stream && i < lowered->result.kernel_count; i++) {
        const struct geo_lower_kernel *kernel = &lowered->result.kernels[i];
        fprintf(stream, "%s %llu %u %u", kernel->symbol, (unsigned long long)kernel->local_bytes,
                kernel->argument_bytes, kernel->function->parameter_count);
        for (uint32_t k = 0; k < kernel->function->parameter_count; k++) {
            fprintf(stream, " %u", kernel->argument_offsets[k]);
        }
        fprintf(stream, "\n");
    }
    if (!stream || fclose(stream) != 0) {
        isolate_explain(text, "cannot write %s", path);
        return false;
    }
    return true;
}

static bool module_emit(const struct session *session, const struct corpus_file *file,
                        struct geo_facade_lowered *lowered, char *text)
{
    char path[2048], kernels[2048], *ptx = NULL;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    bool good = geo_codegen_ptx_emit(lowered->result.module, session->level, true, &ptx, &log) ==
                ZE_RESULT_SUCCESS;
    if (!good) {
        isolate_explain(text, "%s", geo_strbuf_text(&log));
    }
    snprintf(path, sizeof(path), "%s/%s.%s.ptx", session->ptx, file->file, session->level);
    snprintf(kernels, sizeof(kernels), "%s/%s.txt", session->ptx, file->file);
    good = good && floats_are_stored_whole(ptx, text) && file_write(path, ptx, text) &&
           kernels_write(kernels, lowered, text) &&
           (strcmp(session->ptxas, "-") == 0 || assemble(session, path, text));
    geo_strbuf_finish(&log);
    free(ptx);
    return good;
}

static bool step(void *context, size_t index, char *text, bool *skipped)
{
    const struct session *session = context;
    const struct corpus_file *file = session->files[index];
    struct geo_facade_lowered lowered;
    char path[2048];
    (void)skipped;
    if (!spirv_path(session, file, path, sizeof(path))) {
        isolate_explain(text, "there is no SPIR-V of %s", file->file);
        return false;
    }
    if (!corpus_module_lower(path, file->options, NULL, &lowered, text, ISOLATE_TEXT)) {
        return false;
    }
    bool good = module_emit(session, file, &lowered, text);
    geo_facade_build_lowered_finish(&lowered);
    return good;
}

static bool nothing(void *context, char *text)
{
    (void)context, (void)text;
    return true;
}

/* Lists the files of all topics, each once. */
static void files_list(struct session *session, const char *only)
{
    for (size_t t = 0; t < corpus_topic_count; t++) {
        for (size_t i = 0; i < corpus_topics[t]->count && session->count < MAX_FILES; i++) {
            const struct corpus_file *file = &corpus_topics[t]->files[i];
            bool seen = only && strcmp(only, file->file) != 0;
            for (size_t k = 0; k < session->count && !seen; k++) {
                seen = strcmp(session->files[k]->file, file->file) == 0;
            }
            if (!seen) {
                session->files[session->count++] = file;
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: corpus_ptx SPIRV_FOLDER PTX_FOLDER PTXAS LEVEL [FILE]\n");
        return 2;
    }
    struct session session = {.spirv = argv[1], .ptx = argv[2], .ptxas = argv[3], .level = argv[4]};
    bool assembles = strcmp(session.ptxas, "-") != 0;
    size_t wrong = 0;
    files_list(&session, argc > 5 ? argv[5] : NULL);
    struct isolate_result *results = isolate_results_create(session.count);
    const struct isolate_ops ops = {nothing, step, nothing, 120};
    isolate_run(&ops, &session, results, session.count);
    for (size_t i = 0; i < session.count; i++) {
        if (results[i].state != ISOLATE_PASSED) {
            wrong++;
            fprintf(stderr, "FAILED %s: %s\n", session.files[i]->file, results[i].text);
        }
    }
    printf("%zu modules for %s, %zu refused%s\n", session.count, session.level, wrong,
           assembles ? "" : " by LLVM; ptxas: skipped, it is not installed");
    isolate_results_destroy(results, session.count);
    return wrong || !session.count ? 1 : assembles ? 0 : SKIPPED;
}
