/* The layers of a picture (density of all bodies or of each type, mean velocity along the line of
 * sight), and their colours. */
#include "draw/draw.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

static const uint8_t type_colours[KY_TYPES][3] = {{70, 200, 255}, {125, 100, 245}, {255, 190, 70},
                                                  {255, 85, 60},  {240, 240, 225}, {90, 255, 120}};
static const uint8_t system_colours[KY_TYPES][3] = {{255, 176, 84}, {92, 170, 255}};
static const char *const type_names[KY_TYPES] = {"gas",   "halo",  "disk",
                                                 "bulge", "stars", "black holes"};
static const char *const system_names[KY_TYPES] = {"first", "second"};

const uint8_t (*ky_part_colours(uint64_t divide))[3]
{
    return divide ? system_colours : type_colours;
}

const char *const *ky_part_names(uint64_t divide)
{
    return divide ? system_names : type_names;
}

size_t ky_layer_count(int show)
{
    static const size_t layers[] = {
        [KY_SHOW_COMPONENTS] = KY_TYPES, [KY_SHOW_VELOCITY] = 2, [KY_SHOW_STARS] = 3};
    return show < KY_SHOW_AUTO && layers[show] ? layers[show] : 1;
}

int ky_show_of(const struct ky_draw_parameters *parameters, size_t most)
{
    if (parameters->show != KY_SHOW_AUTO)
        return parameters->show;
    return most <= KY_STARS_MOST && isnan(parameters->peak) ? KY_SHOW_STARS : KY_SHOW_DENSITY;
}

/* The density of stars in a galaxy spans more decades than a picture can show. */
double ky_range_of(const struct ky_draw_parameters *parameters)
{
    const double usual = parameters->show == KY_SHOW_COMPONENTS ? 5 : 3.5;
    return isnan(parameters->range) ? usual : parameters->range;
}

static size_t pixels_of(const struct ky_scene *scene)
{
    return scene->size[0] * scene->size[1];
}

enum ky_status ky_layers_project(const struct ky_scene *scene, const struct ky_bodies *bodies,
                                 double *layers, struct ky_error *error)
{
    const int show = scene->parameters->show;
    const size_t pixels = pixels_of(scene);
    struct ky_projection projection = {.bodies = bodies,
                                       .part = -1,
                                       .divide = scene->parameters->divide,
                                       .view = &scene->view,
                                       .size = {scene->size[0], scene->size[1]},
                                       .smooth = scene->parameters->smooth};
    if (show == KY_SHOW_STARS)
        return ky_stars_project(scene, bodies, layers, error);
    if (show != KY_SHOW_COMPONENTS)
        return ky_density_project(&projection, layers,
                                  show == KY_SHOW_VELOCITY ? layers + pixels : NULL, error);
    for (int t = 0; t < KY_TYPES; t++) {
        projection.part = t;
        KY_TRY(ky_density_project(&projection, layers + (size_t)t * pixels, NULL, error));
    }
    return KY_OK;
}

/* The smallest value above which at most the fraction `above` of the weight lies. With `value` NULL
 * the weights are also the values. Accurate to 2 %. */
static double upper_value(const double *value, const double *weight, size_t pixels, double above)
{
    enum { BINS = 2048 };
    const double bins_per_octave = 32;
    double bins[BINS] = {0}, most = 0, sum = 0;
    const double *of = value ? value : weight;
    for (size_t i = 0; i < pixels; i++)
        most = fmax(most, fabs(of[i]));
    for (size_t i = 0; i < pixels; i++) {
        double size = fabs(of[i]), octaves = size > 0 ? log2(most / size) : HUGE_VAL;
        if (octaves * bins_per_octave < BINS)
            bins[(size_t)(octaves * bins_per_octave)] += weight[i];
        sum += weight[i];
    }
    int b = 0;
    for (double seen = bins[0]; seen < above * sum && b < BINS - 1; seen += bins[b])
        b++;
    return most * exp2(-b / bins_per_octave);
}

void ky_layers_widen(struct ky_scene *scene, const struct ky_bodies *bodies, const double *layers)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    size_t pixels = pixels_of(scene);
    int velocity = parameters->show == KY_SHOW_VELOCITY;
    size_t densities = velocity ? 1 : ky_layer_count(parameters->show);
    if (parameters->show == KY_SHOW_STARS)
        return;
    for (size_t i = 0; i < bodies->n; i++)
        scene->present |= 1 << ky_part_of(bodies, i, parameters->divide);
    /* above noise, and in more than a single pixel */
    for (size_t k = 0; k < densities; k++)
        scene->peak[k] =
            isnan(parameters->peak)
                ? fmax(scene->peak[k], upper_value(NULL, layers + k * pixels, pixels, 0.01))
                : parameters->peak;
    if (velocity)
        scene->speed = isnan(parameters->speed)
                           ? fmax(scene->speed, upper_value(layers + pixels, layers, pixels, 0.02))
                           : parameters->speed;
}

/* The curve from density to brightness, precomputed for many densities. */
struct curve {
    int kind;
    double scale, range, faint, whole;
};

static struct curve curve_of(const struct ky_scene *scene, size_t layer)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    const double range = ky_range_of(parameters), faint = pow(10, -range);
    return (struct curve){.kind = parameters->brightness,
                          .scale = scene->peak[layer] > 0 ? 1 / scene->peak[layer] : 0,
                          .range = range,
                          .faint = faint,
                          .whole = asinh(1 / faint)};
}

static double bright_of(const struct curve *curve, double density)
{
    double value = density * curve->scale;
    if (curve->kind == KY_ASINH)
        value = asinh(value / curve->faint) / curve->whole;
    else if (curve->kind == KY_LOG)
        value = value > 0 ? 1 + log10(value) / curve->range : 0;
    return fmin(fmax(value, 0), 1);
}

double ky_brightness(const struct ky_scene *scene, size_t layer, double density)
{
    const struct curve curve = curve_of(scene, layer);
    return bright_of(&curve, density);
}

/* Adds each component in its own colour over the dark. Brightness is squared, so that faint parts
 * of one component do not hide the others. */
static void mix_parts(const double *bright, const uint8_t (*colours)[3], const uint8_t dark[3],
                      uint8_t *pixel)
{
    for (int c = 0; c < 3; c++) {
        double left = 1 - dark[c] / 255.0;
        for (int t = 0; t < KY_TYPES; t++)
            left *= 1 - bright[t] * bright[t] * colours[t][c] / 255.0;
        pixel[c] = (uint8_t)(255 * (1 - left) + 0.5);
    }
}

/* The colour of a velocity, fading to dark where the density is low. */
static void mix_velocity(const struct ky_scene *scene, double bright, double velocity,
                         const uint8_t dark[3], uint8_t *pixel)
{
    const double soon = 3; /* full saturation from a third of the brightness on */
    double place = scene->speed > 0 ? fmin(fmax(velocity / scene->speed, -1), 1) : 0;
    const uint8_t *colour = scene->map[(size_t)((place + 1) / 2 * (KY_MAP_COLOURS - 1) + 0.5)];
    double part = fmin(soon * bright, 1);
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)(dark[c] + (colour[c] - dark[c]) * part + 0.5);
}

void ky_layers_paint(const struct ky_scene *scene, const double *layers, struct ky_canvas *canvas,
                     size_t left, size_t top)
{
    static const uint8_t dark[3] = {6, 6, 12};
    const struct ky_draw_parameters *parameters = scene->parameters;
    const int show = parameters->show;
    const size_t width = scene->size[0], pixels = pixels_of(scene);
    const size_t densities = show == KY_SHOW_COMPONENTS ? KY_TYPES : 1;
    struct curve curve[KY_TYPES];
    for (size_t k = 0; k < KY_TYPES; k++)
        curve[k] = curve_of(scene, k);
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < scene->size[1]; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t at = y * width + x;
            uint8_t *pixel = canvas->rgb + 3 * ((top + y) * canvas->width + left + x);
            double bright[KY_TYPES];
            if (show == KY_SHOW_STARS) {
                const double light[3] = {layers[at], layers[pixels + at], layers[2 * pixels + at]};
                ky_stars_mix(light, dark, pixel);
                continue;
            }
            for (size_t k = 0; k < densities; k++)
                bright[k] = bright_of(&curve[k], layers[k * pixels + at]);
            if (show == KY_SHOW_COMPONENTS)
                mix_parts(bright, ky_part_colours(parameters->divide), dark, pixel);
            else if (show == KY_SHOW_VELOCITY)
                mix_velocity(scene, bright[0], layers[pixels + at], dark, pixel);
            else
                memcpy(pixel, scene->map[(size_t)(bright[0] * (KY_MAP_COLOURS - 1) + 0.5)], 3);
        }
}
