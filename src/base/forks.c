/* See forks.h. */
#include "base/forks.h"

#include <pthread.h>

static int is_child;
static pthread_once_t watch = PTHREAD_ONCE_INIT;

static void now_a_child(void)
{
    is_child = 1;
}

static void begin(void)
{
    pthread_atfork(NULL, NULL, now_a_child);
}

void ky_forks_watch(void)
{
    pthread_once(&watch, begin);
}

int ky_forks_is_child(void)
{
    return is_child;
}
