/* Cells as sources: see sources.h. */
#include "octree/sources.h"

#include <math.h>

#include "octree/cell_moments.h"

static struct ky_fmm_source source_of(const struct ky_octree *tree, size_t cell, int order)
{
    const struct ky_cell_box *box = &tree->box[cell];
    const float *moment = tree->moment + cell * tree->moments;
    double radius2 = 0;
    for (int c = 0; c < 3; c++) {
        const double side = (double)fmaxf(box->below[c], box->above[c]);
        radius2 += side * side;
    }
    const double radius = sqrt(radius2) * 1.000001;
    const int32_t bodies = (int32_t)tree->link[cell].bodies;
    return (struct ky_fmm_source){
        (float)radius, (float)fmin(radius, ky_cell_mean_radius(moment, order)),
        moment[KY_MOMENT_MASS], tree->children[cell] == 0 ? -bodies : bodies};
}

void ky_octree_list_sources(const struct ky_octree *tree, int order, int threads,
                            struct ky_fmm_source *source)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads)
    for (size_t cell = 0; cell < tree->nodes; cell++)
        source[cell] = source_of(tree, cell, order);
}
