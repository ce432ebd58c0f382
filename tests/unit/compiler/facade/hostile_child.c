/* The program of child processes (compiler/process/helper.c) with a library of the test's in the
 * compiler's place: ready like any other, and then what GEOID_TEST_CHILD says. */
#include <level_zero/ze_api.h>

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdlib.h>

/* Of a test that fails: nothing of it stays. */
enum { LEFTOVER_SECONDS = 300 };

static void words_send(int socket, uint64_t word, size_t bytes)
{
    ssize_t sent = send(socket, &word, bytes, MSG_NOSIGNAL);
    (void)sent;
}

static int serve(int socket)
{
    const char *manners = getenv("GEOID_TEST_CHILD");
    alarm(LEFTOVER_SECONDS);
    words_send(socket, 0, sizeof(uint64_t)); /* ready */
    if (strcmp(manners, "half") == 0) {
        words_send(socket, 1000, sizeof(uint64_t));
        words_send(socket, 0, 1);
    } else if (strcmp(manners, "drip") == 0) {
        words_send(socket, 1 << 20, sizeof(uint64_t));
        for (;;) {
            words_send(socket, 0, 1);
        }
    } else if (strcmp(manners, "greedy") == 0) {
        words_send(socket, UINT64_C(1) << 32, sizeof(uint64_t));
    } else if (strcmp(manners, "last") == 0) {
        /* bytes; result, whether LLVM gave up, last, no log, no object */
        const uint64_t words[] = {
            5 * sizeof(uint64_t), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, 0, 1, UINT64_MAX, 0};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            words_send(socket, words[i], sizeof(uint64_t));
        }
    } else if (strcmp(manners, "texts") == 0) {
        /* a success with an empty list of texts in place of a binary */
        const uint64_t words[] = {
            7 * sizeof(uint64_t), ZE_RESULT_SUCCESS, 0, 1, UINT64_MAX, 0, sizeof(uint64_t), 0};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            words_send(socket, words[i], sizeof(uint64_t));
        }
    } else if (strcmp(manners, "dead") == 0) {
        return 0;
    }
    for (;;) {
        pause();
    }
}

/* What helper.c calls here by the names of the dynamic linker's. */
void *hostile_open(const char *path, int flags);
void *hostile_symbol(void *library, const char *name);

void *hostile_open(const char *path, int flags)
{
    (void)flags;
    return (void *)path;
}

void *hostile_symbol(void *library, const char *name)
{
    (void)library;
    return strcmp(name, "geo_compiler_serve") == 0 ? (void *)serve : NULL;
}
