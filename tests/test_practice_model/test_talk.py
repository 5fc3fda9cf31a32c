"""What is said without a tool result: small talk, the tools, what is missing, what cannot be known."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import FORECAST, LOAN, assistant, define, request, user

from practice_model.decide.decide import decide

TODAY = date(2026, 3, 11)


def said(turns, tools=(FORECAST, LOAN)) -> str:
    decision = decide(request(turns, tools), TODAY)
    assert decision.calls == ()
    return decision.text


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("Hello!", "Hello!"),
        ("¡Hola!", "¡Hola!"),
        ("Thank you very much", "You are welcome."),
        ("Muchas gracias", "De nada."),
        ("Goodbye", "Goodbye."),
        ("How are you today?", "I am only a program"),
        ("¿Cómo estás?", "Solo soy un programa"),
        ("Who are you?", "I am the practice model"),
        ("¿Eres un modelo de lenguaje?", "Soy el modelo de práctica"),
        ("Reply with: ready", "ready"),
        ("What is the meaning of life?", "I cannot know that."),
        ("¿Quién escribió el Quijote?", "No puedo saberlo."),
    ],
)
def test_small_talk_needs_no_tool(message, start):
    assert said(message).startswith(start)


def test_the_tools_are_listed_with_their_first_sentence():
    text = said("What tools do you have?")
    assert "get_forecast: Get the weather forecast for a city." in text and "renew_loan" in text


def test_what_is_missing_is_asked_for_with_its_allowed_values():
    mood = define("set_mood(mood:calm|bright)", "Set the mood of the lamp.", mood="How the lamp shines")
    text = said("Set the mood", (mood,))
    assert "mood (How the lamp shines): one of calm, bright" in text and text.endswith("?")


def test_what_is_missing_is_asked_for_in_the_language_of_the_message():
    assert said("Renueva mi préstamo").startswith("Para usar renew_loan me falta: loan_id")


def test_what_is_quoted_is_not_said_to_the_model():
    text = said('Write "hello" on the wall', ())
    assert not text.startswith("Hello")


def test_it_knows_only_what_this_history_says():
    history = [
        user("My cat is called Lupa. My flat is 4B."),
        assistant(text="Understood."),
        user("What is my flat?"),
    ]
    assert "4B" in said(history) and "4B" not in said("What is my flat?")


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I live in Salamanca.", "Where do I live?"),
        ("Hello! I work at the harbour.", "Where do I work?"),
        ("Vivo en Salamanca.", "¿Dónde vivo?"),
    ],
)
def test_what_the_user_told_about_themselves_is_quoted_back(told, question):
    answer = said([user(told), assistant(text="Understood."), user(question)], ())
    assert told.split("! ")[-1].rstrip(".") in answer
    assert told not in said([user(question)], ())


@pytest.mark.parametrize("told", ["I live in Salamanca.", "Vivo en Salamanca.", "My dog is called Bruma."])
def test_a_statement_is_taken_note_of(told):
    assert said([user(told)], ()) in ("Understood.", "Entendido.")


@pytest.mark.parametrize(
    "said", ["I live in Oslo.", "I'm based in Oslo.", "Hi, I moved to Oslo.", "Resido en Oslo."]
)
@pytest.mark.parametrize(
    "question",
    ["Where do I live?", "Tell me where I live", "Can you tell me where I live?", "Dime dónde vivo"],
)
def test_what_the_user_told_is_told_back_in_whatever_form_it_is_asked(said, question):
    history = [user(said), assistant(text="Understood."), user(question)]
    assert "Oslo" in decide(request(history)).text
    assert "Oslo" not in decide(request([*history[:2], user("Where do I work?")])).text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("My order number is 1042. Repeat it.", "Your order number is 1042."),
        ("My order number is 1042. Repeat my order number.", "Your order number is 1042."),
        ("Mi número de socio es 77. Repítelo.", "Tu número de socio es 77."),
        ("My name is Alex. What is my name?", "Your name is Alex."),
        ("I live in Oslo. Where do I live?", 'You told me: "I live in Oslo".'),
        ("My cat is Luna and my dog is Sol. What is my cat called?", "Your cat is Luna."),
        ("The meeting is at 5 pm. When is the meeting?", 'You told me: "The meeting is at 5 pm".'),
    ],
)
def test_what_the_message_itself_says_counts(message, told):
    assert said([user(message)], ()) == told


@pytest.mark.parametrize(
    ("system", "message", "told"),
    [
        ("Today is 2026-11-20.", "Which day is it today?", "Today is Friday, 20 November 2026."),
        ("Hoy es 2026-11-20.", "¿Qué día es hoy?", "Hoy es viernes 20 de noviembre de 2026."),
        ("You help in a shop. The customer's name is Ana.", "What is my name?", "Your name is Ana."),
        ("The shop opens at nine.", "When does the shop open?",
         'My instructions say: "The shop opens at nine".'),
    ],
)  # fmt: skip
def test_what_the_system_prompt_says_counts(system, message, told):
    assert decide(request(message, system=system), TODAY).text == told
    assert told not in decide(request(message), TODAY).text


@pytest.mark.parametrize(
    "message",
    [
        "Order a pizza",
        "Can you order a pizza?",
        "Pide una pizza",
        "Please book a taxi",
        "¿Puedes llamar a Ana?",
    ],
)
def test_what_no_tool_does_is_not_done(message):
    assert said(message).startswith(("I cannot do that.", "No puedo hacerlo."))


def test_a_system_prompt_is_not_repeated():
    assert "shop" not in decide(request("Say it again", system="You help in a shop.")).text


def test_a_tool_that_acts_is_not_asked_to_look_something_up():
    renewed = decide(request("Renew my loan L-12", (LOAN,)), TODAY)
    assert renewed.calls and renewed.text == "I will do that with renew_loan."
