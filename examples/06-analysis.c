/* The centre, the profiles of mass and density, and the velocity dispersion of a snapshot.
 *
 *     cc 06-analysis.c $(pkg-config --cflags --libs kyoho) && ./a.out snapshot.hdf5 */
#include <kyoho/kyoho.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ky_error error;

static void must(enum ky_status status)
{
    if (status != KY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit((int)status);
    }
}

/* Mass-weighted variance of the radial velocity between two radii about a centre. */
static double radial_dispersion(const struct ky_bodies *bodies, const double centre[3],
                                double inner, double outer)
{
    double mass = 0, sum = 0, square = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        double r2 = 0, rv = 0;
        for (int k = 0; k < 3; k++) {
            double x = bodies->position[i][k] - centre[k];
            r2 += x * x;
            rv += x * bodies->velocity[i][k];
        }
        double r = sqrt(r2);
        if (r <= inner || r > outer)
            continue;
        mass += bodies->mass[i];
        sum += bodies->mass[i] * rv / r;
        square += bodies->mass[i] * (rv / r) * (rv / r);
    }
    return mass > 0 ? sqrt(fmax(0, square / mass - pow(sum / mass, 2))) : 0;
}

int main(int argc, char **argv)
{
    enum { SHELLS = 9 };
    const double fractions[SHELLS] = {0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95};
    struct ky_snapshot snapshot;
    if (argc != 2) {
        fprintf(stderr, "usage: %s SNAPSHOT\n", argv[0]);
        return KY_USAGE;
    }
    must(ky_snapshot_read(argv[1], &snapshot, &error));

    const struct ky_bodies *bodies = &snapshot.bodies;
    double mass = 0, centre[3], radii[SHELLS];
    for (size_t i = 0; i < bodies->n; i++)
        mass += bodies->mass[i];
    must(ky_density_centre(bodies, centre, &error));
    must(ky_lagrangian_radii(bodies, centre, SHELLS, fractions, radii, &error));

    printf("bodies %zu  mass %.6f  time %g\n", bodies->n, mass, snapshot.time);
    printf("mass within   radius     density    sigma_r\n");
    for (int s = 0; s < SHELLS; s++) {
        double inner = s ? radii[s - 1] : 0, below = s ? fractions[s - 1] : 0;
        double volume = 4.18879020478639 * (pow(radii[s], 3) - pow(inner, 3));
        printf("%9.2f     %-9.4g  %-9.4g  %.3f\n", fractions[s], radii[s],
               volume > 0 ? (fractions[s] - below) * mass / volume : 0,
               radial_dispersion(bodies, centre, inner, radii[s]));
    }
    ky_snapshot_free(&snapshot);
    return 0;
}
