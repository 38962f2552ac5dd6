/* Seconds for writing and reading a snapshot: snapshot FILE N [compress]. bench/snapshot.sh runs it
 * beside dd. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "kyoho/kyoho.h"

static long peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

/* Takes the pages of the file out of memory, so that reading means the disk. */
static void forget(const char *path)
{
    int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
}

static void fill(struct ky_bodies *bodies)
{
#pragma omp parallel for
    for (size_t i = 0; i < bodies->n; i++) {
        struct ky_random random = ky_random_at(1, 0, i);
        bodies->mass[i] = ky_random_uniform(&random);
        for (int c = 0; c < 3; c++) {
            bodies->position[i][c] = ky_random_normal(&random);
            bodies->velocity[i][c] = ky_random_normal(&random);
        }
        if (bodies->id)
            bodies->id[i] = i;
    }
}

int main(int argc, char **argv)
{
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct ky_write_options options;
    if (argc < 3) {
        fprintf(stderr, "usage: %s FILE N [compress]\n", argv[0]);
        return 2;
    }
    size_t n = (size_t)strtod(argv[2], NULL);
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    options.compress = argc > 3 && !strcmp(argv[3], "compress");
    ky_snapshot_clear(&snapshot);
    enum ky_status status = ky_bodies_allocate(&snapshot.bodies, n, KY_WITH_ID, &error);
    if (!status)
        fill(&snapshot.bodies);
    long before = peak_bytes();
    double start = ky_clock();
    if (!status)
        status = ky_snapshot_write(argv[1], &snapshot, &options, &error);
    double written = ky_clock() - start;
    long after = peak_bytes();
    ky_snapshot_free(&snapshot);
    forget(argv[1]);
    start = ky_clock();
    if (!status)
        status = ky_snapshot_read(argv[1], &snapshot, &error);
    double read = ky_clock() - start;
    if (status) {
        fprintf(stderr, "%s\n", error.text);
        return (int)status;
    }
    struct stat about;
    stat(argv[1], &about);
    double mb = (double)about.st_size / 1e6;
    printf("write %.3f s %.0f MB/s\nread %.3f s %.0f MB/s\n", written, mb / written, read,
           mb / read);
    printf("bytes %.0f\nextra memory %.1f bytes a body\n", (double)about.st_size,
           (double)(after - before) / (double)n);
    ky_snapshot_free(&snapshot);
    return 0;
}
