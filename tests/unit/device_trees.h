/* Bodies that are awkward for a tree, and a tree that a device makes of them, with the arrays that
 * are read back. Include after test.h. */
#ifndef KY_TEST_DEVICE_TREES_H
#define KY_TEST_DEVICE_TREES_H

#include "clouds.h"
#include "drivers.h"
#include "engines.h"

#include "engine/device/state/curve.h"
#include "engine/device/tree/device_tree.h"
#include "engine/device/tree/tree_groups.h"
#include "engine/force_options.h"
#include "octree/keys.h"
#include "octree/layout.h"

enum { CLUSTERS = CLOUDS, ESCAPERS, KINDS };

/* Makes bodies: clusters with sizes of a thousandth of their distances; or with a tenth of the
 * bodies at 1e6 radii in a few directions, where many have the same key. */
static inline struct ky_bodies tree_bodies(int kind, size_t n)
{
    struct ky_bodies bodies = cloud_make(kind < KINDS - 2 ? (enum cloud)kind : PLUMMER, n);
    for (size_t i = 0; i < n && kind >= CLUSTERS; i++) {
        struct ky_random random = ky_random_at(7, 0, kind == CLUSTERS ? i * i % 19 : i % 70);
        double far[3];
        ky_random_direction(&random, far);
        for (int c = 0; c < 3; c++)
            if (kind == CLUSTERS)
                bodies.position[i][c] = far[c] + 1e-3 * bodies.position[i][c];
            else if (i % 10 == 0)
                bodies.position[i][c] = 1e6 * (1 + 1e-3 * (double)(i % 13)) * far[c];
    }
    return bodies;
}

/* ---- a tree of the device, read back ---- */

struct made {
    struct ky_parameters p;
    struct ky_device_state state;
    struct ky_device_bodies *bodies; /* the first part */
    struct ky_device_tree tree;
    struct ky_cell_centre *centre;
    struct ky_low *low;
    struct ky_cell_link *link;
    struct ky_cell_box *box;
    float *moment;
    unsigned char *children;
    uint32_t *order, *group;
    double origin[3];
    struct ky_frame frame;
};

static inline void *read_back(struct made *made, const struct ky_buffer *buffer, size_t bytes)
{
    struct ky_error error = {0};
    struct ky_card *card = made->bodies->card;
    void *data = malloc(bytes);
    assert_true(buffer->bytes >= bytes);
    assert_ok(card->driver->read(card, buffer, 0, data, bytes, &error));
    return data;
}

static inline void read_tree(struct made *made)
{
    struct ky_device_tree *tree = &made->tree;
    const struct ky_card *card = made->bodies->card;
    const size_t cells = tree->cells, moments = KY_MOMENTS(made->p.multipole);
    made->centre = read_back(made, &tree->column.centre, cells * sizeof *made->centre);
    made->low = read_back(made, &tree->column.low, cells * sizeof *made->low);
    made->link = read_back(made, &tree->column.link, cells * sizeof *made->link);
    made->box = read_back(made, &tree->column.box, cells * sizeof *made->box);
    made->moment = read_back(made, &tree->column.moment, cells * moments * sizeof *made->moment);
    made->children = read_back(made, &tree->column.children, cells);
    made->order = read_back(made, &made->bodies->curve.index, made->bodies->n * sizeof(uint32_t));
    made->group = read_back(made, &tree->group, 2 * tree->groups * sizeof *made->group);
    union ky_state_value *frame = read_back(made, &tree->frame, KY_FRAME_NUMBERS * sizeof *frame);
    for (int c = 0; c < 3; c++) {
        made->origin[c] = ky_from_state(card, frame[KY_FRAME_ORIGIN + c]);
        made->frame.low[c] = ky_from_state(card, frame[KY_FRAME_LOW + c]);
    }
    made->frame.edge = ky_from_state(card, frame[KY_FRAME_EDGE]);
    made->frame.scale = ky_from_state(card, frame[KY_FRAME_SCALE]);
    free(frame);
}

static inline struct made *make_tree(const char *engine, const struct ky_parameters *given,
                                     const struct ky_bodies *cloud)
{
    static struct ky_externals none;
    struct ky_error error = {0};
    struct made *made = calloc(1, sizeof *made);
    struct ky_device_state *state = &made->state;
    state->opened.driver = driver_of(engine);
    state->threads = 1;
    state->externals = &none;
    state->parameters = &made->p;
    assert_ok(ky_force_resolve(given, &made->p, &error));
    made->p.engine = engine;
    assert_ok(ky_device_state_open(state, &error));
    made->bodies = &state->bodies;
    assert_ok(ky_device_bodies_resize(state, cloud->n, &error));
    assert_ok(ky_device_bodies_expect(state, cloud, &error));
    assert_ok(ky_device_bodies_put(state, cloud, &error));
    assert_ok(ky_device_tree_build(&made->tree, made->bodies, &made->p, &error));
    read_tree(made);
    ky_device_tree_done(&made->tree, made->bodies);
    return made;
}

static inline void free_tree(struct made *made)
{
    void *arrays[] = {made->centre, made->low,      made->link,  made->box,
                      made->moment, made->children, made->order, made->group};
    struct ky_device_bodies *bodies = made->bodies;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    ky_device_tree_release(&made->tree, bodies);
    ky_device_bodies_release(bodies);
    bodies->card->driver->close(bodies->card);
    free(made);
}

/* The keys in the device's frame, along the curve. Fails unless they ascend, with equal ones in the
 * caller's order. */
static inline uint64_t *keys_of(const struct made *made, const double *const x[3])
{
    static struct ky_hilbert hilbert;
    const struct ky_frame *frame = &made->frame;
    uint64_t *key = malloc(made->bodies->n * sizeof *key);
    ky_hilbert_init(&hilbert);
    for (size_t k = 0; k < made->bodies->n; k++) {
        uint32_t place[3], i = made->order[k];
        for (int c = 0; c < 3; c++)
            place[c] = ky_frame_position(x[c][i], frame->low[c], frame->scale);
        key[k] = ky_morton_key(place[0], place[1], place[2]);
        if (made->p.curve == KY_HILBERT)
            key[k] = ky_hilbert_key(&hilbert, key[k], KY_KEY_LEVELS);
        if (k > 0)
            assert_true(key[k - 1] < key[k] || (key[k - 1] == key[k] && made->order[k - 1] < i));
    }
    return key;
}

#endif
