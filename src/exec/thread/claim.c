/* Keeps our signal handlers installed above those of the application. See claim.h. */
#include "exec/thread/claim.h"

#include "base/assert.h"
#include "exec/thread/sync.h"

#include <string.h>

static struct geo_lock lock; /* held while handlers and lists are changed */

void geo_claims_after_fork(void)
{
    geo_lock_reset(&lock);
}

static bool action_ours(const struct geo_claim *claim, const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == claim->handle;
}

/* (locked) Makes the handler that is installed now the first to receive signals that are not ours.
 * A list contains each handler once. If the list is full, its second oldest is dropped, and the
 * oldest stays. */
static void chain_push(struct geo_claim *claim, const struct sigaction *action)
{
    uint32_t turn = atomic_load(&claim->turn), count = 0;
    GEO_ASSERT(geo_lock_held(&lock) && turn <= 1 && !action_ours(claim, action));
    struct sigaction *to = claim->lists[!turn].actions;
    const struct sigaction *from = claim->lists[turn].actions;
    for (uint32_t i = 0; i < claim->lists[turn].count; i++) {
        if (from[i].sa_sigaction != action->sa_sigaction) {
            to[count++] = from[i];
        }
    }
    if (count == GEO_CLAIM_CHAIN_MAX) {
        count--;
        memmove(&to[1], &to[2], (count - 1) * sizeof(*to));
    }
    to[count++] = *action;
    GEO_ASSERT(count <= GEO_CLAIM_CHAIN_MAX);
    claim->lists[!turn].count = count;
    atomic_store(&claim->turn, !turn);
}

bool geo_claim_install(struct geo_claim *claim)
{
    struct sigaction now, action;
    if (sigaction(claim->number, NULL, &now) != 0) {
        return false;
    }
    if (action_ours(claim, &now)) {
        return true;
    }
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = claim->handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | claim->flags;
    sigemptyset(&action.sa_mask);
    if (claim->blocked) {
        sigaddset(&action.sa_mask, claim->blocked);
    }
    bool done = true;
    geo_lock_acquire(&lock);
    if (sigaction(claim->number, NULL, &now) == 0 && !action_ours(claim, &now)) {
        chain_push(claim, &now);
        done = sigaction(claim->number, &action, NULL) == 0;
    }
    geo_lock_release(&lock);
    return done;
}

/* Does what would have happened without our handler. */
static void action_call(const struct geo_claim *claim, const struct sigaction *action,
                        siginfo_t *info, void *context)
{
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(claim->number, info, context);
    } else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(claim->number);
    } else if (!claim->ignored) {
        /* the faulting instruction runs again and ends the process */
        signal(claim->number, SIG_DFL);
    }
}

/* If a handler passes the signal back to us, we see the same context from deeper in the stack. Then
 * the next older handler is called. */
__attribute__((noinline)) void geo_claim_pass(struct geo_claim *claim, siginfo_t *info,
                                              void *context)
{
    struct passing {
        const void *context;
        uintptr_t frame;
        uint32_t again;
    };
    static _Thread_local __attribute__((tls_model("initial-exec"))) struct passing passing;
    const struct passing outer = passing;
    uint32_t turn = atomic_load(&claim->turn), count = claim->lists[turn].count;
    GEO_ASSERT(count != 0 && count <= GEO_CLAIM_CHAIN_MAX); /* ours has replaced at least one */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool again = passing.context == context && frame < passing.frame;
    if (!again) {
        passing = (struct passing){context, frame, 0};
    } else {
        passing.again++;
    }
    uint32_t at = passing.again < count ? count - 1 - passing.again : 0;
    action_call(claim, &claim->lists[turn].actions[at], info, context);
    if (!again) {
        /* this signal may have interrupted handlers of another one, which continue now */
        passing = outer;
    }
}
