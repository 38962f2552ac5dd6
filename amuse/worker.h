/* worker.h - the functions that worker.c calls for AMUSE, in the form of
 * python/kyoho/amuse/interface.py. */
#ifndef KYOHO_AMUSE_WORKER_H
#define KYOHO_AMUSE_WORKER_H

#include <stdbool.h>

/* Every kind of function, with the numbers of its arguments: whole numbers, reals, truth values and
 * texts that come in, and the same that go out beside the result. The last member is 1 for a
 * function of whole arrays and their length. */
#define KINDS(KIND)                                                                                \
    KIND(plain, (void), 0, 0, 0, 0, 0, 0, 0, 0, 0)                                                 \
    KIND(int_in, (int), 1, 0, 0, 0, 0, 0, 0, 0, 0)                                                 \
    KIND(int_out, (int *), 0, 0, 0, 0, 1, 0, 0, 0, 0)                                              \
    KIND(int_to_int, (int, int *), 1, 0, 0, 0, 1, 0, 0, 0, 0)                                      \
    KIND(int_to_ints, (int, int *, int *), 1, 0, 0, 0, 2, 0, 0, 0, 0)                              \
    KIND(ints_to_int, (int, int, int *), 2, 0, 0, 0, 1, 0, 0, 0, 0)                                \
    KIND(real_in, (double), 0, 1, 0, 0, 0, 0, 0, 0, 0)                                             \
    KIND(real_out, (double *), 0, 0, 0, 0, 0, 1, 0, 0, 0)                                          \
    KIND(vector_out, (double *, double *, double *), 0, 0, 0, 0, 0, 3, 0, 0, 0)                    \
    KIND(set_real, (int, double), 1, 1, 0, 0, 0, 0, 0, 0, 0)                                       \
    KIND(get_real, (int, double *), 1, 0, 0, 0, 0, 1, 0, 0, 0)                                     \
    KIND(set_vector, (int, double, double, double), 1, 3, 0, 0, 0, 0, 0, 0, 0)                     \
    KIND(get_vector, (int, double *, double *, double *), 1, 0, 0, 0, 0, 3, 0, 0, 0)               \
    KIND(set_all, (int, double, double, double, double, double, double, double, double), 1, 8, 0,  \
         0, 0, 0, 0, 0, 0)                                                                         \
    KIND(get_all,                                                                                  \
         (int, double *, double *, double *, double *, double *, double *, double *, double *), 1, \
         0, 0, 0, 0, 8, 0, 0, 0)                                                                   \
    KIND(new_body, (int *, double, double, double, double, double, double, double, double), 0, 8,  \
         0, 0, 1, 0, 0, 0, 0)                                                                      \
    KIND(new_place, (int *, double, double, double, double), 0, 4, 0, 0, 1, 0, 0, 0, 0)            \
    KIND(flag_in, (bool), 0, 0, 1, 0, 0, 0, 0, 0, 0)                                               \
    KIND(flag_out, (bool *), 0, 0, 0, 0, 0, 0, 1, 0, 0)                                            \
    KIND(text_in, (char *), 0, 0, 0, 1, 0, 0, 0, 0, 0)                                             \
    KIND(text_out, (char **), 0, 0, 0, 0, 0, 0, 0, 1, 0)                                           \
    KIND(texts_in, (char *, char *), 0, 0, 0, 2, 0, 0, 0, 0, 0)                                    \
    KIND(text_to_text, (char *, char **), 0, 0, 0, 1, 0, 0, 0, 1, 0)                               \
    KIND(about, (int, char **, int *, char **, char **, char **, char **, char **), 1, 0, 0, 0, 1, \
         0, 0, 6, 0)                                                                               \
    KIND(vectors_at, (double *, double *, double *, double *, double *, double *, double *, int),  \
         0, 4, 0, 0, 0, 3, 0, 0, 1)                                                                \
    KIND(reals_at, (double *, double *, double *, double *, double *, int), 0, 4, 0, 0, 0, 1, 0,   \
         0, 1)

#define FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(plain, initialize_code)                                                               \
    FUNCTION(plain, cleanup_code)                                                                  \
    FUNCTION(plain, commit_parameters)                                                             \
    FUNCTION(plain, recommit_parameters)                                                           \
    FUNCTION(plain, commit_particles)                                                              \
    FUNCTION(plain, recommit_particles)                                                            \
    FUNCTION(plain, synchronize_model)                                                             \
    FUNCTION(text_in, set_working_directory)                                                       \
    FUNCTION(text_out, get_working_directory)                                                      \
    FUNCTION(text_out, get_error_text)                                                             \
    FUNCTION(new_body, new_particle)                                                               \
    FUNCTION(new_place, new_source)                                                                \
    FUNCTION(int_in, delete_particle)                                                              \
    FUNCTION(int_out, get_number_of_particles)                                                     \
    FUNCTION(int_out, get_index_of_first_particle)                                                 \
    FUNCTION(int_to_int, get_index_of_next_particle)                                               \
    FUNCTION(get_all, get_state)                                                                   \
    FUNCTION(set_all, set_state)                                                                   \
    FUNCTION(get_real, get_mass)                                                                   \
    FUNCTION(set_real, set_mass)                                                                   \
    FUNCTION(get_real, get_radius)                                                                 \
    FUNCTION(set_real, set_radius)                                                                 \
    FUNCTION(get_vector, get_position)                                                             \
    FUNCTION(set_vector, set_position)                                                             \
    FUNCTION(get_vector, get_velocity)                                                             \
    FUNCTION(set_vector, set_velocity)                                                             \
    FUNCTION(get_vector, get_acceleration)                                                         \
    FUNCTION(get_real, get_potential)                                                              \
    FUNCTION(real_in, evolve_model)                                                                \
    FUNCTION(real_out, get_time)                                                                   \
    FUNCTION(real_out, get_kinetic_energy)                                                         \
    FUNCTION(real_out, get_potential_energy)                                                       \
    FUNCTION(real_out, get_total_mass)                                                             \
    FUNCTION(real_out, get_total_radius)                                                           \
    FUNCTION(vector_out, get_center_of_mass_position)                                              \
    FUNCTION(vector_out, get_center_of_mass_velocity)                                              \
    FUNCTION(vectors_at, get_gravity_at_point)                                                     \
    FUNCTION(reals_at, get_potential_at_point)                                                     \
    FUNCTION(real_out, get_eps2)                                                                   \
    FUNCTION(real_in, set_eps2)                                                                    \
    FUNCTION(real_out, get_time_step)                                                              \
    FUNCTION(real_in, set_time_step)                                                               \
    FUNCTION(real_out, get_begin_time)                                                             \
    FUNCTION(real_in, set_begin_time)                                                              \
    FUNCTION(int_out, get_is_time_reversed_allowed)                                                \
    FUNCTION(int_in, set_is_time_reversed_allowed)                                                 \
    FUNCTION(int_out, get_number_of_options)                                                       \
    FUNCTION(about, get_option_about)                                                              \
    FUNCTION(texts_in, set_option)                                                                 \
    FUNCTION(text_to_text, get_option)                                                             \
    FUNCTION(int_to_int, has_stopping_condition)                                                   \
    FUNCTION(int_in, enable_stopping_condition)                                                    \
    FUNCTION(int_in, disable_stopping_condition)                                                   \
    FUNCTION(int_to_int, is_stopping_condition_enabled)                                            \
    FUNCTION(int_to_int, is_stopping_condition_set)                                                \
    FUNCTION(int_out, get_number_of_stopping_conditions_set)                                       \
    FUNCTION(int_to_ints, get_stopping_condition_info)                                             \
    FUNCTION(ints_to_int, get_stopping_condition_particle_index)                                   \
    FUNCTION(real_out, get_stopping_condition_timeout_parameter)                                   \
    FUNCTION(real_in, set_stopping_condition_timeout_parameter)                                    \
    FUNCTION(int_out, get_stopping_condition_number_of_steps_parameter)                            \
    FUNCTION(int_in, set_stopping_condition_number_of_steps_parameter)                             \
    FUNCTION(real_out, get_stopping_condition_out_of_box_parameter)                                \
    FUNCTION(real_in, set_stopping_condition_out_of_box_parameter)                                 \
    FUNCTION(flag_out, get_stopping_condition_out_of_box_use_center_of_mass_parameter)             \
    FUNCTION(flag_in, set_stopping_condition_out_of_box_use_center_of_mass_parameter)              \
    FUNCTION(real_out, get_stopping_condition_minimum_density_parameter)                           \
    FUNCTION(real_in, set_stopping_condition_minimum_density_parameter)                            \
    FUNCTION(real_out, get_stopping_condition_maximum_density_parameter)                           \
    FUNCTION(real_in, set_stopping_condition_maximum_density_parameter)                            \
    FUNCTION(real_out, get_stopping_condition_minimum_internal_energy_parameter)                   \
    FUNCTION(real_in, set_stopping_condition_minimum_internal_energy_parameter)                    \
    FUNCTION(real_out, get_stopping_condition_maximum_internal_energy_parameter)                   \
    FUNCTION(real_in, set_stopping_condition_maximum_internal_energy_parameter)

#define DECLARE_KIND(kind, arguments, ...) typedef int kind##_function arguments;
KINDS(DECLARE_KIND)
#undef DECLARE_KIND
#define DECLARE_FUNCTION(kind, name) kind##_function name;
FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

#endif
