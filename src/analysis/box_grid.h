/* Bodies of a periodic box sorted into cubes, for spheres about any place. */
#ifndef KY_ANALYSIS_BOX_GRID_H
#define KY_ANALYSIS_BOX_GRID_H

#include "base/status.h"

struct ky_box_grid {
    const struct ky_bodies *bodies;
    double side;     /* of the box */
    size_t cubes;    /* along an axis */
    uint32_t *first; /* [cubes³ + 1] place of the first body of each cube */
    uint32_t *body;  /* [n] bodies of each cube, in ascending order */
};

/* KY_FAULT if memory runs out; close the grid also then. The bodies must stay. */
enum ky_status ky_box_grid_open(const struct ky_bodies *bodies, double side,
                                struct ky_box_grid *grid, struct ky_error *error);
void ky_box_grid_close(struct ky_box_grid *grid);

/* Bodies in a sphere; free `body`. */
struct ky_box_sphere {
    struct ky_box_near {
        double r2;
        uint32_t body;
    } * body; /* nearest first, bodies at equal distances in ascending order */
    size_t count, room;
};
/* Replaces the sphere by the bodies whose nearest images are within the radius of the place, which
 * is at most half of the box. 0 if memory runs out. */
int ky_box_grid_find(const struct ky_box_grid *grid, const double place[3], double radius,
                     struct ky_box_sphere *sphere);

#endif
