/* Shared bytes of answers, and the bytes of a frame: see blob.h. */
#include "view/blob.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "view/view.h"

struct ky_blob *ky_blob_make(size_t size)
{
    struct ky_blob *blob = ky_allocate(1, sizeof *blob + size);
    if (blob)
        *blob = (struct ky_blob){.holders = 1, .size = size};
    return blob;
}

struct ky_blob *ky_blob_hold(struct ky_blob *blob)
{
    blob->holders++;
    return blob;
}

void ky_blob_drop(struct ky_blob *blob)
{
    if (blob && !--blob->holders)
        free(blob);
}

/* ---- frames ---- */

/* The mean position and velocity of the bodies. Floats relative to these keep the digits of a
 * system far from the origin. */
struct middle {
    double position[3], velocity[3];
};

static struct middle middle_of(const struct ky_bodies *shown)
{
    struct middle middle = {{0}, {0}};
    for (size_t i = 0; i < shown->n; i++)
        for (int c = 0; c < 3; c++) {
            middle.position[c] += shown->position[i][c] / (double)shown->n;
            middle.velocity[c] += shown->velocity[i][c] / (double)shown->n;
        }
    return middle;
}

static void write_unit(struct ky_json *json, const char *name, const struct ky_units *units,
                       struct ky_dimension dimension, double largest)
{
    char unit[KY_UNIT_TEXT];
    ky_json_object(json, name);
    ky_json_real(json, "factor", ky_unit_shown(units, dimension, largest, unit));
    ky_json_text(json, "name", unit);
    ky_json_end_object(json);
}

/* Writes the progress of a run. */
static void write_run(struct ky_json *json, const struct ky_view_frame *frame, int paused)
{
    ky_json_real(json, "end", frame->end);
    ky_json_count(json, "steps", frame->steps);
    ky_json_count(json, "steps_at_end", frame->steps_at_end);
    ky_json_real(json, "steps_per_s", frame->steps_per_s);
    ky_json_real(json, "seconds_left", frame->seconds_left);
    ky_json_real(json, "energy_change", frame->energy_change);
    ky_json_flag(json, "paused", paused);
    ky_json_text(json, "outcome", frame->outcome);
}

/* The JSON text of a frame; NULL if memory runs out. */
static char *text_of(const struct ky_view_frame *frame, double number, int paused,
                     const struct middle *middle)
{
    char *text = NULL;
    size_t size = 0;
    struct ky_json json = {.out = open_memstream(&text, &size)};
    if (!json.out)
        return NULL;
    ky_json_object(&json, NULL);
    ky_json_real(&json, "number", number);
    ky_json_text(&json, "title", frame->title);
    ky_json_flag(&json, "run", frame->steps_at_end != 0);
    ky_json_count(&json, "bodies", frame->n);
    ky_json_count(&json, "shown", frame->shown->n);
    ky_json_flag(&json, "types", frame->shown->type != NULL);
    ky_json_count(&json, "snapshots", frame->snapshots);
    ky_json_real(&json, "time", frame->time);
    ky_json_flag(&json, "comoving", frame->comoving);
    ky_json_real(&json, "box", frame->box);
    ky_json_vector(&json, "origin", middle->position, 3);
    write_unit(&json, "time_unit", frame->units, KY_TIME_UNIT,
               frame->steps_at_end && isfinite(frame->end) ? frame->end : frame->time);
    write_unit(&json, "length_unit", frame->units, KY_LENGTH_UNIT, (double)NAN);
    if (frame->steps_at_end)
        write_run(&json, frame, paused);
    ky_json_text(&json, "failure", frame->failure);
    ky_json_end_object(&json);
    if (!fclose(json.out))
        return text;
    free(text);
    return NULL;
}

/* Writes x, y, z and the speed of the bodies, relative to the middle. */
static void write_bodies(const struct ky_bodies *shown, const struct middle *middle,
                         unsigned char *to)
{
    for (size_t i = 0; i < shown->n; i++, to += 4 * sizeof(float)) {
        float row[4];
        double speed2 = 0;
        for (int c = 0; c < 3; c++) {
            const double v = shown->velocity[i][c] - middle->velocity[c];
            row[c] = (float)(shown->position[i][c] - middle->position[c]);
            speed2 += v * v;
        }
        row[3] = (float)sqrt(speed2);
        memcpy(to, row, sizeof row);
    }
}

struct ky_blob *ky_blob_of_frame(const struct ky_view_frame *frame, double number, int paused)
{
    const struct ky_bodies *shown = frame->shown;
    const struct middle middle = middle_of(shown);
    char *text = text_of(frame, number, paused, &middle);
    if (!text)
        return NULL;
    const size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    const size_t bodies = 4 * sizeof(float) * shown->n, types = shown->type ? shown->n : 0;
    struct ky_blob *blob = ky_blob_make(4 + padded + bodies + types);
    if (blob) {
        unsigned char *to = blob->byte;
        for (int k = 0; k < 4; k++)
            *to++ = (unsigned char)(padded >> 8 * k);
        memset(to, ' ', padded);
        memcpy(to, text, length);
        write_bodies(shown, &middle, to + padded);
        if (types)
            memcpy(to + padded + bodies, shown->type, types);
    }
    free(text);
    return blob;
}
