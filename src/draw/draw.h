/* The parts of ky_draw: the visible region, the smoothed projected density of a panel, colours,
 * text, and the PNG file. Pixel coordinates start at the upper left corner, as in the file. */
#ifndef KY_DRAW_DRAW_H
#define KY_DRAW_DRAW_H

#include "kyoho/draw.h"

#include "base/bodies.h"
#include "base/options.h"
#include "base/status.h"
#include "draw/canvas.h"

extern const struct ky_option ky_draw_options[], ky_film_options[];
extern const size_t ky_draw_option_count, ky_film_option_count;

/* Fills in the defaults of the caller's parameters. KY_USAGE if they are out of range or contradict
 * each other. */
enum ky_status ky_draw_adopt(const struct ky_draw_parameters *given, struct ky_draw_parameters *own,
                             struct ky_error *error);

/* Fills *how with the options for reading files: the caller's, or with NULL plain stored numbers.
 * KY_USAGE for options that no _defaults call has filled. */
enum ky_status ky_draw_reading(const struct ky_read_options *reading, struct ky_read_options *own,
                               struct ky_error *error);

/* ---- the visible region ---- */

/* Bodies at the centre of one snapshot, which find the same centre in other snapshots. */
enum { KY_ANCHORS = 63 };
struct ky_anchor {
    size_t count;
    uint64_t id[KY_ANCHORS];
    size_t index[KY_ANCHORS]; /* of these bodies in that snapshot, and most likely in others */
};

/* A camera at infinity. */
struct ky_view {
    double axis[3][3];       /* unit vectors: the picture's right and up, and towards the eye */
    double middle[3];        /* centre of the picture, in space */
    double side;             /* length of the picture's shorter side, > 0 */
    int by_number;           /* 1: all bodies weigh 1, since none has mass */
    double box;              /* side of the periodic box of the bodies; 0: open space */
    double slab;             /* thickness of the visible part along the line of sight; 0: all */
    struct ky_anchor anchor; /* start of the search for the densest part; count 0: none */
};

/* The side of the periodic box of a snapshot's bodies; 0: open space. */
static inline double ky_box_of(const struct ky_space *space)
{
    return space->converted == KY_TO_PHYSICAL ? 0 : space->box;
}

/* The coordinate of `x` along an axis. */
static inline double ky_along(const double x[3], const double axis[3])
{
    return x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2];
}
/* The shorter side of a picture [pixels]. */
static inline size_t ky_shorter(const size_t size[2])
{
    return size[0] < size[1] ? size[0] : size[1];
}

/* The target that the centre of a picture follows. */
enum ky_about_kind {
    KY_ABOUT_NOTHING,
    KY_ABOUT_DENSITY,
    KY_ABOUT_MASS,
    KY_ABOUT_ID,
    KY_ABOUT_GROUP,
    KY_ABOUT_AUTO /* the density; nothing in a periodic box */
};
struct ky_about {
    int kind;
    uint64_t id; /* of the body, or the number of the group */
};
/* Reads "density", "mass", "group:K", "auto" or an id; NULL is KY_ABOUT_NOTHING. KY_USAGE for other
 * texts. */
enum ky_status ky_about_read(const char *text, struct ky_about *about, struct ky_error *error);
/* The centre for `kind`, one of _DENSITY, _MASS and _ID. For KY_ABOUT_DENSITY it is the centre of
 * the bodies visible in a picture of this `side`, or with side 0 the density centre. The bodies of
 * an anchor (may be NULL), if they exist, replace the density centre as the start. 0, 0, 0 without
 * bodies. KY_BAD_DATA if no body has the id. */
enum ky_status ky_about_find(const struct ky_about *about, const struct ky_bodies *bodies,
                             const struct ky_anchor *anchor, double side, double place[3],
                             struct ky_error *error);
/* Takes the bodies nearest to `place` as the anchor. */
void ky_anchor_choose(struct ky_anchor *anchor, const struct ky_bodies *bodies,
                      const double place[3]);

/* Sets the axes of a view along `axis` (enum ky_axis), with the camera turned to the right and then
 * tilted upwards about the centre [degrees]. */
void ky_view_turn(struct ky_view *view, int axis, double turn, double tilt);

/* Chooses the centre and side of the view: from the parameters, otherwise as the square that
 * contains parameters->fraction of the mass of every panel; with `all_round` seen from any
 * direction. KY_BAD_DATA if the bodies span more than the range of a double. */
enum ky_status ky_view_choose(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, int all_round,
                              struct ky_view *view, struct ky_error *error);

/* 1 if the picture follows a target. */
int ky_view_follows(const struct ky_view *view, const struct ky_draw_parameters *parameters);
/* Moves the centre of the view to the target that the picture follows, found in this panel; nowhere
 * if it follows none. Takes the panel's box. Fails as ky_about_find, with KY_USAGE for a group that
 * the parameters' circles do not have, and KY_UNSUPPORTED for a centre that boxes do not have. */
enum ky_status ky_view_aim(struct ky_view *view, const struct ky_draw_parameters *parameters,
                           const struct ky_snapshot *panel, struct ky_error *error);
/* The position of a point on a picture of this size, in pixels from its upper left corner. */
void ky_view_project(const struct ky_view *view, const size_t size[2], const double x[3],
                     double pixel[2]);
/* 1 if no visible body is inside a picture of this size [pixels]. Then `text` says where the
 * picture and the bodies are, or that there are no bodies. */
int ky_view_misses(const struct ky_view *view, const size_t size[2],
                   const struct ky_snapshot *panel, char *text, size_t room);

/* ---- the shown quantity ---- */

/* The component of body i: its GADGET type; with `divide` > 0 the first or second of two systems,
 * by its id. */
static inline int ky_part_of(const struct ky_bodies *bodies, size_t i, uint64_t divide)
{
    if (divide)
        return (bodies->id ? bodies->id[i] : i) >= divide;
    return ky_type_of(bodies, i);
}

/* The bodies that are projected on a picture, and how. */
struct ky_projection {
    const struct ky_bodies *bodies;
    int part;        /* the visible component, as in ky_part_of; −1: all */
    uint64_t divide; /* argument of ky_part_of */
    const struct ky_view *view;
    size_t size[2]; /* width and height [pixels] */
    double smooth;  /* number of neighbours used for smoothing */
};

/* Fills density[height][width] with the mass per area of the view, and velocity[height][width],
 * unless NULL, with the mass-weighted mean velocity away from the eye (0 in empty pixels). Bodies
 * outside contribute as far as their kernels reach in. KY_FAULT if memory runs out. */
enum ky_status ky_density_project(const struct ky_projection *projection, double *density,
                                  double *velocity, struct ky_error *error);

enum { KY_MAP_COLOURS = 1024, KY_TYPES = 6, KY_STARS_MOST = 10000 };

/* Properties common to all panels of a picture, or to all frames of a film. */
struct ky_scene {
    const struct ky_draw_parameters *parameters;
    size_t size[2]; /* width and height of a panel [pixels] */
    struct ky_view view;
    double largest;        /* largest time, which determines the unit of all times */
    double peak[KY_TYPES]; /* brightest density of each layer */
    double speed;          /* velocity at the ends of the colour map */
    double star_mass;      /* typical mass of a star; 0: unknown */
    int present;           /* bits of the components that occur in any panel */
    uint8_t map[KY_MAP_COLOURS][3];
};

/* The kind that KY_SHOW_AUTO stands for if a panel has at most `most` bodies; other kinds are
 * returned as they are. */
int ky_show_of(const struct ky_draw_parameters *parameters, size_t most);
/* The range of densities from dark to bright [powers of ten]. */
double ky_range_of(const struct ky_draw_parameters *parameters);

/* The layers of a panel are arrays [layers][height][width]: the density; or the density of each
 * type; or the density and the mean velocity away from the eye; or red, green and blue light. */
size_t ky_layer_count(int show);
/* Fills the layers for one set of bodies. KY_FAULT if memory runs out. */
enum ky_status ky_layers_project(const struct ky_scene *scene, const struct ky_bodies *bodies,
                                 double *layers, struct ky_error *error);
/* Raises the peaks and the speed of the scene to the needs of a panel, unless the parameters give
 * them. */
void ky_layers_widen(struct ky_scene *scene, const struct ky_bodies *bodies, const double *layers);

/* The brightness 0 … 1 of a density in a layer. */
double ky_brightness(const struct ky_scene *scene, size_t layer, double density);

/* For stars: the mass of a typical star, if unknown; the layers of light; and the colour of light
 * over the dark. */
void ky_stars_weigh(struct ky_scene *scene, const struct ky_bodies *bodies);
enum ky_status ky_stars_project(const struct ky_scene *scene, const struct ky_bodies *bodies,
                                double *layers, struct ky_error *error);
void ky_stars_mix(const double light[3], const uint8_t dark[3], uint8_t *pixel);

/* Chooses view and brightness of a scene from the snapshots. If `layers` is not NULL, fills the
 * layers of all panels and warns of panels that show none of their bodies. `size` and `parameters`
 * are not changed. */
enum ky_status ky_scene_choose(struct ky_scene *scene, const struct ky_snapshot *panels,
                               size_t count, int all_round, double *layers, struct ky_error *error);

/* ---- pixels ---- */

/* Paints the layers with their upper left corner at (left, top). */
void ky_layers_paint(const struct ky_scene *scene, const double *layers, struct ky_canvas *canvas,
                     size_t left, size_t top);
/* ---- around the panels ---- */

/* The positions of a picture's panels, row by row, and the margins around them [pixels]. */
struct ky_layout {
    size_t columns, rows, gap;
    size_t left, top; /* of the first panel */
    size_t width, height;
};
/* Chooses the rows and the margins for `count` panels of the scene, by parameters->columns and
 * ->rim. `first`: the units of all panels. */
void ky_layout_choose(struct ky_layout *layout, const struct ky_scene *scene, size_t count,
                      const struct ky_snapshot *first);
/* The upper left corner of panel k. */
void ky_layout_corner(const struct ky_layout *layout, const struct ky_scene *scene, size_t k,
                      size_t corner[2]);
/* Opens a canvas for the whole picture. KY_FAULT if memory runs out. */
enum ky_status ky_layout_open(const struct ky_layout *layout, const struct ky_scene *scene,
                              struct ky_canvas *canvas, struct ky_error *error);
/* Draws the surroundings of panel k of `count`, whose view has been aimed: title, circles, axes or
 * a scale bar, and the legend of the colours. */
void ky_layout_label(const struct ky_layout *layout, const struct ky_scene *scene,
                     const struct ky_snapshot *panel, size_t k, size_t count,
                     struct ky_canvas *canvas);

/* Projects and paints one snapshot as a single picture with all labels, and flattens it. The view
 * has been aimed. The canvas comes from a layout for one panel. */
enum ky_status ky_frame_draw(const struct ky_scene *scene, const struct ky_layout *layout,
                             const struct ky_snapshot *panel, struct ky_canvas *canvas,
                             struct ky_error *error);

/* Fills a colour map, one of --colours, from dark to bright in equal steps of lightness; and a map
 * from blue through pale grey to red. */
void ky_colour_map(int map, uint8_t colours[KY_MAP_COLOURS][3]);
void ky_colour_diverging(uint8_t colours[KY_MAP_COLOURS][3]);
/* The colour given in OKLCh, hue in degrees, with less chroma if it is outside the sRGB gamut. */
void ky_colour(double lightness, double chroma, double hue, uint8_t rgb[3]);

/* The size of a letter's cell [pixels] for a picture of this size. */
double ky_text_cell(const size_t size[2]);

/* Writes the time of a panel, "t = 12.5 Myr", in the unit that suits `largest`, the largest time of
 * all panels; of a comoving box the redshift, "z = 3". */
void ky_time_label(const struct ky_snapshot *panel, double largest, char *text, size_t size);
/* Returns a round length, at most `wanted`, and writes its label ("2 kpc") to `text`. */
double ky_length_label(const struct ky_units *units, double wanted, char *text, size_t size);
/* Write into a panel with its upper left corner at (left, top): the title or the time; the scale
 * bar; the legend of colours. `k`: index of the panel. */
void ky_label_title(const struct ky_scene *scene, const struct ky_snapshot *panel, size_t k,
                    struct ky_canvas *canvas, const double corner[2]);
void ky_label_scale(const struct ky_scene *scene, const struct ky_units *units,
                    struct ky_canvas *canvas, const double corner[2]);
/* 1 if the parameters name circles and no circle has its centre in the panel. */
int ky_circles_miss(const struct ky_scene *scene);
/* Draws the parts of the parameters' circles that lie in the panel. */
void ky_label_circles(const struct ky_scene *scene, struct ky_canvas *canvas,
                      const double corner[2]);
void ky_label_colours(const struct ky_scene *scene, const struct ky_units *units,
                      struct ky_canvas *canvas, const double corner[2]);
/* The colours and the names of the components of ky_part_of. */
const uint8_t (*ky_part_colours(uint64_t divide))[3];
const char *const *ky_part_names(uint64_t divide);

/* ---- trails ---- */

/* The positions of some bodies at several times. */
struct ky_trails {
    size_t bodies, times, room; /* room: number of times that fit into memory */
    uint64_t *id;               /* ascending */
    double (*position)[3];      /* [times][bodies]; NaN if a body is missing */
    double (*velocity)[3];
    double *time;
};
/* Begins with a sample of at most `most` bodies of the snapshot (octree/sample.h), and memory for
 * `times` times. The caller frees the trails, also after a failure. */
enum ky_status ky_trails_begin(struct ky_trails *trails, const struct ky_bodies *bodies,
                               size_t most, size_t times, struct ky_error *error);
/* Adds the positions of these bodies at one more time; bodies are found by their ids. */
void ky_trails_add(struct ky_trails *trails, const struct ky_snapshot *snapshot);
/* Draws a path for each body, dark at the first time and bright at the last, with a dot at its end;
 * output and failures as ky_canvas_give. Units and label come from `last`. KY_USAGE for fewer than
 * two times. */
enum ky_status ky_trails_draw(const struct ky_canvas_goal *goal, const struct ky_trails *trails,
                              const struct ky_snapshot *last,
                              const struct ky_draw_parameters *parameters, struct ky_error *error);
void ky_trails_free(struct ky_trails *trails);

#endif
