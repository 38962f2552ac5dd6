/* The host's octree for walks on the card: positions are read from the card, the tree is built and
 * copied to it. Masses and softenings are read for the first tree after they were put, positions
 * for every tree. */
#ifndef KY_DEVICE_HOST_TREE_H
#define KY_DEVICE_HOST_TREE_H

#include "engine/device/state/bodies.h"
#include "engine/device/tree/cell_columns.h"
#include "octree/octree.h"

struct ky_host_tree {
    struct ky_device_bodies *bodies;
    uint64_t put;   /* bodies->state->put of the columns below; 0: none */
    uint64_t sent;  /* bodies->moves of the cells on the card; 0: none */
    int has_boxes;  /* 1: the card also has their boxes */
    uint64_t built; /* bodies->moves of `tree`; 0: no tree */
    double opening; /* ky_opening_key for which it was built */
    struct ky_octree tree;
    double *x[3], *mass, *softening;
    /* On the card. The origin of the cells is at KY_FRAME_ORIGIN of `frame`. */
    struct ky_cell_columns column;
    struct ky_buffer order, frame;
};

/* Builds the tree for the current positions and adds its time to the report, unless it is valid for
 * these positions and this opening test. */
enum ky_status ky_host_tree_stand(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error);
/* Copies the tree to the card, unless the card has it; with boxes if `boxes` or if the opening test
 * needs them. */
enum ky_status ky_host_tree_send(struct ky_host_tree *host, int boxes, struct ky_error *error);
/* Releases tree, columns and buffers. */
void ky_host_tree_release(struct ky_host_tree *host);
/* Adds the memory of the tree of n bodies. */
void ky_host_tree_memory(const struct ky_parameters *parameters, size_t n,
                         struct ky_memory *memory);

#endif
