/* Films: frames of snapshots, by a camera that may turn, rise and zoom. Threads draw several frames
 * at the same time; frames are read one after the other, and sent to ffmpeg in order. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "base/status.h"
#include "base/threads.h"
#include "draw/draw.h"
#include "draw/encoder.h"

#define FIELD(name) offsetof(struct ky_film_parameters, name)
const struct ky_option ky_film_options[] = {
    {"rate", KY_OPTION_INTEGER, FIELD(rate), "25", 1, 1000, NULL, NULL, "frames a second"},
    {"frames", KY_OPTION_COUNT, FIELD(frames), "0", 0, 1e6, NULL, NULL,
     "number of frames, evenly over the snapshots; 0: one a snapshot"},
    {"turn-to", KY_OPTION_REAL, FIELD(turn_to), NULL, -36000, 36000, NULL, "DEGREES",
     "azimuth of the camera (--turn) at the last frame; without it the camera does not turn "
     "[degrees]"},
    {"tilt-to", KY_OPTION_REAL, FIELD(tilt_to), NULL, -36000, 36000, NULL, "DEGREES",
     "elevation of the camera (--tilt) at the last frame; without it the camera does not rise "
     "[degrees]"},
    {"region-to", KY_OPTION_REAL, FIELD(region_to), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "--region of the last frame; without it the camera does not zoom [length]"},
    {"at-once", KY_OPTION_COUNT, FIELD(at_once), "0", 0, 1024, NULL, NULL,
     "frames that are drawn at the same time; 0: one per thread, fewer if they need more than 4 "
     "GB"},
};
const size_t ky_film_option_count = sizeof ky_film_options / sizeof *ky_film_options;

static struct ky_option_set option_set(struct ky_film_parameters *film)
{
    return (struct ky_option_set){"film", ky_film_options, ky_film_option_count, film, NULL, NULL};
}

void ky_film_parameters_defaults_sized(struct ky_film_parameters *film, size_t size)
{
    struct ky_film_parameters own = {.size = sizeof own};
    const struct ky_option_set set = option_set(&own);
    ky_options_defaults(&set);
    ky_size_fill(film, size, &own, sizeof own);
}

/* The snapshot that a thread has read last, and its canvas. */
struct desk {
    char miss[256]; /* "" if the frame shows a body */
    size_t file;    /* index of the file; SIZE_MAX: nothing read yet */
    struct ky_snapshot snapshot;
    struct ky_canvas canvas;
};

struct film {
    const char *const *files;
    size_t count;
    struct ky_read_options reading;
    struct ky_draw_parameters parameters; /* with --show auto resolved */
    struct ky_film_parameters wanted;
    struct ky_scene scene; /* of the first frame */
    struct ky_layout layout;
    size_t frames;
    struct desk *desks;
    int at_once;
    pthread_mutex_t lock; /* for the members below, and for reading files */
    pthread_cond_t sent;
    size_t missed;         /* number of frames that show none of their bodies */
    char miss[256];        /* message of the first of these frames */
    size_t taken, written; /* frames begun; frames sent to the encoder */
    enum ky_status status;
    struct ky_error failure; /* the first failure */
};

/* Reads a snapshot and checks that it can be drawn. */
static enum ky_status read_file(const struct film *film, size_t file, struct ky_snapshot *snapshot,
                                struct ky_error *error)
{
    ky_snapshot_free(snapshot);
    KY_TRY(ky_snapshot_read_as(film->files[file], &film->reading, snapshot, error));
    return ky_draw_check(&snapshot->bodies, error);
}

/* Chooses view and brightness from the first, the middle and the last snapshot, and the number of
 * frames that are drawn at a time: as many as fit in 4 GB, at most one per thread. */
static enum ky_status choose_scene(struct film *film)
{
    enum { SAMPLES = 3 };
    const double memory = 4e9;
    const struct ky_film_parameters *wanted = &film->wanted;
    struct ky_error *error = &film->failure;
    struct ky_snapshot samples[SAMPLES];
    size_t count = film->count < SAMPLES ? film->count : SAMPLES, largest = 0;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count; k++)
        ky_snapshot_clear(&samples[k]);
    for (size_t k = 0; k < count && !status; k++) {
        status = read_file(film, ky_spread(k, count, film->count), &samples[k], error);
        largest = samples[k].bodies.n > largest ? samples[k].bodies.n : largest;
    }
    int round = !isnan(wanted->turn_to) || !isnan(wanted->tilt_to);
    film->parameters.show = ky_show_of(&film->parameters, largest);
    if (!status)
        status = ky_scene_choose(&film->scene, samples, count, round, NULL, error);
    if (!status && ky_view_follows(&film->scene.view,
                                   &film->parameters)) /* the view is aimed at the last snapshot */
        ky_anchor_choose(&film->scene.view.anchor, &samples[count - 1].bodies,
                         film->scene.view.middle);
    if (!status)
        ky_layout_choose(&film->layout, &film->scene, 1, &samples[0]);
    for (size_t k = 0; k < count; k++)
        ky_snapshot_free(&samples[k]);
    double pixels = (double)film->scene.size[0] * (double)film->scene.size[1];
    double most = memory / (120.0 * (double)largest + 100 * pixels + 1);
    film->at_once =
        wanted->at_once ? (int)wanted->at_once : (int)fmax(1, fmin(most, (double)ky_threads(0)));
    return status;
}

/* The scene of frame k. */
static struct ky_scene scene_of(const struct film *film, size_t k)
{
    const struct ky_film_parameters *wanted = &film->wanted;
    const struct ky_draw_parameters *parameters = &film->parameters;
    struct ky_scene scene = film->scene;
    double f = film->frames > 1 ? (double)k / (double)(film->frames - 1) : 0;
    double turn = isnan(wanted->turn_to) ? 0 : wanted->turn_to - parameters->turn;
    double tilt = isnan(wanted->tilt_to) ? 0 : wanted->tilt_to - parameters->tilt;
    ky_view_turn(&scene.view, parameters->axis, parameters->turn + f * turn,
                 parameters->tilt + f * tilt);
    if (!isnan(wanted->region_to))
        scene.view.side *= pow(wanted->region_to / scene.view.side, f);
    return scene;
}

/* Stores a failure if it is the first; the caller holds the lock. */
static void note(struct film *film, enum ky_status status, const struct ky_error *error)
{
    if (!status || film->status)
        return;
    film->status = status;
    film->failure = *error;
}

/* Draws frame k on the desk. */
static enum ky_status draw_frame(struct film *film, size_t k, struct desk *desk,
                                 struct ky_error *error)
{
    size_t file = ky_spread(k, film->frames, film->count);
    enum ky_status status = KY_OK;
    if (desk->file != file) {
        pthread_mutex_lock(&film->lock);
        status = film->status ? film->status : read_file(film, file, &desk->snapshot, error);
        note(film, status, error);
        pthread_mutex_unlock(&film->lock);
        desk->file = file;
    }
    if (!status && !desk->canvas.rgb)
        status = ky_layout_open(&film->layout, &film->scene, &desk->canvas, error);
    if (!status) {
        struct ky_scene scene = scene_of(film, k);
        status = ky_view_aim(&scene.view, &film->parameters, &desk->snapshot, error);
        if (status || !ky_view_misses(&scene.view, scene.size, &desk->snapshot, desk->miss,
                                      sizeof desk->miss))
            *desk->miss = 0;
        if (!status)
            status = ky_frame_draw(&scene, &film->layout, &desk->snapshot, &desk->canvas, error);
    }
    return status;
}

/* The next frame to draw, or `frames` at the end: after a failure or a stop the rest is skipped. */
static size_t take_frame(struct film *film, struct ky_error *error)
{
    pthread_mutex_lock(&film->lock);
    if (film->wanted.stop && *film->wanted.stop)
        note(film, ky_fail(error, KY_STOPPED, "stopped by the program"), error);
    size_t k = film->status ? film->frames : film->taken;
    film->taken += k < film->frames;
    pthread_mutex_unlock(&film->lock);
    return k;
}

/* Sends frame k after all earlier frames are sent. Stores the first failure. */
static void send_frame(struct film *film, size_t k, struct ky_encoder *encoder,
                       const struct desk *desk, enum ky_status status, struct ky_error *error)
{
    pthread_mutex_lock(&film->lock);
    while (film->written < k)
        pthread_cond_wait(&film->sent, &film->lock);
    if (!status && !film->status) { /* unlocked while it sends: later frames wait */
        pthread_mutex_unlock(&film->lock);
        status = ky_encoder_write(encoder, &desk->canvas, error);
        pthread_mutex_lock(&film->lock);
    }
    note(film, status, error);
    film->written = k + 1;
    if (!film->status) {
        if (*desk->miss && !film->missed++)
            memcpy(film->miss, desk->miss, sizeof film->miss);
        if (film->wanted.progress)
            film->wanted.progress(film->wanted.progress_context, k + 1, film->frames);
    }
    pthread_cond_broadcast(&film->sent);
    pthread_mutex_unlock(&film->lock);
}

/* Draws all frames and sends them. */
static void draw_frames(struct film *film, struct ky_encoder *encoder)
{
    pthread_mutex_init(&film->lock, NULL);
    pthread_cond_init(&film->sent, NULL);
#pragma omp parallel for schedule(static, 1) num_threads(film->at_once)
    for (int d = 0; d < film->at_once; d++) {
        struct ky_error error = {0};
        for (size_t k; (k = take_frame(film, &error)) < film->frames;) {
            enum ky_status status = draw_frame(film, k, &film->desks[d], &error);
            send_frame(film, k, encoder, &film->desks[d], status, &error);
        }
    }
    pthread_mutex_destroy(&film->lock);
    pthread_cond_destroy(&film->sent);
}

/* Warns of frames that show none of their bodies. */
static void warn_of_misses(const struct film *film)
{
    char line[320];
    ky_format(line, sizeof line, "%zu of %zu frames show no body; the first: %s", film->missed,
              film->frames, film->miss);
    if (film->parameters.log)
        film->parameters.log(film->parameters.log_context, KY_LOG_WARNING, line);
}

/* KY_USAGE for a single snapshot without a number of frames. Called after it was read, so that a
 * missing or damaged file is reported first. */
static enum ky_status refuse_one(const struct film *film, struct ky_error *error)
{
    struct ky_snapshot snapshot;
    ky_snapshot_clear(&snapshot);
    const enum ky_status status = read_file(film, 0, &snapshot, error);
    ky_snapshot_free(&snapshot);
    return status ? status
                  : ky_fail(error, KY_USAGE,
                            "%s: a single snapshot makes no film; give the number of --frames, and "
                            "a motion of the camera: --turn-to 360",
                            film->files[0]);
}

/* Fills in the parameters' defaults. KY_USAGE for options that films do not have. */
static enum ky_status adopt(struct film *film, const struct ky_draw_parameters *parameters,
                            const struct ky_film_parameters *wanted, struct ky_error *error)
{
    ky_film_parameters_defaults(&film->wanted);
    enum ky_status status = ky_size_adopt(&film->wanted, sizeof film->wanted, wanted,
                                          "ky_film_parameters_defaults", error);
    struct ky_option_set set = option_set(&film->wanted);
    if (!status)
        status = ky_options_check(&set, error);
    if (!status)
        status = ky_draw_adopt(parameters, &film->parameters, error);
    if (!status && (!film->files || !film->count))
        status = ky_fail(error, KY_USAGE, "no film: give at least one snapshot");
    for (size_t k = 0; k < film->count && !status; k++)
        if (!film->files[k])
            status = ky_fail(error, KY_USAGE, "ky_film: files[%zu] is NULL", k);
    if (!status && film->parameters.show == KY_SHOW_TRAILS)
        return ky_fail(error, KY_USAGE,
                       "a film shows density, components or velocity: trails are a picture");
    if (!status && film->count == 1 && !film->wanted.frames)
        return refuse_one(film, error);
    return status;
}

/* Chooses the scene and makes a desk for each frame that is drawn at the same time. */
static enum ky_status begin(struct film *film)
{
    struct ky_error *error = &film->failure;
    const struct ky_draw_parameters *parameters = &film->parameters;
    film->scene.parameters = parameters;
    film->scene.size[0] = (size_t)parameters->width;
    film->scene.size[1] = (size_t)(parameters->height ? parameters->height : parameters->width);
    film->frames = film->wanted.frames ? (size_t)film->wanted.frames : film->count;
    KY_TRY(ky_encoder_available(error));
    KY_TRY(choose_scene(film));
    KY_TRY(ky_array_zeroed(&film->desks, (size_t)film->at_once, sizeof *film->desks, "the film",
                           error));
    for (int d = 0; d < film->at_once; d++) {
        film->desks[d].file = SIZE_MAX;
        ky_snapshot_clear(&film->desks[d].snapshot);
    }
    return KY_OK;
}

static void end(struct film *film)
{
    for (int d = 0; film->desks && d < film->at_once; d++) {
        ky_snapshot_free(&film->desks[d].snapshot);
        ky_canvas_close(&film->desks[d].canvas);
    }
    free(film->desks);
}

/* Draws the frames to a file. */
static enum ky_status make(struct film *film, const char *path)
{
    struct ky_encoder *encoder = NULL;
    struct ky_error ending;
    const size_t size[2] = {film->layout.width, film->layout.height};
    film->status = ky_encoder_open(path, size, film->wanted.rate, film->parameters.overwrite,
                                   &encoder, &film->failure);
    if (!film->status)
        draw_frames(film, encoder);
    if (!film->status && film->missed)
        warn_of_misses(film);
    enum ky_status status = ky_encoder_close(encoder, !film->status, &ending);
    if (status)
        film->failure = ending;
    return film->status ? film->status : status;
}

enum ky_status ky_film(const char *path, const char *const *files, size_t count,
                       const struct ky_read_options *reading,
                       const struct ky_draw_parameters *parameters,
                       const struct ky_film_parameters *film, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(parameters, error);
    struct film work = {.files = files, .count = count};
    KY_TRY(ky_draw_reading(reading, &work.reading, error));
    KY_TRY(adopt(&work, parameters, film, error));
    enum ky_status status = begin(&work);
    if (!status)
        status = make(&work, path);
    end(&work);
    if (status && error)
        *error = work.failure;
    return status;
}
