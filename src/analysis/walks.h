/* The general walk over bodies that are on no engine yet. */
#ifndef KY_ANALYSIS_WALKS_H
#define KY_ANALYSIS_WALKS_H

#include "engine/engine.h"

struct ky_walker {
    struct ky_parameters parameters; /* resolved; the engine keeps a pointer to it */
    struct ky_engine *engine;
    struct ky_force_report report; /* of all walks */
};

/* Checks bodies and parameters, opens the engine, puts the bodies there. Close after a failure too.
 */
enum ky_status ky_walker_open(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, struct ky_walker *walker,
                              struct ky_error *error);
enum ky_status ky_walker_walk(struct ky_walker *walker, const struct ky_walk_request *request,
                              struct ky_error *error);
/* `report` may be NULL. */
void ky_walker_close(struct ky_walker *walker, struct ky_force_report *report);

#endif
