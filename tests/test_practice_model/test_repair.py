"""A failed call is tried once more where its error says what would be right."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import assistant, define, request, results, user

from practice_model.decide.decide import decide
from practice_model.request import Call

TODAY = date(2026, 3, 11)
PAINT = define("order_paint(colour, litres:integer)", "Order paint.")


def after(error: str, message: str = "Order 5 litres of crimson red paint", **arguments) -> list[dict]:
    first = Call("order_paint", {"colour": "crimson", "litres": 5} | arguments, "a")
    history = [user(message), assistant(first), results(("a", error), error=True)]
    return [call.arguments for call in decide(request(history, (PAINT,)), TODAY).calls]


@pytest.mark.parametrize(
    "error",
    [
        "colour must be one of: red, green, blue",
        "Invalid value for colour. Allowed values: 'red', 'green'",
        "Unknown colour 'crimson'. Did you mean 'red'?",
        '{"error": "colour must be one of red, green or blue"}',
        "colour no válido: debe ser uno de red, green, blue",
    ],
)
def test_the_allowed_value_that_the_user_named_is_taken(error):
    assert after(error) == [{"colour": "red", "litres": 5}]


@pytest.mark.parametrize(
    "error", ["the shop is closed", "colour is wrong", "timeout", "", "colour must be one of: cyan, pink"]
)
def test_an_error_that_does_not_say_what_is_right_is_told_instead(error):
    assert after(error) == []


def test_a_spelling_that_only_differs_in_case_and_separators_is_taken():
    assert after(
        "colour must be one of: SKY_BLUE, RED", "Order 5 litres of sky-blue paint", colour="sky blue"
    ) == [{"colour": "SKY_BLUE", "litres": 5}]


@pytest.mark.parametrize(
    "error",
    [
        "colour: Extra inputs are not permitted",
        "got an unexpected keyword argument 'colour'",
        "Error: unknown parameter colour",
        "Parámetro desconocido: colour",
    ],
)
def test_an_argument_that_the_tool_does_not_have_is_left_out(error):
    lamp = define("find_lamp(name)", "Find a lamp by its name.", name="Name of the lamp")
    history = [
        user('Find the lamp "Aurora"'),
        assistant(Call("find_lamp", {"name": "Aurora", "colour": "red"}, "a")),
        results(("a", error), error=True),
    ]
    (call,) = decide(request(history, (lamp,)), TODAY).calls
    assert call.arguments == {"name": "Aurora"}


def test_a_tool_named_in_the_message_is_not_its_own_argument():
    loan = define("renew_loan(loan_id)", "Renew a loan.", loan_id="Number of the loan")
    (call,) = decide(
        request("Use `renew_loan` for L-77, please. `renew_loan` is ready.", (loan,)), TODAY
    ).calls
    assert call.arguments == {"loan_id": "L-77"}


@pytest.mark.parametrize(
    ("error", "again"),
    [
        ("It did not run: the call was cut off. Call it again, with less in it.", True),
        ("Error: litres is missing. Call it again with all of this corrected.", True),
        ("Error: se cortó la llamada. Vuelve a llamarla.", True),
        ("Error invoking tool:\n litres: Field required\n Please fix the error and try again.", True),
        ("Error: falta litres. Corrige el error e inténtalo de nuevo.", True),
        ("Error: the shop is busy. Try again later.", False),
        ("It may have run. Look whether it did before you call it again.", False),
        ("It was not approved. Do not call it again.", False),
        ("The shop is closed.", False),
    ],
)
def test_a_call_that_is_asked_for_again_is_made_as_it_should_have_been(error, again):
    cut = [
        user("Order 5 litres of crimson red paint"),
        assistant(Call("order_paint", {"colour": "crimson"}, "a")),
        results(("a", error), error=True),
    ]
    made = decide(request(cut, (PAINT,)), TODAY).calls
    assert [call.arguments for call in made] == ([{"colour": "crimson", "litres": 5}] if again else [])
    if again:  # and only once: it may be cut off every time
        cut += [assistant(Call("order_paint", made[0].arguments, "b")), results(("b", error), error=True)]
        assert not decide(request(cut, (PAINT,)), TODAY).calls


@pytest.mark.parametrize("offered", [(PAINT,), (PAINT, define("paint_order(what)", "Order paint."))])
def test_a_failure_that_a_later_call_made_good_is_not_told(offered):
    arguments = {"colour": "crimson", "litres": 5}
    history = [
        user("Order 5 litres of crimson red paint"),
        assistant(Call("paint_order", arguments, "a")),
        results(("a", "There is no such tool."), error=True),
        assistant(Call("order_paint", arguments, "b")),
        results(("b", '{"number": 7}')),
    ]
    text = decide(request(history, offered), TODAY).text
    assert "7" in text and ("There is no such tool" in text) == (len(offered) == 2)


@pytest.mark.parametrize(
    "said",
    [
        'Not in stock. Call again with colour="ruby".',
        "We have only ruby. Try again with colour: ruby",
        "No hay. Prueba de nuevo con colour='ruby'.",
    ],
)
def test_a_result_that_says_with_what_to_call_again_leads_to_that_call_once(said):
    assert after(said) == [{"colour": "ruby", "litres": 5}]
    again = [Call("order_paint", {"colour": colour, "litres": 5}, colour) for colour in ("crimson", "ruby")]
    history = [user("Order 5 litres of crimson red paint")]
    for call in again:
        history += [assistant(call), results((call.id, said))]
    assert decide(request(history, (PAINT,)), TODAY).calls == ()


def test_a_result_without_any_message_of_the_user_is_acted_on_too():
    history = [assistant(Call("order_paint", {}, "a")), results(("a", 'Call again with colour="ruby"'))]
    assert [call.arguments for call in decide(request(history, (PAINT,)), TODAY).calls] == [
        {"colour": "ruby"}
    ]
