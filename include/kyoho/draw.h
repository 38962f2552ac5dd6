/* draw.h - pictures, films, plots and the view in a browser: the public interface of libkyoho_draw.
 *
 * A program that draws includes this header and links with libkyoho_draw and libkyoho: `pkg-config
 * --libs kyoho_draw` names both. Both libraries must have the same version. The conventions of
 * kyoho.h hold for these calls too. */
#ifndef KYOHO_DRAW_H
#define KYOHO_DRAW_H

#include <kyoho/kyoho.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library ---- */

/* The features for drawing of this build on this machine, as ky_build_features: "PNG: yes",
 * "cairo: yes". Static text. */
KY_API const char *ky_draw_features(void);
/* ky_abi for the structs of this file. */
KY_API size_t ky_draw_abi(const char *name);

/* More structs whose fields are options. */
enum ky_draw_options_kind {
    KY_OPTIONS_DRAW = 64, /* struct ky_draw_parameters */
    KY_OPTIONS_FILM,      /* struct ky_film_parameters */
    KY_OPTIONS_VIEW       /* struct ky_view_parameters */
};
/* ky_options_get, _set and _text for these kinds and for the kinds of enum ky_options_kind. */
KY_API enum ky_status ky_draw_options_get(int kind, size_t index, struct ky_option_about *about);
KY_API enum ky_status ky_draw_options_set(int kind, void *values, const char *name,
                                          const char *value, const struct ky_units *units,
                                          struct ky_error *error);
KY_API enum ky_status ky_draw_options_text(int kind, const void *values, const char *name,
                                           char *text, size_t size, struct ky_error *error);

/* ---- pictures ---- */

enum ky_colours { KY_EMBER, KY_ICE, KY_GRAY, KY_VIRIDIS };
enum ky_brightness { KY_ASINH, KY_LOG, KY_LINEAR };
enum ky_show {
    KY_SHOW_DENSITY,
    KY_SHOW_COMPONENTS,
    KY_SHOW_VELOCITY,
    KY_SHOW_TRAILS,
    KY_SHOW_STARS, /* each body as a star, as bright as its mass */
    KY_SHOW_AUTO   /* stars up to 10,000 bodies, else the density */
};
/* KY_RIM_AXES: axes around the picture, with a colour bar beside it; KY_RIM_SCALE: a scale bar and
 * the colours within the picture; KY_RIM_NONE: neither. */
enum ky_rim { KY_RIM_AXES, KY_RIM_SCALE, KY_RIM_NONE };

/* Fields as the options of `kyoho draw --help`. NaN: chosen from the bodies. */
struct ky_draw_parameters {
    size_t size;
    int axis;          /* enum ky_axis: the line of sight */
    int width;         /* of a panel [pixels] */
    int columns;       /* panels in a row; 0: by their number */
    double region;     /* length of the shorter side of a panel; NaN: by `fraction`, of a periodic
                          box its side */
    double centre[3];  /* of the panels; NaN: the middle of the bodies, or, if `region` is given,
                          their centre of mass; of a periodic box its middle */
    double fraction;   /* of the mass that the region holds in every panel */
    int colours;       /* enum ky_colours */
    int brightness;    /* enum ky_brightness: how density becomes brightness */
    double range;      /* span of densities from dark to bright [powers of ten]; NaN: 3.5, for
                          components 5 */
    double peak;       /* density of the brightest colour; NaN: of the densest 1 % of the mass */
    double smooth;     /* number of neighbours used for smoothing; 0: bodies are sharp dots */
    const char *title; /* texts of the panels, with '|' between; NULL: the time */
    int overwrite;     /* 0: an existing file is KY_USAGE */
    int height;        /* of a panel [pixels]; 0: as its width */
    int show;          /* enum ky_show */
    double turn;     /* of the camera about the middle, to the right along the horizon [degrees] */
    double tilt;     /* of the camera, upwards [degrees] */
    double speed;    /* at both ends of the colour scale of velocities; NaN: from the bodies */
    int trails;      /* maximum number of bodies with trails */
    uint64_t divide; /* > 0: the components are two systems: the bodies with ids below this one, and
                        the other bodies */
    const char *about;    /* the middle of each panel: "density", "mass", an id, "group:K" for the
                             circle K, "auto": the density, but one place in a periodic box; NULL: one
                             place for all panels */
    ky_log_function *log; /* gets warnings; or NULL */
    void *log_context;
    int rim;                    /* enum ky_rim */
    const double (*circles)[4]; /* circles that are marked in every panel: x, y, z and radius; or
                                   NULL */
    size_t circle_count;
    double slab; /* thickness along the line of sight of the visible part about the middle; NaN:
                    all, of a periodic box as much as its side */
};

KY_API void ky_draw_parameters_defaults_sized(struct ky_draw_parameters *parameters, size_t size);
#define ky_draw_parameters_defaults(parameters)                                                    \
    ky_draw_parameters_defaults_sized((parameters), sizeof(struct ky_draw_parameters))

/* Draws `count` sets of bodies side by side with equal scales. The ending of the name decides the
 * format: .pdf, .svg, else PNG. Bodies in a periodic box show with their images. For trails the
 * sets are one system at several times and make one panel. Panels without bodies are dark. If no
 * body has mass, all count alike. A panel that shows none of its bodies causes a warning. The same
 * bodies give the same picture for any number of threads. KY_BAD_DATA for bodies that ky_draw_check
 * refuses, for panels in different units, and if a panel lacks the body of `about`; KY_USAGE for no
 * panels, and for fewer than two with trails; KY_UNSUPPORTED as ky_draw_available. */
KY_API enum ky_status ky_draw(const char *path, const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, struct ky_error *error);

/* The same as pixels in memory. `overwrite` of the parameters is ignored here. `picture` is empty
 * after a failure; it needs neither libpng nor cairo. Free with ky_picture_free. */
struct ky_picture {
    size_t size;          /* of this struct, or 0 */
    size_t width, height; /* with the surroundings of the panels */
    uint8_t *rgba; /* [height][width][4]: red, green, blue and 255, from the upper left corner */
};
KY_API enum ky_status ky_draw_pixels(const struct ky_snapshot *panels, size_t count,
                                     const struct ky_draw_parameters *parameters,
                                     struct ky_picture *picture, struct ky_error *error);
KY_API void ky_picture_free(struct ky_picture *picture); /* clears the struct */

/* The numbers of a picture of one snapshot, for a program with axes and colours of its own. */
struct ky_map {
    size_t size; /* of this struct, or 0 */
    size_t width, height;
    double *values;   /* [height][width], from the upper left corner: mass per area [mass/length²];
                         or with KY_SHOW_VELOCITY the mean velocity away from the eye, 0 in empty
                         pixels [velocity] */
    int by_number;    /* 1: no body has mass, and the values are bodies per area */
    double low, high; /* values at the ends of the colours */
    double axis[2][3]; /* unit vectors to the right and up */
    double edge[2][2]; /* coordinates along them: left and right, bottom and top [length] */
};
/* Fills the map by the fields of the parameters that do not concern labels and colours. KY_USAGE
 * for another `show` than density, velocity and auto, which is density here; otherwise as ky_draw.
 * Free with ky_map_free. */
KY_API enum ky_status ky_draw_map(const struct ky_snapshot *snapshot,
                                  const struct ky_draw_parameters *parameters, struct ky_map *map,
                                  struct ky_error *error);
KY_API void ky_map_free(struct ky_map *map); /* clears the struct */

/* Reads snapshots from files and draws them as ky_draw does. For trails only one at a time is in
 * memory. `reading` NULL: as ky_read_options_defaults, with KY_SPACE_AS_STORED. Fails as ky_draw
 * and ky_snapshot_read_as do. */
KY_API enum ky_status ky_draw_files(const char *path, const char *const *files, size_t count,
                                    const struct ky_read_options *reading,
                                    const struct ky_draw_parameters *parameters,
                                    struct ky_error *error);
/* KY_UNSUPPORTED if this build cannot draw a file of this name: .pdf and .svg need cairo; other
 * names are PNG files. */
KY_API enum ky_status ky_draw_available(const char *path, struct ky_error *error);
/* KY_BAD_DATA for bodies that cannot be drawn: numbers that are not finite, negative masses, and
 * positions so far away that squares of them overflow. */
KY_API enum ky_status ky_draw_check(const struct ky_bodies *bodies, struct ky_error *error);

/* Fields as the options for films of `kyoho draw --help`. NaN: the camera stays as in struct
 * ky_draw_parameters. */
struct ky_film_parameters {
    size_t size;
    int rate;                /* frames a second */
    uint64_t frames;         /* evenly over the snapshots; 0: one a snapshot */
    double turn_to, tilt_to; /* camera at the last frame [degrees] */
    double region_to;        /* region of the last frame [length] */
    uint64_t at_once; /* frames that are drawn at the same time; 0: one a thread, fewer if they need
                         more than 4 GB */
    /* Called after each frame, by one thread at a time; or NULL. */
    void (*progress)(void *context, size_t done, size_t frames);
    void *progress_context;
    const volatile int *stop; /* not 0: ky_film ends with KY_STOPPED after the frames that are being
                                 drawn, and there is no film; NULL: never */
};
KY_API void ky_film_parameters_defaults_sized(struct ky_film_parameters *film, size_t size);
#define ky_film_parameters_defaults(film)                                                          \
    ky_film_parameters_defaults_sized((film), sizeof(struct ky_film_parameters))
/* A film of snapshots in files, by the program ffmpeg. All frames have the same scale and
 * brightness, chosen from the first, the middle and the last snapshot. KY_UNSUPPORTED without
 * ffmpeg, KY_CANNOT_WRITE if ffmpeg fails (it prints the reason on standard error); KY_USAGE for
 * trails, and for one file without a number of frames. Otherwise as ky_draw_files. */
KY_API enum ky_status ky_film(const char *path, const char *const *files, size_t count,
                              const struct ky_read_options *reading,
                              const struct ky_draw_parameters *parameters,
                              const struct ky_film_parameters *film, struct ky_error *error);

enum { KY_DASHES = 6 };
/* A line of a plot. Points are joined in their order. A point that is not finite, or that a
 * logarithmic axis cannot show, leaves a gap. This struct and the next are elements of arrays and
 * do not grow. */
struct ky_plot_curve {
    const char *name; /* for the legend; NULL: no entry */
    const double *x, *y;
    size_t n;   /* 0: only an entry of the legend */
    int colour; /* from 0; −1: the colour of the axes */
    int dash;   /* one of KY_DASHES patterns, from 0, which has no gaps */
    int mark;   /* 0: dots if there are few points; else a shape, from 1, at some of the points: it
                   distinguishes curves whose colours look alike in a grey print */
};
struct ky_plot {
    const char *labels[2]; /* of the axes: right, up */
    int logarithmic[2];
    const struct ky_plot_curve *curves;
    size_t count;
    const char *units[2]; /* of the axes; "": N-body units; NULL: none */
};
/* Writes `count` plots, one below the other, as PNG, PDF or SVG; size: width and height of the
 * picture [pixels]. All plots have the same horizontal range; the title, which may be NULL, is
 * above the first. The comment of a PNG or PDF file has the ranges of the axes. KY_BAD_DATA for no
 * plot and for one without points. KY_USAGE if the labels leave no room or a side is not 16 to
 * 65,536 pixels, for a label that is NULL, a dash or a mark below 0, and for an existing file
 * unless `overwrite`. KY_UNSUPPORTED as ky_draw_available. */
KY_API enum ky_status ky_plot_write(const char *path, const struct ky_plot *plots, size_t count,
                                    const size_t size[2], const char *title, int overwrite,
                                    struct ky_error *error);

/* ---- a view in a browser ----
 *
 * A page that shows a run, or the snapshots of one: bodies, energies, and buttons that pause a run,
 * make a step, write a snapshot and stop. A server in a thread of its own offers it at 127.0.0.1,
 * for browsers on this machine, and through a tunnel (ssh -L) for other machines. A request needs
 * the token of the address; requests from other pages are refused. Anyone who knows the complete
 * address can see and stop the run. As long as no page is open a run does nothing for the view. */

struct ky_view_parameters {
    size_t size;
    uint64_t port;     /* 0: the system chooses one that is free */
    uint64_t bodies;   /* the most bodies that a page shows; of more it shows a sample, the same in
                          each picture */
    int frame;         /* 1: pages of this machine, such as a notebook, may show the view in a frame
                          (iframe); 0: no page may */
    const char *title; /* of the page; NULL: the path of the folder or file, or "a simulation" */
};
KY_API void ky_view_parameters_defaults_sized(struct ky_view_parameters *parameters, size_t size);
#define ky_view_parameters_defaults(parameters)                                                    \
    ky_view_parameters_defaults_sized((parameters), sizeof(struct ky_view_parameters))

struct ky_view;
/* Starts the server. KY_UNSUPPORTED if the port is taken or the system allows no server. After a
 * failure *view is NULL. The view belongs to this process: in a child (fork) ky_sim_show does
 * nothing with it, and ky_view_close closes only the child's descriptors. */
KY_API enum ky_status ky_view_open(const struct ky_view_parameters *parameters,
                                   struct ky_view **view, struct ky_error *error);
/* The address for the browser, with the token; valid until the view is closed. */
KY_API const char *ky_view_address(const struct ky_view *view);
/* Shows the snapshots of a run and its energy.csv, or the snapshot in a file, for `seconds` (NaN:
 * without end), or until *stop is not 0, which is checked five times a second; KY_OK then. The run
 * may still be running in another process. KY_BAD_DATA for a folder without snapshots. A snapshot
 * that cannot be read shows as an error on the page. */
KY_API enum ky_status ky_view_folder(struct ky_view *view, const char *folder, double seconds,
                                     const volatile int *stop, struct ky_error *error);
/* Ends the server. Pages that are receiving their last picture have one second to complete it.
 * NULL: nothing.
 */
KY_API void ky_view_close(struct ky_view *view);

#ifdef __cplusplus
}
#endif
#endif
