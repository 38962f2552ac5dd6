/* One frame of a film: bodies that were read already become the pixels of a picture of 1920 × 1080.
 * Then a whole picture: the bodies are checked, the view is chosen, and the file is written.
 * usage: draw [N [FRAMES]]; threads as OMP_NUM_THREADS says. The shortest time of FRAMES counts. */
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
    stop_if(ky_view_aim(&scene->view, scene->parameters, &panel->bodies, &error), &error);
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
    static const char *const names[] = {"density", "components", "velocity"};
    static const uint8_t black[3] = {0, 0, 0};
    size_t n = argc > 1 ? (size_t)atof(argv[1]) : 10000000;
    int frames = argc > 2 ? atoi(argv[2]) : 3;
    struct ky_error error;
    struct ky_snapshot panel = model("plummer", n);
    struct ky_canvas canvas;
    stop_if(ky_canvas_open(&canvas, 1920, 1080, black, &error), &error);
    for (int show = KY_SHOW_DENSITY; show <= KY_SHOW_VELOCITY; show++) {
        struct ky_draw_parameters parameters;
        struct ky_scene scene = {.parameters = &parameters, .size = {1920, 1080}};
        ky_draw_parameters_defaults(&parameters);
        parameters.show = show;
        double begin = ky_clock(), least = HUGE_VAL;
        stop_if(ky_scene_choose(&scene, &panel, 1, 0, NULL, &error), &error);
        double choice = ky_clock() - begin;
        for (int f = 0; f < frames; f++)
            least = fmin(least, one_frame(&scene, &panel, &canvas));
        printf("%-10s %zu bodies: frame %.3f s (view and brightness chosen before, %.3f s), file "
               "%.3f s\n",
               names[show], n, least, choice, one_picture(&panel, &parameters));
    }
    ky_canvas_close(&canvas);
    ky_snapshot_free(&panel);
    return 0;
}
