/* The interface of a method of summing forces; the file of the force defines it. */
#ifndef KY_DEVICE_METHOD_H
#define KY_DEVICE_METHOD_H

#include "engine/common/force_kinds.h"
#include "engine/device/tree/links.h"

struct ky_method {
    int in_blocks; /* `evaluate` accepts active bodies whose list is only on the card */
    size_t own;    /* bytes of the method's state, `own` below; zeroed at the start */

    /* Computes accelerations and potentials of the active bodies with these parameters, between the
     * marks 0 and 1. Sinks have the order of the bodies after the call. */
    enum ky_status (*evaluate)(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error);
    /* In a block, called before `evaluate`, which then builds no tree: makes the tree valid for the
     * current positions. It builds a new tree if `anew`, otherwise it moves the tree that was kept.
     * A new tree may reorder the bodies, and links->own.serves becomes 1. NULL: the method has no
     * tree. */
    enum ky_status (*stand)(struct ky_links *links, int anew, struct ky_error *error);
    /* In a block, called after `evaluate`: writes the number of pairs of its walks to the first
     * 64-bit word of `tally`. NULL if `stand` is NULL. */
    enum ky_status (*note)(struct ky_links *links, void *own, struct ky_buffer *tally,
                           struct ky_error *error);
    /* The field of one or more bodies at one or more points, in the caller's units. Either array
     * may be NULL. */
    enum ky_status (*field)(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error);
    /* Adds the memory of an evaluation of n bodies. */
    void (*memory)(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory);
    /* Adds the device's times of the last evaluation, except for its walk; NULL: none. */
    enum ky_status (*report)(struct ky_device_state *state, struct ky_links *links, void *own,
                             struct ky_force_report *report, struct ky_error *error);
    /* Releases the buffers whose size depends on the number of bodies. */
    void (*release)(const struct ky_device_state *state, void *own);
};

/* `field` for methods with a tree, for any number of points: each point walks separately. */
enum ky_status ky_walk_field(struct ky_device_state *state, struct ky_links *links, void *own,
                             const struct ky_points *points, double (*acceleration)[3],
                             double *potential, struct ky_error *error);

/* The sources for points: the bodies of an engine, and the method for them. */
struct ky_point_sources {
    const struct ky_method *method;
    struct ky_device_state *state;
    struct ky_links *links;
    void *own; /* the method's state */
    int walks; /* 1: for few points each walks separately; 0: they have exact sums */
};
/* `field` for methods whose `evaluate` accepts points: points are bodies without mass, and have the
 * errors of forces. Few points, or points among few bodies, have exact sums or walk separately;
 * distant points walk. KY_DEVICE if the card lacks the memory for a second set of bodies, which is
 * kept until ky_points_release unless it is large. Pending kicks must have been done. */
enum ky_status ky_points_field(const struct ky_point_sources *sources,
                               const struct ky_points *points, double (*acceleration)[3],
                               double *potential, struct ky_error *error);
/* For ranks that divide the bodies: the verbs way_to_field, is_near and softening_of_set of struct
 * ky_part_verbs. With KY_POINTS_WALK ky_points_field is collective. */
enum ky_part_way ky_points_way(const struct ky_device_state *state, const struct ky_points *points);
int ky_points_are_near(const struct ky_device_state *state, const double position[3]);
double ky_points_softening(const struct ky_device_state *state, const struct ky_points *points);
/* The verb at_points: two passes through the tree of the bodies and points of all ranks.
 * `evaluation` has the numbers of points. */
enum ky_status ky_points_of_part(const struct ky_point_sources *sources,
                                 const struct ky_evaluation *evaluation, struct ky_error *error);

/* Tidal tensors of one or more bodies at one or more points, in the caller's units: by the exact
 * sum if the force is exact, otherwise by a separate walk for each point. Pending kicks must have
 * been done. KY_UNSUPPORTED without double. */
enum ky_status ky_device_tides(struct ky_device_state *state, struct ky_links *links,
                               const struct ky_points *points, double (*tide)[6],
                               struct ky_error *error);

/* Releases the memory that field calls have kept. */
void ky_points_release(struct ky_device_state *state);
/* The engine's verb field_seconds. */
enum ky_status ky_points_seconds(struct ky_device_state *state, struct ky_field_seconds *seconds,
                                 struct ky_error *error);

#define KY_DEVICE_METHOD(name, NAME) extern const struct ky_method ky_##name##_method;
#define KY_DEVICE_METHOD_OF(p, name, NAME, on_cpu, on_devices, ...)                                \
    on_devices(KY_DEVICE_METHOD, name, NAME)
KY_FORCES(KY_DEVICE_METHOD_OF, )

#endif
