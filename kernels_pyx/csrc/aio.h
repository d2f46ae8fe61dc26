/* Reads in flight: a pool of threads that read whole blocks of a file into memory that the caller owns.
 *
 * Offsets, lengths and addresses are multiples of AIO_BLOCK bytes, as unbuffered reads need. A buffer belongs to the reader from
 * submit until its completion is reaped. Demand reads start before any waiting prefetch, and prefetches never occupy more than
 * half of the threads, so that a demand read finds one free.
 *
 * aio_queue.c holds the queues and threads; aio_posix.c and aio_windows.c hold what differs between systems.
 */
#ifndef OUZEL_AIO_H
#define OUZEL_AIO_H

#include <stdint.h>

#define AIO_BLOCK 4096
#define AIO_DEMAND 0
#define AIO_PREFETCH 1
#define AIO_SHORT (-1)   /* the file ended inside the read */
#define AIO_DROPPED (-2) /* taken out of the queue by aio_drop or aio_stop */

typedef struct aio_file aio_file;
typedef struct aio_reader aio_reader;

/* Files. path is UTF-8 on Windows and the system's bytes elsewhere. *error holds a system error code where NULL is returned, and
 * *direct_error the code for which unbuffered reads were refused (0: they work, or were not asked for). */
aio_file *aio_open(const char *path, int direct, int *error, int *direct_error);
void aio_release(aio_file *f); /* closed when the last read that uses it ends */
int64_t aio_file_bytes(const aio_file *f);
int aio_file_direct(const aio_file *f);

/* Readers. NULL: no memory or no thread. */
aio_reader *aio_new(int threads, int max_pending);
int aio_submit(aio_reader *r, aio_file *f, int n, const int64_t *offsets, const int64_t *addresses, int64_t nbytes,
               const int64_t *tags, int priority); /* 0, or -1: stopped or more than max_pending; then none is taken */
int aio_reap(aio_reader *r, int64_t wait_ms, int max, int64_t *tags, int32_t *errors); /* number of completions, waits for one */
int aio_drop(aio_reader *r, int priority);
int aio_pending(aio_reader *r);                                    /* submitted and not yet reaped */
void aio_counters(aio_reader *r, int64_t *bytes, int64_t *busy_ns); /* busy: at least one read in flight */
void aio_stop(aio_reader *r);                                      /* drops what waits, ends the threads; idempotent */
void aio_free(aio_reader *r);

/* Memory in whole pages, zeroed and touched. *locked: in, whether to lock it in RAM; out, whether that was allowed. */
void *aio_map(int64_t nbytes, int *locked);
void aio_unmap(void *p, int64_t nbytes);

/* What each system provides to aio_queue.c. */
typedef struct aio_sync aio_sync; /* one mutex, and two conditions: 0 work arrived, 1 a read completed */
typedef struct aio_thread aio_thread;
void aio_retain(aio_file *f);
/* Not aio_read: that is a name of POSIX. */
int aio_read_blocks(aio_file *f, int64_t offset, void *to, int64_t nbytes, int64_t *got); /* 0, AIO_SHORT, or an errno; blocks */
aio_sync *aio_sync_new(void);
void aio_sync_free(aio_sync *s);
void aio_lock(aio_sync *s);
void aio_unlock(aio_sync *s);
void aio_wait(aio_sync *s, int which, int64_t ms); /* ms < 0: without end; may wake early */
void aio_wake(aio_sync *s, int which, int all);
aio_thread *aio_thread_start(void (*run)(void *), void *arg); /* NULL where the system refuses */
void aio_thread_join(aio_thread *t);
int64_t aio_now_ns(void); /* monotonic */

#endif
