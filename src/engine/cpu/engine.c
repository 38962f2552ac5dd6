/* The CPU engine: its verbs and their common code. OpenMP over bodies, SIMD lanes over sinks. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/board.h"
#include "engine/common/replace.h"
#include "engine/common/units.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "engine/cpu/steps/hermite_board.h"
#include "engine/cpu/steps/levels.h"

struct cpu_engine {
    struct ky_cpu cpu;
    struct ky_cpu_blocks blocks;
    struct ky_cpu_hermite hermite;
};

/* The processor's name, from /proc/cpuinfo. */
static void processor_name(char *name, size_t size)
{
    snprintf(name, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    fclose(file);
}

static void describe(const char *isa, int threads, char *text, size_t size)
{
    char name[100];
    processor_name(name, sizeof name);
    snprintf(text, size, "%s, %d thread%s, %s", isa, threads, threads == 1 ? "" : "s", name);
}

static enum ky_status device(size_t index, struct ky_device *device)
{
    if (index > 0)
        return KY_USAGE;
    memset(device, 0, sizeof *device);
    const struct ky_lanes *lanes;
    const char *isa;
    ky_cpu_lanes(KY_ISA_AUTO, &lanes, &isa, NULL);
    snprintf(device->engine, sizeof device->engine, "cpu");
    describe(isa, ky_threads(0), device->name, sizeof device->name);
    device->usable = device->on_cpu = 1;
    return KY_OK;
}

/* Columns of a body: x v a, mass, potential, and softening if it has its own. */
enum { COLUMNS = 11 };

static void memory(const struct ky_engine *engine, size_t n, size_t massless,
                   struct ky_memory *memory)
{
    const struct ky_cpu *cpu = (const struct ky_cpu *)engine;
    const struct ky_parameters *parameters = cpu->parameters;
    const int is_exact = ky_force_kind(parameters->force)->is_exact;
    const size_t sources = massless < n ? n - massless : n;
    double columns =
        COLUMNS * ky_allocated((double)n * sizeof(double)) + ky_cpu_massless_memory(n, massless);
    if (is_exact && sources < n && parameters->precision == KY_DOUBLE)
        columns += 4 * sizeof(double) * (double)sources; /* copies of x and mass */
    *memory = (struct ky_memory){.host = columns, .kept = columns};
    if (ky_force_kind(parameters->force)->in_groups) {
        const struct ky_octree deep = {.levels = 64};
        memory->host += cpu->threads * (double)cpu->lanes->group_space[KY_DOUBLE](&deep);
    }
    if (engine->schemes >> KY_SCHEME_BLOCK & 1U) {
        memory->host += ky_cpu_blocks_memory(parameters, n);
        memory->kept += ky_cpu_blocks_memory(parameters, n);
    }
    if (engine->schemes >> KY_SCHEME_HERMITE & 1U) {
        memory->host += ky_cpu_hermite_memory(n);
        memory->kept += ky_cpu_hermite_memory(n);
    }
    if (engine->schemes >> KY_SCHEME_GROUPS & 1U) {
        const double bytes = (double)n * KY_GROUPS_BYTES + ky_cpu_sent_memory(cpu, n);
        memory->host += bytes;
        memory->kept += bytes;
        if (cpu->board && cpu->board->verbs->memory)
            memory->device = cpu->board->verbs->memory(cpu->board, n);
    }
    memory->host += cpu->method->memory(parameters, is_exact ? sources : n);
    if (parameters->box > 0) {
        memory->host += (double)ky_far_memory();
        memory->kept += (double)ky_far_memory();
    }
}

/* Lists every column of every body. */
static void list_columns(struct ky_cpu *cpu, double **columns[COLUMNS])
{
    for (int c = 0; c < 3; c++) {
        columns[c] = &cpu->x[c];
        columns[3 + c] = &cpu->v[c];
        columns[6 + c] = &cpu->a[c];
    }
    columns[9] = &cpu->mass;
    columns[10] = &cpu->potential;
}

static void free_columns(struct ky_cpu *cpu)
{
    double **columns[COLUMNS];
    list_columns(cpu, columns);
    for (int k = 0; k < COLUMNS; k++) {
        free(*columns[k]);
        *columns[k] = NULL;
    }
    ky_cpu_free_columns(cpu);
    ky_cpu_free_work(&cpu->bodies);
    ky_cpu_free_trees(cpu);
    ky_cpu_free_massless(cpu);
    ky_cpu_free_blocks(cpu);
    ky_cpu_free_hermite(cpu);
    free(cpu->softening);
    free(cpu->column);
    free(cpu->is_active);
    cpu->softening = NULL;
    cpu->is_active = NULL;
    cpu->column = NULL;
}

static void close_engine(struct ky_engine *engine)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    if (!cpu)
        return;
    free_columns(cpu);
    ky_far_close(cpu->far);
    if (cpu->board)
        cpu->board->verbs->close(cpu->board);
    free(cpu);
}

static enum ky_status allocate_columns(struct ky_cpu *cpu, struct ky_error *error)
{
    double **columns[COLUMNS];
    list_columns(cpu, columns);
    for (int k = 0; k < COLUMNS; k++) {
        *columns[k] = ky_allocate_zeroed_by(cpu->threads, cpu->n, sizeof(double));
        if (!*columns[k])
            return ky_no_memory(error, "bodies on the CPU", cpu->n, sizeof(double));
    }
    return ky_cpu_clear_columns(cpu, 0, error);
}

/* Replaces the memory by memory for `n` bodies. */
static enum ky_status resize(struct ky_engine *engine, size_t n, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    free_columns(cpu);
    cpu->n = cpu->room = n;
    cpu->length = cpu->mass_unit = 1;
    cpu->has_acceleration = 0;
    cpu->team = n > KY_BODIES_CHUNK ? cpu->threads : 1;
    return allocate_columns(cpu, error);
}

/* The engine has the board's name, and its bits are not known. */
static void take_board(struct ky_cpu *cpu, struct ky_board *board)
{
    char host[sizeof cpu->report.device];
    snprintf(host, sizeof host, "%s", cpu->report.device);
    cpu->board = board;
    cpu->base.bits = 0;
    snprintf(cpu->base.name, sizeof cpu->base.name, "%s", board->name);
    snprintf(cpu->report.engine, sizeof cpu->report.engine, "%s", board->verbs->name);
    snprintf(cpu->report.device, sizeof cpu->report.device, "1 × %.70s, led by %.70s",
             board->device, host);
}

static enum ky_status open_engine(const struct ky_parameters *parameters, size_t room,
                                  const struct ky_engine_use *use, struct ky_engine **engine,
                                  struct ky_error *error)
{
    *engine = NULL;
    if (strchr(parameters->engine, ':') && !strncmp(parameters->engine, "cpu", 3))
        return ky_fail(error, KY_USAGE,
                       "engine '%s': there is only one CPU; --threads sets how much of it is used",
                       parameters->engine);
    const struct ky_cpu_method *method;
    KY_TRY(ky_cpu_method(parameters->force, &method, error));
    if (parameters->tree != KY_TREE_BY_ENGINE)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--tree is for devices, not for engine cpu: leave out --tree, or name a "
                       "device with --engine");
    if (parameters->precision == KY_MIXED)
        return ky_fail(
            error, KY_UNSUPPORTED,
            "--precision mixed needs the matrix units of a device, which engine cpu does "
            "not have: give --engine cuda, or --precision single or extended");
    struct cpu_engine *own;
    KY_TRY(ky_array_zeroed(&own, 1, sizeof *own, "CPU engine", error));
    struct ky_cpu *cpu = &own->cpu;
    cpu->blocks = &own->blocks;
    cpu->hermite = &own->hermite;
    cpu->base.verbs = &ky_cpu_engine;
    cpu->base.schemes = use->schemes;
    cpu->parameters = parameters;
    cpu->method = method;
    cpu->threads = ky_threads(parameters->threads);
    enum ky_status status = ky_cpu_lanes(parameters->isa, &cpu->lanes, &cpu->isa, error);
    if (!status)
        status = resize(&cpu->base, room, error);
    if (!status && parameters->box > 0 && ky_force_kind(parameters->force)->in_box)
        status = ky_far_open(&cpu->far, error);
    if (status) {
        close_engine(&cpu->base);
        return status;
    }
    /* expansions use float whatever the precision */
    cpu->base.bits =
        cpu->lanes
            ->bits[ky_force_kind(parameters->force)->expands ? KY_SINGLE : parameters->precision]();
    snprintf(cpu->base.name, sizeof cpu->base.name, "%s", cpu->base.verbs->name);
    snprintf(cpu->report.engine, sizeof cpu->report.engine, "cpu");
    describe(cpu->isa, cpu->threads, cpu->report.device, sizeof cpu->report.device);
    if (use->board)
        take_board(cpu, use->board);
    *engine = &cpu->base;
    return KY_OK;
}

static void set_frame(struct ky_engine *engine, const struct ky_engine_frame *frame)
{
    ((struct ky_cpu *)engine)->frame = frame ? *frame : (struct ky_engine_frame){0};
}

static struct ky_engine_frame units_of(const struct ky_engine *engine)
{
    const struct ky_cpu *cpu = (const struct ky_cpu *)engine;
    return (struct ky_engine_frame){.length = cpu->length, .mass = cpu->mass_unit};
}

/* With the sink's own softening, the forces of two bodies on each other are not equal and
 * opposite. */
static enum ky_status check_mutual(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies, struct ky_error *error)
{
    if (!parameters->mutual || !bodies->softening || parameters->softening_kind != KY_PLUMMER)
        return KY_OK;
    return ky_fail(
        error, KY_USAGE,
        "forces of bodies with their own softenings are not mutual with --softening-kind plummer: "
        "use symmetric or spline with --mutual, or one --softening for all bodies");
}

static enum ky_status put(struct ky_engine *engine, const struct ky_bodies *bodies,
                          struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    struct ky_engine_units units;
    enum ky_status status = ky_engine_units(bodies, cpu->parameters, &cpu->frame, &units, error);
    if (!status)
        status = check_mutual(cpu->parameters, bodies, error);
    if (status)
        return status;
    free(cpu->softening);
    cpu->softening = NULL;
    if (bodies->softening && !(cpu->softening = ky_allocate(cpu->n, sizeof(double))))
        return ky_no_memory(error, "softenings", cpu->n, sizeof(double));
    status = ky_cpu_clear_columns(cpu, 0, error);
    if (status)
        return status;
    cpu->bodies.tree_stands = cpu->bodies.tree_serves = 0;
    cpu->length = units.length;
    cpu->mass_unit = units.mass;
    cpu->box = cpu->parameters->box / cpu->length;
    cpu->how = ky_engine_how(bodies, cpu->parameters, &units);
    cpu->has_acceleration = ky_knows_acceleration(bodies);
    cpu->hermite->potential_is_late = cpu->hermite->members_are_late = 0;
    double per_length = 1 / cpu->length, per_mass = 1 / cpu->mass_unit;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < cpu->n; i++) {
        for (int c = 0; c < 3; c++) {
            cpu->x[c][i] = ky_cpu_place(cpu, bodies->position[i][c] * per_length);
            cpu->v[c][i] = bodies->velocity[i][c];
            if (bodies->acceleration)
                cpu->a[c][i] = bodies->acceleration[i][c];
        }
        cpu->mass[i] = bodies->mass[i] * per_mass;
        cpu->potential[i] = bodies->potential ? bodies->potential[i] : 0;
        if (cpu->softening)
            cpu->softening[i] = bodies->softening[i] * per_length;
    }
    return ky_cpu_is_divided(cpu) ? KY_OK : ky_cpu_sort_masses(cpu, error);
}

static enum ky_status put_some(struct ky_engine *engine, const struct ky_some *some,
                               struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    const double per_length = 1 / cpu->length, per_mass = 1 / cpu->mass_unit;
    if (some->position || some->mass) {
        ky_cpu_moved(cpu);
        cpu->bodies.tree_serves = cpu->has_pull = 0;
    }
    for (size_t k = 0; k < some->count; k++) {
        const uint32_t i = some->body[k];
        for (int c = 0; c < 3; c++) {
            if (some->position)
                cpu->x[c][i] = ky_cpu_place(cpu, some->position[k][c] * per_length);
            if (some->velocity)
                cpu->v[c][i] = some->velocity[k][c];
        }
        if (some->mass)
            cpu->mass[i] = some->mass[k] * per_mass;
    }
    if (some->mass && !ky_cpu_is_divided(cpu))
        KY_TRY(ky_cpu_sort_masses(cpu, error));
    return ky_cpu_clear_columns(cpu, 1U << KY_COLUMN_PULL, error);
}

/* Extends the memory to n bodies, and keeps the current bodies. */
static enum ky_status extend(struct ky_cpu *cpu, size_t n, struct ky_error *error)
{
    double **columns[COLUMNS];
    const size_t room = n + n / 8 + 64;
    if (n <= cpu->room)
        return KY_OK;
    list_columns(cpu, columns);
    for (int k = 0; k < COLUMNS; k++)
        if (!ky_extend(columns[k], cpu->n, room, sizeof(double)))
            return ky_no_memory(error, "bodies on the CPU", room, sizeof(double));
    cpu->room = room;
    return KY_OK;
}

/* Moves the engine's body `from` to index `to`. */
static void move_body(double **const columns[COLUMNS], size_t from, size_t to)
{
    for (int k = 0; k < COLUMNS; k++)
        (*columns[k])[to] = (*columns[k])[from];
}

static void place_arrival(struct ky_cpu *cpu, const struct ky_bodies *from, size_t k, size_t i)
{
    const double per_length = 1 / cpu->length, per_mass = 1 / cpu->mass_unit;
    for (int c = 0; c < 3; c++) {
        cpu->x[c][i] = from->position[k][c] * per_length;
        cpu->v[c][i] = from->velocity[k][c];
        cpu->a[c][i] = from->acceleration[k][c];
    }
    cpu->mass[i] = from->mass[k] * per_mass;
    cpu->potential[i] = from->potential[k];
}

/* Frees the data that depend on the indices of bodies. */
static void forget_order(struct ky_cpu *cpu)
{
    free(cpu->is_active);
    cpu->is_active = NULL;
    cpu->bodies.tree_serves = 0;
    ky_cpu_free_work(&cpu->bodies);
    ky_cpu_free_blocks(cpu);
}

static enum ky_status replace(struct ky_engine *engine, const uint32_t *gone, size_t count,
                              const struct ky_bodies *arrivals, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    const size_t n = cpu->n, end = n + arrivals->n - count;
    double **columns[COLUMNS];
    struct ky_replace_move *move = ky_allocate(count, sizeof *move);
    enum ky_status status = move ? extend(cpu, end, error)
                                 : ky_no_memory(error, "bodies that move", count, sizeof *move);
    const size_t moves = status ? 0 : ky_replace_moves(n, gone, count, arrivals->n, move);
    list_columns(cpu, columns);
    for (size_t k = 0; k < moves; k++)
        move_body(columns, move[k].from, move[k].to);
    free(move);
    if (status)
        return status;
    for (size_t k = 0; k < arrivals->n; k++)
        place_arrival(cpu, arrivals, k, ky_replace_place(n, gone, count, k));
    cpu->n = end;
    cpu->team = end > KY_BODIES_CHUNK ? cpu->threads : 1;
    ky_cpu_moved(cpu);
    forget_order(cpu);
    return ky_cpu_clear_columns(cpu, 0, error);
}

/* Copies body i to row k of the caller's arrays. */
static inline void get_body(const struct ky_cpu *cpu, size_t i, const struct ky_bodies *to,
                            size_t k)
{
    for (int c = 0; c < 3; c++) {
        if (to->position)
            to->position[k][c] = ky_cpu_place(cpu, cpu->x[c][i]) * cpu->length;
        if (to->velocity)
            to->velocity[k][c] = cpu->v[c][i];
        if (to->acceleration)
            to->acceleration[k][c] = cpu->a[c][i];
    }
    if (to->mass)
        to->mass[k] = cpu->mass[i] * cpu->mass_unit;
    if (to->potential)
        to->potential[k] = cpu->potential[i];
    if (to->softening)
        to->softening[k] =
            cpu->softening ? cpu->softening[i] * cpu->length : cpu->parameters->softening;
}

static enum ky_status get(struct ky_engine *engine, struct ky_bodies *bodies,
                          struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    enum ky_status status = bodies->potential ? ky_cpu_catch_potential(cpu, error) : KY_OK;
    if (!status && bodies->acceleration)
        status = ky_cpu_groups_catch(cpu, error);
    if (status)
        return status;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < cpu->n; i++)
        get_body(cpu, i, bodies, i);
    return KY_OK;
}

static enum ky_status get_some(struct ky_engine *engine, const uint32_t *body,
                               struct ky_bodies *some, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    enum ky_status status = some->potential ? ky_cpu_catch_potential(cpu, error) : KY_OK;
    if (!status && some->acceleration)
        status = ky_cpu_groups_catch(cpu, error);
    for (size_t k = 0; k < some->n && !status; k++)
        get_body(cpu, body[k], some, k);
    return status;
}

static enum ky_status forces(struct ky_engine *engine, const struct ky_active *active,
                             struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    cpu->bodies.tree_serves = 0;
    if (engine->schemes >> KY_SCHEME_HERMITE & 1U)
        ky_cpu_hermite_forget(cpu);
    KY_TRY(ky_cpu_evaluate(cpu, active, error));
    return active ? KY_OK : ky_cpu_balance(cpu, error);
}

/* y += factor x for the three columns. */
static void add(const struct ky_cpu *cpu, double *const y[3], double *const x[3], double factor)
{
    const size_t parts = (size_t)cpu->team;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < parts; k++)
        for (int c = 0; c < 3; c++)
            for (size_t i = cpu->n * k / parts; i < cpu->n * (k + 1) / parts; i++)
                y[c][i] += factor * x[c][i];
}

static enum ky_status kick(struct ky_engine *engine, double dt, struct ky_error *error)
{
    (void)error;
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    add(cpu, cpu->v, cpu->a, dt);
    return KY_OK;
}

static enum ky_status drift(struct ky_engine *engine, double dt, struct ky_error *error)
{
    (void)error;
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    ky_cpu_moved(cpu);
    add(cpu, cpu->x, cpu->v, dt / cpu->length);
    for (int c = 0; c < 3 && cpu->box > 0; c++) { /* without OpenMP a pragma is a statement */
#pragma omp parallel for num_threads(cpu->team)
        for (size_t i = 0; i < cpu->n; i++)
            cpu->x[c][i] = ky_cpu_place(cpu, cpu->x[c][i]);
    }
    return KY_OK;
}

static enum ky_status sums(struct ky_engine *engine, struct ky_raw_sums *sums,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    KY_TRY(ky_cpu_catch_potential(cpu, error));
    KY_TRY(ky_cpu_groups_catch(cpu, error));
    return ky_cpu_sums(cpu, sums, error);
}

static enum ky_status advance(struct ky_engine *engine, struct ky_advance *way,
                              struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    return way->scheme == KY_SCHEME_HERMITE ? ky_cpu_hermite_steps(cpu, way, error)
                                            : ky_cpu_block_steps(cpu, way, error);
}

/* The Hermite scheme needs jerks, which only the exact sum has; potentials of few bodies are sums
 * in double. */
static unsigned schemes(const struct ky_engine *engine)
{
    const int force = ((const struct ky_cpu *)engine)->parameters->force;
    const int has_jerks = ky_force_kind(force)->is_exact;
    return KY_SCHEMES_IN_BLOCKS |
           (has_jerks ? 1U << KY_SCHEME_HERMITE | 1U << KY_SCHEME_FEW | 1U << KY_SCHEME_GROUPS
                      : 0U);
}

static void report(struct ky_engine *engine, struct ky_force_report *report)
{
    *report = ((struct ky_cpu *)engine)->report;
}

static void trim(struct ky_engine *engine)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    ky_cpu_free_trees(cpu);
    free(cpu->column);
    cpu->column = NULL;
}

const struct ky_engine_verbs ky_cpu_engine = {
    .name = "cpu",
    .functions = 1,
    .mutual = 1,
    .boxes = 1,
    .device = device,
    .memory = memory,
    .open = open_engine,
    .close = close_engine,
    .resize = resize,
    .frame = set_frame,
    .units = units_of,
    .put = put,
    .put_some = put_some,
    .replace = replace,
    .get = get,
    .get_some = get_some,
    .columns = ky_cpu_columns,
    .put_column = ky_cpu_put_column,
    .get_column = ky_cpu_get_column,
    .forces = forces,
    .exact = ky_cpu_exact,
    .field = ky_cpu_field,
    .tides = ky_cpu_tides,
    .advance = advance,
    .schemes = schemes,
    .kick = kick,
    .drift = drift,
    .sums = sums,
    .grouped = ky_cpu_grouped,
    .leaders = ky_cpu_leaders,
    .passages = ky_cpu_passages,
    .trim = trim,
    .walk = ky_cpu_walk,
    .report = report,
};
