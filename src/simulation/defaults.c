/* The `_defaults` calls as functions, for programs that were built before kyoho.h had macros of
 * these names: the one place that knows how long the structs of their time are. */
#include <stddef.h>

#include "kyoho/kyoho.h"

/* The size of the struct while `last` was its last member. */
#define UP_TO(type, last)                                                                          \
    ((offsetof(type, last) + sizeof(((type *)0)->last) + _Alignof(type) - 1) / _Alignof(type) *    \
     _Alignof(type))

/* `last` never changes, even if the struct gets later members. */
#define FUNCTION(name, last)                                                                       \
    void(ky_##name##_defaults)(struct ky_##name * to)                                              \
    {                                                                                              \
        ky_##name##_defaults_sized(to, UP_TO(struct ky_##name, last));                             \
    }

FUNCTION(parameters, expansion)
FUNCTION(check_parameters, resolved)
FUNCTION(catalogue_parameters, minimum)
FUNCTION(run_parameters, follow)
FUNCTION(write_options, overwrite)
FUNCTION(read_options, count_above)
FUNCTION(model_parameters, rotation)
FUNCTION(merge_parameters, second_omega)
FUNCTION(profile_parameters, g)
FUNCTION(mass_function_parameters, scale_factor)
