/* The bodies of a rank along the curve, while ranges are found (cube.c, ranges.c): on the host, or
 * on the card of the rank's engine (cards.c). */
#ifndef KY_DOMAIN_CURVE_H
#define KY_DOMAIN_CURVE_H

#include "domain/domain.h"
#include "octree/keys.h"

/* A rank's data for the cube: the box of its bodies in the engine's units, and its bodies that are
 * in the system's samples (octree/sample.h). lost: the first body whose position is not finite, or
 * UINT64_MAX. */
enum { KY_CURVE_ROOM = KY_FRAME_SAMPLES + KY_ORIGIN_SAMPLE };
struct ky_curve_told {
    double low[3], high[3];
    uint64_t sampled, lost;
};
struct ky_curve_sampled {
    uint64_t place; /* in the sample's order */
    double x[3];
};

/* Each rank proposes KY_PROBES of its keys, each in the middle of an equal share of its work; work
 * 0: unused. */
enum { KY_PROBES = 256 };
struct ky_probe {
    uint64_t key;
    double work;
};

/* A body that leaves. */
struct ky_mover {
    uint32_t body; /* of the engine */
    int rank;      /* to which it goes */
    uint64_t key;
};
struct ky_movers {
    size_t *leaving; /* [ranks] number of bodies that go to each rank */
    size_t *coming;
    uint64_t left; /* number that go in a later round */
    size_t all_leaving, all_coming;
    struct ky_mover *mover; /* on the host: [all_leaving] by body */
    uint32_t *gone;         /* on the host: the same bodies */
};

struct ky_curve_verbs;
struct ky_ranging {
    const struct ky_curve_verbs *verbs;
    struct ky_domain *domain;
    size_t n;
    uint64_t *begin; /* [ranks + 1] the first key of each range */
    /* on the host: */
    double *const *at; /* where the bodies are, in the engine's units; NULL: at their positions */
    const double *weight; /* the work for each body; NULL: the same for all */
    double *x[3];         /* in the engine's units */
    struct ky_hilbert hilbert;
    struct ky_word_layout layout;
    uint64_t *key;   /* [n] ascending */
    uint32_t *order; /* [n] the body of each key */
};

enum { KY_CURVE_LEVELS = KY_KEY_LEVELS + 1 };

struct ky_curve_verbs {
    /* Finds the box and the samples: sample[] has room for `threads` × KY_CURVE_ROOM, told[] for
     * this number of threads. */
    enum ky_status (*look)(struct ky_ranging *curve, struct ky_curve_told *own,
                           struct ky_curve_told *told, struct ky_curve_sampled *sample,
                           struct ky_error *error);
    /* The origin of the cells along an axis, from the coordinates of the cube's sample, or of the
     * origin's own sample. */
    double (*origin)(const struct ky_ranging *curve, double *of_cube, size_t cubes,
                     double *of_origin, size_t origins);
    /* Makes the keys in the domain's cube, and chooses the probes. */
    enum ky_status (*keys)(struct ky_ranging *curve, struct ky_probe own[KY_PROBES],
                           struct ky_error *error);
    /* count[e KY_CURVE_LEVELS + l] becomes the number of bodies in the cube of level l that holds
     * key at[e]. */
    enum ky_status (*count)(struct ky_ranging *curve, const uint64_t *at, size_t ends,
                            uint64_t *count, struct ky_error *error);
    /* Finds the bodies that leave and their ranks; on the host also the least and the largest key
     * of the bodies that stay. */
    enum ky_status (*leave)(struct ky_ranging *curve, struct ky_movers *movers,
                            struct ky_error *error);
    /* Sends these bodies; the bodies that arrive get places in the engine. */
    enum ky_status (*move)(const struct ky_ranging *curve, const struct ky_movers *movers,
                           struct ky_error *error);
    int levels; /* 1: the keys have all levels; 0: only the levels of the layout */
};

extern const struct ky_curve_verbs ky_curve_of_card;
/* The first two verbs on the host. */
enum ky_status ky_curve_look(struct ky_ranging *curve, struct ky_curve_told *own,
                             struct ky_curve_told *told, struct ky_curve_sampled *sample,
                             struct ky_error *error);
double ky_curve_median(const struct ky_ranging *curve, double *of_cube, size_t cubes,
                       double *of_origin, size_t origins);

/* Finds the domain's cube and origin, the same on all ranks. If a position is not finite, all ranks
 * return KY_BAD_DATA and set is_lost. */
enum ky_status ky_curve_find_cube(struct ky_ranging *curve, struct ky_error *error);
/* moves.c: the verb `move` on the host. */
enum ky_status ky_curve_move_rows(const struct ky_ranging *curve, const struct ky_movers *movers,
                                  struct ky_error *error);

/* The number of its n keys that a rank proposes. */
static inline size_t ky_probe_count(size_t n)
{
    return n < KY_PROBES ? n : KY_PROBES;
}

#endif
