/* The list of fork handlers. See fork.h. */
#include "base/fork.h"

#include <pthread.h>
#include <stddef.h>

static struct {
    pthread_mutex_t lock; /* held from prepare to parent or child: the list does not change then */
    struct geo_fork_handler *first;
    bool watching;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void run_prepare(void)
{
    pthread_mutex_lock(&list.lock);
    for (struct geo_fork_handler *handler = list.first; handler; handler = handler->next) {
        if (handler->prepare) {
            handler->prepare();
        }
    }
}

/* The list leads downwards; what comes after fork goes upwards. */
static struct geo_fork_handler *list_reversed(struct geo_fork_handler *first)
{
    struct geo_fork_handler *reversed = NULL;
    while (first) {
        struct geo_fork_handler *next = first->next;
        first->next = reversed;
        reversed = first;
        first = next;
    }
    return reversed;
}

static void run_upwards(bool child)
{
    struct geo_fork_handler *last = list_reversed(list.first);
    for (struct geo_fork_handler *handler = last; handler; handler = handler->next) {
        void (*function)(void) = child ? handler->child : handler->parent;
        if (function) {
            function();
        }
    }
    list.first = list_reversed(last);
    pthread_mutex_unlock(&list.lock);
}

static void run_parent(void)
{
    run_upwards(false);
}

static void run_child(void)
{
    run_upwards(true);
}

void geo_fork_register(struct geo_fork_handler *handler)
{
    pthread_mutex_lock(&list.lock);
    if (!handler->registered) {
        struct geo_fork_handler **place = &list.first;
        while (*place && (*place)->order <= handler->order) {
            place = &(*place)->next;
        }
        handler->next = *place;
        *place = handler;
        handler->registered = true;
    }
    if (!list.watching) { /* without memory for it the next registration tries again */
        list.watching = pthread_atfork(run_prepare, run_parent, run_child) == 0;
    }
    pthread_mutex_unlock(&list.lock);
}
