/* A simulation's frames for the pages of a view. */
#ifndef KY_SIMULATION_SIM_VIEW_H
#define KY_SIMULATION_SIM_VIEW_H

#include <stdlib.h>

#include "base/status.h"
#include "simulation/timeline.h"

struct ky_view_frame;

/* State between two frames. Begins as zeros. */
struct ky_sim_watch {
    size_t *index; /* of the bodies that are shown; NULL: none were asked for yet */
    size_t n;      /* bodies of the simulation when they were chosen */
    struct ky_bodies shown;
    uint64_t orders;      /* of the pages, at the last frame */
    struct ky_instant at; /* of the last frame */
    double due;           /* ky_clock from which on the next may come; 0: there was none [s] */
};

/* 1 if a frame would show something new and the last one is not too near; while the simulation
 * `waits`, every new one may come. `orders`: how many of the pages were taken. */
int ky_sim_watch_is_due(const struct ky_sim_watch *watch, const struct ky_sim *sim, uint64_t orders,
                        int waits);
/* Gives a frame of the present bodies to the pages, which shows what that many orders have done: a
 * later order, also one that comes meanwhile, has a frame of its own. The caller has filled `frame`
 * but for bodies, their number and a failure to read them. A failure goes into the frame. */
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
