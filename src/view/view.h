/* Inside of struct ky_view: what a run and the reader of a folder ask of it. The server has a
 * thread of its own, which knows no simulation: it asks for frames, and takes them. */
#ifndef KY_VIEW_VIEW_H
#define KY_VIEW_VIEW_H

#include "base/status.h"

/* What the pages ask for now. */
enum {
    KY_VIEW_FRAME = 1,    /* somebody waits for a frame */
    KY_VIEW_PAUSE = 2,    /* the run is to wait */
    KY_VIEW_SNAPSHOT = 4, /* a snapshot */
    KY_VIEW_STOP = 8      /* the run is to stop */
};

/* What a frame shows. */
struct ky_view_frame {
    const struct ky_bodies *shown; /* position and velocity; type, or NULL */
    size_t n;                      /* bodies of the system */
    const struct ky_units *units;
    double time;       /* [time] */
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

/* Says what the frames are of: 1, a run that takes orders; 0, the snapshots of a run. `energy` is
 * the path of its energy.csv, or NULL. KY_FAULT when memory is out. */
enum ky_status ky_view_begin(struct ky_view *view, int is_run, const char *energy,
                             struct ky_error *error);
/* 1 in a child of the process that opened the view (fork), where its thread is not. */
int ky_view_is_inherited(const struct ky_view *view);
/* The run has ended, and takes no more orders. Its last frame stays. */
void ky_view_end(struct ky_view *view);
/* What pages ask for, KY_VIEW_FRAME …, or-ed. It costs a read of memory. */
unsigned ky_view_asked(struct ky_view *view);
/* The same, and those of `orders` (KY_VIEW_SNAPSHOT, KY_VIEW_STOP) are taken: the caller follows
 * them. *count: the number of orders of any kind up to now. */
unsigned ky_view_take(struct ky_view *view, unsigned orders, uint64_t *count);
/* 1 if the run has to wait: it is paused, and no single step was ordered. Then the call has waited
 * for another order, at most `seconds`. Each single step that was ordered gives one 0. */
int ky_view_hold(struct ky_view *view, double seconds);
/* The number of a snapshot, from 1 on, that a page waits for; 0: none came within `seconds`. */
uint64_t ky_view_next(struct ky_view *view, double seconds);
/* 1 if somebody waits for a frame, or got the last one less than `seconds` ago. */
int ky_view_is_watched(struct ky_view *view, double seconds);
/* The most bodies that a frame shows. */
size_t ky_view_most(const struct ky_view *view);
/* Gives a frame to the pages that wait for it. `number`: of the snapshot; 0: of a run, where frames
 * are counted. KY_FAULT when memory is out. */
enum ky_status ky_view_give(struct ky_view *view, const struct ky_view_frame *frame,
                            uint64_t number, struct ky_error *error);
#endif
