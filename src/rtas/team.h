/* Runs the phases of one job by any number of threads that may join at any time. Each phase has a
 * number of chunks, which any thread takes. The last thread that leaves a phase sets up the next
 * one while the others wait. So a phase sees everything that earlier phases wrote.
 *
 * A team has no threads of its own and allocates nothing: threads that join work until all is
 * done. */
#ifndef GEO_RTAS_TEAM_H
#define GEO_RTAS_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A phase: a function to run for each chunk. */
struct geo_rtas_phase {
    void (*run)(void *work, uint32_t chunk);
    uint32_t count; /* number of chunks; may be 0 */
};

/* A team; part of the build. */
struct geo_rtas_team {
    pthread_mutex_t lock;
    pthread_cond_t moved; /* signals the next phase, or the end */
    /* protected by the lock, except `phase` for threads inside it */
    struct geo_rtas_phase phase;
    uint64_t number; /* number of the phase */
    uint32_t inside; /* threads in the phase */
    bool done;
    _Atomic uint32_t next; /* next chunk to take */
    bool (*advance)(void *work, struct geo_rtas_phase *phase);
    void *work;
};

/* Initialises a team. `advance` fills in the next phase, or returns false at the end; its first
 * call is for the first phase. */
void geo_rtas_team_init(struct geo_rtas_team *team,
                        bool (*advance)(void *work, struct geo_rtas_phase *phase), void *work);
void geo_rtas_team_finish(struct geo_rtas_team *team);

/* (any thread) Works until the job is done. */
void geo_rtas_team_join(struct geo_rtas_team *team);

#endif
