/* The numbers of a picture, for programs that draw them with axes and colours of their own. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"
#include "draw/draw.h"

/* Fills the map from the layers of a scene whose view has been aimed; takes `layers`. */
static void fill(const struct ky_scene *scene, double *layers, struct ky_map *map)
{
    const int velocity = scene->parameters->show == KY_SHOW_VELOCITY;
    const size_t pixels = scene->size[0] * scene->size[1];
    for (size_t i = 0; i < pixels && velocity; i++)
        layers[i] = layers[pixels + i];
    *map = (struct ky_map){.width = scene->size[0],
                           .height = scene->size[1],
                           .values = layers,
                           .high = velocity ? scene->speed : scene->peak[0],
                           .by_number = scene->view.by_number};
    map->low = velocity ? -map->high : map->high / pow(10, ky_range_of(scene->parameters));
    for (int k = 0; k < 2; k++) {
        const double middle = ky_along(scene->view.middle, scene->view.axis[k]);
        const double half =
            scene->view.side / 2 * (double)scene->size[k] / (double)ky_shorter(scene->size);
        map->edge[k][0] = middle - half, map->edge[k][1] = middle + half;
        for (int c = 0; c < 3; c++)
            map->axis[k][c] = scene->view.axis[k][c];
    }
}

enum ky_status ky_draw_map(const struct ky_snapshot *snapshot,
                           const struct ky_draw_parameters *parameters, struct ky_map *map,
                           struct ky_error *error)
{
    KY_NEED(snapshot, error);
    KY_NEED(parameters, error);
    KY_NEED(map, error);
    struct ky_draw_parameters own;
    struct ky_map found = {0};
    struct ky_scene scene = {.parameters = &own};
    ky_size_give(map, &found, sizeof found);
    KY_TRY(ky_draw_check(&snapshot->bodies, error));
    KY_TRY(ky_draw_adopt(parameters, &own, error));
    if (own.show == KY_SHOW_AUTO)
        own.show = KY_SHOW_DENSITY;
    if (own.show != KY_SHOW_DENSITY && own.show != KY_SHOW_VELOCITY)
        return ky_fail(error, KY_USAGE,
                       "--show: a map has one number a pixel: density or velocity");
    scene.size[0] = (size_t)own.width;
    scene.size[1] = (size_t)(own.height ? own.height : own.width);
    const size_t room = scene.size[0] * scene.size[1] * ky_layer_count(own.show);
    double *layers;
    KY_TRY(ky_array(&layers, room, sizeof *layers, "the picture", error));
    enum ky_status status = ky_scene_choose(&scene, snapshot, 1, 0, layers, error);
    if (status) {
        free(layers);
        return status;
    }
    fill(&scene, layers, &found);
    ky_size_give(map, &found, sizeof found);
    return KY_OK;
}

void ky_map_free(struct ky_map *map)
{
    if (!map)
        return;
    free(map->values);
    ky_size_give(map, &(struct ky_map){0}, sizeof *map);
}
