/* The program `kyoho`. */
#include <stdio.h>

#include "kyoho/kyoho.h"

int main(void)
{
    printf("kyoho %s\n", ky_version());
    return 0;
}
