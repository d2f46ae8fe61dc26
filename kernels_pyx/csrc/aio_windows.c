/* Files, threads and memory of aio.h on Windows. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include "aio.h"

#include <errno.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define ONE_READ ((int64_t)1 << 30)

struct aio_file {
    HANDLE handle;
    int direct;
    int64_t nbytes;
    volatile LONG users;
};

/* An overlapped handle takes reads of several threads at once; a synchronous one would serialize them. */
static int read_some(HANDLE h, void *to, int64_t nbytes, int64_t offset, int64_t *got) {
    OVERLAPPED at;
    DWORD n = 0, error = 0;
    memset(&at, 0, sizeof at);
    at.Offset = (DWORD)(uint64_t)offset;
    at.OffsetHigh = (DWORD)((uint64_t)offset >> 32);
    at.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!at.hEvent) return ENOMEM;
    if (!ReadFile(h, to, (DWORD)(nbytes < ONE_READ ? nbytes : ONE_READ), NULL, &at)) error = GetLastError();
    if (error == 0 || error == ERROR_IO_PENDING) error = GetOverlappedResult(h, &at, &n, TRUE) ? 0 : GetLastError();
    CloseHandle(at.hEvent);
    *got = n;
    return error == 0 || error == ERROR_HANDLE_EOF ? 0 : EIO;
}

static HANDLE open_handle(const wchar_t *path, DWORD flags) {
    return CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, FILE_FLAG_OVERLAPPED | flags, NULL);
}

static int probe(HANDLE h) {
    int64_t got;
    void *block = _aligned_malloc(AIO_BLOCK, AIO_BLOCK);
    if (!block) return ERROR_NOT_ENOUGH_MEMORY;
    const int error = read_some(h, block, AIO_BLOCK, 0, &got);
    _aligned_free(block);
    return error ? ERROR_READ_FAULT : 0;
}

aio_file *aio_open(const char *path, int direct, int *error, int *direct_error) {
    HANDLE h = INVALID_HANDLE_VALUE;
    LARGE_INTEGER size;
    *error = *direct_error = 0;
    const int n = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
    wchar_t *wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;
    aio_file *f = calloc(1, sizeof *f);
    if (!wide || !f) {
        *error = n > 0 ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_NAME;
        free(wide);
        free(f);
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, n);
    if (direct) {
        h = open_handle(wide, FILE_FLAG_NO_BUFFERING);
        *direct_error = h == INVALID_HANDLE_VALUE ? (int)GetLastError() : probe(h);
        if (*direct_error && h != INVALID_HANDLE_VALUE) {
            CloseHandle(h);
            h = INVALID_HANDLE_VALUE;
        }
    }
    f->direct = h != INVALID_HANDLE_VALUE;
    if (h == INVALID_HANDLE_VALUE) h = open_handle(wide, 0);
    if (h == INVALID_HANDLE_VALUE || !GetFileSizeEx(h, &size)) *error = (int)GetLastError();
    free(wide);
    if (*error) {
        if (h != INVALID_HANDLE_VALUE) CloseHandle(h);
        free(f);
        return NULL;
    }
    f->handle = h;
    f->nbytes = size.QuadPart;
    f->users = 1;
    return f;
}

void aio_retain(aio_file *f) { InterlockedIncrement(&f->users); }

void aio_release(aio_file *f) {
    if (InterlockedDecrement(&f->users) > 0) return;
    CloseHandle(f->handle);
    free(f);
}

int64_t aio_file_bytes(const aio_file *f) { return f->nbytes; }
int aio_file_direct(const aio_file *f) { return f->direct; }

int aio_read_blocks(aio_file *f, int64_t offset, void *to, int64_t nbytes, int64_t *got) {
    *got = 0;
    while (*got < nbytes) {
        int64_t n;
        const int error = read_some(f->handle, (char *)to + *got, nbytes - *got, offset + *got, &n);
        if (error) return error;
        *got += n;
        if (n == 0 || (*got < nbytes && *got % AIO_BLOCK)) return AIO_SHORT;
    }
    return 0;
}

struct aio_sync {
    SRWLOCK lock;
    CONDITION_VARIABLE condition[1]; /* as many as were asked for */
};

aio_sync *aio_sync_new(int n_conditions) {
    aio_sync *s = malloc(sizeof *s + (size_t)n_conditions * sizeof s->condition[0]);
    if (!s) return NULL;
    InitializeSRWLock(&s->lock);
    for (int i = 0; i < n_conditions; i++) InitializeConditionVariable(&s->condition[i]);
    return s;
}

void aio_sync_free(aio_sync *s) { free(s); }
void aio_lock(aio_sync *s) { AcquireSRWLockExclusive(&s->lock); }
void aio_unlock(aio_sync *s) { ReleaseSRWLockExclusive(&s->lock); }

void aio_wait(aio_sync *s, int which, int64_t ns) {
    SleepConditionVariableSRW(&s->condition[which], &s->lock, ns < 0 ? INFINITE : (DWORD)((ns + 999999) / 1000000), 0);
}

void aio_wake(aio_sync *s, int which, int all) {
    if (all) WakeAllConditionVariable(&s->condition[which]);
    else WakeConditionVariable(&s->condition[which]);
}

struct aio_thread {
    HANDLE handle;
    void (*run)(void *);
    void *arg;
};

static unsigned __stdcall thread_main(void *p) {
    aio_thread *t = p;
    t->run(t->arg);
    return 0;
}

aio_thread *aio_thread_start(void (*run)(void *), void *arg) {
    aio_thread *t = malloc(sizeof *t);
    if (!t) return NULL;
    t->run = run;
    t->arg = arg;
    t->handle = (HANDLE)_beginthreadex(NULL, 256 << 10, thread_main, t, 0, NULL);
    if (!t->handle) {
        free(t);
        return NULL;
    }
    return t;
}

void aio_thread_join(aio_thread *t) {
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
    free(t);
}

int64_t aio_now_ns(void) {
    LARGE_INTEGER now, per_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&per_second);
    return now.QuadPart / per_second.QuadPart * 1000000000 + now.QuadPart % per_second.QuadPart * 1000000000 / per_second.QuadPart;
}

void *aio_map(int64_t nbytes) { return VirtualAlloc(NULL, (SIZE_T)nbytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }

int aio_pin(void *p, int64_t nbytes) { return VirtualLock(p, (SIZE_T)nbytes) ? 0 : (int)GetLastError(); }

void aio_unmap(void *p, int64_t nbytes) {
    (void)nbytes;
    VirtualFree(p, 0, MEM_RELEASE);
}
#endif
