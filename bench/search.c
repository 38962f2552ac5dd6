/* Seconds of searches: search [N [ENGINES [THREADS [PRECISION [MODEL [SEARCH [box]]]]]]] (default
 * 10000000 cpu,cuda 0 double uniform-cube and all, in open space; ENGINES are names with commas
 * between). MODEL may also be `clustered` (clustered.h), SEARCH is `all` or the name of one search,
 * and with `box` the cube is periodic. Friends of friends with a linking length of 0.2 and 0.7 of
 * the mean distance, the distance of the 8th and the 32nd nearest, and counts, lists and the SPH
 * density of 32 bodies.
 *
 * Each figure is the least of REPEAT with a new tree. `tree` goes from keys to moments, `walk` is
 * the search itself, on a device by its own clock; `processor` is the processor time of the whole
 * call with the tree, for machines that other programs use too. `found` says what was found: groups
 * of 20 bodies or more, and the largest, or a mean over the bodies. `agrees` compares all results
 * with those of the first engine: groups and lists bit for bit, distances and densities to 1e-12.
 * In double they agree. */
#include <string.h>

#include "clustered.h"
#include "common.h"

enum { REPEAT = 3, LEAST_GROUP = 20 };

static const struct search {
    const char *name;
    enum ky_action_id action;
    double friends; /* linking length or radius in mean distances */
    size_t k;
} searches[] = {
    {"friends 0.2", KY_ACTION_friends, 0.2, 0}, {"friends 0.7", KY_ACTION_friends, 0.7, 0},
    {"nearest 8", KY_ACTION_nearest, 0, 8},     {"nearest 32", KY_ACTION_nearest, 0, 32},
    {"count 32", KY_ACTION_count, 1.97, 0},     {"list 32", KY_ACTION_list, 1.97, 0},
    {"density 32", KY_ACTION_density, 1.97, 0},
};
enum { SEARCHES = sizeof searches / sizeof *searches };

/* The results of a search on the first engine: bytes of a table or of lists. */
struct result {
    void *first;
    size_t bytes;
};

struct cost {
    double tree, walk, processor;
};

static struct cost measure(struct ky_engine *engine, const struct ky_bodies *bodies,
                           const struct ky_walk_request *request)
{
    struct cost best = {1e30, 1e30, 1e30};
    struct ky_error error;
    for (int r = 0; r < REPEAT; r++) {
        struct ky_force_report report;
        stop_if(ky_engine_put(engine, bodies, &error), &error); /* the next tree is a new one */
        double start = processor_seconds();
        stop_if(ky_engine_walk(engine, request, &error), &error);
        best.processor = fmin(best.processor, processor_seconds() - start);
        ky_engine_report(engine, &report);
        best.walk = fmin(best.walk, report.walk);
        best.tree = fmin(best.tree, report.keys + report.sort + report.build + report.moments);
    }
    return best;
}

static void say_groups(const uint32_t *group, size_t n)
{
    uint32_t *size = memory_for(n, sizeof *size), largest = 0;
    size_t groups = 0;
    memset(size, 0, n * sizeof *size);
    for (size_t i = 0; i < n; i++)
        size[group[i]]++;
    for (size_t i = 0; i < n; i++) {
        groups += size[i] >= LEAST_GROUP;
        largest = size[i] > largest ? size[i] : largest;
    }
    printf("%9zu groups, %8u bodies", groups, (unsigned)largest);
    free(size);
}

static void say_mean(const double *result, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += result[i] / (double)n;
    printf("%9.6g                 ", sum);
}

/* Makes offsets for the lists from counts. */
static size_t *offsets(struct ky_engine *engine, struct ky_walk_request request)
{
    struct ky_error error;
    size_t *offset = memory_for(request.n + 1, sizeof *offset);
    double *count = memory_for(request.n, sizeof *count);
    request.action = KY_ACTION_count;
    request.results = count;
    stop_if(ky_engine_walk(engine, &request, &error), &error);
    offset[0] = 0;
    for (size_t i = 0; i < request.n; i++)
        offset[i + 1] = offset[i] + (size_t)count[i];
    free(count);
    return offset;
}

static int are_near(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * fabs(a[i])))
            return 0;
    return 1;
}

static void compare(struct result *result, void *now, size_t bytes, int are_reals)
{
    if (!result->first) {
        *result = (struct result){now, bytes};
        printf("  -\n");
        return;
    }
    const int same =
        result->bytes == bytes && (are_reals ? are_near(result->first, now, bytes / sizeof(double))
                                             : !memcmp(result->first, now, bytes));
    printf("  %s\n", same ? "yes" : "NO");
    free(now);
}

static void run(struct ky_engine *engine, const struct ky_bodies *bodies, double distance,
                const struct search *search, struct result *result)
{
    const size_t n = bodies->n;
    const double radius = search->friends * distance;
    struct ky_walk_request request = {.action = search->action,
                                      .n = n,
                                      .radius = search->k ? NULL : &radius,
                                      .radii = search->k ? 0 : 1,
                                      .k = search->k};
    size_t bytes = n * sizeof(double), *offset = NULL;
    void *now;
    if (search->action == KY_ACTION_friends) {
        bytes = n * sizeof *request.group;
        now = request.group = memory_for(n, sizeof *request.group);
    } else if (search->action == KY_ACTION_list) {
        request.offset = offset = offsets(engine, request);
        bytes = offset[n] * sizeof *request.list;
        now = request.list = memory_for(offset[n], sizeof *request.list);
    } else {
        now = request.results = memory_for(n, sizeof *request.results);
    }
    struct cost cost = measure(engine, bodies, &request);
    printf("%-12s %-8s %10zu %9.4f %9.4f %9.4f %9.4f  ", search->name, engine->name, n, cost.tree,
           cost.walk, cost.tree + cost.walk, cost.processor);
    if (request.group)
        say_groups(request.group, n);
    else if (request.results)
        say_mean(request.results, n);
    else
        printf("%9.6g                 ", (double)offset[n] / (double)n);
    compare(result, now, bytes, request.results != NULL);
    fflush(stdout);
    free(offset);
}

int main(int argc, char **argv)
{
    struct ky_parameters parameters, resolved;
    char names[200];
    struct result results[SEARCHES] = {{0}};
    ky_parameters_defaults(&parameters);
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    snprintf(names, sizeof names, "%s", argc > 2 ? argv[2] : "cpu,cuda");
    parameters.threads = argc > 3 ? atoi(argv[3]) : 0;
    const double side = 3.77; /* of uniform-cube */
    const int in_box = argc > 7 && !strcmp(argv[7], "box");
    parameters.force = in_box ? KY_TREE : KY_WALK;
    parameters.box = in_box ? side : 0;
    parameters.softening = 0;
    parameters.precision = argc > 4 && !strcmp(argv[4], "single")     ? KY_SINGLE
                           : argc > 4 && !strcmp(argv[4], "extended") ? KY_EXTENDED
                                                                      : KY_DOUBLE;
    const int clustered = argc > 5 && !strcmp(argv[5], "clustered");
    struct ky_snapshot snapshot = model(argc > 5 && !clustered ? argv[5] : "uniform-cube", n);
    free(snapshot.bodies.softening); /* one softening for all, which searches do not need */
    snapshot.bodies.softening = NULL;
    const struct ky_bodies *bodies = &snapshot.bodies;
    const double distance = side / cbrt((double)n);
    if (clustered)
        clustered_make(&snapshot.bodies, side);
    printf("%-12s %-8s %10s %9s %9s %9s %9s  %-26s  %s\n", "search", "engine", "N", "tree s",
           "walk s", "sum s", "processor", "found", "agrees");
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        parameters.engine = name;
        struct ky_engine *engine = engine_for(&parameters, &resolved, bodies);
        for (int s = 0; s < SEARCHES; s++)
            if (argc <= 6 || !strcmp(argv[6], "all") || !strcmp(argv[6], searches[s].name))
                run(engine, bodies, distance, &searches[s], &results[s]);
        ky_engine_close(engine);
    }
    for (int s = 0; s < SEARCHES; s++)
        free(results[s].first);
    ky_snapshot_free(&snapshot);
    return 0;
}
