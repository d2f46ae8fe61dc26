/* The queues, threads and counters of a reader; nothing here depends on the operating system. */
#include "aio.h"

#include <stdlib.h>

typedef struct request {
    aio_file *file;
    int64_t offset, nbytes, tag;
    void *to;
    int priority, error;
    struct request *next;
} request;

typedef struct {
    request *head, *tail;
} fifo;

struct aio_reader {
    aio_sync *sync;
    aio_thread **threads;
    request *requests;
    fifo waiting[2], done;
    request *idle;
    int n_threads, max_pending, pending, in_flight, prefetching, stopped;
    int64_t bytes, busy_ns, busy_since;
};

static void push(fifo *q, request *r) {
    r->next = NULL;
    if (q->tail) q->tail->next = r;
    else q->head = r;
    q->tail = r;
}

static request *pop(fifo *q) {
    request *r = q->head;
    if (r) {
        q->head = r->next;
        if (!q->head) q->tail = NULL;
    }
    return r;
}

static int prefetch_limit(const aio_reader *r) { return r->n_threads > 1 ? r->n_threads / 2 : 1; }

static request *next_request(aio_reader *r) {
    request *q = pop(&r->waiting[AIO_DEMAND]);
    if (!q && r->prefetching < prefetch_limit(r)) q = pop(&r->waiting[AIO_PREFETCH]);
    return q;
}

static void complete(aio_reader *r, request *q, int error) {
    q->error = error;
    push(&r->done, q);
    aio_wake(r->sync, 1, 0);
}

static void run(void *arg) {
    aio_reader *r = arg;
    aio_lock(r->sync);
    for (;;) {
        request *q = next_request(r);
        if (!q) {
            if (r->stopped) break;
            aio_wait(r->sync, 0, -1);
            continue;
        }
        if (r->in_flight++ == 0) r->busy_since = aio_now_ns();
        if (q->priority == AIO_PREFETCH) r->prefetching++;
        aio_unlock(r->sync);

        int64_t got = 0;
        int error = aio_read_blocks(q->file, q->offset, q->to, q->nbytes, &got);
        aio_release(q->file);

        aio_lock(r->sync);
        if (--r->in_flight == 0) r->busy_ns += aio_now_ns() - r->busy_since;
        if (q->priority == AIO_PREFETCH) r->prefetching--;
        r->bytes += got;
        complete(r, q, error);
    }
    aio_unlock(r->sync);
}

aio_reader *aio_new(int threads, int max_pending) {
    aio_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->max_pending = max_pending;
    r->sync = aio_sync_new();
    r->threads = calloc((size_t)threads, sizeof *r->threads);
    r->requests = calloc((size_t)max_pending, sizeof *r->requests);
    if (!r->sync || !r->threads || !r->requests) {
        aio_free(r);
        return NULL;
    }
    for (int i = 0; i < max_pending; i++) {
        r->requests[i].next = r->idle;
        r->idle = &r->requests[i];
    }
    aio_lock(r->sync); /* the workers read n_threads only after it is final */
    for (int i = 0; i < threads && (r->threads[i] = aio_thread_start(run, r)) != NULL; i++) r->n_threads++;
    aio_unlock(r->sync);
    if (r->n_threads == 0) {
        aio_free(r);
        return NULL;
    }
    return r;
}

int aio_submit(aio_reader *r, aio_file *f, int n, const int64_t *offsets, const int64_t *addresses, int64_t nbytes,
               const int64_t *tags, int priority) {
    aio_lock(r->sync);
    if (r->stopped || n > r->max_pending - r->pending) {
        aio_unlock(r->sync);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        request *q = r->idle;
        r->idle = q->next;
        q->file = f;
        q->offset = offsets[i];
        q->to = (void *)(intptr_t)addresses[i];
        q->nbytes = nbytes;
        q->tag = tags[i];
        q->priority = priority;
        aio_retain(f);
        push(&r->waiting[priority], q);
    }
    r->pending += n;
    aio_wake(r->sync, 0, n > 1);
    aio_unlock(r->sync);
    return 0;
}

int aio_reap(aio_reader *r, int64_t wait_ms, int max, int64_t *tags, int32_t *errors) {
    int n = 0;
    aio_lock(r->sync);
    if (wait_ms != 0) {
        const int64_t end = aio_now_ns() + wait_ms * 1000000;
        while (!r->done.head && r->pending > 0) {
            const int64_t left = (end - aio_now_ns() + 999999) / 1000000;
            if (left <= 0) break;
            aio_wait(r->sync, 1, left);
        }
    }
    for (request *q; n < max && (q = pop(&r->done)) != NULL; n++) {
        tags[n] = q->tag;
        errors[n] = q->error;
        q->next = r->idle;
        r->idle = q;
        r->pending--;
    }
    aio_unlock(r->sync);
    return n;
}

static int drop(aio_reader *r, int priority) {
    int n = 0;
    for (request *q; (q = pop(&r->waiting[priority])) != NULL; n++) {
        aio_release(q->file);
        complete(r, q, AIO_DROPPED);
    }
    return n;
}

int aio_drop(aio_reader *r, int priority) {
    aio_lock(r->sync);
    const int n = drop(r, priority);
    aio_unlock(r->sync);
    return n;
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

void aio_stop(aio_reader *r) {
    aio_lock(r->sync);
    const int first = !r->stopped;
    r->stopped = 1;
    drop(r, AIO_DEMAND);
    drop(r, AIO_PREFETCH);
    aio_wake(r->sync, 0, 1);
    aio_unlock(r->sync);
    if (first)
        for (int i = 0; i < r->n_threads; i++) aio_thread_join(r->threads[i]);
}

void aio_free(aio_reader *r) {
    if (!r) return;
    if (r->n_threads > 0) aio_stop(r);
    if (r->sync) aio_sync_free(r->sync);
    free(r->threads);
    free(r->requests);
    free(r);
}
