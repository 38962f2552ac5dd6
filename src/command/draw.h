/* Outputs of `kyoho draw` other than pictures of snapshots: films, a picture that follows a run,
 * and plots. Every call fills cli->error when it fails. */
#ifndef KY_COMMAND_DRAW_H
#define KY_COMMAND_DRAW_H

#include "command/files.h"
#include "command/number_table.h"

enum { PLOT_ENERGY, PLOT_RADII, PLOT_ERRORS, PLOT_TABLE };
enum { LOGARITHMIC_NONE, LOGARITHMIC_X, LOGARITHMIC_Y, LOGARITHMIC_BOTH };

struct draw_request {
    const char *output, *groups;
    double (*circles)[4]; /* of groups, or NULL */
    int in_box; /* 1: the circles are comoving, without factors of h, as bodies of a box are read */
    int plot;   /* −1: none */
    uint64_t panels;
    /* for plots of tables */
    const char *x, *y, *label;
    int logarithmic;
    /* for a picture that follows a run */
    int live;
    double look_every, patience;
    const struct reading *reading;
    const struct ky_draw_parameters *parameters;
    const struct ky_film_parameters *film;
};

/* Draws the latest snapshot of a run, and again for each new one, until the run has ended.
 * *pictures: the number of pictures drawn. */
enum ky_status draw_live(struct cli *cli, const struct draw_request *request, const char *folder,
                         size_t *pictures);

/* Plots of runs: energies (from folders, or tables such as energy.csv), Lagrangian radii (from
 * folders or snapshots), with a set of lines for each run, and errors of accelerations. `files` are
 * the files of the command line's words; only plots of errors use them. */
enum ky_status draw_energy(struct cli *cli, const struct draw_request *request,
                           const struct file_list *files);
enum ky_status draw_radii(struct cli *cli, const struct draw_request *request,
                          const struct file_list *files);
enum ky_status draw_errors(struct cli *cli, const struct draw_request *request,
                           const struct file_list *files);
/* Plots columns of the table that is the only word of the command line. KY_USAGE if no columns are
 * named, KY_BAD_DATA if the table lacks one of them or has no numbers in it. */
enum ky_status draw_table(struct cli *cli, const struct draw_request *request,
                          const struct file_list *files);
/* As columns_read; warns of rows that lack numbers. */
enum ky_status draw_read_columns(struct cli *cli, const char *path, const char *const *names,
                                 size_t count, struct columns *table);
/* Writes plots, one below the other, in the size that the request gives. */
enum ky_status draw_write_plots(struct cli *cli, const struct draw_request *request,
                                const struct ky_plot *plots, size_t count);

#endif
