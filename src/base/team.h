/* The threads behind `#pragma omp`: gcc calls these functions of team.c instead of OpenMP's
 * library, whose threads spin while they wait and take the cores from other programs. Make includes
 * this file before every source. With other compilers, or TEAM=no, it is left out, and OpenMP's own
 * threads do the loops.
 *
 * The file has these parts of OpenMP: parallel loops of schedule static or dynamic, one in a
 * region; reductions; if; num_threads; atomic. Other constructs (barrier, single, critical,
 * ordered, task) are not defined, so linking fails. A region within a region runs on one thread. A
 * region whose threads cannot all be made runs on fewer. */
#ifndef KY_BASE_TEAM_H
#define KY_BASE_TEAM_H

/* clang-format off */
#define KY_TEAM_IS(theirs, ours) ".set " theirs ", ky_team_" ours "\n"
__asm__(KY_TEAM_IS("GOMP_parallel", "parallel")
        KY_TEAM_IS("GOMP_parallel_loop_nonmonotonic_dynamic", "parallel_loop")
        KY_TEAM_IS("GOMP_loop_nonmonotonic_dynamic_start", "start_long")
        KY_TEAM_IS("GOMP_loop_nonmonotonic_dynamic_next", "next_long")
        KY_TEAM_IS("GOMP_loop_ull_nonmonotonic_dynamic_start", "start")
        KY_TEAM_IS("GOMP_loop_ull_nonmonotonic_dynamic_next", "next")
        KY_TEAM_IS("GOMP_parallel_loop_dynamic", "parallel_loop") /* before gcc 9 */
        KY_TEAM_IS("GOMP_loop_dynamic_start", "start_long")
        KY_TEAM_IS("GOMP_loop_dynamic_next", "next_long")
        KY_TEAM_IS("GOMP_loop_ull_dynamic_start", "start")
        KY_TEAM_IS("GOMP_loop_ull_dynamic_next", "next")
        KY_TEAM_IS("GOMP_loop_end_nowait", "end")
        KY_TEAM_IS("GOMP_atomic_start", "lock")
        KY_TEAM_IS("GOMP_atomic_end", "unlock")
        KY_TEAM_IS("omp_get_thread_num", "thread")
        KY_TEAM_IS("omp_get_num_threads", "size")
        KY_TEAM_IS("omp_get_max_threads", "most")
        KY_TEAM_IS("omp_set_num_threads", "take")
        KY_TEAM_IS("omp_in_parallel", "at_work"));
/* clang-format on */

#endif
