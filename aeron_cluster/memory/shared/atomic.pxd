"""Access to words that other threads or processes may write, with explicit memory ordering.

The names are those of ``aeron_cluster/atomic.h`` without their prefix. "opaque" cannot tear and is
not invented or dropped, but orders nothing.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from "aeron_cluster/atomic.h" nogil:
    enum:
        CACHE_LINE_LENGTH "AC_CACHE_LINE_LENGTH"

    uint8_t load_acquire_u8 "ac_load_acquire_u8"(const void *address) noexcept
    uint8_t load_opaque_u8 "ac_load_opaque_u8"(const void *address) noexcept
    void store_release_u8 "ac_store_release_u8"(void *address, uint8_t value) noexcept
    void store_opaque_u8 "ac_store_opaque_u8"(void *address, uint8_t value) noexcept
    uint8_t get_and_add_u8 "ac_get_and_add_u8"(void *address, uint8_t delta) noexcept
    bint compare_and_set_u8 "ac_compare_and_set_u8"(
        void *address, uint8_t expected, uint8_t desired) noexcept

    int32_t load_acquire_i32 "ac_load_acquire_i32"(const void *address) noexcept
    int32_t load_opaque_i32 "ac_load_opaque_i32"(const void *address) noexcept
    void store_release_i32 "ac_store_release_i32"(void *address, int32_t value) noexcept
    void store_opaque_i32 "ac_store_opaque_i32"(void *address, int32_t value) noexcept
    int32_t get_and_add_i32 "ac_get_and_add_i32"(void *address, int32_t delta) noexcept
    bint compare_and_set_i32 "ac_compare_and_set_i32"(
        void *address, int32_t expected, int32_t desired) noexcept

    int64_t load_acquire_i64 "ac_load_acquire_i64"(const void *address) noexcept
    int64_t load_opaque_i64 "ac_load_opaque_i64"(const void *address) noexcept
    void store_release_i64 "ac_store_release_i64"(void *address, int64_t value) noexcept
    void store_opaque_i64 "ac_store_opaque_i64"(void *address, int64_t value) noexcept
    int64_t get_and_add_i64 "ac_get_and_add_i64"(void *address, int64_t delta) noexcept
    bint compare_and_set_i64 "ac_compare_and_set_i64"(
        void *address, int64_t expected, int64_t desired) noexcept

    void add_release_i64 "ac_add_release_i64"(void *address, int64_t delta) noexcept
    bint propose_max_release_i64 "ac_propose_max_release_i64"(void *address, int64_t value) noexcept

    void fence_acquire "ac_fence_acquire"() noexcept
    void fence_release "ac_fence_release"() noexcept
    void fence_full "ac_fence_full"() noexcept
    void spin_wait_hint "ac_spin_wait_hint"() noexcept
