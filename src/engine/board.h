/* Boards: the functions of a processor that the GRAPE-6 and GRAPE-5 calls (src/grape) use. They are
 * separate from the verbs of engine.h. A board has a memory of bodies that act ("j", in slots 0, 1,
 * …), predicts them to a time, and sums their forces on bodies that the caller sends (sinks, "i").
 *
 * A board is one device, or the CPU. src/grape/pool uses several: it divides the slots among them
 * and adds their results in a fixed order. Boards are independent.
 *
 * All numbers are the caller's, with G = 1: src/grape has multiplied them by powers of two so that
 * masses are at most 1 and distances that matter lie between 1e-11 and 1e15 (jerk.h), which float
 * holds. Results are not divided back by the board.
 *
 * One thread at a time uses a board. After a failure other than KY_USAGE a board can only be
 * closed. Results have the same bits for any number of threads. */
#ifndef KY_ENGINE_BOARD_H
#define KY_ENGINE_BOARD_H

#include <stdint.h>

#include "base/drivers.h"
#include "base/status.h"

/* A body that acts, as clients give it. */
struct ky_board_body {
    double time, mass;
    double x[3], v[3], a2[3], j6[3], s18[3]; /* position, velocity, a/2, j/6, snap/18 */
    int32_t label;                           /* any number; several bodies may have the same */
    int32_t set;                             /* 0: the slot is empty and exerts nothing */
};

/* Results wanted in addition to acceleration and potential. A board may compute more. */
enum { KY_BOARD_JERK = 1, KY_BOARD_NEAREST = 2, KY_BOARD_LISTS = 4 };

/* One force: of the slots [0, slots) at `time` on `count` sinks. A slot that was never put counts
 * as empty. A body does not act on a sink with the same label, nor is it that sink's neighbour. */
struct ky_board_request {
    double time;
    size_t slots, count; /* either may be 0 */
    int what;            /* KY_BOARD_… */
    double eps2;         /* ε² of all pairs, >= 0 */
    const int32_t *label;
    const double (*x)[3], (*v)[3]; /* of the sinks at `time`; v may be NULL without KY_BOARD_JERK */
    const double *h2; /* of the sinks, with KY_BOARD_LISTS: h², finite; <= 0: no list */
    size_t capacity;  /* with KY_BOARD_LISTS: entries of a list, 1 or more */
};

/* Arrays of the caller, [count of the request]; NULL: not wanted. Distances are between predicted
 * positions, without ε; massless bodies count too. Two distances that the board's precision does
 * not distinguish (1e-7 in extended) count as equal. */
struct ky_board_results {
    double (*acceleration)[3], (*jerk)[3], *potential; /* potential negative, without the sink */
    /* The nearest body: its label, slot and r²; of equals the lowest slot. Where there is none:
     * −1, UINT32_MAX and infinity. */
    int32_t *nearest;
    uint32_t *nearest_slot;
    double *nearest_r2;
    /* Bodies with r² <= h²: how many, and list[begin[sink] …] their labels, ascending. Where there
     * are more than the capacity, `found` is any number above it, and the list has the bodies of
     * the lowest slots. `list` has room for count * capacity labels, which a board may fill in any
     * way. The three are wanted together. */
    uint32_t *found;
    int32_t *list;
    size_t *begin;
};

/* Memory that a board keeps for a caller: zeroed at first, and freed by the caller. */
struct ky_board_room {
    void *memory;
    size_t size;
};

/* One sum over bodies at rest, in any units with G = 1. With eps2 = 0 a body exerts nothing on a
 * sink in the same place. Potentials are positive. */
struct ky_board_resting {
    size_t bodies, count; /* either may be 0 */
    const double (*x)[3], *mass;
    const double (*sink)[3];
    double eps2; /* >= 0 */
    double (*acceleration)[3], *potential;
    struct ky_board_room *room;
};

/* The first member of every board's own struct. */
struct ky_board {
    const struct ky_board_verbs *verbs;
    /* Set by `open`: the processor as --engine takes it ("cuda:1"), and its name. */
    char name[16], device[128];
};

/* Sums in float relative to the middle of the sinks. Errors are 1e-7 for a group of sinks and the
 * bodies around it. If the sinks are spread over the system, distances of near bodies have errors
 * of 1e-7 of its size. Threads may call it at once, each with its own memory. KY_FAULT where memory
 * is out. */
typedef enum ky_status ky_board_rest(struct ky_board *board, const struct ky_board_resting *resting,
                                     struct ky_error *error);

struct ky_board_verbs {
    const char *name; /* "cpu" */

    /* parameters->engine names a device ("cuda:1") or the CPU; of several devices the board is the
     * first, and KY_UNSUPPORTED tells that another one is missing. precision is KY_EXTENDED:
     * positions in double or double-single, the rest of a pair in float, with relative errors of
     * forces about 1e-7, even if all bodies move together a hundred times as fast as among
     * themselves; or KY_DOUBLE. threads, isa and log are used too. The parameters need not outlive
     * the call. */
    enum ky_status (*open)(const struct ky_parameters *parameters, struct ky_board **board,
                           struct ky_error *error);
    void (*close)(struct ky_board *board);

    /* Copies body[k] to slot[k]; slots are ascending and differ. The memory grows as needed; slots
     * that are added in between are empty. Not to be called between start and finish. */
    enum ky_status (*put)(struct ky_board *board, size_t count, const uint32_t *slot,
                          const struct ky_board_body *body, struct ky_error *error);

    /* Copies the sinks, begins to compute and returns before the force is there. Bodies are
     * predicted again if the time, the number of slots or a body has changed. The request and its
     * arrays need not outlive the call. Not to be called between start and finish. */
    enum ky_status (*start)(struct ky_board *board, const struct ky_board_request *request,
                            struct ky_error *error);
    /* Waits for the force that was started, and gives its results; with results NULL they are lost.
     * KY_USAGE without a start. */
    enum ky_status (*finish)(struct ky_board *board, const struct ky_board_results *results,
                             struct ky_error *error);
    /* NULL: the board sums over bodies at rest as over moving ones. */
    ky_board_rest *rest;
    /* Bytes of the device for this number of slots and few sinks; NULL: it has no memory of its
     * own. */
    double (*memory)(const struct ky_board *board, size_t slots);
};

/* The board of the CPU and, for each driver, the board of its devices. A build without a driver
 * lacks its board. */
#define KY_DRIVER_BOARD(own, name, ...) extern const struct ky_board_verbs ky_##name##_board;
extern const struct ky_board_verbs ky_cpu_board;
KY_DRIVERS(KY_DRIVER_BOARD, )

/* Opens the board that parameters->engine names: "cpu", "cuda:1", "opencl", "auto" (the fastest
 * that opens). KY_UNSUPPORTED, with the reason, for one that is not here; KY_USAGE for an unknown
 * name, and for several devices. */
enum ky_status ky_board_open(const struct ky_parameters *parameters, struct ky_board **board,
                             struct ky_error *error);

#endif
