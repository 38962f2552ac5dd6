/* A driver around another one. It marks the memory before and behind every buffer, and checks the
 * marks when the buffer is released. It sees whether pinned memory changes while it is copied,
 * counts buffers and pinned memory, and lets an allocation fail. `guard_begin` puts it around the
 * drivers of all engines that are opened until `guard_end`. Threads with different cards take turns
 * with its lists. Include after test.h. */
#ifndef KY_TESTS_GUARD_H
#define KY_TESTS_GUARD_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/device/driver/driver.h"

enum { GUARD_FRONT = KY_SLICE_ALIGN, GUARD_DRIVERS = 2, GUARD_SENDINGS = 64, GUARD_PART = 2 };

/* What the tests set and read. */
static struct {
    int marks;      /* 1: buffers that are allocated from now on get marks */
    int fail;       /* how many allocations succeed before one fails; -1: none fails */
    int overruns;   /* buffers whose marks were overwritten */
    int changes;    /* pinned memory that changed or was released during a copy */
    int buffers;    /* buffers and pinned memory that have not been released */
    size_t largest; /* bytes of the largest buffer since this was set to 0 */
    size_t bytes;   /* bytes of the buffers that have not been released, without pinned memory */
    size_t peak;    /* the largest `bytes` since this was set to 0 */
} guard = {.fail = -1};

static pthread_mutex_t guard_turn = PTHREAD_MUTEX_INITIALIZER;

static const char guard_mark[64] = "around this buffer nobody has anything to write, nor to read.";

/* A buffer with marks, and the allocation that holds both. */
struct guarded {
    struct guarded *next;
    void *handle;
    struct ky_buffer whole;
    size_t end; /* the end of the buffer in the allocation */
};
static struct guarded *guarded;

static const struct ky_driver *guard_inner[GUARD_DRIVERS];
static struct ky_driver guard_outer[GUARD_DRIVERS];

static const struct ky_driver *guard_inner_of(const struct ky_card *card)
{
    return guard_inner[card->driver - guard_outer];
}

static int guard_is_marked(struct ky_card *card, const struct ky_buffer *whole, size_t place)
{
    char found[sizeof guard_mark];
    return guard_inner_of(card)->read(card, whole, place, found, sizeof found, NULL) == KY_OK &&
           memcmp(found, guard_mark, sizeof found) == 0;
}

static enum ky_status guard_allocate_marked(struct ky_card *card, size_t bytes,
                                            struct ky_buffer *buffer, struct ky_error *error)
{
    const struct ky_driver *inner = guard_inner_of(card);
    const size_t size = sizeof guard_mark, end = GUARD_FRONT + bytes;
    struct guarded *own = calloc(1, sizeof *own);
    own->whole.what = buffer->what;
    own->end = end;
    enum ky_status status = inner->allocate(card, end + size, &own->whole, error);
    if (status == KY_OK)
        status = inner->write(card, &own->whole, GUARD_FRONT - size, guard_mark, size, error);
    if (status == KY_OK)
        status = inner->write(card, &own->whole, end, guard_mark, size, error);
    if (status == KY_OK)
        status = inner->part(card, &own->whole, GUARD_FRONT, bytes, buffer, error);
    if (status != KY_OK) {
        if (own->whole.handle)
            inner->release(card, &own->whole);
        free(own);
        return status;
    }
    own->handle = buffer->handle;
    own->next = guarded;
    guarded = own;
    return KY_OK;
}

static int guard_fails(void)
{
    pthread_mutex_lock(&guard_turn);
    int fails = guard.fail >= 0 && guard.fail-- == 0;
    pthread_mutex_unlock(&guard_turn);
    return fails;
}

static void guard_count(int buffers)
{
    pthread_mutex_lock(&guard_turn);
    guard.buffers += buffers;
    pthread_mutex_unlock(&guard_turn);
}

static enum ky_status guard_allocate(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                                     struct ky_error *error)
{
    if (guard_fails())
        return ky_fail(error, KY_DEVICE, "%s: no memory for %s, %zu bytes (as a test demands)",
                       card->name, buffer->what, bytes);
    pthread_mutex_lock(&guard_turn);
    enum ky_status status = guard.marks
                                ? guard_allocate_marked(card, bytes, buffer, error)
                                : guard_inner_of(card)->allocate(card, bytes, buffer, error);
    guard.buffers += status == KY_OK;
    guard.largest = bytes > guard.largest ? bytes : guard.largest;
    guard.bytes += status == KY_OK ? bytes : 0;
    guard.peak = guard.bytes > guard.peak ? guard.bytes : guard.peak;
    pthread_mutex_unlock(&guard_turn);
    return status;
}

/* Makes a part of a buffer. It may have the address of a buffer with marks, which is itself a part
 * of an allocation. */
static enum ky_status guard_part(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                                 size_t bytes, struct ky_buffer *part, struct ky_error *error)
{
    enum ky_status status = guard_inner_of(card)->part(card, whole, offset, bytes, part, error);
    part->part = GUARD_PART;
    guard_count(status == KY_OK);
    return status;
}

static void guard_release(struct ky_card *card, struct ky_buffer *buffer)
{
    const struct ky_driver *inner = guard_inner_of(card);
    struct guarded **place = &guarded;
    pthread_mutex_lock(&guard_turn);
    while (*place && (buffer->part == GUARD_PART || (*place)->handle != buffer->handle))
        place = &(*place)->next;
    struct guarded *own = *place;
    guard.buffers--;
    guard.bytes -= buffer->part == GUARD_PART ? 0 : buffer->bytes;
    if (own)
        guard.overruns += !guard_is_marked(card, &own->whole, GUARD_FRONT - sizeof guard_mark) ||
                          !guard_is_marked(card, &own->whole, own->end);
    inner->release(card, buffer);
    if (own) {
        inner->release(card, &own->whole);
        *place = own->next;
        free(own);
    }
    pthread_mutex_unlock(&guard_turn);
}

/* ---- copies under way ---- */

/* A write_later that nobody has waited for yet. */
static struct guard_sending {
    struct ky_card *card; /* NULL: none */
    const char *data;
    size_t bytes;
    uint64_t hash;
    unsigned behind; /* marks that were set after it */
} guard_sendings[GUARD_SENDINGS];

static void guard_arrive(struct ky_card *card, unsigned marks)
{
    pthread_mutex_lock(&guard_turn);
    for (struct guard_sending *s = guard_sendings; s < guard_sendings + GUARD_SENDINGS; s++)
        if (s->card == card && (s->behind & marks)) {
            guard.changes += ky_hash(s->data, s->bytes, 0) != s->hash;
            s->card = NULL;
        }
    pthread_mutex_unlock(&guard_turn);
}

static enum ky_status guard_pin(struct ky_card *card, size_t bytes, struct ky_pinned *pinned,
                                struct ky_error *error)
{
    if (guard_fails())
        return ky_fail(error, KY_DEVICE, "%s: no memory for %s, %zu bytes (as a test demands)",
                       card->name, pinned->what, bytes);
    enum ky_status status = guard_inner_of(card)->pin(card, bytes, pinned, error);
    guard_count(status == KY_OK);
    return status;
}

static void guard_unpin(struct ky_card *card, struct ky_pinned *pinned)
{
    const char *data = pinned->data;
    pthread_mutex_lock(&guard_turn);
    for (struct guard_sending *s = guard_sendings; s < guard_sendings + GUARD_SENDINGS; s++)
        if (s->card == card && s->data >= data && s->data < data + pinned->bytes) {
            guard.changes++;
            s->card = NULL;
        }
    guard.buffers--;
    pthread_mutex_unlock(&guard_turn);
    guard_inner_of(card)->unpin(card, pinned);
}

static enum ky_status guard_write_later(struct ky_card *card, struct ky_buffer *buffer,
                                        size_t offset, const void *data, size_t bytes,
                                        struct ky_error *error)
{
    struct guard_sending *s = guard_sendings;
    pthread_mutex_lock(&guard_turn);
    while (s < guard_sendings + GUARD_SENDINGS - 1 && s->card)
        s++;
    *s = (struct guard_sending){card, data, bytes, ky_hash(data, bytes, 0), 1U << KY_MARKS};
    pthread_mutex_unlock(&guard_turn);
    return guard_inner_of(card)->write_later(card, buffer, offset, data, bytes, error);
}

/* Fills the memory with other numbers, so that a look before the end of the copy is noticed. */
static enum ky_status guard_read_later(struct ky_card *card, const struct ky_buffer *buffer,
                                       size_t offset, void *data, size_t bytes,
                                       struct ky_error *error)
{
    memset(data, 0xa5, bytes);
    return guard_inner_of(card)->read_later(card, buffer, offset, data, bytes, error);
}

static enum ky_status guard_set_mark(struct ky_card *card, int mark, struct ky_error *error)
{
    pthread_mutex_lock(&guard_turn);
    for (struct guard_sending *s = guard_sendings; s < guard_sendings + GUARD_SENDINGS; s++)
        s->behind |= s->card == card ? 1U << mark : 0;
    pthread_mutex_unlock(&guard_turn);
    return guard_inner_of(card)->mark(card, mark, error);
}

static enum ky_status guard_reach(struct ky_card *card, int mark, struct ky_error *error)
{
    enum ky_status status = guard_inner_of(card)->reach(card, mark, error);
    guard_arrive(card, 1U << mark);
    return status;
}

/* A read ends all copies that were put into the queue before it. */
static enum ky_status guard_read(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    enum ky_status status = guard_inner_of(card)->read(card, buffer, offset, data, bytes, error);
    if (bytes > 0)
        guard_arrive(card, ~0U);
    return status;
}

static enum ky_status guard_wait(struct ky_card *card, struct ky_error *error)
{
    enum ky_status status = guard_inner_of(card)->wait(card, error);
    guard_arrive(card, ~0U);
    return status;
}

/* ---- around a driver ---- */

static enum ky_status guard_open(int which, size_t index, struct ky_card **card,
                                 struct ky_error *error)
{
    enum ky_status status = guard_inner[which]->open(index, card, error);
    if (status == KY_OK)
        (*card)->driver = &guard_outer[which];
    return status;
}

static enum ky_status guard_open_0(size_t index, struct ky_card **card, struct ky_error *error)
{
    return guard_open(0, index, card, error);
}

static enum ky_status guard_open_1(size_t index, struct ky_card **card, struct ky_error *error)
{
    return guard_open(1, index, card, error);
}

static const struct ky_driver *guard_around(const struct ky_driver *driver)
{
    int k = 0;
    while (guard_inner[k] && guard_inner[k] != driver)
        k++;
    guard_inner[k] = driver;
    guard_outer[k] = *driver;
    guard_outer[k].open = k ? guard_open_1 : guard_open_0;
    guard_outer[k].allocate = guard_allocate;
    guard_outer[k].part = guard_part;
    guard_outer[k].release = guard_release;
    guard_outer[k].pin = guard_pin;
    guard_outer[k].unpin = guard_unpin;
    guard_outer[k].write_later = guard_write_later;
    guard_outer[k].read_later = guard_read_later;
    guard_outer[k].mark = guard_set_mark;
    guard_outer[k].reach = guard_reach;
    guard_outer[k].read = guard_read;
    guard_outer[k].wait = guard_wait;
    return &guard_outer[k];
}

static void guard_begin(int marks)
{
    ky_device_wrap = guard_around;
    guard.marks = marks;
    guard.overruns = guard.changes = guard.buffers = 0;
    guard.bytes = guard.peak = guard.largest = 0;
    guard.fail = -1;
}

static void guard_end(void)
{
    ky_device_wrap = NULL;
    guard.fail = -1;
}

#endif
