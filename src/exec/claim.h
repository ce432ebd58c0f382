/* Signals that come to us first, though an application may install handlers of its own at any time.
 *
 * A claim comes over whatever handler there is, and again when the application has installed one
 * over ours. What is not ours is handed on to the handlers that were there before. */
#ifndef GEO_EXEC_CLAIM_H
#define GEO_EXEC_CLAIM_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEO_CLAIM_CHAIN_MAX 8u

struct geo_claim {
    int number;
    int flags;    /* of sigaction, besides SA_SIGINFO and SA_ONSTACK */
    int blocked;  /* another signal that does not interrupt the handler; 0: none */
    bool ignored; /* the system's own action is to do nothing */
    void (*handle)(int number, siginfo_t *info, void *context);
    /* Whose handlers ours came over, the oldest first. The list that handlers read (`turn`) is not
     * changed: the other one is filled and takes its place. */
    struct {
        struct sigaction actions[GEO_CLAIM_CHAIN_MAX];
        uint32_t count;
    } lists[2];
    _Atomic uint32_t turn;
};

/* (any thread) Makes sure that the handler is ours. Returns false if the system refuses it. One
 * system call where nothing has changed. */
bool geo_claim(struct geo_claim *claim);

/* (in the handler) Hands on a signal that is not ours. A handler that was installed over ours may
 * hand on, too, to us: then it is the turn of the one before. */
void geo_claim_pass(struct geo_claim *claim, siginfo_t *info, void *context);

/* In the child after fork: nobody is in the middle of a claim. */
void geo_claims_after_fork(void);

#endif
