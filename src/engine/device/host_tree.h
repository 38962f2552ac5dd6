/* The host's octree for walks on the first card: positions come down, the tree is built and goes
 * up. The bodies' masses and softenings come down with the first tree after they were put,
 * positions with every one. */
#ifndef KY_DEVICE_HOST_TREE_H
#define KY_DEVICE_HOST_TREE_H

#include "engine/device/bodies.h"
#include "engine/device/counts.h"
#include "octree/octree.h"

struct ky_host_tree {
    struct ky_device_bodies *bodies;
    uint64_t put;   /* bodies->put of the columns below; 0: none */
    uint64_t place; /* bodies->place of the tree that the card has, with boxes; 0: none */
    uint64_t built; /* bodies->place of `tree`; 0: there is none */
    int opening;    /* with which it was built: enum ky_opening */
    struct ky_octree tree;
    const struct ky_points *points; /* sinks behind the bodies on the card; NULL: none */
    double *x[3], *mass, *softening;
    /* On the card: see kernels/walk.k and octree/layout.h. */
    struct ky_buffer source, low, eps2, order, sink;
    struct ky_buffer centre, centre_low, link, moment, box;
    struct ky_pair_counts counts; /* of the last walk through the tree */
};

/* An evaluation begins: what was counted and measured of the one before is forgotten. */
void ky_host_tree_begin(struct ky_host_tree *host);
/* Builds the tree over the present positions and adds its seconds to the report. */
enum ky_status ky_host_tree_build(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error);
/* The same, unless the tree stands: it is that of the present positions and has this opening. */
enum ky_status ky_host_tree_stand(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error);
/* Bodies and cells of the tree to the card, `boxes` also where no opening test wants them. */
enum ky_status ky_host_tree_send(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                 int boxes, struct ky_error *error);
/* Forgets tree, columns and buffers. */
void ky_host_tree_release(struct ky_host_tree *host);
/* Adds what the tree of n bodies needs. */
void ky_host_tree_memory(const struct ky_parameters *parameters, size_t n,
                         struct ky_memory *memory);

#endif
