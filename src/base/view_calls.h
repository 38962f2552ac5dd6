/* The interface of a simulation to a view. The library of simulations (libkyoho) calls the view,
 * which is in libkyoho_draw, only through this table. The server of a view has a thread of its own
 * without access to a simulation: it requests frames and receives them. */
#ifndef KY_BASE_VIEW_CALLS_H
#define KY_BASE_VIEW_CALLS_H

#include "base/status.h"

/* The present requests of the pages. */
enum {
    KY_VIEW_FRAME = 1,    /* a page waits for a frame */
    KY_VIEW_PAUSE = 2,    /* the run is to wait */
    KY_VIEW_SNAPSHOT = 4, /* a snapshot */
    KY_VIEW_STOP = 8      /* the run is to stop */
};

/* The content of a frame. */
struct ky_view_frame {
    const struct ky_bodies *shown; /* position and velocity; type, or NULL */
    size_t n;                      /* bodies of the system */
    const struct ky_units *units;
    double time;       /* [time]; with `comoving` the scale factor, as `end` */
    int comoving;      /* 1: bodies of a comoving box */
    double box;        /* side of the periodic box [length]; 0: open space */
    const char *title; /* the folder */
    /* of a run */
    double end;                   /* [time]; NaN: it has none, nor the numbers after `steps` */
    uint64_t steps, steps_at_end; /* steps_at_end 0: not a run but the snapshots of one */
    double steps_per_s, seconds_left, energy_change;
    const char *outcome; /* "done", "stopped early", "failed"; NULL: it goes on */
    /* of both */
    size_t snapshots;    /* that there are */
    const char *failure; /* why there are no bodies; NULL: there are */
};

/* A pointer to this table is the first member of struct ky_view. */
struct ky_view_calls {
    /* Sets the source of the frames: is_run 1: a run that takes orders; 0: the snapshots of a run.
     * `energy` is the path of its energy.csv, or NULL. KY_FAULT if memory runs out. */
    enum ky_status (*begin)(struct ky_view *view, int is_run, const char *energy,
                            struct ky_error *error);
    /* 1 in a child of the process that opened the view (fork), where its thread is not. */
    int (*is_inherited)(const struct ky_view *view);
    /* The requests of pages: KY_VIEW_FRAME …, or-ed. Costs one read of memory. */
    unsigned (*asked)(struct ky_view *view);
    /* The same, and the requests among `orders` (KY_VIEW_SNAPSHOT, KY_VIEW_STOP) are taken: the
     * caller carries them out. *count: the number of orders of any kind up to now. */
    unsigned (*take)(struct ky_view *view, unsigned orders, uint64_t *count);
    /* 1 if the run has to wait: it is paused, and no single step was ordered. Then the call has
     * waited for another order, at most `seconds`. Each single step that was ordered gives one 0.
     */
    int (*hold)(struct ky_view *view, double seconds);
    /* 1 if a page waits for a frame, or received the last one less than `seconds` ago. */
    int (*is_watched)(struct ky_view *view, double seconds);
    /* The most bodies that a frame shows. */
    size_t (*most)(const struct ky_view *view);
    /* Gives a frame to the pages that wait for it. `number`: of the snapshot; 0: of a run, where
     * frames are counted. KY_FAULT if memory runs out. */
    enum ky_status (*give)(struct ky_view *view, const struct ky_view_frame *frame, uint64_t number,
                           struct ky_error *error);
    /* The run has ended, and takes no more orders. Its last frame stays. */
    void (*end)(struct ky_view *view);
};

static inline const struct ky_view_calls *ky_view_calls(const struct ky_view *view)
{
    return *(const struct ky_view_calls *const *)(const void *)view;
}

#endif
