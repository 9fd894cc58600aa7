"""The conversions that are made once do what those of the fields do, on each kind of database and in each profile."""

from datetime import date, datetime

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import BadRequest
from core.records.records import Records
from core.storage.compiled import bind, body_value, read_columns, to_parameters, to_python, to_record
from core.storage.database import backend
from core.storage.fields import ExactField, MapField, NumberField, RecordField
from core.storage.model import Model
from core.storage.values import _codec, codec

pytestmark = pytest.mark.usefixtures("without_natives")


class Shouted(peewee.CharField):
    """An author's field: its own conversions, also of NULL."""

    def db_value(self, value):
        return "NOTHING" if value is None else str(value).upper()

    def python_value(self, value):
        return None if value == "NOTHING" else str(value).lower()


class Halved(peewee.IntegerField):
    """Another one, which only adapts."""

    def adapt(self, value):
        return int(value) // 2


class Sample(Model):
    id = peewee.AutoField(column_name="rowid")
    text = peewee.CharField(max_length=20, null=True)
    long = peewee.TextField(default="")
    whole = peewee.IntegerField(null=True)
    small = NumberField(default=0)
    flag = peewee.BooleanField(null=True)
    real = peewee.DoubleField(null=True)
    price = ExactField(24, 8, null=True)
    rate = ExactField(8, 4, null=True, trimmed=True)
    old = peewee.DecimalField(10, 2, null=True)
    day = peewee.DateField(null=True)
    moment = peewee.DateTimeField(null=True)
    about = MapField(null=True)
    owner = RecordField("self", null=True)
    shouted = Shouted(null=True)
    halved = Halved(null=True)

    class Meta:
        table_name = "compiled_sample"


FIELDS = list(Sample._meta.fields.values())
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=12), st.sampled_from(["12", "1.5", b"x"]),
    st.decimals(-9999, 9999, places=9), st.floats(-1e6, 1e6), st.just({"a": 1}), st.just({}),
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)), st.dates(date(1971, 1, 1), date(2100, 1, 1)),
)  # fmt: skip


def outcome(convert, *arguments):
    """What a conversion returns, with its type, or the type of its error."""
    try:
        value = convert(*arguments)
    except (ValueError, TypeError, ArithmeticError, AttributeError, BadRequest) as error:
        return type(error), str(error)
    return type(value), repr(value)


@pytest.mark.usefixtures("server")
@given(st.sampled_from(FIELDS), VALUES)
def test_values_are_bound_as_by_their_fields(field, value):
    made = to_parameters([field], backend())
    assert outcome(lambda: bind({field.name: value}, made)[0]) == outcome(field.db_value, value)
    assert bind({}, to_parameters([Sample.text, Sample.shouted], backend())) == [None, "NOTHING"]


@pytest.mark.usefixtures("server")
@given(st.sampled_from(FIELDS), VALUES, st.booleans())
def test_columns_are_read_as_by_their_fields(field, value, text_values):
    made = to_python([field], backend())
    assert outcome(lambda: read_columns((value,), made)[field.name]) == outcome(field.python_value, value)
    answer = _codec(field, text_values, backend(), None).answer
    expected = outcome(answer, value) if answer is not None else outcome(lambda: value)
    assert outcome(lambda: to_record(["key"], [answer])((value, "a sort column"))["key"]) == expected


@pytest.mark.usefixtures("server")
def test_a_row_becomes_a_record_and_an_instance():
    plan = Records(Sample).select_plan()
    row = (7, "Oak", "", None, 3, True, 1.5, None, None, None, None, None, '{"a": 1}', 9, "NOTHING", 8, "a sort column")
    record = plan.record(row)
    assert [*record] == [*plan.names]
    expected = {name: answer(value) if (answer := codec(field).answer) else value for (name, field), value in zip(
        Sample._meta.fields.items(), row, strict=False
    )}  # fmt: skip
    assert record == expected
    # Each record has a map of its own
    assert plan.record(row)["about"] is not record["about"]
    made = plan.instance(row[:-1])
    assert isinstance(made, Sample)
    assert made.__data__ == {field.name: field.python_value(value) for field, value in zip(FIELDS, row, strict=False)}


def test_a_cleaner_gets_texts_and_numbers():
    field = peewee.CharField(choices=[("A", "a"), ("12", "b")], null=True)
    read = body_value(field, str, str.strip)
    assert [read(value) for value in (" A", 12, None)] == ["A", "12", None]
    with pytest.raises(ValueError, match="expected A or 12"):
        read(True)
