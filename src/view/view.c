/* Opening and closing the view. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/sizes.h"
#include "base/status.h"
#include "view/answers.h"
#include "view/server.h"
#include "view/view_options.h"

/* ---- opening ---- */

static enum ky_status refused(const char *what, struct ky_error *error)
{
    char reason[128];
    return ky_fail(error, KY_UNSUPPORTED, "the view cannot %s: %s", what, ky_reason(errno, reason));
}

/* Listens only on the loopback interface. The system chooses a port if `port` is 0. */
static enum ky_status listen_on(struct ky_view *view, uint64_t port, struct ky_error *error)
{
    const int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                                  .sin_port = htons((uint16_t)port)};
    socklen_t length = sizeof address;
    view->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (view->listener < 0 || ky_socket_prepare(view->listener))
        return refused("open a socket", error);
    setsockopt(view->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(view->listener, (struct sockaddr *)&address, sizeof address)) {
        char reason[128];
        ky_reason(errno, reason);
        return ky_fail(
            error, KY_UNSUPPORTED,
            "the view cannot have port %llu of 127.0.0.1: %s; choose another --view-port, "
            "or 0",
            (unsigned long long)port, reason);
    }
    if (listen(view->listener, KY_VIEW_PAGES) ||
        getsockname(view->listener, (struct sockaddr *)&address, &length))
        return refused("listen", error);
    ky_format(view->address, sizeof view->address, "http://127.0.0.1:%u/?token=%s",
              (unsigned)ntohs(address.sin_port), view->token);
    return KY_OK;
}

/* Starts the thread, which blocks all signals: they are for the program's own threads. */
static enum ky_status start(struct ky_view *view, struct ky_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&view->thread, NULL, ky_server_run, view->server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return failed ? refused("start a thread", error) : KY_OK;
}

static void close_descriptors(const struct ky_view *view)
{
    const int own[] = {view->listener, view->wake[0], view->wake[1]};
    for (int k = 0; k < 3; k++)
        if (own[k] >= 0)
            close(own[k]);
}

/* Closes all files and frees the view, whose thread has ended or was never started. */
static void drop(struct ky_view *view)
{
    close_descriptors(view);
    for (int k = 0; k < KY_VIEW_PAGES; k++)
        ky_blob_drop(view->ready[k]);
    ky_blob_drop(view->frame);
    pthread_mutex_destroy(&view->lock);
    pthread_cond_destroy(&view->changed);
    free(view->energy);
    free(view->title);
    free(view->server);
    free(view);
}

static enum ky_status open_all(struct ky_view *view, const struct ky_view_parameters *parameters,
                               struct ky_error *error)
{
    if (parameters->title && !(view->title = strdup(parameters->title)))
        return ky_no_memory(error, "title of the view", strlen(parameters->title) + 1, 1);
    view->server = ky_server_make(view);
    if (!view->server)
        return ky_no_memory(error, "server of the view", 1, 1 << 18);
    if (!ky_token_make(view->token))
        return refused("get random numbers from /dev/urandom", error);
    if (pipe(view->wake) || ky_socket_prepare(view->wake[0]) || ky_socket_prepare(view->wake[1]))
        return refused("open a pipe", error);
    KY_TRY(listen_on(view, parameters->port, error));
    return start(view, error);
}

enum ky_status ky_view_open(const struct ky_view_parameters *parameters, struct ky_view **view,
                            struct ky_error *error)
{
    KY_NEED(view, error);
    *view = NULL;
    struct ky_view_parameters own;
    ky_view_parameters_defaults(&own);
    const struct ky_option_set set = {"view", ky_view_options, ky_view_option_count, &own, NULL,
                                      NULL};
    KY_TRY(ky_size_adopt(&own, sizeof own, parameters, "ky_view_parameters_defaults", error));
    KY_TRY(ky_options_check(&set, error));
    struct ky_view *made;
    KY_TRY(ky_array_zeroed(&made, 1, sizeof *made, "view", error));
    made->calls = &ky_view_desk;
    made->listener = made->wake[0] = made->wake[1] = -1;
    made->most = (size_t)own.bodies;
    made->framed = own.frame;
    made->process = getpid();
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    enum ky_status status = open_all(made, &own, error);
    if (status)
        drop(made);
    else
        *view = made;
    return status;
}

const char *ky_view_address(const struct ky_view *view)
{
    return view ? view->address : NULL;
}

void ky_view_close(struct ky_view *view)
{
    if (!view)
        return;
    if (ky_view_desk.is_inherited(
            view)) { /* a thread that does not exist in this process may have held the lock */
        close_descriptors(view);
        return;
    }
    pthread_mutex_lock(&view->lock);
    view->closing = 1;
    pthread_mutex_unlock(&view->lock);
    (void)!write(view->wake[1], "", 1);
    pthread_join(view->thread, NULL);
    drop(view);
}
