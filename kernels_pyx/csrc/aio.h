/* Reads in flight: threads that read whole blocks of files into memory that the caller owns.
 *
 * Offsets, lengths and addresses are multiples of AIO_BLOCK bytes, as unbuffered reads need. A buffer belongs to the reader from
 * submit until its completion is reaped.
 *
 * Each drive is a lane with threads of its own. A read goes in parts, so that one read can occupy a drive whole and a guess in
 * flight delays a demand read by no more than its parts in flight. A read that several lanes can do (copies of one record) is taken
 * part by part by whichever lane ends it first. Prefetches begin only where no demand read waits or is in flight on the lane, in at
 * most half of its threads.
 *
 * aio_queue.c holds what waits and who takes it, aio_reader.c the threads and the calls; aio_posix.c and aio_windows.c hold what
 * differs between systems.
 */
#ifndef OUZEL_AIO_H
#define OUZEL_AIO_H

#include <stdint.h>

#define AIO_BLOCK 4096
#define AIO_DEMAND 0
#define AIO_PREFETCH 1
#define AIO_SHORT (-1)   /* the file ended inside the read */
#define AIO_DROPPED (-2) /* taken out of the queue by aio_drop or aio_stop; parts in flight have ended */
#define AIO_LANES 16     /* drives of one reader */
#define AIO_COPIES 4     /* lanes that can do one read */
#define AIO_PARTS 64     /* of one read; longer reads have longer parts */
#define AIO_FINE 8       /* parts that a lane's idle threads share of a read, not finer than AIO_SHARE */
#define AIO_SHARE(n_copies) ((n_copies) > 1 ? 32768 : 49152) /* copies divide a read as evenly as can be */

typedef struct aio_file aio_file;
typedef struct aio_reader aio_reader;

/* Files. path is UTF-8 on Windows and the system's bytes elsewhere. *error holds a system error code where NULL is returned, and
 * *direct_error the code for which unbuffered reads were refused (0: they work, or were not asked for). */
aio_file *aio_open(const char *path, int direct, int *error, int *direct_error);
void aio_release(aio_file *f); /* closed when the last read that uses it ends */
int64_t aio_file_bytes(const aio_file *f);
int aio_file_direct(const aio_file *f);

typedef struct {
    int64_t bytes, reads, busy_ns; /* delivered; parts that were read; with at least one part in flight */
    int64_t oldest_ns;             /* age of the part that is in flight for longest, 0: none */
    int64_t flight_bytes;          /* of the parts in flight */
    double rate;                   /* bytes per second while busy, the last second counting most; 0: not known yet */
    int enabled;
} aio_lane_stats;

/* Readers. NULL: no memory or no thread. */
aio_reader *aio_new(int lanes, int threads, int64_t part_bytes, int max_pending); /* threads: of each lane */
/* n reads of nbytes bytes, each at one offset of all the n_copies files, which lie on the drives `lanes`.
 * 0, or -1: stopped or more than max_pending; then none is taken */
int aio_submit(aio_reader *r, int n_copies, aio_file *const *files, const int *lanes, int n, const int64_t *offsets,
               const int64_t *addresses, int64_t nbytes, const int64_t *tags, int priority);
typedef struct {
    int64_t tag;
    int error, lane, n_copies;  /* lane: where the error happened, -1 where there is none */
    uint64_t parts[AIO_COPIES]; /* which parts of the read each copy delivered */
} aio_done;
int aio_reap(aio_reader *r, int64_t wait_ms, int max, aio_done *out); /* number of completions, waits for one */
int aio_drop(aio_reader *r, int priority);                            /* what waits ends with AIO_DROPPED; how many */
int aio_drop_tags(aio_reader *r, int n, const int64_t *tags);         /* the same by tag */
int aio_promote(aio_reader *r, int n, const int64_t *tags);           /* waiting prefetches of these tags become demand reads */
int aio_pending(aio_reader *r);                                       /* submitted and not yet reaped */
void aio_counters(aio_reader *r, int64_t *bytes, int64_t *busy_ns);   /* of all lanes; busy: at least one read in flight */
void aio_lane_state(aio_reader *r, int lane, aio_lane_stats *out);
int aio_stuck(aio_reader *r, int lane, int64_t age_ns, int max, int64_t *tags); /* reads with a part in flight there for longer */
void aio_enable(aio_reader *r, int lane, int enabled);  /* a lane that is not enabled takes only what no other can do */
void aio_limit(aio_reader *r, int lane, double bytes_per_second); /* 0: none; the reading thread sleeps */
void aio_stop(aio_reader *r);                                         /* drops what waits, ends the threads; idempotent */
void aio_free(aio_reader *r);

/* Memory in whole pages, zero where nobody wrote; a page is given by the system when it is first used or touched. */
void *aio_map(int64_t nbytes);
void aio_unmap(void *p, int64_t nbytes);
void aio_touch(void *p, int64_t nbytes); /* have all pages of this part; keeps what they hold */
int aio_pin(void *p, int64_t nbytes);    /* 0, or the error code for which the system does not lock this part in RAM */

/* What each system provides. */
typedef struct aio_sync aio_sync; /* one mutex and some conditions */
typedef struct aio_thread aio_thread;
void aio_retain(aio_file *f);
/* Not aio_read: that is a name of POSIX. */
int aio_read_blocks(aio_file *f, int64_t offset, void *to, int64_t nbytes, int64_t *got); /* 0, AIO_SHORT, or an errno; blocks */
aio_sync *aio_sync_new(int n_conditions);
void aio_sync_free(aio_sync *s);
void aio_lock(aio_sync *s);
void aio_unlock(aio_sync *s);
void aio_wait(aio_sync *s, int which, int64_t ns); /* ns < 0: without end; may wake early */
void aio_wake(aio_sync *s, int which, int all);
aio_thread *aio_thread_start(void (*run)(void *), void *arg); /* NULL where the system refuses */
void aio_thread_join(aio_thread *t);
int64_t aio_now_ns(void); /* monotonic */

#endif
