/* Feeds damaged messages to `ac_read`, and what that yields to `ac_write`, each in an allocation of
   exactly its length, so that the address sanitizer sees a step beyond it. Usage: damage <seed
   file> <rounds> <seed> Prints how many were accepted and rejected. */
#include <stdio.h>
#include <stdlib.h>

int64_t ac_read(const uint8_t *from, size_t length, uint8_t *to, size_t capacity);
int64_t ac_write(uint16_t schema_id, uint16_t template_id, const uint8_t *values, size_t length,
                 uint8_t *to, size_t capacity);

enum { MAX_SEEDS = 4096, MAX_LENGTH = 1 << 16, MAX_EDITS = 6 };

static uint64_t state;

static uint64_t draw(void) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(size_t limit) {
    return limit == 0 ? 0 : (size_t)(draw() % limit);
}

static void edit(uint8_t *bytes, size_t length) {
    static const uint32_t boundary_values[] = {0,          1,          0xFFFF,     0x7FFFFFFF,
                                               0x80000000, 0xFFFFFFFF, 0x40000000, 0x40000001};
    const size_t at = below(length);
    switch (below(4)) {
    case 0:
        bytes[at] = (uint8_t)draw();
        break;
    case 1:
        bytes[at] ^= (uint8_t)(1u << below(8));
        break;
    case 2: { /* a length or a count that claims too much, or nothing */
        const uint32_t value =
            boundary_values[below(sizeof(boundary_values) / sizeof(boundary_values[0]))];
        memcpy(bytes + at, &value, length - at < 4 ? length - at : 4);
        break;
    }
    default: { /* the block length or the version of the header */
        const uint16_t value = (uint16_t)below(300);
        if (length >= 8) {
            memcpy(bytes + (below(2) ? 0 : 6), &value, sizeof(value));
        }
    }
    }
}

int main(int argc, char **argv) {
    static uint8_t *seeds[MAX_SEEDS];
    static uint32_t lengths[MAX_SEEDS];
    size_t seed_count = 0;
    FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    while (seed_count < MAX_SEEDS && fread(&lengths[seed_count], 4, 1, file) == 1) {
        if (lengths[seed_count] > MAX_LENGTH) {
            return 2;
        }
        seeds[seed_count] = malloc(lengths[seed_count] + 1);
        if (fread(seeds[seed_count], 1, lengths[seed_count], file) != lengths[seed_count]) {
            return 2;
        }
        seed_count++;
    }
    fclose(file);
    const long rounds = atol(argv[2]);
    state = (uint64_t)atol(argv[3]);
    long accepted = 0;
    for (long i = 0; i < rounds; i++) {
        const size_t which = below(seed_count);
        size_t length = lengths[which];
        length = below(3) == 0 ? below(length + 1) : length;
        uint8_t *from = malloc(length);
        memcpy(from, seeds[which], length);
        for (size_t edits = length == 0 ? 0 : below(MAX_EDITS); edits > 0; edits--) {
            edit(from, length);
        }
        /* A value of one byte is passed as eight; not more, since the sanitizer marks all of it. */
        const size_t capacity = below(8) == 0 ? below(2 * length + 1) : 16 * length + 4096;
        uint8_t *values = malloc(capacity);
        const int64_t read = ac_read(from, length, values, capacity);
        if (read > (int64_t)capacity) {
            abort();
        }
        accepted += read >= 0;
        if (read >= 0) {
            uint8_t *packed = malloc((size_t)read);
            memcpy(packed, values, (size_t)read);
            const size_t room = below(4) == 0 ? below(length + 1) : 2 * length;
            uint8_t *to = malloc(room);
            const int64_t written = ac_write(ac_get_uint16(from + 4), ac_get_uint16(from + 2),
                                             packed, (size_t)read, to, room);
            if (written > (int64_t)room) {
                abort();
            }
            free(to);
            free(packed);
        }
        free(values);
        free(from);
    }
    printf("%ld accepted, %ld rejected\n", accepted, rounds - accepted);
    return 0;
}
