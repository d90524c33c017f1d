"""Payloads of an SBE schema as columns, compared with bytes packed by hand."""

import decimal
import pickle

import pytest

from aeron_cluster.errors import ConfigurationError, PayloadError
from tests.unit.pipeline.payloads.market import (
    NAN,
    ORDER,
    ORDER_LENGTH,
    SCHEMA,
    basket,
    header,
    order,
)

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")


def rows(decoder, payloads, bad=None):
    """Return the decoded mapping of each payload, after all of Arrow's validations."""
    if isinstance(payloads, list):
        payloads = pa.array(payloads, pa.binary())
    fields = decoder.arrow_fields()
    arrays = decoder.decode(payloads, bad)
    for field, array in zip(fields, arrays, strict=True):
        array.validate(full=True)
        assert array.type == field.type
        assert field.nullable
        assert len(array) == len(payloads)
    names = [field.name for field in fields]
    columns = [array.to_pylist() for array in arrays]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@pytest.fixture
def orders():
    return sbe.sbe_decoder(SCHEMA, "Order")


@pytest.fixture
def baskets():
    return sbe.sbe_decoder(SCHEMA, "Basket")


def test_every_kind_of_field(orders):
    assert rows(orders, [order()]) == [ORDER]
    assert orders.arrow_schema().names == list(ORDER)


def test_fields_have_their_arrow_types(orders):
    assert [str(field.type) for field in orders.arrow_fields()] == [
        "uint64",
        "int32",
        "struct<mantissa: int64, exponent: int8, side: string>",
        "string",
        "struct<ioc: bool, hidden: bool>",
        "string",
        "string",
        "binary",
        "list<item: int16>",
        "string",
        "string",
        "double",
        "float",
    ]


def test_null_values_are_null(orders):
    (row,) = rows(
        orders,
        [
            order(
                quantity=-(2**31),
                mantissa=-(2**63),
                side=b"\0",
                state=65535,
                name=b"",
                symbol=b"",
                depth=(-7, -7),
                weight=NAN,
            )
        ],
    )
    assert row["quantity"] is None
    assert row["price"] == {"mantissa": None, "exponent": -4, "side": None}
    assert row["state"] is None
    assert row["name"] is None
    assert row["symbol"] == ""
    assert row["depth"] == [None, None]
    assert row["weight"] is None


def test_null_values_of_required_fields_are_values(orders):
    (row,) = rows(orders, [order(id_=2**64 - 1, ratio=NAN)])
    assert row["id"] == 2**64 - 1
    assert row["ratio"] != row["ratio"]  # NaN, which is a value


def test_text_ends_with_the_first_zero(orders):
    found = rows(orders, [order(symbol=b"A\0BCDE"), order(symbol=b"ABCDEF")])
    assert [row["symbol"] for row in found] == ["A", "ABCDEF"]


def test_an_unknown_enum_value_is_reported_by_its_number(orders):
    (row,) = rows(orders, [order(state=900, side=b"X")])
    assert row["state"] == "900"
    assert row["price"]["side"] == str(ord("X"))


def test_fields_missing_in_a_version_are_null(orders):
    # The schema has version 2.
    by_version = rows(orders, [order(version=version) for version in range(4)])
    assert by_version[0]["weight"] is None
    assert by_version[0]["ratio"] is None
    assert by_version[0]["price"] == {"mantissa": 12345, "exponent": -4, "side": None}
    assert by_version[1]["weight"] == 1.5
    assert by_version[1]["ratio"] is None
    assert by_version[2] == by_version[3] == ORDER


def test_block_shorter_than_its_version_has_only_its_own_fields(orders):
    whole = order()
    (row,) = rows(orders, [header(14, 1) + whole[8:22]])
    assert row["id"] == 7
    assert row["quantity"] == -5
    assert {name for name, value in row.items() if value is not None} == {
        "id",
        "quantity",
        "venue",
        "only",
    }


def test_groups_in_groups_and_variable_parts(baskets):
    legs = [(1, [1, 2], "né".encode()), (-2,), (3, [255])]
    found = rows(
        baskets,
        [basket(), basket(1, legs, [5, 6], b"memo", b"\xff\0"), None, basket(2, [(4,)])],
    )
    assert found == [
        {"owner": 9, "legs": [], "tags": [], "memo": "", "proof": b""},
        {
            "owner": 1,
            "legs": [
                {"quantity": 1, "fills": [{"at": 1}, {"at": 2}], "note": "né"},
                {"quantity": -2, "fills": [], "note": ""},
                {"quantity": 3, "fills": [{"at": 255}], "note": ""},
            ],
            "tags": [{"tag": 5}, {"tag": 6}],
            "memo": "memo",
            "proof": b"\xff\0",
        },
        dict.fromkeys(["owner", "legs", "tags", "memo", "proof"]),
        {
            "owner": 2,
            "legs": [{"quantity": 4, "fills": [], "note": ""}],
            "tags": [],
            "memo": "",
            "proof": b"",
        },
    ]


def test_groups_and_variable_parts_of_other_versions(baskets):
    oldest, old, newer = rows(
        baskets,
        [
            basket(1, [(1, [3])], memo=b"a", version=0),
            basket(1, [(1, [3])], [4], b"b", version=1),
            basket(1, [(1, [3])], [4], b"c", b"d", version=5, more=b"new") + b"part",
        ],
    )
    assert oldest["tags"] is None
    assert oldest["proof"] is None
    assert oldest["memo"] == "a"
    assert old["tags"] == [{"tag": 4}]
    assert old["proof"] is None
    assert newer["legs"] == [{"quantity": 1, "fills": [{"at": 3}], "note": ""}]
    assert newer["proof"] == b"d"


def test_each_message_is_a_column_by_default():
    decoder = sbe.sbe_decoder(SCHEMA, prefix="x_")
    found = rows(decoder, [order(), basket(), order(), None])
    assert [row["x_Order"] for row in found] == [ORDER, None, ORDER, None]
    assert [row["x_Basket"] and row["x_Basket"]["owner"] for row in found] == [None, 9, None, None]
    assert rows(decoder.select(["x_Basket"]), [order(), basket()])[1]["x_Basket"]["owner"] == 9


def test_rows_of_other_messages_are_null(orders):
    found = rows(orders, [basket(), order()])
    assert found == [dict.fromkeys(ORDER), ORDER]


def test_picked_columns_are_in_order_and_only_they_are_read(orders, baskets):
    assert rows(orders.select(["symbol", "id"]), [order()]) == [{"symbol": "ABC", "id": 7}]
    assert rows(baskets.select(["owner"]), [basket()[:-1]]) == [{"owner": 9}]
    with pytest.raises(ConfigurationError, match="columns"):
        orders.select(["id", "price.mantissa"])


def test_enumerations_as_numbers():
    decoder = sbe.sbe_decoder(SCHEMA, "Order", enums="values")
    (row,) = rows(decoder, [order()])
    assert row["state"] == 2
    assert row["marks"] == 0x8000
    assert row["price"]["side"] == ord("S")
    assert row["only"] == 2


def test_unsigned_numbers_as_wider_signed_ones():
    decoder = sbe.sbe_decoder(SCHEMA, widened=True)
    found = rows(decoder, [order(id_=2**64 - 1), basket(owner=2**32 - 1, tags=[65535])])
    assert found[0]["Order"]["id"] == decimal.Decimal(2**64 - 1)
    assert found[1]["Basket"]["owner"] == 2**32 - 1
    assert found[1]["Basket"]["tags"] == [{"tag": 65535}]
    text = str(decoder.arrow_schema())
    assert "uint" not in text
    assert "decimal128(20, 0)" in text


def test_sliced_and_large_arrays_are_decoded(orders):
    whole = pa.array([b"?", order(id_=1), None, order(id_=2), order(id_=3), b"?"], pa.binary())
    for payloads in (whole.slice(1, 4), whole.cast(pa.large_binary()).slice(1, 4)):
        assert [row["id"] for row in rows(orders, payloads)] == [1, None, 2, 3]
    assert rows(orders, pa.array([], pa.binary())) == []
    assert rows(orders, [None, None]) == [dict.fromkeys(ORDER)] * 2
    with pytest.raises(TypeError, match="expected an array of binary"):
        orders.decode(pa.array(["text"]))


# Payload, offset of the problem, and its three texts: what, expected, found.
DAMAGED = {
    "nothing": (b"", 0, "message header", "8 bytes or more", "0"),
    "header": (order()[:7], 0, "message header", "8 bytes or more", "7"),
    "block": (
        order()[:-1],
        0,
        "Order: block length",
        f"at most the {ORDER_LENGTH - 9} bytes there are",
        str(ORDER_LENGTH - 8),
    ),
    "template": (header(0, 3), 0, "template id", "one of the schema", "3"),
    "schema": (header(0, 1, schema_id=78), 0, "schema id", "77", "78"),
    "group": (
        basket()[:18],
        16,
        "header of group Basket.legs",
        "one that fits into the 2 bytes left",
        "2",
    ),
    "entry": (
        header(8, 2) + bytes(8) + b"\x05\0\x01xxxx",
        19,
        "block length of an entry of group Basket.legs",
        "one that fits into the 4 bytes left",
        "5",
    ),
    "group in a group": (
        basket(legs=[(1, [1, 2])])[:25],
        25,
        "block length of an entry of group Basket.legs.fills",
        "one that fits into the 0 bytes left",
        "1",
    ),
    "length": (
        basket(version=1)[:-1],
        22,
        "header of Basket.memo",
        "one that fits into the 1 bytes left",
        "1",
    ),
    "data": (
        basket(memo=b"memo", version=1)[:-1],
        22,
        "length of Basket.memo",
        "one that fits into the 3 bytes left",
        "4",
    ),
    "text": (basket(memo=b"\xff"), 24, "Basket.memo", "text in utf-8", r"b'\xff'"),
    "text in a group": (
        basket(legs=[(1, (), b"a"), (1, (), b"\xc3")]),
        34,
        "Basket.legs.note",
        "text in utf-8",
        r"b'\xc3'",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_unreadable_payloads_are_reported_or_left_out(kind):
    payload, offset, what, expected, found = DAMAGED[kind]
    decoder = sbe.sbe_decoder(SCHEMA)
    bad = []
    first, second, third = rows(decoder, [basket(), payload, basket()], bad)
    (payload_error,) = bad
    assert payload_error == sbe.BadPayload(1, offset, what, expected, found)
    assert second == {"Order": None, "Basket": None}
    assert first == third
    assert first["Basket"]["owner"] == 9
    with pytest.raises(PayloadError) as caught:
        decoder.decode(pa.array([basket(), payload, b""]))
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.index, error.offset, error.what) == (1, offset, what)
    assert (error.expected, error.found) == (expected, found)


def test_invalid_text_in_an_encoding_is_reported(orders):
    bad = []
    found = rows(orders, [order(symbol=b"AB\xe9"), order()], bad)
    assert found == [dict.fromkeys(ORDER), ORDER]
    (problem,) = bad
    assert (problem.index, problem.offset, problem.what) == (0, 8 + 36, "Order.symbol")


def test_every_character_of_latin_1(orders):
    every = [bytes([code]) * 3 for code in range(1, 256)]
    found = rows(orders.select(["name"]), [order(name=name) for name in every])
    assert [row["name"] for row in found] == [name.decode("latin-1") for name in every]


def test_texts_of_other_encodings_are_read_one_by_one(tmp_path):
    copy = tmp_path / "market.xml"
    copy.write_text(SCHEMA.read_text().replace("ISO-8859-1", "windows-1252"))
    decoder = sbe.sbe_decoder(copy, "Order").select(["name"])
    bad = []
    found = rows(decoder, [order(name=b"\x80"), order(name=b"\x81"), order(name=b"a")], bad)
    assert [row["name"] for row in found] == ["€", None, "a"]
    assert [(problem.index, problem.what) for problem in bad] == [(1, "Order.name")]


def test_first_of_many_errors_is_reported(orders):
    payloads = pa.array([order(), order(symbol=b"\xff"), b"", order()[:-1]])
    with pytest.raises(PayloadError, match=r"payload 1 at 44: Order\.symbol"):
        orders.decode(payloads)


def test_unknown_messages_are_null_if_so_configured():
    decoder = sbe.sbe_decoder(SCHEMA, "Order", unknown="null")
    found = rows(decoder, [header(0, 9), order(), header(0, 1, schema_id=1) + b"xx"])
    assert found == [dict.fromkeys(ORDER), ORDER, dict.fromkeys(ORDER)]
    with pytest.raises(PayloadError, match="message header"):
        decoder.decode(pa.array([b"short"]))


def test_count_of_empty_entries_is_limited_by_the_payload(baskets):
    def with_empty_tags(count):
        tags = header(8, 2) + bytes(8) + b"\x02\0\0" + b"\0\0" + bytes([count])
        return tags + b"\0\0" + b"\0"

    few, many = with_empty_tags(9), with_empty_tags(10)
    assert len(few) - 16 == 9
    assert rows(baskets, [few])[0]["tags"] == [{"tag": None}] * 9
    with pytest.raises(PayloadError, match=r"count of group Basket\.tags 10"):
        baskets.decode(pa.array([many]))


def test_a_pickled_decoder_does_not_read_its_schema_file(tmp_path):
    copy = tmp_path / "market.xml"
    copy.write_bytes(SCHEMA.read_bytes())
    decoder = sbe.sbe_decoder(copy, "Order")
    copy.unlink()
    again = pickle.loads(pickle.dumps(decoder))
    assert again == decoder
    assert rows(again, [order()]) == [ORDER]


@pytest.mark.parametrize(
    "options", [{"message": "Nothing"}, {"unknown": "keep"}, {"enums": "numbers"}]
)
def test_invalid_options(options):
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        sbe.sbe_decoder(SCHEMA, **options)


def test_a_message_has_a_numpy_type():
    schema = sbe.read_schema(SCHEMA)
    dtype = sbe.numpy_dtype(schema, "Order")
    np = pytest.importorskip("numpy")
    (block,) = np.frombuffer(order()[8:], dtype)
    assert block["id"] == 7
    assert block["price"]["mantissa"] == 12345
    assert block["symbol"] == b"ABC"
    assert block["depth"].tolist() == [3, -7]
    assert sbe.numpy_dtype(schema, "Basket").itemsize == 8
    assert sbe.numpy_dtype(schema, "Basket", "legs", "fills").names == ("at",)
    with pytest.raises(ConfigurationError, match="groups"):
        sbe.numpy_dtype(schema, "Basket", "fills")
    with pytest.raises(ConfigurationError, match="message"):
        sbe.numpy_dtype(schema, "Nothing")


def test_a_batch_may_have_thousands_of_entries():
    tags = [[number * 100 + each for each in range(200)] for number in range(30)]
    payloads = [basket(number, [], each) for number, each in enumerate(tags)]
    found = rows(sbe.sbe_decoder(SCHEMA, "Basket"), payloads)
    assert [[entry["tag"] for entry in row["tags"]] for row in found] == tags
