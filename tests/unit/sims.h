/* Parameters, a model and the state, for tests of simulations between two steps. */
#ifndef KY_TEST_SIMS_H
#define KY_TEST_SIMS_H

#include <kyoho/kyoho.h>

/* Leap-frog steps of 1/16, ε = 0.1. */
static inline struct ky_parameters sim_parameters(const char *engine, int force)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine;
    parameters.force = force;
    parameters.softening = 0.1;
    parameters.step = 0.0625;
    return parameters;
}

/* n bodies of a Plummer sphere. Free with ky_snapshot_free. */
static inline struct ky_snapshot plummer(size_t n)
{
    struct ky_error error;
    struct ky_snapshot snapshot;
    struct ky_model_parameters model;
    ky_model_parameters_defaults(&model);
    model.n = n;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_model_make("plummer", &model, &snapshot, &error));
    return snapshot;
}

/* The bodies of a simulation with the arrays `with` (KY_WITH_…). Free with ky_bodies_free. */
static inline struct ky_bodies sim_state(struct ky_sim *sim, unsigned with)
{
    struct ky_error error;
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, ky_sim_n(sim), with, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    return bodies;
}

#endif
