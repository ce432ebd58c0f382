/* Delays threads before some of their atomic operations, so that other threads overtake them. Races
 * that two processors show once a week show up in seconds. The thread sanitizer turns each atomic
 * operation into a call, and the linker redirects these calls to the wrappers here
 * (cmake/GeoidDelays.cmake). The environment variable GEOID_DELAYS is the average number of
 * operations per delay (default: 200). */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define USUAL_EVERY 200u
#define SHORT_NS    30000u
#define LONG_NS     2000000u
#define LONG_ONE_OF 8u /* one delay in 8 is a long one */

static unsigned every; /* all threads set the same value */
static _Thread_local unsigned long long random_state;

static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % limit;
}

static void begin(void)
{
    const char *text = getenv("GEOID_DELAYS");
    unsigned wanted = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    every = wanted ? wanted : USUAL_EVERY;
    random_state = (unsigned long long)syscall(SYS_gettid) * 0x9e3779b97f4a7c15ull | 1;
}

static void delay(void)
{
    if (random_state == 0) {
        begin();
    }
    if (random_below(every) == 0) {
        unsigned most = random_below(LONG_ONE_OF) == 0 ? LONG_NS : SHORT_NS;
        const struct timespec pause = {.tv_nsec = random_below(most)};
        syscall(SYS_nanosleep, &pause, NULL); /* nanosleep itself would call the sanitizer */
    }
}

/* The functions of sanitizer/tsan_interface_atomic.h; memory orders are passed as int. */
#define REAL(name) __asm__("__real___tsan_atomic" name)
#define WRAP(name) __asm__("__wrap___tsan_atomic" name)

#define DELAYED(bits, type, operation, parameters, arguments)                                      \
    type real_##operation##bits parameters REAL(#bits "_" #operation);                             \
    type wrap_##operation##bits parameters WRAP(#bits "_" #operation);                             \
    type wrap_##operation##bits parameters                                                         \
    {                                                                                              \
        delay();                                                                                   \
        return real_##operation##bits arguments;                                                   \
    }

#define CHANGED(bits, type, operation)                                                             \
    DELAYED(bits, type, operation, (volatile type * word, type value, int order),                  \
            (word, value, order))

#define EXCHANGED(bits, type, operation)                                                           \
    DELAYED(bits, int, operation,                                                                  \
            (volatile type * word, type * expected, type value, int order, int failed),            \
            (word, expected, value, order, failed))

#define ALL(bits, type)                                                                            \
    DELAYED(bits, type, load, (const volatile type *word, int order), (word, order))               \
    void real_store##bits(volatile type *word, type value, int order) REAL(#bits "_store");        \
    void wrap_store##bits(volatile type *word, type value, int order) WRAP(#bits "_store");        \
    void wrap_store##bits(volatile type *word, type value, int order)                              \
    {                                                                                              \
        delay();                                                                                   \
        real_store##bits(word, value, order);                                                      \
    }                                                                                              \
    CHANGED(bits, type, exchange)                                                                  \
    CHANGED(bits, type, fetch_add)                                                                 \
    CHANGED(bits, type, fetch_sub)                                                                 \
    CHANGED(bits, type, fetch_and)                                                                 \
    CHANGED(bits, type, fetch_or)                                                                  \
    EXCHANGED(bits, type, compare_exchange_strong)                                                 \
    EXCHANGED(bits, type, compare_exchange_weak)

ALL(8, unsigned char)
ALL(16, unsigned short)
ALL(32, unsigned int)
ALL(64, unsigned long)
