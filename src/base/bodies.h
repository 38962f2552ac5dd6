/* The arrays of struct ky_bodies, in one table. All code that stores, copies, checks or names
 * arrays uses it. */
#ifndef KY_BASE_BODIES_H
#define KY_BASE_BODIES_H

#include "base/status.h"

enum ky_array_id {
    KY_ARRAY_MASS,
    KY_ARRAY_POSITION,
    KY_ARRAY_VELOCITY,
    KY_ARRAY_ACCELERATION,
    KY_ARRAY_POTENTIAL,
    KY_ARRAY_SOFTENING,
    KY_ARRAY_ID,
    KY_ARRAY_TYPE,
    KY_ARRAY_RADIUS,
    KY_ARRAYS
};

struct ky_array {
    const char *name, *plural;  /* "mass", "masses" */
    size_t offset;              /* of the pointer in struct ky_bodies */
    size_t bytes;               /* of one body */
    int columns;                /* numbers of one body */
    int real;                   /* double; else unsigned integers */
    unsigned with;              /* KY_WITH_…; 0: the array is required */
    int length, mass, velocity; /* the unit is length^… mass^… velocity^… */
};
extern const struct ky_array ky_arrays[KY_ARRAYS];

/* The array with this index in ky_arrays, or NULL if the bodies do not have it. */
void *ky_array_of(const struct ky_bodies *bodies, enum ky_array_id id);
void ky_array_set(struct ky_bodies *bodies, enum ky_array_id id, void *array);
/* The bytes of the arrays of n bodies: of the required ones, if `required`, and of the optional
 * ones in `with`. */
double ky_bodies_bytes(size_t n, unsigned with, int required);
/* KY_WITH_… of the optional arrays that the bodies have. */
unsigned ky_bodies_with(const struct ky_bodies *bodies);

/* The number of bodies without mass; 0 if there is no array of masses. */
size_t ky_bodies_massless(const struct ky_bodies *bodies);

/* The type of a body: 4, stars, if the bodies have no array of types. */
static inline int ky_type_of(const struct ky_bodies *bodies, size_t i)
{
    return bodies->type ? bodies->type[i] : 4;
}

/* Copies all numbers of body `from` to body `to`. */
void ky_bodies_move(struct ky_bodies *bodies, size_t to, size_t from);
/* Moves body i to the centre of mass of bodies i and j, with the velocity of that centre and the
 * mass of both. At least one of them has mass. Body j stays as it is. */
void ky_bodies_join(struct ky_bodies *bodies, size_t i, size_t j);
/* Keeps the bodies whose type has its bit in `types`, in their order. */
void ky_bodies_choose(struct ky_bodies *bodies, unsigned types);
/* KY_USAGE for bodies that lack one of the arrays whose bits 1 << enum ky_array_id are in `arrays`;
 * the line names the first. Without bodies none is needed. */
enum { KY_NEED_PLACES = 1 << KY_ARRAY_MASS | 1 << KY_ARRAY_POSITION };
enum { KY_NEED_MOTION = KY_NEED_PLACES | 1 << KY_ARRAY_VELOCITY };
enum ky_status ky_bodies_need(const struct ky_bodies *bodies, unsigned arrays,
                              struct ky_error *error);
/* The same as ky_bodies_allocate and ky_bodies_check with `threads` threads, 0: as many as OpenMP
 * takes. */
enum ky_status ky_bodies_allocate_by(int threads, struct ky_bodies *bodies, size_t n, unsigned with,
                                     struct ky_error *error);
enum ky_status ky_bodies_check_by(int threads, const struct ky_bodies *bodies,
                                  struct ky_error *error);
/* The same for the arrays that are not NULL. */
enum ky_status ky_bodies_check_present(int threads, const struct ky_bodies *bodies,
                                       struct ky_error *error);
/* The same for the arrays that are not NULL, without the ids. */
enum ky_status ky_bodies_check_arrays(int threads, const struct ky_bodies *bodies,
                                      struct ky_error *error);
/* The same for a part of the bodies of a system, the first of which has this number. */
enum ky_status ky_bodies_check_from(int threads, size_t first, const struct ky_bodies *bodies,
                                    struct ky_error *error);
/* KY_BAD_DATA for the first body with an acceleration or a potential that is not finite. */
enum ky_status ky_bodies_check_forces(const struct ky_bodies *bodies, struct ky_error *error);
/* The same for a part of the bodies of a system, the first of which has this number. */
enum ky_status ky_bodies_check_forces_from(int threads, size_t first,
                                           const struct ky_bodies *bodies, struct ky_error *error);

#endif
