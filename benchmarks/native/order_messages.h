/* The protocol of the order matching service: one instrument, limit orders, price-time priority.

   Two services speak it, order_matching.c and the one in Python that the commands demonstrate; they
   answer the same requests with the same bytes and come to the same state hash. Integers are
   little-endian, structs have no gaps, reserved fields are sent as zero and not read.

   Requests are 32 bytes. Of a field that a request does not name, the content does not matter.

     NEW_ORDER   side, quantity, price, correlation_id   enter a limit order, good till cancelled
     CANCEL      order_id, correlation_id                take what is left of an order back
     REPLACE     order_id, quantity, price, correlation_id
                                                         quantity: that is to be left of it
     TOP_OF_BOOK correlation_id
     STATE       correlation_id

   A request is judged by the first of these that applies, and what is rejected changes nothing:

     MALFORMED      not 32 bytes, an unknown type, or a side of a NEW_ORDER that is neither
     BAD_PRICE      NEW_ORDER, REPLACE: not 1..ORDER_MAX_PRICE
     BAD_QUANTITY   NEW_ORDER, REPLACE: 0
     UNKNOWN_ORDER  CANCEL, REPLACE: no such order rests in the book
     NOT_OWNER      CANCEL, REPLACE: it was entered by another session
     BOOK_FULL      NEW_ORDER: as many orders rest as the service was started for (max_orders,
                    default ORDER_DEFAULT_MAX_ORDERS), even if this one would not come to rest

   An accepted request is answered by an ACK first. Orders get the ids 1, 2, 3...; the n-th match
   has the id n. An incoming order is matched against the other side's best price, and there against
   the oldest order first, while the prices cross; the resting order's price is the trade's. Each
   match gives two FILLs, first to the session of the incoming order, then to the resting one's; a
   session may trade with itself. What is left comes to rest as the youngest of its price. An order
   without rest is gone.

   REPLACE at the same price with a quantity that is not greater keeps the order's place. Any other
   takes it out and treats it as an incoming order, of the same id, and with the correlation_id of
   the REPLACE from then on (in both cases).

   Closing a session leaves its orders in the book; replies to a session that is not open are not
   sent. Messages without a session are ignored.

   Replies and their fields (all of them begin with type, side, code, quantity, correlation_id):

     ACK         32 bytes; code: the type of the request; the order's side, quantity (left after a
                 NEW_ORDER or REPLACE before it is matched, that was taken back by a CANCEL),
                 price, id; correlation_id of the request
     REJECT      32 bytes; code: an order_reject; side, quantity, price, order_id and correlation_id
                 of the request, or zeros where it is MALFORMED
     FILL        48 bytes; code: ORDER_TAKER or ORDER_MAKER; the receiver's own order: side,
                 correlation_id, order_id, leaves_quantity; quantity and price of the trade
     TOP_OF_BOOK 48 bytes; price and quantity at the best price of each side, 0 where it is empty
     STATE       48 bytes; see order_hash_step below

   A snapshot is a BEGIN, the resting orders in ORDERS messages in the order of the hash (as many in
   each as fit in 1024 bytes), and an END with the hash, which must be that of what was loaded.
   Either service loads the snapshot of the other. */
#ifndef BENCHMARKS_ORDER_MESSAGES_H
#define BENCHMARKS_ORDER_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

enum {
    ORDER_MAX_PRICE = (1 << 20) - 1, /* in ticks */
    ORDER_DEFAULT_MAX_ORDERS = 1 << 20,
};

typedef enum order_message_type {
    ORDER_NEW_ORDER = 1,
    ORDER_CANCEL = 2,
    ORDER_REPLACE = 3,
    ORDER_TOP_OF_BOOK = 4, /* request and reply */
    ORDER_STATE = 5,       /* request and reply */
    ORDER_ACK = 101,
    ORDER_REJECT = 102,
    ORDER_FILL = 103,
    ORDER_SNAPSHOT_BEGIN = 201,
    ORDER_SNAPSHOT_ORDERS = 202,
    ORDER_SNAPSHOT_END = 203,
} order_message_type;

typedef enum order_side {
    ORDER_BUY = 1,
    ORDER_SELL = 2,
} order_side;

typedef enum order_liquidity {
    ORDER_TAKER = 1,
    ORDER_MAKER = 2,
} order_liquidity;

typedef enum order_reject {
    ORDER_MALFORMED = 1,
    ORDER_BAD_PRICE = 2,
    ORDER_BAD_QUANTITY = 3,
    ORDER_UNKNOWN_ORDER = 4,
    ORDER_NOT_OWNER = 5,
    ORDER_BOOK_FULL = 6,
} order_reject;

/* Every request, and the replies ACK and REJECT. In Python: struct "<HBBIQQq". */
typedef struct order_message {
    uint16_t type;
    uint8_t side;
    uint8_t code; /* replies only */
    uint32_t quantity;
    uint64_t correlation_id; /* chosen by the client, returned in replies and in fills */
    uint64_t order_id;
    int64_t price; /* in ticks */
} order_message;

/* "<HBBIQQqQII" */
typedef struct order_fill {
    uint16_t type;
    uint8_t side;
    uint8_t code;
    uint32_t quantity;
    uint64_t correlation_id;
    uint64_t order_id;
    int64_t price;
    uint64_t match_id; /* the same in both fills of a match */
    uint32_t leaves_quantity;
    uint32_t reserved;
} order_fill;

/* "<HBBIQqQqQ": side, code and quantity are 0 */
typedef struct order_top_of_book {
    uint16_t type;
    uint8_t side;
    uint8_t code;
    uint32_t quantity;
    uint64_t correlation_id;
    int64_t bid_price;
    uint64_t bid_quantity;
    int64_t ask_price;
    uint64_t ask_quantity;
} order_top_of_book;

/* "<HBBIQQQQQ": side, code and quantity are 0 */
typedef struct order_state {
    uint16_t type;
    uint8_t side;
    uint8_t code;
    uint32_t quantity;
    uint64_t correlation_id;
    uint64_t hash;
    uint64_t order_count; /* resting orders of the book */
    uint64_t last_order_id;
    uint64_t last_match_id;
} order_state;

/* "<HHIQQQ" */
typedef struct order_snapshot_begin {
    uint16_t type;
    uint16_t version; /* 1 */
    uint32_t reserved;
    uint64_t order_count;
    uint64_t last_order_id;
    uint64_t last_match_id;
} order_snapshot_begin;

/* "<HHI", followed by `count` resting orders */
typedef struct order_snapshot_orders {
    uint16_t type;
    uint16_t reserved;
    uint32_t count;
} order_snapshot_orders;

/* "<QqQqIB3x" */
typedef struct order_resting {
    uint64_t order_id;
    int64_t session_id;
    uint64_t correlation_id;
    int64_t price;
    uint32_t quantity;
    uint8_t side;
    uint8_t reserved[3];
} order_resting;

/* "<HHIQ" */
typedef struct order_snapshot_end {
    uint16_t type;
    uint16_t reserved0;
    uint32_t reserved1;
    uint64_t hash;
} order_snapshot_end;

_Static_assert(sizeof(order_message) == 32, "wire");
_Static_assert(offsetof(order_message, correlation_id) == 8, "wire");
_Static_assert(offsetof(order_message, price) == 24, "wire");
_Static_assert(sizeof(order_fill) == 48, "wire");
_Static_assert(offsetof(order_fill, match_id) == 32, "wire");
_Static_assert(offsetof(order_fill, leaves_quantity) == 40, "wire");
_Static_assert(sizeof(order_top_of_book) == 48, "wire");
_Static_assert(offsetof(order_top_of_book, bid_price) == 16, "wire");
_Static_assert(sizeof(order_state) == 48, "wire");
_Static_assert(offsetof(order_state, hash) == 16, "wire");
_Static_assert(sizeof(order_snapshot_begin) == 32, "wire");
_Static_assert(sizeof(order_snapshot_orders) == 8, "wire");
_Static_assert(sizeof(order_resting) == 40, "wire");
_Static_assert(offsetof(order_resting, quantity) == 32, "wire");
_Static_assert(sizeof(order_snapshot_end) == 16, "wire");

enum {
    ORDER_SNAPSHOT_BATCH = (1024 - (int)sizeof(order_snapshot_orders)) / (int)sizeof(order_resting),
};

/* The state hash: from ORDER_HASH_SEED, one step with each of last_order_id and last_match_id, then
   for each resting order one step with each of order_id, session_id, correlation_id, price,
   quantity and side. Bids come first, from the best price to the worst, and at one price from the
   oldest to the youngest; then the asks in the same manner. A step is a bijection in both, modulo
   2^64, so that one difference never goes unseen. */
#define ORDER_HASH_SEED UINT64_C(14695981039346656037)

static inline uint64_t order_hash_step(uint64_t hash, uint64_t word) {
    return (hash ^ word) * UINT64_C(1099511628211);
}

#endif
