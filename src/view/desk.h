/* The desk between the server's thread and the run's: orders and wishes of the pages lie on it, and
 * the frame. */
#ifndef KY_VIEW_DESK_H
#define KY_VIEW_DESK_H

#include <pthread.h>
#include <sys/types.h>

#include "view/blob.h"
#include "view/view.h"

enum { KY_VIEW_PAGES = 32 }; /* connections at a time; a browser opens a few for each page */

enum { KY_TOKEN = 32 }; /* hexadecimal digits: 128 bits */

/* The subject of the frames. */
enum ky_view_of { KY_VIEW_NOTHING, KY_VIEW_RUN, KY_VIEW_FOLDER };

struct ky_view {
    const struct ky_view_calls *calls; /* the first member: base/view_calls.h */
    /* not changed while the thread lives */
    char token[KY_TOKEN + 1], address[96];
    size_t most; /* bodies in a frame */
    int listener;
    int wake[2]; /* a byte in this pipe wakes the thread */
    pthread_t thread;
    pid_t process;            /* that has the thread */
    struct ky_server *server; /* the thread's own data */
    _Atomic unsigned asked;   /* KY_VIEW_…: changed under the lock, read without */
    pthread_mutex_t lock;     /* for all below */
    pthread_cond_t changed;   /* an order, or a wish */
    enum ky_view_of of;
    uint64_t orders;                      /* so far */
    uint64_t single;                      /* steps that are still to be made while it is paused */
    uint64_t wanted[KY_VIEW_PAGES];       /* the frame that a connection waits for; 0: none */
    struct ky_blob *ready[KY_VIEW_PAGES]; /* the frame that it gets, or NULL */
    struct ky_blob *frame;                /* the last one, or NULL */
    uint64_t number;                      /* its number */
    int is_taken;                         /* a connection has got it */
    double taken;                         /* ky_clock when a connection last got one; 0: never */
    char *energy;                         /* path of energy.csv, or NULL */
    int closing;
};

/* 1 if the path is an order: "/pause". */
int ky_desk_is_order(const char *path);
/* Takes an order, by its path. 0 if there is no run, or it has ended. */
int ky_desk_order(struct ky_view *view, const char *path);
/* The connection k waits for frame `number`; 0: it waits no more. */
void ky_desk_want(struct ky_view *view, int k, uint64_t number);
/* The frame that the connection k waited for, to be dropped by ky_desk_drop; NULL: it is not there
 * yet. */
struct ky_blob *ky_desk_frame(struct ky_view *view, int k);
/* The path of energy.csv, to be freed; NULL: there is none. */
char *ky_desk_energy(struct ky_view *view);
void ky_desk_drop(struct ky_view *view, struct ky_blob *blob);
/* 1 when the view closes; 2 if it closes, and a page has not got the last frame yet or has it since
 * a moment ago. */
int ky_desk_closing(struct ky_view *view);

#endif
