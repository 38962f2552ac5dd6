/* NAME.param, which accompanies a TIPSY file: lines "key = value". Kyoho stores there, in comments,
 * data that do not fit into the records. PKDGRAV, Gasoline and ChaNGa store their parameters there;
 * a reader needs their units, box and comoving space. */
#include "snapshot/tipsy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/units.h"
#include "snapshot/space.h"

enum ky_status ky_tipsy_text(const char *name, char **text, struct ky_error *error)
{
    struct ky_input input;
    *text = NULL;
    if (access(name, F_OK))
        return KY_OK;
    if (ky_input_open(name, &input, error)) /* the caller adds the name of the file */
        return ky_fail(error, KY_BAD_DATA,
                       "is empty or cannot be read; remove it if it is not of "
                       "this snapshot");
    *text = ky_allocate((size_t)input.size + 1, 1);
    enum ky_status status = *text ? ky_input_read(&input, 0, *text, (size_t)input.size, error)
                                  : ky_no_memory(error, name, (size_t)input.size, 1);
    if (!status)
        (*text)[input.size] = '\0';
    ky_input_close(&input);
    return status;
}

/* The value in a line "key = value", or NULL. Our own keys are in comments. */
static const char *find_value(const char *text, const char *key)
{
    const char *before = strncmp(key, "kyoho_", 6) != 0 ? " \t" : " \t#";
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, before);
        if (strncmp(at, key, strlen(key)) != 0)
            continue;
        at += strlen(key);
        at += strspn(at, " \t");
        if (*at == '=')
            return at + 1;
    }
    return NULL;
}

/* Sets *value if the key exists; the value must be finite and not negative. */
static enum ky_status read_value(const char *text, const char *key, double *value,
                                 struct ky_error *error)
{
    char *end;
    const char *found = find_value(text, key);
    if (!found)
        return KY_OK;
    found += strspn(found, " \t");
    *value = ky_number_real(found, &end);
    const size_t length = strcspn(found, "\r\n");
    if (end == found || !isfinite(*value) || *value < 0)
        return ky_fail(error, KY_BAD_DATA, "%s is '%.*s'; it must be a number of 0 or more", key,
                       length < 40 ? (int)length : 40, found);
    return KY_OK;
}

/* 1 if the file begins like ours and lacks our last line. */
static int is_cut_off(const char *text)
{
    size_t length = strlen(text), begin = strlen(KY_TIPSY_UNITS_BEGIN);
    const char *end = strstr(text, KY_TIPSY_UNITS_END);
    return !strncmp(text, KY_TIPSY_UNITS_BEGIN, length < begin ? length : begin) &&
           (!end || !strchr(end, '\n'));
}

/* All values that are read from the file. */
struct notes {
    double kpc, sun;                 /* PKDGRAV's; 0: not given */
    double comoving, periodic, side; /* NaN: not given */
    struct ky_units run;             /* ours; g is 0 if the file is not ours */
    double softening, symmetric;     /* ours; NaN: not given */
    double soft;                     /* PKDGRAV's; NaN: not given */
};

/* Reads all known keys in the text. KY_BAD_DATA for a value that is not a number. */
static enum ky_status read_notes(const char *text, struct notes *notes, struct ky_error *error)
{
    const struct {
        const char *key;
        double *value;
    } rows[] = {
        {"dKpcUnit", &notes->kpc},
        {"dMsolUnit", &notes->sun},
        {"bComove", &notes->comoving},
        {"bPeriodic", &notes->periodic},
        {"dPeriod", &notes->side},
        {"dSoft", &notes->soft},
        {"kyoho_g", &notes->run.g},
        {"kyoho_length_cm", &notes->run.length_cm},
        {"kyoho_mass_g", &notes->run.mass_g},
        {"kyoho_velocity_cm_s", &notes->run.velocity_cm_s},
        {"kyoho_softening", &notes->softening},
        {"kyoho_softening_symmetric", &notes->symmetric},
    };
    const double unknown = (double)NAN;
    *notes = (struct notes){.comoving = unknown,
                            .periodic = unknown,
                            .side = unknown,
                            .softening = unknown,
                            .symmetric = unknown,
                            .soft = unknown};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        KY_TRY(read_value(text, rows[k].key, rows[k].value, error));
    if (!(notes->run.g > 0) && (notes->kpc > 0) != (notes->sun > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "has dKpcUnit = %g and dMsolUnit = %g; both must be above 0, or both be "
                       "left out",
                       notes->kpc, notes->sun);
    return KY_OK;
}

/* The space according to the notes. A box is periodic unless bPeriodic says otherwise; PKDGRAV's
 * box has side 1. The time of a comoving file is its scale factor. */
static struct ky_space space_of(const struct notes *notes, double time)
{
    double facts[KY_SPACE_FACTS];
    for (int k = 0; k < KY_SPACE_FACTS; k++)
        facts[k] = (double)NAN;
    facts[KY_COMOVING] = notes->comoving;
    if (notes->periodic != 0)
        facts[KY_BOX_SIDE] = notes->side > 0 ? notes->side : notes->periodic > 0;
    return ky_space_of(facts, time);
}

/* Converts the numbers back to the G of the run; in the file G = 1. */
static void take_back(struct ky_snapshot *snapshot, double g)
{
    const double speed = sqrt(g);
    struct ky_bodies *bodies = &snapshot->bodies;
    for (size_t i = 0; bodies->velocity && i < bodies->n && g != 1; i++) { /* else only counted */
        for (int c = 0; c < 3; c++)
            bodies->velocity[i][c] *= speed;
        if (bodies->potential)
            bodies->potential[i] *= g;
    }
    snapshot->time /= speed;
}

/* Fills the snapshot from the notes. */
static void use_notes(struct ky_snapshot *snapshot, const struct notes *notes)
{
    struct ky_units *units = &snapshot->units;
    if (!snapshot->bodies.softening && !isnan(notes->softening))
        snapshot->softening = notes->softening;
    if (!snapshot->bodies.softening && isnan(snapshot->softening))
        snapshot->softening = notes->soft;
    snapshot->softening_kind = ky_softening_kind_of(notes->symmetric);
    snapshot->space = space_of(notes, snapshot->time);
    if (notes->run.g > 0) {
        *units = notes->run;
        take_back(snapshot, notes->run.g);
    } else if (notes->kpc > 0) {
        *units = (struct ky_units){notes->kpc * KY_KPC_CM, notes->sun * KY_SUN_G, 0, 1};
        units->velocity_cm_s = 1e5 * sqrt(ky_units_gravity(units->length_cm, units->mass_g, 1e5));
    }
    if (!(units->length_cm > 0 && units->mass_g > 0 && units->velocity_cm_s > 0))
        *units = (struct ky_units){.g = units->g};
}

enum ky_status ky_tipsy_read_notes(const char *name, struct ky_snapshot *snapshot,
                                   struct ky_error *error)
{
    char *text;
    struct notes notes;
    enum ky_status status = ky_tipsy_text(name, &text, error);
    if (!status && text && is_cut_off(text))
        status = ky_fail(error, KY_BAD_DATA,
                         "is cut off; remove it to read the numbers of the snapshot as they are");
    if (!status && text)
        status = read_notes(text, &notes, error);
    if (!status && text)
        use_notes(snapshot, &notes);
    free(text);
    return status;
}
