/* Sums over pairs of the Hermite scheme on a board (cpu->board) in place of the lanes. The board
 * has a slot for each body, with the state at the end of its last step, and predicts the bodies
 * itself. Slots of bodies without mass, hidden members of groups among them, are empty. */
#ifndef KY_CPU_HERMITE_BOARD_H
#define KY_CPU_HERMITE_BOARD_H

#include "engine/cpu/lanes/moving_table.h"
#include "engine/cpu/steps/hermite.h"
#include "engine/cpu/steps/levels.h"

/* The tick of the next sums, and of the bodies that are sent. */
void ky_cpu_send_at(const struct ky_cpu_way *b, uint64_t tick);
/* Sends all bodies as they were at the ends of their last steps. The tick is way->now. This and
 * ky_cpu_send do nothing without a board, and fail as the board does. */
enum ky_status ky_cpu_send_all(const struct ky_cpu_way *b, struct ky_error *error);
/* Sends some bodies, in any order, as they are at the tick. */
enum ky_status ky_cpu_send(const struct ky_cpu_way *b, const uint32_t *body, size_t count,
                           struct ky_error *error);
/* Fills the sums of `count` sinks, up to KY_HERMITE_BATCH, in the lanes' units. */
enum ky_status ky_cpu_sum_on_board(const struct ky_cpu *cpu, struct ky_moving_sinks *block,
                                   size_t count, struct ky_error *error);
void ky_cpu_free_sent(struct ky_cpu *cpu);
/* Bytes of the arrays that are sent, for n bodies. */
double ky_cpu_sent_memory(const struct ky_cpu *cpu, size_t n);

#endif
