/* A simulation's frames for the pages of a view. */
#ifndef KY_SIMULATION_SIM_VIEW_H
#define KY_SIMULATION_SIM_VIEW_H

#include <stdlib.h>

#include "simulation/timeline.h"

struct ky_view_frame;

/* State between two frames. Initially zeros. */
struct ky_sim_watch {
    size_t *index; /* of the shown bodies; NULL: none requested yet */
    size_t n;      /* number of bodies of the simulation when they were chosen */
    struct ky_bodies shown;
    uint64_t orders;      /* commands of the pages, at the last frame */
    struct ky_instant at; /* of the last frame */
    double due; /* ky_clock from which on the next frame may come; 0: there was none [s] */
};

/* 1 if a frame would show something new and the last one is not too recent; while the simulation
 * `waits`, every new one may come. `orders`: number of commands taken from the pages. */
int ky_sim_watch_is_due(const struct ky_sim_watch *watch, const struct ky_sim *sim, uint64_t orders,
                        int waits);
/* Publishes a frame of the current bodies. It acknowledges the first `orders` commands; later
 * commands, including commands that arrive meanwhile, get a later frame. The caller has filled
 * `frame` except for bodies, their number and a failure to read them. A failure goes into the
 * frame. */
void ky_sim_watch_give(struct ky_sim_watch *watch, struct ky_sim *sim, struct ky_view *view,
                       struct ky_view_frame *frame, uint64_t orders);
/* Frees the state. */
static inline void ky_sim_watch_close(struct ky_sim_watch *watch)
{
    free(watch->index);
    watch->index = NULL;
    ky_bodies_free(&watch->shown);
}

#endif
