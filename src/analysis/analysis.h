/* What is measured on bodies, beside the public calls of kyoho.h. */
#ifndef KY_ANALYSIS_ANALYSIS_H
#define KY_ANALYSIS_ANALYSIS_H

#include "base/status.h"

/* The density centre of a sample of at most KY_CENTRE_SAMPLE of the bodies that have mass, the same
 * for the same bodies: near enough for lengths of the whole system, in a time that hardly grows
 * with their number. */
enum { KY_CENTRE_SAMPLE = 1 << 16 };
enum ky_status ky_sampled_centre(const struct ky_bodies *bodies, double centre[3],
                                 struct ky_error *error);

/* Mass-weighted rms speed about the mean velocity, in three dimensions. */
double ky_velocity_dispersion(const struct ky_bodies *bodies);

/* The shortest √(r³/(G (m_i + m_j))) of a body and its nearest neighbour, r their distance, or the
 * pericentre of their orbit if they are a binary; infinite when no two bodies attract each other.
 */
enum ky_status ky_shortest_pair_time(const struct ky_bodies *bodies, double g, double *time,
                                     struct ky_error *error);

/* For calls that have no snapshot: a softening of the parameters takes the place of the bodies'
 * own, whose array leaves the view. KY_USAGE with a recommended value when there is neither. */
enum ky_status ky_softening_need(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                                 struct ky_error *error);
/* The smallest softening of a body, after ky_softening_choose. */
double ky_softening_least(const struct ky_parameters *parameters, const struct ky_bodies *bodies);

/* 2T/|Σ m x·a|, with velocities about the mean velocity and positions about the centre of mass: 1
 * in equilibrium whatever the softening; NaN without forces. */
double ky_virial_ratio(const struct ky_sums *sums);

/* Distribution of the relative errors of forces. A percentile p is the smallest error that at least
 * p % of the samples do not exceed. */
struct ky_error_statistics {
    double median, p90, p99, max, rms;
    size_t samples;
};

/* |a − a_ref|/|a_ref| of `samples` vectors. Where a_ref is 0, the rms of all references takes its
 * place. KY_USAGE for 0 samples, KY_BAD_DATA when an error is not finite. */
enum ky_status ky_vector_errors(size_t samples, double (*values)[3], double (*references)[3],
                                struct ky_error_statistics *statistics, struct ky_error *error);
/* The same of numbers. */
enum ky_status ky_scalar_errors(size_t samples, const double *values, const double *references,
                                struct ky_error_statistics *statistics, struct ky_error *error);

#endif
