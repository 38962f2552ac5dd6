/* The far field of a periodic box (physics/periodic.h): the part of the field that all images of
 * the bodies beyond the nearest 27, and the mean density, have. It is a polynomial of degree
 * KY_FAR_DEGREE in each cube of a grid of 4³, which follows from the moments of the bodies in every
 * cube. Everything is double, but moments are sums of integers of 64 bits. */
#ifndef KY_ENGINE_FAR_FIELD_H
#define KY_ENGINE_FAR_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "physics/periodic.h"

struct ky_far_field;

/* The derivatives of F between the middles of two cubes, at ky_far_offset of source minus sink:
 * KY_FAR_OFFSETS³ rows. */
void ky_far_find(double (*derivative)[KY_FAR_TERMS]);
/* Computes the derivatives between the cubes, which takes about 15 ms. KY_FAULT if memory runs
 * out. */
enum ky_status ky_far_open(struct ky_far_field **far, struct ky_error *error);
void ky_far_close(struct ky_far_field *far);
/* Bytes of an open far field. */
size_t ky_far_memory(void);

/* Bodies in a box with corners at 0 and `side`; `member` lists the n bodies in the columns, or
 * NULL: the first n. A body may be outside by a small part of the side. */
struct ky_far_bodies {
    size_t n;
    const unsigned int *member;
    const double *x[3], *mass;
    size_t along; /* body i is at x[c][i × along] */
    double side;
    int threads;
};

/* Makes the moments of these bodies for ky_far_expand, as integers. `all`: the mass of the whole
 * system, which gives their unit. Returns KY_FAR_WHOLES numbers that belong to the far field; the
 * ones of several parts of a system may be added modulo 2⁶⁴. */
uint64_t *ky_far_sum_bodies(struct ky_far_field *far, const struct ky_far_bodies *bodies,
                            double all);
/* Makes the polynomials from the moments of the whole system. The bits do not depend on the order
 * of the bodies, their parts, or the number of threads. */
void ky_far_expand(struct ky_far_field *far, int threads);
/* Adds the far field for G = 1 at x, a position in the box or close to it: acceleration and -φ. */
void ky_far_add_at(const struct ky_far_field *far, const double x[3], double field[4]);
/* Adds the far field to local coefficients about x (physics/taylor.h), up to an order. */
void ky_far_add_local(const struct ky_far_field *far, const double x[3], int order, double *local);
/* Adds the far field's tidal tensor: xx yy zz xy xz yz. */
void ky_far_add_tide_at(const struct ky_far_field *far, const double x[3], double tide[6]);

#endif
