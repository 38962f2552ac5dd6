/* Launches of kernels on the host: a block at a time, each of its lanes a fiber. A lane runs until
 * it waits for its warp or its block; when all that have not ended wait for the same, they go on.
 * Lanes that wait for different things are an error of the kernel, which ends the program. */
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include "access.h"
#include "kernels.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

__thread dim3 threadIdx, blockIdx;

namespace
{

enum { WARP = 32, MOST_LANES = 1024, STACK = 1 << 18 };
enum state { READY, FOR_WARP, FOR_BLOCK, ENDED };

struct fiber {
#if defined(__x86_64__)
    void *stack_pointer;
#else
    ucontext_t context;
#endif
    char *stack;
};

struct lane {
    fiber own;
    state is;
    unsigned given[2]; /* to the present shuffle of the warp, and to the one before */
    int turn;
};

struct block {
    lane lanes[MOST_LANES];
    fiber outer;
    unsigned count, now;
    const void *shown[MOST_LANES];
    unsigned met[MOST_LANES / WARP]; /* by warp: bits of the lanes that met at its last barrier */
    const ky_host_kernel *kernel;
    void **values;
};

thread_local block *running;
/* KYOHO_TEST_LANES=backwards: the last block, and the last lane of a warp, run first. Other results
 * are then due to blocks that depend on the order of their atomics, or to lanes that read what
 * others write without a barrier between. */
const bool backwards =
    getenv("KYOHO_TEST_LANES") && !strcmp(getenv("KYOHO_TEST_LANES"), "backwards");

#if defined(__SANITIZE_ADDRESS__)
/* Tells the sanitizer of the stack that comes. */
void begin_switch(void **fake, const char *stack)
{
    __sanitizer_start_switch_fiber(fake, stack, STACK);
}

void end_switch(void *fake)
{
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}
#endif

#if defined(__x86_64__)

/* Saves the registers that a call keeps on the stack and its pointer in *from, and goes on where
 * `to` was saved. */
extern "C" void ky_host_switch(void **from, void *to);
asm(".text\n"
    ".globl ky_host_switch\n"
    ".type ky_host_switch, @function\n"
    "ky_host_switch:\n"
    "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    mov %rsp, (%rdi)\n"
    "    mov %rsi, %rsp\n"
    "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
    "    ret\n"
    ".size ky_host_switch, . - ky_host_switch\n"
    ".section .note.GNU-stack,\"\",@progbits\n"
    ".text\n");

void change(fiber &from, fiber &to)
{
    ky_host_switch(&from.stack_pointer, to.stack_pointer);
}

void make(fiber &one, void (*begin)())
{
    void **top = (void **)(one.stack + STACK);
    *--top = nullptr; /* the caller of `begin`, which never returns; it keeps the stack aligned */
    *--top = (void *)begin;
    top -= 6;
    one.stack_pointer = top;
}

#else

void change(fiber &from, fiber &to)
{
    swapcontext(&from.context, &to.context);
}

void make(fiber &one, void (*begin)())
{
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = one.stack;
    one.context.uc_stack.ss_size = STACK;
    makecontext(&one.context, begin, 0);
}

#endif

/* Back to the block's scheduler. */
void leave(state is)
{
    lane &own = running->lanes[running->now];
    own.is = is;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = nullptr;
    begin_switch(&fake, running->outer.stack);
#endif
    change(own.own, running->outer);
#if defined(__SANITIZE_ADDRESS__)
    end_switch(fake);
#endif
}

void begin_lane()
{
#if defined(__SANITIZE_ADDRESS__)
    end_switch(nullptr);
#endif
    running->kernel->call(running->kernel->function, running->values);
    leave(ENDED);
}

void run_lane(block &b, unsigned k)
{
    b.now = k;
    threadIdx.x = k;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = nullptr;
    begin_switch(&fake, b.lanes[k].own.stack);
#endif
    change(b.outer, b.lanes[k].own);
#if defined(__SANITIZE_ADDRESS__)
    end_switch(fake);
#endif
}

/* Lanes first … end − 1: those that wait so go on if all that have not ended do. Returns how many
 * go on. */
unsigned release(block &b, unsigned first, unsigned end, state waiting)
{
    unsigned wait = 0, live = 0;
    for (unsigned k = first; k < end; k++) {
        wait += b.lanes[k].is == waiting;
        live += b.lanes[k].is != ENDED;
    }
    for (unsigned k = first; k < end && wait == live; k++)
        if (b.lanes[k].is == waiting)
            b.lanes[k].is = READY;
    return wait == live ? wait : 0;
}

unsigned live_lanes(const block &b)
{
    unsigned live = 0;
    for (unsigned k = 0; k < b.count; k++)
        live += b.lanes[k].is != ENDED;
    return live;
}

void run_block(block &b)
{
    for (unsigned k = 0; k < b.count; k++) {
        b.lanes[k].is = READY;
        b.lanes[k].turn = 0;
        make(b.lanes[k].own, begin_lane);
    }
    while (live_lanes(b)) {
        unsigned progress = 0;
        for (unsigned first = 0; first < b.count; first += WARP) {
            const unsigned end = first + WARP < b.count ? first + WARP : b.count;
            do {
                for (unsigned j = first; j < end; j++) {
                    const unsigned k = backwards ? end - 1 - (j - first) : j;
                    if (b.lanes[k].is == READY) {
                        run_lane(b, k);
                        progress++;
                    }
                }
                b.met[first / WARP] = 0;
                for (unsigned k = first; k < end; k++)
                    b.met[first / WARP] |= (unsigned)(b.lanes[k].is == FOR_WARP) << k % WARP;
            } while (release(b, first, end, FOR_WARP));
        }
        progress += release(b, 0, b.count, FOR_BLOCK);
        if (!progress) {
            fprintf(stderr, "block %u: lanes wait for different barriers\n", blockIdx.x);
            abort();
        }
    }
}

/* The block of this thread, with stacks for so many lanes. */
block *block_of(unsigned count)
{
    static thread_local struct kept {
        block *own = nullptr;
        ~kept()
        {
            for (unsigned k = 0; own && k < MOST_LANES; k++)
                if (own->lanes[k].own.stack)
                    munmap(own->lanes[k].own.stack, STACK);
            delete own;
        }
    } kept;
    if (!kept.own)
        kept.own = new block();
    for (unsigned k = 0; k < count; k++)
        if (!kept.own->lanes[k].own.stack) {
            void *stack =
                mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (stack == MAP_FAILED)
                abort();
            kept.own->lanes[k].own.stack = (char *)stack;
        }
    kept.own->count = count;
    return kept.own;
}

/* Subnormal numbers are 0 in kernels, as with nvcc -ftz=true. Returns what `restore` takes. */
unsigned flush_subnormals()
{
#if defined(__SSE__)
    const unsigned control = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(control | 0x8040);
    return control;
#else
    return 0;
#endif
}

void restore(unsigned control)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(control);
#else
    (void)control;
#endif
}

} // namespace

void ky_host_warp_sync()
{
    leave(FOR_WARP);
}

void ky_host_block_sync()
{
    leave(FOR_BLOCK);
}

unsigned ky_host_shuffle(unsigned value, unsigned from)
{
    const unsigned own = running->now;
    const int turn = running->lanes[own].turn;
    running->lanes[own].given[turn] = value;
    running->lanes[own].turn = !turn;
    ky_host_warp_sync();
    return running->lanes[own / WARP * WARP + from].given[turn];
}

const void *const *ky_host_show(const void *own)
{
    running->shown[running->now] = own;
    ky_host_warp_sync();
    return running->shown + running->now / WARP * WARP;
}

unsigned ky_host_ballot(int predicate)
{
    const unsigned own = running->now, first = own / WARP * WARP;
    const int turn = running->lanes[own].turn;
    unsigned bits = 0;
    running->lanes[own].given[turn] = predicate != 0;
    running->lanes[own].turn = !turn;
    ky_host_warp_sync();
    for (unsigned k = 0; k < WARP && first + k < running->count; k++)
        bits |= running->lanes[first + k].given[turn] << k;
    return bits & running->met[own / WARP];
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 lanes, void **values, size_t,
                             cudaStream_t)
{
    if (lanes.x < 1 || lanes.x > MOST_LANES)
        return cudaErrorInvalidValue;
    block *b = block_of(lanes.x);
    running = b;
    b->kernel = (const ky_host_kernel *)kernel;
    b->values = values;
    const ky_host_access access;
    const unsigned control = flush_subnormals();
    for (unsigned k = 0; k < grid.x; k++) {
        blockIdx.x = backwards ? grid.x - 1 - k : k;
        run_block(*b);
    }
    restore(control);
    return cudaSuccess;
}
