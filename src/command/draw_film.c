/* Films: frames of snapshots, by a camera that may turn, rise and zoom. Several frames are drawn at
 * the same time; they are read one after the other, and sent to ffmpeg in their order. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "command/draw.h"
#include "draw/encoder.h"

/* What a thread has read last, and draws on. */
struct desk {
    char miss[256]; /* "" if the frame shows a body */
    size_t file;    /* SIZE_MAX: nothing yet */
    struct ky_snapshot snapshot;
    struct ky_canvas canvas;
};

struct film {
    struct cli *cli;
    const struct draw_request *request;
    const struct file_list *files;
    struct ky_draw_parameters parameters; /* with what --show auto stands for */
    struct ky_scene scene;                /* of the first frame */
    struct ky_layout layout;
    size_t frames;
    struct desk *desks;
    int at_once;
    double began, told;   /* ky_clock */
    pthread_mutex_t lock; /* for what follows, and for reading files */
    pthread_cond_t sent;
    size_t missed;         /* frames that show none of their bodies */
    char miss[256];        /* what the first of them says */
    size_t taken, written; /* frames: begun, sent to the encoder */
    enum ky_status status;
};

/* Reads a snapshot and looks whether it can be drawn. */
static enum ky_status read_file(const struct film *film, size_t file, struct ky_snapshot *snapshot)
{
    ky_snapshot_free(snapshot);
    enum ky_status status =
        reading_get(film->cli, film->request->reading, film->files->names[file], NULL, 1, snapshot);
    return status ? status : ky_drawable(&snapshot->bodies, &film->cli->error);
}

/* Chooses view and brightness by the first, the middle and the last snapshot, and how many frames
 * are drawn at a time: as many as 4 GB hold, at most one a thread. */
static enum ky_status choose_scene(struct film *film)
{
    enum { SAMPLES = 3 };
    const double memory = 4e9;
    const struct draw_request *request = film->request;
    struct ky_snapshot samples[SAMPLES];
    size_t count = film->files->count < SAMPLES ? film->files->count : SAMPLES, largest = 0;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count; k++)
        ky_snapshot_clear(&samples[k]);
    for (size_t k = 0; k < count && !status; k++) {
        status = read_file(film, files_spread(k, count, film->files->count), &samples[k]);
        largest = samples[k].bodies.n > largest ? samples[k].bodies.n : largest;
    }
    int round = !isnan(request->turn_to) || !isnan(request->tilt_to);
    film->parameters.show = ky_show_of(&film->parameters, largest);
    if (!status)
        status = ky_scene_choose(&film->scene, samples, count, round, NULL, &film->cli->error);
    if (!status && film->parameters.about) /* the view is aimed at the last of them */
        ky_anchor_choose(&film->scene.view.anchor, &samples[count - 1].bodies,
                         film->scene.view.middle);
    if (!status)
        ky_layout_choose(&film->layout, &film->scene, 1, &samples[0].units);
    for (size_t k = 0; k < count; k++)
        ky_snapshot_free(&samples[k]);
    double pixels = (double)film->scene.size[0] * (double)film->scene.size[1];
    double most = memory / (120.0 * (double)largest + 100 * pixels + 1);
    film->at_once =
        request->at_once ? (int)request->at_once : (int)fmax(1, fmin(most, (double)ky_threads(0)));
    return status;
}

/* The scene of frame k. */
static struct ky_scene scene_of(const struct film *film, size_t k)
{
    const struct draw_request *request = film->request;
    const struct ky_draw_parameters *parameters = request->parameters;
    struct ky_scene scene = film->scene;
    double f = film->frames > 1 ? (double)k / (double)(film->frames - 1) : 0;
    double turn = isnan(request->turn_to) ? 0 : request->turn_to - parameters->turn;
    double tilt = isnan(request->tilt_to) ? 0 : request->tilt_to - parameters->tilt;
    ky_view_turn(&scene.view, parameters->axis, parameters->turn + f * turn,
                 parameters->tilt + f * tilt);
    if (!isnan(request->region_to))
        scene.view.side *= pow(request->region_to / scene.view.side, f);
    return scene;
}

/* Tells how far the film is: a line that is written over on a terminal, else one now and then. */
static void tell(struct film *film, size_t done)
{
    int terminal = isatty(STDERR_FILENO), last = done == film->frames;
    double now = ky_clock(), seconds = now - film->began;
    if (film->cli->quiet || (!last && now - film->told < (terminal ? 0.1 : 10)))
        return;
    film->told = now;
    fprintf(stderr, "%sframe %zu of %zu, %.3g frames/s, %.0f s left%s", terminal ? "\r\033[K" : "",
            done, film->frames, (double)done / fmax(seconds, 1e-9),
            seconds / (double)done * (double)(film->frames - done), terminal && !last ? "" : "\n");
}

/* Draws frame k on the desk. */
static enum ky_status draw_frame(struct film *film, size_t k, struct desk *desk,
                                 struct ky_error *error)
{
    size_t file = files_spread(k, film->frames, film->files->count);
    enum ky_status status = KY_OK;
    if (desk->file != file) {
        pthread_mutex_lock(&film->lock);
        status = film->status ? film->status : read_file(film, file, &desk->snapshot);
        film->status = status;
        pthread_mutex_unlock(&film->lock);
        desk->file = file;
    }
    if (!status && !desk->canvas.rgb)
        status = ky_layout_open(&film->layout, &film->scene, &desk->canvas, error);
    if (!status) {
        struct ky_scene scene = scene_of(film, k);
        status = ky_view_aim(&scene.view, &film->parameters, &desk->snapshot.bodies, error);
        if (status || !ky_view_misses(&scene.view, scene.size, &desk->snapshot, desk->miss,
                                      sizeof desk->miss))
            *desk->miss = 0;
        if (!status)
            status = ky_frame_draw(&scene, &film->layout, &desk->snapshot, &desk->canvas, error);
    }
    return status;
}

/* The next frame to draw, or `frames`: after a failure the rest is passed over. */
static size_t take_frame(struct film *film)
{
    pthread_mutex_lock(&film->lock);
    size_t k = film->status ? film->frames : film->taken;
    film->taken += k < film->frames;
    pthread_mutex_unlock(&film->lock);
    return k;
}

/* Sends frame k when those before it are sent. Notes the first failure. */
static void send_frame(struct film *film, size_t k, struct ky_encoder *encoder,
                       const struct desk *desk, enum ky_status status, struct ky_error *error)
{
    pthread_mutex_lock(&film->lock);
    while (film->written < k)
        pthread_cond_wait(&film->sent, &film->lock);
    if (!status && !film->status) { /* the others go on: it is the turn of none of them */
        pthread_mutex_unlock(&film->lock);
        status = ky_encoder_write(encoder, &desk->canvas, error);
        pthread_mutex_lock(&film->lock);
    }
    if (status && !film->status) {
        film->status = status;
        film->cli->error = *error;
    }
    film->written = k + 1;
    if (!film->status) {
        if (*desk->miss && !film->missed++)
            memcpy(film->miss, desk->miss, sizeof film->miss);
        tell(film, k + 1);
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
        for (size_t k; (k = take_frame(film)) < film->frames;) {
            enum ky_status status = draw_frame(film, k, &film->desks[d], &error);
            send_frame(film, k, encoder, &film->desks[d], status, &error);
        }
    }
    pthread_mutex_destroy(&film->lock);
    pthread_cond_destroy(&film->sent);
}

/* Warns of the frames that show none of their bodies. */
static void warn_of_misses(const struct film *film)
{
    char line[320];
    ky_format(line, sizeof line, "%zu of %zu frames show no body; the first: %s", film->missed,
              film->frames, film->miss);
    cli_log(film->cli, KY_LOG_WARNING, line);
}

/* What films cannot do. */
static enum ky_status check(struct cli *cli, const struct draw_request *request,
                            const struct file_list *files)
{
    if (request->parameters->show == KY_SHOW_TRAILS)
        return ky_fail(&cli->error, KY_USAGE,
                       "a film shows density, components or velocity: trails are a picture");
    if (files->count == 1 && !request->frames)
        return ky_fail(
            &cli->error, KY_USAGE,
            "%s: one snapshot alone makes no film; say the number of --frames, and where "
            "the camera goes: --turn-to 360",
            files->names[0]);
    enum ky_status status = ky_draw_fits(request->parameters, &cli->error);
    return status ? status : ky_encoder_available(&cli->error);
}

enum ky_status draw_film(struct cli *cli, const struct draw_request *request,
                         const struct file_list *files, size_t *frames)
{
    const struct ky_draw_parameters *parameters = request->parameters;
    struct film film = {.cli = cli, .request = request, .files = files};
    struct ky_encoder *encoder = NULL;
    film.parameters = *parameters;
    film.scene.parameters = &film.parameters;
    film.scene.size[0] = (size_t)parameters->width;
    film.scene.size[1] = (size_t)(parameters->height ? parameters->height : parameters->width);
    *frames = film.frames = request->frames ? (size_t)request->frames : files->count;
    enum ky_status status = check(cli, request, files);
    if (!status)
        status = choose_scene(&film);
    if (status)
        return status;
    film.desks = ky_allocate_zeroed((size_t)film.at_once, sizeof *film.desks);
    if (!film.desks)
        return ky_no_memory(&cli->error, "the film", (size_t)film.at_once, sizeof *film.desks);
    for (int d = 0; d < film.at_once; d++) {
        film.desks[d].file = SIZE_MAX;
        ky_snapshot_clear(&film.desks[d].snapshot);
    }
    const size_t size[2] = {film.layout.width, film.layout.height};
    film.status = ky_encoder_open(request->output, size, request->rate, parameters->overwrite,
                                  &encoder, &cli->error);
    film.began = film.told = ky_clock();
    if (!film.status)
        draw_frames(&film, encoder);
    if (!film.status && film.missed)
        warn_of_misses(&film);
    struct ky_error ending;
    status = ky_encoder_close(encoder, !film.status, &ending);
    if (status)
        cli->error = ending;
    for (int d = 0; d < film.at_once; d++) {
        ky_snapshot_free(&film.desks[d].snapshot);
        ky_canvas_close(&film.desks[d].canvas);
    }
    free(film.desks);
    return film.status ? film.status : status;
}
