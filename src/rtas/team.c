/* Phases that any number of threads run together. See team.h. */
#include "rtas/team.h"

void geo_rtas_team_init(struct geo_rtas_team *team,
                        bool (*advance)(void *work, struct geo_rtas_phase *phase), void *work)
{
    *team = (struct geo_rtas_team){.advance = advance, .work = work};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->moved, NULL);
    atomic_init(&team->next, 0);
}

void geo_rtas_team_finish(struct geo_rtas_team *team)
{
    pthread_cond_destroy(&team->moved);
    pthread_mutex_destroy(&team->lock);
}

/* (inside a phase) Runs chunks until none are left. */
static void chunks_run(struct geo_rtas_team *team)
{
    uint32_t chunk;
    while ((chunk = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) <
           team->phase.count) {
        team->phase.run(team->work, chunk);
    }
}

void geo_rtas_team_join(struct geo_rtas_team *team)
{
    pthread_mutex_lock(&team->lock);
    while (!team->done) {
        uint64_t number = team->number;
        team->inside++;
        pthread_mutex_unlock(&team->lock);
        chunks_run(team);
        pthread_mutex_lock(&team->lock);
        if (--team->inside == 0) { /* all chunks that were taken are done */
            team->phase.count = 0;
            team->done = !team->advance(team->work, &team->phase);
            team->number++;
            atomic_store_explicit(&team->next, 0, memory_order_relaxed);
            pthread_cond_broadcast(&team->moved);
        }
        while (!team->done && team->number == number) {
            pthread_cond_wait(&team->moved, &team->lock);
        }
    }
    pthread_mutex_unlock(&team->lock);
}
