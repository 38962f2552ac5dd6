/* Stars of a run: a code of stellar evolution (kyoho/stellar.h), and the rows of the bodies. */
#ifndef KY_SIMULATION_STARS_H
#define KY_SIMULATION_STARS_H

#include "kyoho/stellar.h"

#include "base/status.h"
#include "base/units.h"
#include "snapshot/restart.h"

/* A body as the code sees it. A restart file stores these numbers as they are. */
struct ky_star_row {
    uint64_t id;
    int64_t type;        /* of Hurley et al. (2000); KY_NO_STAR */
    double birth, next;  /* on the clock of the run, which begins with it [Myr] */
    double mass, radius; /* [solar masses], [solar radii] */
};
enum { KY_NO_STAR = -1 };

struct ky_stars {
    const struct ky_stellar *code;
    void *own, *library; /* of the code; NULL: none */
    char *text;          /* NAME:OPTIONS or the whole path of the file and :OPTIONS */
    struct ky_star_row *row;
    char *state; /* [count][code->state_size] */
    size_t count;
    double clock;   /* now, since the start of the run [Myr]; the run sets it */
    double soonest; /* the least `next`, or less */
    double myr, solar_mass, solar_radius, km_s; /* in the units of the bodies */
};

/* A star that changes now. */
struct ky_star_change {
    size_t index; /* of the body */
    struct ky_star_row before;
    struct ky_star now;
};

/* The built-in code. */
extern const struct ky_stellar ky_stellar_analytic;

/* Opens a code: the caller's own, with the text as its options, or, if that is NULL, the one that
 * the text names. KY_USAGE for an unknown name, a file that cannot be loaded or is no plug-in of
 * this ABI, wrong options, and units without a scale. *stars is NULL after a failure. */
enum ky_status ky_stars_open(const char *text, const struct ky_stellar *own,
                             const struct ky_units *units, struct ky_stars **stars,
                             struct ky_error *error);
void ky_stars_close(struct ky_stars *stars); /* NULL is fine */

/* Brings the rows into the order of the bodies, which have the arrays id (or NULL), mass and type
 * (or NULL). New bodies of type 4 with a mass begin as stars now. Other new ones are no stars. */
enum ky_status ky_stars_follow(struct ky_stars *stars, const struct ky_bodies *bodies,
                               struct ky_error *error);
/* 1 if the rows belong to other bodies than n bodies with these ids (NULL: 0, 1, …). */
int ky_stars_differ(const struct ky_stars *stars, size_t n, const uint64_t *id);

/* Asks the code for all stars that are due. The caller frees *change. KY_BAD_DATA if the code fails
 * or gives impossible numbers. */
enum ky_status ky_stars_advance(struct ky_stars *stars, struct ky_star_change **change,
                                size_t *changes, struct ky_error *error);
/* Two bodies have become one of this mass [solar masses]: row k[0], which may change at once. Row
 * k[1] remains until ky_stars_follow. */
enum ky_status ky_stars_merge(struct ky_stars *stars, const size_t k[2], double mass,
                              struct ky_star_change *change, struct ky_error *error);

/* The sections of a restart file: rows and states; and stars from them. KY_BAD_DATA if they do not
 * fit each other or the code. */
enum { KY_STARS_SECTIONS = 2 };
void ky_stars_sections(const struct ky_stars *stars, struct ky_section section[KY_STARS_SECTIONS]);
enum ky_status ky_stars_restore(struct ky_stars *stars, const struct ky_restart *restart,
                                struct ky_error *error);

#endif
