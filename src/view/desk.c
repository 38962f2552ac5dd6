/* The desk between server and run: see desk.h and view.h. */
#include "view/desk.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* After the last frame a page may ask for the last energies for this long [s]. */
#define AFTER 1.0

/* ---- for the server ---- */

/* 1 if the current frame is the wanted one; for a run a later one will do. */
static int serves(const struct ky_view *view, uint64_t wanted)
{
    return view->frame &&
           (view->of == KY_VIEW_FOLDER ? view->number == wanted : view->number >= wanted);
}

/* Assigns the current frame to the connections that wait for it. */
static void lay_ready(struct ky_view *view)
{
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        if (view->wanted[k] && serves(view, view->wanted[k])) {
            view->ready[k] = ky_blob_hold(view->frame);
            view->wanted[k] = 0;
            view->is_taken = 1;
            view->taken = ky_clock();
        }
}

/* A frame number that a page still waits for; 0: there is none. */
static uint64_t missing(const struct ky_view *view)
{
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        if (view->wanted[k])
            return view->wanted[k];
    return 0;
}

static void set_asked(struct ky_view *view, unsigned bit, int on)
{
    const unsigned asked = view->asked;
    view->asked = on ? asked | bit : asked & ~bit;
}

void ky_desk_want(struct ky_view *view, int k, uint64_t number)
{
    pthread_mutex_lock(&view->lock);
    ky_blob_drop(view->ready[k]);
    view->ready[k] = NULL;
    view->wanted[k] = number;
    lay_ready(view);
    set_asked(view, KY_VIEW_FRAME, missing(view) != 0);
    pthread_cond_signal(&view->changed);
    pthread_mutex_unlock(&view->lock);
}

struct ky_blob *ky_desk_frame(struct ky_view *view, int k)
{
    pthread_mutex_lock(&view->lock);
    struct ky_blob *frame = view->ready[k];
    view->ready[k] = NULL;
    pthread_mutex_unlock(&view->lock);
    return frame;
}

/* A copy that the caller frees; NULL if memory runs out. */
static char *copy(const char *text)
{
    char *own = ky_allocate(strlen(text) + 1, 1);
    return own ? memcpy(own, text, strlen(text) + 1) : NULL;
}

char *ky_desk_energy(struct ky_view *view)
{
    pthread_mutex_lock(&view->lock);
    char *path = view->energy ? copy(view->energy) : NULL;
    pthread_mutex_unlock(&view->lock);
    return path;
}

void ky_desk_drop(struct ky_view *view, struct ky_blob *blob)
{
    pthread_mutex_lock(&view->lock);
    ky_blob_drop(blob);
    pthread_mutex_unlock(&view->lock);
}

int ky_desk_closing(struct ky_view *view)
{
    pthread_mutex_lock(&view->lock);
    const int is_owed = view->frame && (!view->is_taken || ky_clock() - view->taken < AFTER);
    const int closing = view->closing ? 1 + is_owed : 0;
    pthread_mutex_unlock(&view->lock);
    return closing;
}

/* ---- orders ---- */

/* The flags that a command sets in `asked` and clears, and the steps that it adds. */
static const struct order {
    const char *path;
    unsigned set, clear;
    uint64_t steps;
} known[] = {
    {"/pause", KY_VIEW_PAUSE, 0, 0},  {"/step", KY_VIEW_PAUSE, 0, 1},
    {"/resume", 0, KY_VIEW_PAUSE, 0}, {"/snapshot", KY_VIEW_SNAPSHOT, 0, 0},
    {"/stop", KY_VIEW_STOP, 0, 0},
};

static const struct order *find(const char *path)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].path, path))
            return &known[k];
    return NULL;
}

int ky_desk_is_order(const char *path)
{
    return find(path) != NULL;
}

int ky_desk_order(struct ky_view *view, const char *path)
{
    const struct order *order = find(path);
    pthread_mutex_lock(&view->lock);
    const int takes = view->of == KY_VIEW_RUN && !view->closing;
    if (takes) {
        view->single = order->clear & KY_VIEW_PAUSE ? 0 : view->single + order->steps;
        set_asked(view, order->clear, 0);
        set_asked(view, order->set, 1);
        view->orders++;
        pthread_cond_signal(&view->changed);
    }
    pthread_mutex_unlock(&view->lock);
    return takes;
}

/* ---- for the run ---- */

static enum ky_status begin(struct ky_view *view, int is_run, const char *energy,
                            struct ky_error *error)
{
    char *path = energy ? copy(energy) : NULL;
    if (energy && !path)
        return ky_no_memory(error, "name of energy.csv", strlen(energy) + 1, 1);
    pthread_mutex_lock(&view->lock);
    free(view->energy);
    view->energy = path;
    view->of = is_run ? KY_VIEW_RUN : KY_VIEW_FOLDER;
    view->single = 0;
    set_asked(view, KY_VIEW_PAUSE | KY_VIEW_SNAPSHOT | KY_VIEW_STOP, 0);
    pthread_mutex_unlock(&view->lock);
    return KY_OK;
}

static void end(struct ky_view *view)
{
    pthread_mutex_lock(&view->lock);
    view->of = KY_VIEW_NOTHING;
    pthread_mutex_unlock(&view->lock);
}

static unsigned asked(struct ky_view *view)
{
    return view->asked;
}

static unsigned take(struct ky_view *view, unsigned orders, uint64_t *count)
{
    pthread_mutex_lock(&view->lock);
    const unsigned asked = view->asked;
    set_asked(view, orders, 0);
    *count = view->orders;
    pthread_mutex_unlock(&view->lock);
    return asked;
}

static int is_watched(struct ky_view *view, double seconds)
{
    pthread_mutex_lock(&view->lock);
    const int is = missing(view) || (view->taken > 0 && ky_clock() - view->taken < seconds);
    pthread_mutex_unlock(&view->lock);
    return is;
}

static size_t most(const struct ky_view *view)
{
    return view->most;
}

/* Waits for a command or a requested frame, with the lock held. */
static void wait_for(struct ky_view *view, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long nanoseconds = until.tv_nsec + (long)(1e9 * seconds);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_cond_timedwait(&view->changed, &view->lock, &until);
}

static int hold(struct ky_view *view, double seconds)
{
    pthread_mutex_lock(&view->lock);
    const int holds = (view->asked & KY_VIEW_PAUSE) && !view->single;
    if (holds)
        wait_for(view, seconds);
    else if (view->single)
        view->single--;
    pthread_mutex_unlock(&view->lock);
    return holds;
}

uint64_t ky_view_next(struct ky_view *view, double seconds)
{
    pthread_mutex_lock(&view->lock);
    uint64_t number = missing(view);
    if (!number) {
        wait_for(view, seconds);
        number = missing(view);
    }
    pthread_mutex_unlock(&view->lock);
    return number;
}

static enum ky_status give(struct ky_view *view, const struct ky_view_frame *frame, uint64_t number,
                           struct ky_error *error)
{
    if (!number)
        number = view->number + 1; /* only this thread changes it */
    struct ky_view_frame own = *frame;
    own.title = view->title ? view->title : frame->title;
    struct ky_blob *blob =
        ky_blob_of_frame(&own, (double)number, (asked(view) & KY_VIEW_PAUSE) != 0);
    if (!blob)
        return ky_no_memory(error, "a frame", frame->shown->n, 4 * sizeof(float));
    pthread_mutex_lock(&view->lock);
    ky_blob_drop(view->frame);
    view->frame = blob;
    view->number = number;
    view->is_taken = 0;
    lay_ready(view);
    set_asked(view, KY_VIEW_FRAME, missing(view) != 0);
    pthread_mutex_unlock(&view->lock);
    (void)!write(view->wake[1], "", 1); /* if the pipe is full, the thread wakes anyway */
    return KY_OK;
}

static int is_inherited(const struct ky_view *view)
{
    return view->process != getpid();
}

const struct ky_view_calls ky_view_desk = {begin,      is_inherited, asked, take, hold,
                                           is_watched, most,         give,  end};
