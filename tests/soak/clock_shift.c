/* Shifts the wall clock of a process, as an operator or NTP would.
 *
 * LD_PRELOAD this library; the file CLOCK_SHIFT_FILE has the shift as an int64 in ns, and may
 * change at any time. Monotonic clocks and the times of files are left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000 };

static int (*next_clock_gettime)(clockid_t, struct timespec *);
static const volatile int64_t *shift_ns;

__attribute__((constructor)) static void map_shift(void) {
    const char *path = getenv("CLOCK_SHIFT_FILE");
    next_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        void *mapped = mmap(NULL, sizeof *shift_ns, PROT_READ, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) {
            shift_ns = mapped;
        }
        close(file);
    }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    const int result = next_clock_gettime != NULL ? next_clock_gettime(clock, time)
                                                  : (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && shift_ns != NULL &&
        (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        const int64_t ns = (int64_t)time->tv_sec * NS + time->tv_nsec + *shift_ns;
        time->tv_sec = ns / NS;
        time->tv_nsec = ns % NS;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    const int result = clock_gettime(CLOCK_REALTIME, &now);
    if (result == 0) {
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
    }
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return -1;
    }
    if (result != NULL) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}
