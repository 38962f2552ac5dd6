/* The settings of a process that calls a GRAPE library: from the environment, by files in the
 * working directory, by g6_open_special. docs/grape.md is the manual. */
#ifndef KY_GRAPE_SETTINGS_H
#define KY_GRAPE_SETTINGS_H

#include "base/status.h"

enum { KY_GRAPE_DEVICES = 16, KY_GRAPE_KEY = 512 };

struct ky_grape_settings {
    int precision;  /* KYOHO_PRECISION: KY_SINGLE (only GRAPE-5), KY_EXTENDED or KY_DOUBLE */
    int pipes;      /* KYOHO_NPIPES: 48, at most 16,384 */
    int neighbours; /* KYOHO_NEIGHBOURS: 4,096 */
    int verbose;    /* KYOHO_VERBOSE is set, to anything but 0 or nothing */
    int rank;       /* of this process among the processes of its host, from the launcher; 0: no
                       launcher */
    size_t special; /* devices that the program itself asked for; 0: it left the choice */
    int list[KY_GRAPE_DEVICES];
    char key[KY_GRAPE_KEY]; /* the same text as long as the same devices are asked for */
};

/* An engine for each board to open, as ky_board_open takes it. */
struct ky_grape_devices {
    size_t count;
    char name[KY_GRAPE_DEVICES][32];
};

/* Reads the environment and the files. `precision` is the default, and the coarsest that may be
 * asked for; `special` and `list` come from the program. KY_USAGE for a value that is not valid. */
enum ky_status ky_grape_read(int precision, size_t special, const int *list,
                             struct ky_grape_settings *settings, struct ky_error *error);
/* Chooses the devices; may ask drivers for their lists. KY_UNSUPPORTED if a device is not here.
 */
enum ky_status ky_grape_devices(const struct ky_grape_settings *settings,
                                struct ky_grape_devices *devices, struct ky_error *error);

/* "extended" */
const char *ky_grape_precision(const struct ky_grape_settings *settings);

/* Reads only KYOHO_NPIPES, for programs that ask for it before they open the library. Returns 48 if
 * it is invalid; KYOHO_VERBOSE prints that. */
int ky_grape_read_pipes(void);

/* One line on standard error, if the settings are verbose: "kyoho: …". */
void ky_grape_say(const struct ky_grape_settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
