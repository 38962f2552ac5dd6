/* The server of the view, from C: its requests, a run that is steered, a folder. */
#include "test.h"

#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sample_ids.h"
#include "simulation/sim.h"
#include "systems.h"
#include "view/http.h"
#include "view/view.h"

static struct ky_error error;
static char top[] = "/tmp/kyoho-test-XXXXXX", folder[64];

/* ---- a client ---- */

static const char *token_of(const struct ky_view *view)
{
    return strstr(ky_view_address(view), "token=") + 6;
}

/* A connection to the view, which sends `count` bytes. */
static int call(const struct ky_view *view, const char *bytes, size_t count)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const int port = atoi(strstr(ky_view_address(view), "127.0.0.1:") + 10);
    address.sin_port = htons((uint16_t)port);
    const int line = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(line, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(line, bytes, count, MSG_NOSIGNAL), count);
    return line;
}

/* Reads until the server closes; returns the bytes, with a zero behind them, to be freed. */
static char *hear(int line, size_t *count)
{
    char *text = NULL;
    *count = 0;
    for (ssize_t got = 1; got > 0; *count += got > 0 ? (size_t)got : 0) {
        text = realloc(text, *count + 10001);
        got = recv(line, text + *count, 10000, 0);
    }
    text[*count] = '\0';
    close(line);
    return text;
}

/* Asks once, and expects that code; returns the body with a zero behind it, to be freed. */
static char *ask(const struct ky_view *view, const char *method, const char *path,
                 enum ky_http expected)
{
    char request[400];
    size_t count;
    const int length = snprintf(request, sizeof request,
                                "%s %s HTTP/1.1\r\nHost: localhost\r\nX-Kyoho-Token: "
                                "%s\r\nConnection: close\r\n\r\n",
                                method, path, token_of(view));
    char *answer = hear(call(view, request, (size_t)length), &count);
    assert_int_equal(strncmp(answer, "HTTP/1.1 ", 9), 0);
    assert_int_equal(atoi(answer + 9), expected);
    const size_t head = ky_http_head(answer, count);
    memmove(answer, answer + head, count - head + 1);
    return answer;
}

static void order(const struct ky_view *view, const char *path, enum ky_http expected)
{
    free(ask(view, "POST", path, expected));
}

/* The number of that name in a frame's text. */
static double number_of(const char *frame, const char *name)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *found = strstr(frame + 4, quoted);
    assert_non_null(found);
    return atof(found + strlen(quoted));
}

/* The first frame after `from`; to be freed. */
static char *frame_after(const struct ky_view *view, double from)
{
    char path[60];
    snprintf(path, sizeof path, "/frame?from=%.0f", from);
    return ask(view, "GET", path, KY_HTTP_OK);
}

/* Orders a step of a run that is paused at `steps`, whose last frame had that number. A frame that
 * comes between order and step shows the steps as they were. Returns the number of the frame that
 * shows the step. */
static double order_a_step(const struct ky_view *view, double number, double steps)
{
    order(view, "/step", KY_HTTP_OK);
    for (double now = steps; now != steps + 1;) {
        char *frame = frame_after(view, number);
        number = number_of(frame, "number");
        now = number_of(frame, "steps");
        free(frame);
        assert_true(now == steps || now == steps + 1);
    }
    return number;
}

/* ---- requests as text ---- */

static void heads_of_requests(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ky_http code;
    } heads[] = {
        {"GET / HTTP/1.1\r\n\r\n", KY_HTTP_OK},
        {"GET /a?b HTTP/1.0\r\nHost: x \r\nOther:\r\n\r\n", KY_HTTP_OK},
        {"POST /a HTTP/1.1\r\ncontent-length: 0\r\n\r\n", KY_HTTP_OK},
        {"POST /a HTTP/1.1\r\nContent-Length: 1\r\n\r\n", KY_HTTP_BODY},
        {"POST /a HTTP/1.1\r\nContent-Length: 00\r\n\r\n", KY_HTTP_BODY},
        {"POST /a HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n", KY_HTTP_BODY},
        {"\r\n\r\n", KY_HTTP_BAD},
        {"GET\r\n\r\n", KY_HTTP_BAD},
        {"GET /\r\n\r\n", KY_HTTP_BAD},
        {"GET x HTTP/1.1\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.2\r\n\r\n", KY_HTTP_BAD},
        {"GET / x HTTP/1.1\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.1\r\n: x\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.1\r\nHost\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.1\r\nHost : x\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.1\r\n Host: x\r\n\r\n", KY_HTTP_BAD},
        {"GET / HTTP/1.1\r\nHost: x\r\nHOST: x\r\n\r\n", KY_HTTP_BAD},
    };
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        const size_t length = strlen(heads[k].text);
        struct ky_request request;
        for (size_t cut = 0; cut < length; cut++) { /* memory ends where the head does */
            char *part = malloc(cut ? cut : 1);
            memcpy(part, heads[k].text, cut);
            assert_int_equal(ky_http_head(part, cut), 0);
            free(part);
        }
        char *head = malloc(length);
        memcpy(head, heads[k].text, length);
        assert_int_equal(ky_http_head(head, length), length);
        if (ky_http_read(head, length, &request) != heads[k].code)
            fail_msg("%s", heads[k].text);
        if (k == 1) {
            assert_string_equal(request.path, "/a");
            assert_string_equal(request.query, "b");
            assert_string_equal(request.host, "x");
            assert_true(request.last && !request.token && !request.origin);
        }
        free(head);
    }
}

/* ---- samples ---- */

static void samples_keep_their_bodies(void **state)
{
    (void)state;
    enum { N = 20000, MOST = 1000 };
    static size_t all[N], some[MOST], later[MOST];
    static uint64_t id[N];
    for (uint64_t i = 0; i < N; i++)
        id[i] = 7 * i + 3;
    assert_int_equal(ky_sample_ids(id, N, N, all), N);
    assert_true(all[0] == 0 && all[N - 1] == N - 1);
    assert_int_equal(ky_sample_ids(id, 0, MOST, some), 0);
    assert_int_equal(ky_sample_ids(id, N, 1, some) <= 1, 1);
    const size_t count = ky_sample_ids(id, N, MOST, some);
    assert_between((double)count, 0.8 * MOST, MOST);
    size_t halves[2] = {0};
    for (size_t k = 0; k < count; k++)
        halves[some[k] >= N / 2]++;
    assert_between((double)halves[0] / (double)count, 0.42, 0.58);
    /* without its first ten bodies the others are nearly the same */
    const size_t left = ky_sample_ids(id + 10, N - 10, MOST, later);
    size_t kept = 0;
    for (size_t k = 0, l = 0; k < count; k++) {
        while (l < left && later[l] + 10 < some[k])
            l++;
        kept += l < left && later[l] + 10 == some[k];
    }
    assert_true(kept + 5 >= count);
}

/* ---- a run ---- */

struct work {
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_error error;
    enum ky_status status;
};

static void *run_it(void *of)
{
    struct work *work = of;
    work->status = ky_run(&work->parameters, &work->run, &work->bodies, &work->error);
    return NULL;
}

static void prepare(struct work *work, struct ky_view *view, size_t n)
{
    ky_parameters_defaults(&work->parameters);
    work->parameters.engine = "cpu";
    work->parameters.threads = 1;
    work->parameters.step = 0.001;
    work->parameters.softening = 0.1;
    ky_run_parameters_defaults(&work->run);
    work->run.output = folder;
    work->run.overwrite = 1;
    work->run.steps = 100000000;
    work->run.view = view;
    model("plummer", n, 0.1, &work->bodies);
}

static void open_view(uint64_t bodies, struct ky_view **view)
{
    struct ky_view_parameters parameters;
    ky_view_parameters_defaults(&parameters);
    parameters.bodies = bodies;
    assert_ok(ky_view_open(&parameters, view, &error));
}

static void a_run_is_steered(void **state)
{
    (void)state;
    static const char *const doors[] = {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                        "GET /frame?from=0 HTTP/1.1\r\nHost: x\r\n\r\n"};
    struct work work;
    struct ky_stop stop = {.size = sizeof stop};
    struct ky_view *view;
    pthread_t thread;
    char *frame, *page;
    size_t count;
    open_view(100, &view);
    prepare(&work, view, 300);
    work.run.stopped = &stop;
    pthread_create(&thread, NULL, run_it, &work);
    frame = frame_after(view, 0);
    assert_true(number_of(frame, "bodies") == 300);
    assert_between(number_of(frame, "shown"), 50, 100);
    free(frame);
    page = ask(view, "GET", "/", KY_HTTP_OK);
    assert_non_null(strstr(page, "</script></html>"));
    free(page);
    for (size_t k = 0; k < 2; k++) { /* no token, another host */
        char *answer = hear(call(view, doors[k], strlen(doors[k])), &count);
        assert_int_equal(strncmp(answer, "HTTP/1.1 403", 12), 0);
        free(answer);
    }
    order(view, "/pause", KY_HTTP_OK);
    double number = 0, steps = 0;
    for (int paused = 0; !paused; free(frame)) {
        frame = frame_after(view, number);
        number = number_of(frame, "number");
        steps = number_of(frame, "steps");
        paused = strstr(frame + 4, "\"paused\": true") != NULL;
    }
    number = order_a_step(view, number, steps);
    order(view, "/snapshot", KY_HTTP_OK);
    frame = frame_after(view, number);
    assert_true(number_of(frame, "snapshots") == 2);
    free(frame);
    order(view, "/resume", KY_HTTP_OK);
    order(view, "/stop", KY_HTTP_OK);
    pthread_join(thread, NULL);
    assert_int_equal(work.status, KY_STOPPED);
    assert_int_equal(stop.kind, KY_STOP_ASKED);
    order(view, "/pause", KY_HTTP_NO_RUN);
    ky_view_close(view);
    struct ky_paths paths = {0};
    assert_ok(ky_run_snapshots(folder, &paths, &error));
    assert_int_equal(paths.count, 2);
    ky_paths_free(&paths);
}

/* Pages that read nothing, send parts of requests or too much, and go, while a run makes frames. */
static void pages_that_misbehave(void **state)
{
    (void)state;
    enum { PAGES = 12 };
    struct work work;
    struct ky_view *view;
    pthread_t thread;
    char request[200], much[6000];
    int line[PAGES];
    open_view(100000, &view);
    prepare(&work, view, 5000);
    pthread_create(&thread, NULL, run_it, &work);
    const size_t length = (size_t)snprintf(
        request, sizeof request,
        "GET /frame?from=0 HTTP/1.1\r\nHost: localhost\r\nX-Kyoho-Token: %s\r\n\r\n",
        token_of(view));
    memset(much, 'a', sizeof much);
    for (int k = 0; k < PAGES; k++)
        switch (k % 4) {
        case 0: /* reads nothing */
            line[k] = call(view, request, length);
            break;
        case 1: /* a part of a request */
            line[k] = call(view, request, length - (size_t)k);
            break;
        case 2: /* too much */
            line[k] = call(view, much, sizeof much);
            break;
        default: /* goes at once */
            line[k] = call(view, request, length);
            close(line[k]);
        }
    double number = 0;
    for (int k = 0; k < 4; k++) {
        char *frame = frame_after(view, number);
        number = number_of(frame, "number");
        free(frame);
    }
    assert_true(number >= 4);
    for (int k = 0; k < PAGES; k++)
        if (k % 4 < 3)
            close(line[k]);
    order(view, "/stop", KY_HTTP_OK);
    pthread_join(thread, NULL);
    assert_int_equal(work.status, KY_STOPPED);
    ky_view_close(view);
}

/* ---- a simulation without a run ---- */

struct steps {
    struct ky_view *view;
    struct ky_sim *sim;
    unsigned ordered; /* all that was asked for */
};

/* Makes steps until a page orders to stop. */
static void *make_steps(void *of)
{
    struct steps *steps = of;
    struct ky_error own;
    for (unsigned orders = 0; !(orders & KY_SHOW_STOP); steps->ordered |= orders) {
        if (!(orders & KY_SHOW_WAIT) && ky_sim_advance(steps->sim, 1, &own))
            return NULL;
        if (ky_sim_show(steps->sim, steps->view, &orders, &own))
            return NULL;
    }
    return of;
}

static void a_simulation_is_shown(void **state)
{
    (void)state;
    struct work work;
    struct steps steps = {0};
    pthread_t thread;
    void *ended;
    unsigned orders = 7;
    prepare(&work, NULL, 300);
    open_view(100, &steps.view);
    assert_ok(ky_sim_open(&work.parameters, &work.bodies.bodies, 0, &steps.sim, &error));
    assert_ok(ky_sim_show(steps.sim, steps.view, &orders, &error)); /* nobody looks */
    assert_int_equal(orders, 0);
    assert_int_equal(ky_sim_show(steps.sim, NULL, &orders, &error), KY_USAGE);
    assert_int_equal(ky_sim_show(steps.sim, steps.view, NULL, &error), KY_USAGE);
    for (int round = 0; round < 2; round++) { /* the order to stop holds once */
        pthread_create(&thread, NULL, make_steps, &steps);
        char *frame = frame_after(steps.view, 0);
        assert_true(number_of(frame, "bodies") == 300);
        assert_between(number_of(frame, "shown"), 50, 100);
        double number = number_of(frame, "number"), at = 0;
        free(frame);
        order(steps.view, "/pause", KY_HTTP_OK);
        for (int paused = 0; !paused; free(frame)) {
            frame = frame_after(steps.view, number);
            number = number_of(frame, "number");
            at = number_of(frame, "steps");
            paused = strstr(frame + 4, "\"paused\": true") != NULL;
        }
        order_a_step(steps.view, number, at);
        order(steps.view, "/snapshot", KY_HTTP_OK);
        free(ask(steps.view, "GET", "/energy?from=0", KY_HTTP_OK));
        order(steps.view, "/stop", KY_HTTP_OK);
        pthread_join(thread, &ended);
        assert_non_null(ended);
        assert_true(steps.ordered == (KY_SHOW_WAIT | KY_SHOW_SNAPSHOT | KY_SHOW_STOP));
        assert_true(ky_sim_steps(steps.sim) == (uint64_t)at + 1);
    }
    ky_sim_close(steps.sim);
    ky_view_close(steps.view);
    ky_snapshot_free(&work.bodies);
}

/* An order that comes while a frame is made, which cannot show what it does, has another frame. */
static void an_order_during_a_frame(void **state)
{
    (void)state;
    struct work work;
    struct ky_view *view;
    struct ky_sim *sim;
    struct ky_sim_watch watch = {0};
    uint64_t before, after;
    prepare(&work, NULL, 100);
    open_view(100, &view);
    assert_ok(ky_sim_open(&work.parameters, &work.bodies.bodies, 0, &sim, &error));
    struct ky_view_frame frame = {.units = &work.parameters.units, .title = "", .snapshots = 1};
    assert_ok(ky_view_desk.begin(view, 1, NULL, &error));
    assert_int_equal(ky_view_desk.take(view, KY_VIEW_SNAPSHOT, &before), 0);
    order(view, "/snapshot", KY_HTTP_OK);
    ky_sim_watch_give(&watch, sim, view, &frame, before);
    assert_int_equal(ky_view_desk.take(view, KY_VIEW_SNAPSHOT, &after), KY_VIEW_SNAPSHOT);
    assert_true(ky_sim_watch_is_due(&watch, sim, after, 1));
    ky_sim_watch_give(&watch, sim, view, &frame, after);
    assert_false(ky_sim_watch_is_due(&watch, sim, after, 1));
    ky_sim_watch_close(&watch);
    ky_sim_close(sim);
    ky_view_close(view);
    ky_snapshot_free(&work.bodies);
}

/* ---- a folder ---- */

static volatile int stop_showing; /* set by a signal, in the thread that reads it */

static void stop_it(int number)
{
    (void)number;
    stop_showing = 1;
}

struct showing {
    struct ky_view *view;
    enum ky_status status;
};

static void *show_it(void *of)
{
    struct showing *showing = of;
    struct ky_error own;
    showing->status = ky_view_folder(showing->view, folder, (double)NAN, &stop_showing, &own);
    return NULL;
}

static void a_folder_is_shown(void **state)
{
    (void)state;
    struct work work;
    struct showing showing = {0};
    pthread_t thread;
    prepare(&work, NULL, 100);
    work.run.steps = 8;
    work.run.every = 0.004;
    run_it(&work);
    assert_int_equal(work.status, KY_OK);
    open_view(100, &showing.view);
    signal(SIGUSR1, stop_it);
    pthread_create(&thread, NULL, show_it, &showing);
    for (int k = 3; k > 0; k--) {
        char *frame = frame_after(showing.view, k - 1);
        assert_true(number_of(frame, "number") == k && number_of(frame, "snapshots") == 3);
        assert_between(number_of(frame, "time"), 0.00399 * (k - 1), 0.00401 * (k - 1));
        free(frame);
    }
    char *frame = frame_after(showing.view, 3);
    assert_non_null(strstr(frame + 4, "there is no such snapshot"));
    free(frame);
    char *energy = ask(showing.view, "GET", "/energy?from=0", KY_HTTP_OK);
    assert_int_equal(strncmp(energy, "time,steps,", 11), 0);
    free(energy);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    assert_int_equal(showing.status, KY_OK);
    assert_ok(ky_view_folder(showing.view, folder, 0, &(volatile int){0}, &error)); /* 0 seconds */
    ky_view_close(showing.view);
}

/* The page has the path as its title, or the title of the parameters, which the view copies. */
static void a_title_is_given(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct ky_view_parameters parameters;
        struct showing showing = {0};
        pthread_t thread;
        char title[] = "two \"galaxies\"", wanted[128];
        ky_view_parameters_defaults(&parameters);
        parameters.title = k ? title : NULL;
        assert_ok(ky_view_open(&parameters, &showing.view, &error));
        memset(title, 'x', strlen(title));
        stop_showing = 0;
        signal(SIGUSR1, stop_it);
        pthread_create(&thread, NULL, show_it, &showing);
        char *frame = frame_after(showing.view, 0);
        snprintf(wanted, sizeof wanted, "\"title\": \"%s\"", k ? "two \\\"galaxies\\\"" : folder);
        assert_non_null(strstr(frame + 4, wanted));
        free(frame);
        pthread_kill(thread, SIGUSR1);
        pthread_join(thread, NULL);
        ky_view_close(showing.view);
    }
}

/* ---- what is refused ---- */

static void what_is_refused(void **state)
{
    (void)state;
    struct ky_view_parameters parameters;
    struct ky_view *view, *other;
    const volatile int stop = 0;
    ky_view_parameters_defaults(&parameters);
    assert_int_equal(ky_view_open(&parameters, NULL, &error), KY_USAGE);
    assert_int_equal(ky_view_open(NULL, &view, &error), KY_USAGE);
    parameters.bodies = 0;
    assert_int_equal(ky_view_open(&parameters, &view, &error), KY_USAGE);
    assert_null(view);
    open_view(10, &view);
    ky_view_parameters_defaults(&parameters);
    parameters.port = (uint64_t)atoi(strstr(ky_view_address(view), "127.0.0.1:") + 10);
    assert_int_equal(ky_view_open(&parameters, &other, &error), KY_UNSUPPORTED);
    assert_null(other);
    assert_int_equal(ky_view_folder(view, "/nowhere", 0, &stop, &error), KY_BAD_DATA);
    assert_int_equal(ky_view_folder(NULL, folder, 0, &stop, &error), KY_USAGE);
    assert_int_equal(ky_view_folder(view, NULL, 0, &stop, &error), KY_USAGE);
    assert_int_equal(ky_view_folder(view, folder, 0, NULL, &error), KY_USAGE);
    ky_view_close(view);
    ky_view_close(NULL);
    assert_null(ky_view_address(NULL));
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(top));
    snprintf(folder, sizeof folder, "%s/run", top);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", top);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_requests),     cmocka_unit_test(samples_keep_their_bodies),
        cmocka_unit_test(a_run_is_steered),      cmocka_unit_test(pages_that_misbehave),
        cmocka_unit_test(a_simulation_is_shown), cmocka_unit_test(an_order_during_a_frame),
        cmocka_unit_test(a_folder_is_shown),     cmocka_unit_test(a_title_is_given),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
