/* Masses of bodies in a periodic box on a mesh, with a triangle-shaped cloud (TSC) for each. */
#ifndef KY_ANALYSIS_MESH_H
#define KY_ANALYSIS_MESH_H

#include "analysis/analysis.h"

enum { KY_MESH_MOST = 1 << 14 }; /* points along an axis */

struct ky_mesh {
    double box;   /* its side */
    size_t n;     /* points along an axis, at the multiples of box/n */
    size_t row;   /* numbers from one row to the next, n at least */
    double shift; /* of the bodies, in cells */
};

/* Fills the n × n rows of the grid with masses. The same bits for any number of threads. */
enum ky_status ky_mesh_assign(const struct ky_mesh *mesh, const struct ky_bodies *bodies,
                              double *grid, struct ky_error *error);

/* KY_USAGE for a side that no periodic box has; `what` needs one. */
enum ky_status ky_mesh_check_box(double box, const char *what, struct ky_error *error);

#endif
