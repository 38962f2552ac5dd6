/* Bodies at rest on sinks in float: acceleration and potential, without labels; and the columns of
 * such bodies. */
#define KY_LANE_DOUBLE 0
#define KY_RESTING 1
#define KY_NAME ky_resting_single
#include "engine/cpu/lanes/moving.h"

/* Number of bodies that are converted together, in plain C that compilers vectorise. */
enum { TOGETHER = 16 };
KY_INLINE void convert(const double (*x)[3], const double *mass, size_t n,
                       const struct ky_resting_frame *to, float column[4][TOGETHER])
{
    double place[3][TOGETHER];
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < 3; c++)
            place[c][k] = x[k][c];
    for (int c = 0; c < 3; c++)
        for (size_t k = 0; k < n; k++)
            column[c][k] = (float)((place[c][k] - to->middle[c]) * to->per_length);
    for (size_t k = 0; k < n; k++)
        column[3][k] = (float)(mass[k] * to->per_mass);
}

/* KY_JERK_WITHIN for three coordinates. */
KY_INLINE void limit(float column[3][TOGETHER])
{
    const ky_vector far = ky_splat((float)-KY_JERK_FAR_FLOAT);
    for (int c = 0; c < 3; c++)
        for (size_t k = 0; k < TOGETHER; k += KY_WIDTH) {
            const ky_vector x = ky_larger(far, ky_load(&column[c][k]));
            ky_store(&column[c][k], -ky_larger(far, -x));
        }
}

void KY_LANE_NAME(ky_rest)(const double (*x)[3], const double *mass, size_t n,
                           const struct ky_resting_frame *to)
{
    float column[4][TOGETHER] = {{0}};
    for (size_t first = 0; first < n; first += TOGETHER) {
        if (n - first >= TOGETHER)
            convert(x + first, mass + first, TOGETHER, to, column);
        else
            convert(x + first, mass + first, n - first, to, column);
        limit(column);
        for (size_t c = 0; c < 4; c++)
            memcpy(to->column + c * to->stride + first, column[c], sizeof column[c]);
    }
}
