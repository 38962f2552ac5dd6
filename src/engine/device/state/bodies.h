/* The bodies: memory, transfer in and out, and the powers of two between the caller's numbers and
 * the engine's. */
#ifndef KY_DEVICE_BODIES_H
#define KY_DEVICE_BODIES_H

#include "engine/device/state/state.h"

/* Opens the card that the parameters name. The parameters and the use of the engine have to be set
 * before. */
enum ky_status ky_device_state_open(struct ky_device_state *state, struct ky_error *error);
/* Allocates n bodies; the previous ones must have been released. */
enum ky_status ky_device_bodies_resize(struct ky_device_state *state, size_t n,
                                       struct ky_error *error);
/* Releases everything whose size depends on the number of bodies. */
void ky_device_bodies_release(struct ky_device_bodies *bodies);
/* Bytes of the positions, and of the velocities: three numbers per body, plus space to align parts,
 * since curve.room is exchanged with these buffers and is divided into parts. */
size_t ky_device_room(size_t n);
/* Bytes on the card; bodies have their own softenings if the parameters have none. */
double ky_device_bodies_memory(const struct ky_parameters *parameters, size_t n);

/* The layout of an array: columns with one number per body. */
struct ky_device_array {
    struct ky_buffer *buffer;
    const char *what;       /* for errors */
    size_t columns, number; /* bytes of a number */
    size_t bytes;           /* of the buffer */
};
/* The layouts of all arrays, in the order of KY_ARRAY_…, including arrays that are not valid. */
void ky_device_arrays(struct ky_device_bodies *bodies, struct ky_device_array array[KY_ARRAYS]);

/* The layout of curve.index. */
static inline struct ky_device_array ky_device_index(struct ky_device_bodies *bodies)
{
    struct ky_buffer *index = &bodies->curve.index;
    const size_t word = sizeof(uint32_t);
    return (struct ky_device_array){index, index->what, 1, word, bodies->n * word};
}

/* Allocates an array, which becomes valid. */
enum ky_status ky_device_bodies_need(struct ky_device_bodies *bodies, int which,
                                     struct ky_error *error);

/* Finds units and softenings for the bodies that the next put will copy. */
enum ky_status ky_device_bodies_expect(struct ky_device_state *state, const struct ky_bodies *given,
                                       struct ky_error *error);
/* Discards the state of the former bodies. The units must be the units of the new bodies. */
enum ky_status ky_device_bodies_begin(struct ky_device_state *state, int has_acceleration,
                                      struct ky_error *error);
/* Copies the expected bodies to the card. */
enum ky_status ky_device_bodies_put(struct ky_device_state *state, const struct ky_bodies *given,
                                    struct ky_error *error);
/* Copies new values of some bodies, at least one, to the card. The bodies must lie in the caller's
 * order, and pending kicks must have been done. */
enum ky_status ky_device_bodies_put_some(struct ky_device_state *state, const struct ky_some *some,
                                         struct ky_error *error);
/* Copies the bodies to the caller's arrays. Pending kicks must have been done. */
enum ky_status ky_device_bodies_get(struct ky_device_state *state, struct ky_bodies *wanted,
                                    struct ky_error *error);
/* The same for some bodies, at least one: row k belongs to body[k]. They must lie in the caller's
 * order. */
enum ky_status ky_device_bodies_get_some(struct ky_device_state *state, const uint32_t *body,
                                         struct ky_bodies *some, struct ky_error *error);
/* Copies the columns of an array, one of KY_ARRAY_…, to the host, in the engine's units. */
enum ky_status ky_device_bodies_columns(struct ky_device_bodies *bodies, int which,
                                        double *const numbers[], struct ky_error *error);

/* Copies the values of the bodies in `list` from an array to another buffer, column by column: row
 * k belongs to body list[k]. */
enum ky_status ky_device_gather(const struct ky_device_bodies *bodies,
                                const struct ky_device_array *from, const struct ky_buffer *list,
                                size_t rows, const struct ky_buffer *to, struct ky_error *error);

/* Copies the list of active bodies, which must exist, to active_list, once per evaluation. */
enum ky_status ky_device_active_list(struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error);

/* Softenings; or a dummy buffer that is never read, if bodies have none of their own. */
static inline const struct ky_buffer *ky_device_softenings(const struct ky_device_bodies *bodies)
{
    return bodies->state->own_eps ? &bodies->softening : &bodies->mass;
}

/* The side of the periodic box if an array has positions, otherwise 0. */
static inline double ky_device_box_of(const struct ky_device_bodies *bodies,
                                      const struct ky_buffer *array)
{
    return array == &bodies->position ? bodies->state->box : 0;
}

/* The factor from accelerations and potentials on the card to G = 1; 0 if G = 0. */
static inline float ky_device_per_strength(const struct ky_device_state *state)
{
    const double strength = ky_device_scale(state).strength;
    return strength > 0 ? (float)(1 / strength) : 0;
}
/* The factor of sums in kernels: the strength of gravity (engine/common/units.h). */
static inline union ky_state_value ky_device_strength(const struct ky_device_bodies *bodies)
{
    return ky_to_state(bodies->card, ky_device_scale(bodies->state).strength);
}

/* ε² of a pair of bodies with the same ε, by the kind of softening, as double and as float, since
 * kernels take either. Not used if bodies have their own softenings. */
struct ky_eps2_argument {
    double whole;
    float part;
};
struct ky_eps2_argument ky_eps2_argument(const struct ky_device_state *state);
/* ε² of a point with this softening [the caller's lengths]. If all bodies have the same ε and the
 * kind of softening adds it: ε² of a pair of point and body. */
struct ky_eps2_argument ky_eps2_of_point(const struct ky_device_state *state, double softening);
/* The same for all points, or the smallest if they have their own softenings. */
struct ky_eps2_argument ky_eps2_of_points(const struct ky_device_state *state,
                                          const struct ky_points *points);
/* If points have their own softenings, sends their ε² to a buffer of numbers of the kernels' type;
 * otherwise does nothing. */
enum ky_status ky_device_send_softenings(const struct ky_device_bodies *bodies,
                                         const struct ky_points *points, int precision,
                                         struct ky_buffer *to, size_t place,
                                         struct ky_error *error);
#define KY_EPS2(eps2, precision)                                                                   \
    ((precision) == KY_DOUBLE ? KY_VALUE((eps2).whole) : KY_VALUE((eps2).part))

#endif
