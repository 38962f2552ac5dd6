/* Pictures: mass before colouring, symmetry, odd numbers of bodies, colours, and the PNG file read
 * back by libpng. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef KY_HAVE_PNG
#include <png.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/random.h"
#include "draw/draw.h"

enum { WIDTH = 96 };

static struct ky_error error;

/* A Gaussian cloud; every second body mirrors the one before it. */
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

/* Everything lies far inside the picture, so that all of the mass has to be found in it. */
static void projection_keeps_the_mass(void **state)
{
    (void)state;
    static const size_t numbers[] = {1, 2, 500, 1001, 20000};
    static double density[WIDTH * WIDTH];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct ky_snapshot panel;
        cloud(&panel, numbers[k], 0.3);
        struct ky_view view = {.right = 0, .up = 1, .side = 64};
        assert_ok(ky_density_project(&panel.bodies, &view, WIDTH, 20, density, &error));
        double area = pow(view.side / WIDTH, 2), mass = 0;
        for (size_t i = 0; i < panel.bodies.n; i++)
            mass += panel.bodies.mass[i];
        double sum = total(density, WIDTH * WIDTH) * area;
        assert_between(sum / mass, 1 - 1e-9, 1 + 1e-9);
        ky_bodies_free(&panel.bodies);
    }
}

/* The mean of the pictured mass stays where the bodies are, up and right. */
static void projection_keeps_the_place(void **state)
{
    (void)state;
    static double density[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 4000, 0.3);
    for (size_t i = 0; i < panel.bodies.n; i++)
        panel.bodies.position[i][0] += 5, panel.bodies.position[i][2] -= 11;
    struct ky_view view = {.right = 0, .up = 2, .side = 64};
    assert_ok(ky_density_project(&panel.bodies, &view, WIDTH, 50, density, &error));
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

static void mirrored_bodies_give_a_mirrored_picture(void **state)
{
    (void)state;
    static double density[WIDTH * WIDTH];
    struct ky_snapshot panel;
    cloud(&panel, 6000, 1);
    struct ky_view view = {.right = 0, .up = 1, .side = 6};
    assert_ok(ky_density_project(&panel.bodies, &view, WIDTH, 30, density, &error));
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

static void threads_do_not_matter(void **state)
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
    assert_ok(ky_view_choose(&panel, 1, &parameters, &a, &error));
    assert_ok(ky_density_project(&panel.bodies, &a, WIDTH, 30, one, &error));
    omp_set_num_threads(3);
    assert_ok(ky_view_choose(&panel, 1, &parameters, &b, &error));
    assert_ok(ky_density_project(&panel.bodies, &b, WIDTH, 30, three, &error));
    omp_set_num_threads(threads);
    assert_true(a.side == b.side && a.centre[0] == b.centre[0] && a.centre[1] == b.centre[1]);
    assert_memory_equal(one, three, sizeof one);
    ky_bodies_free(&panel.bodies);
#else
    skip();
#endif
}

/* An escaper does not make the picture wide; the wanted part of the mass is inside. */
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
    assert_ok(ky_view_choose(&panel, 1, &parameters, &view, &error));
    assert_int_equal(view.right, 1);
    assert_int_equal(view.up, 2);
    assert_between(view.side, 4, 9);
    double inside = 0, all = 0;
    for (size_t i = 0; i < panel.bodies.n; i++) {
        const double *x = panel.bodies.position[i], half = view.side / 2;
        if (fabs(x[1] - view.centre[0]) < half && fabs(x[2] - view.centre[1]) < half)
            inside += panel.bodies.mass[i];
        all += panel.bodies.mass[i];
    }
    assert_between(inside / all, 0.98, 0.99999);
    parameters.region = 3, parameters.centre[1] = 7;
    assert_ok(ky_view_choose(&panel, 1, &parameters, &view, &error));
    assert_true(view.side == 3 && view.centre[0] == 7);
    ky_bodies_free(&panel.bodies);
}

static void colours_grow_lighter(void **state)
{
    (void)state;
    static uint8_t colours[KY_MAP_COLOURS][3];
    for (int map = KY_EMBER; map <= KY_GRAY; map++) {
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
        assert_true(before > 0.85);
    }
}

static void labels_are_round(void **state)
{
    (void)state;
    char text[64];
    struct ky_units units = {0};
    assert_true(ky_length_label(&units, 3.7, text, sizeof text) == 2);
    assert_string_equal(text, "2");
    assert_ok(ky_units_preset("galaxy", &units, NULL)); /* the label's kpc is that of the units */
    assert_between(ky_length_label(&units, 0.07, text, sizeof text), 0.05 - 1e-12, 0.05 + 1e-12);
    assert_string_equal(text, "50 pc");
    struct ky_snapshot panel = {.time = 1.5, .units = units};
    ky_time_label(&panel, 2, text, sizeof text);
    assert_string_equal(text, "t = 1.467 Gyr");
}

#ifdef KY_HAVE_PNG
static char path[64];

/* Size and the sum of all bytes of the file. */
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
    for (int p = 0; p < 3; p++)
        ky_bodies_free(&panels[p].bodies);
}

/* Nothing, one body, all in one place, all without mass, a single heavy one: pictures all the same.
 */
static void odd_bodies_are_drawn(void **state)
{
    (void)state;
    static const size_t numbers[] = {0, 1, 2000, 2000, 2000};
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    parameters.width = WIDTH;
    parameters.overwrite = 1;
    for (size_t k = 0; k < 5; k++)
        for (parameters.brightness = 0; parameters.brightness < 3; parameters.brightness++) {
            struct ky_snapshot panel;
            cloud(&panel, numbers[k], k == 2 ? 0 : 1);
            for (size_t i = 0; i < panel.bodies.n && k == 3; i++)
                panel.bodies.mass[i] = 0;
            if (k == 4)
                panel.bodies.mass[5] = 1e30;
            assert_ok(ky_draw(path, &panel, 1, &parameters, &error));
            uint32_t width, height;
            double sum;
            read_png(&width, &height, &sum);
            assert_int_equal(width, WIDTH);
            assert_true(sum > 0);
            ky_bodies_free(&panel.bodies);
        }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_keeps_the_mass),
        cmocka_unit_test(projection_keeps_the_place),
        cmocka_unit_test(mirrored_bodies_give_a_mirrored_picture),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(the_region_holds_its_part_of_the_mass),
        cmocka_unit_test(colours_grow_lighter),
        cmocka_unit_test(labels_are_round),
#ifdef KY_HAVE_PNG
        cmocka_unit_test_setup_teardown(the_file_is_a_png_of_the_right_size, name_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(odd_bodies_are_drawn, name_file, remove_file),
        cmocka_unit_test_setup_teardown(bad_bodies_and_parameters_are_refused, name_file,
                                        remove_file),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
