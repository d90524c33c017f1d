from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t


cdef extern from "aeron_cluster/codecs/sbe.h" nogil:
    enum:
        MESSAGE_HEADER_LENGTH "AC_MESSAGE_HEADER_LENGTH"
        SBE_DATA_HEADER_LENGTH "AC_SBE_DATA_HEADER_LENGTH"
        SBE_MAX_DATA_LENGTH "AC_SBE_MAX_DATA_LENGTH"

    ctypedef struct message_header "ac_message_header":
        uint16_t block_length
        uint16_t template_id
        uint16_t schema_id
        uint16_t version

    ctypedef struct sbe_message "ac_sbe_message":
        const uint8_t *body
        const uint8_t *limit
        uint16_t block_length
        uint16_t template_id
        uint16_t schema_id
        uint16_t version

    ctypedef struct sbe_reader "ac_sbe_reader":
        const uint8_t *at
        const uint8_t *limit

    ctypedef struct sbe_writer "ac_sbe_writer":
        uint8_t *at
        uint8_t *limit

    int8_t get_int8 "ac_get_int8"(const uint8_t *at) noexcept
    uint8_t get_uint8 "ac_get_uint8"(const uint8_t *at) noexcept
    uint16_t get_uint16 "ac_get_uint16"(const uint8_t *at) noexcept
    int32_t get_int32 "ac_get_int32"(const uint8_t *at) noexcept
    uint32_t get_uint32 "ac_get_uint32"(const uint8_t *at) noexcept
    int64_t get_int64 "ac_get_int64"(const uint8_t *at) noexcept
    void put_int8 "ac_put_int8"(uint8_t *at, int8_t value) noexcept
    void put_uint8 "ac_put_uint8"(uint8_t *at, uint8_t value) noexcept
    void put_uint16 "ac_put_uint16"(uint8_t *at, uint16_t value) noexcept
    void put_int32 "ac_put_int32"(uint8_t *at, int32_t value) noexcept
    void put_uint32 "ac_put_uint32"(uint8_t *at, uint32_t value) noexcept
    void put_int64 "ac_put_int64"(uint8_t *at, int64_t value) noexcept

    # False if header or block exceed the given bytes.
    bint sbe_wrap "ac_sbe_wrap"(
        sbe_message *message, const uint8_t *buffer, size_t length) noexcept
    sbe_reader sbe_reader_after "ac_sbe_reader_after"(const sbe_message *message) noexcept
    int64_t sbe_read_data "ac_sbe_read_data"(sbe_reader *reader, const uint8_t **data) noexcept

    # NULL or False if it does not fit.
    uint8_t *sbe_reserve "ac_sbe_reserve"(sbe_writer *writer, size_t length) noexcept
    uint8_t *sbe_begin "ac_sbe_begin"(sbe_writer *writer, message_header header) noexcept
    bint sbe_write_data "ac_sbe_write_data"(
        sbe_writer *writer, const void *data, uint32_t length) noexcept
