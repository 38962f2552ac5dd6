/* worker.c - the program that AMUSE starts for Kyoho: PORT HOST false. It connects to AMUSE's
 * script, and answers its calls until the script tells it to stop or is no longer there.
 *
 * A message is 4 bytes of flags (other order of bytes, error, units, unused) and 10 numbers of 4
 * bytes: the call, the function, how often it is called, and how many whole numbers, long whole
 * numbers, floats, doubles, truth values, texts and units follow, in this order. Texts have their
 * lengths first, and end with 0. Argument k of all calls stands together, after argument k - 1. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "worker.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the table of functions ---- */

enum kind {
#define NAME_KIND(kind, ...) is_##kind,
    KINDS(NAME_KIND)
#undef NAME_KIND
};

enum { INTS, REALS, FLAGS, TEXTS, TYPES };

static const struct shape {
    int in[TYPES], out[TYPES];
    int whole; /* one call for whole arrays */
} shapes[] = {
#define SHAPE(kind, arguments, i, r, f, t, io, ro, fo, to, whole)                                  \
    {{i, r, f, t}, {io, ro, fo, to}, whole},
    KINDS(SHAPE)
#undef SHAPE
};

struct function {
    enum kind kind;
    const char *name;
    union {
#define MEMBER(kind, ...) kind##_function *kind;
        KINDS(MEMBER)
#undef MEMBER
    } call;
    int32_t number; /* by which AMUSE calls it */
};

static struct function functions[] = {
#define ROW(kind, function) {is_##kind, #function, {.kind = function}, 0},
    FUNCTIONS(ROW)
#undef ROW
};
enum { COUNT = sizeof functions / sizeof *functions };

/* AMUSE's number of a function: the size of the CRC-32 of its name, which it takes as signed. */
static int32_t number_of(const char *name)
{
    uint32_t crc = 0xFFFFFFFF;
    for (; *name; name++) {
        crc ^= (unsigned char)*name;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    crc = ~crc;
    return (int32_t)(crc >> 31 ? ~crc + 1 : crc);
}

static struct function *find_function(int32_t number)
{
    for (int i = 0; i < COUNT; i++)
        if (functions[i].number == number)
            return &functions[i];
    return NULL;
}

/* ---- messages ---- */

enum { CALL, FUNCTION, TIMES, COUNTS, LONGS, SINGLES, HEADER = 10 };
/* Where the header counts each type, and the size of an element. */
static const int counted[TYPES] = {COUNTS, COUNTS + 3, COUNTS + 4, COUNTS + 5};
static const size_t width[TYPES] = {sizeof(int32_t), sizeof(double), sizeof(bool), sizeof(char *)};
enum { UNITS = COUNTS + 6 };

struct message {
    unsigned char flags[4];
    int32_t head[HEADER];
    void *data[TYPES];
};

static int line; /* the socket */

static void *memory(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block) {
        fprintf(stderr, "kyoho_sockets_worker: no memory for a message\n");
        exit(1);
    }
    return block;
}

/* Ends the program when the script is gone: there is nobody to tell. */
static void receive(void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t got = recv(line, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            exit(0);
        at += got;
        size -= (size_t)got;
    }
}

static void put(const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t sent = send(line, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            exit(0);
        at += sent;
        size -= (size_t)sent;
    }
}

static size_t elements(const struct message *message, int place)
{
    return message->head[place] > 0 ? (size_t)message->head[place] : 0;
}

static void receive_texts(char **texts, size_t count)
{
    int32_t *lengths = memory(count, sizeof *lengths);
    receive(lengths, count * sizeof *lengths);
    for (size_t i = 0; i < count; i++) {
        size_t length = lengths[i] > 0 ? (size_t)lengths[i] : 0;
        texts[i] = memory(length, 1);
        receive(texts[i], length + 1);
        texts[i][length] = 0;
    }
    free(lengths);
}

/* Reads and forgets arguments of a type that no function here has. */
static void pass_over(size_t bytes)
{
    char some[4096];
    for (size_t part; bytes > 0; bytes -= part) {
        part = bytes < sizeof some ? bytes : sizeof some;
        receive(some, part);
    }
}

static void receive_message(struct message *message)
{
    receive(message->flags, sizeof message->flags);
    receive(message->head, sizeof message->head);
    for (int type = 0; type < TYPES; type++) {
        size_t count = elements(message, counted[type]);
        message->data[type] = memory(count, width[type]);
        if (type == TEXTS && count > 0)
            receive_texts(message->data[type], count);
        else if (type != TEXTS)
            receive(message->data[type], count * width[type]);
        if (type == INTS)
            pass_over(8 * elements(message, LONGS) + 4 * elements(message, SINGLES));
    }
    pass_over(8 * elements(message, UNITS));
}

static void send_texts(char **texts, size_t count)
{
    int32_t *lengths = memory(count, sizeof *lengths);
    for (size_t i = 0; i < count; i++)
        lengths[i] = (int32_t)strlen(texts[i]);
    put(lengths, count * sizeof *lengths);
    for (size_t i = 0; i < count; i++)
        put(texts[i], (size_t)lengths[i] + 1);
    free(lengths);
}

static void send_message(const struct message *message)
{
    put(message->flags, sizeof message->flags);
    put(message->head, sizeof message->head);
    for (int type = 0; type < TYPES; type++) {
        size_t count = elements(message, counted[type]);
        if (type == TEXTS && count > 0)
            send_texts(message->data[type], count);
        else if (type != TEXTS)
            put(message->data[type], count * width[type]);
    }
}

static void free_message(struct message *message)
{
    char **texts = message->data[TEXTS];
    for (size_t i = 0; i < elements(message, counted[TEXTS]); i++)
        free(texts[i]);
    for (int type = 0; type < TYPES; type++)
        free(message->data[type]);
}

/* ---- calls ---- */

/* Calls the function once, with the arguments of turn i; `times` is how many there are. */
static int call(const struct function *f, const struct message *in, struct message *out, size_t i,
                size_t times)
{
    const int32_t *n = in->data[INTS];
    int32_t *m = (int32_t *)out->data[INTS] + times; /* after the results */
    double *a = in->data[REALS], *b = out->data[REALS];
    const bool *p = in->data[FLAGS];
    bool *q = out->data[FLAGS];
    char **s = in->data[TEXTS], **t = out->data[TEXTS];
#define AT(array, k) array[(k)*times + i]
#define TO(array, k) (array + (k)*times + i)
    switch (f->kind) {
    case is_plain:
        return f->call.plain();
    case is_int_in:
        return f->call.int_in(AT(n, 0));
    case is_int_out:
        return f->call.int_out(TO(m, 0));
    case is_int_to_int:
        return f->call.int_to_int(AT(n, 0), TO(m, 0));
    case is_int_to_ints:
        return f->call.int_to_ints(AT(n, 0), TO(m, 0), TO(m, 1));
    case is_ints_to_int:
        return f->call.ints_to_int(AT(n, 0), AT(n, 1), TO(m, 0));
    case is_real_in:
        return f->call.real_in(AT(a, 0));
    case is_real_out:
        return f->call.real_out(TO(b, 0));
    case is_vector_out:
        return f->call.vector_out(TO(b, 0), TO(b, 1), TO(b, 2));
    case is_set_real:
        return f->call.set_real(AT(n, 0), AT(a, 0));
    case is_get_real:
        return f->call.get_real(AT(n, 0), TO(b, 0));
    case is_set_vector:
        return f->call.set_vector(AT(n, 0), AT(a, 0), AT(a, 1), AT(a, 2));
    case is_get_vector:
        return f->call.get_vector(AT(n, 0), TO(b, 0), TO(b, 1), TO(b, 2));
    case is_set_all:
        return f->call.set_all(AT(n, 0), AT(a, 0), AT(a, 1), AT(a, 2), AT(a, 3), AT(a, 4), AT(a, 5),
                               AT(a, 6), AT(a, 7));
    case is_get_all:
        return f->call.get_all(AT(n, 0), TO(b, 0), TO(b, 1), TO(b, 2), TO(b, 3), TO(b, 4), TO(b, 5),
                               TO(b, 6), TO(b, 7));
    case is_new_body:
        return f->call.new_body(TO(m, 0), AT(a, 0), AT(a, 1), AT(a, 2), AT(a, 3), AT(a, 4),
                                AT(a, 5), AT(a, 6), AT(a, 7));
    case is_new_place:
        return f->call.new_place(TO(m, 0), AT(a, 0), AT(a, 1), AT(a, 2), AT(a, 3));
    case is_flag_in:
        return f->call.flag_in(AT(p, 0));
    case is_flag_out:
        return f->call.flag_out(TO(q, 0));
    case is_text_in:
        return f->call.text_in(AT(s, 0));
    case is_text_out:
        return f->call.text_out(TO(t, 0));
    case is_texts_in:
        return f->call.texts_in(AT(s, 0), AT(s, 1));
    case is_text_to_text:
        return f->call.text_to_text(AT(s, 0), TO(t, 0));
    case is_about:
        return f->call.about(AT(n, 0), TO(t, 0), TO(m, 0), TO(t, 1), TO(t, 2), TO(t, 3), TO(t, 4),
                             TO(t, 5));
    case is_vectors_at:
        return f->call.vectors_at(a, TO(a, 1), TO(a, 2), TO(a, 3), b, TO(b, 1), TO(b, 2),
                                  (int)times);
    case is_reals_at:
        return f->call.reals_at(a, TO(a, 1), TO(a, 2), TO(a, 3), b, (int)times);
    }
#undef AT
#undef TO
    return -1;
}

/* Texts that go out belong to the function that gave them, until its next call. */
static void keep_texts(const struct function *f, struct message *out, size_t i, size_t times)
{
    char **texts = out->data[TEXTS];
    for (int k = 0; k < shapes[f->kind].out[TEXTS]; k++) {
        char **text = texts + (size_t)k * times + i;
        size_t length = *text ? strlen(*text) : 0;
        char *own = memory(length, 1);
        if (length)
            memcpy(own, *text, length);
        *text = own;
    }
}

/* The error that AMUSE raises, with this text. */
static void refuse(struct message *out, const char *text)
{
    char **texts = out->data[TEXTS] = memory(1, sizeof *texts);
    out->flags[1] = 1;
    out->head[counted[TEXTS]] = 1;
    texts[0] = memory(strlen(text), 1);
    memcpy(texts[0], text, strlen(text));
}

static void answer(const struct message *in, struct message *out)
{
    struct function *f = find_function(in->head[FUNCTION]);
    size_t times = elements(in, TIMES);
    if (!f) {
        refuse(out, "the worker of Kyoho has no such function; it has another version than the "
                    "Python class");
        return;
    }
    const struct shape *shape = &shapes[f->kind];
    for (int type = 0; type < TYPES; type++) {
        if (elements(in, counted[type]) != times * (size_t)shape->in[type]) {
            refuse(out, "a call has another number of arguments than the function");
            return;
        }
    }
    for (int type = 0; type < TYPES; type++) {
        int arrays = shape->out[type] + (type == INTS);
        out->data[type] = memory(times * (size_t)arrays, width[type]);
        out->head[counted[type]] = (int32_t)times * arrays;
    }
    int32_t *results = out->data[INTS];
    for (size_t i = 0; i < times; i++) {
        results[i] = shape->whole && i > 0 ? results[0] : call(f, in, out, i, times);
        keep_texts(f, out, i, times);
    }
}

static void serve(void)
{
    for (int going = 1; going;) {
        struct message in = {0}, out = {0};
        receive_message(&in);
        memcpy(out.head, in.head, 3 * sizeof *out.head);
        out.flags[0] = in.flags[0];
        going = in.head[FUNCTION] != 0;
        if (going)
            answer(&in, &out);
        send_message(&out);
        free_message(&in);
        free_message(&out);
    }
}

/* ---- the program ---- */

int set_working_directory(char *path)
{
    return chdir(path);
}

int get_working_directory(char **path)
{
    static char room[4096];
    *path = room;
    return getcwd(room, sizeof room) ? 0 : -1;
}

/* Ends the program as soon as the script has closed its end, also while a call computes. */
static void *watch(void *nothing)
{
    struct pollfd end = {.fd = line, .events = POLLRDHUP};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
    return nothing;
}

static int connect_to(const char *host, const char *port)
{
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
    int failed = getaddrinfo(host, port, &wanted, &found);
    if (failed) {
        fprintf(stderr, "kyoho_sockets_worker: %s: %s\n", host, gai_strerror(failed));
        return -1;
    }
    int opened = -1;
    for (struct addrinfo *way = found; way && opened < 0; way = way->ai_next) {
        opened = socket(way->ai_family, way->ai_socktype | SOCK_CLOEXEC, way->ai_protocol);
        if (opened >= 0 && connect(opened, way->ai_addr, way->ai_addrlen)) {
            close(opened);
            opened = -1;
        }
    }
    freeaddrinfo(found);
    if (opened < 0)
        fprintf(stderr, "kyoho_sockets_worker: cannot connect to %s, port %s\n", host, port);
    return opened;
}

/* One line a function: name, number, kind of its arguments. For tests. */
static void list_functions(void)
{
    for (int i = 0; i < COUNT; i++) {
        const struct shape *shape = &shapes[functions[i].kind];
        printf("%s %d", functions[i].name, (int)functions[i].number);
        for (int type = 0; type < TYPES; type++)
            printf(" %d %d", shape->in[type], shape->out[type]);
        printf(" %d\n", shape->whole);
    }
}

int main(int argc, char *argv[])
{
    for (int i = 0; i < COUNT; i++)
        functions[i].number = number_of(functions[i].name);
    if (argc == 2 && !strcmp(argv[1], "--functions")) {
        list_functions();
        return 0;
    }
    if (argc != 4 || strcmp(argv[3], "false")) {
        fprintf(stderr, "AMUSE starts this program, with the arguments PORT HOST false. It has no "
                        "MPI: channel_type=\"sockets\", initialize_mpi=False.\n");
        return 2;
    }
    line = connect_to(argv[2], argv[1]);
    if (line < 0)
        return 1;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, watch, NULL)) {
        fprintf(stderr, "kyoho_sockets_worker: cannot start a thread\n");
        return 1;
    }
    pthread_detach(watcher);
    serve();
    return 0;
}
