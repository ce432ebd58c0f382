/* Threads that come and go and do one work together: a row of phases, each a number of chunks that
 * any thread takes any of. Between two phases the last thread that leaves one sets up the next,
 * while the others wait; so a phase sees all that was written in those before it.
 *
 * It has no threads of its own and allocates nothing: whoever joins works until all is done. */
#ifndef GEO_RTAS_TEAM_H
#define GEO_RTAS_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_rtas_phase {
    void (*run)(void *work, uint32_t chunk);
    uint32_t count; /* of chunks; 0: nothing is run */
};

struct geo_rtas_team {
    pthread_mutex_t lock;
    pthread_cond_t moved; /* another phase, or the end */
    /* Under lock, but for reading `phase` inside of one. */
    struct geo_rtas_phase phase;
    uint64_t number; /* of the phase */
    uint32_t inside; /* threads in it */
    bool done;
    _Atomic uint32_t next; /* chunk */
    bool (*advance)(void *work, struct geo_rtas_phase *phase);
    void *work;
};

/* `advance` fills the next phase, or returns false at the end; first called for the first phase. */
void geo_rtas_team_init(struct geo_rtas_team *team,
                        bool (*advance)(void *work, struct geo_rtas_phase *phase), void *work);
void geo_rtas_team_finish(struct geo_rtas_team *team);

/* (any thread, any number) Works until all is done. */
void geo_rtas_team_join(struct geo_rtas_team *team);

#endif
