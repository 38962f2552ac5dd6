/* Messages between ranks with devices (engine/device/ranks), as stored on a card and on the host.
 * Read as C11, as OpenCL C 1.2 and as CUDA C. */
#ifndef KY_KERNELS_RANKS_LAYOUT_H
#define KY_KERNELS_RANKS_LAYOUT_H

#include "octree/layout.h"
#include "physics/dialect.h"

/* A root of a part's tree (octree/parts.h): the keys of its first and its last body, its number of
 * bodies, the level of its cube, and its cell. */
struct ky_part_root {
    KY_WORD first, last;
    unsigned int body, bodies, level, cell;
} KY_LAID_OUT;

/* The data of a cell without its moments; `most`: the largest opening factor of its bodies, if
 * cells act on cells. */
struct ky_part_cell {
    struct ky_cell_centre centre;
    struct ky_low low;
    struct ky_cell_box box;
    struct ky_cell_link link;
    unsigned int children;
    float most;
    unsigned int none[2];
} KY_LAID_OUT;

/* Some groups as sinks: the middle of the tight box of their bodies, relative to the origin of the
 * cells, and its half-sides; the largest opening factor among them, or with KY_PART_BY_REACH the
 * largest squared reach, within which they need all bodies; ε² of the sinks.
 * If cells act on cells, `size` is KY_PART_GROUPS_OF_FMM for groups, and there are also cells as
 * sinks: the box of their middles, and the largest radius, which is infinite if groups are among
 * them. */
struct ky_part_box {
    float x[3], factor;
    float side[3], size;
} KY_LAID_OUT;
#define KY_PART_GROUPS_OF_FMM (-1.0f)
/* The index of `factor` among its words, and their number. */
#define KY_PART_BOX_FACTOR 3
#define KY_PART_BOX_WORDS 8

/* Boxes have three floors: boxes of groups, followed by boxes of cells; larger boxes around
 * KY_PART_AROUND of these each; and larger ones around as many of the second floor. The total
 * number of boxes for this number on the lowest floor. */
#define KY_PART_AROUND 32
#define KY_PART_FLOORS 3
KY_FN ky_uint ky_part_floor(ky_uint boxes, int level)
{
    for (; level > 0; level--)
        boxes = (boxes + KY_PART_AROUND - 1) / KY_PART_AROUND;
    return boxes;
}

KY_FN ky_uint ky_part_all_floors(ky_uint boxes)
{
    ky_uint all = 0;
    for (int level = 0; level < KY_PART_FLOORS; level++)
        all += ky_part_floor(boxes, level);
    return all;
}

/* A parcel: cells and bodies of a part's tree for the groups of another part. Offsets of its
 * columns, in bytes: the parcel's cell of each root; the columns of cells, whose links are relative
 * to the parcel, with KY_PART_… in `next`; and the bodies' columns, with their numbers for a
 * search. */
struct ky_part_parcel {
    KY_WORD root, centre, low, link, box, moment, children, body[4], number, bytes;
};

KY_FN KY_WORD ky_part_column(KY_WORD *end, KY_WORD bytes)
{
    const KY_WORD at = *end;
    *end += (bytes + 15) / 16 * 16;
    return at;
}

/* The numbers of a parcel, from byte `offset` on: floats of a cell's moments; `numbered`: 1 with
 * the numbers of bodies. */
struct ky_part_numbers {
    KY_WORD offset;
    unsigned int roots, cells, bodies, moments, numbered, none;
};

KY_FN struct ky_part_parcel ky_part_parcel(struct ky_part_numbers of)
{
    struct ky_part_parcel its;
    KY_WORD end = 0;
    its.root = ky_part_column(&end, (KY_WORD)of.roots * 4);
    its.centre = ky_part_column(&end, of.cells * (KY_WORD)sizeof(struct ky_cell_centre));
    its.low = ky_part_column(&end, of.cells * (KY_WORD)sizeof(struct ky_low));
    its.link = ky_part_column(&end, of.cells * (KY_WORD)sizeof(struct ky_cell_link));
    its.box = ky_part_column(&end, of.cells * (KY_WORD)sizeof(struct ky_cell_box));
    its.moment = ky_part_column(&end, (KY_WORD)of.cells * of.moments * 4);
    its.children = ky_part_column(&end, of.cells);
    for (int c = 0; c < 4; c++)
        its.body[c] = ky_part_column(&end, (KY_WORD)of.bodies * 8);
    its.number = ky_part_column(&end, (KY_WORD)of.numbered * of.bodies * 4);
    its.bytes = end;
    return its;
}

/* The column of a parcel that begins at byte `at`. */
#define KY_PARCEL(parcel, at, type) ((KY_GLOBAL type *)((parcel) + (at)))

/* Number of bodies for which one team finds the largest factor. */
#define KY_PART_TEAM_BODIES 512

/* 64-bit words of a body that moves to another rank (rows.k), without columns and with both
 * columns. The columns of a body are given by a sum of KY_PART_HAS_STEP and KY_PART_HAS_PULL. */
#define KY_PART_ROW 12
#define KY_PART_ROWS 14
#define KY_PART_HAS_STEP 1
#define KY_PART_HAS_PULL 2

/* Another part's need for a cell: none, only the cell, or also the cells below it. */
#define KY_PART_UNSEEN 0
#define KY_PART_CLOSED 1
#define KY_PART_OPEN 2

/* Numbers of the search of the cells that other parts may open. `cells`: of this part; `room` and
 * `listed`: for waiting cells, and for listed openers; `how`: KY_OPENING_…, KY_PART_BY_REACH,
 * KY_FLAG_FACTORS. For expansions their order (0: cells do not act on cells) and the limits of
 * physics/fmm.h. `side`: of a periodic box; 0: open space. */
struct ky_prune_numbers {
    unsigned int generation, cells, room, listed, teams, how;
    int order;
    float angle, least, most, hold, side;
};

/* In addition to the bits KY_OPENING_…: the reaches of sinks decide. */
#define KY_PART_BY_REACH 0x10000

/* For the search of the cells that other ranks may open: words of a waiting cell; maximum number of
 * listed openers of a cell; and index of the number of listed openers in the counts of waiting
 * cells. */
#define KY_PRUNE_WAIT 4
#define KY_PART_OPENERS 64
#define KY_PRUNE_LISTED 63

/* Flag for walks of single points: the parent cell, where there is no next child (graft.k). */
#define KY_GRAFT_UP 0x80000000U

/* The first body of a cell without bodies in this part: no group reaches so far. */
#define KY_PART_ELSEWHERE 0x7fffffffU

#endif
