/* A persistent pool of worker threads that share the tiles of one job at a time.
 *
 * A job is a function and a number of tiles. Tiles are fixed pieces of work, claimed one by one from an atomic counter, so a
 * thread that the system delays holds back its own tile only. The caller takes part as thread 0. Between jobs a worker spins
 * for microseconds, then sleeps: an idle pool uses no processor time, and two pools on one machine do not starve each other.
 * One thread at a time may call pool_run; pool_cancel is free for all.
 */
#ifndef OUZEL_POOL_H
#define OUZEL_POOL_H

#include <stdint.h>

struct pool;

/* Does tile `tile` of `job`; thread in 0..threads-1 names per-thread scratch. */
typedef void (*tile_fn)(void *job, int32_t tile, int32_t thread);

enum { POOL_MAX_THREADS = 256 };

struct pool *pool_create(int threads); /* NULL: no memory or no threads */
void pool_destroy(struct pool *p);     /* joins the workers */
int pool_threads(const struct pool *p);

/* Runs tiles 0..tiles-1; returns 1 where the cancel flag was seen (some tiles did not run), else 0. */
int pool_run(struct pool *p, tile_fn fn, void *job, int32_t tiles);

/* The same on the calling thread alone, for work too small to share. */
int pool_run_here(struct pool *p, tile_fn fn, void *job, int32_t tiles);

/* Nanoseconds that callers spent in both so far; what else a step takes is not the kernels'. */
int64_t pool_run_ns(const struct pool *p);

void pool_cancel(struct pool *p, int on);
int pool_cancelled(const struct pool *p);

#endif
