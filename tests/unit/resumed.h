/* A simulation that is saved and opened again, beside one that never stopped. */
#ifndef KY_TEST_RESUMED_H
#define KY_TEST_RESUMED_H

#include <kyoho/kyoho.h>

/* Saves the simulation, closes it, opens it again with parameters that lack the field, and makes
 * 39 steps: then its bodies, which fill *found, are those of *whole bit for bit. Frees both. */
static inline void goes_on_as(struct ky_sim *sim, struct ky_parameters *p, const char *path,
                              struct ky_bodies *whole, struct ky_bodies *found)
{
    struct ky_error error;
    assert_ok(ky_sim_save(sim, path, &error));
    ky_sim_close(sim);
    p->field = NULL;
    assert_ok(ky_sim_restore(path, p, &sim, &error));
    assert_ok(ky_sim_advance(sim, 39, &error));
    assert_ok(ky_sim_bodies(sim, found, &error));
    ky_sim_close(sim);
    assert_memory_equal(whole->position, found->position, whole->n * sizeof *whole->position);
    assert_memory_equal(whole->velocity, found->velocity, whole->n * sizeof *whole->velocity);
    ky_bodies_free(whole);
    ky_bodies_free(found);
}

#endif
