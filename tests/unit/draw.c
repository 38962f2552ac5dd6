/* Pictures: mass in the layers, symmetry, odd bodies, colours, films, plots, and PNG files read
 * back by libpng. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef KY_HAVE_PNG
#include <png.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/random.h"
#include "draw/axis.h"
#include "draw/plot.h"
#include "draw/pyramid.h"

enum { WIDTH = 96 };
static const size_t square[2] = {WIDTH, WIDTH};

static struct ky_error error;

/* Makes a Gaussian cloud in which every second body mirrors the one before it. */
static void cloud(struct ky_snapshot *panel, size_t n, double size)
{
    memset(panel, 0, sizeof *panel);
    panel->size = sizeof *panel;
    assert_ok(ky_bodies_allocate(&panel->bodies, n, 0, &error));
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(11, 1, i / 2);
        for (int k = 0; k < 3; k++)
            panel->bodies.position[i][k] =
                size * ky_random_normal(&random) * (i % 2 && k == 0 ? -1 : 1);
        panel->bodies.mass[i] = 0.25 + (double)(i / 2 % 3);
    }
}

static double total(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static enum ky_status project(const struct ky_bodies *bodies, const struct ky_view *view,
                              const size_t size[2], double smooth, double *density)
{
    struct ky_projection projection = {bodies, -1, 0, view, {size[0], size[1]}, smooth};
    return ky_density_project(&projection, density, NULL, &error);
}

/* All bodies lie far inside the picture, which has to show all of the mass. */
static void projection_keeps_the_mass(void **state)
{
    (void)state;
    static const size_t numbers[] = {1, 2, 500, 1001, 20000};
    static double density[WIDTH * WIDTH];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct ky_snapshot panel;
        cloud(&panel, numbers[k], 0.3);
        struct ky_view view = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .side = 64};
        double area = pow(view.side / WIDTH, 2), mass = 0;
        for (size_t i = 0; i < panel.bodies.n; i++)
            mass += panel.bodies.mass[i] *= k % 2 ? 1e-300 : 1; /* 2^62 / mass is not a number */
        assert_ok(project(&panel.bodies, &view, square, 20, density));
        double sum = total(density, WIDTH * WIDTH) * area;
        assert_between(sum / mass, 1 - 1e-6, 1 + 1e-6);
        ky_bodies_free(&panel.bodies);
    }
}

/* The mean position of the mass in the picture is that of the bodies, upwards and to the right. */
static void projection_keeps_the_place(void **state)
{
    (void)state;
    static double density[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 4000, 0.3);
    for (size_t i = 0; i < panel.bodies.n; i++)
        panel.bodies.position[i][0] += 5, panel.bodies.position[i][2] -= 11;
    struct ky_view view = {.axis = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, .side = 64};
    assert_ok(project(&panel.bodies, &view, square, 50, density));
    double right = 0, up = 0, sum = total(density, WIDTH * WIDTH);
    for (size_t y = 0; y < WIDTH; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            double mass = density[y * WIDTH + x] / sum, pixel = view.side / WIDTH;
            right += mass * ((double)x + 0.5 - WIDTH / 2.0) * pixel;
            up += mass * (WIDTH / 2.0 - (double)y - 0.5) * pixel;
        }
    assert_between(right, 5 - 0.05, 5 + 0.05);
    assert_between(up, -11 - 0.05, -11 + 0.05);
    ky_bodies_free(&panel.bodies);
}

/* Pictures have any width and height. A camera that goes round sees on the left what was near, and
 * a camera above sees it below. */
static void pictures_may_be_oblong_and_turned(void **state)
{
    (void)state;
    static const struct {
        size_t size[2];
        double turn, tilt, right, up;
    } cases[] = {{{97, 64}, 0, 0, 3, -5},
                 {{64, 130}, 0, 0, 3, -5},
                 {{96, 96}, 90, 0, -11, -5},
                 {{96, 96}, 0, 90, 3, -11},
                 {{96, 96}, 180, 0, -3, -5}};
    static double density[130 * 130];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot panel;
        cloud(&panel, 4000, 0.3);
        for (size_t i = 0; i < panel.bodies.n; i++) {
            double *x = panel.bodies.position[i];
            x[0] += 3, x[1] -= 5, x[2] += 11;
        }
        const size_t *size = cases[k].size;
        struct ky_view view = {.side = 48};
        ky_view_turn(&view, KY_Z, cases[k].turn, cases[k].tilt);
        assert_ok(project(&panel.bodies, &view, size, 50, density));
        double right = 0, up = 0, sum = total(density, size[0] * size[1]), mass = 0;
        double pixel = view.side / (double)ky_shorter(size);
        for (size_t y = 0; y < size[1]; y++)
            for (size_t x = 0; x < size[0]; x++) {
                double part = density[y * size[0] + x] / sum;
                right += part * ((double)x + 0.5 - (double)size[0] / 2) * pixel;
                up += part * ((double)size[1] / 2 - (double)y - 0.5) * pixel;
            }
        for (size_t i = 0; i < panel.bodies.n; i++)
            mass += panel.bodies.mass[i];
        assert_between(sum * pixel * pixel / mass, 1 - 1e-6, 1 + 1e-6);
        assert_between(right - cases[k].right, -0.05, 0.05);
        assert_between(up - cases[k].up, -0.05, 0.05);
        ky_bodies_free(&panel.bodies);
    }
}

/* The colour of the pixel at a position, with the middle of the picture at 0. */
static const uint8_t *colour_at(const struct ky_canvas *canvas, const struct ky_scene *scene,
                                double right, double up)
{
    double pixel = scene->view.side / (double)ky_shorter(scene->size);
    size_t x = (size_t)((double)canvas->width / 2 + right / pixel);
    size_t y = (size_t)((double)canvas->height / 2 - up / pixel);
    return canvas->rgb + 3 * (y * canvas->width + x);
}

/* Draws a frame of the panel with the middle at 0 and without a title. */
static void draw_frame(const struct ky_snapshot *panel, struct ky_draw_parameters *parameters,
                       struct ky_scene *scene, struct ky_canvas *canvas)
{
    struct ky_layout layout;
    *scene = (struct ky_scene){.parameters = parameters, .size = {WIDTH, WIDTH}};
    parameters->title = "", parameters->region = 16;
    for (int k = 0; k < 3; k++)
        parameters->centre[k] = 0;
    parameters->rim = KY_RIM_SCALE;
    assert_ok(ky_scene_choose(scene, panel, 1, 0, NULL, &error));
    ky_layout_choose(&layout, scene, 1, panel);
    assert_ok(ky_layout_open(&layout, scene, canvas, &error));
    assert_ok(ky_frame_draw(scene, &layout, panel, canvas, &error));
}

/* Types have their own colours, where their bodies are. A type without bodies has no layer. */
static void components_have_their_colours(void **state)
{
    (void)state;
    static double layers[KY_TYPES * WIDTH * WIDTH];
    uint8_t type[3] = {0, 3, 5};
    struct ky_snapshot panel;
    struct ky_draw_parameters parameters;
    struct ky_scene scene;
    struct ky_canvas canvas;
    cloud(&panel, 3, 0);
    panel.bodies.type = type;
    for (int k = 0; k < 3; k++)
        panel.bodies.position[k][0] = 4 * (k - 1);
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_COMPONENTS;
    draw_frame(&panel, &parameters, &scene, &canvas);
    assert_int_equal(scene.present, 1 | 8 | 32);
    for (int k = 0; k < 3; k++) {
        const uint8_t *seen = colour_at(&canvas, &scene, 4 * (k - 1) + 0.01, 0.01);
        for (int c = 0; c < 3; c++)
            assert_between(seen[c] - ky_part_colours(0)[type[k]][c], -40, 13);
    }
    assert_true(colour_at(&canvas, &scene, 2, 3)[0] < 13);
    assert_ok(ky_layers_project(&scene, &panel.bodies, layers, &error));
    double area = pow(scene.view.side / WIDTH, 2);
    for (int t = 0; t < KY_TYPES; t++) {
        double mass = total(layers + t * WIDTH * WIDTH, WIDTH * WIDTH) * area;
        double wanted = t == 0   ? panel.bodies.mass[0]
                        : t == 3 ? panel.bodies.mass[1]
                        : t == 5 ? panel.bodies.mass[2]
                                 : 0;
        assert_between(mass - wanted, -1e-9, 1e-9);
    }
    ky_canvas_close(&canvas);
    panel.bodies.type = NULL;
    ky_bodies_free(&panel.bodies);
}

/* Tidal tails are visible with a thousandth of the density of the centres. */
static void faint_parts_of_components_are_seen(void **state)
{
    (void)state;
    struct ky_draw_parameters parameters;
    struct ky_scene scene = {.parameters = &parameters, .peak = {1, 1, 1, 1, 1, 1}};
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_COMPONENTS;
    assert_between(pow(ky_brightness(&scene, 2, 1e-3), 2), 0.15, 0.3);
    parameters.range = 3.5;
    assert_between(pow(ky_brightness(&scene, 2, 1e-3), 2), 0, 0.06);
}

/* A dividing id makes two systems, whatever the types. */
static void systems_are_told_apart_by_ids(void **state)
{
    (void)state;
    uint64_t id[3] = {41, 40, 7};
    uint8_t type[3] = {2, 2, 3};
    static const int system[3] = {1, 1, 0};
    struct ky_snapshot panel;
    struct ky_draw_parameters parameters;
    struct ky_scene scene;
    struct ky_canvas canvas;
    cloud(&panel, 3, 0);
    panel.bodies.id = id, panel.bodies.type = type;
    for (int k = 0; k < 3; k++)
        panel.bodies.position[k][0] = 4 * (k - 1), panel.bodies.mass[k] = 1;
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_COMPONENTS, parameters.divide = 40;
    draw_frame(&panel, &parameters, &scene, &canvas);
    assert_int_equal(scene.present, 3);
    for (int k = 0; k < 3; k++) {
        const uint8_t *seen = colour_at(&canvas, &scene, 4 * (k - 1) + 0.01, 0.01);
        for (int c = 0; c < 3; c++)
            assert_between(seen[c] - ky_part_colours(40)[system[k]][c], -40, 13);
    }
    ky_canvas_close(&canvas);
    panel.bodies.id = NULL, panel.bodies.type = NULL;
    ky_bodies_free(&panel.bodies);
}

/* Stars are where the bodies are; heavier ones have more light, and are bluer. Up to 10,000 bodies
 * are drawn as stars by default. */
static void few_bodies_are_stars(void **state)
{
    (void)state;
    static const double masses[5] = {1, 1, 0.02, 1, 40};
    struct ky_snapshot panel;
    struct ky_draw_parameters parameters;
    struct ky_scene scene;
    struct ky_canvas canvas;
    double light[5] = {0}, blue[5] = {0};
    cloud(&panel, 5, 0);
    for (int k = 0; k < 5; k++) {
        panel.bodies.position[k][0] = 3 * (k - 2);
        panel.bodies.mass[k] = masses[k];
    }
    ky_draw_parameters_defaults(&parameters);
    assert_int_equal(ky_show_of(&parameters, 10001), KY_SHOW_DENSITY);
    assert_int_equal(ky_show_of(&parameters, 10000), KY_SHOW_STARS);
    parameters.show = KY_SHOW_STARS;
    draw_frame(&panel, &parameters, &scene, &canvas);
    for (size_t k = 0; k < 5; k++)
        for (size_t y = WIDTH / 2 - 8; y < WIDTH / 2 + 8; y++)
            for (size_t x = WIDTH / 2 - 44 + 18 * k; x < WIDTH / 2 - 28 + 18 * k; x++) {
                const uint8_t *seen = canvas.rgb + 3 * (y * WIDTH + x);
                light[k] += seen[1] - 6; /* less the dark ground */
                blue[k] += seen[2] - 12 - (seen[0] - 6);
            }
    assert_true(light[2] < 0.2 * light[1] && light[4] > 4 * light[1]);
    assert_true(light[1] == light[0] && light[1] == light[3] && light[0] > 400);
    assert_true(blue[2] < -0.3 * light[2] && blue[4] > 0.15 * light[4]);
    assert_true(colour_at(&canvas, &scene, 1.5, 3)[0] < 13);
    ky_canvas_close(&canvas);
    ky_bodies_free(&panel.bodies);
}

/* A circle is drawn at its position, and not outside of the panel. */
static void circles_mark_groups(void **state)
{
    (void)state;
    static const double circles[2][4] = {{3, 2, 70, 2}, {-8, -8, 0, 1}};
    struct ky_snapshot panel;
    struct ky_draw_parameters parameters;
    struct ky_scene scene;
    struct ky_canvas canvas;
    cloud(&panel, 1, 0);
    ky_draw_parameters_defaults(&parameters);
    parameters.circles = circles, parameters.circle_count = 2;
    parameters.show = KY_SHOW_STARS;
    draw_frame(&panel, &parameters, &scene, &canvas);
    for (int k = 0; k < 12; k++) {
        const double angle = 0.5235987756 * k;
        int brightest = 0;
        for (int d = -2; d <= 2; d++) {
            const double r = 2 + d / 6.0;
            const int seen = colour_at(&canvas, &scene, 3 + r * cos(angle), 2 + r * sin(angle))[1];
            brightest = seen > brightest ? seen : brightest;
        }
        assert_true(brightest > 60);
    }
    assert_true(colour_at(&canvas, &scene, 3, 2)[1] < 20);
    ky_canvas_close(&canvas);
    ky_bodies_free(&panel.bodies);
}

/* Bodies that come nearer are blue, and bodies that go away are red. The layer has the mean
 * velocity. The eye is at z > 0. */
static void velocities_have_their_colours(void **state)
{
    (void)state;
    static double layers[2 * WIDTH * WIDTH];
    struct ky_snapshot panel;
    struct ky_draw_parameters parameters;
    struct ky_scene scene;
    struct ky_canvas canvas;
    cloud(&panel, 4000, 0.3);
    for (size_t i = 0; i < panel.bodies.n; i++) {
        int left = panel.bodies.position[i][0] < 0;
        panel.bodies.position[i][0] += left ? -4 : 4;
        panel.bodies.velocity[i][2] = left ? 7 : -3;
    }
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_VELOCITY;
    parameters.smooth = 10;
    draw_frame(&panel, &parameters, &scene, &canvas);
    const uint8_t *left = colour_at(&canvas, &scene, -4, 0),
                  *right = colour_at(&canvas, &scene, 4, 0);
    assert_true(left[2] > left[0] + 60 && right[0] > right[2] + 20);
    assert_between(scene.speed, 6.8, 7.2);
    assert_ok(ky_layers_project(&scene, &panel.bodies, layers, &error));
    const double *mean = layers + WIDTH * WIDTH + WIDTH / 2 * WIDTH;
    assert_between(mean[WIDTH / 4], -7 - 1e-6, -7 + 1e-6);
    assert_between(mean[3 * WIDTH / 4], 3 - 1e-6, 3 + 1e-6);
    ky_canvas_close(&canvas);
    ky_bodies_free(&panel.bodies);
}

static void mirrored_bodies_give_a_mirrored_picture(void **state)
{
    (void)state;
    static double density[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 6000, 1);
    struct ky_view view = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .side = 6};
    assert_ok(project(&panel.bodies, &view, square, 30, density));
    double largest = 0, worst = 0;
    for (size_t y = 0; y < WIDTH; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            double a = density[y * WIDTH + x], b = density[y * WIDTH + WIDTH - 1 - x];
            largest = fmax(largest, a);
            worst = fmax(worst, fabs(a - b));
        }
    assert_true(largest > 0);
    assert_between(worst / largest, 0, 1e-9);
    ky_bodies_free(&panel.bodies);
}

/* Equal masses are laid down as numbers of bodies. With bodies twice as heavy the same picture is
 * twice as bright. */
static void masses_count_and_not_only_bodies(void **state)
{
    (void)state;
    static double equal[WIDTH * WIDTH], unequal[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 20000, 1);
    for (size_t i = 0; i < panel.bodies.n; i++)
        panel.bodies.mass[i] = 0.1;
    struct ky_view view = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .side = 3};
    assert_ok(project(&panel.bodies, &view, square, 30, equal));
    for (size_t i = 0; i < panel.bodies.n; i++)
        panel.bodies.mass[i] = panel.bodies.position[i][0] < 0 ? 0.2 : 0.1;
    assert_ok(project(&panel.bodies, &view, square, 30, unequal));
    for (size_t y = 0; y < WIDTH; y++)
        for (size_t x = 0; x < 16; x++) {
            const size_t left = y * WIDTH + x, right = y * WIDTH + WIDTH - 1 - x;
            assert_between(unequal[left] / equal[left], 2 - 1e-4, 2 + 1e-4);
            assert_between(unequal[right] / equal[right], 1 - 1e-4, 1 + 1e-4);
        }
    ky_bodies_free(&panel.bodies);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
#ifdef _OPENMP
    static double one[WIDTH * WIDTH], three[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 20000, 1);
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    struct ky_view a, b;
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &a, &error));
    assert_ok(project(&panel.bodies, &a, square, 30, one));
    omp_set_num_threads(3);
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &b, &error));
    assert_ok(project(&panel.bodies, &b, square, 30, three));
    omp_set_num_threads(threads);
    assert_true(a.side == b.side && a.middle[0] == b.middle[0] && a.middle[1] == b.middle[1]);
    assert_memory_equal(one, three, sizeof one);
    ky_bodies_free(&panel.bodies);
#else
    skip();
#endif
}

/* An escaper does not make the picture wider, and the wanted part of the mass is inside. */
static void the_region_holds_its_part_of_the_mass(void **state)
{
    (void)state;
    struct ky_snapshot panel;
    cloud(&panel, 10000, 1);
    panel.bodies.position[17][1] = 1e6;
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.axis = KY_X;
    struct ky_view view;
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
    assert_true(view.axis[0][1] == 1 && view.axis[1][2] == 1 && view.axis[2][0] == 1);
    assert_between(view.side, 4, 9);
    double inside = 0, all = 0;
    for (size_t i = 0; i < panel.bodies.n; i++) {
        const double *x = panel.bodies.position[i], half = view.side / 2;
        if (fabs(x[1] - view.middle[1]) < half && fabs(x[2] - view.middle[2]) < half)
            inside += panel.bodies.mass[i];
        all += panel.bodies.mass[i];
    }
    assert_between(inside / all, 0.98, 0.99999);
    parameters.region = 3, parameters.centre[1] = 7;
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
    assert_true(view.side == 3 && view.middle[1] == 7);
    ky_bodies_free(&panel.bodies);
}

/* The region of many bodies follows from a sample, which has bodies of both components even if they
 * take turns. */
static void components_that_take_turns_are_seen(void **state)
{
    (void)state;
    enum { N = 600000, MOST = 64 };
    struct ky_snapshot panel;
    cloud(&panel, N, 1);
    for (size_t i = 0; i < N; i += 3)
        for (int c = 0; c < 3; c++)
            panel.bodies.position[i][c] *= 1e-3;
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    struct ky_view view;
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
    assert_between(view.side, 4, 9);
    struct ky_trails trails; /* of a lattice of 64³: not one plane, row or column alone */
    panel.bodies.n = 64 * 64 * 64;
    assert_ok(ky_trails_begin(&trails, &panel.bodies, MOST, 1, &error));
    for (uint64_t place = 1; place <= 4096; place *= 64) {
        size_t low = 0;
        for (size_t k = 0; k < MOST; k++)
            low += trails.id[k] / place % 64 < 32;
        assert_in_range(low, MOST / 4, MOST * 3 / 4);
    }
    ky_trails_free(&trails);
    ky_bodies_free(&panel.bodies);
}

/* A tail to one side moves the middle of the bounds far. A square of a given size stays at the main
 * part all the same. */
static void a_given_square_is_where_the_mass_is(void **state)
{
    (void)state;
    struct ky_snapshot panel;
    cloud(&panel, 10000, 1);
    for (size_t i = 0; i < 200; i++)
        panel.bodies.position[i][0] = 2 * (double)i;
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    struct ky_view view;
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
    assert_between(view.middle[0], 50, 200);
    parameters.region = 8;
    assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
    assert_between(view.middle[0], -4, 4);
    ky_bodies_free(&panel.bodies);
}

/* The view of one panel that follows `about`. */
static struct ky_view followed(const struct ky_snapshot *panel, const char *about, double region)
{
    struct ky_draw_parameters parameters;
    struct ky_view view;
    ky_draw_parameters_defaults(&parameters);
    parameters.about = about, parameters.region = region;
    assert_ok(ky_view_choose(panel, 1, &parameters, 0, &view, &error));
    assert_ok(ky_view_aim(&view, &parameters, panel, &error));
    return view;
}

/* A cluster far from the origin is in the middle, however far its escapers are, and the view holds
 * the wanted part of the mass. */
static void the_camera_goes_where_the_bodies_are(void **state)
{
    (void)state;
    static const char *const about[] = {"density", "mass", "1234"};
    uint64_t id[3000];
    struct ky_snapshot panel;
    char text[256];
    cloud(&panel, 3000, 1);
    panel.bodies.id = id;
    for (size_t i = 0; i < 3000; i++) {
        panel.bodies.position[i][0] += 8000, panel.bodies.position[i][1] -= 200;
        panel.bodies.mass[i] = 1, id[i] = 2 * i;
    }
    for (int k = 0; k < 3; k++)
        panel.bodies.position[617][k] = k ? 3 : 8003;
    panel.bodies.position[617][1] = -200;
    for (int k = 0; k < 3; k++) {
        struct ky_view view = followed(&panel, about[k], k ? (double)NAN : 10);
        assert_between(view.middle[0], 8000 - 0.2 + 3 * (k == 2), 8000 + 0.2 + 3 * (k == 2));
        assert_between(view.middle[1], -200.2, -199.8);
        assert_true(k == 0 ? view.side == 10 : view.side > 5 && view.side < 20);
        assert_false(ky_view_misses(&view, square, &panel, text, sizeof text));
    }
    struct ky_view view = followed(&panel, NULL, 10);
    view.middle[0] = 0;
    assert_true(ky_view_misses(&view, square, &panel, text, sizeof text));
    assert_non_null(strstr(text, "(8000, -200, "));
    panel.bodies.id = NULL;
    ky_bodies_free(&panel.bodies);
}

/* ---- periodic boxes ---- */

/* Clumps in a box of side 3, some across its faces. */
static void box_of_clumps(struct ky_snapshot *panel, size_t n)
{
    cloud(panel, n, 0.2);
    panel->space.box = 3;
    panel->space.scale_factor = 1;
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(5, 2, i / 2 % 7);
        for (int k = 0; k < 3; k++)
            panel->bodies.position[i][k] =
                ky_wrap(panel->bodies.position[i][k] + 3 * ky_random_uniform(&random), 3);
    }
}

/* The density of a picture of a box about a point, WIDTH pixels wide. */
static void map_of_box(const struct ky_snapshot *panel, const double centre[3], double slab,
                       double density[WIDTH * WIDTH])
{
    struct ky_draw_parameters parameters;
    struct ky_map map = {.size = sizeof map};
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH, parameters.slab = slab;
    for (int c = 0; c < 3; c++)
        parameters.centre[c] = centre[c];
    assert_ok(ky_draw_map(panel, &parameters, &map, &error));
    assert_true(fabs(map.edge[0][1] - map.edge[0][0] - panel->space.box) < 1e-12);
    memcpy(density, map.values, WIDTH * WIDTH * sizeof *density);
    ky_map_free(&map);
}

/* The largest difference of two maps, of which the second is moved by some pixels, over the largest
 * value. */
static double moved_by(const double *a, const double *b, size_t right, size_t down)
{
    double most = 0, apart = 0;
    for (size_t y = 0; y < WIDTH; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            const double there = b[(y + down) % WIDTH * WIDTH + (x + right) % WIDTH];
            most = fmax(most, a[y * WIDTH + x]);
            apart = fmax(apart, fabs(a[y * WIDTH + x] - there));
        }
    return apart / most;
}

/* The default picture of a box shows all of its mass. With the camera elsewhere it is the same
 * picture, moved round the box, whether bodies are dots or a smooth density. */
static void pictures_of_boxes_wrap(void **state)
{
    (void)state;
    static const double middle[3] = {NAN, NAN, NAN}, corner[3] = {0, 0, 0}, far[3] = {10.5, -6, 2};
    static double whole[WIDTH * WIDTH], moved[WIDTH * WIDTH];
    for (size_t n = 400; n <= 20000; n += 19600) {
        struct ky_snapshot panel;
        box_of_clumps(&panel, n);
        /* Smooth bodies outside the picture reach in from coarser grids than those inside. */
        const double near = n < KY_DOTS ? 1e-9 : 0.008;
        const double area = 9.0 / (WIDTH * WIDTH), mass = total(panel.bodies.mass, n);
        map_of_box(&panel, middle, NAN, whole);
        assert_between(total(whole, WIDTH * WIDTH) * area / mass, 1 - near, 1 + near);
        map_of_box(&panel, corner, NAN, moved);
        assert_between(moved_by(moved, whole, WIDTH / 2, WIDTH / 2), 0, 3 * near);
        assert_true(moved_by(moved, whole, 0, 0) > 0.5);
        map_of_box(&panel, far, NAN, moved); /* 3 boxes to the right; half a box down */
        assert_between(moved_by(moved, whole, 0, WIDTH / 2), 0, 3 * near);
        for (size_t i = 0; i < n; i++)
            panel.bodies.position[i][i % 3] += i % 2 ? 3 : -6;
        map_of_box(&panel, middle, NAN, moved);
        assert_between(moved_by(moved, whole, 0, 0), 0, 3 * near);
        panel.space.converted = KY_TO_PHYSICAL; /* then there is no box any more */
        struct ky_draw_parameters parameters;
        struct ky_view view;
        ky_draw_parameters_defaults(&parameters);
        assert_ok(ky_view_choose(&panel, 1, &parameters, 0, &view, &error));
        assert_true(view.side > 6);
        ky_bodies_free(&panel.bodies);
    }
}

/* A slab holds the mass of its part of the box, also across a face, and slabs add up to the box;
 * turned cameras see the mean density. */
static void slabs_are_parts(void **state)
{
    (void)state;
    static double part[WIDTH * WIDTH];
    const double area = 9.0 / (WIDTH * WIDTH);
    struct ky_snapshot panel;
    box_of_clumps(&panel, 5000);
    for (int open = 0; open < 2; open++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) {
            const double centre[3] = {1.5, 1.5, 0.5 * k}, *z = &centre[2];
            double mass = 0;
            for (size_t i = 0; i < panel.bodies.n; i++) {
                const double away = panel.bodies.position[i][2] - *z;
                const double near = away - (open ? 0 : 3 * rint(away / 3));
                mass += near >= -0.25 && near < 0.25 ? panel.bodies.mass[i] : 0;
            }
            panel.space.box = 3;
            map_of_box(&panel, centre, 0.5, part);
            sum += open ? 0 : total(part, WIDTH * WIDTH) * area;
            if (!open)
                assert_between(total(part, WIDTH * WIDTH) * area / mass, 0.99, 1.01);
            struct ky_draw_parameters parameters;
            struct ky_map map = {.size = sizeof map};
            ky_draw_parameters_defaults(&parameters);
            parameters.width = WIDTH, parameters.slab = 0.5, parameters.region = 8;
            memcpy(parameters.centre, centre, sizeof centre);
            panel.space.box = 0;
            if (open && mass > 0) {
                assert_ok(ky_draw_map(&panel, &parameters, &map, &error));
                assert_between(total(map.values, WIDTH * WIDTH) * 64 / (WIDTH * WIDTH) / mass,
                               0.999, 1.001);
                ky_map_free(&map);
            }
        }
        if (!open)
            assert_between(sum / total(panel.bodies.mass, panel.bodies.n), 0.995, 1.005);
    }
    ky_bodies_free(&panel.bodies);
}

/* A camera that looks along no axis sees a slab of the periodic universe: in a uniform box the mean
 * density everywhere. */
static void turned_boxes_have_no_holes(void **state)
{
    (void)state;
    struct ky_snapshot panel;
    cloud(&panel, 32768, 1);
    panel.space = (struct ky_space){.box = 2, .scale_factor = 1};
    for (size_t i = 0; i < panel.bodies.n; i++) {
        panel.bodies.mass[i] = 1;
        for (int k = 0; k < 3; k++)
            panel.bodies.position[i][k] = (double)(i >> 5 * k & 31) / 16;
    }
    struct ky_draw_parameters parameters;
    struct ky_map map = {.size = sizeof map};
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH, parameters.height = 2 * WIDTH;
    parameters.turn = 33, parameters.tilt = 21;
    assert_ok(ky_draw_map(&panel, &parameters, &map, &error));
    for (size_t y = 0; y < map.height; y += WIDTH / 4) { /* blocks of 24 pixels have 2,048 bodies */
        double sum = 0;
        for (size_t p = 0; p < WIDTH / 4 * map.width; p++)
            sum += map.values[y * map.width + p];
        assert_between(sum / (WIDTH / 4) / (double)map.width / (32768.0 / 4), 0.95, 1.05);
    }
    ky_map_free(&map);
    ky_bodies_free(&panel.bodies);
}

/* Few bodies are stars and circles, each with the images that the picture shows; what boxes cannot
 * have is refused. */
static void boxes_have_stars_circles_and_limits(void **state)
{
    (void)state;
    const double circles[2][4] = {{1.5, 1.5, 1.5, 0.2}, {2.9, 0, 1.5, 0.2}};
    double *layers = malloc((size_t)3 * WIDTH * WIDTH * sizeof *layers);
    struct ky_draw_parameters parameters;
    struct ky_scene scene = {.parameters = &parameters, .size = {WIDTH, WIDTH}};
    struct ky_snapshot panel;
    cloud(&panel, 1, 0);
    panel.space = (struct ky_space){.box = 3, .scale_factor = 1};
    panel.bodies.position[0][1] = 1.5, panel.bodies.position[0][2] = 2.9;
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_STARS;
    assert_ok(ky_scene_choose(&scene, &panel, 1, 0, layers, &error));
    const double *row = layers + WIDTH / 2 * WIDTH; /* half of the star on each side */
    assert_true(row[0] > 0 && fabs(row[0] - row[WIDTH - 1]) < 1e-9 && row[WIDTH / 2] == 0);
    parameters.circles = circles, parameters.circle_count = 2, parameters.slab = 1;
    assert_false(ky_circles_miss(&scene));
    for (int k = 0; k < 3; k++) {
        static const char *const about[] = {"group:1", "group:2", "density"};
        parameters.about = about[k];
        const enum ky_status status = ky_view_aim(&scene.view, &parameters, &panel, &error);
        assert_int_equal(status, k == 0 ? KY_OK : k == 1 ? KY_USAGE : KY_UNSUPPORTED);
        assert_true(scene.view.middle[0] == 2.9 && scene.view.slab == 1);
    }
    assert_non_null(strstr(error.text, "periodic"));
    parameters.about = "auto", scene.view.middle[2] = 0;
    assert_ok(ky_view_aim(&scene.view, &parameters, &panel, &error));
    assert_true(scene.view.middle[0] == 2.9 && ky_circles_miss(&scene)); /* outside the slab */
    parameters.about = NULL, parameters.region = 1e4;
    assert_int_equal(ky_scene_choose(&scene, &panel, 1, 0, layers, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "too many images"));
    ky_bodies_free(&panel.bodies);
    free(layers);
}

/* A path across a face goes on at the opposite one. */
static void trails_in_boxes_do_not_jump(void **state)
{
    (void)state;
    struct ky_snapshot at[2];
    struct ky_trails trails;
    for (int t = 0; t < 2; t++) {
        cloud(&at[t], 2, 0);
        at[t].space = (struct ky_space){.box = 3, .scale_factor = 0.5, .comoving = 1};
        at[t].time = t;
        at[t].bodies.position[0][0] = t ? 0.1 : 2.8;
        at[t].bodies.velocity[0][1] = 5;
    }
    assert_ok(ky_trails_begin(&trails, &at[0].bodies, 10, 2, &error));
    for (int t = 0; t < 2; t++)
        ky_trails_add(&trails, &at[t]);
    assert_true(fabs(trails.position[2][0] - 3.1) < 1e-12 && trails.velocity[0][1] == 0);
    ky_trails_free(&trails);
    for (int t = 0; t < 2; t++)
        ky_bodies_free(&at[t].bodies);
}

/* The camera does not tremble with single bodies. It stays between two nuclei, whichever is denser.
 * Where no body is near the density centre it goes to a nucleus. */
static void the_camera_moves_smoothly(void **state)
{
    (void)state;
    const double shake = 0.05;
    struct ky_snapshot panel;
    cloud(&panel, 3000, 1);
    const struct ky_view before = followed(&panel, "density", 8);
    for (size_t i = 0; i < panel.bodies.n; i++) {
        struct ky_random random = ky_random_at(12, 1, i);
        for (int k = 0; k < 3; k++)
            panel.bodies.position[i][k] += shake * ky_random_normal(&random);
    }
    const struct ky_view after = followed(&panel, "density", 8);
    for (int k = 0; k < 3; k++)
        assert_between(after.middle[k] - before.middle[k], -shake / 15, shake / 15);
    for (int denser = 0; denser < 2; denser++) {
        for (size_t i = 0; i < panel.bodies.n; i++)
            for (int k = 0; k < 3; k++)
                panel.bodies.position[i][k] =
                    0.01 * (double)(i % 7 * (i % 2 == (size_t)denser ? 1 : 3)) +
                    (k == 0 && i % 4 < 2 ? 6 : 0);
        for (size_t i = 0; i < panel.bodies.n; i++)
            panel.bodies.mass[i] = 1;
        assert_between(followed(&panel, "density", 10).middle[0], 2.9, 3.3);
        const double one = followed(&panel, "density", 1).middle[0];
        assert_true(fabs(one) < 0.3 || fabs(one - 6) < 0.3);
    }
    ky_bodies_free(&panel.bodies);
}

/* Of two nuclei far apart the camera stays with the anchor's, whichever is denser, in any order of
 * the bodies. Without the anchor's bodies it goes to the density centre. */
static void an_anchor_stays_with_its_nucleus(void **state)
{
    (void)state;
    const struct ky_about density = {.kind = KY_ABOUT_DENSITY};
    struct ky_snapshot panel;
    struct ky_anchor anchor;
    uint64_t id[2000];
    double place[3], first[3] = {0, 0, 0};
    cloud(&panel, 2000, 0.1);
    panel.bodies.id = id;
    for (size_t i = 0; i < 2000; i++) {
        id[i] = 5 * i, panel.bodies.mass[i] = 1;
        panel.bodies.position[i][0] += i % 4 < 2 ? 0 : 20;
    }
    ky_anchor_choose(&anchor, &panel.bodies, first);
    assert_int_equal(anchor.count, KY_ANCHORS);
    for (size_t i = 0; i < 2000; i++) /* the other nucleus becomes denser by far */
        for (int k = 0; k < 3 && i % 4 >= 2; k++)
            panel.bodies.position[i][k] =
                (k ? 0 : 20) + (panel.bodies.position[i][k] - (k ? 0 : 20)) / 10;
    assert_ok(ky_about_find(&density, &panel.bodies, NULL, 3, place, &error));
    assert_between(place[0], 19, 21);
    assert_ok(ky_about_find(&density, &panel.bodies, &anchor, 3, place, &error));
    assert_between(place[0], -0.2, 0.2);
    for (size_t i = 0; i < 1000; i++) { /* the bodies in reverse order */
        double x[3];
        memcpy(x, panel.bodies.position[i], sizeof x);
        memcpy(panel.bodies.position[i], panel.bodies.position[1999 - i], sizeof x);
        memcpy(panel.bodies.position[1999 - i], x, sizeof x);
        uint64_t other = id[i];
        id[i] = id[1999 - i], id[1999 - i] = other;
    }
    assert_ok(ky_about_find(&density, &panel.bodies, &anchor, 3, place, &error));
    assert_between(place[0], -0.2, 0.2);
    for (size_t i = 0; i < 2000; i++)
        id[i]++;
    assert_ok(ky_about_find(&density, &panel.bodies, &anchor, 3, place, &error));
    assert_between(place[0], 19, 21);
    panel.bodies.id = NULL;
    ky_bodies_free(&panel.bodies);
}

static void odd_centres_are_found_or_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "centre", "-3", "7x", "densit", "1.5"};
    struct ky_about about;
    struct ky_snapshot panel;
    double place[3];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(ky_about_read(bad[k], &about, &error), KY_USAGE);
    cloud(&panel, 2, 1);
    for (int kind = 0; kind < 2; kind++) {
        assert_ok(ky_about_read(kind ? "mass" : "density", &about, &error));
        for (size_t n = 0; n <= 2; n++) { /* none, one, two; at last without mass */
            panel.bodies.n = n;
            assert_ok(ky_about_find(&about, &panel.bodies, NULL, 3, place, &error));
            for (int k = 0; k < 3; k++)
                assert_true(isfinite(place[k]));
        }
        panel.bodies.mass[0] = panel.bodies.mass[1] = 0;
    }
    assert_ok(ky_about_read("17", &about, &error));
    assert_int_equal(ky_about_find(&about, &panel.bodies, NULL, 3, place, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "17"));
    ky_bodies_free(&panel.bodies);
}

/* Raised, lowered and upright texts, by the darkness in rows and columns, with both pens. */
static void texts_are_raised_and_turned(void **state)
{
    (void)state;
    static const uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0};
    for (int pens = 0; pens < 2; pens++) {
        const char *texts[] = {"10", "10^{5}", "10\u00b2", "10_{5}", "10\u22125"};
        double high[5], low[5];
        for (int t = 0; t < 6; t++) { /* the last one is upright */
            struct ky_canvas canvas;
            assert_ok(ky_canvas_open(&canvas, WIDTH, WIDTH, white, &error));
            canvas.pen = pens && ky_cairo_pen() ? ky_cairo_pen() : &ky_pixel_pen;
            ky_take_ink(&canvas, black);
            if (t == 5)
                ky_text_upright(&canvas, 40, 80, 2, texts[0]);
            else
                ky_text(&canvas, 20, 40, 2, texts[t]);
            assert_ok(canvas.pen->flatten(&canvas, &error));
            double top = WIDTH, bottom = 0, left = WIDTH, right = 0;
            for (size_t y = 0; y < WIDTH; y++)
                for (size_t x = 0; x < WIDTH; x++)
                    if (canvas.rgb[3 * (y * WIDTH + x)] < 100) {
                        top = fmin(top, (double)y), bottom = fmax(bottom, (double)y);
                        left = fmin(left, (double)x), right = fmax(right, (double)x);
                    }
            if (t == 5) {
                assert_true(left >= 39 && right <= 55 && right - left > 10);
                assert_true(bottom <= 80 && bottom - top > 15 && top > 40);
            } else {
                high[t] = top, low[t] = bottom;
                assert_true(left >= 19 && right > left + 10);
            }
            ky_canvas_close(&canvas);
        }
        assert_true(high[0] >= 39 && low[0] <= 55);
        assert_true(high[1] < high[0] - 1 && high[2] < high[0] - 1 && low[3] > low[0] + 1);
        assert_true(high[4] >= high[0] - 1 && low[4] <= low[0] + 1);
    }
}

/* Ticks at round numbers, as papers write them. */
static void axes_have_round_numbers(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        int logarithmic, exponent;
        const char *first, *last;
        size_t ticks;
    } cases[] = {{-0.03, 1.03, 0, 0, "0.0", "1.0", 6},
                 {-2.1e-6, 9.9e-6, 0, -6, "\u22122", "8", 6},
                 {0, 1.2e7, 0, 7, "0.0", "1.2", 7},
                 {8000.1, 8000.9, 0, 0, "8000.2", "8000.8", 4},
                 {-7.2, -0.5, 1, 0, "10^{\u22126}", "10^{\u22122}", 3},
                 {-2.2, 2.1, 1, 0, "0.01", "100", 5},
                 {-5.1, -4.6, 1, 0, "10^{\u22125}", "2\u00d710^{\u22125}", 2},
                 {0.1, 1.6, 1, 0, "2", "20", 4}};
    const double huge = 1e308;
    struct ky_ruler axes[] = {{.low = 0, .high = 0}, {.low = -10 * huge, .high = 10 * huge}};
    char text[KY_AXIS_TEXT];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_ruler axis = {.low = cases[k].low, .high = cases[k].high};
        axis.logarithmic = cases[k].logarithmic;
        ky_ruler_divide(&axis, 5);
        assert_int_equal(axis.ticks, cases[k].ticks);
        assert_string_equal(axis.text[0], cases[k].first);
        assert_string_equal(axis.text[axis.ticks - 1], cases[k].last);
        assert_int_equal(axis.exponent, cases[k].exponent);
    }
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) { /* no extent, infinite */
        ky_ruler_divide(&axes[k], 5);
        assert_int_equal(axes[k].exponent, 0);
    }
    assert_string_equal(ky_ruler_label("time", "Myr", 0, text), "time [Myr]");
    assert_string_equal(ky_ruler_label("time", "", 5, text), "time [10^{5} N-body units]");
    assert_string_equal(ky_ruler_label("dE", NULL, -7, text), "dE [10^{\u22127}]");
    assert_string_equal(ky_ruler_label("N", NULL, 0, text), "N");
    const double fit = ky_text_fit(2, "a long label [10^{5} Myr]", 40);
    assert_between(ky_text_width(fit, "a long label [10^{5} Myr]"), 38, 40.1);
    assert_true(ky_text_fit(2, "x", 40) == 2);
}

static void colours_grow_lighter(void **state)
{
    (void)state;
    static uint8_t colours[KY_MAP_COLOURS][3];
    for (int map = KY_EMBER; map <= KY_VIRIDIS; map++) {
        ky_colour_map(map, colours);
        double before = -1;
        for (int c = 0; c < KY_MAP_COLOURS; c += 31) {
            double light = 0;
            const double weight[3] = {0.2126, 0.7152, 0.0722};
            for (int k = 0; k < 3; k++)
                light += weight[k] * pow(colours[c][k] / 255.0, 2.2);
            assert_true(light > before);
            before = light;
        }
        assert_true(before > (map == KY_VIRIDIS ? 0.7 : 0.85));
    }
}

static void labels_are_round(void **state)
{
    (void)state;
    char text[64];
    struct ky_units units = {0};
    assert_true(ky_length_label(&units, 3.7, text, sizeof text) == 2);
    assert_string_equal(text, "2");
    assert_ok(ky_units_preset("galaxy", &units, NULL)); /* the units are in kpc */
    assert_between(ky_length_label(&units, 0.07, text, sizeof text), 0.05 - 1e-12, 0.05 + 1e-12);
    assert_string_equal(text, "50 pc");
    struct ky_snapshot panel = {.time = 1.5, .units = units};
    ky_time_label(&panel, 2, text, sizeof text);
    assert_string_equal(text, "t = 1.467 Gyr");
    panel.time = 0;
    ky_time_label(&panel, 0, text, sizeof text);
    assert_string_equal(text, "t = 0 Gyr");
    assert_ok(ky_units_preset("cluster", &panel.units, NULL));
    ky_time_label(&panel, 0, text, sizeof text);
    assert_string_equal(text, "t = 0 Myr");
}

/* ---- pixels in memory, and films ---- */

static struct ky_draw_parameters small_picture(void)
{
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH;
    parameters.height = WIDTH / 2;
    parameters.rim = KY_RIM_NONE;
    parameters.show = KY_SHOW_DENSITY;
    return parameters;
}

static void pixels_are_in_memory(void **state)
{
    (void)state;
    struct ky_draw_parameters parameters = small_picture();
    struct ky_snapshot panels[2];
    struct ky_picture picture = {0}, pair = {0};
    cloud(&panels[0], 3000, 1);
    cloud(&panels[1], 0, 1);
    assert_ok(ky_draw_pixels(panels, 1, &parameters, &picture, &error));
    assert_true(picture.width == WIDTH && picture.height == WIDTH / 2);
    double light = 0, opaque = 0;
    for (size_t i = 0; i < WIDTH * WIDTH / 2; i++) {
        light += picture.rgba[4 * i] + picture.rgba[4 * i + 1] + picture.rgba[4 * i + 2];
        opaque += picture.rgba[4 * i + 3];
    }
    assert_true(opaque == 255.0 * WIDTH * WIDTH / 2);
    assert_between(light / (3.0 * WIDTH * WIDTH / 2), 10, 200);
    const uint8_t *middle = &picture.rgba[4 * (WIDTH / 4 * WIDTH + WIDTH / 2)];
    assert_true(middle[0] > 100 && picture.rgba[0] < middle[0]);
    parameters.rim = KY_RIM_AXES;
    assert_ok(ky_draw_pixels(panels, 2, &parameters, &pair, &error));
    assert_true(pair.width > 2 * WIDTH && pair.height > WIDTH / 2);
    assert_true(pair.rgba[0] == 255); /* a pixel of the margin */
    ky_picture_free(&pair);
    assert_true(!pair.rgba && !pair.width);
    ky_picture_free(&pair);
    ky_picture_free(NULL);
    assert_int_equal(ky_draw_pixels(panels, 0, &parameters, &pair, &error), KY_USAGE);
    assert_int_equal(ky_draw_pixels(NULL, 1, &parameters, &pair, &error), KY_USAGE);
    assert_int_equal(ky_draw_pixels(panels, 1, NULL, &pair, &error), KY_USAGE);
    assert_int_equal(ky_draw_pixels(panels, 1, &parameters, NULL, &error), KY_USAGE);
    parameters.height = 5;
    assert_int_equal(ky_draw_pixels(panels, 1, &parameters, &pair, &error), KY_USAGE);
    parameters.height = 0;
    parameters.show = KY_SHOW_TRAILS;
    assert_int_equal(ky_draw_pixels(panels, 1, &parameters, &pair, &error), KY_USAGE);
    assert_ok(ky_draw_check(&panels[0].bodies, &error));
    assert_ok(ky_draw_check(&panels[1].bodies, &error));
    panels[0].bodies.position[7][1] = 1e200;
    assert_int_equal(ky_draw_check(&panels[0].bodies, &error), KY_BAD_DATA);
    assert_int_equal(ky_draw_pixels(panels, 1, &parameters, &pair, &error), KY_BAD_DATA);
    assert_null(pair.rgba);
    assert_int_equal(ky_draw_check(NULL, &error), KY_USAGE);
    ky_picture_free(&picture);
    ky_bodies_free(&panels[0].bodies);
    ky_bodies_free(&panels[1].bodies);
}

/* The map has the mass, about the middle of the bodies, and the edges of the picture. */
static void a_map_has_the_numbers(void **state)
{
    (void)state;
    struct ky_draw_parameters parameters = small_picture();
    struct ky_snapshot snapshot;
    struct ky_map map = {0};
    cloud(&snapshot, 3000, 1);
    parameters.region = 20;
    parameters.centre[1] = parameters.centre[2] = 0;
    parameters.axis = KY_X;
    assert_ok(ky_draw_map(&snapshot, &parameters, &map, &error));
    assert_true(map.width == WIDTH && map.height == WIDTH / 2 && !map.by_number);
    assert_true(map.axis[0][1] == 1 && map.axis[1][2] == 1); /* y to the right, z up */
    assert_between(map.edge[0][1] - map.edge[0][0], 40 - 1e-9, 40 + 1e-9);
    assert_between(map.edge[1][1] - map.edge[1][0], 20 - 1e-9, 20 + 1e-9);
    double mass = 0, wanted = 0;
    for (size_t i = 0; i < WIDTH * WIDTH / 2; i++)
        mass += map.values[i] * (40.0 / WIDTH) * (40.0 / WIDTH);
    for (size_t i = 0; i < snapshot.bodies.n; i++)
        wanted += snapshot.bodies.mass[i];
    assert_between(mass / wanted, 0.99, 1.01);
    assert_true(map.low > 0 && map.high > 1000 * map.low);
    ky_map_free(&map);
    assert_null(map.values);
    parameters.show = KY_SHOW_VELOCITY;
    assert_ok(ky_draw_map(&snapshot, &parameters, &map, &error));
    assert_true(map.low == -map.high);
    ky_map_free(&map);
    parameters.show = KY_SHOW_TRAILS;
    assert_int_equal(ky_draw_map(&snapshot, &parameters, &map, &error), KY_USAGE);
    assert_int_equal(ky_draw_map(NULL, &parameters, &map, &error), KY_USAGE);
    assert_int_equal(ky_draw_map(&snapshot, NULL, &map, &error), KY_USAGE);
    assert_int_equal(ky_draw_map(&snapshot, &parameters, NULL, &error), KY_USAGE);
    ky_map_free(NULL);
    ky_bodies_free(&snapshot.bodies);
}

static char folder[] = "/tmp/kyoho-film-XXXXXX", film_path[64], stub[64], csv[2][64];

/* Makes two snapshots, and a program in place of ffmpeg that keeps the frames. */
static int make_films(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(film_path, sizeof film_path, "%s/film.mp4", folder);
    snprintf(stub, sizeof stub, "%s/ffmpeg", folder);
    for (int k = 0; k < 2; k++) {
        snprintf(csv[k], sizeof csv[k], "%s/%d.csv", folder, k);
        FILE *file = fopen(csv[k], "w");
        if (!file)
            return -1;
        fputs("id,mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0,0\n1,1,2,0,0,0,0,0\n2,2,1,1,0,0,0,0\n", file);
        fclose(file);
    }
    FILE *file = fopen(stub, "w");
    if (!file)
        return -1;
    fputs("#!/bin/sh\nfor last; do :; done\nexec cat >\"${last#file:}\"\n", file);
    fclose(file);
    return chmod(stub, 0700);
}

static int remove_films(void **state)
{
    (void)state;
    unlink(film_path);
    unlink(stub);
    unlink(csv[0]);
    unlink(csv[1]);
    return rmdir(folder);
}

static void count_frames(void *context, size_t done, size_t frames)
{
    int *count = context;
    *count += done == (size_t)*count + 1 && frames == 3;
}

/* Three frames of two files with the same bodies: each is the picture of one. */
static void films_are_frames(void **state)
{
    (void)state;
    const char *const files[] = {csv[0], csv[1], NULL};
    struct ky_draw_parameters parameters = small_picture();
    struct ky_film_parameters film;
    struct ky_snapshot panel;
    struct ky_picture picture = {0};
    char *const before = getenv("PATH") ? strdup(getenv("PATH")) : NULL, both[4096];
    int frames = 0;
    ky_film_parameters_defaults(&film);
    assert_int_equal(film.rate, 25);
    film.frames = 3;
    film.progress = count_frames;
    film.progress_context = &frames;
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(ky_film(film_path, files, 2, NULL, &parameters, &film, &error),
                     KY_UNSUPPORTED);
    snprintf(both, sizeof both, "%s:%s", folder, before ? before : "/bin");
    setenv("PATH", both, 1);
    assert_ok(ky_film(film_path, files, 2, NULL, &parameters, &film, &error));
    assert_int_equal(frames, 3);
    assert_ok(ky_snapshot_read(csv[0], &panel, &error));
    assert_ok(ky_draw_pixels(&panel, 1, &parameters, &picture, &error));
    FILE *file = fopen(film_path, "rb");
    assert_non_null(file);
    const size_t pixels = picture.width * picture.height;
    for (size_t i = 0; i < 3 * pixels; i++) {
        uint8_t rgb[3];
        assert_int_equal(fread(rgb, 1, 3, file), 3);
        assert_memory_equal(rgb, picture.rgba + 4 * (i % pixels), 3);
    }
    assert_true(fgetc(file) == EOF);
    fclose(file);
    assert_int_equal(ky_film(film_path, files, 2, NULL, &parameters, &film, &error), KY_USAGE);
    parameters.overwrite = 1;
    assert_int_equal(ky_film(film_path, files, 3, NULL, &parameters, &film, &error), KY_USAGE);
    assert_int_equal(ky_film(film_path, files, 0, NULL, &parameters, &film, &error), KY_USAGE);
    assert_int_equal(ky_film(film_path, NULL, 1, NULL, &parameters, &film, &error), KY_USAGE);
    assert_int_equal(ky_film(NULL, files, 1, NULL, &parameters, &film, &error), KY_USAGE);
    assert_int_equal(ky_film(film_path, files, 1, NULL, NULL, &film, &error), KY_USAGE);
    assert_int_equal(ky_film(film_path, files, 1, NULL, &parameters, NULL, &error), KY_USAGE);
    film.frames = 0;
    assert_int_equal(ky_film(film_path, files, 1, NULL, &parameters, &film, &error), KY_USAGE);
    film.rate = 0;
    assert_int_equal(ky_film(film_path, files, 2, NULL, &parameters, &film, &error), KY_USAGE);
    film.rate = 25;
    parameters.show = KY_SHOW_TRAILS;
    assert_int_equal(ky_film(film_path, files, 2, NULL, &parameters, &film, &error), KY_USAGE);
    parameters.show = KY_SHOW_STARS;
    const struct ky_read_options unfilled = {.size = 3};
    assert_int_equal(ky_film(film_path, files, 2, &unfilled, &parameters, &film, &error), KY_USAGE);
    const char *const missing[] = {csv[0], "/nowhere/a.csv"};
    assert_int_equal(ky_film(film_path, missing, 2, NULL, &parameters, &film, &error), KY_BAD_DATA);
    assert_int_equal(ky_film(film_path, missing + 1, 1, NULL, &parameters, &film, &error),
                     KY_BAD_DATA);
    ky_picture_free(&picture);
    ky_snapshot_free(&panel);
    if (before)
        setenv("PATH", before, 1);
    free(before);
}

#ifdef KY_HAVE_PNG
static char path[64];

/* Reads the size and the sum of all bytes of a file's pixels. */
static void read_png(uint32_t *width, uint32_t *height, double *sum)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    *width = image.width, *height = image.height, *sum = 0;
    for (size_t i = 0; i < PNG_IMAGE_SIZE(image); i++)
        *sum += pixels[i];
    free(pixels);
}

static int name_file(void **state)
{
    (void)state;
    strcpy(path, "/tmp/kyoho-draw-XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void the_file_is_a_png_of_the_right_size(void **state)
{
    (void)state;
    struct ky_snapshot panels[3];
    for (int p = 0; p < 3; p++)
        cloud(&panels[p], 3000, 1 + p);
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH;
    parameters.title = "start|encounter|END 50%";
    parameters.rim = KY_RIM_SCALE;
    assert_int_equal(ky_draw(path, panels, 3, &parameters, &error), KY_USAGE);
    parameters.overwrite = 1;
    assert_ok(ky_draw(path, panels, 3, &parameters, &error));
    uint32_t width, height;
    double sum, without;
    read_png(&width, &height, &sum);
    assert_true(width > 3 * WIDTH && width < 3 * WIDTH + 10);
    assert_int_equal(height, WIDTH);
    assert_between(sum / (3.0 * width * height), 10, 200);
    parameters.title = "";
    assert_ok(ky_draw(path, panels, 3, &parameters, &error));
    read_png(&width, &height, &without);
    assert_true(sum > without);
    parameters.columns = 1;
    assert_ok(ky_draw(path, panels, 3, &parameters, &error));
    read_png(&width, &height, &sum);
    assert_int_equal(width, WIDTH);
    parameters.rim = KY_RIM_AXES; /* margins are white */
    assert_ok(ky_draw(path, panels, 3, &parameters, &error));
    uint32_t wider, higher;
    read_png(&wider, &higher, &without);
    assert_true(wider > width + 20 && wider < width + 60 && higher > height + 20);
    assert_true(without > sum + 3 * 255 * 15.0 * height);
    for (int p = 0; p < 3; p++)
        ky_bodies_free(&panels[p].bodies);
}

/* The trail of a body that is seen every 30 degrees of a circle is the circle, also if another body
 * is not in every snapshot. ky_draw draws the same. */
static void trails_follow_the_bodies(void **state)
{
    (void)state;
    enum { TIMES = 7, SIDE = 200 };
    struct ky_snapshot times[TIMES];
    uint64_t ids[TIMES][2];
    for (size_t t = 0; t < TIMES; t++) {
        double angle = 3.14159265358979 / 6 * (double)t;
        cloud(&times[t], 2, 0);
        times[t].time = angle;
        size_t k = t % 2; /* the order changes, the ids stay */
        ids[t][k] = 70, ids[t][1 - k] = t == 3 ? 99 : 5;
        times[t].bodies.id = ids[t];
        double *x = times[t].bodies.position[k], *v = times[t].bodies.velocity[k];
        x[0] = cos(angle), x[1] = sin(angle), v[0] = -sin(angle), v[1] = cos(angle);
    }
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.show = KY_SHOW_TRAILS, parameters.overwrite = 1, parameters.title = "";
    parameters.rim = KY_RIM_SCALE;
    parameters.width = SIDE, parameters.region = 4;
    for (int k = 0; k < 3; k++)
        parameters.centre[k] = 0;
    assert_ok(ky_draw(path, times, TIMES, &parameters, &error));
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_GRAY;
    static uint8_t pixels[SIDE * SIDE];
    assert_true(image.width == SIDE && image.height == SIDE);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    for (int degree = 2; degree < 178; degree += 4) {
        double angle = 3.14159265358979 / 180 * degree;
        size_t x = (size_t)(SIDE / 2 + 50 * cos(angle)), y = (size_t)(SIDE / 2 - 50 * sin(angle));
        int brightest = 0; /* the line is 1 pixel wide */
        for (size_t k = 0; k < 9; k++)
            brightest = (int)fmax(brightest, pixels[(y + k / 3 - 1) * SIDE + x + k % 3 - 1]);
        assert_true(brightest > 35);
        assert_true(pixels[(SIDE - y) * SIDE + x] < 20 || degree < 8 || degree > 172);
    }
    for (size_t t = 0; t < TIMES; t++) {
        times[t].bodies.id = NULL;
        ky_bodies_free(&times[t].bodies);
    }
}

/* Whether a pixel has a colour. Curves have one; paper, ink and grid have none. */
static int is_coloured(const uint8_t *pixel)
{
    int low = pixel[0], high = pixel[0];
    for (int c = 1; c < 3; c++) {
        low = pixel[c] < low ? pixel[c] : low;
        high = pixel[c] > high ? pixel[c] : high;
    }
    return high - low > 60;
}

/* Marks differ also without their colours. */
static void marks_have_shapes_of_their_own(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    static const uint8_t paper[3] = {255, 255, 255}, ink[3] = {0, 0, 0};
    static const double middle[2] = {SIDE / 2, SIDE / 2};
    static uint8_t seen[KY_SYMBOLS][3 * SIDE * SIDE];
    for (int shape = 0; shape < KY_SYMBOLS; shape++) {
        struct ky_canvas canvas;
        assert_ok(ky_canvas_open(&canvas, SIDE, SIDE, paper, &error));
        ky_take_ink(&canvas, ink);
        ky_symbol(&canvas, middle, 8, 2, shape);
        assert_ok(ky_canvas_write(path, &canvas, "", 1, &error));
        memcpy(seen[shape], canvas.rgb, sizeof seen[shape]);
        ky_canvas_close(&canvas);
        for (int other = 0; other <= shape; other++) {
            int differ = 0;
            for (size_t k = 0; k < sizeof seen[0]; k++)
                differ += abs(seen[shape][k] - seen[other][k]) > 128;
            assert_true(other == shape ? !differ : differ > 90);
        }
    }
    static const double x[3] = {0, 1, 2};
    static const size_t size[2] = {120, 90};
    static uint8_t pixels[3][3 * 120 * 90];
    for (int mark = 0; mark < 3; mark++) {
        struct ky_plot_curve curve = {NULL, x, x, 3, 0, 0, mark};
        struct ky_plot plot = {{"x", "y"}, {0, 0}, &curve, 1, {NULL, NULL}};
        assert_ok(ky_plot_write(path, &plot, 1, size, NULL, 1, &error));
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, path));
        image.format = PNG_FORMAT_RGB;
        assert_true(png_image_finish_read(&image, NULL, pixels[mark], 0, NULL));
        for (int other = 0; other < mark; other++)
            assert_memory_not_equal(pixels[other], pixels[mark], sizeof pixels[0]);
    }
}

/* A straight line goes from the lower left to the upper right of the frame, and so does a power of
 * ten on a logarithmic axis. A gap stays empty. */
static void curves_stand_where_the_axes_say(void **state)
{
    (void)state;
    enum { POINTS = 101, WIDE = 240, HIGH = 160 };
    static double x[POINTS], y[POINTS];
    static uint8_t pixels[3 * WIDE * HIGH];
    static const size_t size[2] = {WIDE, HIGH};
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        for (int i = 0; i < POINTS; i++) {
            x[i] = 0.1 * i;
            y[i] = logarithmic ? pow(10, 3 - x[i]) : 7 - 2 * x[i];
            if (i > 20 && i < 30)
                y[i] = logarithmic ? -1 : (double)NAN;
        }
        struct ky_plot_curve curve = {"c", x, y, POINTS, 0, 0, 0};
        struct ky_plot plot = {{"x", "y"}, {0, logarithmic}, &curve, 1, {NULL, NULL}};
        assert_ok(ky_plot_write(path, &plot, 1, size, NULL, 1, &error));
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, path));
        image.format = PNG_FORMAT_RGB;
        assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
        double first[2] = {WIDE, 0}, last[2] = {0, 0};
        for (int px = 0; px < 200; px++) /* the legend is farther right */
            for (int py = 0; py < HIGH; py++)
                if (is_coloured(pixels + 3 * (py * WIDE + px))) {
                    if (px < first[0])
                        first[0] = px, first[1] = py;
                    last[0] = px, last[1] = py;
                }
        assert_true(first[0] < 70 && last[0] > 170 && first[1] < 40 && last[1] > 100);
        for (int k = 1; k < 40; k++) {
            double part = k / 40.0;
            int px = (int)lround(first[0] + part * (last[0] - first[0])), seen = 0;
            int py = (int)lround(first[1] + part * (last[1] - first[1]));
            for (int d = -2; d <= 2; d++)
                seen |= is_coloured(pixels + 3 * ((py + d) * WIDE + px));
            if (part < 0.18 || part > 0.32)
                assert_true(seen);
            else if (part > 0.22 && part < 0.28)
                assert_false(seen);
        }
    }
    for (int i = 0; i < POINTS; i++)
        y[i] = -1;
    struct ky_plot_curve curve = {"c", x, y, POINTS, 0, 0, 0};
    struct ky_plot plot = {{"x", "y"}, {0, 1}, &curve, 1, {NULL, NULL}};
    assert_int_equal(ky_plot_write(path, &plot, 1, size, NULL, 1, &error), KY_BAD_DATA);
    plot.logarithmic[1] = 0; /* then y is −1 everywhere */
    assert_ok(ky_plot_write(path, &plot, 1, size, NULL, 1, &error));
    curve.n = 1;
    assert_ok(ky_plot_write(path, &plot, 1, size, NULL, 1, &error));
    curve.dash = -1;
    assert_int_equal(ky_plot_write(path, &plot, 1, size, NULL, 1, &error), KY_USAGE);
    curve.dash = 0;
    static const size_t small[2] = {40, 40};
    assert_int_equal(ky_plot_write(path, &plot, 1, small, NULL, 1, &error), KY_USAGE);
    const size_t tiny[2] = {8, 400};
    assert_int_equal(ky_plot_write(path, &plot, 1, tiny, NULL, 1, &error), KY_USAGE);
    assert_int_equal(ky_plot_write(path, &plot, 1, size, NULL, 0, &error), KY_USAGE);
    assert_int_equal(ky_plot_write(path, &plot, 0, size, NULL, 1, &error), KY_BAD_DATA);
    assert_int_equal(ky_plot_write(path, NULL, 0, size, NULL, 1, &error), KY_BAD_DATA);
    assert_int_equal(ky_plot_write(NULL, &plot, 1, size, NULL, 1, &error), KY_USAGE);
    curve.y = NULL;
    assert_int_equal(ky_plot_write(path, &plot, 1, size, NULL, 1, &error), KY_USAGE);
}

/* There is a picture of no body, one body, bodies in one place, bodies without mass, and a single
 * body with mass. */
static void odd_bodies_are_drawn(void **state)
{
    (void)state;
    static const size_t numbers[] = {0, 1, 2000, 2000, 2000};
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH;
    parameters.overwrite = 1;
    for (size_t k = 0; k < 5; k++)
        for (int way = 0; way < 8; way++) {
            parameters.brightness = way % 3;
            parameters.show = way < 3 ? KY_SHOW_DENSITY : way - 2; /* stars and auto at last */
            parameters.rim = k % 2 ? KY_RIM_AXES : KY_RIM_NONE;
            struct ky_snapshot panel;
            cloud(&panel, numbers[k], k == 2 ? 0 : 1);
            for (size_t i = 0; i < panel.bodies.n && k == 3; i++)
                panel.bodies.mass[i] = 0;
            if (k == 4)
                panel.bodies.mass[5] = 1e30;
            struct ky_snapshot twice[2] = {panel, panel};
            size_t panels = parameters.show == KY_SHOW_TRAILS ? 2 : 1; /* trails need two */
            assert_ok(ky_draw(path, twice, panels, &parameters, &error));
            uint32_t width, height;
            double sum;
            read_png(&width, &height, &sum);
            assert_true(width == WIDTH || (k % 2 && width > WIDTH));
            assert_true(sum > 0);
            ky_bodies_free(&panel.bodies);
        }
}

/* Files give the same picture as snapshots in memory. */
static void pictures_of_files(void **state)
{
    const char *const files[] = {csv[0], csv[1], NULL};
    struct ky_draw_parameters parameters = small_picture();
    struct ky_snapshot panels[2];
    uint32_t width, height;
    double sum[2];
    name_file(state);
    parameters.overwrite = 1;
    for (int k = 0; k < 2; k++)
        assert_ok(ky_snapshot_read(files[k], &panels[k], &error));
    for (int trails = 0; trails < 2; trails++) {
        parameters.show = trails ? KY_SHOW_TRAILS : KY_SHOW_DENSITY;
        assert_ok(ky_draw(path, panels, 2, &parameters, &error));
        read_png(&width, &height, &sum[0]);
        assert_ok(ky_draw_files(path, files, 2, NULL, &parameters, &error));
        read_png(&width, &height, &sum[1]);
        assert_true(sum[0] == sum[1] && sum[0] > 0);
        assert_int_equal(ky_draw_files(path, files, 3, NULL, &parameters, &error), KY_USAGE);
        assert_int_equal(ky_draw_files(path, files, 0, NULL, &parameters, &error), KY_USAGE);
        assert_int_equal(ky_draw_files(NULL, files, 2, NULL, &parameters, &error), KY_USAGE);
        assert_int_equal(ky_draw_files(path, files, 2, NULL, NULL, &error), KY_USAGE);
    }
    assert_ok(ky_draw_available(path, &error));
    assert_int_equal(ky_draw_available(NULL, &error), KY_USAGE);
    for (int k = 0; k < 2; k++)
        ky_snapshot_free(&panels[k]);
    remove_file(state);
}

static void bad_bodies_and_parameters_are_refused(void **state)
{
    (void)state;
    struct ky_snapshot panel;
    cloud(&panel, 10, 1);
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.overwrite = 1;
    assert_int_equal(ky_draw(path, &panel, 0, &parameters, &error), KY_USAGE);
    parameters.width = 3;
    assert_int_equal(ky_draw(path, &panel, 1, &parameters, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "width"));
    parameters.width = WIDTH;
    parameters.show = KY_SHOW_TRAILS;
    assert_int_equal(ky_draw(path, &panel, 1, &parameters, &error), KY_USAGE);
    parameters.show = KY_SHOW_DENSITY;
    panel.bodies.position[3][1] = (double)NAN;
    assert_int_equal(ky_draw(path, &panel, 1, &parameters, &error), KY_BAD_DATA);
    panel.bodies.position[3][1] = 1e200;
    assert_int_equal(ky_draw(path, &panel, 1, &parameters, &error), KY_BAD_DATA);
    panel.bodies.position[3][1] = 0;
    assert_int_equal(ky_draw("/no/such/folder/a.png", &panel, 1, &parameters, &error),
                     KY_CANNOT_WRITE);
    ky_bodies_free(&panel.bodies);
}
#endif

/* OKLCh: without chroma a colour is gray, from black to white; the others are the primaries of sRGB
 * by Ottosson's numbers. */
static void colours_are_those_of_oklch(void **state)
{
    (void)state;
    static const struct {
        double lightness, chroma, hue;
        int rgb[3];
    } cases[] = {{0, 0, 0, {0, 0, 0}},
                 {0.5999, 0, 70, {128, 128, 128}},
                 {1, 0, 200, {255, 255, 255}},
                 {0.62796, 0.25768, 29.234, {255, 0, 0}},
                 {0.86644, 0.29483, 142.495, {0, 255, 0}},
                 {0.45201, 0.31321, 264.052, {0, 0, 255}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint8_t rgb[3];
        ky_colour(cases[k].lightness, cases[k].chroma, cases[k].hue, rgb);
        for (int c = 0; c < 3; c++)
            if (abs(rgb[c] - cases[k].rgb[c]) > 2)
                fail_msg("colour %zu is %d %d %d", k, rgb[0], rgb[1], rgb[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_of_oklch),
        cmocka_unit_test(projection_keeps_the_mass),
        cmocka_unit_test(projection_keeps_the_place),
        cmocka_unit_test(pictures_may_be_oblong_and_turned),
        cmocka_unit_test(components_have_their_colours),
        cmocka_unit_test(systems_are_told_apart_by_ids),
        cmocka_unit_test(velocities_have_their_colours),
        cmocka_unit_test(faint_parts_of_components_are_seen),
        cmocka_unit_test(few_bodies_are_stars),
        cmocka_unit_test(circles_mark_groups),
        cmocka_unit_test(mirrored_bodies_give_a_mirrored_picture),
        cmocka_unit_test(masses_count_and_not_only_bodies),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(the_region_holds_its_part_of_the_mass),
        cmocka_unit_test(a_given_square_is_where_the_mass_is),
        cmocka_unit_test(components_that_take_turns_are_seen),
        cmocka_unit_test(the_camera_goes_where_the_bodies_are),
        cmocka_unit_test(pictures_of_boxes_wrap),
        cmocka_unit_test(slabs_are_parts),
        cmocka_unit_test(turned_boxes_have_no_holes),
        cmocka_unit_test(boxes_have_stars_circles_and_limits),
        cmocka_unit_test(trails_in_boxes_do_not_jump),
        cmocka_unit_test(the_camera_moves_smoothly),
        cmocka_unit_test(an_anchor_stays_with_its_nucleus),
        cmocka_unit_test(odd_centres_are_found_or_refused),
        cmocka_unit_test(texts_are_raised_and_turned),
        cmocka_unit_test(axes_have_round_numbers),
        cmocka_unit_test(colours_grow_lighter),
        cmocka_unit_test(labels_are_round),
        cmocka_unit_test(pixels_are_in_memory),
        cmocka_unit_test(a_map_has_the_numbers),
        cmocka_unit_test(films_are_frames),
#ifdef KY_HAVE_PNG
        cmocka_unit_test_setup_teardown(the_file_is_a_png_of_the_right_size, name_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(trails_follow_the_bodies, name_file, remove_file),
        cmocka_unit_test_setup_teardown(marks_have_shapes_of_their_own, name_file, remove_file),
        cmocka_unit_test_setup_teardown(curves_stand_where_the_axes_say, name_file, remove_file),
        cmocka_unit_test_setup_teardown(odd_bodies_are_drawn, name_file, remove_file),
        cmocka_unit_test(pictures_of_files),
        cmocka_unit_test_setup_teardown(bad_bodies_and_parameters_are_refused, name_file,
                                        remove_file),
#endif
    };
    return cmocka_run_group_tests(tests, make_films, remove_films);
}
