/* The data shared by the server's thread and the run's thread: commands and frame requests from the
 * pages, and the frame. */
#ifndef KY_VIEW_DESK_H
#define KY_VIEW_DESK_H

#include <pthread.h>
#include <sys/types.h>

#include "view/blob.h"
#include "view/view.h"

enum { KY_VIEW_PAGES = 32 }; /* most connections; a browser opens a few for each page */

enum { KY_TOKEN = 32 }; /* hexadecimal digits: 128 bits */

/* The subject of the frames. */
enum ky_view_of { KY_VIEW_NOTHING, KY_VIEW_RUN, KY_VIEW_FOLDER };

struct ky_view {
    const struct ky_view_calls *calls; /* the first member: base/view_calls.h */
    /* constant while the thread lives */
    char token[KY_TOKEN + 1], address[96];
    size_t most; /* maximum number of bodies in a frame */
    int framed;  /* 1: other pages of this machine may show the page in an iframe */
    char *title; /* of the page; NULL: each frame has its own */
    int listener;
    int wake[2]; /* a byte in this pipe wakes the thread */
    pthread_t thread;
    pid_t process;            /* the process that has the thread */
    struct ky_server *server; /* the thread's own data */
    _Atomic unsigned asked;   /* KY_VIEW_…: changed under the lock, read without it */
    pthread_mutex_t lock;     /* for all members below */
    pthread_cond_t changed;   /* signals a command or a frame request */
    enum ky_view_of of;
    uint64_t orders;                /* number of commands so far */
    uint64_t single;                /* steps still to do while the run is paused */
    uint64_t wanted[KY_VIEW_PAGES]; /* the frame number that a connection waits for; 0: none */
    struct ky_blob *ready[KY_VIEW_PAGES]; /* the frame for this connection, or NULL */
    struct ky_blob *frame;                /* the latest frame, or NULL */
    uint64_t number;                      /* its number */
    int is_taken;                         /* 1: a connection has received it */
    double taken; /* ky_clock when a connection last received a frame; 0: never */
    char *energy; /* path of energy.csv, or NULL */
    int closing;
};

/* 1 if the path is a command: "/pause". */
int ky_desk_is_order(const char *path);
/* Accepts a command, given by its path. 0 if there is no run, or it has ended. */
int ky_desk_order(struct ky_view *view, const char *path);
/* Connection k waits for frame `number`; 0: it waits no longer. */
void ky_desk_want(struct ky_view *view, int k, uint64_t number);
/* The frame for which connection k waited, which the caller drops with ky_desk_drop; NULL: not
 * available yet. */
struct ky_blob *ky_desk_frame(struct ky_view *view, int k);
/* The path of energy.csv, which the caller frees; NULL: there is none. */
char *ky_desk_energy(struct ky_view *view);
void ky_desk_drop(struct ky_view *view, struct ky_blob *blob);
/* 1 if the view closes; 2 if it closes and a page has not received the last frame yet, or has only
 * just received it. */
int ky_desk_closing(struct ky_view *view);

#endif
