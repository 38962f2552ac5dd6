/* The general walk. A walker opens an engine for bodies that are not on an engine yet, walks any
 * number of times, and closes it; or it walks over the bodies of an engine that is already open. */
#ifndef KY_ANALYSIS_WALKER_H
#define KY_ANALYSIS_WALKER_H

#include "engine/engine.h"

struct ky_walker {
    struct ky_parameters parameters; /* resolved; the engine keeps a pointer to it */
    struct ky_engine *engine;
    struct ky_halt halt;
    int is_guest;                  /* 1: the engine belongs to the caller and stays open */
    struct ky_force_report report; /* sums over all walks */
};

/* Checks bodies and parameters, opens the engine and puts the bodies there. Walks end with
 * KY_STOPPED when the flag of the parameters is set; so does this call. The precision is double
 * unless the parameters name another. `why`: why several devices do not become ranks, or NULL.
 * KY_BAD_DATA for the bodies, KY_USAGE for the parameters; otherwise fails as the engine. Call
 * ky_walker_close also after a failure. */
enum ky_status ky_walker_open(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, const char *why,
                              struct ky_walker *walker, struct ky_error *error);
/* A walker over the bodies on this engine, whose walks check `stop` (or NULL). The parameters are
 * the engine's, resolved. */
struct ky_walker ky_walker_on(struct ky_engine *engine, const struct ky_parameters *parameters,
                              const volatile int *stop);
/* Does one walk and stores the results as the request says; adds time and work to the report. Does
 * not check that the results are finite. */
enum ky_status ky_walker_walk(struct ky_walker *walker, const struct ky_walk_request *request,
                              struct ky_error *error);
/* KY_USAGE for a radius of more than half of the periodic box: a search takes only the nearest
 * image of each body. */
enum ky_status ky_walker_check_radii(const struct ky_walker *walker, const double *radius,
                                     size_t radii, struct ky_error *error);
/* KY_UNSUPPORTED for bodies in a periodic box; `what` begins the message. */
enum ky_status ky_walker_need_open_space(const struct ky_walker *walker, const char *what,
                                         struct ky_error *error);
/* The squared distance of two positions, in a periodic box of the nearest images. */
double ky_walker_distance2(const struct ky_walker *walker, const double a[3], const double b[3]);
/* Closes the engine and writes the report to *report, which may be NULL. */
void ky_walker_close(struct ky_walker *walker, struct ky_force_report *report);

/* The functions of kyoho.h for a given walker. They fail in the same way. */
enum ky_status ky_walker_act(struct ky_walker *walker, const char *action,
                             const struct ky_walk_input *input, double *results,
                             struct ky_error *error);
enum ky_status ky_walker_neighbours(struct ky_walker *walker, const double *radius, size_t radii,
                                    uint32_t *count, struct ky_neighbour_lists *lists,
                                    struct ky_error *error);
/* The same for radii that are not checked: of the images of a body only the nearest is found. */
enum ky_status ky_walker_neighbours_of_any(struct ky_walker *walker, const double *radius,
                                           size_t radii, uint32_t *count,
                                           struct ky_neighbour_lists *lists,
                                           struct ky_error *error);
/* `position` has the positions of the engine's n bodies, as the engine returns them. */
enum ky_status ky_walker_pairs(struct ky_walker *walker, size_t n, const double (*position)[3],
                               const double *radius, size_t radii, struct ky_pairs *pairs,
                               struct ky_error *error);
enum ky_status ky_walker_density(struct ky_walker *walker, size_t k, double *density,
                                 double *smoothing, struct ky_error *error);
/* `bodies` has the positions of the engine's bodies, as the engine returns them. */
enum ky_status ky_walker_nearest(struct ky_walker *walker, const struct ky_bodies *bodies, size_t k,
                                 uint32_t *index, double *distance, struct ky_error *error);
/* Copies masses, positions and velocities from the engine to `bodies`. */
enum ky_status ky_walker_catalogue(struct ky_walker *walker,
                                   const struct ky_catalogue_parameters *wanted,
                                   const struct ky_bodies *bodies, struct ky_catalogue *catalogue,
                                   struct ky_error *error);

#endif
