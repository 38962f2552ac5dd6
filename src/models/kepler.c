/* Two point masses on a conic section: see kepler.h. */
#include "models/kepler.h"

#include <math.h>

/* Vis-viva with 1/a = (1 − e)/q and the angular momentum √(G M q (1 + e)). */
void ky_kepler_velocity(const struct ky_kepler *orbit, double velocity[2])
{
    const double q = orbit->pericentre, e = orbit->eccentricity, d = orbit->separation,
                 gm = orbit->gm;
    double inverse_axis = q > 0 ? (1 - e) / q : 0;
    velocity[1] = sqrt(gm * q * (1 + e)) / d;
    velocity[0] = -sqrt(fmax(gm * (2 / d - inverse_axis) - velocity[1] * velocity[1], 0));
}

/* Kepler's equation for a = q/(1 − e), with the eccentric anomaly from d = a (1 − e cos E), or its
 * hyperbolic form; for a parabola Barker's equation, √(2 (d − q)/GM) (q + (d − q)/3), which is
 * valid for q = 0 too. */
double ky_kepler_time(const struct ky_kepler *orbit)
{
    const double q = orbit->pericentre, e = orbit->eccentricity, gm = orbit->gm,
                 rise = fmax(orbit->separation - q, 0);
    if (fabs(e - 1) < 1e-9)
        return sqrt(2 * rise / gm) * (q + rise / 3);
    const double axis = q / fabs(1 - e), unit = sqrt(axis * axis * axis / gm);
    if (e > 1) {
        double anomaly = 2 * asinh(sqrt(rise / (2 * axis * e)));
        return unit * (e * sinh(anomaly) - anomaly);
    }
    if (!(e > 0))
        return 0; /* a circular orbit is at its pericentre */
    double anomaly = 2 * asin(sqrt(fmin(rise / (2 * axis * e), 1)));
    return unit * (anomaly - e * sin(anomaly));
}

/* From d = q (1 + e)/(1 + e cos ν); a radial orbit passes through to the other side. */
double ky_kepler_angle(const struct ky_kepler *orbit)
{
    const double q = orbit->pericentre, e = orbit->eccentricity;
    if (!(e > 0))
        return 0;
    return acos(fmax(-1, fmin((q * (1 + e) / orbit->separation - 1) / e, 1)));
}

/* A rotation by −i about the line of nodes, which lies at angle − ω: an orbit with its spin along z
 * then rises through the disk there. */
void ky_kepler_tilt(double inclination, double omega, double angle, double matrix[3][3])
{
    const double degree = acos(-1.0) / 180, i = inclination * degree, node = angle - omega * degree,
                 axis[3] = {cos(node), sin(node), 0}, c = cos(i), s = -sin(i);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            matrix[j][k] = (j == k ? c : 0) + (1 - c) * axis[j] * axis[k];
    matrix[0][2] += s * axis[1];
    matrix[1][2] -= s * axis[0];
    matrix[2][0] -= s * axis[1];
    matrix[2][1] += s * axis[0];
}
