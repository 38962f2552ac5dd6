/* The cells of a tree as arrays. The host's octree writes them, the CPU engine walks through them,
 * and devices hold them in the same form. Read as C11, as OpenCL C 1.2 and as CUDA C.
 *
 * Cells are stored breadth first: the children of a cell are consecutive, and children come after
 * their parent. Bodies are addressed by their place along the curve; a cell's bodies are
 * consecutive. Places are relative to the tree's origin, a point in the middle of the system. */
#ifndef KY_OCTREE_LAYOUT_H
#define KY_OCTREE_LAYOUT_H

/* Bodies whose median along each axis is the origin, here and in the exact sum on devices. */
#define KY_ORIGIN_SAMPLE 64

/* For loads of 16 bytes on a device. */
#define KY_LAID_OUT __attribute__((aligned(16)))

/* The centre of mass (of the box, if the cell has no mass), and the squared distance up to which
 * the cell is opened: see "How a walk decides" in octree.h. */
struct ky_cell_centre {
    float x[3], open2;
} KY_LAID_OUT;

/* The rest of a position that its three floats leave out: the sum has 48 bits. For a cell also the
 * mass-weighted mean of its bodies' ε², 0 where bodies have no softenings of their own. */
struct ky_low {
    float x[3], eps2;
} KY_LAID_OUT;

/* `more` = first child, or KY_NO_LINK for a leaf; `next` = the cell that follows this one and its
 * children in the walk, KY_NO_LINK at the end (N09, N12). All bodies of the cell: the first, and
 * how many. */
#define KY_NO_LINK 0xffffffffU
/* `bodies` of a closed cell, a leaf of a tree that was made elsewhere: its bodies are not there,
 * and it acts as a whole on every sink. */
#define KY_CLOSED_CELL 0x7fffffffU
struct ky_cell_link {
    unsigned int next, more, body, bodies;
} KY_LAID_OUT;

/* The tight box of the cell's bodies reaches from centre − below to centre + above, both >= 0 and
 * rounded outwards: relative to the centre of mass, since absolute floats would not resolve a
 * cluster that is 1e-7 of its distance from the origin. The fourth number above is the largest ε²
 * of bodies with mass, 0 if they have none of their own. The fourth number below is 0; in a tree
 * that a device makes it is the smallest ε². */
struct ky_cell_box {
    float below[4], above[4];
} KY_LAID_OUT;

/* Moments about the centre of mass to some order p, KY_MOMENTS(p) floats for each cell: the mass (p
 * = 1); for p = 2 then KY_SCALE_SECOND(1) Σ m x xᵀ as xx yy zz xy xz yz; above that M_n in the
 * order of physics/taylor_table.h. All raw moments of each degree but the first, which are 0; then
 * zeros up to a multiple of 4 floats, if there are that many. */
#define KY_RAW_MOMENTS(p) ((unsigned int)(((p) + 1) * ((p) + 2) * ((p) + 3) / 6 - 3))
#define KY_MOMENTS(p) (KY_RAW_MOMENTS(p) < 4 ? KY_RAW_MOMENTS(p) : (KY_RAW_MOMENTS(p) + 3) / 4 * 4)
/* A cell of the lowest order acts as a body. */
#define KY_ACTS_AS_BODY(p) (KY_MOMENTS(p) == 1)
#define KY_MOMENT_MASS 0
#define KY_MOMENT_SECOND 1

/* The columns of a tree's cells, C(p, type, name, count, what): `count` elements of `type` for each
 * cell, where `moments` is KY_MOMENTS; `what` names them in errors. `p` is the caller's own. The
 * host's arrays (octree.h), buffers (engine/device/tree/cell_columns.h), the arguments of kernels,
 * the structs of walks on devices, and the memory and copies of all of these follow from the rows.
 */
#define KY_CELL_COLUMNS(C, p)                                                                      \
    C(p, struct ky_cell_centre, centre, 1, "centres of cells")                                     \
    C(p, struct ky_low, low, 1, "low parts of centres")                                            \
    C(p, struct ky_cell_link, link, 1, "links of cells")                                           \
    C(p, float, moment, moments, "moments of cells")                                               \
    C(p, struct ky_cell_box, box, 1, "boxes of cells")                                             \
    C(p, unsigned char, children, 1, "numbers of children")
#define KY_CELL_COLUMN_NUMBER(p, type, name, count, what) KY_COLUMN_OF_CELLS_##name,
enum ky_column_of_cells { KY_CELL_COLUMNS(KY_CELL_COLUMN_NUMBER, ) KY_COLUMNS_OF_CELLS };

#endif
