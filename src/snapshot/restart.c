/* The restart container, specified in docs/formats/restart.md. Everything is checked before use:
 * first sizes against the file, then checksums. */
#include "snapshot/restart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"

static const unsigned char MAGIC[8] = {'K', 'Y', 'O', 'H', 'O', '\r', '\n', 0x1a};

/* Version 1 had the numbers of a section without their names: snapshot/fields.h. Version 3 has
 * pieces. */
enum {
    OLDEST = 1,
    WHOLE = 2,
    IN_PIECES = 3,
    ORDER_MARK = 0x01020304,
    ORDER_MARK_TURNED = 0x04030201,
    ALIGN = 64
};

struct head {
    unsigned char magic[8];
    uint32_t order_mark, version;
    uint64_t sections;
    uint64_t bytes; /* size of the file */
    uint64_t table_checksum;
    uint64_t head_checksum; /* of the bytes before it */
    uint64_t unused[2];
};

struct entry {
    char name[16];
    uint64_t offset, bytes, checksum, unused;
};

_Static_assert(sizeof(struct head) == 64 && sizeof(struct entry) == 48, "layout of the file");

/* The next multiple of ALIGN. */
static uint64_t aligned(uint64_t offset)
{
    return (offset + ALIGN - 1) / ALIGN * ALIGN;
}

/* The offsets of the sections; the caller frees them; *end is the size of the file. NULL if memory
 * runs out. */
static struct entry *make_table(const struct ky_section *sections, size_t count, uint64_t *end)
{
    struct entry *table = ky_allocate_zeroed(count, sizeof *table);
    uint64_t offset = sizeof(struct head) + count * sizeof *table;
    for (size_t k = 0; table && k < count; k++) {
        offset = aligned(offset);
        strncpy(table[k].name, sections[k].name, sizeof table[k].name - 1);
        table[k].offset = offset;
        table[k].bytes = sections[k].bytes;
        offset += sections[k].bytes;
    }
    *end = offset;
    return table;
}

/* The file being written; or memory if there is none. */
struct target {
    const struct ky_restart_to *of;
    struct ky_file *file;
    unsigned char *memory;
    uint64_t bytes; /* total size */
    uint32_t version;
};

static void put(const struct target *to, uint64_t offset, const void *data, size_t bytes)
{
    if (to->file)
        ky_file_write_at(to->file, offset, data, bytes);
    else if (bytes)
        memcpy(to->memory + offset, data, bytes);
}

/* Writes a section at its offset, and its checksum to the table. */
static enum ky_status write_section(const struct target *to, const struct ky_section *section,
                                    struct entry *entry, struct ky_error *error)
{
    const void *data = section->data;
    const size_t bytes = (size_t)section->bytes;
    void *own = NULL;
    enum ky_status status = KY_OK;
    if (!data && bytes) {
        data = own = ky_allocate(bytes, 1);
        status = own ? to->of->get(to->of->context, section, own, error)
                     : ky_no_memory(error, section->name, bytes, 1);
    }
    if (!status) {
        entry->checksum = ky_hash(data, bytes, 0);
        put(to, entry->offset, data, bytes);
    }
    free(own);
    return status;
}

/* Writes the header, when the checksums of the sections are known. */
static void write_head(const struct target *to, const struct entry *table, size_t count)
{
    struct head head = {
        .order_mark = ORDER_MARK, .version = to->version, .sections = count, .bytes = to->bytes};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.table_checksum = ky_hash(table, count * sizeof *table, 0);
    head.head_checksum = ky_hash(&head, offsetof(struct head, head_checksum), 0);
    put(to, 0, &head, sizeof head);
    put(to, sizeof head, table, count * sizeof *table);
}

/* Writes the sections, then the header. */
static enum ky_status write_all(const struct target *to, const struct ky_section *sections,
                                struct entry *table, size_t count, struct ky_error *error)
{
    for (size_t k = 0; k < count; k++)
        KY_TRY(write_section(to, &sections[k], &table[k], error));
    write_head(to, table, count);
    return KY_OK;
}

static enum ky_status write_file(const struct ky_restart_to *to, const struct ky_section *sections,
                                 struct entry *table, size_t count, struct ky_error *error)
{
    struct ky_file *file = NULL;
    enum ky_status status = ky_file_create(to->path, 1, &file, error);
    if (!status)
        status = ky_file_reserve(file, to->bytes, error);
    if (!status) {
        ky_file_resize(file, to->bytes); /* bytes between sections are zero */
        status = write_all(&(struct target){.of = to,
                                            .file = file,
                                            .bytes = to->bytes,
                                            .version = to->pieces ? IN_PIECES : WHOLE},
                           sections, table, count, error);
    }
    if (!status) {
        status = ky_file_publish(file, to->previous, error);
        file = NULL;
    }
    ky_file_discard(file);
    return status;
}

enum ky_status ky_restart_write_one(struct ky_restart_to *to, const struct ky_section *sections,
                                    size_t count, struct ky_error *error)
{
    uint64_t end = 0;
    enum ky_status status = KY_OK;
    struct entry *table = make_table(sections, count, &end);
    if (!table)
        return ky_no_memory(error, "restart table", count, sizeof *table);
    to->bytes = (size_t)end;
    if (to->path) {
        status = write_file(to, sections, table, count, error);
    } else if (to->memory && to->room < end) {
        status = ky_fail(error, KY_USAGE, "the simulation takes %" PRIu64 " bytes, not %zu", end,
                         to->room);
    } else if (to->memory) {
        memset(to->memory, 0, (size_t)end);
        status = write_all(
            &(struct target){.of = to, .memory = to->memory, .bytes = end, .version = WHOLE},
            sections, table, count, error);
    }
    free(table);
    return status;
}

/* KY_BAD_DATA for a header that is not Kyoho's, is damaged, or does not agree with the size of the
 * file. */
static enum ky_status check_head(const struct head *head, uint64_t size, struct ky_error *error)
{
    if (memcmp(head->magic, MAGIC, sizeof MAGIC))
        return ky_fail(error, KY_BAD_DATA, "is not a restart file");
    if (head->order_mark == ORDER_MARK_TURNED)
        return ky_fail(error, KY_BAD_DATA,
                       "was written on a machine with the other byte order; resume it there");
    if (head->order_mark != ORDER_MARK ||
        head->head_checksum != ky_hash(head, offsetof(struct head, head_checksum), 0))
        return ky_fail(error, KY_BAD_DATA, "its header is damaged");
    if (head->version < OLDEST || head->version > IN_PIECES)
        return ky_fail(error, KY_BAD_DATA,
                       "is a restart file of version %" PRIu32
                       "; this program reads versions %d to %d: use the one that wrote it",
                       head->version, OLDEST, IN_PIECES);
    if (head->bytes != size)
        return ky_fail(error, KY_BAD_DATA,
                       "has %" PRIu64 " bytes and its header says %" PRIu64 "; it is cut off", size,
                       head->bytes);
    if (head->sections > (size - sizeof *head) / sizeof(struct entry))
        return ky_fail(error, KY_BAD_DATA, "its table of sections does not fit in the file");
    return KY_OK;
}

/* Reads a section and verifies its checksum. */
static enum ky_status read_section(const struct ky_input *input, const struct entry *entry,
                                   struct ky_section *section, struct ky_error *error)
{
    memcpy(section->name, entry->name, sizeof section->name);
    section->name[sizeof section->name - 1] = '\0';
    if (entry->offset > input->size || entry->bytes > input->size - entry->offset)
        return ky_fail(error, KY_BAD_DATA, "section '%s' does not fit in the file", section->name);
    void *data;
    KY_TRY(ky_array(&data, entry->bytes, 1, section->name, error));
    section->data = data;
    section->bytes = entry->bytes;
    KY_TRY(ky_input_read(input, entry->offset, data, entry->bytes, error));
    if (ky_hash(data, entry->bytes, 0) != entry->checksum)
        return ky_fail(error, KY_BAD_DATA, "section '%s' is damaged: its checksum does not agree",
                       section->name);
    return KY_OK;
}

/* Reads header and table, which the caller frees. */
static enum ky_status read_table(const struct ky_input *input, struct head *head,
                                 struct entry **table, struct ky_error *error)
{
    *table = NULL;
    KY_TRY(ky_input_read(input, 0, head, sizeof *head, error));
    KY_TRY(check_head(head, input->size, error));
    const size_t count = (size_t)head->sections;
    KY_TRY(ky_array(table, count, sizeof **table, "restart table", error));
    KY_TRY(ky_input_read(input, sizeof *head, *table, count * sizeof **table, error));
    if (ky_hash(*table, count * sizeof **table, 0) != head->table_checksum)
        return ky_fail(error, KY_BAD_DATA, "its table of sections is damaged");
    return KY_OK;
}

enum ky_status ky_restart_read_input(const struct ky_input *input, struct ky_restart *restart,
                                     struct ky_error *error)
{
    struct head head;
    struct entry *table;
    *restart = (struct ky_restart){0};
    enum ky_status status = read_table(input, &head, &table, error);
    const size_t count = status ? 0 : (size_t)head.sections;
    if (!status) {
        restart->section = ky_allocate_zeroed(count, sizeof *restart->section);
        restart->version = head.version;
        if (restart->section)
            restart->count = count;
        else
            status = ky_no_memory(error, "restart table", count, sizeof *restart->section);
    }
    for (size_t k = 0; k < count && !status; k++)
        status = read_section(input, &table[k], &restart->section[k], error);
    if (!status && head.version == IN_PIECES && !input->path)
        status = ky_fail(error, KY_BAD_DATA,
                         "its bodies are in separate files beside it: open it by its name");
    free(table);
    if (status)
        ky_restart_free(restart);
    return status;
}

enum ky_status ky_restart_read_one(const char *path, const char *name, struct ky_section *section,
                                   struct ky_error *error)
{
    struct head head;
    struct entry *table = NULL;
    struct ky_input input;
    *section = (struct ky_section){0};
    KY_TRY(ky_input_open(path, &input, error));
    enum ky_status status = read_table(&input, &head, &table, error);
    for (size_t k = 0; !status && k < head.sections; k++)
        if (!strncmp(table[k].name, name, sizeof table[k].name))
            status = read_section(&input, &table[k], section, error);
    free(table);
    ky_input_close(&input);
    return status;
}

void ky_section_free(struct ky_section *section)
{
    void *data; /* this memory is ours, though a section's data are const */
    memcpy(&data, &section->data, sizeof data);
    free(data);
    section->data = NULL;
}

void ky_restart_free(struct ky_restart *restart)
{
    for (size_t k = 0; k < restart->count; k++)
        ky_section_free(&restart->section[k]);
    free(restart->section);
    free(restart->path);
    *restart = (struct ky_restart){0};
}

const struct ky_section *ky_restart_find(const struct ky_restart *restart, const char *name)
{
    for (size_t k = 0; k < restart->count; k++)
        if (!strcmp(restart->section[k].name, name))
            return &restart->section[k];
    return NULL;
}

const void *ky_restart_section(const struct ky_restart *restart, const char *name, uint64_t bytes,
                               struct ky_error *error)
{
    const struct ky_section *section = ky_restart_find(restart, name);
    if (section && section->bytes == bytes)
        return section->data;
    if (section)
        ky_fail(error, KY_BAD_DATA,
                "another version of Kyoho wrote the restart file: its section '%s' has %" PRIu64
                " bytes where %" PRIu64
                " are expected; continue with that version, or begin a new run with a snapshot",
                name, section->bytes, bytes); /* the checksum agrees: it is not damaged */
    else
        ky_fail(error, KY_BAD_DATA, "the restart file has no section '%s'", name);
    return NULL;
}

void *ky_restart_take(struct ky_restart *restart, const char *name, uint64_t bytes,
                      struct ky_error *error)
{
    if (!ky_restart_section(restart, name, bytes, error))
        return NULL;
    struct ky_section *section = restart->section;
    while (strcmp(section->name, name) != 0)
        section++;
    void *data;
    memcpy(&data, &section->data, sizeof data);
    section->data = NULL;
    section->bytes = 0;
    return data;
}
