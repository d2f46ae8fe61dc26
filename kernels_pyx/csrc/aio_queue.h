/* What waits in a reader, and which lane takes the next part of it. All of it is used under the reader's lock. */
#ifndef OUZEL_AIO_QUEUE_H
#define OUZEL_AIO_QUEUE_H

#include "aio.h"

typedef struct aio_request {
    aio_file *files[AIO_COPIES];
    signed char lanes[AIO_COPIES], n_copies, priority;
    int error, error_lane;
    int64_t offset, nbytes, part_bytes, issued, tag;
    uint64_t parts[AIO_COPIES]; /* a bit for each part that a copy was asked for */
    char *to;
    int in_flight; /* parts */
    int waits;     /* linked in a queue: parts are still to be issued */
    struct aio_request *next, *previous;
} aio_request;

typedef struct {
    aio_request *head, *tail;
    int64_t bytes; /* not issued yet */
    int n;
} aio_fifo;

typedef struct {
    aio_request *request; /* NULL: the thread is idle */
    int64_t offset, nbytes, since;
    int copy, priority;
} aio_part;

typedef struct {
    aio_fifo waiting[2]; /* reads that only this lane can do */
    aio_part *parts;     /* one a thread */
    int in_flight[2], enabled;
    int64_t flight_bytes, bytes, reads, busy_ns, busy_since;
    double recent_bytes, recent_ns; /* decayed by half each second of work */
    int64_t counted;                /* until when recent_ns counts */
    double limit;                   /* bytes per ns, 0: none */
    int64_t free_at;                /* when a drive of that rate would have done what it was given */
} aio_lane;

typedef struct {
    int n_lanes, n_threads; /* threads of each lane */
    int64_t part_bytes;     /* the longest part that is worth it */
    aio_lane *lanes;
    aio_fifo shared[2]; /* reads with copies on several lanes */
} aio_queues;

void aio_enqueue(aio_queues *q, aio_request *r);
void aio_unlink(aio_queues *q, aio_request *r);
int aio_take(aio_queues *q, int lane, int64_t now, aio_part *out); /* 1: a part; 0: nothing waits; -1: others end it sooner */
void aio_ended(aio_lane *l, const aio_part *part, int64_t got, int64_t now);
double aio_rate(const aio_lane *l); /* bytes per ns while busy; 0: not known yet */

#endif
