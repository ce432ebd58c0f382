/* Keeps our handler of a signal on top, although the application may install its own at any time.
 *
 * A claim installs our handler over the current one, and again when the application has replaced
 * ours. Signals that are not ours are passed to the handlers that were there before. */
#ifndef GEO_EXEC_THREAD_CLAIM_H
#define GEO_EXEC_THREAD_CLAIM_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEO_CLAIM_CHAIN_MAX 8u

/* A handler that ours replaced. */
struct geo_claim_action {
    struct sigaction action;
    uint32_t version; /* of our registration that it had replaced; see claim.c */
};

/* The claim to one signal, a static object. Changes are made under a lock; handlers read it without
 * one. */
struct geo_claim {
    int number;
    int flags;    /* flags of sigaction besides SA_SIGINFO and SA_ONSTACK */
    int blocked;  /* signal that is blocked while the handler runs; 0: none */
    bool ignored; /* the default action of the signal is to ignore it */
    void (*handle)(int number, siginfo_t *info, void *context);
    /* Handlers that ours replaced, the oldest first. Handlers read lists[turn]. Only `gone` of it
     * changes: a bit for each action that receives no more signals. All other changes fill the
     * other list and then switch `turn`. */
    struct {
        struct geo_claim_action actions[GEO_CLAIM_CHAIN_MAX];
        uint32_t count;
        _Atomic uint32_t gone;
    } lists[2];
    _Atomic uint32_t turn;
    _Atomic uint32_t version; /* of our current registration */
};

/* (any thread) Makes sure that our handler is installed. Returns false if the system refuses it.
 * Costs one system call if it is. */
bool geo_claim_install(struct geo_claim *claim);

/* (in the handler) Passes on a signal that is not ours. A handler that was installed over ours may
 * pass the signal back to us; then the next older handler is called. A handler that the application
 * has withdrawn, or that wanted one signal only (SA_RESETHAND), receives no more. */
void geo_claim_pass(struct geo_claim *claim, siginfo_t *info, void *context);

/* Resets the lock in the child after fork. */
void geo_claims_after_fork(void);

#endif
