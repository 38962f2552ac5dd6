/* The name of this computer. */
#include "base/host.h"

#include <stdio.h>
#include <unistd.h>

const char *ky_host_name(char name[KY_HOST_NAME])
{
    name[KY_HOST_NAME - 1] = '\0';
    if (gethostname(name, KY_HOST_NAME - 1) || !*name)
        snprintf(name, KY_HOST_NAME, "a machine without a name");
    return name;
}
