/* Files, threads and memory of aio.h on Linux, macOS and other POSIX systems. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "aio.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ONE_READ ((int64_t)1 << 30) /* pread moves at most 2 GB minus a page at once */
#define STACK_BYTES (256 << 10)

struct aio_file {
    int fd, direct;
    int64_t nbytes;
    atomic_int users;
};

static int read_some(int fd, void *to, int64_t nbytes, int64_t offset, int64_t *got) {
    ssize_t n;
    do n = pread(fd, to, (size_t)(nbytes < ONE_READ ? nbytes : ONE_READ), (off_t)offset);
    while (n < 0 && errno == EINTR);
    *got = n < 0 ? 0 : n;
    return n < 0 ? errno : 0;
}

/* Some file systems accept the flag and refuse the reads, so that only a read tells. */
static int probe(int fd) {
    void *block = NULL;
    int64_t got;
    if (posix_memalign(&block, AIO_BLOCK, AIO_BLOCK)) return ENOMEM;
    const int error = read_some(fd, block, AIO_BLOCK, 0, &got);
    free(block);
    return error;
}

static int open_direct(const char *path, int *error) {
#ifdef O_DIRECT
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    *error = fd < 0 ? errno : 0;
#else
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *error = fd < 0 ? errno : 0;
#ifdef F_NOCACHE
    if (fd >= 0 && fcntl(fd, F_NOCACHE, 1) < 0) *error = errno;
#else
    *error = ENOTSUP;
#endif
#endif
    if (fd >= 0 && !*error) *error = probe(fd);
    if (*error && fd >= 0) close(fd);
    return *error ? -1 : fd;
}

aio_file *aio_open(const char *path, int direct, int *error, int *direct_error) {
    struct stat st;
    int fd = -1;
    *error = *direct_error = 0;
    if (direct) fd = open_direct(path, direct_error);
    direct = fd >= 0;
    if (fd < 0) fd = open(path, O_RDONLY | O_CLOEXEC);
    aio_file *f = calloc(1, sizeof *f);
    if (fd < 0 || fstat(fd, &st) < 0) *error = errno;
    else if (S_ISDIR(st.st_mode)) *error = EISDIR;
    else if (!f) *error = ENOMEM;
    if (*error) {
        if (fd >= 0) close(fd);
        free(f);
        return NULL;
    }
    f->fd = fd;
    f->direct = direct;
    f->nbytes = (int64_t)st.st_size;
    atomic_init(&f->users, 1);
    return f;
}

void aio_retain(aio_file *f) { atomic_fetch_add(&f->users, 1); }

void aio_release(aio_file *f) {
    if (atomic_fetch_sub(&f->users, 1) > 1) return;
    close(f->fd);
    free(f);
}

int64_t aio_file_bytes(const aio_file *f) { return f->nbytes; }
int aio_file_direct(const aio_file *f) { return f->direct; }

int aio_read_blocks(aio_file *f, int64_t offset, void *to, int64_t nbytes, int64_t *got) {
    *got = 0;
    while (*got < nbytes) {
        int64_t n;
        const int error = read_some(f->fd, (char *)to + *got, nbytes - *got, offset + *got, &n);
        if (error) return error;
        *got += n;
        if (n == 0 || (*got < nbytes && *got % AIO_BLOCK)) return AIO_SHORT; /* only the end of the file ends a read unaligned */
    }
    return 0;
}

struct aio_sync {
    pthread_mutex_t mutex;
    int n;
    pthread_cond_t condition[];
};

aio_sync *aio_sync_new(int n_conditions) {
    aio_sync *s = malloc(sizeof *s + (size_t)n_conditions * sizeof s->condition[0]);
    if (!s) return NULL;
    s->n = n_conditions;
    pthread_mutex_init(&s->mutex, NULL);
    for (int i = 0; i < s->n; i++) {
#ifdef __APPLE__
        pthread_cond_init(&s->condition[i], NULL);
#else
        pthread_condattr_t a;
        pthread_condattr_init(&a);
        pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
        pthread_cond_init(&s->condition[i], &a);
        pthread_condattr_destroy(&a);
#endif
    }
    return s;
}

void aio_sync_free(aio_sync *s) {
    for (int i = 0; i < s->n; i++) pthread_cond_destroy(&s->condition[i]);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

void aio_lock(aio_sync *s) { pthread_mutex_lock(&s->mutex); }
void aio_unlock(aio_sync *s) { pthread_mutex_unlock(&s->mutex); }

void aio_wait(aio_sync *s, int which, int64_t ns) {
    if (ns < 0) {
        pthread_cond_wait(&s->condition[which], &s->mutex);
        return;
    }
#ifdef __APPLE__
    const struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    pthread_cond_timedwait_relative_np(&s->condition[which], &s->mutex, &t);
#else
    const int64_t end = aio_now_ns() + ns;
    const struct timespec t = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    pthread_cond_timedwait(&s->condition[which], &s->mutex, &t);
#endif
}

void aio_wake(aio_sync *s, int which, int all) {
    if (all) pthread_cond_broadcast(&s->condition[which]);
    else pthread_cond_signal(&s->condition[which]);
}

struct aio_thread {
    pthread_t id;
    void (*run)(void *);
    void *arg;
};

static void *thread_main(void *p) {
    aio_thread *t = p;
    t->run(t->arg);
    return NULL;
}

aio_thread *aio_thread_start(void (*run)(void *), void *arg) {
    aio_thread *t = malloc(sizeof *t);
    pthread_attr_t attr;
    sigset_t all, old;
    if (!t) return NULL;
    t->run = run;
    t->arg = arg;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all); /* signals belong to the interpreter's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(&t->id, &attr, thread_main, t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (error) {
        free(t);
        return NULL;
    }
    return t;
}

void aio_thread_join(aio_thread *t) {
    pthread_join(t->id, NULL);
    free(t);
}

int64_t aio_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void *aio_map(int64_t nbytes) {
    void *p = mmap(NULL, (size_t)nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(p, (size_t)nbytes, MADV_HUGEPAGE);
#endif
    return p;
}

int aio_pin(void *p, int64_t nbytes) { return mlock(p, (size_t)nbytes) == 0 ? 0 : errno; }

void aio_unmap(void *p, int64_t nbytes) { munmap(p, (size_t)nbytes); }
#endif
