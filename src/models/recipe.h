/* A model in a form that can be sent to other ranks: all parameters that determine its bodies, as
 * bytes. */
#ifndef KY_MODELS_RECIPE_H
#define KY_MODELS_RECIPE_H

#include "models/models.h"

enum { KY_RECIPE_OWN = 8, KY_RECIPE_TEXT = 256, KY_RECIPE_TEXTS = 3 };
struct ky_model_recipe {
    size_t model;                          /* index in ky_models */
    struct ky_model_parameters parameters; /* resolved; its pointers are not valid on other ranks */
    double own[KY_RECIPE_OWN];             /* the model's own parameters */
    char text[KY_RECIPE_TEXTS][KY_RECIPE_TEXT]; /* position, velocity and orientation, or "" */
};

/* Writes the recipe of a model, and the properties that are known before its bodies are made:
 * number, units and softening. KY_UNSUPPORTED as for ky_model_describe. KY_USAGE as for
 * ky_model_make, as far as it can be known without the bodies. */
enum ky_status ky_recipe_write(const char *model, const struct ky_model_parameters *given,
                               struct ky_model_recipe *recipe, struct ky_snapshot *snapshot,
                               struct ky_error *error);
/* Makes the bodies of the portion, or all (NULL), with the same bits. Fails as ky_model_make and as
 * ky_portion_add_up. */
enum ky_status ky_recipe_make(const struct ky_model_recipe *recipe,
                              const struct ky_portion *portion, struct ky_snapshot *snapshot,
                              struct ky_error *error);

#endif
