/* Chunks of the process's file, and who has which. See spool.h. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A mapped chunk that a thread has; of threads that ended, for the next. */
struct chunk {
    struct zetrace_chunk *memory;
    struct chunk *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static char file_path[4096];
static struct stat file_status; /* the program may close the number and have its own file there */
static off_t file_size;
static struct chunk *spare;
static atomic_bool full;
static struct zetrace_room *shared; /* shared by all processes of the trace, or NULL */
static atomic_uint generation = 1;  /* of this process: one more in each child */
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
OF_THREAD struct chunk *here;
OF_THREAD unsigned here_generation;
OF_THREAD uint32_t thread_number;

uint64_t spool_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t spool_thread(void)
{
    if (here_generation != atomic_load_explicit(&generation, memory_order_relaxed)) {
        here_generation = atomic_load(&generation);
        here = NULL;
        thread_number = (uint32_t)syscall(SYS_gettid);
    }
    return thread_number;
}

/* Under the lock. */
static void tell_full(const char *why)
{
    if (!atomic_exchange(&full, true)) {
        fprintf(stderr, "zetrace: recording stopped in process %d: %s\n", (int)getpid(), why);
        if (shared) {
            atomic_fetch_add(&shared->refused, 1);
        }
    }
}

/* The thread's chunk goes to the next thread. */
static void thread_end(void *chunk)
{
    pthread_mutex_lock(&lock);
    if (chunk == here && here_generation == atomic_load(&generation)) {
        here->next = spare;
        spare = here;
        here = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static void end_watch(void)
{
    pthread_key_create(&end_key, thread_end);
}

/* Maps the file that limits the size of all records. Without the file, recording is unlimited. The
 * caller holds the lock. */
static void room_open(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, ZETRACE_ROOM);
    const int found = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (found >= 0 && fstat(found, &status) == 0 && status.st_size >= (off_t)sizeof(*shared)) {
        void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, found, 0);
        shared = memory == MAP_FAILED ? NULL : memory;
    }
    if (found >= 0) {
        close(found);
    }
}

/* Takes a chunk's bytes of what may be recorded. */
static bool room_take(void)
{
    uint64_t left = shared ? atomic_load(&shared->left) : UINT64_MAX;
    while (left >= ZETRACE_CHUNK && left != UINT64_MAX) {
        if (atomic_compare_exchange_weak(&shared->left, &left, left - ZETRACE_CHUNK)) {
            return true;
        }
    }
    return left == UINT64_MAX;
}

static bool file_is_ours(void)
{
    struct stat now;
    return file >= 0 && fstat(file, &now) == 0 && now.st_dev == file_status.st_dev &&
           now.st_ino == file_status.st_ino;
}

/* Opens the process's file once more when the program has closed it. Under the lock. */
static bool file_open_again(void)
{
    file = open(file_path, O_RDWR | O_CLOEXEC);
    if (file_is_ours()) {
        return true;
    }
    tell_full("the program closed the file of records, and it cannot be opened again");
    if (file >= 0) {
        close(file);
    }
    file = -1;
    return false;
}

/* Under the lock. */
static bool file_open(void)
{
    const char *folder = secure_getenv(ZETRACE_SPOOL);
    if (full || !folder || file_is_ours()) {
        return !full && folder;
    }
    if (file >= 0) {
        return file_open_again();
    }
    snprintf(file_path, sizeof(file_path), "%s/%d.%llu", folder, (int)getpid(),
             (unsigned long long)spool_now());
    file = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    file_size = 0;
    const int error = file < 0 || fstat(file, &file_status) != 0 ? errno : 0;
    if (!shared) {
        room_open(folder);
    }
    if (file < 0) {
        tell_full(strerror(error));
    }
    return file >= 0;
}

/* (lock held) Appends a chunk to the trace file and maps it. Allocates its disk blocks first,
 * because a store to a mapped page without a block raises SIGBUS on a full disk. Returns NULL if
 * the file is full or memory ran out. */
static struct chunk *chunk_make(void)
{
    if (full || !file_open()) {
        return NULL;
    }
    if (!room_take()) {
        tell_full("the limit of --limit is reached");
        return NULL;
    }
    struct chunk *chunk = calloc(1, sizeof(*chunk));
    if (!chunk) {
        return NULL;
    }
    const int error = posix_fallocate(file, file_size, ZETRACE_CHUNK);
    void *memory =
        error ? MAP_FAILED
              : mmap(NULL, ZETRACE_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, file, file_size);
    if (memory == MAP_FAILED) {
        tell_full(strerror(error ? error : errno));
        free(chunk);
        return NULL;
    }
    file_size += ZETRACE_CHUNK;
    chunk->memory = memory;
    chunk->memory->pid = (uint32_t)getpid();
    chunk->memory->used = sizeof(*chunk->memory);
    chunk->memory->magic = ZETRACE_MAGIC;
    return chunk;
}

static bool has_room(const struct chunk *chunk, size_t size)
{
    return chunk && chunk->memory->used + size <= ZETRACE_CHUNK;
}

static void append(struct chunk *chunk, enum zetrace_type type, uint32_t id, const void *record,
                   size_t size, size_t rounded)
{
    const uint32_t used = atomic_load_explicit(&chunk->memory->used, memory_order_relaxed);
    char *to = (char *)chunk->memory + used;
    const struct zetrace_record head = {
        .type = (uint16_t)type, .size = (uint16_t)rounded, .id = id};
    memcpy(to, record, size);
    memcpy(to, &head, sizeof(head));
    atomic_store_explicit(&chunk->memory->used, used + (uint32_t)rounded, memory_order_release);
}

/* Between hold and release, a write beyond the limit on file sizes or into a pipe that nobody reads
 * is an error and no signal. It may be the trace's or standard error's. */
struct held {
    sigset_t before; /* the thread's mask */
    sigset_t taken;  /* signals that are removed at the end: none was pending before */
};

static void writes_hold(struct held *held)
{
    static const int signals[] = {SIGXFSZ, SIGPIPE};
    sigset_t limit, pending;
    sigemptyset(&limit);
    sigemptyset(&held->taken);
    sigpending(&pending);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        sigaddset(&limit, signals[i]);
        if (sigismember(&pending, signals[i]) != 1) {
            sigaddset(&held->taken, signals[i]);
        }
    }
    pthread_sigmask(SIG_BLOCK, &limit, &held->before);
}

static void writes_release(const struct held *held)
{
    while (sigtimedwait(&held->taken, NULL, &(struct timespec){0, 0}) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

void spool_tell(const char *text)
{
    struct held held;
    writes_hold(&held);
    fprintf(stderr, "zetrace: %s\n", text);
    writes_release(&held);
}

/* Returns a new chunk for this thread, with room for the thread's number and a record, or NULL. */
static struct chunk *chunk_take(size_t size)
{
    const struct zetrace_record thread = {0};
    struct held held;
    writes_hold(&held);
    pthread_once(&end_once, end_watch);
    pthread_mutex_lock(&lock);
    struct chunk *old = here, *chunk = spare;
    if (has_room(chunk, size + sizeof(thread))) {
        spare = chunk->next;
    } else {
        chunk = chunk_make();
    }
    if (old) {
        munmap(old->memory, ZETRACE_CHUNK);
        free(old);
    }
    here = chunk;
    pthread_mutex_unlock(&lock);
    writes_release(&held);
    pthread_setspecific(end_key, chunk);
    if (chunk) {
        append(chunk, ZETRACE_THREAD, thread_number, &thread, sizeof(thread), sizeof(thread));
    }
    return chunk;
}

void spool_write(enum zetrace_type type, uint32_t id, void *record, size_t size)
{
    const size_t rounded = (size + 7) & ~(size_t)7;
    spool_thread();
    struct chunk *chunk = has_room(here, rounded) ? here : NULL;
    if (!chunk && !atomic_load_explicit(&full, memory_order_relaxed)) {
        chunk = chunk_take(rounded);
    }
    if (chunk) {
        append(chunk, type, id, record, size, rounded);
    }
}

void spool_name(enum zetrace_kind kind, uint32_t id, const char *text)
{
    char room[sizeof(struct zetrace_name) + 1024] __attribute__((aligned(8)));
    struct zetrace_name *name = (struct zetrace_name *)(void *)room;
    const size_t length = strnlen(text, 1024);
    name->kind = kind;
    name->length = (uint32_t)length;
    memcpy(name->text, text, length);
    spool_write(ZETRACE_NAME, id, name, sizeof(*name) + length);
}

void spool_forked(void)
{
    pthread_mutex_init(&lock, NULL);
    if (file_is_ours()) {
        close(file);
    }
    file = -1;
    spare = NULL;
    full = false;
    atomic_fetch_add(&generation, 1);
}
