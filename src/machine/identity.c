/* The parts of the processor's identity that all architectures determine in the same way. See
 * identity.h. */
#include "machine/identity.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t clock_cpufreq(void)
{
    char text[32] = {0};
    int fd = open("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    return length > 0 ? (uint32_t)(strtoul(text, NULL, 10) / 1000) : 0;
}

/* Returns "cpu MHz" of the first processor, which is in the first page of the file; 0 if unknown.
 * The page is on the heap, since threads of the program may have small stacks. */
static uint32_t clock_proc(void)
{
    enum { PAGE = 4096 };
    uint32_t clock = 0;
    char *text = calloc(1, PAGE + 1);
    int fd = text ? open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && read(fd, text, PAGE) > 0) {
        const char *line = strstr(text, "cpu MHz");
        const char *colon = line ? strchr(line, ':') : NULL;
        clock = colon ? (uint32_t)strtod(colon + 1, NULL) : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(text);
    return clock;
}

void geo_machine_identify(struct geo_machine_identity *identity)
{
    memset(identity, 0, sizeof(*identity));
    geo_machine_identity_fill(identity);
    uint32_t clock_said = identity->clock_mhz;
    identity->clock_mhz = clock_cpufreq();
    if (identity->clock_mhz == 0) {
        identity->clock_mhz = clock_said;
    }
    if (identity->clock_mhz == 0) {
        identity->clock_mhz = clock_proc();
    }
}

/* Returns the first answer again on later calls: a virtual machine asks its host for each CPUID,
 * which takes longer than the rest of a cache look-up. A thread that finds the answer half written
 * asks for itself. So no thread waits, not even in the child of a fork in between. */
uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS])
{
    enum { UNKNOWN, BEING_WRITTEN, KNOWN };
    static _Atomic int state;
    static uint32_t known[GEO_MACHINE_WORDS], known_count;
    int expected = UNKNOWN;
    if (atomic_load_explicit(&state, memory_order_acquire) == KNOWN) {
        memcpy(words, known, sizeof(known));
        return known_count;
    }
    uint32_t count = geo_machine_words_ask(words);
    if (atomic_compare_exchange_strong(&state, &expected, BEING_WRITTEN)) {
        memcpy(known, words, count * sizeof(known[0]));
        known_count = count;
        atomic_store_explicit(&state, KNOWN, memory_order_release);
    }
    return count;
}
