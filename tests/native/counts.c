/* Preloaded into a Python: counts GIL acquisitions and memory allocations of each thread.

   The counts lie in the file that AERON_CLUSTER_COUNTS names, so that reading them changes nothing
   in the process that is counted. While it is armed, each of these calls is noted with where it
   came from as well. Only calls through the dynamic linker are seen: those of extension modules
   into libpython and libc, and libpython's own into libc. PYTHONMALLOC=malloc makes each Python
   object one of the latter. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    THREADS = 128,
    SITES = 512,
    DEPTH = 16,
    SKIPPED = 2, /* frames of this library */
    GIL = 0,
    TAKEN = 1,
    FREED = 2,
    KINDS = 3,
};

/* "<qqqq": read by counted.py. */
typedef struct thread_counts {
    _Atomic int64_t id; /* 0: unowned */
    _Atomic int64_t counts[KINDS];
} thread_counts;

/* "<qqqq16Q" */
typedef struct call_site {
    _Atomic int64_t count; /* 0: empty */
    int64_t thread_id;
    int64_t kind;
    int64_t depth;
    uint64_t frames[DEPTH];
} call_site;

typedef struct counts_file {
    _Atomic int64_t is_armed; /* written by the reader */
    _Atomic int64_t sites_lost;
    thread_counts threads[THREADS];
    _Atomic int32_t lock;
    int32_t reserved;
    call_site sites[SITES];
} counts_file;

_Static_assert(offsetof(counts_file, threads) == 16, "read in Python");
_Static_assert(offsetof(counts_file, sites) == 16 + 32 * THREADS + 8, "read in Python");
_Static_assert(sizeof(call_site) == 32 + 8 * DEPTH, "read in Python");

extern void *__libc_malloc(size_t length);
extern void *__libc_calloc(size_t count, size_t length);
extern void *__libc_realloc(void *memory, size_t length);
extern void *__libc_memalign(size_t alignment, size_t length);
extern void __libc_free(void *memory);

#define LOCAL __attribute__((tls_model("initial-exec"))) static _Thread_local

static counts_file *file;
LOCAL thread_counts *own;
LOCAL int is_noting;

static thread_counts *find_own(void) {
    int64_t id = syscall(SYS_gettid);
    for (int index = 0; index < THREADS; index++) {
        int64_t expected = 0;
        if (atomic_load(&file->threads[index].id) == id ||
            atomic_compare_exchange_strong(&file->threads[index].id, &expected, id)) {
            return &file->threads[index];
        }
    }
    abort();
}

static void note(int kind) {
    void *frames[DEPTH + SKIPPED];
    uint64_t kept[DEPTH] = {0};
    int depth = backtrace(frames, DEPTH + SKIPPED) - SKIPPED;
    int64_t id = atomic_load(&own->id);
    for (int index = 0; index < depth; index++) {
        kept[index] = (uint64_t)(uintptr_t)frames[index + SKIPPED];
    }
    while (atomic_exchange(&file->lock, 1) != 0) {
    }
    int index = 0;
    for (; index < SITES; index++) {
        call_site *site = &file->sites[index];
        if (site->count == 0) {
            site->thread_id = id;
            site->kind = kind;
            site->depth = depth;
            memcpy(site->frames, kept, sizeof kept);
        } else if (site->thread_id != id || site->kind != kind ||
                   memcmp(site->frames, kept, sizeof kept) != 0) {
            continue;
        }
        site->count++;
        break;
    }
    if (index == SITES) {
        file->sites_lost++;
    }
    atomic_store(&file->lock, 0);
}

/* Never inlined, so that SKIPPED holds. */
__attribute__((noinline)) static void counted(int kind) {
    if (file == NULL || is_noting) {
        return;
    }
    int kept_errno = errno;
    if (own == NULL) {
        own = find_own();
    }
    atomic_fetch_add_explicit(&own->counts[kind], 1, memory_order_relaxed);
    if (atomic_load_explicit(&file->is_armed, memory_order_relaxed)) {
        is_noting = 1;
        note(kind);
        is_noting = 0;
    }
    errno = kept_errno;
}

__attribute__((constructor)) static void begin(void) {
    void *frames[4];
    const char *path = getenv("AERON_CLUSTER_COUNTS");
    int handle = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    backtrace(frames, 4); /* allocates its memory now */
    /* The children are not visited. */
    unsetenv("LD_PRELOAD");
    unsetenv("AERON_CLUSTER_COUNTS");
    if (handle < 0) {
        return;
    }
    void *memory = mmap(NULL, sizeof(counts_file), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    close(handle);
    if (memory != MAP_FAILED) {
        file = (counts_file *)memory;
    }
}

/* ---- memory ---- */

void *malloc(size_t length) {
    counted(TAKEN);
    return __libc_malloc(length);
}

void *calloc(size_t count, size_t length) {
    counted(TAKEN);
    return __libc_calloc(count, length);
}

void *realloc(void *memory, size_t length) {
    counted(TAKEN);
    return __libc_realloc(memory, length);
}

void *memalign(size_t alignment, size_t length) {
    counted(TAKEN);
    return __libc_memalign(alignment, length);
}

void *aligned_alloc(size_t alignment, size_t length) {
    counted(TAKEN);
    return __libc_memalign(alignment, length);
}

int posix_memalign(void **memory, size_t alignment, size_t length) {
    counted(TAKEN);
    *memory = __libc_memalign(alignment, length);
    return *memory == NULL ? ENOMEM : 0;
}

void free(void *memory) {
    if (memory != NULL) {
        counted(FREED);
    }
    __libc_free(memory);
}

/* ---- the GIL ---- */

static void *next(const char *name) {
    int before = is_noting;
    is_noting = 1; /* dlsym may allocate memory */
    void *found = dlsym(RTLD_NEXT, name);
    is_noting = before;
    if (found == NULL) {
        abort();
    }
    return found;
}

int PyGILState_Ensure(void) {
    static int (*real)(void);
    if (real == NULL) {
        *(void **)&real = next("PyGILState_Ensure");
    }
    counted(GIL);
    return real();
}

void PyEval_RestoreThread(void *state) {
    static void (*real)(void *);
    if (real == NULL) {
        *(void **)&real = next("PyEval_RestoreThread");
    }
    counted(GIL);
    real(state);
}

void PyEval_AcquireThread(void *state) {
    static void (*real)(void *);
    if (real == NULL) {
        *(void **)&real = next("PyEval_AcquireThread");
    }
    counted(GIL);
    real(state);
}
