/* The server's thread. It waits in poll for all connections at once; each of them reads a request,
 * waits for its answer, or writes it. No call blocks on a single connection, so a slow or vanished
 * page does not delay the others. */
#include "view/server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "view/answers.h"

enum { REQUEST = 4096 }; /* maximum size of a header in bytes */
#define PATIENCE 20.0    /* maximum time for a request, and for an answer without progress [s] */
#define FAREWELL 1.0     /* maximum time for answers at the end [s] */

struct connection {
    int socket;      /* −1: unused */
    double moved;    /* ky_clock when bytes were last received or sent */
    double began;    /* ky_clock when its request began, or when an unauthenticated connection was
                        opened */
    int is_known;    /* 1: a request had the token */
    int waits;       /* 1: waits for a frame */
    size_t received; /* bytes in `in` */
    char in[REQUEST];
    size_t sent, head; /* bytes of header and body sent; length of the header, 0: no answer */
    char out[KY_HTTP_HEAD];
    struct ky_blob *body;
    int last; /* 1: close it after this answer */
};

struct ky_server {
    struct ky_view *view;
    struct connection connection[KY_VIEW_PAGES];
};

/* ---- connections ---- */

static void hang_up(struct ky_server *server, int k)
{
    struct connection *c = &server->connection[k];
    ky_desk_want(server->view, k, 0);
    ky_desk_drop(server->view, c->body);
    close(c->socket);
    memset(c, 0, sizeof *c);
    c->socket = -1;
}

/* If no connection is free, 1 if connection c is closed rather than the other one. Connections
 * without a token are closed first, the oldest first; then connections with a token, the longest
 * idle first. */
static int goes_before(const struct connection *c, const struct connection *other)
{
    if (c->is_known != other->is_known)
        return !c->is_known;
    return c->is_known ? c->moved < other->moved : c->began < other->began;
}

/* The index for a new connection: an unused one, otherwise one of a connection without a token,
 * busy or not, or an idle one with a token; −1: all are busy. So slow strangers keep nobody
 * out. */
static int find_place(struct ky_server *server)
{
    int found = -1;
    for (int k = 0; k < KY_VIEW_PAGES; k++) {
        const struct connection *c = &server->connection[k];
        if (c->socket < 0)
            return k;
        if ((!c->is_known || (!c->waits && !c->head && !c->received)) &&
            (found < 0 || goes_before(c, &server->connection[found])))
            found = k;
    }
    if (found >= 0)
        hang_up(server, found);
    return found;
}

int ky_socket_prepare(int socket)
{
    return fcntl(socket, F_SETFD, FD_CLOEXEC) < 0 || fcntl(socket, F_SETFL, O_NONBLOCK) < 0 ? -1
                                                                                            : 0;
}

static void take_in(struct ky_server *server)
{
    const int socket = accept(server->view->listener, NULL, NULL);
    if (socket < 0)
        return;
    const int one = 1, k = find_place(server);
    if (k < 0 || ky_socket_prepare(socket)) {
        close(socket);
        return;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    server->connection[k].socket = socket;
    server->connection[k].moved = server->connection[k].began = ky_clock();
}

/* ---- requests and answers ---- */

static void begin_answer(struct connection *c, const struct ky_reply *reply)
{
    c->head = ky_http_write(c->out, &reply->answer);
    c->sent = 0;
    c->body = reply->body;
    c->last = reply->answer.last;
    c->waits = 0;
    c->moved = ky_clock();
}

/* Answers the first request in the buffer, if it is complete. */
static void answer(struct ky_server *server, int k)
{
    struct connection *c = &server->connection[k];
    struct ky_request request = {.last = 1};
    struct ky_reply reply;
    const size_t length = ky_http_head(c->in, c->received);
    if (!length && c->received < REQUEST)
        return;
    const enum ky_http code = length ? ky_http_read(c->in, length, &request) : KY_HTTP_LONG;
    ky_reply_to(server->view, &request, code, &reply);
    c->received -= length;
    memmove(c->in, c->in + length, c->received);
    c->is_known |= reply.is_known;
    c->waits = reply.wanted != 0;
    c->last = reply.answer.last;
    if (c->waits)
        ky_desk_want(server->view, k, reply.wanted);
    else
        begin_answer(c, &reply);
}

/* Begins the answer of a connection whose frame is available. */
static void answer_with_frame(struct ky_server *server, int k)
{
    struct connection *c = &server->connection[k];
    struct ky_blob *frame = c->waits ? ky_desk_frame(server->view, k) : NULL;
    struct ky_reply reply = {.answer = {.last = c->last}};
    if (!frame)
        return;
    ky_reply_with_frame(frame, &reply);
    begin_answer(c, &reply);
}

/* Reads pending bytes. A waiting connection is read too, since this is the only way to notice that
 * its page is gone. */
static void receive(struct ky_server *server, int k)
{
    struct connection *c = &server->connection[k];
    const ssize_t got = recv(c->socket, c->in + c->received, REQUEST - c->received, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) { /* closed, or the buffer is full while it waits */
        hang_up(server, k);
        return;
    }
    c->moved = ky_clock();
    if (!c->received && c->is_known)
        c->began = c->moved;
    c->received += (size_t)got;
    if (!c->waits)
        answer(server, k);
}

/* Sends a part of header and body. 0 if the connection has failed. */
static int send_some(struct connection *c, const void *bytes, size_t count)
{
    const ssize_t gone = send(c->socket, bytes, count, MSG_NOSIGNAL);
    if (gone < 0)
        return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)gone;
    c->moved = ky_clock();
    return 1;
}

/* Discards bytes after the last request: a connection that is closed with unread bytes is reset,
 * and the answer may be lost. */
static void pass_over(const struct connection *c)
{
    char bytes[REQUEST];
    for (int k = 0; k < 64 && recv(c->socket, bytes, sizeof bytes, 0) > 0; k++)
        continue;
}

static void send_answer(struct ky_server *server, int k)
{
    struct connection *c = &server->connection[k];
    const size_t body = c->body ? c->body->size : 0;
    const int well = c->sent < c->head ? send_some(c, c->out + c->sent, c->head - c->sent)
                                       : send_some(c, c->body->byte + (c->sent - c->head),
                                                   body - (c->sent - c->head));
    if (well && c->sent < c->head + body)
        return;
    ky_desk_drop(server->view, c->body);
    c->body = NULL;
    c->head = 0;
    if (well && !c->last) {
        c->began = ky_clock();
        answer(server, k); /* the next request may already be in the buffer */
        return;
    }
    if (well)
        pass_over(c);
    hang_up(server, k);
}

/* ---- the loop ---- */

/* 1 if an answer has made no progress for too long, or a request has taken too long. For a
 * connection without a token the time begins when it connects. */
static int is_late(const struct connection *c, double now)
{
    return c->head ? now - c->moved > PATIENCE
                   : (!c->is_known || (c->received && !c->waits)) && now - c->began > PATIENCE;
}

static void lose_patience(struct ky_server *server)
{
    const double now = ky_clock();
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        if (server->connection[k].socket >= 0 && is_late(&server->connection[k], now))
            hang_up(server, k);
}

/* Fills the list for poll; returns its timeout [ms], −1: infinite. */
static int prepare(const struct ky_server *server, struct pollfd list[KY_VIEW_PAGES + 2],
                   int closing)
{
    int wait = closing ? 20 : -1;
    for (int k = 0; k < KY_VIEW_PAGES; k++) {
        const struct connection *c = &server->connection[k];
        list[k] = (struct pollfd){.fd = c->socket, .events = c->head ? POLLOUT : POLLIN};
        if (wait < 0 && c->socket >= 0 && (c->head || c->received || !c->is_known))
            wait = 1000;
    }
    list[KY_VIEW_PAGES] = (struct pollfd){.fd = server->view->wake[0], .events = POLLIN};
    list[KY_VIEW_PAGES + 1] = (struct pollfd){.fd = server->view->listener, .events = POLLIN};
    return wait;
}

static void work(struct ky_server *server, const struct pollfd list[KY_VIEW_PAGES + 2])
{
    char bytes[64];
    if (list[KY_VIEW_PAGES].revents)
        (void)!read(server->view->wake[0], bytes, sizeof bytes);
    for (int k = 0; k < KY_VIEW_PAGES; k++) {
        const struct connection *c = &server->connection[k];
        if (c->socket < 0)
            continue;
        if (list[k].revents && c->head)
            send_answer(server, k);
        else if (list[k].revents)
            receive(server, k);
        if (c->socket >= 0)
            answer_with_frame(server, k);
    }
    if (list[KY_VIEW_PAGES + 1].revents)
        take_in(server);
}

/* 1 if any connection has an unfinished answer. */
static int is_sending(const struct ky_server *server)
{
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        if (server->connection[k].head)
            return 1;
    return 0;
}

void *ky_server_run(void *of)
{
    struct ky_server *server = of;
    struct pollfd list[KY_VIEW_PAGES + 2];
    double closed = 0;
    for (;;) {
        const int closing = ky_desk_closing(server->view), wait = prepare(server, list, closing);
        if (closing && closed == 0)
            closed = ky_clock();
        if (poll(list, KY_VIEW_PAGES + 2, wait) > 0)
            work(server, list);
        lose_patience(server);
        if (closing && ((closing == 1 && !is_sending(server)) || ky_clock() - closed > FAREWELL))
            break;
    }
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        if (server->connection[k].socket >= 0)
            hang_up(server, k);
    return NULL;
}

struct ky_server *ky_server_make(struct ky_view *view)
{
    struct ky_server *server = ky_allocate_zeroed(1, sizeof *server);
    for (int k = 0; server && k < KY_VIEW_PAGES; k++)
        server->connection[k].socket = -1;
    if (server)
        server->view = view;
    return server;
}
