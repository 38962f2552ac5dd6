/* The sizes of the structs of kyoho.h, for bindings that do not read it. */
#include "base/sizes.h"

static const struct ky_struct_size structs[] = {
    {"ky_error", sizeof(struct ky_error)},
    {"ky_bodies", sizeof(struct ky_bodies)},
    {"ky_units", sizeof(struct ky_units)},
    {"ky_field_place", sizeof(struct ky_field_place)},
    {"ky_field_places", sizeof(struct ky_field_places)},
    {"ky_parameters", sizeof(struct ky_parameters)},
    {"ky_option_about", sizeof(struct ky_option_about)},
    {"ky_force_report", sizeof(struct ky_force_report)},
    {"ky_field_points", sizeof(struct ky_field_points)},
    {"ky_error_statistics", sizeof(struct ky_error_statistics)},
    {"ky_choice", sizeof(struct ky_choice)},
    {"ky_check_parameters", sizeof(struct ky_check_parameters)},
    {"ky_check_results", sizeof(struct ky_check_results)},
    {"ky_check_memory", sizeof(struct ky_check_memory)},
    {"ky_neighbour_lists", sizeof(struct ky_neighbour_lists)},
    {"ky_catalogue_parameters", sizeof(struct ky_catalogue_parameters)},
    {"ky_catalogue", sizeof(struct ky_catalogue)},
    {"ky_action", sizeof(struct ky_action)},
    {"ky_walk_input", sizeof(struct ky_walk_input)},
    {"ky_sums", sizeof(struct ky_sums)},
    {"ky_stop", sizeof(struct ky_stop)},
    {"ky_pairs", sizeof(struct ky_pairs)},
    {"ky_few_systems", sizeof(struct ky_few_systems)},
    {"ky_progress", sizeof(struct ky_progress)},
    {"ky_run_parameters", sizeof(struct ky_run_parameters)},
    {"ky_plan", sizeof(struct ky_plan)},
    {"ky_paths", sizeof(struct ky_paths)},
    {"ky_space", sizeof(struct ky_space)},
    {"ky_snapshot", sizeof(struct ky_snapshot)},
    {"ky_write_options", sizeof(struct ky_write_options)},
    {"ky_read_options", sizeof(struct ky_read_options)},
    {"ky_model_parameters", sizeof(struct ky_model_parameters)},
    {"ky_model_about", sizeof(struct ky_model_about)},
    {"ky_merge_parameters", sizeof(struct ky_merge_parameters)},
    {"ky_merge_scale", sizeof(struct ky_merge_scale)},
    {"ky_scales", sizeof(struct ky_scales)},
    {"ky_binaries", sizeof(struct ky_binaries)},
    {"ky_profile_parameters", sizeof(struct ky_profile_parameters)},
    {"ky_radial_profile", sizeof(struct ky_radial_profile)},
    {"ky_power", sizeof(struct ky_power)},
    {"ky_tune_parameters", sizeof(struct ky_tune_parameters)},
    {"ky_tuned", sizeof(struct ky_tuned)},
    {"ky_tuning", sizeof(struct ky_tuning)},
    {"ky_device", sizeof(struct ky_device)},
};

size_t ky_abi(const char *name)
{
    return ky_size_find(structs, sizeof structs / sizeof *structs, name);
}
