/* Records call stacks and prints their frames. See stack.h.
 *
 * Function, file and line come from elfutils' libdw, which is opened when the first stack is
 * printed. Without libdw the names come from the dynamic linker's tables. */
#include "layers/validation/report/stack.h"

#include "base/fork.h"
#include "base/option.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 32, BUCKETS = 1024 };

struct geo_val_stack {
    struct geo_val_stack *next; /* next in the bucket */
    int count;
    void *frames[FRAMES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the buckets and libdw */
static struct geo_val_stack *buckets[BUCKETS];

static void stacks_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void stacks_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static struct geo_fork_handler fork_handler = {.order = GEO_FORK_VALIDATION_STACKS,
                                               .prepare = stacks_lock,
                                               .parent = stacks_unlock,
                                               .child = stacks_unlock};
GEO_FORK_AT_LOAD(fork_handler)

static size_t stack_bucket(void *const *frames, int count)
{
    uintptr_t hash = 0;
    for (int i = 0; i < count; i++) {
        hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (size_t)(hash >> 54);
}

static struct geo_val_stack *stack_keep_locked(void *const *frames, int count)
{
    struct geo_val_stack **bucket = &buckets[stack_bucket(frames, count)];
    const size_t size = (size_t)count * sizeof(*frames);
    for (struct geo_val_stack *stack = *bucket; stack; stack = stack->next) {
        if (stack->count == count && memcmp(stack->frames, frames, size) == 0) {
            return stack;
        }
    }
    struct geo_val_stack *stack = malloc(sizeof(*stack));
    if (stack) {
        stack->count = count;
        memcpy(stack->frames, frames, size);
        stack->next = *bucket;
        *bucket = stack;
    }
    return stack;
}

static bool wanted;
static pthread_once_t wanted_once = PTHREAD_ONCE_INIT;

static void wanted_read(void)
{
    wanted = geo_option_flag("GEOID_VALIDATION_STACKS");
}

const struct geo_val_stack *geo_val_stack_take(void)
{
    void *frames[FRAMES];
    pthread_once(&wanted_once, wanted_read);
    if (!wanted) {
        return NULL;
    }
    const int count = backtrace(frames, FRAMES);
    pthread_mutex_lock(&lock);
    struct geo_val_stack *stack = stack_keep_locked(frames, count);
    pthread_mutex_unlock(&lock);
    return stack;
}

/* --- names --- */

/* The functions of elfutils/libdwfl.h that are used. Its objects are opaque. */
struct dwfl_callbacks {
    int (*find_elf)(void);
    int (*find_debuginfo)(void);
    int (*section_address)(void);
    char **debuginfo_path;
};

static struct {
    void *session; /* Dwfl; NULL: without libdw */
    void *(*module)(void *dwfl, uint64_t address);
    const char *(*function)(void *module, uint64_t address);
    void *(*line)(void *module, uint64_t address);
    const char *(*place)(void *line, uint64_t *address, int *number, int *column, uint64_t *time,
                         uint64_t *length);
    const char *(*folder)(void *line);
} dw;

static void *symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

static void dw_open(void)
{
    static struct dwfl_callbacks callbacks;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return;
    }
    void *(*begin)(const struct dwfl_callbacks *) = NULL;
    int (*report)(void *, pid_t) = NULL;
    int (*reported)(void *, void *, void *) = NULL;
    *(void **)&begin = symbol(library, "dwfl_begin");
    *(void **)&report = symbol(library, "dwfl_linux_proc_report");
    *(void **)&reported = symbol(library, "dwfl_report_end");
    *(void **)&callbacks.find_elf = symbol(library, "dwfl_linux_proc_find_elf");
    *(void **)&callbacks.find_debuginfo = symbol(library, "dwfl_standard_find_debuginfo");
    *(void **)&dw.module = symbol(library, "dwfl_addrmodule");
    *(void **)&dw.function = symbol(library, "dwfl_module_addrname");
    *(void **)&dw.line = symbol(library, "dwfl_module_getsrc");
    *(void **)&dw.place = symbol(library, "dwfl_lineinfo");
    *(void **)&dw.folder = symbol(library, "dwfl_line_comp_dir");
    if (!begin || !report || !reported || !callbacks.find_elf || !callbacks.find_debuginfo ||
        !dw.module || !dw.function || !dw.line || !dw.place || !dw.folder) {
        return;
    }
    void *session = begin(&callbacks);
    if (session && report(session, getpid()) == 0 && reported(session, NULL, NULL) == 0) {
        dw.session = session;
    }
}

/* Names and source line of a frame. */
struct frame {
    const char *function; /* NULL: unknown */
    const char *library;  /* file name without its folder */
    const char *file;     /* NULL: unknown */
    const char *folder;   /* that a relative `file` starts from; NULL: unknown */
    int line;
    size_t offset; /* in the library */
};

/* The caller holds the lock. */
static struct frame frame_find_locked(void *address)
{
    static bool opened;
    /* The call instruction, not the one after it. */
    const uint64_t at = (uint64_t)(uintptr_t)address - 1;
    struct frame frame = {0};
    Dl_info info = {0};
    if (!opened) {
        dw_open();
    }
    opened = true;
    dladdr(address, &info);
    const char *library = info.dli_fname ? info.dli_fname : "?";
    const char *slash = strrchr(library, '/');
    void *module = dw.session ? dw.module(dw.session, at) : NULL;
    void *line = module ? dw.line(module, at) : NULL;
    frame.library = slash ? slash + 1 : library;
    frame.function = module ? dw.function(module, at) : info.dli_sname;
    frame.file = line ? dw.place(line, NULL, &frame.line, NULL, NULL, NULL) : NULL;
    frame.folder = frame.file ? dw.folder(line) : NULL;
    frame.offset = (size_t)((char *)address - (char *)info.dli_fbase);
    return frame;
}

static void frame_text(void *address, char *text, size_t size)
{
    const struct frame frame = frame_find_locked(address);
    const char *function = frame.function ? frame.function : "?";
    if (frame.file) {
        snprintf(text, size, "%s at %s:%d (%s)", function, frame.file, frame.line, frame.library);
    } else {
        snprintf(text, size, "%s (%s+0x%zx)", function, frame.library, frame.offset);
    }
}

/* Returns the index of the first frame outside the layer's own library. */
static int first_of_caller(const struct geo_val_stack *stack)
{
    Dl_info own = {0}, frame = {0};
    int i = 0;
    if (!dladdr((void *)(uintptr_t)first_of_caller, &own)) {
        return 0;
    }
    while (i < stack->count && dladdr(stack->frames[i], &frame) &&
           frame.dli_fbase == own.dli_fbase) {
        i++;
    }
    return i == stack->count ? 0 : i;
}

void geo_val_stack_text(const struct geo_val_stack *stack, struct geo_strbuf *line)
{
    char text[512];
    const int first = first_of_caller(stack);
    pthread_mutex_lock(&lock);
    for (int i = first; i < stack->count; i++) {
        frame_text(stack->frames[i], text, sizeof(text));
        geo_strbuf_printf(line, "        #%d %s\n", i - first, text);
    }
    pthread_mutex_unlock(&lock);
}

void geo_val_stack_json(const struct geo_val_stack *stack, struct geo_strbuf *line)
{
    char text[512];
    const int first = first_of_caller(stack);
    geo_strbuf_printf(line, ",\"stack\":[");
    pthread_mutex_lock(&lock);
    for (int i = first; i < stack->count; i++) {
        frame_text(stack->frames[i], text, sizeof(text));
        geo_strbuf_printf(line, "%s\"%s\"", i > first ? "," : "", text);
    }
    pthread_mutex_unlock(&lock);
    geo_strbuf_printf(line, "]");
}

/* Writes the path of a frame's file: an absolute one if the folder is known. Returns false if it is
 * too long. */
static bool file_write(const struct frame *frame, char file[GEO_VAL_FILE_BYTES])
{
    const bool is_whole = frame->file[0] == '/' || !frame->folder;
    int length = snprintf(file, GEO_VAL_FILE_BYTES, "%s%s%s", is_whole ? "" : frame->folder,
                          is_whole ? "" : "/", frame->file);
    char *real = length < GEO_VAL_FILE_BYTES ? realpath(file, NULL) : NULL; /* without ".." */
    if (real) {
        length = snprintf(file, GEO_VAL_FILE_BYTES, "%s", real);
        free(real);
    }
    return length < GEO_VAL_FILE_BYTES;
}

bool geo_val_stack_place(const struct geo_val_stack *stack, char file[GEO_VAL_FILE_BYTES],
                         int *line)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = first_of_caller(stack); i < stack->count && !found; i++) {
        const struct frame frame = frame_find_locked(stack->frames[i]);
        const bool is_ours = strncmp(frame.library, "libze_", strlen("libze_")) == 0;
        found = !is_ours && frame.file && frame.line > 0 && file_write(&frame, file);
        *line = frame.line;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
