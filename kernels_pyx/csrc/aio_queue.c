/* Queues of aio_queue.h: demand before guesses, first come first served, and copies where they are read soonest. */
#include "aio_queue.h"

#include <math.h>
#include <stddef.h>

#define RECENT_NS 1e9
#define FORGET_NS 5e9 /* a lane that did nothing for so long is tried again */

static aio_fifo *fifo_of(aio_queues *q, const aio_request *r) {
    return r->n_copies > 1 ? &q->shared[(int)r->priority] : &q->lanes[(int)r->lanes[0]].waiting[(int)r->priority];
}

void aio_enqueue(aio_queues *q, aio_request *r) {
    aio_fifo *f = fifo_of(q, r);
    r->next = NULL;
    r->previous = f->tail;
    if (f->tail) f->tail->next = r;
    else f->head = r;
    f->tail = r;
    f->bytes += r->nbytes - r->issued;
    f->n++;
    r->waits = 1;
}

void aio_unlink(aio_queues *q, aio_request *r) {
    aio_fifo *f = fifo_of(q, r);
    if (r->previous) r->previous->next = r->next;
    else f->head = r->next;
    if (r->next) r->next->previous = r->previous;
    else f->tail = r->previous;
    f->bytes -= r->nbytes - r->issued;
    f->n--;
    r->waits = 0;
}

double aio_rate(const aio_lane *l) { return l->recent_ns > 0 ? l->recent_bytes / l->recent_ns : 0; }

/* The rate that a lane is given work by; of one that is not known, the fastest one's. */
static double believed(const aio_lane *l, double fastest, int64_t now) {
    const int idle = l->in_flight[0] + l->in_flight[1] == 0 && (double)(now - l->counted) > FORGET_NS;
    return aio_rate(l) > 0 && !idle ? aio_rate(l) : fastest;
}

static void count(aio_lane *l, int64_t got, int64_t now) {
    const double passed = (double)(now - l->counted), keep = exp2(-passed / RECENT_NS);
    l->recent_bytes = l->recent_bytes * keep + (double)got;
    l->recent_ns = l->recent_ns * keep + passed;
    l->counted = now;
}

static int copy_on(const aio_request *r, int lane) {
    for (int i = 0; i < r->n_copies; i++)
        if (r->lanes[i] == lane) return i;
    return -1;
}

/* Whether a lane ends nbytes of r before the other copies' lanes would have done all that waits, or could do these bytes. The lane
 * that would end them first of all always does, so that every part has a taker. */
static int ends_first(const aio_queues *q, const aio_request *r, int lane, int64_t nbytes, int64_t now) {
    const aio_lane *mine = &q->lanes[lane];
    double fastest = 0, others = 0, soonest = INFINITY, work = (double)q->shared[AIO_DEMAND].bytes;
    for (int i = 0; i < r->n_copies; i++) fastest = fmax(fastest, aio_rate(&q->lanes[(int)r->lanes[i]]));
    if (fastest == 0) return 1;
    for (int i = 0; i < r->n_copies; i++) {
        const aio_lane *l = &q->lanes[(int)r->lanes[i]];
        if (l == mine || !l->enabled) continue;
        const double busy = (double)(l->flight_bytes + l->waiting[AIO_DEMAND].bytes), rate = believed(l, fastest, now);
        soonest = fmin(soonest, (busy + (double)nbytes) / rate);
        others += rate;
        work += busy;
    }
    const double own = (double)(mine->flight_bytes + nbytes) / believed(mine, fastest, now);
    return others == 0 || !mine->enabled || own <= 1.1 * fmax(work / others, soonest);
}

/* Whether a lane must leave r to others: it is not enabled, and another lane of r is. */
static int must_leave(const aio_queues *q, const aio_request *r, int lane) {
    if (copy_on(r, lane) < 0) return 1;
    if (q->lanes[lane].enabled) return 0;
    for (int i = 0; i < r->n_copies; i++)
        if (q->lanes[(int)r->lanes[i]].enabled) return 1;
    return 0;
}

/* One part where idle threads want some of it too; several at once where other reads keep them busy, since long reads cost less. */
static int64_t next_bytes(aio_queues *q, const aio_request *r, int lane) {
    const aio_lane *l = &q->lanes[lane];
    const int idle = q->n_threads - l->in_flight[0] - l->in_flight[1] - 1;
    const int64_t left = r->nbytes - r->issued, several = q->part_bytes / r->part_bytes * r->part_bytes;
    const int64_t wanted = several > r->part_bytes && r->n_copies == 1 && fifo_of(q, r)->n > idle ? several : r->part_bytes;
    return left < wanted ? left : wanted;
}

static void issue(aio_queues *q, aio_request *r, int lane, int64_t now, aio_part *out) {
    aio_lane *l = &q->lanes[lane];
    const int64_t nbytes = next_bytes(q, r, lane);
    *out = (aio_part){r, r->issued, nbytes, now, copy_on(r, lane), r->priority};
    r->parts[out->copy] |= (uint64_t)1 << (r->issued / r->part_bytes);
    fifo_of(q, r)->bytes -= nbytes;
    r->issued += nbytes;
    if (r->issued == r->nbytes) aio_unlink(q, r);
    r->in_flight++;
    if (l->in_flight[0] + l->in_flight[1] == 0) l->busy_since = l->counted = now;
    l->in_flight[out->priority]++;
    l->flight_bytes += nbytes;
}

void aio_ended(aio_lane *l, const aio_part *part, int64_t got, int64_t now) {
    l->in_flight[part->priority]--;
    l->flight_bytes -= part->nbytes;
    l->bytes += got;
    l->reads++;
    count(l, got, now);
    if (l->in_flight[0] + l->in_flight[1] == 0) l->busy_ns += now - l->busy_since;
}

int aio_take(aio_queues *q, int lane, int64_t now, aio_part *out) {
    aio_lane *l = &q->lanes[lane];
    const int most = q->n_threads > 1 ? q->n_threads / 2 : 1; /* leaves a thread for demand */
    int declined = 0;
    for (int priority = AIO_DEMAND; priority <= AIO_PREFETCH; priority++) {
        if (priority == AIO_PREFETCH && (l->in_flight[AIO_DEMAND] > 0 || l->in_flight[AIO_PREFETCH] >= most)) break;
        aio_request *r = l->waiting[priority].head;
        if (!r) {
            r = q->shared[priority].head;
            while (r && must_leave(q, r, lane)) r = r->next;
            if (r && priority == AIO_DEMAND && !ends_first(q, r, lane, next_bytes(q, r, lane), now)) {
                declined = 1;
                r = NULL;
            }
        }
        if (r) {
            issue(q, r, lane, now, out);
            return 1;
        }
        if (declined) break;
    }
    return declined ? -1 : 0;
}
