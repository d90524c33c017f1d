/* A limit order book as a clustered service; order_messages.h has its messages.

   All memory is allocated when the service is created. Orders lie in one array and are chained in
   the order of their age, by price; a price is an index into the array of levels, and a tree of
   bits over it finds the best price, and the next one, in at most four steps. A table with open
   addressing finds an order by its id.

   One option: max_orders, how many orders may rest at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aeron_cluster/service.h"

#include "order_messages.h"
#include "send.h"

enum {
    PRICE_BITS = 20,
    TREE_HEIGHT = 4,
    NONE = 0, /* no order: the first entry of the array is unused */
    POLL_LIMIT = 32,
    MIN_ID_BITS = 4,
};

_Static_assert(ORDER_MAX_PRICE < 1 << PRICE_BITS, "a price is an index");
_Static_assert(PRICE_BITS <= 6 * TREE_HEIGHT, "the tree reaches each price");

/* A bit is set in words[0] for each price at which orders rest, and in words[n] for each word of
   words[n - 1] that is not 0. */
typedef struct price_tree {
    uint64_t *words[TREE_HEIGHT];
} price_tree;

typedef struct resting_order {
    uint64_t order_id;
    int64_t session_id;
    uint64_t correlation_id;
    int32_t price;
    uint32_t quantity;
    uint32_t next; /* the next younger order at the same price, or the next free entry */
    uint32_t previous;
    uint8_t side;
} resting_order;

_Static_assert(sizeof(resting_order) == 48, "four orders in three lines of cache");

typedef struct price_level {
    uint64_t quantity;
    uint32_t oldest;
    uint32_t youngest;
} price_level;

typedef struct order_book {
    ac_service table;
    const ac_cluster *cluster;
    resting_order *orders;
    price_level *levels; /* by price: orders of one side only */
    price_tree bids;
    price_tree asks;
    uint32_t *places; /* the index of an order in the array, by the hash of its id */
    uint64_t last_order_id;
    uint64_t last_match_id;
    uint32_t count;
    uint32_t max_orders;
    uint32_t used;  /* entries that were ever used */
    uint32_t freed; /* the first freed entry */
    int id_bits;
    int sent; /* AC_SERVICE_OK, or why no more replies to this message are sent */
    /* While a snapshot is loaded. */
    uint64_t expected_count;
    int has_partial_message;
    int has_ended;
} order_book;

/* ---- prices ---- */

static uint32_t tree_length(int height) {
    return 1u << (PRICE_BITS > 6 * (height + 1) ? PRICE_BITS - 6 * (height + 1) : 0);
}

static int tree_make(price_tree *tree) {
    for (int height = 0; height < TREE_HEIGHT; height++) {
        tree->words[height] = (uint64_t *)calloc(tree_length(height), sizeof(uint64_t));
        if (tree->words[height] == NULL) {
            return -1;
        }
    }
    return 0;
}

static void tree_free(price_tree *tree) {
    for (int height = 0; height < TREE_HEIGHT; height++) {
        free(tree->words[height]);
    }
}

static void tree_set(price_tree *tree, int32_t price) {
    for (int height = 0; height < TREE_HEIGHT; height++, price >>= 6) {
        tree->words[height][price >> 6] |= UINT64_C(1) << (price & 63);
    }
}

static void tree_clear(price_tree *tree, int32_t price) {
    for (int height = 0; height < TREE_HEIGHT; height++, price >>= 6) {
        uint64_t *word = &tree->words[height][price >> 6];
        *word &= ~(UINT64_C(1) << (price & 63));
        if (*word != 0) {
            return;
        }
    }
}

/* The lowest price that is set, from `price` on; -1 without one. */
static int32_t tree_up(const price_tree *tree, int32_t price) {
    for (int height = 0; height < TREE_HEIGHT; height++) {
        int32_t index = price >> 6;
        if (index >= (int32_t)tree_length(height)) {
            return -1;
        }
        uint64_t bits = tree->words[height][index] & ~UINT64_C(0) << (price & 63);
        if (bits != 0) {
            int32_t found = index << 6 | __builtin_ctzll(bits);
            while (height-- > 0) {
                found = found << 6 | __builtin_ctzll(tree->words[height][found]);
            }
            return found;
        }
        price = index + 1;
    }
    return -1;
}

/* The highest price that is set, from `price` downwards; -1 without one. */
static int32_t tree_down(const price_tree *tree, int32_t price) {
    for (int height = 0; height < TREE_HEIGHT && price >= 0; height++) {
        int32_t index = price >> 6;
        uint64_t bits = tree->words[height][index] & ~UINT64_C(0) >> (63 - (price & 63));
        if (bits != 0) {
            int32_t found = index << 6 | (63 - __builtin_clzll(bits));
            while (height-- > 0) {
                found = found << 6 | (63 - __builtin_clzll(tree->words[height][found]));
            }
            return found;
        }
        price = index - 1;
    }
    return -1;
}

static int32_t best_price(const order_book *book, uint8_t side) {
    return side == ORDER_BUY ? tree_down(&book->bids, ORDER_MAX_PRICE) : tree_up(&book->asks, 1);
}

/* The next price of a side that is worse, or -1. */
static int32_t worse_price(const order_book *book, uint8_t side, int32_t price) {
    return side == ORDER_BUY ? tree_down(&book->bids, price - 1) : tree_up(&book->asks, price + 1);
}

/* ---- orders by id ---- */

static uint32_t home_of(const order_book *book, uint64_t order_id) {
    return (uint32_t)(order_id * UINT64_C(0x9E3779B97F4A7C15) >> (64 - book->id_bits));
}

/* The slot of the order in the table, or the slot to insert it. */
static uint32_t slot_of(const order_book *book, uint64_t order_id) {
    uint32_t mask = (1u << book->id_bits) - 1;
    uint32_t slot = home_of(book, order_id);
    while (book->places[slot] != NONE && book->orders[book->places[slot]].order_id != order_id) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Removes an order from the table, and moves later ones to where they are found. */
static void forget(order_book *book, uint64_t order_id) {
    uint32_t mask = (1u << book->id_bits) - 1;
    uint32_t hole = slot_of(book, order_id);
    for (uint32_t slot = (hole + 1) & mask; book->places[slot] != NONE; slot = (slot + 1) & mask) {
        uint32_t home = home_of(book, book->orders[book->places[slot]].order_id);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            book->places[hole] = book->places[slot];
            hole = slot;
        }
    }
    book->places[hole] = NONE;
}

/* ---- resting ---- */

/* Adds an order as the youngest of its price. */
static void rest(order_book *book, const resting_order *order) {
    uint32_t place = book->freed;
    if (place != NONE) {
        book->freed = book->orders[place].next;
    } else {
        place = ++book->used;
    }
    price_level *level = &book->levels[order->price];
    resting_order *resting = &book->orders[place];
    *resting = *order;
    resting->next = NONE;
    resting->previous = level->youngest;
    if (level->youngest != NONE) {
        book->orders[level->youngest].next = place;
    } else {
        level->oldest = place;
        tree_set(order->side == ORDER_BUY ? &book->bids : &book->asks, order->price);
    }
    level->youngest = place;
    level->quantity += order->quantity;
    book->places[slot_of(book, order->order_id)] = place;
    book->count++;
}

static void take_out(order_book *book, resting_order *resting) {
    price_level *level = &book->levels[resting->price];
    uint32_t place = (uint32_t)(resting - book->orders);
    forget(book, resting->order_id);
    if (resting->previous != NONE) {
        book->orders[resting->previous].next = resting->next;
    } else {
        level->oldest = resting->next;
    }
    if (resting->next != NONE) {
        book->orders[resting->next].previous = resting->previous;
    } else {
        level->youngest = resting->previous;
    }
    level->quantity -= resting->quantity;
    if (level->oldest == NONE) {
        tree_clear(resting->side == ORDER_BUY ? &book->bids : &book->asks, resting->price);
    }
    resting->next = book->freed;
    book->freed = place;
    book->count--;
}

/* Visits orders in the order of the hash, until the visitor returns a negative value; returns that
   value. */
static int visit_resting(const order_book *book, int (*visit)(void *context, const resting_order *),
                         void *context) {
    for (uint8_t side = ORDER_BUY; side <= ORDER_SELL; side++) {
        for (int32_t price = best_price(book, side); price >= 0;
             price = worse_price(book, side, price)) {
            for (uint32_t place = book->levels[price].oldest; place != NONE;
                 place = book->orders[place].next) {
                int result = visit(context, &book->orders[place]);
                if (result < 0) {
                    return result;
                }
            }
        }
    }
    return AC_SERVICE_OK;
}

static int hash_order(void *context, const resting_order *order) {
    uint64_t hash = *(uint64_t *)context;
    hash = order_hash_step(hash, order->order_id);
    hash = order_hash_step(hash, (uint64_t)order->session_id);
    hash = order_hash_step(hash, order->correlation_id);
    hash = order_hash_step(hash, (uint64_t)order->price);
    hash = order_hash_step(hash, order->quantity);
    *(uint64_t *)context = order_hash_step(hash, order->side);
    return AC_SERVICE_OK;
}

static uint64_t state_hash(const order_book *book) {
    uint64_t hash = order_hash_step(ORDER_HASH_SEED, book->last_order_id);
    hash = order_hash_step(hash, book->last_match_id);
    visit_resting(book, hash_order, &hash);
    return hash;
}

/* ---- replies ---- */

/* If a reply cannot be sent because the node is ending, the message is still applied without
   further replies: the state is then the same as on the other members. */
static void reply(order_book *book, ac_session *session, const void *data, int32_t length) {
    if (book->sent == AC_SERVICE_OK && session != NULL) {
        book->sent = send_to_session(book->cluster, session, data, length);
    }
}

static void acknowledge(order_book *book, ac_session *session, order_message_type request,
                        const resting_order *order, uint64_t correlation_id) {
    order_message message = {
        .type = ORDER_ACK,
        .side = order->side,
        .code = (uint8_t)request,
        .quantity = order->quantity,
        .correlation_id = correlation_id,
        .order_id = order->order_id,
        .price = order->price,
    };
    reply(book, session, &message, sizeof message);
}

static void reject(order_book *book, ac_session *session, const order_message *request,
                   order_reject reason) {
    order_message message = {.type = ORDER_REJECT, .code = (uint8_t)reason};
    if (reason != ORDER_MALFORMED) {
        message = *request;
        message.type = ORDER_REJECT;
        message.code = (uint8_t)reason;
    }
    reply(book, session, &message, sizeof message);
}

/* ---- matching ---- */

static int crosses(const resting_order *incoming, int32_t best) {
    return best >= 0 &&
           (incoming->side == ORDER_BUY ? best <= incoming->price : best >= incoming->price);
}

static void match(order_book *book, ac_session *session, resting_order *incoming) {
    uint8_t other = incoming->side == ORDER_BUY ? ORDER_SELL : ORDER_BUY;
    while (incoming->quantity > 0) {
        int32_t price = best_price(book, other);
        if (!crosses(incoming, price)) {
            break;
        }
        price_level *level = &book->levels[price];
        resting_order *maker = &book->orders[level->oldest];
        uint32_t quantity =
            incoming->quantity < maker->quantity ? incoming->quantity : maker->quantity;
        incoming->quantity -= quantity;
        maker->quantity -= quantity;
        level->quantity -= quantity;
        order_fill fill = {
            .type = ORDER_FILL,
            .side = incoming->side,
            .code = ORDER_TAKER,
            .quantity = quantity,
            .correlation_id = incoming->correlation_id,
            .order_id = incoming->order_id,
            .price = price,
            .match_id = ++book->last_match_id,
            .leaves_quantity = incoming->quantity,
        };
        reply(book, session, &fill, sizeof fill);
        fill.side = maker->side;
        fill.code = ORDER_MAKER;
        fill.correlation_id = maker->correlation_id;
        fill.order_id = maker->order_id;
        fill.leaves_quantity = maker->quantity;
        reply(book, ac_session_by_id(book->cluster, maker->session_id), &fill, sizeof fill);
        if (maker->quantity == 0) {
            take_out(book, maker);
        }
    }
    if (incoming->quantity > 0) {
        rest(book, incoming);
    }
}

/* ---- requests ---- */

static int price_and_quantity_fault(const order_message *request) {
    if (request->price < 1 || request->price > ORDER_MAX_PRICE) {
        return ORDER_BAD_PRICE;
    }
    return request->quantity == 0 ? ORDER_BAD_QUANTITY : 0;
}

static void on_new_order(order_book *book, ac_session *session, const order_message *request) {
    int fault = price_and_quantity_fault(request);
    if (request->side != ORDER_BUY && request->side != ORDER_SELL) {
        fault = ORDER_MALFORMED;
    } else if (fault == 0 && book->count == book->max_orders) {
        fault = ORDER_BOOK_FULL;
    }
    if (fault != 0) {
        reject(book, session, request, (order_reject)fault);
        return;
    }
    resting_order order = {
        .order_id = ++book->last_order_id,
        .session_id = session->id,
        .correlation_id = request->correlation_id,
        .price = (int32_t)request->price,
        .quantity = request->quantity,
        .side = request->side,
    };
    acknowledge(book, session, ORDER_NEW_ORDER, &order, request->correlation_id);
    match(book, session, &order);
}

static void on_change(order_book *book, ac_session *session, const order_message *request) {
    int fault = request->type == ORDER_REPLACE ? price_and_quantity_fault(request) : 0;
    uint32_t place = book->places[slot_of(book, request->order_id)];
    resting_order *resting = &book->orders[place];
    if (fault == 0 && place == NONE) {
        fault = ORDER_UNKNOWN_ORDER;
    } else if (fault == 0 && resting->session_id != session->id) {
        fault = ORDER_NOT_OWNER;
    }
    if (fault != 0) {
        reject(book, session, request, (order_reject)fault);
        return;
    }
    if (request->type == ORDER_CANCEL) {
        resting_order order = *resting;
        take_out(book, resting);
        acknowledge(book, session, ORDER_CANCEL, &order, request->correlation_id);
        return;
    }
    if (request->price == resting->price && request->quantity <= resting->quantity) {
        book->levels[resting->price].quantity -= resting->quantity - request->quantity;
        resting->quantity = request->quantity;
        resting->correlation_id = request->correlation_id;
        acknowledge(book, session, ORDER_REPLACE, resting, request->correlation_id);
        return;
    }
    resting_order order = *resting;
    take_out(book, resting);
    order.price = (int32_t)request->price;
    order.quantity = request->quantity;
    order.correlation_id = request->correlation_id;
    acknowledge(book, session, ORDER_REPLACE, &order, request->correlation_id);
    match(book, session, &order);
}

static void on_top_of_book(order_book *book, ac_session *session, const order_message *request) {
    int32_t bid = best_price(book, ORDER_BUY);
    int32_t ask = best_price(book, ORDER_SELL);
    order_top_of_book message = {
        .type = ORDER_TOP_OF_BOOK,
        .correlation_id = request->correlation_id,
        .bid_price = bid < 0 ? 0 : bid,
        .bid_quantity = bid < 0 ? 0 : book->levels[bid].quantity,
        .ask_price = ask < 0 ? 0 : ask,
        .ask_quantity = ask < 0 ? 0 : book->levels[ask].quantity,
    };
    reply(book, session, &message, sizeof message);
}

static void on_state(order_book *book, ac_session *session, const order_message *request) {
    order_state message = {
        .type = ORDER_STATE,
        .correlation_id = request->correlation_id,
        .hash = state_hash(book),
        .order_count = book->count,
        .last_order_id = book->last_order_id,
        .last_match_id = book->last_match_id,
    };
    reply(book, session, &message, sizeof message);
}

static int on_session_message(void *state, ac_session *session, int64_t timestamp,
                              const uint8_t *data, int32_t length, const ac_log_header *header) {
    order_book *book = (order_book *)state;
    order_message request = {0};
    if (session == NULL) {
        return AC_SERVICE_OK;
    }
    book->sent = AC_SERVICE_OK;
    if (length == sizeof request) {
        memcpy(&request, data, sizeof request);
    }
    switch (request.type) {
    case ORDER_NEW_ORDER:
        on_new_order(book, session, &request);
        break;
    case ORDER_CANCEL:
    case ORDER_REPLACE:
        on_change(book, session, &request);
        break;
    case ORDER_TOP_OF_BOOK:
        on_top_of_book(book, session, &request);
        break;
    case ORDER_STATE:
        on_state(book, session, &request);
        break;
    default:
        reject(book, session, &request, ORDER_MALFORMED);
    }
    return book->sent;
}

/* ---- snapshots ---- */

typedef struct snapshot_batch {
    const order_book *book;
    ac_snapshot_writer *writer;
    struct {
        order_snapshot_orders head;
        order_resting orders[ORDER_SNAPSHOT_BATCH];
    } message;
} snapshot_batch;

static int flush(snapshot_batch *batch) {
    uint32_t count = batch->message.head.count;
    if (count == 0) {
        return AC_SERVICE_OK;
    }
    batch->message.head.type = ORDER_SNAPSHOT_ORDERS;
    size_t length = sizeof batch->message.head + count * sizeof(order_resting);
    int result =
        send_to_snapshot(batch->book->cluster, batch->writer, &batch->message, (int32_t)length);
    batch->message.head.count = 0;
    return result;
}

static int write_order(void *context, const resting_order *order) {
    snapshot_batch *batch = (snapshot_batch *)context;
    batch->message.orders[batch->message.head.count++] = (order_resting){
        .order_id = order->order_id,
        .session_id = order->session_id,
        .correlation_id = order->correlation_id,
        .price = order->price,
        .quantity = order->quantity,
        .side = order->side,
    };
    return batch->message.head.count == ORDER_SNAPSHOT_BATCH ? flush(batch) : AC_SERVICE_OK;
}

static int on_take_snapshot(void *state, ac_snapshot_writer *writer) {
    order_book *book = (order_book *)state;
    order_snapshot_begin begin = {
        .type = ORDER_SNAPSHOT_BEGIN,
        .version = 1,
        .order_count = book->count,
        .last_order_id = book->last_order_id,
        .last_match_id = book->last_match_id,
    };
    int result = send_to_snapshot(book->cluster, writer, &begin, sizeof begin);
    if (result < 0) {
        return result;
    }
    snapshot_batch batch = {.book = book, .writer = writer};
    result = visit_resting(book, write_order, &batch);
    if (result < 0) {
        return result;
    }
    result = flush(&batch);
    if (result < 0) {
        return result;
    }
    order_snapshot_end end = {.type = ORDER_SNAPSHOT_END, .hash = state_hash(book)};
    return send_to_snapshot(book->cluster, writer, &end, sizeof end);
}

static int broken_snapshot(const order_book *book, const char *why) {
    ac_explain(book->cluster, why);
    return AC_SERVICE_FAILED;
}

static int load_order(order_book *book, const order_resting *loaded) {
    if (loaded->price < 1 || loaded->price > ORDER_MAX_PRICE || loaded->quantity == 0 ||
        (loaded->side != ORDER_BUY && loaded->side != ORDER_SELL)) {
        return broken_snapshot(book, "snapshot: an order that could not rest");
    }
    if (loaded->order_id == 0 || loaded->order_id > book->last_order_id ||
        book->places[slot_of(book, loaded->order_id)] != NONE) {
        return broken_snapshot(book, "snapshot: an order id above the last one, or a duplicate");
    }
    if (crosses(&(resting_order){.side = loaded->side, .price = (int32_t)loaded->price},
                best_price(book, loaded->side == ORDER_BUY ? ORDER_SELL : ORDER_BUY))) {
        return broken_snapshot(book, "snapshot: orders that cross");
    }
    if (book->count == book->max_orders) {
        return broken_snapshot(book, "snapshot: more orders than max_orders");
    }
    resting_order order = {
        .order_id = loaded->order_id,
        .session_id = loaded->session_id,
        .correlation_id = loaded->correlation_id,
        .price = (int32_t)loaded->price,
        .quantity = loaded->quantity,
        .side = loaded->side,
    };
    rest(book, &order);
    return AC_SERVICE_OK;
}

static int load_orders(order_book *book, const uint8_t *data, int32_t length) {
    order_snapshot_orders head;
    if (length < (int32_t)sizeof head) {
        return broken_snapshot(book, "snapshot: orders that are cut short");
    }
    memcpy(&head, data, sizeof head);
    if ((uint64_t)length != sizeof head + (uint64_t)head.count * sizeof(order_resting)) {
        return broken_snapshot(book, "snapshot: orders of another length than their count");
    }
    for (uint32_t index = 0; index < head.count; index++) {
        order_resting loaded;
        memcpy(&loaded, data + sizeof head + index * sizeof loaded, sizeof loaded);
        int result = load_order(book, &loaded);
        if (result < 0) {
            return result;
        }
    }
    return AC_SERVICE_OK;
}

static int load_message(void *context, const uint8_t *data, int32_t length) {
    order_book *book = (order_book *)context;
    uint16_t type = 0;
    order_snapshot_begin begin;
    order_snapshot_end end;
    if (length >= (int32_t)sizeof type) {
        memcpy(&type, data, sizeof type);
    }
    if (type == ORDER_SNAPSHOT_BEGIN && !book->has_partial_message && length == sizeof begin) {
        memcpy(&begin, data, sizeof begin);
        if (begin.version != 1) {
            return broken_snapshot(book, "snapshot: expected version 1");
        }
        book->has_partial_message = 1;
        book->expected_count = begin.order_count;
        book->last_order_id = begin.last_order_id;
        book->last_match_id = begin.last_match_id;
        return AC_SERVICE_OK;
    }
    if (type == ORDER_SNAPSHOT_ORDERS && book->has_partial_message && !book->has_ended) {
        return load_orders(book, data, length);
    }
    if (type == ORDER_SNAPSHOT_END && book->has_partial_message && !book->has_ended &&
        length == sizeof end) {
        memcpy(&end, data, sizeof end);
        book->has_ended = 1;
        if (book->count != book->expected_count || state_hash(book) != end.hash) {
            return broken_snapshot(book, "snapshot: the loaded state differs from the written one");
        }
        return AC_SERVICE_OK;
    }
    return broken_snapshot(book, "snapshot: a message that does not belong there");
}

static int on_start(void *state, const ac_cluster *cluster, ac_snapshot_reader *snapshot) {
    order_book *book = (order_book *)state;
    book->cluster = cluster;
    while (snapshot != NULL) {
        int result = ac_snapshot_poll(cluster, snapshot, load_message, book, POLL_LIMIT);
        if (result == AC_SNAPSHOT_END) {
            break;
        }
        if (result < 0) {
            return result;
        }
        if (result == 0 && ac_idle(cluster, 0) < 0) {
            return AC_SERVICE_TERMINATE;
        }
    }
    if (snapshot != NULL && !book->has_ended) {
        return broken_snapshot(book, "snapshot: incomplete");
    }
    return AC_SERVICE_OK;
}

/* ---- construction ---- */

static void destroy(void *state) {
    order_book *book = (order_book *)state;
    tree_free(&book->bids);
    tree_free(&book->asks);
    free(book->orders);
    free(book->levels);
    free(book->places);
    free(book);
}

static int allocate(order_book *book) {
    book->id_bits = MIN_ID_BITS;
    while ((1u << book->id_bits) < 2 * book->max_orders) {
        book->id_bits++;
    }
    book->orders = (resting_order *)calloc((size_t)book->max_orders + 1, sizeof(resting_order));
    book->levels = (price_level *)calloc((size_t)ORDER_MAX_PRICE + 1, sizeof(price_level));
    book->places = (uint32_t *)calloc((size_t)1 << book->id_bits, sizeof(uint32_t));
    if (book->orders == NULL || book->levels == NULL || book->places == NULL) {
        return -1;
    }
    return tree_make(&book->bids) < 0 || tree_make(&book->asks) < 0 ? -1 : 0;
}

/* 0, or -1 with an explanation in the request. */
static int read_options(order_book *book, const ac_service_request *request) {
    const size_t capacity = (size_t)request->error_capacity;
    for (int32_t index = 0; index < request->option_count; index++) {
        const ac_option *option = &request->options[index];
        if (strcmp(option->name, "max_orders") != 0) {
            snprintf(request->error, capacity, "expected max_orders, found %s", option->name);
            return -1;
        }
        char *suffix = NULL;
        long value = strtol(option->value, &suffix, 10);
        if (*option->value == 0 || *suffix != 0 || value < 1 || value > 1 << 28) {
            snprintf(request->error, capacity, "max_orders: expected 1..%d, found %s", 1 << 28,
                     option->value);
            return -1;
        }
        book->max_orders = (uint32_t)value;
    }
    return 0;
}

AC_SERVICE_EXPORT const ac_service *order_matching(const ac_service_request *request) {
    order_book *book = (order_book *)calloc(1, sizeof *book);
    if (book == NULL) {
        snprintf(request->error, (size_t)request->error_capacity, "out of memory");
        return NULL;
    }
    book->max_orders = ORDER_DEFAULT_MAX_ORDERS;
    if (read_options(book, request) < 0) {
        free(book);
        return NULL;
    }
    if (allocate(book) < 0) {
        snprintf(request->error, (size_t)request->error_capacity, "no memory for %u orders",
                 book->max_orders);
        destroy(book);
        return NULL;
    }
    book->table = (ac_service){
        .version = AC_SERVICE_VERSION,
        .size = sizeof(ac_service),
        .name = "order-matching",
        .state = book,
        .on_start = on_start,
        .on_session_message = on_session_message,
        .on_take_snapshot = on_take_snapshot,
        .destroy = destroy,
    };
    return &book->table;
}
