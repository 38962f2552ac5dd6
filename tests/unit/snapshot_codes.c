/* HDF5 snapshots as other codes write them: names of units, comoving and periodic space, types,
 * ids, and data that lie elsewhere. Every test changes the same small snapshot. */
#include "hdf5_files.h"

#ifdef KY_HAVE_HDF5
#include <math.h>

/* ---- files from lists of attributes ---- */

struct attribute {
    const char *group, *name;
    double value;
    const char *text; /* NULL: the value is a number */
};

enum { BODIES = 3 };
static const double place[BODIES][3] = {{1, 2, 3}, {4, 5, 6}, {-5, 0, 2}};
static const double speed[BODIES][3] = {{10, 0, 0}, {0, 20, 0}, {0, 0, -30}};
static const double heavy[BODIES] = {1, 2, 3};

static hid_t group_of(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0
               ? H5Gopen2(file, name, H5P_DEFAULT)
               : H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* Opens "/", a data set or a group; a group that is not there is made. */
static hid_t object_of(hid_t file, const char *name)
{
    return strchr(name, '/') ? H5Oopen(file, name, H5P_DEFAULT) : group_of(file, name);
}

static void put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    put_attribute(object, name, type, 1, text);
    H5Tclose(type);
}

static void put_bodies(hid_t file, const char *name, hsize_t first, hsize_t count,
                       const char *masses)
{
    const int32_t id[BODIES] = {7, 8, 9};
    hid_t group = group_of(file, name);
    put_set(group, "Coordinates", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, count, 3, place[first]);
    put_set(group, "Velocities", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, count, 3, speed[first]);
    put_set(group, masses, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, count, 1, &heavy[first]);
    put_set(group, "ParticleIDs", H5T_NATIVE_INT32, H5T_NATIVE_INT32, count, 1, &id[first]);
    H5Gclose(group);
}

/* Writes two bodies of type 1 and one of type 5, with the attributes before the first one that has
 * no name. The file stays open for changes. */
static hid_t make(const char *name, const struct attribute *attributes)
{
    const int32_t here[7] = {0, 2, 0, 0, 0, 1, 0};
    hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t header = group_of(file, "Header");
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT32, 6, here);
    H5Gclose(header);
    put_bodies(file, "PartType1", 0, 2, "Masses");
    put_bodies(file, "PartType5", 2, 1, "Masses");
    for (int k = 0; attributes && attributes[k].name; k++) {
        hid_t object = object_of(file, attributes[k].group);
        if (attributes[k].text)
            put_text(object, attributes[k].name, attributes[k].text);
        else
            put_attribute(object, attributes[k].name, H5T_NATIVE_DOUBLE, 1, &attributes[k].value);
        H5Oclose(object);
    }
    return file;
}

static char last_warning[1024];

static void keep_warning(void *context, enum ky_log_level level, const char *line)
{
    (void)context, (void)level;
    snprintf(last_warning, sizeof last_warning, "%s", line);
}

static struct ky_read_options options_with(int space)
{
    struct ky_read_options options;
    ky_read_options_defaults(&options);
    options.space = space;
    options.log = keep_warning;
    *last_warning = '\0';
    return options;
}

/* Reads the file. After KY_OK the snapshot has to be freed. */
static enum ky_status read_as(const char *name, const struct ky_read_options *options,
                              struct ky_snapshot *snapshot, struct ky_error *error)
{
    return ky_snapshot_read_as(in_folder(name), options, snapshot, error);
}

/* Fails unless reading with these options fails, with a line that contains `says`. */
static void assert_refused(const char *name, const struct ky_read_options *options,
                           enum ky_status status, const char *says)
{
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    enum ky_status got = read_as(name, options, &snapshot, &error);
    if (got != status || !strstr(error.text, says))
        fail_msg("%s: status %d, '%s' does not say '%s'", name, got, error.text, says);
}

static void assert_read(const char *name, const struct ky_read_options *options,
                        struct ky_snapshot *snapshot)
{
    struct ky_error error = {0};
    assert_ok(read_as(name, options, snapshot, &error));
}

/* ---- units ---- */

static const double KPC = 3.085678e21, MSUN10 = 1.989e43, KM = 1e5;

#define GALAXY_UNITS                                                                               \
    {"Header", "UnitLength_in_cm", KPC, NULL}, {"Header", "UnitMass_in_g", MSUN10, NULL},          \
    {                                                                                              \
        "Header", "UnitVelocity_in_cm_per_s", KM, NULL                                             \
    }

static void units_of_every_code_are_known(void **state)
{
    (void)state;
    static const struct {
        double g;
        struct attribute attributes[5];
    } codes[] = {
        {43009,
         {{"Units", "UnitLength_in_cm", KPC, NULL},
          {"Units", "UnitMass_in_g", MSUN10, NULL},
          {"Units", "UnitVelocity_in_cm_per_s", KM, NULL}}},
        {43009,
         {{"Parameters", "UnitLength_in_cm", KPC, NULL},
          {"Parameters", "UnitMass_in_g", MSUN10, NULL},
          {"Parameters", "UnitVelocity_in_cm_per_s", KM, NULL},
          {"Parameters", "GravityConstantInternal", 0, NULL}}},
        {43009,
         {{"Header", "UnitLength_in_cm", KPC, NULL},
          {"Header", "UnitMass_in_g", MSUN10, NULL},
          {"Header", "UnitVelocity_in_cm_per_s", KM, NULL}}},
        {43007.1,
         {{"Header", "UnitLength_In_CGS", KPC, NULL},
          {"Header", "UnitMass_In_CGS", MSUN10, NULL},
          {"Header", "UnitVelocity_In_CGS", KM, NULL},
          {"Header", "Gravitational_Constant_In_Code_Inits", 43007.1, NULL}}},
        {43009,
         {{"RuntimePars", "UnitLength_in_cm", KPC, NULL},
          {"RuntimePars", "UnitMass_in_g", MSUN10, NULL},
          {"RuntimePars", "UnitVelocity_in_cm_per_s", KM, NULL}}},
        {43009,
         {{"/", "UnitLength_in_cm", 0, "3.085678e21"},
          {"/", "UnitMass_in_g", 0, "1.989e43"},
          {"/", "UnitVelocity_in_cm_per_s", 0, "1e5"}}},
        {43009,
         {{"PartType1/Coordinates", "CGSConversionFactor", KPC, NULL},
          {"PartType1/Velocities", "CGSConversionFactor", KM, NULL},
          {"PartType5/Masses", "CGSConversionFactor", MSUN10, NULL}}},
        {43009,
         {{"PartType1/Coordinates", "to_cgs", KPC, NULL},
          {"PartType1/Velocities", "to_cgs", KM, NULL},
          {"PartType1/Masses", "to_cgs", MSUN10, NULL}}},
        {43.009, /* Mpc, 1e10 Msun, and the time that makes velocities km/s */
         {{"Units", "Unit length in cgs (U_L)", 1e3 * KPC, NULL},
          {"Units", "Unit mass in cgs (U_M)", MSUN10, NULL},
          {"Units", "Unit time in cgs (U_t)", 1e3 * KPC / KM, NULL},
          {"Units", "Unit temperature in cgs (U_T)", 1, NULL}}},
    };
    struct ky_read_options options = options_with(KY_SPACE_REFUSED);
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        struct ky_snapshot snapshot;
        H5Fclose(make("u.hdf5", codes[k].attributes));
        assert_read("u.hdf5", &options, &snapshot);
        assert_between(snapshot.units.g / codes[k].g, 1 - 1e-9, 1 + 1e-9);
        assert_between(snapshot.units.velocity_cm_s, KM * (1 - 1e-12), KM * (1 + 1e-12));
        assert_true(snapshot.units.mass_g == MSUN10);
        ky_snapshot_free(&snapshot);
    }
}

static void units_not_understood_are_refused_or_given(void **state)
{
    (void)state;
    static const struct attribute strange[][4] = {
        {{"Header", "UnitLength_in_parsec", 1, NULL}},
        {{"Units", "unit of length", 1, NULL}},
        {{"Parameters", "UnitLength_in_cm", KPC, NULL}, {"Parameters", "UnitMass_in_g", 1, NULL}},
        {{"Units", "length", 0, "kpc"}, {"Units", "mass", 0, "Msun"}},
        {{"InternalCodeUnits", "Unit length in cgs (U_L)", KPC, NULL}},
        {{"/", "length_unit", 0, "kpc"}},
        {{"Header", "Distances", 0, "in 1e3 pc"}},
        {{"Header", "G", 43007.1, NULL}},
        {{"Header", "G", (double)NAN, NULL}},
        {{"PartType1/Coordinates", "units", 0, "kpc"}},
        {{"PartType1/Velocities", "to_cgs", KM, NULL}},
        {{"PartType5/Masses", "Conversion factor to CGS (not including cosmological corrections)",
          MSUN10, NULL}},
    };
    struct ky_error error = {0};
    struct ky_units galaxy;
    assert_ok(ky_units_preset("galaxy", &galaxy, &error));
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
        struct ky_snapshot snapshot;
        struct ky_read_options options = options_with(KY_SPACE_REFUSED);
        H5Fclose(make("u.hdf5", strange[k]));
        assert_refused("u.hdf5", &options, KY_BAD_DATA, strange[k][0].name);
        options.units = &galaxy;
        assert_read("u.hdf5", &options, &snapshot);
        /* a G that agrees with --units has no warning */
        if (strange[k][0].value != 43007.1)
            assert_non_null(strstr(last_warning, strange[k][0].name));
        assert_between(snapshot.units.g, 43007, 43009);
        assert_true(snapshot.units.length_cm == KPC);
        ky_snapshot_free(&snapshot);
    }
}

/* A G that contradicts the file's units is refused, or replaced where units are given. */
static void a_strange_g_is_refused_or_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        struct attribute attributes[5];
    } files[] = {
        {"'G' = 1, which contradicts its units", {GALAXY_UNITS, {"Header", "G", 1, NULL}}},
        {"'Gravitational_Constant_In_Code_Inits' = nan",
         {{"Header", "UnitLength_In_CGS", KPC, NULL},
          {"Header", "UnitMass_In_CGS", MSUN10, NULL},
          {"Header", "UnitVelocity_In_CGS", KM, NULL},
          {"Header", "Gravitational_Constant_In_Code_Inits", (double)NAN, NULL}}},
    };
    struct ky_error error = {0};
    struct ky_units galaxy;
    assert_ok(ky_units_preset("galaxy", &galaxy, &error));
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct ky_snapshot snapshot;
        struct ky_read_options options = options_with(KY_SPACE_REFUSED);
        H5Fclose(make("g.hdf5", files[k].attributes));
        assert_refused("g.hdf5", &options, KY_BAD_DATA, files[k].says);
        options.units = &galaxy;
        assert_read("g.hdf5", &options, &snapshot);
        assert_non_null(strstr(last_warning, files[k].says));
        assert_true(snapshot.units.g == 43009.0);
        ky_snapshot_free(&snapshot);
    }
    static const struct attribute own[][2] = {{{"Kyoho", "G", (double)NAN, NULL}},
                                              {{"Kyoho", "G", -1, NULL}},
                                              {{"Kyoho", "UnitLength_in_cm", 0, "far"}}};
    for (size_t k = 0; k < 3; k++) {
        H5Fclose(make("g.hdf5", own[k]));
        assert_refused("g.hdf5", NULL, KY_BAD_DATA, "it must be 0 or more");
        assert_refused("g.hdf5", NULL, KY_BAD_DATA, own[k][0].name);
    }
    struct ky_snapshot snapshot; /* 1: N-body units; 0: no G */
    static const struct attribute ordinary[][2] = {
        {{"Header", "G", 1, NULL}}, {{"Parameters", "GravityConstantInternal", 0, NULL}}};
    for (size_t k = 0; k < 2; k++) {
        H5Fclose(make("g.hdf5", ordinary[k]));
        assert_read("g.hdf5", NULL, &snapshot);
        assert_true(snapshot.units.g == 1 && snapshot.units.length_cm == 0);
        ky_snapshot_free(&snapshot);
    }
}

/* ---- space ---- */

static void other_spaces_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        struct attribute attributes[5];
    } spaces[] = {
        {"comoving (redshift 3)",
         {{"Header", "Redshift", 3, NULL}, {"Header", "Time", 0.25, NULL}}},
        {"comoving (redshift 0)", {{"Header", "Omega0", 0.3, NULL}, {"Header", "Time", 1, NULL}}},
        {"comoving (redshift 1)",
         {{"Parameters", "ComovingIntegrationOn", 1, NULL}, {"Header", "Time", 0.5, NULL}}},
        {"comoving (redshift 1)",
         {{"Cosmology", "Cosmological run", 1, NULL}, {"Header", "Scale-factor", 0.5, NULL}}},
        {"comoving (redshift 1)",
         {{"Parameters", "ComovingIntegrationOn", 0, "1"}, {"Header", "Time", 0.5, NULL}}},
        {"comoving (redshift 1)",
         {{"Cosmology", "Omega_m", 0.3, NULL}, {"Cosmology", "Scale-factor", 0.5, NULL}}},
        {"comoving (redshift 1)", {{"Header", "Omega0", 0.3, NULL}, {"Header", "Time", 0.5, NULL}}},
        {"comoving (redshift 1)", {{"Header", "ExpansionFactor", 0.5, NULL}}},
        {"comoving (scale factor 0)", {{"Header", "ComovingIntegrationOn", 1, NULL}}},
        {"in units of 1/h (h = 0.7)", {{"Header", "HubbleParam", 0.7, NULL}}},
        {"in units of 1/h (h = 0.7)", {{"Parameters", "HubbleParam", 0, "0.7"}}},
        {"in a periodic box of side 50", {{"Parameters", "BoxSize", 50, NULL}}},
        {"in a periodic box of side 50", {{"RuntimePars", "BoxSize", 0, "50 "}}},
        {"in a periodic box of side 50", {{"Header", "BoxSize", 50, NULL}}},
    };
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
        struct ky_read_options options = options_with(KY_SPACE_REFUSED);
        struct ky_snapshot snapshot;
        H5Fclose(make("s.hdf5", spaces[k].attributes));
        assert_refused("s.hdf5", &options, KY_BAD_DATA, spaces[k].says);
        assert_refused("s.hdf5", NULL, KY_BAD_DATA, "--physical");
        options.space = KY_SPACE_AS_STORED;
        assert_read("s.hdf5", &options, &snapshot);
        assert_true(snapshot.bodies.position[1][2] == 6 && !snapshot.space.converted);
        ky_snapshot_free(&snapshot);
        options.space = KY_SPACE_OPEN; /* isolated, whatever the file says */
        assert_read("s.hdf5", &options, &snapshot);
        assert_true(snapshot.bodies.position[1][2] == 6 && !snapshot.space.converted &&
                    !snapshot.space.comoving && !snapshot.space.per_h && snapshot.space.box == 0 &&
                    snapshot.space.scale_factor == 1 && isnan(snapshot.space.hubble));
        ky_snapshot_free(&snapshot);
    }
}

static void numbers_that_no_space_has_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        struct attribute attributes[2];
    } spaces[] = {
        {"/Header: BoxSize is nan", {{"Header", "BoxSize", (double)NAN, NULL}}},
        {"/Header: BoxSize is -1", {{"Header", "BoxSize", -1, NULL}}},
        {"/Header: Redshift is nan", {{"Header", "Redshift", (double)NAN, NULL}}},
        {"/Header: Redshift is -1", {{"Header", "Redshift", -1, NULL}}},
        {"/Header: HubbleParam is nan", {{"Header", "HubbleParam", (double)NAN, NULL}}},
        {"/Header: HubbleParam is -1", {{"Header", "HubbleParam", -1, NULL}}},
        {"/Parameters: HubbleParam is seventy", {{"Parameters", "HubbleParam", 0, "seventy"}}},
        {"/Header: ExpansionFactor is 0", {{"Header", "ExpansionFactor", 0, NULL}}},
    };
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
        H5Fclose(make("n.hdf5", spaces[k].attributes));
        assert_refused("n.hdf5", NULL, KY_BAD_DATA, spaces[k].says);
    }
    const double sides[3] = {50, (double)NAN, 60};
    hid_t file = make("n.hdf5", NULL), header = group_of(file, "Header");
    put_attribute(header, "BoxSize", H5T_NATIVE_DOUBLE, 3, sides);
    H5Gclose(header);
    H5Fclose(file);
    assert_refused("n.hdf5", NULL, KY_BAD_DATA, "/Header: BoxSize is nan");
}

static void ordinary_spaces_are_read(void **state)
{
    (void)state;
    static const struct attribute ordinary[][6] = {
        {{"Header", "HubbleParam", 1, NULL}, {"Header", "BoxSize", 0, NULL}},
        {{"Header", "Time", 1, NULL}, {"Header", "Redshift", 0, NULL}},
        {{"Header", "Omega0", 0.3, NULL},
         {"Header", "Time", 0.5, NULL},
         {"Header", "Redshift", 0, NULL}},
        {{"Header", "Omega0", 0.3, NULL}, {"Header", "Time", 1.5, NULL}},
        {{"Header", "BoxSize", 0, NULL}, {"Header", "Community", 0, "of 3 bodies"}},
        {{"Parameters", "ComovingIntegrationOn", 0, NULL},
         {"Header", "Omega0", 0.3, NULL},
         {"Header", "Time", 1, NULL}},
        {{"Cosmology", "Cosmological run", 0, NULL},
         {"Header", "BoxSize", 100, NULL},
         {"Parameters", "InitialConditions:periodic", 0, "0"}},
        {{"Header", "BoxSize", 100, NULL},
         {"Parameters", "SofteningClassOfPartType0", 0, NULL},
         {"Config", "SELFGRAVITY", 0, ""}},
        {{"Header", "BoxSize", 100, NULL}, {"Config", "GRAVITY_NOT_PERIODIC", 0, ""}},
    };
    for (size_t k = 0; k < sizeof ordinary / sizeof *ordinary; k++) {
        struct ky_snapshot snapshot;
        H5Fclose(make("o.hdf5", ordinary[k]));
        assert_read("o.hdf5", NULL, &snapshot);
        assert_true(snapshot.bodies.position[1][2] == 6);
        ky_snapshot_free(&snapshot);
    }
}

/* Fails unless positions, masses and velocities are those of the test file times these factors, and
 * velocities have the Hubble flow about the centre of mass. */
static void check_physical(const struct ky_snapshot *s, double length, double mass, double velocity,
                           double rate)
{
    double total = 0, centre[3] = {0};
    for (int i = 0; i < BODIES; i++) {
        total += heavy[i];
        for (int c = 0; c < 3; c++)
            centre[c] += heavy[i] * place[i][c];
    }
    for (int i = 0; i < BODIES; i++) {
        assert_between(s->bodies.mass[i] / (heavy[i] * mass), 1 - 1e-12, 1 + 1e-12);
        for (int c = 0; c < 3; c++) {
            double x = place[i][c] * length, flow = rate * (x - length * centre[c] / total);
            double v = speed[i][c] * velocity + flow;
            assert_between(s->bodies.position[i][c] - x, -1e-12, 1e-12);
            assert_between(s->bodies.velocity[i][c] - v, -1e-9, 1e-9);
        }
    }
    assert_true(s->space.converted);
}

/* At a = 1/4 with Ω_m = 0.3, Ω_Λ = 0.7: H/H0 = √(0.3·64 + 0.7) = 4.460942. The age has a closed
 * form: H0 t = 2/(3 √Ω_Λ) asinh(√(Ω_Λ a³/Ω_m)) = 0.1508... */
static void gadget_becomes_physical(void **state)
{
    (void)state;
    const struct attribute gadget[] = {GALAXY_UNITS,
                                       {"Header", "Time", 0.25, NULL},
                                       {"Header", "Redshift", 3, NULL},
                                       {"Header", "HubbleParam", 0.7, NULL},
                                       {"Header", "Omega0", 0.3, NULL},
                                       {"Header", "OmegaLambda", 0.7, NULL},
                                       {"Header", "BoxSize", 1000, NULL},
                                       {NULL, NULL, 0, NULL}};
    const double h0 = 0.07; /* 70 km/s/Mpc in km/s/kpc */
    const double now = h0 * sqrt(0.3 * 64 + 0.7);
    const double age = 2 / (3 * sqrt(0.7)) * asinh(sqrt(0.7 / 0.3 / 64)) / h0;
    struct ky_read_options options = options_with(KY_SPACE_PHYSICAL);
    struct ky_snapshot s;
    H5Fclose(make("g.hdf5", gadget));
    assert_read("g.hdf5", &options, &s);
    check_physical(&s, 0.25 / 0.7, 1 / 0.7, 0.5, now);
    assert_between(s.time / age, 1 - 1e-9, 1 + 1e-9);
    ky_snapshot_free(&s);

    struct attribute no_matter[12]; /* without the cosmology */
    memcpy(no_matter, gadget, sizeof gadget);
    no_matter[6] = (struct attribute){"Header", "Omega_b", 0.05, NULL};
    H5Fclose(make("g.hdf5", no_matter));
    assert_refused("g.hdf5", &options, KY_BAD_DATA, "the Hubble flow needs");
    H5Fclose(make("g.hdf5", gadget + 3)); /* without the units */
    assert_refused("g.hdf5", &options, KY_BAD_DATA, "--units");
}

/* Data sets tell how they scale with a and h: SWIFT's velocities are peculiar, without √a and h. */
static void swift_becomes_physical(void **state)
{
    (void)state;
    const struct attribute swift[] = {{"Units", "Unit length in cgs (U_L)", KPC, NULL},
                                      {"Units", "Unit mass in cgs (U_M)", MSUN10, NULL},
                                      {"Units", "Unit time in cgs (U_t)", KPC / KM, NULL},
                                      {"Cosmology", "Cosmological run", 1, NULL},
                                      {"Cosmology", "h", 0.7, NULL},
                                      {"Cosmology", "Omega_m", 0.3, NULL},
                                      {"Cosmology", "Omega_lambda", 0.7, NULL},
                                      {"Header", "Scale-factor", 0.25, NULL},
                                      {"Header", "BoxSize", 1000, NULL},
                                      {NULL, NULL, 0, NULL}};
    static const struct {
        const char *name;
        double a;
    } sets[] = {{"Coordinates", 1}, {"Velocities", 0}, {"Masses", 0}};
    hid_t file = make("w.hdf5", swift);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++) {
            hid_t group = group_of(file, t ? "PartType5" : "PartType1");
            hid_t set = H5Dopen2(group, sets[k].name, H5P_DEFAULT);
            const double zero = 0;
            put_attribute(set, "a-scale exponent", H5T_NATIVE_DOUBLE, 1, &sets[k].a);
            put_attribute(set, "h-scale exponent", H5T_NATIVE_DOUBLE, 1, &zero);
            H5Dclose(set);
            H5Gclose(group);
        }
    H5Fclose(file);
    struct ky_read_options options = options_with(KY_SPACE_PHYSICAL);
    struct ky_snapshot s;
    assert_read("w.hdf5", &options, &s);
    check_physical(&s, 0.25, 1, 1, 0.07 * sqrt(0.3 * 64 + 0.7));
    ky_snapshot_free(&s);
}

static void h_alone_and_a_box_alone_are_converted(void **state)
{
    (void)state;
    const struct attribute scaled[] = {{"Header", "HubbleParam", 0.5, NULL},
                                       {"Header", "BoxSize", 1000, NULL},
                                       {"Header", "Time", 3, NULL},
                                       {NULL, NULL, 0, NULL}};
    struct ky_read_options options = options_with(KY_SPACE_PHYSICAL);
    struct ky_snapshot s;
    H5Fclose(make("h.hdf5", scaled));
    assert_read("h.hdf5", &options, &s);
    check_physical(&s, 2, 2, 1, 0);
    assert_true(s.time == 6);
    ky_snapshot_free(&s);
}

/* ---- softening ---- */

static void softenings_of_types_are_read(void **state)
{
    (void)state;
    struct attribute parameters[] = {{"Parameters", "SofteningClassOfPartType1", 1, NULL},
                                     {"Parameters", "SofteningClassOfPartType5", 2, NULL},
                                     {"Parameters", "SofteningComovingClass1", 0.5, NULL},
                                     {"Parameters", "SofteningComovingClass2", 0.5, NULL},
                                     {NULL, NULL, 0, NULL},
                                     {NULL, NULL, 0, NULL}};
    struct ky_snapshot s;
    H5Fclose(make("e.hdf5", parameters));
    assert_read("e.hdf5", NULL, &s);
    assert_true(s.softening == 0.5 && !s.bodies.softening);
    ky_snapshot_free(&s);
    parameters[3].value = 0.25;
    H5Fclose(make("e.hdf5", parameters));
    assert_read("e.hdf5", NULL, &s);
    assert_true(isnan(s.softening) && s.bodies.softening[0] == 0.5 &&
                s.bodies.softening[1] == 0.5 && s.bodies.softening[2] == 0.25);
    ky_snapshot_free(&s);
    parameters[4] = (struct attribute){"Config", "INDIVIDUAL_GRAVITY_SOFTENING", 1, NULL};
    H5Fclose(make("e.hdf5", parameters)); /* softenings depend on masses */
    assert_read("e.hdf5", NULL, &s);
    assert_true(isnan(s.softening) && !s.bodies.softening);
    ky_snapshot_free(&s);
    parameters[4] = (struct attribute){"Header", "HubbleParam", 0.5, NULL};
    H5Fclose(make("e.hdf5", parameters)); /* with h their meaning is not known */
    struct ky_read_options options = options_with(KY_SPACE_PHYSICAL);
    assert_read("e.hdf5", &options, &s);
    assert_non_null(strstr(last_warning, "give type 1 the softening 0.5, which is not used"));
    assert_true(isnan(s.softening) && !s.bodies.softening);
    ky_snapshot_free(&s);
}

static void softenings_of_swift_are_read(void **state)
{
    (void)state;
    static const double softening[BODIES] = {0.25, 0.5, 0.125};
    struct ky_snapshot s;
    hid_t file = make("e.hdf5", NULL);
    for (int t = 0; t < 2; t++) {
        hid_t group = group_of(file, t ? "PartType5" : "PartType1");
        put_set(group, "Softenings", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, t ? 1 : 2, 1,
                softening + 2 * t);
        H5Gclose(group);
    }
    H5Fclose(file);
    assert_read("e.hdf5", NULL, &s);
    assert_non_null(s.bodies.softening);
    assert_memory_equal(s.bodies.softening, softening, sizeof softening);
    ky_snapshot_free(&s);
}

/* ---- ids ---- */

static void replace_ids(hid_t file, const char *group_name, hid_t type, hsize_t count,
                        const void *ids)
{
    hid_t group = group_of(file, group_name);
    H5Ldelete(group, "ParticleIDs", H5P_DEFAULT);
    if (ids)
        put_set(group, "ParticleIDs", type, type, count, 1, ids);
    H5Gclose(group);
}

static void bad_ids_are_refused_or_numbered(void **state)
{
    (void)state;
    const int64_t negative[2] = {3, -1}, twice[2] = {9, 4};
    static const char *const says[3] = {"is -1", "id 9 occurs twice", "PartType1 has no data set"};
    for (int k = 0; k < 3; k++) {
        struct ky_snapshot snapshot;
        struct ky_read_options options = options_with(KY_SPACE_REFUSED);
        hid_t file = make("i.hdf5", NULL);
        replace_ids(file, "PartType1", H5T_NATIVE_INT64, 2,
                    k == 0   ? negative
                    : k == 1 ? twice
                             : NULL);
        H5Fclose(file);
        assert_refused("i.hdf5", &options, KY_BAD_DATA, says[k]);
        assert_refused("i.hdf5", &options, KY_BAD_DATA, "--renumber");
        options.renumber = 1;
        assert_read("i.hdf5", &options, &snapshot);
        assert_null(snapshot.bodies.id);
        ky_snapshot_free(&snapshot);
    }
}

/* ---- types ---- */

static void types_are_chosen(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_read_options options = options_with(KY_SPACE_REFUSED);
    hid_t file = make("t.hdf5", NULL), group = group_of(file, "PartType1");
    H5Ldelete(group, "Coordinates", H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    assert_refused("t.hdf5", &options, KY_BAD_DATA,
                   "PartType1 has no data set Coordinates; --types");
    options.types = 1 << 5;
    assert_read("t.hdf5", &options, &snapshot);
    assert_int_equal(snapshot.bodies.n, 1);
    assert_int_equal(snapshot.bodies.type[0], 5);
    assert_true(snapshot.bodies.position[0][0] == -5);
    ky_snapshot_free(&snapshot);
    options.types = 1 << 2;
    assert_refused("t.hdf5", &options, KY_BAD_DATA, "no bodies of the chosen types");
}

static void type_6_is_left_out(void **state)
{
    (void)state;
    const int32_t here[7] = {0, 2, 0, 0, 0, 1, 4};
    struct ky_snapshot snapshot;
    struct ky_read_options options = options_with(KY_SPACE_REFUSED);
    hid_t file = make("n.hdf5", NULL), header = group_of(file, "Header");
    H5Adelete(header, "NumPart_ThisFile");
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT32, 7, here);
    H5Gclose(header);
    H5Fclose(file);
    assert_refused("n.hdf5", &options, KY_BAD_DATA, "4 bodies of type 6 (neutrinos of SWIFT)");
    options.types = 0x3f;
    assert_read("n.hdf5", &options, &snapshot);
    assert_int_equal(snapshot.bodies.n, 3);
    ky_snapshot_free(&snapshot);
}

static void dynamical_masses_are_masses(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    hid_t file = make("b.hdf5", NULL), group = group_of(file, "PartType5");
    H5Lmove(group, "Masses", group, "DynamicalMasses", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    assert_read("b.hdf5", NULL, &snapshot);
    assert_true(snapshot.bodies.mass[2] == 3);
    ky_snapshot_free(&snapshot);
}

/* ---- data that lie elsewhere ---- */

static void links_out_of_the_file_are_named(void **state)
{
    (void)state;
    H5Fclose(make("far.hdf5", NULL));
    hid_t file = make("l.hdf5", NULL);
    H5Ldelete(file, "PartType1", H5P_DEFAULT);
    H5Lcreate_external("far.hdf5", "/PartType1", file, "PartType1", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused("l.hdf5", NULL, KY_BAD_DATA, "link to /PartType1 in another file, 'far.hdf5'");
    file = make("l.hdf5", NULL);
    H5Ldelete(file, "PartType5/Masses", H5P_DEFAULT);
    H5Lcreate_external("far.hdf5", "/PartType5/Masses", file, "PartType5/Masses", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Fclose(file);
    assert_refused("l.hdf5", NULL, KY_BAD_DATA, "'far.hdf5'");
    /* A soft link that leads to a link into another file, beside a path of the same name in the
     * file. */
    file = make("l.hdf5", NULL);
    H5Lcreate_external("far.hdf5", "/", file, "out", H5P_DEFAULT, H5P_DEFAULT);
    H5Lmove(file, "PartType5", file, "own", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/out/own", file, "PartType5", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused("l.hdf5", NULL, KY_BAD_DATA, "no PartType5");
}

static void replace_masses(hid_t file, hid_t how)
{
    const hsize_t rows = 2;
    hid_t space = H5Screate_simple(1, &rows, NULL);
    H5Ldelete(file, "PartType1/Masses", H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, "PartType1/Masses", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how,
                           H5P_DEFAULT);
    assert_true(set >= 0);
    if (H5Pget_layout(how) == H5D_CHUNKED)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, heavy) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void outer_data_sets_are_named(void **state)
{
    (void)state;
    const hsize_t rows = 2;
    hid_t space = H5Screate_simple(1, &rows, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t file = make("v.hdf5", NULL);
    H5Pset_virtual(how, space, "v.0.hdf5", "/PartType1/Masses", space);
    replace_masses(file, how);
    H5Fclose(file);
    assert_refused("v.hdf5", NULL, KY_BAD_DATA,
                   "PartType1/Masses is in other files, the first of which is 'v.0.hdf5'");
    how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(how, "v.bin", 0, 16);
    file = make("v.hdf5", NULL);
    replace_masses(file, how);
    H5Fclose(file);
    assert_refused("v.hdf5", NULL, KY_BAD_DATA, "the first is 'v.bin'");
    H5Sclose(space);
}

static size_t same(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *room,
                   void **buffer)
{
    (void)flags, (void)count, (void)values, (void)room, (void)buffer;
    return bytes;
}

static void filters_that_are_absent_are_named(void **state)
{
    (void)state;
    static const H5Z_class2_t lzf = {
        H5Z_CLASS_T_VERS, (H5Z_filter_t)32000, 1, 1, "lzf", NULL, NULL, same};
    const hsize_t chunk = 2;
    hid_t file = make("z.hdf5", NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Zregister(&lzf) >= 0);
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_filter(how, 32000, 0, 0, NULL);
    replace_masses(file, how);
    H5Fclose(file);
    H5Zunregister(32000);
    assert_refused("z.hdf5", NULL, KY_UNSUPPORTED,
                   "PartType1/Masses is compressed by filter 32000 (lzf)");
}

/* ---- numbers ---- */

static void forces_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const double bad[2] = {-1, (double)NAN}, far[2][3] = {{0, 0, 0}, {0, (double)INFINITY, 0}};
    for (int k = 0; k < 2; k++) {
        hid_t file = make("f.hdf5", NULL);
        H5Ldelete(file, "PartType5", H5P_DEFAULT);
        hid_t header = group_of(file, "Header"), group = group_of(file, "PartType1");
        const int32_t here[6] = {0, 2, 0, 0, 0, 0};
        H5Adelete(header, "NumPart_ThisFile");
        put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT32, 6, here);
        if (k)
            put_set(group, "Acceleration", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, 3, far);
        else
            put_set(group, "Potential", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, 1, bad);
        H5Gclose(group);
        H5Gclose(header);
        H5Fclose(file);
        assert_refused("f.hdf5", NULL, KY_BAD_DATA,
                       k ? "body 1: acceleration y is inf" : "body 1: potential is nan");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_every_code_are_known),
        cmocka_unit_test(units_not_understood_are_refused_or_given),
        cmocka_unit_test(a_strange_g_is_refused_or_replaced),
        cmocka_unit_test(other_spaces_are_refused),
        cmocka_unit_test(numbers_that_no_space_has_are_refused),
        cmocka_unit_test(ordinary_spaces_are_read),
        cmocka_unit_test(gadget_becomes_physical),
        cmocka_unit_test(swift_becomes_physical),
        cmocka_unit_test(h_alone_and_a_box_alone_are_converted),
        cmocka_unit_test(softenings_of_types_are_read),
        cmocka_unit_test(softenings_of_swift_are_read),
        cmocka_unit_test(bad_ids_are_refused_or_numbered),
        cmocka_unit_test(types_are_chosen),
        cmocka_unit_test(type_6_is_left_out),
        cmocka_unit_test(dynamical_masses_are_masses),
        cmocka_unit_test(links_out_of_the_file_are_named),
        cmocka_unit_test(outer_data_sets_are_named),
        cmocka_unit_test(filters_that_are_absent_are_named),
        cmocka_unit_test(forces_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#endif
