"""Arguments and follow-ups: what a call is filled with, told by example over several kinds of schemas."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import assistant, define, number, request, results, text, tool, user
from decide_worlds import BANK, CAL, ES, MATHS, MED, OPS, SHOP, TRAVEL

from practice_model.decide.decide import decide
from practice_model.decide.slots import slot_of
from practice_model.request import Call, ToolSpec

TODAY = date(2026, 3, 11)  # a Wednesday
TEXT = {"type": "string"}


def call(name: str, /, **arguments) -> tuple[str, dict]:
    return name, arguments


def called(turns, tools) -> list[tuple[str, dict]]:
    return [(one.name, one.arguments) for one in decide(request(turns, tools), TODAY).calls]


def ran(question: str, name: str, arguments: dict, result: str, follow_up: str) -> list:
    """A history in which one question was answered by a tool, and what the user says then."""
    return [
        user(question),
        assistant(Call(name, arguments, "a")),
        results(("a", result)),
        assistant(text="Done."),
        user(follow_up),
    ]


def closed(*names: str, **properties: dict) -> dict:
    return {"type": "object", "properties": properties, "required": list(names or properties)}


PERSON = ToolSpec(
    "save_contact",
    "Save a contact.",
    closed(contact=closed("name", "email", name=TEXT, email=TEXT | {"format": "email"}, phone=TEXT)),
)
NULLS = ToolSpec(
    "search_jobs",
    "Search job offers.",
    closed(
        role=TEXT | {"description": "Job title."},
        city={"anyOf": [TEXT, {"type": "null"}]},
        min_salary={"type": ["number", "null"]},
    ),
)
SCALES = "celsius|fahrenheit|kelvin"
TEMPERATURE = define(
    f"convert_temperature(value:number, from_unit:{SCALES}, to_unit:{SCALES})", "Convert a temperature."
)
MESSAGES = [
    (
        [PERSON],
        "Save the contact Ana Ruiz, ana@example.org",
        [call("save_contact", contact=dict(name="Ana Ruiz", email="ana@example.org"))],
    ),
    (
        [NULLS],
        "Search jobs as a nurse in Bilbao",
        [call("search_jobs", role="nurse", city="Bilbao", min_salary=None)],
    ),
    (
        SHOP,
        "Track order 12 please, and apply coupon HELLO5",
        [call("get_order_status", order_id="12"), call("apply_coupon", code="HELLO5")],
    ),
    (
        SHOP,
        "¿Dónde está mi pedido 88213 y cuánto cuesta enviar 2 kg a Italia?",
        [call("get_order_status", order_id="88213"), call("get_shipping_cost", country="IT", weight_kg=2)],
    ),
    (
        SHOP,
        "Quiero cancelar el pedido 88213 porque llega tarde",
        [call("cancel_order", order_id="88213", reason="llega tarde")],
    ),
    (SHOP, "What can you do?", []),
    (SHOP, "hola", []),
    (SHOP, "What is the meaning of life?", []),
    (SHOP, "What's 2+2?", []),
    (SHOP, "Is order 77 cancelled?", [call("get_order_status", order_id="77")]),
    (SHOP, "Who are you?", []),
    (CAL, "¿Qué tengo mañana?", [call("list_events", day="2026-03-12")]),
    (
        CAL,
        "Crea un evento llamado Comida el viernes a las 14:00 durante 90 minutos",
        [call("create_event", title="Comida", start="2026-03-13T14:00:00Z", duration_minutes=90)],
    ),
    (CAL, "Am I free tomorrow?", [call("find_free_slots", day="2026-03-12")]),
    (ES, "Consulta el saldo de mi cuenta corriente", [call("consultar_saldo", cuenta="corriente")]),
    (ES, "What's the balance of my savings account?", [call("consultar_saldo", cuenta="ahorro")]),
    (ES, "Translate 'good night' into French", [call("traducir", texto="good night", idioma="francés")]),
    (
        ES,
        "Send a message to Marta saying I'll be late",
        [call("enviar_mensaje", destinatario="Marta", mensaje="I'll be late")],
    ),
    (OPS, "¿Responde el servidor api.example.com?", [call("pingHost", host="api.example.com")]),
    (
        OPS,
        "Muestra las últimas 20 líneas de error del servicio billing",
        [call("getLogs", serviceName="billing", level="error", lines=20)],
    ),
    (
        OPS,
        "Abre un incidente de severidad alta: no funciona el pago",
        [call("createIncident", title="no funciona el pago", severity="high")],
    ),
    (
        OPS,
        "Scale checkout from 3 to 6 replicas",
        [call("scaleDeployment", deployment="checkout", replicas=6)],
    ),
    (
        MED,
        "¿Interactúan el ibuprofeno y la aspirina?",
        [call("get_drug_interactions", drugs=["ibuprofeno", "aspirina"])],
    ),
    (
        MED,
        "Pide cita para Luis Mora con la Dra. Vega el lunes",
        [call("book_appointment", patient_name="Luis Mora", doctor="Dra. Vega", date="2026-03-16")],
    ),
    (MATHS, "How much is 15 minus 4?", [call("subtract", a=15, b=4)]),
    (MATHS, "Suma 8 y 9", [call("add", a=8, b=9)]),
    (MATHS, "¿Cuál es la raíz cuadrada de 81?", [call("square_root", x=81)]),
    (
        [define("calculate(expression)", "Evaluate an arithmetic expression.")],
        "What is (3 + 4) * 12 - 5?",
        [call("calculate", expression="(3 + 4) * 12 - 5")],
    ),
    (
        [define("calculate(expression)", "Evaluate an arithmetic expression.")],
        "How much is 20% of 350?",
        [call("calculate", expression="20 / 100 * 350")],
    ),
    (
        [define("calculate(expression)", "Evaluate an arithmetic expression.")],
        "¿Cuánto es 1.500 más 2.500,50?",
        [call("calculate", expression="1500 + 2500.5")],
    ),
    (
        [define("calculate(expression)", "Evaluate an arithmetic expression.")],
        "What is 2 to the power of 10?",
        [call("calculate", expression="2 ** 10")],
    ),
    (
        [define("calculate(expression)", "Evaluate an arithmetic expression.")],
        "I was born in 1990. How are you?",
        [],
    ),
    (
        [define("get_capital(country)", "Capital of a country.")],
        "What are the capitals of Peru and Chile?",
        [call("get_capital", country="Peru"), call("get_capital", country="Chile")],
    ),
    (
        [define("get_capital(country)", "Capital of a country.")],
        "¿Cuál es la capital de Bolivia?",
        [call("get_capital", country="Bolivia")],
    ),
    (
        [define("lookup_word(word)", "Definition of a word in the dictionary.")],
        "What does serendipity mean?",
        [call("lookup_word", word="serendipity")],
    ),
    (
        [define("lookup_word(word)", "Definition of a word in the dictionary.")],
        "Define ephemeral",
        [call("lookup_word", word="ephemeral")],
    ),
    (
        [define("get_population(city)", "Population of a city.")],
        "How many people live in Lyon?",
        [call("get_population", city="Lyon")],
    ),
    (
        [define("get_population(city)", "Population of a city.")],
        "¿Cuántos habitantes tiene Quito?",
        [call("get_population", city="Quito")],
    ),
    (
        [define("send_slack_message(channel, text)", "Post a message in a Slack channel.")],
        'Post "build is green" in #releases',
        [call("send_slack_message", channel="#releases", text="build is green")],
    ),
    (
        [define("book_taxi(pickup, dropoff, time?:time)", "Book a taxi.")],
        "Book a taxi from the station to the airport at 7:15",
        [call("book_taxi", pickup="station", dropoff="airport", time="07:15:00")],
    ),
    (
        [define("set_volume(level:integer)", "Set the volume of the speaker.")],
        "Set the volume to 30",
        [call("set_volume", level=30)],
    ),
    (
        [define("set_volume(level:integer)", "Set the volume of the speaker.")],
        "Sube el volumen a 30",
        [call("set_volume", level=30)],
    ),
    (
        [define("search_movies(genre?:comedy|drama|horror, year?:integer, actor?)", "Search films.")],
        "Horror films with Ana Torrent",
        [call("search_movies", genre="horror", actor="Ana Torrent")],
    ),
    (
        [
            define(
                "log_workout(activity:running|cycling|swimming, minutes:integer, distance_km?:number)",
                "Log a workout.",
            )
        ],
        "I ran 5 km in 28 minutes, log it",
        [call("log_workout", activity="running", minutes=28, distance_km=5)],
    ),
    (
        [define("getPetById(petId:integer)", "Find a pet by its id.")],
        "Show me pet 12",
        [call("getPetById", petId=12)],
    ),
    (
        [TEMPERATURE],
        "What is 100 fahrenheit in celsius?",
        [call("convert_temperature", value=100, from_unit="fahrenheit", to_unit="celsius")],
    ),
    (
        [TEMPERATURE],
        "Convert 20 degrees Celsius to Kelvin",
        [call("convert_temperature", value=20, from_unit="celsius", to_unit="kelvin")],
    ),
    (
        [define("get_sunrise(city, date?:date)", "Time of sunrise.")],
        "When does the sun rise in Cádiz tomorrow?",
        [call("get_sunrise", city="Cádiz", date="2026-03-12")],
    ),
    (
        [define("vote(poll_id, option:yes|no|abstain)", "Vote in a poll.")],
        "Vote no in poll P-3",
        [call("vote", poll_id="P-3", option="no")],
    ),
]


@pytest.mark.parametrize(("tools", "message", "wanted"), MESSAGES, ids=[row[1] for row in MESSAGES])
def test_a_message(tools, message, wanted):
    assert called(message, tools) == wanted


HISTORIES = [
    (
        SHOP,
        ran("Where is order 5?", "get_order_status", {"order_id": "5"}, "shipped", "And order 6?"),
        [call("get_order_status", order_id="6")],
    ),
    (
        SHOP,
        ran("¿Dónde está el pedido 5?", "get_order_status", {"order_id": "5"}, "enviado", "¿Y el 6?"),
        [call("get_order_status", order_id="6")],
    ),
    (
        TRAVEL,
        ran(
            "How much is 200 dollars in euros?",
            "convert_currency",
            dict(amount=200, from_currency="USD", to_currency="EUR"),
            "180",
            "And in yen?",
        ),
        [call("convert_currency", amount=200, from_currency="USD", to_currency="JPY")],
    ),
    (
        [define("get_weather(city)", "Weather of a city.")],
        ran("Weather in Oslo?", "get_weather", {"city": "Oslo"}, "rain", "What about Bergen?"),
        [call("get_weather", city="Bergen")],
    ),
    (
        [define("get_weather(city)", "Weather of a city.")],
        ran("Weather in Oslo?", "get_weather", {"city": "Oslo"}, "rain", "Thanks!"),
        [],
    ),
    (
        [define("get_weather(city)", "Weather of a city.")],
        ran("Weather in Oslo?", "get_weather", {"city": "Oslo"}, "rain", "Is that good?"),
        [],
    ),
    (
        BANK,
        ran("What's my savings balance?", "get_balance", {"account": "savings"}, "10", "and checking?"),
        [call("get_balance", account="checking")],
    ),
    (
        SHOP,
        [
            user("Cancel my order"),
            assistant(text="To cancel it I need: order_id. Can you tell me?"),
            user("it's 5512"),
        ],
        [call("cancel_order", order_id="5512")],
    ),
    (
        SHOP,
        [user("Cancela mi pedido"), assistant(text="¿Qué número tiene?"), user("el 5512")],
        [call("cancel_order", order_id="5512")],
    ),
    (
        [
            define("get_user_location()", "Where the user is now. Returns city and country."),
            define("get_weather(city)", "Weather of a city."),
        ],
        [
            user("What's the weather where I am?"),
            assistant(Call("get_user_location", {}, "a")),
            results(("a", '{"city":"Soria","country":"ES"}')),
        ],
        [call("get_weather", city="Soria")],
    ),
]


@pytest.mark.parametrize(
    ("tools", "history", "wanted"), HISTORIES, ids=[row[1][-1].text for row in HISTORIES]
)
def test_a_history(tools, history, wanted):
    assert called(history, tools) == wanted


def test_an_argument_that_a_tool_can_tell_is_asked_of_the_tool_first():
    where = define("get_user_location()", "Where the user is now.")
    weather = define("get_weather(city)", "Weather of a city.")
    assert called("What's the weather like?", (where, weather)) == [call("get_user_location")]


def test_what_nobody_said_is_left_out():
    tool = define(
        "search_flats(city, rooms?:integer, balcony?:boolean, floor?:ground|top, area?)", "Search flats."
    )
    assert called("Search flats in Oviedo", (tool,)) == [call("search_flats", city="Oviedo")]


CONCERN = tool(
    "note_concern",
    "Note a concern for the town council.",
    "category text",
    category=text("What it is about.", enum=["roads", "noise", "other"]),
    text=text("The concern in one sentence."),
)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Note a concern about the street behind my house.", {"text": "street behind my house"}),
        ("Note a concern about the noise of the harbour at 6 am.", {"category": "noise"}),
        ("Note a concern: the library has too few chairs.", {"category": "other"}),
        ("Anota una inquietud sobre los bancos del parque.", {"category": "other"}),
    ],
)
def test_a_class_for_all_else_takes_what_no_other_does_and_a_sentence_stays_whole(message, arguments):
    [call] = decide(request(message, [CONCERN])).calls
    assert arguments.items() <= call.arguments.items()


def test_a_class_is_asked_for_where_nothing_is_said_and_another_choice_always():
    assert not decide(request("Please note a concern.", [CONCERN])).calls
    paid = {"how_paid": text("How it was paid.", enum=["card", "cash", "other"]), "what": text("For what.")}
    expense = tool("record_expense", "Record an expense.", "amount how_paid what", amount=number(), **paid)
    assert not decide(request("Record an expense of 20 euros for lunch.", [expense])).calls


LAMP = tool("set_lamp", "Set the colour of a lamp.", "color", color=text(), lamp=text("Where it stands."))


@pytest.mark.parametrize(
    ("message", "colour"),
    [
        ("Set the lamp in the hall to green.", "green"),
        ("I want a purple lamp, please", "purple"),
        ("Pon la lámpara del salón en amarillo", "amarillo"),
        ("Pon la lámpara roja", "roja"),
    ],
)
def test_a_colour_is_known_by_its_name(message, colour):
    [call] = decide(request(message, [LAMP])).calls
    assert call.arguments["color"] == colour


RENTALS = tool(
    "list_rentals",
    "List the boats that somebody rented, by their e-mail.",
    "email",
    email=text("The e-mail of who rented them."),
    state=text("Only those in this state.", enum=["reserved", "paid", "returned"]),
    order_from=text("First day of the order, YYYY-MM-DD."),
)


@pytest.mark.parametrize(
    "message",
    [
        "Which paid rentals do I have? My e-mail is ona@example.com.",
        "My e-mail is ona@example.com. Which paid rentals do I have?",
        "Which paid rentals does ona@example.com have?",
    ],
)
def test_a_fact_in_a_sentence_of_its_own_is_no_request_of_its_own(message):
    [call] = decide(request(message, [RENTALS])).calls
    assert call.arguments == {"email": "ona@example.com", "state": "paid"}


def test_who_says_how_a_day_is_written_wants_a_day_whatever_its_name_speaks_of():
    [call] = decide(request("Which rentals does ona@example.com have since 2026-03-01?", [RENTALS])).calls
    assert call.arguments == {"email": "ona@example.com", "order_from": "2026-03-01"}


POST = tool(
    "quote_post",
    "What it costs to send a parcel.",
    "weight_kg country",
    weight_kg=number("Its weight in kilograms."),
    country=text("Where to, such as CA for Canada or PE for Peru."),
)


def test_two_places_are_two_calls_and_an_example_in_a_description_is_no_preference():
    made = decide(request("Send 2 kg to Canada and to Peru, how much is it?", [POST])).calls
    assert [call.arguments["country"] for call in made] in (["CA", "PE"], ["Canada", "Peru"])


@pytest.mark.parametrize(
    "message",
    ["What does it cost to send order 7 to Peru?", "Ship parcel 77 to Peru, please."],
)
def test_the_number_of_a_thing_is_no_amount(message):
    assert not decide(request(message, [POST])).calls


def test_who_only_says_that_a_question_will_come_is_asked_for_it():
    for message in ("I have a question about a rental.", "Tengo una pregunta sobre un alquiler"):
        decision = decide(request(message, [RENTALS]))
        assert not decision.calls and decision.text.endswith("?")


def test_two_things_joined_by_or_are_both_looked_up():
    made = decide(request("Which has more seats, boat B-11 or boat B-12?", [BOAT])).calls
    assert [call.arguments for call in made] == [{"boat_id": "B-11"}, {"boat_id": "B-12"}]


BOAT = tool("get_boat", "A boat by its id: seats and harbour.", boat_id=text("Such as B-7."))


def test_a_long_text_is_passed_on_to_its_end_though_only_its_beginning_is_read():
    report = " ".join(f"Line {line} of the report" for line in range(2_000))
    summarise = tool("summarise_text", "Summarise a text.", text=text("The text."))
    assert called(f"Summarise this text: {report}.", (summarise,)) == [
        call("summarise_text", text=f"{report}.")
    ]


TASKS = (
    tool(
        "add_errand",
        "Put an errand on the user's list.",
        "title",
        title=text("What is to be done."),
        urgency={"type": "integer", "description": "From 1 to 5."},
        due=text("Day, YYYY-MM-DD."),
    ),
    tool(
        "list_errands",
        "List the user's errands.",
        "",
        done={"type": "boolean", "description": "Only those in that state."},
    ),
)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        (
            "Add buy stamps to my list for tomorrow, urgency 4",
            {"title": "buy stamps", "urgency": 4, "due": "2026-03-12"},
        ),
        (
            "Add an errand to renew my passport by 20 April",
            {"title": "renew my passport", "due": "2026-04-20"},
        ),
        ("Add feed the cat to my errands for Friday", {"title": "feed the cat", "due": "2026-03-13"}),
    ],
)
def test_a_title_has_no_holes_and_nothing_that_belongs_to_other_fields(message, arguments):
    assert called(message, TASKS) == [("add_errand", arguments)]


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("List the errands that are done", True),
        ("Which errands are still open?", False),
        ("Show my pending errands", False),
    ],
)
def test_a_state_is_said_by_its_name_or_by_its_opposite(message, done):
    assert called(message, TASKS) == [("list_errands", {"done": done})]


@pytest.mark.parametrize("name", ["discount", "invoice", "impact", "under", "uncle"])
def test_a_name_that_only_begins_like_a_negation_has_no_opposite(name):
    assert slot_of(name, {"type": "boolean"}).truths[1] == frozenset()


RIDES = tool("find_rides", "Find free cars near an address.", address=text("Street and town."))
BOOKS = tool(
    "find_novels",
    "Find novels in the library.",
    "",
    genre=text("", enum=["crime", "poetry"]),
    owner=text("Name of a person."),
)


@pytest.mark.parametrize(
    ("message", "address"),
    [
        ("Find a car near 12 Harbour Street, Bristol", "12 Harbour Street, Bristol"),
        ("Is there a car close to 7 Old Mill Road?", "7 Old Mill Road"),
        ("Busca un coche cerca de la Calle de la Luna 3, Madrid", "Calle de la Luna 3, Madrid"),
    ],
)
def test_an_address_is_one_fact(message, address):
    assert called(message, (RIDES,)) == [call("find_rides", address=address)]


def test_the_value_of_an_optional_field_is_enough_for_a_tool_that_looks():
    assert called("I'd like some poetry", (BOOKS, RIDES)) == [call("find_novels", genre="poetry")]


def test_a_possessive_names_the_person():
    assert called("Show Ana's novels", (BOOKS, RIDES)) == [call("find_novels", owner="Ana")]


def test_the_name_of_a_town_makes_no_spanish_sentence():
    tides = tool("get_tides", "Get the tides at a coast.", coast=text())
    assert called("High tide in Cádiz?", (tides, RIDES)) == [call("get_tides", coast="Cádiz")]


def test_this_week_has_seven_days():
    ahead = tool(
        "get_outlook",
        "Get the weather outlook.",
        place=text(),
        days={"type": "integer", "description": "Days ahead."},
    )
    assert called("The weather in Bergen this week?", (ahead,)) == [
        call("get_outlook", place="Bergen", days=7)
    ]


LEVY = tool(
    "work_out_levy",
    "Work out the levy on an amount.",
    "subtotal",
    subtotal=number("The amount before the levy."),
    rate=number("The rate as a fraction: 0.05 means 5 percent.", default=0.05),
)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("How much is the levy on 80 dollars?", {"subtotal": 80}),
        ("What is the levy on 50 euros at 7 percent?", {"subtotal": 50, "rate": 0.07}),
        ("The levy of 12% on $200, please", {"subtotal": 200, "rate": 0.12}),
    ],
)
def test_money_is_no_rate_and_a_percentage_no_amount(message, arguments):
    assert called(message, (LEVY,)) == [call("work_out_levy", **arguments)]


PARTY = ToolSpec(
    "plan_picnic",
    "Plan a picnic.",
    closed(
        "food",
        food={"type": "array", "items": closed(dish=TEXT, portions={"type": "integer"})},
        host=TEXT | {"description": "Name of the host."},
    ),
)
TAGGER = ToolSpec(
    "tag_photo",
    "Tag a photo.",
    closed(
        photo=TEXT | {"description": "Path of the photo."},
        tags={"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
    ),
)
MEMBER = ToolSpec(
    "register_member",
    "Register a member of the choir.",
    closed(
        "name",
        name=TEXT,
        home=closed("street", street=TEXT, town=TEXT),
        voices={"type": "array", "items": TEXT},
        range={"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "minItems": 2},
    ),
)
PANTRY = ToolSpec(
    "put_in_pantry", "Put food in the pantry.", closed("food", food=TEXT, count={"type": "integer"})
)
SAYING = ToolSpec("translate_phrase", "Translate a phrase.", closed(phrase_text=TEXT, language=TEXT))
FILMS = ToolSpec(
    "rate_film",
    "Rate a film.",
    closed("title", "stars", title=TEXT, stars={"type": "integer"}, comment=TEXT),
)


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        (
            "Plan a picnic with 4 salads, 2 pies and 6 lemonades",
            PARTY,
            {"food": [dict(dish=d, portions=n) for d, n in (("salads", 4), ("pies", 2), ("lemonades", 6))]},
        ),
        (
            "Organiza un picnic con 3 ensaladas y 2 tartas",
            PARTY,
            {"food": [dict(dish="ensaladas", portions=3), dict(dish="tartas", portions=2)]},
        ),
        (
            "Tag the photo beach.jpg: place=Nerja, people=4",
            TAGGER,
            {"photo": "beach.jpg", "tags": {"place": "Nerja", "people": "4"}},
        ),
        (
            "Register a member with name Ivo Lenz, voices tenor and bass, range 4.5 and 9, "
            "home: street 3 Mill Lane, town Ely",
            MEMBER,
            {
                "name": "Ivo Lenz",
                "home": {"street": "3 Mill Lane", "town": "Ely"},
                "voices": ["tenor", "bass"],
                "range": [4.5, 9],
            },
        ),
        ("Put three jars of plum jam in the pantry", PANTRY, {"food": "plum jam", "count": 3}),
        ("Pon 2 botes de miel en la despensa", PANTRY, {"food": "miel", "count": 2}),
        ("How do you say thank you in Welsh?", SAYING, {"phrase_text": "thank you", "language": "Welsh"}),
        (
            "Rate Arrival 4 stars: slow but lovely",
            FILMS,
            {"title": "Arrival", "stars": 4, "comment": "slow but lovely"},
        ),
        ("Give The Piano 5 stars", FILMS, {"title": "The Piano", "stars": 5}),
    ],
)
def test_parts_are_read_from_where_they_stand(message, tool, arguments):
    assert called(message, (tool,)) == [(tool.name, arguments)]


def test_a_name_goes_to_the_slot_that_asks_for_names():
    book = tool(
        "book_massage",
        "Book a massage.",
        "treatment",
        treatment=text("Which massage."),
        client=text("Name."),
    )
    assert called("For Ines, book a Shiatsu massage", (book,)) == [
        call("book_massage", treatment="Shiatsu", client="Ines")
    ]


def test_a_label_is_the_parameter_that_it_shares_most_with():
    mail = define("send_email(to:email, subject, body)", "Send an e-mail.")
    message = "Send kim@example.org an email with subject Rehearsal and text 'Bring the scores'"
    assert called(message, (mail,)) == [
        call("send_email", to="kim@example.org", subject="Rehearsal", body="Bring the scores")
    ]


def test_the_nights_of_a_stay_are_between_its_days():
    stay = define("book_cabin(check_in:date, nights:integer)", "Book a cabin.")
    for message in ("Book a cabin from the 3rd to the 7th of May", "Reserva una cabaña del 3 al 7 de mayo"):
        assert called(message, (stay,)) == [call("book_cabin", check_in="2026-05-03", nights=4)]
