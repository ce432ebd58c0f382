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

/* ---- versions of our registration ----
 *
 * An application that withdraws its handler restores the one that it had found. If that was ours,
 * and ours has come in front since, nothing but a version tells the two registrations apart. The
 * blocked real-time signals hold it: they make no other difference. */

#define VERSION_BITS 5u
#define VERSIONS     (1u << VERSION_BITS)

/* Returns the low bits of the version of a registration of ours. */
static uint32_t version_of(const struct sigaction *action)
{
    uint32_t version = 0;
    for (uint32_t i = 0; i < VERSION_BITS; i++) {
        version |= (uint32_t)(sigismember(&action->sa_mask, SIGRTMAX - (int)i) == 1) << i;
    }
    return version;
}

static bool ours_install(const struct geo_claim *claim, uint32_t version)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = claim->handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | claim->flags;
    sigemptyset(&action.sa_mask);
    if (claim->blocked) {
        sigaddset(&action.sa_mask, claim->blocked);
    }
    for (uint32_t i = 0; i < VERSION_BITS; i++) {
        if (version >> i & 1) {
            sigaddset(&action.sa_mask, SIGRTMAX - (int)i);
        }
    }
    return sigaction(claim->number, &action, NULL) == 0;
}

/* (also in the handler) Returns whether our handler is installed. If the application has restored
 * an older registration of ours, the handlers that came after it are gone. */
static bool ours_check(struct geo_claim *claim)
{
    struct sigaction now;
    uint32_t version = atomic_load(&claim->version), turn = atomic_load(&claim->turn);
    if (sigaction(claim->number, NULL, &now) != 0 || !action_ours(claim, &now)) {
        return false;
    }
    uint32_t restored = (version - version_of(&now)) % VERSIONS; /* how long ago it was installed */
    if (restored == 0 || version != atomic_load(&claim->version)) {
        return true; /* the usual case, or another thread is installing it */
    }
    for (uint32_t i = claim->lists[turn].count; i-- > 0;) {
        if (version - claim->lists[turn].actions[i].version > restored) {
            break;
        }
        atomic_fetch_or(&claim->lists[turn].gone, 1u << i);
    }
    return ours_install(claim, version);
}

/* ---- the chain of replaced handlers ---- */

/* (locked) Makes the handler that is installed now the first to receive signals that are not ours.
 * A list contains each handler once. If the list is full, its second oldest is dropped, and the
 * oldest stays. */
static void chain_push(struct geo_claim *claim, const struct sigaction *action)
{
    uint32_t turn = atomic_load(&claim->turn), count = 0;
    uint32_t gone = atomic_load(&claim->lists[turn].gone);
    GEO_ASSERT(geo_lock_held(&lock) && turn <= 1 && !action_ours(claim, action));
    struct geo_claim_action *to = claim->lists[!turn].actions;
    const struct geo_claim_action *from = claim->lists[turn].actions;
    for (uint32_t i = 0; i < claim->lists[turn].count; i++) {
        if (!(gone >> i & 1) && from[i].action.sa_sigaction != action->sa_sigaction) {
            to[count++] = from[i];
        }
    }
    if (count == GEO_CLAIM_CHAIN_MAX) {
        count--;
        memmove(&to[1], &to[2], (count - 1) * sizeof(*to));
    }
    to[count++] = (struct geo_claim_action){*action, atomic_load(&claim->version)};
    GEO_ASSERT(count <= GEO_CLAIM_CHAIN_MAX);
    claim->lists[!turn].count = count;
    atomic_store(&claim->lists[!turn].gone, 0);
    atomic_store(&claim->turn, !turn);
}

bool geo_claim_install(struct geo_claim *claim)
{
    struct sigaction now;
    if (ours_check(claim)) {
        return true;
    }
    bool done = true;
    geo_lock_acquire(&lock);
    if (sigaction(claim->number, NULL, &now) != 0) {
        done = false;
    } else if (!action_ours(claim, &now)) {
        uint32_t version = atomic_load(&claim->version) + 1;
        chain_push(claim, &now);
        atomic_store(&claim->version, version);
        done = ours_install(claim, version);
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
    static const struct sigaction none = {.sa_handler = SIG_DFL};
    struct passing {
        const void *context;
        uintptr_t frame;
        uint32_t at; /* action that was called last */
    };
    static _Thread_local __attribute__((tls_model("initial-exec"))) struct passing passing;
    const struct passing outer = passing;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool again = passing.context == context && frame < passing.frame;
    (void)ours_check(claim);
    uint32_t turn = atomic_load(&claim->turn), count = claim->lists[turn].count;
    uint32_t at = again && passing.at < count ? passing.at : count;
    GEO_ASSERT(count <= GEO_CLAIM_CHAIN_MAX);
    while (at > 0 && atomic_load(&claim->lists[turn].gone) >> (at - 1) & 1) {
        at--;
    }
    const struct sigaction *action = at > 0 ? &claim->lists[turn].actions[--at].action : &none;
    if (action->sa_flags & SA_RESETHAND) {
        atomic_fetch_or(&claim->lists[turn].gone, 1u << at);
    }
    passing = (struct passing){context, again ? passing.frame : frame, at};
    action_call(claim, action, info, context);
    if (!again) {
        /* this signal may have interrupted handlers of another one, which continue now */
        passing = outer;
    }
}
