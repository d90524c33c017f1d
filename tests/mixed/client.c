/* A client of a mixed run on Aeron's C client; clients.py describes its commands and events.
 *
 * One thread: it drives the client's conductor too.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "aeronc.h"
#include "messages.h"

#define MAX_STREAM_COUNT 64
#define REPORT_INTERVAL_NS INT64_C(500000000)

typedef struct {
    int name;
    bool is_in_use;
    bool is_exclusive;
    aeron_publication_t *shared;
    aeron_exclusive_publication_t *exclusive;
    int64_t publisher;
    int64_t sequence;
    int64_t previous_start;
    int64_t interval_ns;
    int64_t due_ns;
    int32_t max_payload_length;
} publisher;

typedef struct {
    int name;
    bool is_in_use;
    bool is_reported; /* its fault */
    aeron_subscription_t *subscription;
    aeron_fragment_assembler_t *assembler;
    mixed_checks checks;
} subscriber;

static aeron_t *client;
static publisher publishers[MAX_STREAM_COUNT];
static subscriber subscribers[MAX_STREAM_COUNT];
static int64_t closed_message_count, closed_byte_count, closed_gap_count;
static uint8_t message[MIXED_MAX_LENGTH];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void fail(const char *what) {
    printf("{\"event\":\"error\",\"message\":\"%s: %s\"}\n", what, "see stderr");
    fflush(stdout);
    fprintf(stderr, "%s: %d %s\n", what, aeron_errcode(), aeron_errmsg());
    _exit(1);
}

static void on_error(void *clientd, int code, const char *text) {
    printf("{\"event\":\"error\",\"message\":\"client error %d, see stderr\"}\n", code);
    fflush(stdout);
    fprintf(stderr, "%d %s\n", code, text);
}

static void on_available_image(void *clientd, aeron_subscription_t *subscription,
                               aeron_image_t *image) {
    aeron_image_constants_t of;
    if (aeron_image_constants(image, &of) == 0) {
        mixed_on_image(&((subscriber *)clientd)->checks, of.session_id, of.join_position);
    }
}

static void on_unavailable_image(void *clientd, aeron_subscription_t *subscription,
                                 aeron_image_t *image) {
    subscriber *to = (subscriber *)clientd;
    aeron_image_constants_t of;
    if (aeron_image_constants(image, &of) < 0) {
        return;
    }
    if (to->is_in_use) {
        const char *comma = "";
        printf("{\"event\":\"ended\",\"name\":%d,\"session\":%d,\"next\":{", to->name,
               of.session_id);
        for (int i = 0; i < to->checks.expected_count; i++) {
            const mixed_expected *each = &to->checks.expected[i];
            if (each->session_id == of.session_id) {
                printf("%s\"%" PRId64 "\":%" PRId64, comma, each->publisher, each->next);
                comma = ",";
            }
        }
        printf("}}\n");
        fflush(stdout);
    }
    mixed_on_image_end(&to->checks, of.session_id);
}

static void on_message(void *clientd, const uint8_t *buffer, size_t length,
                       aeron_header_t *header) {
    aeron_header_values_t values;
    aeron_header_values(header, &values);
    mixed_check(&((subscriber *)clientd)->checks, values.frame.session_id, buffer, (int32_t)length);
}

static void await_answer(int result, const char *what) {
    if (result < 0) {
        fail(what);
    }
    aeron_main_do_work(client);
    usleep(100);
}

static void await_destination(aeron_async_destination_t *async, const char *uri) {
    int result;
    /* The functions for publications do the same. */
    while ((result = aeron_subscription_async_destination_poll(async)) != 1) {
        await_answer(result, uri);
    }
}

static void add_publisher(char *arguments) {
    char channel[512], kind[32];
    int32_t stream_id = 0;
    int name = 0, end = 0;
    int64_t interval_us = 0, id = 0;
    sscanf(arguments, "%d %511s %" SCNd32 " %31s %" SCNd64 " %" SCNd64 "%n", &name, channel,
           &stream_id, kind, &id, &interval_us, &end);
    publisher *to = publishers;
    while (to->is_in_use) {
        to++;
    }
    memset(to, 0, sizeof(*to));
    aeron_publication_constants_t constants;
    int result;
    to->is_exclusive = strcmp(kind, "exclusive") == 0;
    if (to->is_exclusive) {
        aeron_async_add_exclusive_publication_t *async;
        if (aeron_async_add_exclusive_publication(&async, client, channel, stream_id) < 0) {
            fail(channel);
        }
        while ((result = aeron_async_add_exclusive_publication_poll(&to->exclusive, async)) != 1) {
            await_answer(result, channel);
        }
        aeron_exclusive_publication_constants(to->exclusive, &constants);
    } else {
        aeron_async_add_publication_t *async;
        if (aeron_async_add_publication(&async, client, channel, stream_id) < 0) {
            fail(channel);
        }
        while ((result = aeron_async_add_publication_poll(&to->shared, async)) != 1) {
            await_answer(result, channel);
        }
        aeron_publication_constants(to->shared, &constants);
    }
    for (char *uri = strtok(arguments + end, " "); uri != NULL; uri = strtok(NULL, " ")) {
        aeron_async_destination_t *async;
        if ((to->is_exclusive
                 ? aeron_exclusive_publication_async_add_destination(&async, client, to->exclusive,
                                                                     uri)
                 : aeron_publication_async_add_destination(&async, client, to->shared, uri)) < 0) {
            fail(uri);
        }
        await_destination(async, uri);
    }
    to->name = name;
    to->publisher = id;
    to->previous_start = -1;
    to->interval_ns = interval_us * 1000;
    to->max_payload_length = (int32_t)constants.max_payload_length;
    to->is_in_use = true;
    printf("{\"event\":\"added\",\"name\":%d,\"session\":%d}\n", name, constants.session_id);
}

static void add_subscriber(char *arguments) {
    char channel[512];
    int32_t stream_id = 0;
    int name = 0, is_reliable = 0, end = 0;
    sscanf(arguments, "%d %511s %" SCNd32 " %d%n", &name, channel, &stream_id, &is_reliable, &end);
    subscriber *to = subscribers;
    while (to->is_in_use) {
        to++;
    }
    memset(to, 0, sizeof(*to));
    to->name = name;
    to->checks.is_reliable = is_reliable != 0;
    to->is_in_use = true;
    aeron_async_add_subscription_t *async;
    if (aeron_fragment_assembler_create(&to->assembler, on_message, to) < 0 ||
        aeron_async_add_subscription(&async, client, channel, stream_id, on_available_image, to,
                                     on_unavailable_image, to) < 0) {
        fail(channel);
    }
    int result;
    while ((result = aeron_async_add_subscription_poll(&to->subscription, async)) != 1) {
        await_answer(result, channel);
    }
    for (char *uri = strtok(arguments + end, " "); uri != NULL; uri = strtok(NULL, " ")) {
        aeron_async_destination_t *added;
        if (aeron_subscription_async_add_destination(&added, client, to->subscription, uri) < 0) {
            fail(uri);
        }
        await_destination(added, uri);
    }
    printf("{\"event\":\"added\",\"name\":%d}\n", name);
}

static void on_closed(void *clientd) {
    *(bool *)clientd = true;
}

static void await_closed(const bool *is_closed) {
    while (!*is_closed) {
        aeron_main_do_work(client);
    }
}

static void remove_publisher(publisher *from) {
    bool is_closed = false;
    if (from->is_exclusive) {
        aeron_exclusive_publication_close(from->exclusive, on_closed, &is_closed);
    } else {
        aeron_publication_close(from->shared, on_closed, &is_closed);
    }
    await_closed(&is_closed);
    from->is_in_use = false;
    printf("{\"event\":\"removed\",\"name\":%d,\"sent\":%" PRId64 "}\n", from->name,
           from->sequence);
}

static void report_fault(subscriber *of) {
    if (of->checks.fault[0] != '\0' && !of->is_reported) {
        of->is_reported = true;
        printf("{\"event\":\"fault\",\"name\":%d,\"text\":\"%s\"}\n", of->name, of->checks.fault);
        fflush(stdout);
    }
}

static void remove_subscriber(subscriber *from) {
    bool is_closed = false;
    from->is_in_use = false; /* images that end now are not complete */
    aeron_subscription_close(from->subscription, on_closed, &is_closed);
    await_closed(&is_closed);
    report_fault(from);
    closed_message_count += from->checks.message_count;
    closed_byte_count += from->checks.byte_count;
    closed_gap_count += from->checks.gap_count;
    aeron_fragment_assembler_delete(from->assembler);
    free(from->checks.images);
    free(from->checks.expected);
    printf("{\"event\":\"removed\",\"name\":%d}\n", from->name);
}

static void remove_stream(int name) {
    for (int i = 0; i < MAX_STREAM_COUNT; i++) {
        if (publishers[i].is_in_use && publishers[i].name == name) {
            remove_publisher(&publishers[i]);
        }
        if (subscribers[i].is_in_use && subscribers[i].name == name) {
            remove_subscriber(&subscribers[i]);
        }
    }
}

static int publish(publisher *from, int64_t now) {
    if (now < from->due_ns) {
        return 0;
    }
    const int32_t length =
        mixed_encode(message, from->publisher, from->sequence, from->previous_start);
    const bool is_claimed = from->sequence % 4 == 0 && length <= from->max_payload_length;
    aeron_buffer_claim_t claim;
    int64_t position;
    if (from->is_exclusive) {
        position = is_claimed ? aeron_exclusive_publication_try_claim(from->exclusive,
                                                                      (size_t)length, &claim)
                              : aeron_exclusive_publication_offer(from->exclusive, message,
                                                                  (size_t)length, NULL, NULL);
    } else {
        position = is_claimed
                       ? aeron_publication_try_claim(from->shared, (size_t)length, &claim)
                       : aeron_publication_offer(from->shared, message, (size_t)length, NULL, NULL);
    }
    if (position == AERON_PUBLICATION_CLOSED || position == AERON_PUBLICATION_ERROR) {
        fail("offer");
    }
    if (position <= 0) {
        return 0;
    }
    if (is_claimed) {
        memcpy(claim.data, message, (size_t)length);
        aeron_buffer_claim_commit(&claim);
    }
    from->previous_start = position - mixed_framed_length(length, from->max_payload_length);
    from->sequence++;
    const int64_t earliest = now - 10 * from->interval_ns;
    from->due_ns = (from->due_ns < earliest ? earliest : from->due_ns) + from->interval_ns;
    return 1;
}

static void report(void) {
    int64_t message_count = closed_message_count, byte_count = closed_byte_count;
    int64_t gap_count = closed_gap_count;
    const char *comma = "";
    printf("{\"event\":\"progress\",\"sent\":{");
    for (int i = 0; i < MAX_STREAM_COUNT; i++) {
        if (publishers[i].is_in_use) {
            printf("%s\"%d\":%" PRId64, comma, publishers[i].name, publishers[i].sequence);
            comma = ",";
        }
    }
    printf("},\"next\":{");
    comma = "";
    for (int i = 0; i < MAX_STREAM_COUNT; i++) {
        const subscriber *of = &subscribers[i];
        if (of->is_in_use) {
            printf("%s\"%d\":{", comma, of->name);
            comma = "";
            for (int j = 0; j < of->checks.expected_count; j++) {
                const mixed_expected *each = &of->checks.expected[j];
                printf("%s\"%" PRId64 "\":%" PRId64, comma, each->publisher, each->next);
                comma = ",";
            }
            printf("}");
            comma = ",";
            message_count += of->checks.message_count;
            byte_count += of->checks.byte_count;
            gap_count += of->checks.gap_count;
        }
    }
    printf("},\"messages\":%" PRId64 ",\"bytes\":%" PRId64 ",\"gaps\":%" PRId64 "}\n",
           message_count, byte_count, gap_count);
    fflush(stdout);
}

static void close_client(aeron_context_t *context) {
    for (int i = 0; i < MAX_STREAM_COUNT; i++) {
        if (publishers[i].is_in_use) {
            remove_publisher(&publishers[i]);
        }
        if (subscribers[i].is_in_use) {
            remove_subscriber(&subscribers[i]);
        }
    }
    report();
    if (aeron_close(client) < 0 || aeron_context_close(context) < 0) {
        fail("close");
    }
    printf("{\"event\":\"CLOSED\"}\n");
    fflush(stdout);
}

/* Do what a line requests; return false after the last one. */
static bool obey(char *line) {
    if (strncmp(line, "pub ", 4) == 0) {
        add_publisher(line + 4);
    } else if (strncmp(line, "sub ", 4) == 0) {
        add_subscriber(line + 4);
    } else if (strncmp(line, "remove ", 7) == 0) {
        remove_stream(atoi(line + 7));
    } else if (strcmp(line, "close") == 0) {
        return false;
    }
    fflush(stdout);
    return true;
}

/* Read the lines that are complete; return false once the last one is obeyed. */
static bool read_lines(void) {
    static char buffer[8192];
    static size_t length;
    const ssize_t count = read(STDIN_FILENO, buffer + length, sizeof(buffer) - length - 1);
    if (count == 0) {
        return false; /* the run has ended */
    }
    length += count > 0 ? (size_t)count : 0;
    buffer[length] = '\0';
    char *end;
    while ((end = strchr(buffer, '\n')) != NULL) {
        *end = '\0';
        const bool goes_on = obey(buffer);
        length -= (size_t)(end + 1 - buffer);
        memmove(buffer, end + 1, length + 1);
        if (!goes_on) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    aeron_context_t *context;
    if (argc != 2 || aeron_context_init(&context) < 0) {
        return 2;
    }
    aeron_context_set_dir(context, argv[1]);
    aeron_context_set_use_conductor_agent_invoker(context, true);
    aeron_context_set_error_handler(context, on_error, NULL);
    aeron_context_set_client_name(context, "c");
    if (aeron_init(&client, context) < 0 || aeron_start(client) < 0) {
        fail("start");
    }
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    printf("{\"event\":\"READY\"}\n");
    fflush(stdout);
    int64_t report_at = 0;
    while (read_lines()) {
        const int64_t now = now_ns();
        int work = aeron_main_do_work(client);
        if (aeron_is_closed(client)) {
            fail("the client was closed");
        }
        for (int i = 0; i < MAX_STREAM_COUNT; i++) {
            subscriber *of = &subscribers[i];
            if (of->is_in_use) {
                const int count = aeron_subscription_poll(
                    of->subscription, aeron_fragment_assembler_handler, of->assembler, 50);
                if (count < 0) {
                    fail("poll");
                }
                work += count;
                report_fault(of);
            }
            if (publishers[i].is_in_use) {
                work += publish(&publishers[i], now);
            }
        }
        if (now >= report_at) {
            report_at = now + REPORT_INTERVAL_NS;
            report();
        }
        if (work <= 0) {
            usleep(500);
        }
    }
    close_client(context);
    return 0;
}
