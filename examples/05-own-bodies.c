/* A program's own bodies go into a snapshot file and come back: a ring of light bodies about a
 * heavy one. The ending of the name chooses the format: .hdf5, .tipsy or .csv.
 *
 *     cc 05-own-bodies.c $(pkg-config --cflags --libs kyoho) && ./a.out ring.csv */
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

int main(int argc, char **argv)
{
    enum { RING = 360 };
    const char *path = argc > 1 ? argv[1] : "ring.csv";
    struct ky_snapshot ring, read;
    ky_snapshot_clear(&ring);
    must(ky_bodies_allocate(&ring.bodies, RING + 1, KY_WITH_ID, &error));
    ring.bodies.mass[0] = 1;
    for (size_t i = 1; i <= RING; i++) {
        double angle = 2 * 3.14159265358979324 * (double)i / RING;
        ring.bodies.mass[i] = 1e-6;
        ring.bodies.id[i] = 1000 + i;
        ring.bodies.position[i][0] = cos(angle);
        ring.bodies.position[i][1] = sin(angle);
        ring.bodies.velocity[i][0] = -sin(angle); /* a circle: v² = G M / r */
        ring.bodies.velocity[i][1] = cos(angle);
    }
    ring.time = 2.5;

    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    must(ky_snapshot_write(path, &ring, &options, &error));
    must(ky_snapshot_read(path, &read, &error));

    double mass = 0, worst = 0;
    for (size_t i = 0; i < read.bodies.n; i++) {
        mass += read.bodies.mass[i];
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(read.bodies.position[i][k] - ring.bodies.position[i][k]));
    }
    printf("%s: %zu bodies, mass %.6f, largest difference %g\n", path, read.bodies.n, mass, worst);
    ky_snapshot_free(&ring);
    ky_snapshot_free(&read);
    return 0;
}
