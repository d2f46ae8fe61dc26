/* The threads and calls of a reader; nothing here depends on the operating system. */
#include "aio_queue.h"

#include <stdlib.h>
#include <string.h>

#define DONE 0         /* condition: a read completed */
#define STOPPED 1      /* condition: a limited thread need not sleep on */
#define WORK(lane) (2 + (lane)) /* condition: work arrived */
#define PATIENCE_NS 2000000 /* a lane that left a part to others looks again */

typedef struct {
    aio_reader *reader;
    int lane, index;
    aio_thread *thread;
} worker;

struct aio_reader {
    aio_sync *sync;
    aio_queues queues;
    worker *workers;
    aio_part *parts;
    aio_request *requests, *idle;
    aio_request *done, *done_last;
    int n_workers, max_pending, pending, in_flight, stopped;
    int64_t part_bytes, bytes, busy_ns, busy_since;
};

static void complete(aio_reader *r, aio_request *q) {
    q->next = NULL;
    if (r->done) r->done_last->next = q;
    else r->done = q;
    r->done_last = q;
    for (int i = 0; i < q->n_copies; i++) aio_release(q->files[i]);
    aio_wake(r->sync, DONE, 0);
}

/* No further part is issued; complete now where none is in flight. */
static void end(aio_reader *r, aio_request *q, int error, int lane) {
    if (!q->error) {
        q->error = error;
        q->error_lane = lane;
    }
    if (q->waits) aio_unlink(&r->queues, q);
    if (q->in_flight == 0) complete(r, q);
}

/* The time at which a drive of the lane's rate would end the part; now where there is no limit. */
static int64_t due(aio_lane *l, const aio_part *part) {
    if (l->limit <= 0) return part->since;
    const int64_t start = l->free_at > part->since ? l->free_at : part->since;
    return l->free_at = start + (int64_t)((double)part->nbytes / l->limit);
}

static void sleep_until(aio_reader *r, const aio_lane *l, int64_t then) {
    for (int64_t now; l->limit > 0 && !r->stopped && (now = aio_now_ns()) < then;) aio_wait(r->sync, STOPPED, then - now);
}

static void wake_for_prefetch(aio_reader *r, int lane) {
    const aio_queues *q = &r->queues;
    if (q->lanes[lane].in_flight[AIO_DEMAND] == 0 && (q->lanes[lane].waiting[AIO_PREFETCH].head || q->shared[AIO_PREFETCH].head))
        aio_wake(r->sync, WORK(lane), 0);
}

static void run(void *arg) {
    const worker *w = arg;
    aio_reader *r = w->reader;
    aio_lane *l = &r->queues.lanes[w->lane];
    aio_part *mine = &l->parts[w->index], part;
    aio_lock(r->sync);
    for (;;) {
        const int found = aio_take(&r->queues, w->lane, aio_now_ns(), &part);
        if (found <= 0) {
            if (r->stopped) break;
            aio_wait(r->sync, WORK(w->lane), found < 0 ? PATIENCE_NS : -1);
            continue;
        }
        aio_request *q = part.request;
        *mine = part;
        if (r->in_flight++ == 0) r->busy_since = part.since;
        const int64_t then = due(l, &part);
        aio_unlock(r->sync);

        int64_t got = 0;
        const int error = aio_read_blocks(q->files[part.copy], q->offset + part.offset, q->to + part.offset, part.nbytes, &got);

        aio_lock(r->sync);
        sleep_until(r, l, then);
        const int64_t now = aio_now_ns();
        mine->request = NULL;
        aio_ended(l, &part, got, now);
        if (--r->in_flight == 0) r->busy_ns += now - r->busy_since;
        r->bytes += got;
        q->in_flight--;
        if (error) end(r, q, error, w->lane);
        else if (q->in_flight == 0 && !q->waits) complete(r, q);
        wake_for_prefetch(r, w->lane);
    }
    aio_unlock(r->sync);
}

static int allocate(aio_reader *r) {
    aio_queues *q = &r->queues;
    const size_t n = (size_t)r->n_workers;
    r->sync = aio_sync_new(WORK(q->n_lanes));
    q->lanes = calloc((size_t)q->n_lanes, sizeof *q->lanes);
    r->parts = calloc(n, sizeof *r->parts);
    r->workers = calloc(n, sizeof *r->workers);
    r->requests = calloc((size_t)r->max_pending, sizeof *r->requests);
    if (!r->sync || !q->lanes || !r->parts || !r->workers || !r->requests) return -1;
    for (int i = 0; i < r->max_pending; i++) {
        r->requests[i].next = r->idle;
        r->idle = &r->requests[i];
    }
    for (int i = 0; i < q->n_lanes; i++) {
        q->lanes[i].parts = r->parts + (size_t)i * (size_t)q->n_threads;
        q->lanes[i].enabled = 1;
    }
    return 0;
}

aio_reader *aio_new(int lanes, int threads, int64_t part_bytes, int max_pending) {
    aio_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->max_pending = max_pending;
    r->part_bytes = r->queues.part_bytes = part_bytes;
    r->queues.n_lanes = lanes;
    r->queues.n_threads = threads;
    r->n_workers = lanes * threads;
    int ok = allocate(r) == 0;
    for (int i = 0; ok && i < r->n_workers; i++) {
        r->workers[i] = (worker){r, i % lanes, i / lanes, NULL};
        /* The first thread of each lane is needed, the others are welcome. */
        if (!(r->workers[i].thread = aio_thread_start(run, &r->workers[i])) && i < lanes) ok = 0;
    }
    if (ok) return r;
    aio_free(r);
    return NULL;
}

static void wake_lane(aio_reader *r, int lane, int64_t parts) {
    if (parts >= r->queues.n_threads) aio_wake(r->sync, WORK(lane), 1);
    else
        for (int64_t i = 0; i < parts; i++) aio_wake(r->sync, WORK(lane), 0);
}

int aio_submit(aio_reader *r, int n_copies, aio_file *const *files, const int *lanes, int n, const int64_t *offsets,
               const int64_t *addresses, int64_t nbytes, const int64_t *tags, int priority) {
    int64_t n_parts = (nbytes + r->part_bytes - 1) / r->part_bytes;
    const int64_t fine = AIO_FINE * n_copies < nbytes / AIO_SHARE(n_copies) ? AIO_FINE * n_copies : nbytes / AIO_SHARE(n_copies);
    n_parts = n_parts > fine ? n_parts : fine;
    n_parts = n_parts < 1 ? 1 : n_parts < AIO_PARTS ? n_parts : AIO_PARTS;
    const int64_t part = ((nbytes + n_parts - 1) / n_parts + AIO_BLOCK - 1) / AIO_BLOCK * AIO_BLOCK;
    aio_lock(r->sync);
    if (r->stopped || n > r->max_pending - r->pending) {
        aio_unlock(r->sync);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        aio_request *q = r->idle;
        r->idle = q->next;
        *q = (aio_request){.n_copies = (signed char)n_copies, .priority = (signed char)priority, .error_lane = -1, .offset = offsets[i],
                           .nbytes = nbytes, .part_bytes = part, .tag = tags[i], .to = (char *)(intptr_t)addresses[i]};
        for (int c = 0; c < n_copies; c++) {
            q->files[c] = files[c];
            q->lanes[c] = (signed char)lanes[c];
            aio_retain(files[c]);
        }
        aio_enqueue(&r->queues, q);
    }
    r->pending += n;
    for (int c = 0; c < n_copies; c++) wake_lane(r, lanes[c], n * n_parts);
    aio_unlock(r->sync);
    return 0;
}

int aio_reap(aio_reader *r, int64_t wait_ms, int max, aio_done *out) {
    int n = 0;
    aio_lock(r->sync);
    if (wait_ms != 0) {
        const int64_t until = aio_now_ns() + wait_ms * 1000000;
        while (!r->done && r->pending > 0) {
            const int64_t left = until - aio_now_ns();
            if (left <= 0) break;
            aio_wait(r->sync, DONE, left);
        }
    }
    for (aio_request *q; n < max && (q = r->done) != NULL; n++) {
        r->done = q->next;
        out[n] = (aio_done){q->tag, q->error, q->error_lane, q->n_copies, {0}};
        memcpy(out[n].parts, q->parts, sizeof q->parts);
        q->next = r->idle;
        r->idle = q;
        r->pending--;
    }
    aio_unlock(r->sync);
    return n;
}

static int drop_all(aio_reader *r, aio_fifo *f) {
    int n = 0;
    for (; f->head; n++) end(r, f->head, AIO_DROPPED, -1);
    return n;
}

static int drop(aio_reader *r, int priority) {
    int n = drop_all(r, &r->queues.shared[priority]);
    for (int i = 0; i < r->queues.n_lanes; i++) n += drop_all(r, &r->queues.lanes[i].waiting[priority]);
    return n;
}

int aio_drop(aio_reader *r, int priority) {
    aio_lock(r->sync);
    const int n = drop(r, priority);
    aio_unlock(r->sync);
    return n;
}

/* The requests of these tags that still wait; `act` may take them out of their queue. */
static int each(aio_reader *r, int n, const int64_t *tags, int first, void (*act)(aio_reader *, aio_request *)) {
    int found = 0;
    for (int priority = first; priority <= AIO_PREFETCH; priority++)
        for (int lane = -1; lane < r->queues.n_lanes; lane++) {
            aio_fifo *f = lane < 0 ? &r->queues.shared[priority] : &r->queues.lanes[lane].waiting[priority];
            for (aio_request *q = f->head, *next; q; q = next) {
                next = q->next;
                int i = 0;
                while (i < n && tags[i] != q->tag) i++;
                if (i == n) continue;
                act(r, q);
                found++;
            }
        }
    return found;
}

static void drop_one(aio_reader *r, aio_request *q) { end(r, q, AIO_DROPPED, -1); }

static void promote_one(aio_reader *r, aio_request *q) {
    aio_unlink(&r->queues, q);
    q->priority = AIO_DEMAND;
    aio_enqueue(&r->queues, q);
    for (int c = 0; c < q->n_copies; c++) wake_lane(r, q->lanes[c], r->queues.n_threads);
}

int aio_drop_tags(aio_reader *r, int n, const int64_t *tags) {
    aio_lock(r->sync);
    const int found = each(r, n, tags, AIO_DEMAND, drop_one);
    aio_unlock(r->sync);
    return found;
}

int aio_promote(aio_reader *r, int n, const int64_t *tags) {
    aio_lock(r->sync);
    const int found = each(r, n, tags, AIO_PREFETCH, promote_one);
    aio_unlock(r->sync);
    return found;
}

int aio_pending(aio_reader *r) {
    aio_lock(r->sync);
    const int n = r->pending;
    aio_unlock(r->sync);
    return n;
}

void aio_counters(aio_reader *r, int64_t *bytes, int64_t *busy_ns) {
    aio_lock(r->sync);
    *bytes = r->bytes;
    *busy_ns = r->busy_ns + (r->in_flight > 0 ? aio_now_ns() - r->busy_since : 0);
    aio_unlock(r->sync);
}

void aio_lane_state(aio_reader *r, int lane, aio_lane_stats *out) {
    aio_lock(r->sync);
    const aio_lane *l = &r->queues.lanes[lane];
    const int64_t now = aio_now_ns();
    const int busy = l->in_flight[0] + l->in_flight[1] > 0;
    *out = (aio_lane_stats){l->bytes, l->reads, l->busy_ns + (busy ? now - l->busy_since : 0), 0, l->flight_bytes, aio_rate(l) * 1e9, l->enabled};
    for (int i = 0; i < r->queues.n_threads; i++)
        if (l->parts[i].request && now - l->parts[i].since > out->oldest_ns) out->oldest_ns = now - l->parts[i].since;
    aio_unlock(r->sync);
}

int aio_stuck(aio_reader *r, int lane, int64_t age_ns, int max, int64_t *tags) {
    int n = 0;
    aio_lock(r->sync);
    const aio_lane *l = &r->queues.lanes[lane];
    const int64_t now = aio_now_ns();
    for (int i = 0; i < r->queues.n_threads && n < max; i++)
        if (l->parts[i].request && now - l->parts[i].since > age_ns) tags[n++] = l->parts[i].request->tag;
    aio_unlock(r->sync);
    return n;
}

void aio_enable(aio_reader *r, int lane, int enabled) {
    aio_lock(r->sync);
    aio_lane *l = &r->queues.lanes[lane];
    if (enabled && !l->enabled) l->recent_bytes = l->recent_ns = 0; /* what it did while it failed says nothing */
    l->enabled = enabled;
    for (int i = 0; i < r->queues.n_lanes; i++) aio_wake(r->sync, WORK(i), 1);
    aio_unlock(r->sync);
}

void aio_limit(aio_reader *r, int lane, double bytes_per_second) {
    aio_lock(r->sync);
    aio_lane *l = &r->queues.lanes[lane];
    l->limit = bytes_per_second * 1e-9;
    l->free_at = 0;
    aio_wake(r->sync, STOPPED, 1);
    aio_unlock(r->sync);
}

void aio_stop(aio_reader *r) {
    aio_lock(r->sync);
    const int first = !r->stopped;
    r->stopped = 1;
    drop(r, AIO_DEMAND);
    drop(r, AIO_PREFETCH);
    aio_wake(r->sync, STOPPED, 1);
    for (int i = 0; i < r->queues.n_lanes; i++) aio_wake(r->sync, WORK(i), 1);
    aio_unlock(r->sync);
    if (first)
        for (int i = 0; i < r->n_workers; i++)
            if (r->workers[i].thread) aio_thread_join(r->workers[i].thread);
}

void aio_free(aio_reader *r) {
    if (!r) return;
    if (r->sync && r->workers) aio_stop(r);
    if (r->sync) aio_sync_free(r->sync);
    free(r->queues.lanes);
    free(r->workers);
    free(r->parts);
    free(r->requests);
    free(r);
}

void aio_touch(void *p, int64_t nbytes) {
    volatile char *at = p;
    for (int64_t i = 0; i < nbytes; i += AIO_BLOCK) at[i] = at[i]; /* a write: reading alone would map the page of zeros */
}
