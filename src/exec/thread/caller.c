/* Finds out what a thread of the application has for running work, and adds what is missing. See
 * caller.h. */
#include "exec/thread/caller.h"

#include "exec/thread/fault.h"

#include <pthread.h>
#include <sys/mman.h>

_Thread_local __attribute__((tls_model("initial-exec"))) struct geo_here geo_here;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t stack_key;
static bool key_made;

/* Called when a thread ends. Removes its alternate stack unless the application has replaced it. */
static void stack_destroy(void *memory)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == memory) {
        geo_fault_stack(memory, false);
    }
    munmap(memory, GEO_FAULT_STACK_BYTES);
}

static void key_make(void)
{
    key_made = pthread_key_create(&stack_key, stack_destroy) == 0;
}

/* Gives the thread an alternate stack for signal handlers unless it has one. */
static void stack_provide(void)
{
    stack_t now;
    pthread_once(&key_once, key_make);
    if (!key_made || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) {
        return;
    }
    void *memory = pthread_getspecific(stack_key);
    if (!memory) {
        memory = mmap(NULL, GEO_FAULT_STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            return;
        }
        if (pthread_setspecific(stack_key, memory) != 0) {
            munmap(memory, GEO_FAULT_STACK_BYTES);
            return;
        }
    }
    geo_fault_stack(memory, true);
}

/* Reads the bounds of the thread's stack. If the system does not tell them, the stack counts as
 * large. A stack that is not the thread's own, such as a coroutine's, is of unknown size and counts
 * as small. */
static void bounds_read(struct geo_here *here)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    here->known = true;
    here->low = 0;
    here->room = UINTPTR_MAX;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        here->low = (uintptr_t)low + GEO_CALLER_STACK_BYTES;
        here->room = bytes > GEO_CALLER_STACK_BYTES ? bytes - GEO_CALLER_STACK_BYTES : 0;
    }
    pthread_attr_destroy(&attributes);
}

void geo_caller_look(void)
{
    struct geo_here *here = &geo_here;
    if (!here->known) {
        bounds_read(here);
    }
    here->blocks = false;
    if (geo_fault_catches()) {
        geo_fault_check();
        stack_provide();
        here->blocks = geo_fault_blocked();
    }
    here->turns = here->blocks ? 1 : GEO_CALLER_TURNS;
}
