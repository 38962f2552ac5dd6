/* The number of threads of the test. */
#ifndef KY_TESTS_TASKS_H
#define KY_TESTS_TASKS_H

#include <dirent.h>

/* The number of threads of this process; 0 if the kernel does not tell. */
static inline int threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    int count = 0;
    while (tasks && (task = readdir(tasks)))
        count += task->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

#endif
