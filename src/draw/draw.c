/* ky_draw: panels side by side, with a common scale, labels and a scale bar. The caller reads the
 * snapshots. */
#include "draw/draw.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/units.h"

#define FIELD(name) offsetof(struct ky_draw_parameters, name)

const struct ky_option ky_draw_options[] = {
    {"axis", KY_OPTION_CHOICE, FIELD(axis), "z", KY_NO_RANGE, "x|y|z", NULL, "line of sight"},
    {"show", KY_OPTION_CHOICE, FIELD(show), "auto", KY_NO_RANGE,
     "density|components|velocity|trails|stars|auto", NULL,
     "quantity to show: projected density; the density of each GADGET type in its own colour; mean "
     "velocity along the line of sight, away in red; paths of bodies over the snapshots; each body "
     "as a star, as bright as its mass; auto: stars up to 10,000 bodies, else density"},
    {"rim", KY_OPTION_CHOICE, FIELD(rim), "axes", KY_NO_RANGE, "axes|scale|none", NULL,
     "surroundings of the panels: axes and a colour bar; a scale bar and the colours in the "
     "picture (the default of films); nothing"},
    {"turn", KY_OPTION_REAL, FIELD(turn), "0", -36000, 36000, NULL, "DEGREES",
     "azimuth of the camera, which turns to the right [degrees]"},
    {"tilt", KY_OPTION_REAL, FIELD(tilt), "0", -36000, 36000, NULL, "DEGREES",
     "elevation of the camera [degrees]"},
    {"width", KY_OPTION_INTEGER, FIELD(width), "640", 16, 16384, NULL, "PIXELS",
     "width of a panel [pixels]"},
    {"height", KY_OPTION_INTEGER, FIELD(height), "0", 0, 16384, NULL, "PIXELS",
     "height of a panel; 0: equal to its width [pixels]"},
    {"columns", KY_OPTION_INTEGER, FIELD(columns), "0", 0, 1000, NULL, NULL,
     "panels in a row; 0: chosen from the number of panels"},
    {"region", KY_OPTION_REAL, FIELD(region), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "length of the shorter side of every panel; without it --fraction decides [length]"},
    {"centre-x", KY_OPTION_REAL, FIELD(centre[0]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "x of the middle of the picture; without it the middle of the bodies, with --region their "
     "centre of mass [length]"},
    {"centre-y", KY_OPTION_REAL, FIELD(centre[1]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "the same along y [length]"},
    {"centre-z", KY_OPTION_REAL, FIELD(centre[2]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "the same along z [length]"},
    {"about", KY_OPTION_TEXT, FIELD(about), NULL, KY_NO_RANGE, NULL, "density|mass|ID|group:K|auto",
     "centre of every panel or frame, wherever it moves: the densest part, the centre of mass, one "
     "body, or group K of the catalogue that --groups names, from 0; auto: the density, but a "
     "fixed region in a periodic box. Without it panels show a fixed region, of a folder as auto"},
    {"fraction", KY_OPTION_REAL, FIELD(fraction), "0.98", 0.01, 1, NULL, NULL,
     "fraction of the mass that a square contains in every panel; a periodic box is shown whole"},
    {"slab", KY_OPTION_REAL, FIELD(slab), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "thickness of the part that is shown, along the line of sight and about the middle of the "
     "picture; without it everything, of a periodic box as much as its side [length]"},
    {"colours", KY_OPTION_CHOICE, FIELD(colours), "ember", KY_NO_RANGE, "ember|ice|gray|viridis",
     NULL, "colour map"},
    {"brightness", KY_OPTION_CHOICE, FIELD(brightness), "asinh", KY_NO_RANGE, "asinh|log|linear",
     NULL, "brightness as a function of density, the same in all panels"},
    {"range", KY_OPTION_REAL, FIELD(range), NULL, 0.1, 30, NULL, "DECADES",
     "range of densities from dark to bright; without it 3.5, for components 5 [powers of ten]"},
    {"peak", KY_OPTION_REAL, FIELD(peak), NULL, 1e-300, 1e300, NULL, "DENSITY",
     "density drawn in the brightest colour; without it the one that 1 % of the mass exceeds "
     "[mass/length²]"},
    {"smooth", KY_OPTION_REAL, FIELD(smooth), "200", 0, 1e9, NULL, NULL,
     "number of neighbours used for smoothing; 0: bodies are sharp dots"},
    {"speed", KY_OPTION_REAL, FIELD(speed), NULL, 1e-300, 1e300, NULL, "VELOCITY",
     "velocity at both ends of the colours of --show velocity; without it the one that 2 % of the "
     "mass exceeds [velocity]"},
    {"trails", KY_OPTION_INTEGER, FIELD(trails), "100", 1, 100000, NULL, NULL,
     "number of bodies whose paths --show trails draws, a random sample"},
    {"divide", KY_OPTION_COUNT, FIELD(divide), "0", 0, 9e15, NULL, "ID",
     "colour two systems with --show components instead of types: the bodies with ids below this "
     "one, and all others; 0: types"},
    {"title", KY_OPTION_TEXT, FIELD(title), NULL, KY_NO_RANGE, NULL, "TEXT",
     "titles of the panels, separated by |, or of a plot; without it the time. ^{2} is a "
     "superscript, _{2} a subscript"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), "no", KY_NO_RANGE, NULL, NULL,
     "replace an existing picture"},
};
const size_t ky_draw_option_count = sizeof ky_draw_options / sizeof *ky_draw_options;

static struct ky_option_set option_set(struct ky_draw_parameters *parameters)
{
    return (struct ky_option_set){.title = "draw",
                                  .options = ky_draw_options,
                                  .count = ky_draw_option_count,
                                  .values = parameters};
}

void ky_draw_parameters_defaults_sized(struct ky_draw_parameters *parameters, size_t size)
{
    struct ky_draw_parameters own = {.size = sizeof own};
    const struct ky_option_set set = option_set(&own);
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}

enum ky_status ky_draw_check(const struct ky_bodies *bodies, struct ky_error *error)
{
    KY_NEED(bodies, error);
    const double farthest = 1e150; /* squares of larger coordinates would overflow */
    struct ky_bodies plain = *bodies;
    plain.id = NULL; /* ids need not be unique here */
    KY_TRY(ky_bodies_check(&plain, error));
    for (size_t i = 0; i < plain.n; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(plain.position[i][k]) <= farthest))
                return ky_fail(error, KY_BAD_DATA, "body %zu is farther away than %g", i, farthest);
    return KY_OK;
}

/* KY_USAGE for parameters that contradict each other. */
static enum ky_status check_fit(const struct ky_draw_parameters *parameters, struct ky_error *error)
{
    if (parameters->divide && parameters->show != KY_SHOW_COMPONENTS)
        return ky_fail(error, KY_USAGE,
                       "--divide colours components: it works only with --show components");
    struct ky_about about;
    KY_TRY(ky_about_read(parameters->about, &about, error));
    for (int k = 0; k < 3 && parameters->about; k++)
        if (!isnan(parameters->centre[k]))
            return ky_fail(
                error, KY_USAGE,
                "--about follows the bodies, --centre-%c is a fixed position: give only one",
                "xyz"[k]);
    if (parameters->about && parameters->show == KY_SHOW_TRAILS)
        return ky_fail(error, KY_USAGE,
                       "--about does not work with trails, whose picture does not move");
    return KY_OK;
}

enum ky_status ky_draw_adopt(const struct ky_draw_parameters *given, struct ky_draw_parameters *own,
                             struct ky_error *error)
{
    ky_draw_parameters_defaults(own);
    enum ky_status status =
        ky_size_adopt(own, sizeof *own, given, "ky_draw_parameters_defaults", error);
    struct ky_option_set set = option_set(own);
    if (!status)
        status = ky_options_check(&set, error);
    if (!status && own->height && own->height < 16)
        return ky_fail(error, KY_USAGE,
                       "--height: %d is out of range; it must be 0, or 16 to 16384", own->height);
    return status ? status : check_fit(own, error);
}

/* Warns of a panel that shows none of its bodies or none of the circles. */
static void warn_of_miss(const struct ky_scene *scene, const struct ky_snapshot *panel)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    char text[256];
    if (parameters->log && ky_view_misses(&scene->view, scene->size, panel, text, sizeof text))
        parameters->log(parameters->log_context, KY_LOG_WARNING, text);
    if (parameters->log && ky_circles_miss(scene))
        parameters->log(parameters->log_context, KY_LOG_WARNING,
                        "no group is in the picture; the catalogue must belong to the snapshot");
}

enum ky_status ky_scene_choose(struct ky_scene *scene, const struct ky_snapshot *panels,
                               size_t count, int all_round, double *layers, struct ky_error *error)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    size_t room = scene->size[0] * scene->size[1] * ky_layer_count(parameters->show);
    for (size_t p = 1; p < count; p++)
        if (ky_units_together(&panels[0].units, &panels[p].units, error))
            return KY_BAD_DATA;
    double *own = layers ? NULL : ky_allocate(room, sizeof *own);
    if (!layers && !own)
        return ky_no_memory(error, "the picture", room, sizeof *own);
    for (size_t p = 0; p < count && parameters->show == KY_SHOW_STARS; p++)
        ky_stars_weigh(scene, &panels[p].bodies);
    if (parameters->show == KY_SHOW_VELOCITY)
        ky_colour_diverging(scene->map);
    else
        ky_colour_map(parameters->colours, scene->map);
    KY_TRY(ky_view_choose(panels, count, parameters, all_round, &scene->view, error));
    for (size_t p = 0; p < count; p++) {
        double *of = own ? own : layers + p * room;
        scene->largest = fmax(scene->largest, fabs(panels[p].time));
        KY_TRY(ky_view_aim(&scene->view, parameters, &panels[p], error));
        KY_TRY(ky_layers_project(scene, &panels[p].bodies, of, error));
        if (layers)
            warn_of_miss(scene, &panels[p]);
        ky_layers_widen(scene, &panels[p].bodies, of);
    }
    free(own);
    return KY_OK;
}

enum ky_status ky_frame_draw(const struct ky_scene *scene, const struct ky_layout *layout,
                             const struct ky_snapshot *panel, struct ky_canvas *canvas,
                             struct ky_error *error)
{
    size_t room = scene->size[0] * scene->size[1] * ky_layer_count(scene->parameters->show);
    double *layers;
    KY_TRY(ky_array(&layers, room, sizeof *layers, "the picture", error));
    enum ky_status status = ky_layers_project(scene, &panel->bodies, layers, error);
    if (!status) {
        ky_layers_paint(scene, layers, canvas, layout->left, layout->top);
        ky_layout_label(layout, scene, panel, 0, 1, canvas);
        status = canvas->pen->flatten(canvas, error);
    }
    free(layers);
    return status;
}

/* Makes the canvas and fills it with the panels. KY_FAULT if memory runs out. */
static enum ky_status paint(struct ky_scene *scene, const struct ky_snapshot *panels, size_t count,
                            const double *layers, struct ky_canvas *canvas, struct ky_error *error)
{
    const size_t room = scene->size[0] * scene->size[1] * ky_layer_count(scene->parameters->show);
    struct ky_layout layout;
    ky_layout_choose(&layout, scene, count, &panels[0]);
    enum ky_status status = ky_layout_open(&layout, scene, canvas, error);
    for (size_t p = 0; p < count && !status; p++) {
        size_t corner[2];
        ky_layout_corner(&layout, scene, p, corner);
        status = ky_view_aim(&scene->view, scene->parameters, &panels[p], error);
        ky_layers_paint(scene, layers + p * room, canvas, corner[0], corner[1]);
        ky_layout_label(&layout, scene, &panels[p], p, count, canvas);
    }
    return status;
}

/* Writes the description for the file's comment. */
static void describe(const struct ky_scene *scene, char *text, size_t size)
{
    static const char *const what[] = {"projected density", "projected density by type",
                                       "mean velocity", "paths", "stars"};
    const struct ky_draw_parameters *parameters = scene->parameters;
    ky_format(text, size, "%s along %c; side of a panel %.6g; brightest colour %.6g",
              what[parameters->show], "xyz"[parameters->axis], scene -> view.side, scene->peak[0]);
}

/* Draws the panels of the snapshots. */
static enum ky_status draw_panels(const struct ky_canvas_goal *goal,
                                  const struct ky_snapshot *panels, size_t count,
                                  const struct ky_draw_parameters *parameters,
                                  struct ky_error *error)
{
    struct ky_draw_parameters shown = *parameters;
    struct ky_scene scene = {.parameters = &shown};
    size_t most = 0;
    for (size_t p = 0; p < count; p++)
        most = panels[p].bodies.n > most ? panels[p].bodies.n : most;
    shown.show = ky_show_of(parameters, most);
    parameters = &shown;
    scene.size[0] = (size_t)parameters->width;
    scene.size[1] = (size_t)(parameters->height ? parameters->height : parameters->width);
    size_t room = scene.size[0] * scene.size[1] * ky_layer_count(parameters->show);
    struct ky_canvas canvas = {0};
    double *layers;
    KY_TRY(ky_array(&layers, count * room, sizeof *layers, "the picture", error));
    enum ky_status status = ky_scene_choose(&scene, panels, count, 0, layers, error);
    if (!status)
        status = paint(&scene, panels, count, layers, &canvas, error);
    if (!status) {
        char comment[160];
        describe(&scene, comment, sizeof comment);
        status = ky_canvas_give(goal, &canvas, comment, error);
    }
    ky_canvas_close(&canvas);
    free(layers);
    return status;
}

/* Draws the paths of bodies from one snapshot to the next. */
static enum ky_status draw_trails(const struct ky_canvas_goal *goal,
                                  const struct ky_snapshot *times, size_t count,
                                  const struct ky_draw_parameters *parameters,
                                  struct ky_error *error)
{
    struct ky_trails trails;
    enum ky_status status =
        ky_trails_begin(&trails, &times[0].bodies, (size_t)parameters->trails, count, error);
    for (size_t t = 0; t < count && !status; t++)
        ky_trails_add(&trails, &times[t]);
    if (!status)
        status = ky_trails_draw(goal, &trails, &times[count - 1], parameters, error);
    ky_trails_free(&trails);
    return status;
}

static enum ky_status draw(const struct ky_canvas_goal *goal, const struct ky_snapshot *panels,
                           size_t count, const struct ky_draw_parameters *parameters,
                           struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (!count)
        return ky_fail(error, KY_USAGE, "nothing to draw: give at least one snapshot");
    for (size_t p = 0; !status && p < count; p++)
        status = ky_draw_check(&panels[p].bodies, error);
    if (status)
        return status;
    return (parameters->show == KY_SHOW_TRAILS ? draw_trails : draw_panels)(goal, panels, count,
                                                                            parameters, error);
}

enum ky_status ky_draw(const char *path, const struct ky_snapshot *panels, size_t count,
                       const struct ky_draw_parameters *parameters, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(panels, error);
    KY_NEED(parameters, error);
    struct ky_draw_parameters own;
    KY_TRY(ky_draw_adopt(parameters, &own, error));
    KY_TRY(ky_draw_available(path, error));
    const struct ky_canvas_goal goal = {path, own.overwrite, NULL};
    return draw(&goal, panels, count, &own, error);
}

enum ky_status ky_draw_pixels(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters,
                              struct ky_picture *picture, struct ky_error *error)
{
    KY_NEED(panels, error);
    KY_NEED(parameters, error);
    KY_NEED(picture, error);
    struct ky_draw_parameters own;
    const struct ky_canvas_goal goal = {NULL, 0, picture};
    picture->rgba = NULL;
    picture->width = picture->height = 0;
    KY_TRY(ky_draw_adopt(parameters, &own, error));
    return draw(&goal, panels, count, &own, error);
}
