/* The number of threads that a program chooses for a thread of its own. */
#include "base/threads.h"

#include "kyoho/kyoho.h"

enum { MOST = 1024 }; /* as --threads */

int ky_use_threads(int threads)
{
    static _Thread_local int chosen, usual; /* usual: the number without a choice; 0: not known */
    const int before = chosen;
    if (!usual)
        usual = ky_threads(0);
    chosen = threads < 0 ? 0 : threads > MOST ? MOST : threads;
    ky_threads_restore(chosen ? chosen : usual);
    return before;
}
