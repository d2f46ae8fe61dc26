#include "pool.h"

#include <stdlib.h>
#include <string.h>

#include "threads.h"

/* ticket = tiles << 31 | next tile. One word, so a late worker can only claim a tile of the job whose function it then reads. */
enum { TILE_BITS = 31 };
#define TILE_MASK (((int64_t)1 << TILE_BITS) - 1)

/* Spin windows: the gap between two jobs of one layer is a few microseconds; a longer one is a read or the sampler. */
enum { SPIN_MAX_NS = 40000, SPIN_MIN_NS = 2000, SPIN_SOON_NS = 100000, SPIN_BATCH = 32 };

struct worker {
    struct pool *pool;
    int32_t id;
    thread_t handle;
};

struct pool {
    atom_t ticket;
    char pad0[120]; /* own cache lines: every claim writes ticket, every finished tile writes done */
    atom_t done;
    char pad1[120];
    atom_t cancel, sleepers, caller_sleeps, stop;
    char pad2[96];
    tile_fn fn;
    void *job;
    int64_t run_ns; /* the caller's alone */
    int threads, started;
    lock_t lock;
    cond_t work, finished;
    struct worker workers[POOL_MAX_THREADS];
};

/* Claims and does tiles until none is left. */
static void take_part(struct pool *p, int32_t thread) {
    for (;;) {
        const int64_t t = atom_load(&p->ticket);
        const int64_t next = t & TILE_MASK, tiles = t >> TILE_BITS;
        if (next >= tiles) return;
        if (!atom_swap_if(&p->ticket, t, t + 1)) continue;
        if (!atom_load(&p->cancel)) p->fn(p->job, (int32_t)next, thread);
        if (atom_add(&p->done, 1) == tiles && atom_load(&p->caller_sleeps)) {
            lock_take(&p->lock);
            cond_wake_all(&p->finished);
            lock_drop(&p->lock);
        }
    }
}

static int has_work(struct pool *p) {
    const int64_t t = atom_load(&p->ticket);
    return (t & TILE_MASK) < (t >> TILE_BITS) || atom_load(&p->stop);
}

/* 1 where ready(p) became true within ns. */
static int spin(struct pool *p, int (*ready)(struct pool *), int64_t ns) {
    if (ready(p)) return 1;
    const int64_t end = clock_ns() + ns;
    do {
        for (int i = 0; i < SPIN_BATCH; i++) {
            cpu_pause();
            if (ready(p)) return 1;
        }
    } while (clock_ns() < end);
    return 0;
}

static void sleep_until_work(struct pool *p) {
    lock_take(&p->lock);
    atom_add(&p->sleepers, 1);
    while (!has_work(p)) cond_wait(&p->work, &p->lock);
    atom_add(&p->sleepers, -1);
    lock_drop(&p->lock);
}

static THREAD_RESULT worker_main(void *arg) {
    struct worker *w = arg;
    struct pool *p = w->pool;
    int64_t window = SPIN_MAX_NS;
    for (;;) {
        if (!spin(p, has_work, window)) {
            const int64_t began = clock_ns();
            sleep_until_work(p);
            window = clock_ns() - began < SPIN_SOON_NS ? SPIN_MAX_NS : window / 2;
            if (window < SPIN_MIN_NS) window = SPIN_MIN_NS;
        } else if (window < SPIN_MAX_NS) {
            window *= 2;
        }
        if (atom_load(&p->stop)) return 0;
        take_part(p, w->id);
    }
}

struct pool *pool_create(int threads) {
    if (threads < 1 || threads > POOL_MAX_THREADS) return NULL;
    struct pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    lock_init(&p->lock);
    cond_init(&p->work);
    cond_init(&p->finished);
    p->threads = threads;
    for (int i = 1; i < threads; i++) {
        struct worker *w = &p->workers[i];
        w->pool = p;
        w->id = i;
        if (thread_start(&w->handle, worker_main, w) != 0) {
            pool_destroy(p);
            return NULL;
        }
        p->started++;
    }
    return p;
}

void pool_destroy(struct pool *p) {
    if (!p) return;
    lock_take(&p->lock);
    atom_store(&p->stop, 1);
    cond_wake_all(&p->work);
    lock_drop(&p->lock);
    for (int i = 1; i <= p->started; i++) thread_join(p->workers[i].handle);
    cond_free(&p->work);
    cond_free(&p->finished);
    lock_free(&p->lock);
    free(p);
}

int pool_threads(const struct pool *p) { return p->threads; }
void pool_cancel(struct pool *p, int on) { atom_store(&p->cancel, on); }
int pool_cancelled(const struct pool *p) { return atom_load((atom_t *)&p->cancel) != 0; }

static int all_done(struct pool *p) { return atom_load(&p->done) == atom_load(&p->ticket) >> TILE_BITS; }

static int run_here(struct pool *p, tile_fn fn, void *job, int32_t tiles) {
    for (int32_t i = 0; i < tiles; i++) {
        if (pool_cancelled(p)) return 1;
        fn(job, i, 0);
    }
    return pool_cancelled(p);
}

static int run_shared(struct pool *p, tile_fn fn, void *job, int32_t tiles) {
    if (p->threads == 1 || tiles <= 1) return run_here(p, fn, job, tiles);
    p->fn = fn;
    p->job = job;
    atom_store(&p->done, 0);
    atom_store(&p->ticket, (int64_t)tiles << TILE_BITS);
    if (atom_load(&p->sleepers)) {
        lock_take(&p->lock);
        cond_wake_all(&p->work);
        lock_drop(&p->lock);
    }
    take_part(p, 0);
    if (!spin(p, all_done, SPIN_MAX_NS)) {
        lock_take(&p->lock);
        atom_store(&p->caller_sleeps, 1);
        while (!all_done(p)) cond_wait(&p->finished, &p->lock);
        atom_store(&p->caller_sleeps, 0);
        lock_drop(&p->lock);
    }
    return pool_cancelled(p);
}

int pool_run(struct pool *p, tile_fn fn, void *job, int32_t tiles) {
    const int64_t began = clock_ns();
    const int stopped = run_shared(p, fn, job, tiles);
    p->run_ns += clock_ns() - began;
    return stopped;
}

int pool_run_here(struct pool *p, tile_fn fn, void *job, int32_t tiles) {
    const int64_t began = clock_ns();
    const int stopped = run_here(p, fn, job, tiles);
    p->run_ns += clock_ns() - began;
    return stopped;
}

int64_t pool_run_ns(const struct pool *p) { return p->run_ns; }
