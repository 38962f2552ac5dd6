/* Systems of few bodies (src/few): known orbits and encounters to ten digits and more, a direct sum
 * in double for any tree, and inputs at the edge. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "few/few.h"

#define KY_FEW_LANES 8
#define KY_FEW_ROOM 4
#define KY_FEW_NAME(name) name##_eight
#include "few/state.h"

#include "few/stages.h"

static const double turn = 6.283185307179586477;

struct bodies {
    int n;
    double mass[KY_FEW_MOST], x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
};

/* Numbers of a body: mass, position, velocity. */
static struct bodies bodies_of(int n, const double (*rows)[7])
{
    struct bodies bodies = {.n = n};
    for (int i = 0; i < n; i++) {
        bodies.mass[i] = rows[i][0];
        memcpy(bodies.x[i], rows[i] + 1, sizeof bodies.x[i]);
        memcpy(bodies.v[i], rows[i] + 4, sizeof bodies.v[i]);
    }
    return bodies;
}

static struct ky_few_settings settings_of(double steps, double tolerance)
{
    return (struct ky_few_settings){.g = 1, .tolerance = tolerance, .angle = turn / steps};
}

static struct ky_bodies view_of(const struct bodies *b)
{
    static struct bodies copy;
    copy = *b;
    return (struct ky_bodies){
        .n = (size_t)b->n, .mass = copy.mass, .position = copy.x, .velocity = copy.v};
}

static void start(struct ky_few *few, const struct ky_few_settings *settings,
                  const struct bodies *b)
{
    struct ky_error error;
    const struct ky_bodies bodies = view_of(b);
    assert_ok(ky_few_start(few, settings, &bodies, 0, &error));
}

static void go(struct ky_few *few, double time, struct bodies *b)
{
    struct ky_error error;
    assert_ok(ky_few_go(few, time, NULL, NULL, &error));
    ky_few_at(few, time, b->x, b->v);
}

static double difference(const double a[3], const double b[3])
{
    return fmax(fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])), fabs(a[2] - b[2]));
}

static double energy_of(const struct bodies *b)
{
    double energy = 0;
    for (int i = 0; i < b->n; i++) {
        for (int c = 0; c < 3; c++)
            energy += 0.5 * b->mass[i] * b->v[i][c] * b->v[i][c];
        for (int j = 0; j < i; j++) {
            double r2 = 0;
            for (int c = 0; c < 3; c++)
                r2 += pow(b->x[i][c] - b->x[j][c], 2);
            energy -= b->mass[i] * b->mass[j] / sqrt(r2);
        }
    }
    return energy;
}

/* ---- problems with known ends ---- */

enum { MOST_ROWS = 4 };
static const struct problem {
    const char *name;
    int n;
    double start[MOST_ROWS][7];
    double time;
    double within; /* of the positions, with 64 steps an orbit */
    struct {
        int body;
        double x[3];
    } end[3];
} problems[] = {
    {"an orbit with e = 0.99",
     2,
     {{0.9, -0.199, 0, 0, 0, -0.0042532872300500161, -0.0056710496400666881},
      {0.1, 1.791, 0, 0, 0, 0.038279585070450144, 0.051039446760600196}},
     62.83185307179586,
     2e-12,
     {{1, {-0.199, 0, 0}}, {2, {1.791, 0, 0}}}},
    {"the figure eight",
     3,
     {{1, 0.97000436, -0.24308753, 0, 0.466203685, 0.43236573, 0},
      {1, -0.97000436, 0.24308753, 0, 0.466203685, 0.43236573, 0},
      {1, 0, 0, 0, -0.93240737, -0.86473146, 0}},
     63.2591398,
     2e-12,
     {{1, {0.970004213756, -0.243087665316, 0}}, {3, {2.92260e-7, 2.68998e-7, 0}}}},
    {"the Pythagorean problem",
     3,
     {{3, 1, 3, 0, 0, 0, 0}, {4, -2, -1, 0, 0, 0, 0}, {5, 1, -1, 0, 0, 0, 0}},
     15.5,
     1e-10,
     {{1, {1.739556800061, 0.939002046145, 0}},
      {2, {-1.425996297445, -0.114044807213, 0}},
      {3, {0.097062957919, -0.472165381917, 0}}}},
    {"the Pythagorean problem after its closest approach",
     3,
     {{3, 1, 3, 0, 0, 0, 0}, {4, -2, -1, 0, 0, 0, 0}, {5, 1, -1, 0, 0, 0, 0}},
     30,
     1e-9,
     {{1, {0.856340498897, 2.287093663696, 0}},
      {2, {-0.877983879032, -0.865963827716, 0}},
      {3, {0.188582803887, -0.679485136045, 0}}}},
    {"an exchange",
     3,
     {{0.5, -0.5, 0, 0, 0, -0.5, 0}, {0.5, 0.5, 0, 0, 0, 0.5, 0}, {0.5, -20, 2, 0.3, 0.5, 0, 0}},
     80,
     1e-10,
     {{1, {12.430745308461, -2.195785921646, 4.855888048448}},
      {2, {-4.482207946875, 7.517457093571, -8.900482776170}},
      {3, {12.051462638415, -3.321671171924, 4.344594727722}}}},
    {"two light bodies on crossing orbits",
     3,
     {{1, 0, 0, 0, 0, 0, 0}, {1e-6, 1, 0, 0, 0, 0.3, 0.1}, {2e-6, -1.2, 0.4, 0, -0.2, -0.6, 0}},
     100,
     1e-9,
     {{2, {0.673668882513, -0.201451474513, -0.067065004828}},
      {3, {0.011045185554, -0.548976609148, 0.000008452959}}}},
    {"two pairs about each other",
     4,
     {{0.6, -0.42573756325382583, -0.710373232392006, -0.03131775098670319, 1.7697108430004933,
       -0.7648457121399197, -0.24528158506473882},
      {0.5, -0.41596563213924814, -0.59103657343893334, 0.037581301184043826, -1.2734185113192438,
       0.16980265634502212, 0.29433790207768662},
      {0.5, 0.54528854303430208, 0.7873521290565717, -0.017380150389876101, 1.0045266119544924,
       0.7097384511743523, 0.35058544646905582},
      {0.4, 0.47695270626192143, 0.82016540406596072, 0.021725187987345122, -2.318451390294801,
       0.047842183810661798, -0.43823180808631984}},
     100,
     1e-10,
     {{1, {-0.271061327983, -0.626223909637, 0.025453057269}}}},
    {"a triple in Kozai's cycle",
     3,
     {{0.6, 17.5, -0.36000000000000038, -2.1105729093783214e-15, 0.44221663871405337,
       0.016076697317291899, 0.091175481215054449},
      {0.4, 17.5, 0.53999999999999959, -2.1105729093783214e-15, -0.66332495807108005,
       0.016076697317291968, 0.091175481215054449},
      {1, -17.5, 3.7215094867576012e-16, 2.1105729093783214e-15, -1.8896710362878972e-17,
       -0.016076697317291926, -0.091175481215054449}},
     10000,
     1e-9,
     {{1, {17.6008666433, 0.3349680433, 0.0351585106}},
      {3, {-17.495900017319, 0.140881545505, -0.042417462277}}}},
};

static void problems_have_their_ends(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const struct problem *problem = &problems[k];
        struct bodies b = bodies_of(problem->n, problem->start);
        const struct ky_few_settings fine = settings_of(64, 1e-12), usual = settings_of(16, 1e-11);
        static struct ky_few few;
        start(&few, &fine, &b);
        go(&few, problem->time, &b);
        double worst = 0, coarse = 0;
        for (int q = 0; q < 3 && problem->end[q].body; q++)
            worst = fmax(worst, difference(b.x[problem->end[q].body - 1], problem->end[q].x));
        b = bodies_of(problem->n, problem->start);
        start(&few, &usual, &b);
        go(&few, problem->time, &b);
        for (int q = 0; q < 3 && problem->end[q].body; q++)
            coarse = fmax(coarse, difference(b.x[problem->end[q].body - 1], problem->end[q].x));
        printf("# %s: %.1e, with 16 steps an orbit %.1e\n", problem->name, worst, coarse);
        if (!(worst <= problem->within))
            fail_msg("%s: %.2e", problem->name, worst);
        assert_between(coarse, 0, 2e-6);
    }
}

/* Two of them go on: the pairs for 400 outer orbits, the triple to the end of its first cycle. */
static void longer_problems_have_their_ends(void **state)
{
    (void)state;
    static const struct {
        size_t problem;
        double steps, tolerance, time, within;
        int body[2];
        double x[2][3];
    } more[] = {{6,
                 64,
                 1e-12,
                 1000,
                 5e-10,
                 {0, 3},
                 {{0.039753851171, -0.677706769389, -0.033600746034},
                  {-0.032296223194, 0.808965713932, 0.040141640409}}},
                {7,
                 64,
                 1e-12,
                 40000,
                 1e-8,
                 {0, 0},
                 {{17.38982609, 0.51885219, -0.14867228}, {17.38982609, 0.51885219, -0.14867228}}}};
    for (size_t k = 0; k < 2; k++) {
        static struct ky_few few;
        struct bodies b = bodies_of(problems[more[k].problem].n, problems[more[k].problem].start);
        const struct ky_few_settings settings = settings_of(more[k].steps, more[k].tolerance);
        double worst = 0;
        start(&few, &settings, &b);
        go(&few, more[k].time, &b);
        for (int q = 0; q < 2; q++)
            worst = fmax(worst, difference(b.x[more[k].body[q]], more[k].x[q]));
        printf("# %s, until %g: %.1e\n", problems[more[k].problem].name, more[k].time, worst);
        assert_between(worst, 0, more[k].within);
    }
}

/* ---- two bodies ---- */

static struct bodies pair_of(double e, double light, double offset)
{
    const double m2 = light / (1 + light), apo = 1 + e, v = sqrt((1 - e) / (1 + e));
    const double rows[2][7] = {{1 - m2, offset - m2 * apo, offset, 0, 0, -m2 * v, 0},
                               {m2, offset + (1 - m2) * apo, offset, 0, 0, (1 - m2) * v, 0}};
    return bodies_of(2, rows);
}

/* Semi-major axis, eccentricity, and the angle of the pericentre of bodies 0 and 1. */
static void elements_of(const struct bodies *b, double *a, double *e, double *angle)
{
    double x[3], v[3], r2 = 0, v2 = 0, rv = 0, vector[3], e2 = 0;
    const double gm = b->mass[0] + b->mass[1];
    for (int c = 0; c < 3; c++) {
        x[c] = b->x[1][c] - b->x[0][c];
        v[c] = b->v[1][c] - b->v[0][c];
        r2 += x[c] * x[c];
        v2 += v[c] * v[c];
        rv += x[c] * v[c];
    }
    for (int c = 0; c < 3; c++) {
        vector[c] = x[c] * (v2 / gm - 1 / sqrt(r2)) - v[c] * (rv / gm);
        e2 += vector[c] * vector[c];
    }
    *a = 1 / (2 / sqrt(r2) - v2 / gm);
    *e = sqrt(e2);
    *angle = atan2(vector[1], vector[0]);
}

/* The elements of an orbit stay for thousands of orbits, whatever its eccentricity, for any ratio
 * of the masses, without mass, and far from the origin. */
static void an_orbit_stays(void **state)
{
    (void)state;
    static const double cases[][3] = {{0.9, 1, 0},    {0.999, 1, 0},    {0.9999, 1, 0},
                                      {0.5, 1e-6, 0}, {0.99, 1e-12, 0}, {0.9, 0, 0},
                                      {0, 1, 0},      {0.5, 0.3, 1000}};
    const int orbits = test_everything() ? 100000 : 500;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static struct ky_few few;
        struct bodies b = pair_of(cases[k][0], cases[k][1], cases[k][2]);
        const struct ky_few_settings settings = settings_of(16, 1e-11);
        double a[2], e[2], angle[2];
        elements_of(&b, &a[0], &e[0], &angle[0]);
        start(&few, &settings, &b);
        go(&few, turn * orbits, &b);
        elements_of(&b, &a[1], &e[1], &angle[1]);
        /* far from the origin the caller's positions have fewer digits */
        const double within = fmax(2e-12, cases[k][2] * 4e-16);
        assert_between(fabs(a[1] / a[0] - 1), 0, within);
        assert_between(fabs(e[1] - e[0]), 0, within);
        /* other masses and eccentricities turn by 2e-16 an orbit */
        if (e[0] > 0.1)
            assert_between(fabs(remainder(angle[1] - angle[0], turn)), 0,
                           k < 3 ? within : within + 4e-16 * orbits);
    }
}

/* A hyperbola against Kepler's equation, from far away to far away. */
static void a_passage_has_its_time(void **state)
{
    (void)state;
    for (double e = 1.0001; e < 4; e = 1 + 8 * (e - 1)) {
        static struct ky_few few;
        const double reach = asinh(30), mean = e * sinh(reach) - reach;
        const double r = e * cosh(reach) - 1, across = sqrt(e * e - 1);
        /* a = -1, gm = 1 */
        const double rows[2][7] = {{0, 0, 0, 0, 0, 0, 0},
                                   {1, e - cosh(reach), -across * sinh(reach), 0, sinh(reach) / r,
                                    across * cosh(reach) / r, 0}};
        for (int light = 0; light < 2; light++) {
            struct bodies b = bodies_of(2, rows);
            b.mass[light] = 0.25;
            b.mass[1 - light] = 0.75;
            const struct ky_few_settings settings = settings_of(32, 1e-11);
            start(&few, &settings, &b);
            go(&few, 2 * mean, &b);
            double x[3];
            const double wanted[3] = {e - cosh(reach), across * sinh(reach), 0};
            for (int c = 0; c < 3; c++)
                x[c] = b.x[1][c] - b.x[0][c];
            assert_between(difference(x, wanted), 0, 1e-7);
        }
    }
}

/* ---- the direct sum ---- */

static void kick(struct bodies *b, double dt)
{
    double a[KY_FEW_MOST][3] = {{0}};
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            double r2 = 0;
            for (int c = 0; c < 3; c++)
                r2 += pow(b->x[j][c] - b->x[i][c], 2);
            for (int c = 0; c < 3 && j != i && r2 > 0; c++)
                a[i][c] += b->mass[j] * (b->x[j][c] - b->x[i][c]) / (r2 * sqrt(r2));
        }
    for (int i = 0; i < b->n; i++)
        for (int c = 0; c < 3; c++)
            b->v[i][c] += dt * a[i][c];
}

/* The leap-frog in time, composed to order 4 (Yoshida 1990), with extrapolation to 6. */
static struct bodies by_direct_sum(struct bodies b, double time, int steps)
{
    const double w = 1 / (2 - cbrt(2)), part[3] = {w, 1 - 2 * w, w};
    for (int k = 0; k < 3 * steps; k++) {
        const double dt = part[k % 3] * time / steps;
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < b.n; i++)
                for (int c = 0; c < 3; c++)
                    b.x[i][c] += 0.5 * dt * b.v[i][c];
            if (!half)
                kick(&b, dt);
        }
    }
    return b;
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)*seed / 4294967296.0;
}

/* Bodies in a cube, of masses 0 to 1 (every fifth without mass), the last two close together. */
static struct bodies crowd(int n, unsigned seed)
{
    struct bodies b = {.n = n};
    for (int i = 0; i < n; i++) {
        b.mass[i] = i % 5 == 4 ? 0 : 1e-3 + uniform(&seed);
        for (int c = 0; c < 3; c++) {
            b.x[i][c] = 4 * uniform(&seed) + (i == n - 1 && i ? 1e9 : 0);
            b.v[i][c] = uniform(&seed) - 0.5;
        }
    }
    for (int c = 0; c < 3 && n > 1; c++)
        b.x[n - 1][c] = b.x[n - 2][c] + 0.3 * (c + 1);
    return b;
}

static void any_number_moves_as_by_a_direct_sum(void **state)
{
    (void)state;
    static const int numbers[] = {0, 1, 2, 3, 4, 5, 8, 9, 33, 100};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        static struct ky_few few;
        struct bodies b = crowd(numbers[k], (unsigned)k);
        const double time = 0.05;
        const struct bodies coarse = by_direct_sum(b, time, 200),
                            fine = by_direct_sum(b, time, 400);
        const struct ky_few_settings settings = settings_of(64, 1e-13);
        start(&few, &settings, &b);
        go(&few, time, &b);
        double worst = 0;
        for (int i = 0; i < b.n; i++)
            for (int c = 0; c < 3; c++) {
                const double wanted = fine.x[i][c] + (fine.x[i][c] - coarse.x[i][c]) / 15;
                worst = fmax(worst, fabs(b.x[i][c] - wanted));
                assert_true(isfinite(b.v[i][c]));
            }
        assert_between(worst, 0, 1e-10);
    }
}

/* ---- control ---- */

/* The way back ends at the beginning. */
static void time_runs_back(void **state)
{
    (void)state;
    for (size_t k = 2; k <= 4; k += 2) {
        static struct ky_few few;
        const struct problem *problem = &problems[k];
        struct bodies b = bodies_of(problem->n, problem->start);
        struct ky_few_settings settings = settings_of(64, 1e-13);
        const struct bodies first = b;
        start(&few, &settings, &b);
        go(&few, problem->time, &b);
        for (int i = 0; i < b.n; i++)
            for (int c = 0; c < 3; c++)
                b.v[i][c] = -b.v[i][c];
        start(&few, &settings, &b);
        go(&few, problem->time, &b);
        for (int i = 0; i < b.n; i++) {
            assert_between(difference(b.x[i], first.x[i]), 0, 1e-6);
            for (int c = 0; c < 3; c++)
                b.v[i][c] = -b.v[i][c];
        }
        /* the same by negative steps: from the beginning to the end at -time and to 0 again */
        b = first;
        settings.backwards = 1;
        start(&few, &settings, &b);
        go(&few, -problem->time, &b);
        for (int i = 0; i < b.n; i++)
            for (int c = 0; c < 3; c++)
                b.v[i][c] = -b.v[i][c];
        start(&few, &settings, &b);
        go(&few, -problem->time, &b);
        for (int i = 0; i < b.n; i++)
            assert_between(difference(b.x[i], first.x[i]), 0, 1e-6);
    }
}

/* A look at any time changes nothing of the path. */
static void looks_change_no_bits(void **state)
{
    (void)state;
    static struct ky_few once, often;
    const struct problem *problem = &problems[4];
    struct bodies b = bodies_of(problem->n, problem->start), end;
    const struct ky_few_settings settings = settings_of(16, 1e-11);
    start(&once, &settings, &b);
    start(&often, &settings, &b);
    end = b;
    go(&once, problem->time, &end);
    for (int k = 1; k <= 1000; k++)
        go(&often, k == 1000 ? problem->time : problem->time * k / 1000, &b);
    assert_memory_equal(end.x, b.x, sizeof b.x);
    assert_memory_equal(end.v, b.v, sizeof b.v);
    assert_true(once.steps == often.steps && once.steps > 100);
}

/* Energies of encounters stay within the tolerance of a step times a few. */
static void energy_stays_in_encounters(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (int k = 0; k < 60; k++) {
        static struct ky_few few;
        const double phase = turn * uniform(&seed), b = 3 * uniform(&seed);
        const double rows[3][7] = {
            {0.5, 0.5 * cos(phase), 0.5 * sin(phase), 0, -0.5 * sin(phase), 0.5 * cos(phase), 0},
            {0.5, -0.5 * cos(phase), -0.5 * sin(phase), 0, 0.5 * sin(phase), -0.5 * cos(phase), 0},
            {0.5, -20, b, b, 0.7, 0, 0}};
        struct bodies bodies = bodies_of(3, rows);
        const struct ky_few_settings settings = settings_of(16, 1e-11);
        const double before = energy_of(&bodies);
        start(&few, &settings, &bodies);
        go(&few, 120, &bodies);
        assert_between(fabs(energy_of(&bodies) / before - 1), 0, 1e-9);
    }
}

/* A pair that is slowed down keeps its mean eccentricity and axis, and takes fewer steps. */
static void slow_down_keeps_the_orbit(void **state)
{
    (void)state;
    static const double rows[3][7] = {
        {0.6, 140, -0.36, 0, 0.44221663871405337, 0.0056839708460703214, 0.032235400522555843},
        {0.4, 140, 0.54, 0, -0.66332495807108005, 0.0056839708460703891, 0.032235400522555843},
        {1, -140, 0, 0, 0, -0.0056839708460703483, -0.032235400522555843}};
    double mean[2] = {0, 0}, steps[2];
    for (int slow = 0; slow < 2; slow++) {
        static struct ky_few few;
        struct bodies b = bodies_of(3, rows);
        struct ky_few_settings settings = settings_of(16, 1e-11);
        settings.slow_down = slow;
        start(&few, &settings, &b);
        for (int k = 1; k <= 64; k++) { /* an orbit of the outer body */
            double a, e, angle;
            go(&few, k * 197.0, &b);
            elements_of(&b, &a, &e, &angle);
            mean[slow] += e / 64;
            assert_between(a, 1 - 1e-4, 1 + 1e-4);
        }
        steps[slow] = few.steps;
    }
    assert_between(fabs(mean[1] - mean[0]), 0, 1e-4);
    assert_between(steps[0] / steps[1], 30, 70);
}

/* Of four bodies a pair is the clock, another one is not. B of the clock is wrong by a millionth of
 * U, as after clocks of other encounters. The error of first order in h that this gives to the
 * other pair must not make all steps short: it is taken out, so that the bodies have the energy
 * without it. */
static void a_wrong_clock_costs_few_steps(void **state)
{
    (void)state;
    static const double rows[4][7] = {{0.5, 0.0005, 0, 0, 0, 15.811388300841896, 0},
                                      {0.5, -0.0005, 0, 0, 0, -15.811388300841896, 0},
                                      {0.5, 1, 0.01, 0, 0, 1, 3},
                                      {0.5, 1, -0.01, 0, 0, 1, -3}};
    double steps[2];
    for (int wrong = 0; wrong < 2; wrong++) {
        static struct ky_few few;
        struct bodies b = bodies_of(4, rows);
        const struct ky_few_settings settings = settings_of(16, 1e-11);
        start(&few, &settings, &b);
        assert_int_equal(few.clock, KY_FEW_PAIR);
        const int k = few.system.inner;
        const double error = wrong * 1e-6, u = few.system.b[0] * 2; /* of a circle */
        few.system.b[0] += error * u;
        few.error = error;
        few.wrong =
            error * u * few.system.total[k][0] * few.system.left[k][0] * few.system.right[k][0];
        few.energy -= few.wrong;
        const double energy = few.energy;
        go(&few, 0.02, &b);
        assert_between(fabs(ky_few_energy(&few.system) / energy - 1), 0, 5e-8);
        steps[wrong] = few.steps + few.repeated;
    }
    assert_between(steps[1], 0, 3 * steps[0]); /* 24 times if it stays */
}

/* ---- lanes ---- */

/* Puts a system into a lane; all lanes have the same shape and clock. */
static void fill(struct ky_few_system_eight *eight, int l, const struct ky_few_system_one *one)
{
    eight->shape = one->shape;
    eight->inner = one->inner;
    for (int i = 0; i < one->shape.n; i++)
        eight->mass[i][l] = one->mass[i][0];
    for (int k = 0; k < one->shape.n - 1; k++) {
        eight->total[k][l] = one->total[k][0];
        eight->left[k][l] = one->left[k][0];
        eight->right[k][l] = one->right[k][0];
        eight->slow[k][l] = one->slow[k][0];
        eight->weight[k][l] = one->weight[k][0];
        for (int c = 0; c < 3; c++) {
            eight->x[k][c][l] = one->x[k][c][0];
            eight->v[k][c][l] = one->v[k][c][0];
        }
    }
    eight->b[l] = one->b[0];
    eight->t[l] = one->t[0];
    eight->low[l] = one->low[0];
}

/* Eight systems side by side have the bits of each alone. */
static void lanes_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t kinds[] = {0, 4, 6, 7};
    for (size_t q = 0; q < 4; q++) {
        static struct ky_few few[8];
        static struct ky_few_system_eight eight;
        const struct problem *problem = &problems[kinds[q]];
        const struct ky_few_settings settings = settings_of(16, 1e-11);
        double h[8];
        for (int l = 0; l < 8; l++) {
            struct bodies b = bodies_of(problem->n, problem->start);
            b.x[0][0] += 1e-4 * l;
            start(&few[l], &settings, &b);
            fill(&eight, l, &few[l].system);
            h[l] = few[l].h;
        }
        set_clock_eight(&eight, &eight.shape);
        for (int k = 0; k < 50; k++) {
            step_of_eight(&eight, &eight.shape, h);
            for (int l = 0; l < 8; l++)
                ky_few_stages(&few[l].system, h[l]);
        }
        for (int l = 0; l < 8; l++) {
            const struct ky_few_system_one *one = &few[l].system;
            assert_true(one->t[0] == eight.t[l] && one->t[0] > 0 && one->b[0] == eight.b[l]);
            for (int k = 0; k < problem->n - 1; k++)
                for (int c = 0; c < 3; c++)
                    assert_true(one->x[k][c][0] == eight.x[k][c][l] &&
                                one->v[k][c][0] == eight.v[k][c][l]);
        }
    }
}

/* ---- contacts ---- */

/* Contact of a pair with e = 0.99 at a distance just above and far above the pericentre, which a
 * step passes at once; and none below it. */
static void bodies_touch(void **state)
{
    (void)state;
    const double e = 0.99;
    static const double reaches[] = {0.0100001, 0.02, 0.5, 0.00999};
    for (size_t k = 0; k < 4; k++) {
        static struct ky_few few, before;
        struct ky_error error;
        struct ky_few_contact contact;
        struct bodies b = pair_of(e, 0.3, 0);
        struct ky_few_settings settings = settings_of(16, 1e-11);
        const double radius[2] = {0.25 * reaches[k], 0.75 * reaches[k]};
        settings.radius = radius;
        settings.radii = 2;
        start(&few, &settings, &b);
        assert_ok(ky_few_go(&few, 7, &before, &contact, &error));
        if (k == 3) {
            assert_int_equal(contact.body[0], -1);
            continue;
        }
        const double anomaly = acos((1 - reaches[k]) / e), mean = anomaly - e * sin(anomaly);
        assert_true(contact.body[0] == 0 && contact.body[1] == 1);
        assert_between(contact.distance, reaches[k] * (1 - 1e-9), reaches[k]);
        assert_between(fabs(contact.time - (turn / 2 - mean)), 0, 1e-8);
        /* it goes on without another contact until the bodies have parted */
        ky_few_at(&before, contact.time, b.x, b.v);
        assert_ok(ky_few_go(&few, 2 * turn, &before, &contact, &error));
        assert_between(contact.body[0] < 0 ? 3 : contact.time, 3, 3 * turn);
    }
}

/* ---- wrong input ---- */

static void wrong_bodies_are_refused(void **state)
{
    (void)state;
    static struct ky_few few;
    struct ky_error error;
    const struct ky_few_settings settings = settings_of(16, 1e-11);
    for (int k = 0; k < 5; k++) {
        struct bodies b = crowd(5, 3);
        if (k == 0)
            b.x[1][2] = (double)NAN;
        else if (k == 1)
            b.v[4][0] = (double)INFINITY;
        else if (k == 2)
            b.mass[0] = -1;
        else if (k == 3)
            memcpy(b.x[3], b.x[0], sizeof b.x[0]);
        else
            memcpy(b.x[4], b.x[0], sizeof b.x[0]); /* one of them has no mass */
        const struct ky_bodies bodies = view_of(&b);
        assert_int_equal(ky_few_start(&few, &settings, &bodies, 0, &error), KY_BAD_DATA);
    }
}

/* Bodies without mass that coincide move on, and bodies without any mass move in straight lines. */
static void bodies_without_mass_move(void **state)
{
    (void)state;
    static struct ky_few few;
    const struct ky_few_settings settings = settings_of(16, 1e-11);
    struct bodies b = crowd(6, 5), first;
    b.mass[5] = 0; /* as body 4 */
    memcpy(b.x[5], b.x[4], sizeof b.x[4]);
    memcpy(b.v[5], b.v[4], sizeof b.v[4]);
    start(&few, &settings, &b);
    go(&few, 1, &b);
    assert_between(difference(b.x[4], b.x[5]), 0, 1e-9);
    memset(b.mass, 0, sizeof b.mass);
    first = b;
    start(&few, &settings, &b);
    go(&few, 2, &b);
    for (int i = 0; i < b.n; i++)
        for (int c = 0; c < 3; c++)
            assert_between(fabs(b.x[i][c] - first.x[i][c] - 2 * first.v[i][c]), 0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_have_their_ends),
        cmocka_unit_test(longer_problems_have_their_ends),
        cmocka_unit_test(an_orbit_stays),
        cmocka_unit_test(a_passage_has_its_time),
        cmocka_unit_test(any_number_moves_as_by_a_direct_sum),
        cmocka_unit_test(time_runs_back),
        cmocka_unit_test(looks_change_no_bits),
        cmocka_unit_test(energy_stays_in_encounters),
        cmocka_unit_test(slow_down_keeps_the_orbit),
        cmocka_unit_test(a_wrong_clock_costs_few_steps),
        cmocka_unit_test(lanes_have_the_same_bits),
        cmocka_unit_test(bodies_touch),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(bodies_without_mass_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
