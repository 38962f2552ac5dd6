/* Constants on which kernels and host must agree. Included by both. */
#ifndef KY_KERNELS_SHARED_H
#define KY_KERNELS_SHARED_H

#include "octree/layout.h"
#include "physics/keys.h"

/* Lanes of a team (dialect.h): at least this many; the driver's number is in struct ky_card. Under
 * CUDA exactly this many, and several teams form a group. */
#define KY_LEAST_TEAM 32
#define KY_CUDA_TEAM 32
#define KY_TEAMS_OF_BLOCK 4

/* Capacities that kernels may find too small (fault.h): KY_CAPACITIES(X) has a row for each, with
 * its name in errors. */
#define KY_CAPACITIES(X)                                                                           \
    X(NEIGHBOURS, "the longest list of neighbours")                                                \
    X(COMPACTED, "the output of a compaction")
#define KY_CAPACITY_NUMBER(name, what) KY_CAPACITY_##name,
enum ky_capacity { KY_CAPACITIES(KY_CAPACITY_NUMBER) KY_CAPACITY_COUNT };

/* The direct sum: lanes of a group; sinks of a lane and sources of an iteration; number of sources
 * that are added in the kernel's own type before the sum goes into a compensated one. */
#define KY_DIRECT_LANES 128
#define KY_DIRECT_SINKS 2
#define KY_DIRECT_STEP 8
#define KY_DIRECT_CHUNK 512
/* On matrix units (matrix.k, boxes.k): sources that have a box in common; sinks of a team; lanes of
 * the group that finds heavy masses; number of equal masses for which rounding errors are small
 * enough; rms error of a weight of 11 digits, 2^-11/√3 (3/(8 ln 2))^(1/2); rms error of an
 * acceleration from which on it is computed again. */
#define KY_SPAN 32
#define KY_TEAM_SINKS 64
#define KY_HEAVY_LANES 256
#define KY_MANY 40000.0f
#define KY_WEIGHT_ERROR 2.07e-4f
#define KY_DOUBTED 1.5e-5f
/* Flags of its kernels: sinks have their own softenings; sinks are listed in the labels; results go
 * to the indices in the labels; sources have their own softenings, which the kernels for splines
 * need. */
#define KY_DIRECT_OWN_EPS 1
#define KY_DIRECT_LISTED 2
#define KY_DIRECT_SCATTER 4
#define KY_DIRECT_SOURCE_EPS 8
/* The sources are an image in a periodic box. */
#define KY_DIRECT_IMAGE 16

/* Sums with jerk (jerk.h), in this order: lanes of a group, which is also the number of sources in
 * a tile; sinks of a lane; sources of an iteration; sources of a run, which are summed in the
 * kernel's own type before they are added in the state's type; numbers of a partial sum; the run
 * number that means no source. */
#define KY_JERK_LANES 128
#define KY_JERK_HALF (KY_JERK_LANES / 2)
#ifndef KY_JERK_SINKS
#define KY_JERK_SINKS 2
#endif
#ifdef KY_ON_CPU /* a larger number would take long to compile and run no faster */
#define KY_JERK_STEP 1
#elif !defined(KY_JERK_STEP)
#define KY_JERK_STEP 8
#endif
#define KY_JERK_RUN 32
#define KY_JERK_NUMBERS 8
#define KY_NO_RUN 0xffffffffU
/* A squared distance below the distance of any empty slot and above any other. */
#define KY_JERK_FAR2_FLOAT 1e36f
#define KY_JERK_FAR2_DOUBLE 1e290

/* The slots of a board (board/slots.k) lie in blocks; each block has columns of state numbers and
 * of words. */
#define KY_SLOT_BLOCK 128
#define KY_SLOT_X 0
#define KY_SLOT_V 3
#define KY_SLOT_TIME 6
#define KY_SLOT_A2 7   /* a/2 */
#define KY_SLOT_J6 10  /* j/6 */
#define KY_SLOT_S18 13 /* snap/18 */
#define KY_SLOT_MASS 16
#define KY_SLOT_STATES 17
#define KY_SLOT_LABEL 0 /* the words: label; whether the slot is set */
#define KY_SLOT_IS_SET 1
#define KY_SLOT_WORDS 2
/* A body in an upload: its state numbers, then two words instead of another number: slot and label.
 * KY_SLOT_EMPTY is added to the slot if the slot becomes empty. */
#define KY_SLOT_SENT 18
#define KY_SLOT_EMPTY 0x80000000U
/* Sinks in an upload: columns of position, velocity and h², then words: their labels. */
#define KY_SINK_X 0
#define KY_SINK_V 3
#define KY_SINK_H2 6
#define KY_BOARD_SINK 7
/* Results: columns of acceleration, jerk, p and r² of the nearest body; then columns of words: its
 * label and its slot, and with lists the number of bodies found and the begin of the list. */
#define KY_RESULT_A 0
#define KY_RESULT_JERK 3
#define KY_RESULT_P 6
#define KY_RESULT_NEAR2 7
#define KY_BOARD_SUMS 8
#define KY_RESULT_LABEL 0
#define KY_RESULT_SLOT 1
#define KY_BOARD_WORDS 2
#define KY_RESULT_FOUND 2
#define KY_RESULT_BEGIN 3
#define KY_BOARD_WORDS_WITH_LISTS 4
/* flag: the kernel that uses the bodies predicts them */
#define KY_BOARD_FUSED 1
/* added to labels (int32) in lists, which are sorted as unsigned numbers */
#define KY_BOARD_LABEL_SIGN 0x80000000U

/* The row of an external field: its kind; 1 if the frame falls in it; offset from the row to its
 * pieces, and their number; the rotation rate and angle of its axes; and the numbers of its kind. A
 * piece has its time and cubics (engine.h). */
#define KY_EXTERNAL_REFLEX 1
#define KY_EXTERNAL_PIECES 2
#define KY_EXTERNAL_PIECE_COUNT 3
#define KY_EXTERNAL_TURN 4
#define KY_EXTERNAL_ANGLE 5
#define KY_EXTERNAL_OWN 6
#define KY_EXTERNAL_STRIDE 12
#define KY_EXTERNAL_PIECE_STRIDE 17

/* The walk of single bodies: lanes of a group, and number of cells that are added in the kernel's
 * own type. */
#define KY_WALK_LANES 128
#define KY_WALK_CHUNK 64
/* Flags of walks and lists, arguments of their kernels, together with the bits KY_OPENING_…
 * (physics/opening.h): 1, 2, 4 and 2048. pairs.h has the flags that are constant in an instance of
 * a kernel. */
#define KY_FLAG_OWN_EPS 8     /* sinks have their own softening */
#define KY_FLAG_SOURCE_EPS 16 /* and the sources' softenings are added */
#define KY_FLAG_LISTED                                                                             \
    32                      /* lanes take the bodies in a given order, or the bodies of a given    \
                             * list */
#define KY_FLAG_FACTORS 128 /* each sink has its factor of open2 */
#define KY_FLAG_WANTED 256  /* only the listed sinks are wanted */
#define KY_FLAG_ALONG 512   /* the caller's arrays are also in the order of the tree */
#define KY_FLAG_MIXED 1024  /* a cell may hold very unequal softenings: KY_MIXED_REACH2 */
#define KY_FLAG_BY_PLACE 0x4000 /* arrays of sinks are indexed by place, not by number */
#define KY_FLAG_ORDER 0x10000   /* times the order of the moments */

/* The k nearest in local memory: kernels for up to these k. `p` and `number` are passed on
 * unchanged. */
#define KY_NEAREST_HEAPS(X, p, number) X(8, p, number) X(32, p, number)

/* The far field of a periodic box (far.k): lanes of a group, at least one for each term; bodies in
 * local memory; slices of the cubes as sources; largest number of groups that sum moments. */
#define KY_FAR_LANES 192
#define KY_FAR_STAGED 64
#define KY_FAR_SLICES 8
#define KY_FAR_GROUPS 1024
/* Flags: sinks are listed; only marked bodies are sinks; results are in the order of the list. */
#define KY_FAR_LISTED 1
#define KY_FAR_MARKED 2
#define KY_FAR_IN_ROWS 4

/* Lists: lanes of a group, and the mark of a body whose force is not wanted. */
#define KY_LIST_LANES 64
#define KY_NOT_WANTED 0xffffffffU

/* Ordering of lists: the longest list that fits into local memory. */
#define KY_ORDER_TILE 1024

/* The tree made on a device. The steps of the curve: states × octants. */
#define KY_CURVE_STEPS 192
/* Groups that compute bounds. */
#define KY_BOUNDS_GROUPS 1024
/* The rms acceleration (relative.k): two words of each group, and then one. */
#define KY_RELATIVE_MOST (2 * KY_BOUNDS_GROUPS)
/* The net force in a periodic box (balance.k): four words of each group, and then one. */
#define KY_BALANCE_MOST (4 * KY_BOUNDS_GROUPS)
#define KY_BALANCE_WORDS (KY_BALANCE_MOST + 1)
/* Elements of the frame: lowest corner and edge of the cube, KY_KEY_PLACES / edge, the origin of
 * the cells, the three lower and the three upper sides. */
#define KY_FRAME_LOW 0
#define KY_FRAME_EDGE 3
#define KY_FRAME_SCALE 4
#define KY_FRAME_ORIGIN 5
#define KY_FRAME_BOUNDS 8
#define KY_FRAME_NUMBERS 14
/* Facts about a tree for the host: the first cell of each level; the number of cells; whether
 * bodies with equal keys are not in the caller's order; whether more than KY_LONG_TIE bodies have
 * the same key. */
#define KY_LONG_TIE 1024
#define KY_FACT_CELLS (KY_KEY_LEVELS + 1)
#define KY_FACT_TIES (KY_KEY_LEVELS + 2)
#define KY_FACT_LONG_TIE (KY_KEY_LEVELS + 3)
#define KY_FACTS (KY_KEY_LEVELS + 4)
#define KY_FACT_LANES 32 /* one lane for each fact */
/* Lanes that make a cell from its children, and lanes of a group of them; flags of cells, used
 * together with KY_FLAG_OWN_EPS, KY_FLAG_ORDER and KY_OPENING_…: cells have their cube's edge. */
#define KY_LEVEL_EACH 8
#define KY_LEVEL_LANES 128
#define KY_GROWN_EDGE 16
/* Neighbours of a part of a tree: bits for bodies before it and after it. */
#define KY_IS_BEFORE 1U
#define KY_IS_AFTER 2U
/* Steps of the cost of a group's walk; the number of pieces of a heavy group. */
#define KY_WEIGHTS 2048
#define KY_SPLIT 4
/* bins of the curve for which work is counted, for the division among ranks */
#define KY_WORK_BINS 1024
/* The walk of teams: cells on the stack; maximum number of bodies of a leaf that goes into the
 * list. */
#define KY_STACK 512
/* A position relative to the first body has an error of at most 1.2e-7 of the box's largest
 * half-side. A body nearer to a sink than this fraction of that side is `near`: its low parts are
 * added, otherwise the pair would have an error of more than 2e-5. A cell so near to the box is
 * opened. For cells the fraction is smaller, with errors of at most 1e-4, since opening a cell may
 * be expensive. */
#define KY_TEAM_REACH (1.0f / 64)
#define KY_TEAM_CELL_REACH2 (1.0f / 64) /* the fraction for cells, squared */
/* The dual walk of searches: maximum number of groups of a cut, and maximum number of cells left
 * for them. */
#define KY_CUT_GROUPS 32
#define KY_CUT_ROOM 511
#define KY_LISTED_LEAF 16
/* A cell is opened for sinks within this many times the range of its bodies' ε² (as squared
 * distance). At larger distances the error of its field from using the mean ε² is at most 15/8
 * (σ/d²)² of the field, 8e-4, since the standard deviation σ of ε² is at most half of the range. */
#define KY_MIXED_REACH2 25.0f

/* Words that block steps count: bodies by the level of their steps, levels 0 to 40; steps that were
 * shortened; bodies without a step; 1 if bodies of the tree that is kept have strayed too far from
 * the periodic box. */
#define KY_TALLY_CUT 41
#define KY_TALLY_MISSING 42
#define KY_TALLY_STRAYS 43
#define KY_TALLY_WORDS 44
/* Numbers for each level of block steps in comoving boxes (struct ky_block_factors). */
#define KY_STEP_FACTORS 3
/* Bits of predictions in a periodic box; the part of the side by which bodies may stray: half of
 * the CPU's, since the host learns of it one block later. */
#define KY_IN_BOX 1
#define KY_SETTLES 2
#define KY_STAYS 4
#define KY_STRAYS (1.0f / 32)

/* The Hermite scheme (hermite.k). Input and output of a call of `advance`: numbers of 64 bits, then
 * words, which are those of block steps and two more. The host sets: ticks of the longest step,
 * level of one tick, tick to reach, most blocks, the two bodies that may pass, ticks before the
 * call. Then come the tick of the last block, blocks, steps of bodies, the shortest step. Then for
 * the present block: its tick, its active bodies, and the division of their sums. */
#define KY_WAY_STRIDE 0
#define KY_WAY_DEEPEST 1
#define KY_WAY_UNTIL 2
#define KY_WAY_MOST 3
#define KY_WAY_PASSED 4
#define KY_WAY_BEFORE 6
#define KY_WAY_NOW 7
#define KY_WAY_BLOCKS 8
#define KY_WAY_BODY_STEPS 9
#define KY_WAY_SHORTEST 10
#define KY_WAY_TICK 11
#define KY_WAY_COUNT 12
#define KY_WAY_LANES 13
#define KY_WAY_LENGTH 14
#define KY_WAY_NUMBERS 15
#define KY_WAY_FIRST_WORD (2 * KY_WAY_NUMBERS)
/* ~ of the first body that may not continue, or 0; the number of bodies on the list so far */
#define KY_WAY_CLOSE KY_TALLY_WORDS
#define KY_WAY_LISTED (KY_TALLY_WORDS + 1)
#define KY_WAY_WORDS (KY_TALLY_WORDS + 2)
/* Numbers of the state: longest step, tick [time]; factors from accelerations to those in lengths,
 * from masses and velocities to those in the sums, and back, from the sums to accelerations and
 * jerks; η; ε² of bodies without their own, or else how many times a source's ε² counts; the mean
 * velocity; the time at tick 0 before the call [time]. */
#define KY_SCALE_LONGEST 0
#define KY_SCALE_TICK 1
#define KY_SCALE_PER_KICK 2
#define KY_SCALE_PER_MASS 3
#define KY_SCALE_PER_SPEED 4
#define KY_SCALE_SPEED 5
#define KY_SCALE_ACCELERATION 6
#define KY_SCALE_JERK 7
#define KY_SCALE_ETA 8
#define KY_SCALE_EPS2 9
#define KY_SCALE_DRIFT 10
#define KY_SCALE_ORIGIN 13
#define KY_SCALE_NUMBERS 14
/* Kinds of blocks: a usual one, in which the next steps are chosen; the end of all other steps when
 * a call stops; the beginning of all steps. */
#define KY_HERMITE_BLOCK 0
#define KY_HERMITE_STOP 1
#define KY_HERMITE_START 2
/* Flags of its kernels: bodies have their own softenings; this is not the last correction; a
 * separate launch makes the list in order; ranks have added the slices of sources. */
#define KY_HERMITE_OWN_EPS 4
#define KY_HERMITE_AGAIN 8
#define KY_HERMITE_ORDERED 16
#define KY_HERMITE_SUMMED 32
/* Numbers of sinks that agree in their six highest bits have the same division of sums. */
#define KY_DIVISION_STEP 32
#define KY_DIVISIONS (28 * KY_DIVISION_STEP)

/* compaction: numbers that a team takes */
#define KY_COMPACT_CHUNK 128

/* sort and scan: items of a lane, and of a group of 256 lanes */
#define KY_SCAN_EACH 8
#define KY_SCAN_TILE 2048
#define KY_SORT_EACH 8
#define KY_SORT_TILE 2048

#endif
