/* The centre of a picture: a body, the centre of mass, or the densest part.
 *
 * A density centre would make a film jitter, since it jumps with the few bodies at the peak, and
 * between the nuclei of a merger. So it is only the start: from there the camera moves to the
 * centre of the mass that the picture shows, weighted by (1 − r²/side²)², until it converges (the
 * mean shift of Fukunaga & Hostetler 1975). The weight of a body falls smoothly with distance, so
 * the centre moves as smoothly as the bodies do; and two nuclei nearer than 0.89 sides have one
 * such centre, between them.
 *
 * Nuclei farther apart have one centre each. A film stays with one of them: the one with most
 * bodies of the anchor, which are the bodies at the centre of the last snapshot. */
#include <math.h>
#include <string.h>

#include "base/block_sums.h"
#include "base/number.h"
#include "base/order.h"
#include "base/status.h"
#include "draw/draw.h"
#include "octree/sample.h"

/* At most this many bodies are used, the same ones in every snapshot of a run. */
enum { SAMPLE = 1 << 16 };

enum ky_status ky_about_read(const char *text, struct ky_about *about, struct ky_error *error)
{
    static const char of_group[] = "group:";
    char *end;
    *about = (struct ky_about){.kind = KY_ABOUT_NOTHING};
    if (!text)
        return KY_OK;
    static const struct {
        const char *word;
        int kind;
    } words[] = {{"density", KY_ABOUT_DENSITY}, {"mass", KY_ABOUT_MASS}, {"auto", KY_ABOUT_AUTO}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(text, words[k].word)) {
            about->kind = words[k].kind;
            return KY_OK;
        }
    const int group = strncmp(text, of_group, strlen(of_group)) == 0;
    const char *number = text + (group ? strlen(of_group) : 0);
    about->kind = group ? KY_ABOUT_GROUP : KY_ABOUT_ID;
    about->id = ky_number_count(number, &end);
    if (end == number || *end)
        return ky_fail(error, KY_USAGE,
                       "--about: '%.40s' is not density, mass, auto, the id of a body or group:K",
                       text);
    return KY_OK;
}

/* The bodies that are used. */
struct sample {
    const struct ky_bodies *bodies;
    size_t count;
    struct ky_sample_order order;
};

/* The vector from `place` to body i; returns its squared length. */
static double vector_to(const struct ky_bodies *bodies, size_t i, const double place[3],
                        double d[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = bodies->position[i][c] - place[c];
        r2 += d[c] * d[c];
    }
    return r2;
}

/* One mean-shift step, to the weighted centre of the bodies around `place`. 0 if there are none. */
static int shift(const struct sample *sample, double side, double place[3])
{
    const double per_side2 = 1 / (side * side);
    double sum = 0, moment[3] = {0, 0, 0}, d[3];
    for (size_t k = 0; k < sample->count; k++) {
        const size_t i = ky_sampled(sample->order, sample->count, k);
        const double near = fmax(0, 1 - vector_to(sample->bodies, i, place, d) * per_side2);
        const double weight = near * near * sample->bodies->mass[i];
        sum += weight;
        for (int c = 0; c < 3; c++)
            moment[c] += weight * d[c];
    }
    for (int c = 0; c < 3 && sum > 0; c++)
        place[c] += moment[c] / sum;
    return sum > 0;
}

/* Moves `place` to the nearest body with mass. */
static void go_to_nearest(const struct sample *sample, double place[3])
{
    double nearest = HUGE_VAL, d[3], found[3] = {place[0], place[1], place[2]};
    for (size_t k = 0; k < sample->count; k++) {
        const size_t i = ky_sampled(sample->order, sample->count, k);
        const double r2 = vector_to(sample->bodies, i, place, d);
        if (r2 < nearest && sample->bodies->mass[i] > 0) {
            nearest = r2;
            memcpy(found, sample->bodies->position[i], sizeof found);
        }
    }
    memcpy(place, found, sizeof found);
}

/* Moves from the density centre to the centre of the visible bodies. A density centre between two
 * nuclei may have no bodies around it. */
static void settle(const struct ky_bodies *bodies, double side, double place[3])
{
    enum { MOST = 100 };
    const double still = 1e-5 * side;
    const struct sample sample = {bodies, bodies->n < SAMPLE ? bodies->n : SAMPLE,
                                  ky_sample_order(bodies->n)};
    if (!shift(&sample, side, place))
        go_to_nearest(&sample, place);
    for (int step = 0; step < MOST; step++) {
        double before[3], moved = 0;
        memcpy(before, place, sizeof before);
        shift(&sample, side, place);
        for (int c = 0; c < 3; c++)
            moved = fmax(moved, fabs(place[c] - before[c]));
        if (moved < still)
            return;
    }
}

/* The centre of mass, or the mean position if no body has mass. */
static void mean_place(const struct ky_bodies *bodies, int by_number, double place[3])
{
    if (!by_number) {
        ky_mean(bodies->n, bodies->mass, bodies->position, place);
        return;
    }
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            sum[c] += bodies->position[i][c];
    for (int c = 0; c < 3; c++)
        place[c] = sum[c] / (double)bodies->n;
}

static enum ky_status place_of_id(const struct ky_bodies *bodies, uint64_t id, double place[3],
                                  struct ky_error *error)
{
    for (size_t i = 0; i < bodies->n; i++)
        if ((bodies->id ? bodies->id[i] : i) == id) {
            memcpy(place, bodies->position[i], 3 * sizeof *place);
            return KY_OK;
        }
    return ky_fail(error, KY_BAD_DATA, "--about: no body has the id %llu", (unsigned long long)id);
}

/* ---- anchors ---- */

void ky_anchor_choose(struct ky_anchor *anchor, const struct ky_bodies *bodies,
                      const double place[3])
{
    double r2[KY_ANCHORS], d[3];
    anchor->count = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const double here = vector_to(bodies, i, place, d);
        size_t k = anchor->count;
        if (k == KY_ANCHORS && here >= r2[k - 1])
            continue;
        k -= k == KY_ANCHORS;
        for (; k > 0 && r2[k - 1] > here; k--) {
            r2[k] = r2[k - 1];
            anchor->index[k] = anchor->index[k - 1];
        }
        r2[k] = here, anchor->index[k] = i;
        anchor->count += anchor->count < KY_ANCHORS;
    }
    for (size_t k = 0; k < anchor->count; k++)
        anchor->id[k] = bodies->id ? bodies->id[anchor->index[k]] : anchor->index[k];
}

/* Finds the bodies of the anchor: index[], SIZE_MAX for bodies that do not exist. */
static void find_anchors(const struct ky_anchor *anchor, const struct ky_bodies *bodies,
                         size_t index[KY_ANCHORS])
{
    size_t missing = 0;
    for (size_t k = 0; k < anchor->count; k++) {
        const size_t i = anchor->index[k];
        const int there = i < bodies->n && (bodies->id ? bodies->id[i] : i) == anchor->id[k];
        index[k] = there ? i : SIZE_MAX;
        missing += !there;
    }
    for (size_t i = 0; i < bodies->n && missing && bodies->id; i++)
        for (size_t k = 0; k < anchor->count; k++)
            if (bodies->id[i] == anchor->id[k])
                index[k] = i;
}

/* The median position of an anchor's bodies. 0 if fewer than half of them exist. */
static int place_of_anchor(const struct ky_anchor *anchor, const struct ky_bodies *bodies,
                           double place[3])
{
    size_t index[KY_ANCHORS], there = 0;
    double x[KY_ANCHORS];
    find_anchors(anchor, bodies, index);
    for (int c = 0; c < 3; c++) {
        there = 0;
        for (size_t k = 0; k < anchor->count; k++)
            if (index[k] != SIZE_MAX)
                x[there++] = bodies->position[index[k]][c];
        if (2 * there <= anchor->count)
            return 0;
        place[c] = ky_median(x, there);
    }
    return 1;
}

enum ky_status ky_about_find(const struct ky_about *about, const struct ky_bodies *bodies,
                             const struct ky_anchor *anchor, double side, double place[3],
                             struct ky_error *error)
{
    if (!bodies->n) {
        for (int c = 0; c < 3; c++)
            place[c] = 0;
        return KY_OK;
    }
    if (about->kind == KY_ABOUT_ID)
        return place_of_id(bodies, about->id, place, error);
    const int by_number = !ky_count_positive(bodies->n, bodies->mass);
    if (by_number || about->kind == KY_ABOUT_MASS) {
        mean_place(bodies, by_number, place);
        return KY_OK;
    }
    if (!anchor || !place_of_anchor(anchor, bodies, place))
        KY_TRY(ky_sampled_centre(bodies, place, error));
    if (side > 0)
        settle(bodies, side, place);
    return KY_OK;
}
