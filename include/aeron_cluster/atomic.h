/* Access to words that other threads or processes may write, with explicit memory ordering.

   Every function takes a plain pointer into mapped memory; the word is naturally aligned. "opaque"
   is a relaxed access: it cannot tear and is not invented or dropped, but orders nothing. */
#ifndef AERON_CLUSTER_ATOMIC_H
#define AERON_CLUSTER_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define AC_CACHE_LINE_LENGTH 64

_Static_assert(sizeof(_Atomic int64_t) == 8 && sizeof(_Atomic int32_t) == 4, "lock-free words");

#define AC_DEFINE_ATOMIC_WORD(suffix, type)                                                        \
    static inline type ac_load_acquire_##suffix(const void *address) {                             \
        return atomic_load_explicit((const _Atomic type *)address, memory_order_acquire);          \
    }                                                                                              \
    static inline type ac_load_opaque_##suffix(const void *address) {                              \
        return atomic_load_explicit((const _Atomic type *)address, memory_order_relaxed);          \
    }                                                                                              \
    static inline void ac_store_release_##suffix(void *address, type value) {                      \
        atomic_store_explicit((_Atomic type *)address, value, memory_order_release);               \
    }                                                                                              \
    static inline void ac_store_opaque_##suffix(void *address, type value) {                       \
        atomic_store_explicit((_Atomic type *)address, value, memory_order_relaxed);               \
    }                                                                                              \
    static inline type ac_get_and_add_##suffix(void *address, type delta) {                        \
        return atomic_fetch_add_explicit((_Atomic type *)address, delta, memory_order_seq_cst);    \
    }                                                                                              \
    static inline bool ac_compare_and_set_##suffix(void *address, type expected, type desired) {   \
        return atomic_compare_exchange_strong_explicit((_Atomic type *)address, &expected,         \
                                                       desired, memory_order_seq_cst,              \
                                                       memory_order_seq_cst);                      \
    }

AC_DEFINE_ATOMIC_WORD(u8, uint8_t)
AC_DEFINE_ATOMIC_WORD(i32, int32_t)
AC_DEFINE_ATOMIC_WORD(i64, int64_t)

/* Add to a counter with a single writer: no locked instruction is needed. */
static inline void ac_add_release_i64(void *address, int64_t delta) {
    ac_store_release_i64(address, ac_load_opaque_i64(address) + delta);
}

/* Raise a counter with a single writer to a value; never lower it. */
static inline bool ac_propose_max_release_i64(void *address, int64_t value) {
    if (ac_load_opaque_i64(address) < value) {
        ac_store_release_i64(address, value);
        return true;
    }
    return false;
}

static inline void ac_fence_acquire(void) {
    atomic_thread_fence(memory_order_acquire);
}

static inline void ac_fence_release(void) {
    atomic_thread_fence(memory_order_release);
}

static inline void ac_fence_full(void) {
    atomic_thread_fence(memory_order_seq_cst);
}

/* Hint to the processor that this is a spin loop. The only special instruction is here. */
static inline void ac_spin_wait_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
