/* Atomics, locks, conditions, threads and a clock over POSIX and Win32: only what the pool needs. */
#ifndef OUZEL_THREADS_H
#define OUZEL_THREADS_H

#include <stdint.h>

enum { THREAD_STACK = 1 << 20 }; /* kernels keep up to 300 kB there; some systems give less by default */

#if defined(_WIN32)
#include <process.h>
#include <windows.h>

typedef SRWLOCK lock_t;
typedef CONDITION_VARIABLE cond_t;
typedef HANDLE thread_t;
#define THREAD_RESULT unsigned __stdcall
static inline void lock_init(lock_t *l) { InitializeSRWLock(l); }
static inline void lock_free(lock_t *l) { (void)l; }
static inline void lock_take(lock_t *l) { AcquireSRWLockExclusive(l); }
static inline void lock_drop(lock_t *l) { ReleaseSRWLockExclusive(l); }
static inline void cond_init(cond_t *c) { InitializeConditionVariable(c); }
static inline void cond_free(cond_t *c) { (void)c; }
static inline void cond_wait(cond_t *c, lock_t *l) { SleepConditionVariableSRW(c, l, INFINITE, 0); }
static inline void cond_wake_all(cond_t *c) { WakeAllConditionVariable(c); }
static inline int thread_start(thread_t *t, unsigned(__stdcall *f)(void *), void *arg) {
    *t = (HANDLE)_beginthreadex(NULL, THREAD_STACK, f, arg, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return *t ? 0 : -1;
}
static inline void thread_join(thread_t t) {
    WaitForSingleObject(t, INFINITE);
    CloseHandle(t);
}
static inline int64_t clock_ns(void) {
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (int64_t)((double)now.QuadPart * 1e9 / (double)rate.QuadPart);
}
#else
#include <pthread.h>
#include <time.h>

typedef pthread_mutex_t lock_t;
typedef pthread_cond_t cond_t;
typedef pthread_t thread_t;
#define THREAD_RESULT void *
static inline void lock_init(lock_t *l) { pthread_mutex_init(l, NULL); }
static inline void lock_free(lock_t *l) { pthread_mutex_destroy(l); }
static inline void lock_take(lock_t *l) { pthread_mutex_lock(l); }
static inline void lock_drop(lock_t *l) { pthread_mutex_unlock(l); }
static inline void cond_init(cond_t *c) { pthread_cond_init(c, NULL); }
static inline void cond_free(cond_t *c) { pthread_cond_destroy(c); }
static inline void cond_wait(cond_t *c, lock_t *l) { pthread_cond_wait(c, l); }
static inline void cond_wake_all(cond_t *c) { pthread_cond_broadcast(c); }
static inline int thread_start(thread_t *t, void *(*f)(void *), void *arg) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    const int failed = pthread_create(t, &attributes, f, arg);
    pthread_attr_destroy(&attributes);
    return failed;
}
static inline void thread_join(thread_t t) { pthread_join(t, NULL); }
static inline int64_t clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
#endif

/* Sequentially consistent 64-bit atomics; sleep and wake below need the total order. */
typedef volatile int64_t atom_t;
#if defined(_MSC_VER)
static inline int64_t atom_load(atom_t *a) { return InterlockedCompareExchange64(a, 0, 0); }
static inline void atom_store(atom_t *a, int64_t v) { InterlockedExchange64(a, v); }
static inline int64_t atom_add(atom_t *a, int64_t v) { return InterlockedExchangeAdd64(a, v) + v; }
static inline int atom_swap_if(atom_t *a, int64_t old, int64_t new_) { return InterlockedCompareExchange64(a, new_, old) == old; }
#else
static inline int64_t atom_load(atom_t *a) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }
static inline void atom_store(atom_t *a, int64_t v) { __atomic_store_n(a, v, __ATOMIC_SEQ_CST); }
static inline int64_t atom_add(atom_t *a, int64_t v) { return __atomic_add_fetch(a, v, __ATOMIC_SEQ_CST); }
static inline int atom_swap_if(atom_t *a, int64_t old, int64_t new_) {
    return __atomic_compare_exchange_n(a, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#endif

#if defined(_MSC_VER)
static inline void cpu_pause(void) { YieldProcessor(); }
#elif defined(__x86_64__)
static inline void cpu_pause(void) { __asm__ volatile("pause"); }
#elif defined(__aarch64__)
static inline void cpu_pause(void) { __asm__ volatile("isb"); }
#else
static inline void cpu_pause(void) {}
#endif

#endif
