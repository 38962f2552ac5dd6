/* Seconds of a frame and of a picture: draw [N [FRAMES]] (default 10000000 3). A frame turns bodies
 * in memory into the 1920 × 1080 pixels of a film, and the shortest time of FRAMES counts. A
 * picture includes the check of the bodies, the choice of the view, and the file. OMP_NUM_THREADS
 * is the number of threads. */
#include "common.h"

#include <unistd.h>

#include "base/clock.h"
#include "draw/draw.h"

/* Seconds for one frame of this kind. */
static double one_frame(struct ky_scene *scene, const struct ky_layout *layout,
                        const struct ky_snapshot *panel, struct ky_canvas *canvas)
{
    struct ky_error error;
    double begin = ky_clock();
    stop_if(ky_view_aim(&scene->view, scene->parameters, panel, &error), &error);
    stop_if(ky_frame_draw(scene, layout, panel, canvas, &error), &error);
    return ky_clock() - begin;
}

/* Seconds for ky_draw, with the PNG file. */
static double one_picture(const struct ky_snapshot *panel, struct ky_draw_parameters *parameters)
{
    char path[] = "/tmp/kyoho-bench-XXXXXX";
    struct ky_error error;
    int file = mkstemp(path);
    if (file < 0)
        return (double)NAN;
    close(file);
    parameters->width = 1920, parameters->height = 1080, parameters->overwrite = 1;
    double begin = ky_clock();
    stop_if(ky_draw(path, panel, 1, parameters, &error), &error);
    double seconds = ky_clock() - begin;
    unlink(path);
    return seconds;
}

int main(int argc, char **argv)
{
    static const struct {
        int show;
        const char *name, *about;
    } kinds[] = {{KY_SHOW_DENSITY, "density", NULL},
                 {KY_SHOW_COMPONENTS, "components", NULL},
                 {KY_SHOW_VELOCITY, "velocity", NULL},
                 {KY_SHOW_DENSITY, "density, --about density", "density"},
                 {KY_SHOW_DENSITY, "density, --about mass", "mass"}};
    size_t n = argc > 1 ? (size_t)atof(argv[1]) : 10000000;
    int frames = argc > 2 ? atoi(argv[2]) : 3;
    struct ky_error error;
    struct ky_snapshot panel = model("plummer", n);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct ky_draw_parameters parameters;
        struct ky_scene scene = {.parameters = &parameters, .size = {1920, 1080}};
        struct ky_layout layout;
        struct ky_canvas canvas;
        ky_draw_parameters_defaults(&parameters);
        parameters.show = kinds[k].show, parameters.about = kinds[k].about;
        parameters.rim = KY_RIM_SCALE;
        double begin = ky_clock(), least = HUGE_VAL;
        stop_if(ky_scene_choose(&scene, &panel, 1, 0, NULL, &error), &error);
        double choice = ky_clock() - begin;
        ky_layout_choose(&layout, &scene, 1, &panel);
        stop_if(ky_layout_open(&layout, &scene, &canvas, &error), &error);
        for (int f = 0; f < frames; f++)
            least = fmin(least, one_frame(&scene, &layout, &panel, &canvas));
        printf("%-24s %zu bodies: frame %.3f s (view and brightness chosen before, %.3f s), file "
               "%.3f s\n",
               kinds[k].name, n, least, choice, one_picture(&panel, &parameters));
        ky_canvas_close(&canvas);
    }
    ky_snapshot_free(&panel);
    return 0;
}
