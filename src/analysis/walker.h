/* The general walk over bodies that are on no engine yet. A walker opens an engine for them, walks
 * any number of times, and closes it. */
#ifndef KY_ANALYSIS_WALKER_H
#define KY_ANALYSIS_WALKER_H

#include "engine/engine.h"

struct ky_walker {
    struct ky_parameters parameters; /* resolved; the engine keeps a pointer to it */
    struct ky_engine *engine;
    struct ky_force_report report; /* sums over the walks that were made */
};

/* Checks bodies and parameters, opens the engine, puts the bodies there. The precision is double
 * unless the parameters name another. KY_BAD_DATA for the bodies, KY_USAGE for the parameters, and
 * the failures of the engine. Close after a failure too. */
enum ky_status ky_walker_open(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, struct ky_walker *walker,
                              struct ky_error *error);
/* One walk, whose results go where the request says; its time and work are added to the report.
 * Does not check that the results are finite. */
enum ky_status ky_walker_walk(struct ky_walker *walker, const struct ky_walk_request *request,
                              struct ky_error *error);
/* Closes the engine, and gives the report to *report, which may be NULL. */
void ky_walker_close(struct ky_walker *walker, struct ky_force_report *report);

#endif
