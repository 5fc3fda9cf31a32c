"""Which tool is called with what, told by example: a table per domain, each row a message and its calls."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import define, request
from decide_worlds import (
    BANK,
    CAL,
    CRM,
    ES,
    GAME,
    HOME,
    HOTEL,
    HR,
    LIB,
    MATHS,
    MED,
    OPS,
    RECIPES,
    SCHOOL,
    SHOP,
    TEXT,
    TRAVEL,
)

from practice_model.decide.decide import decide

TODAY = date(2026, 3, 11)  # a Wednesday
ASKS = "asks for what is missing"


def call(name: str, /, **arguments) -> tuple[str, dict]:
    return name, arguments


def check(tools, message, wanted):
    decision = decide(request(message, tools), TODAY)
    calls = [(call.name, call.arguments) for call in decision.calls]
    if wanted == ASKS:
        assert calls == [] and decision.text.endswith("?")
    else:
        assert calls == wanted


HOTEL_ROWS = [
    (
        "Find a hotel in Lisbon from 3 to 7 May for 2 people",
        [call("search_hotels", city="Lisbon", check_in="2026-05-03", check_out="2026-05-07", guests=2)],
    ),
    (
        "I need a hotel in Madrid from April 1 to April 4 for three guests, at most 120 euros a night",
        [
            call(
                "search_hotels",
                city="Madrid",
                check_in="2026-04-01",
                check_out="2026-04-04",
                guests=3,
                max_price=120,
            )
        ],
    ),
    (
        "Cancel booking BK-5521 because my plans changed",
        [call("cancel_booking", booking_id="BK-5521", reason="my plans changed")],
    ),
    ("Cancela la reserva BK-5521", [call("cancel_booking", booking_id="BK-5521")]),
    (
        "Book room at hotel H77 for Clara Ruiz, 3 nights with breakfast",
        [call("book_room", hotel_id="H77", guest_name="Clara Ruiz", nights=3, breakfast=True)],
    ),
    (
        "Reserva una habitación en el hotel H77 a nombre de Clara Ruiz, 2 noches sin desayuno",
        [call("book_room", hotel_id="H77", guest_name="Clara Ruiz", nights=2, breakfast=False)],
    ),
    (
        "Busca hotel en Sevilla del 3 al 5 de junio para 4 personas",
        [call("search_hotels", city="Sevilla", check_in="2026-06-03", check_out="2026-06-05", guests=4)],
    ),
    ("Cancel my booking", ASKS),
]


@pytest.mark.parametrize(("message", "wanted"), HOTEL_ROWS, ids=[row[0] for row in HOTEL_ROWS])
def test_hotel(message, wanted):
    check(HOTEL, message, wanted)


BANK_ROWS = [
    ("What's my savings balance?", [call("get_balance", account="savings")]),
    (
        "Transfer 250 from checking to savings",
        [call("transfer_money", from_account="checking", to_account="savings", amount=250)],
    ),
    (
        "Move $1,200.50 from my savings account to checking",
        [call("transfer_money", from_account="savings", to_account="checking", amount=1200.5)],
    ),
    (
        "Transfiere 300 de ahorros a la corriente, por favor",
        [call("transfer_money", from_account="savings", to_account="checking", amount=300)],
    ),
    (
        "My card ending in 4412 was stolen, block it",
        [call("block_card", card_number="4412", reason="stolen")],
    ),
    (
        "Show me the last 5 transactions of my credit account",
        [call("list_transactions", account="credit", limit=5)],
    ),
    (
        "List transactions between 2026-01-01 and 2026-01-31",
        [call("list_transactions", start_date="2026-01-01", end_date="2026-01-31")],
    ),
    ("Pay 45.90 euros to Iberdrola", [call("pay_bill", payee="Iberdrola", amount=45.9, currency="EUR")]),
    ("¿Cuál es el saldo de mi cuenta de ahorro?", [call("get_balance", account="savings")]),
    ("How do I block a card?", []),
    ("Transfer 100 to savings", ASKS),
]


@pytest.mark.parametrize(("message", "wanted"), BANK_ROWS, ids=[row[0] for row in BANK_ROWS])
def test_bank(message, wanted):
    check(BANK, message, wanted)


HR_ROWS = [
    ("Who is the manager of Laura Vidal?", [call("get_employee", name="Laura Vidal")]),
    (
        "Are there any remote jobs in engineering?",
        [call("list_open_positions", department="engineering", remote=True)],
    ),
    (
        "How many vacation days does employee E-113 have left?",
        [call("get_remaining_vacation_days", employee_id="E-113")],
    ),
    (
        "¿Cuántos días de vacaciones le quedan al empleado E-113?",
        [call("get_remaining_vacation_days", employee_id="E-113")],
    ),
    (
        "Show open positions in sales and in marketing",
        [
            call("list_open_positions", department="sales"),
            call("list_open_positions", department="marketing"),
        ],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), HR_ROWS, ids=[row[0] for row in HR_ROWS])
def test_personnel_department(message, wanted):
    check(HR, message, wanted)


CAL_ROWS = [
    ("What do I have on Friday?", [call("list_events", day="2026-03-13")]),
    (
        'Create an event "Dentist" tomorrow at 4pm for 30 minutes',
        [call("create_event", title="Dentist", start="2026-03-12T16:00:00Z", duration_minutes=30)],
    ),
    (
        "Remind me to buy milk tomorrow at 9:00",
        [call("set_reminder", text="buy milk", at="2026-03-12T09:00:00Z")],
    ),
    (
        "Recuérdame llamar al banco mañana a las 10",
        [call("set_reminder", text="llamar al banco", at="2026-03-12T10:00:00Z")],
    ),
    ("Delete event EV-9", [call("delete_event", event_id="EV-9")]),
    ("When am I free on Monday?", [call("find_free_slots", day="2026-03-16")]),
    ("Find a free hour next Tuesday", [call("find_free_slots", day="2026-03-17")]),
    (
        "Schedule a meeting called Budget review on 2026-03-20 at 15:00 for one hour with ana@example.org "
        "and luis@example.org",
        [
            call(
                "create_event",
                title="Budget review",
                start="2026-03-20T15:00:00Z",
                duration_minutes=60,
                attendees=["ana@example.org", "luis@example.org"],
            )
        ],
    ),
    ("Thanks! And what about next week?", []),
]


@pytest.mark.parametrize(("message", "wanted"), CAL_ROWS, ids=[row[0] for row in CAL_ROWS])
def test_calendar(message, wanted):
    check(CAL, message, wanted)


RECIPES_ROWS = [
    (
        "What can I cook with eggs, rice and tomatoes?",
        [call("search_recipes", ingredients=["eggs", "rice", "tomatoes"])],
    ),
    (
        "Find vegan recipes with chickpeas and spinach under 30 minutes",
        [call("search_recipes", ingredients=["chickpeas", "spinach"], diet="vegan", max_minutes=30)],
    ),
    ("¿Qué puedo cocinar con huevos y patatas?", [call("search_recipes", ingredients=["huevos", "patatas"])]),
    (
        "Convert 3 cups to millilitres",
        [call("convert_units", value=3, from_unit="cups", to_unit="millilitres")],
    ),
    ("Add 6 eggs to the shopping list", [call("add_to_shopping_list", item="eggs", quantity=6)]),
    ("Añade leche a la lista de la compra", [call("add_to_shopping_list", item="leche")]),
    ("How many calories are in 150 g of salmon?", [call("get_nutrition", food="salmon", grams=150)]),
    ("Calories of an avocado?", [call("get_nutrition", food="avocado")]),
]


@pytest.mark.parametrize(("message", "wanted"), RECIPES_ROWS, ids=[row[0] for row in RECIPES_ROWS])
def test_kitchen(message, wanted):
    check(RECIPES, message, wanted)


HOME_ROWS = [
    (
        "Set the heating to 21 degrees in the bedroom",
        [call("set_thermostat", temperature=21, room="bedroom")],
    ),
    (
        "Pon la calefacción a 19 grados en el salón",
        [call("set_thermostat", temperature=19, room="living_room")],
    ),
    ("Turn off the kitchen light", [call("turn_off_light", room="kitchen")]),
    ("Enciende la luz de la cocina", [call("turn_on_light", room="cocina")]),
    (
        "Lock the back door and turn off the light in the garage",
        [call("lock_door", door="back"), call("turn_off_light", room="garage")],
    ),
    ("Play something by Rosalía at volume 40", [call("play_music", artist="Rosalía", volume=40)]),
    ("How much electricity did we use this month?", [call("get_energy_usage", period="month")]),
    ("Is the front door locked?", []),
]


@pytest.mark.parametrize(("message", "wanted"), HOME_ROWS, ids=[row[0] for row in HOME_ROWS])
def test_smart_home(message, wanted):
    check(HOME, message, wanted)


TRAVEL_ROWS = [
    (
        "Flights from Madrid to Rome on 12 June for 2 passengers in business",
        [
            call(
                "search_flights",
                origin="Madrid",
                destination="Rome",
                departure_date="2026-06-12",
                passengers=2,
                cabin="business",
            )
        ],
    ),
    ("Is flight IB3166 on time?", [call("get_flight_status", flight_number="IB3166")]),
    (
        "How much is 200 dollars in euros?",
        [call("convert_currency", amount=200, from_currency="USD", to_currency="EUR")],
    ),
    (
        "¿Cuántos euros son 50 libras?",
        [call("convert_currency", amount=50, from_currency="GBP", to_currency="EUR")],
    ),
    (
        "Rent a small car in Porto from Friday to Sunday",
        [call("rent_car", city="Porto", pickup_date="2026-03-13", return_date="2026-03-15", size="small")],
    ),
    (
        "Fly me from Oslo to Berlin tomorrow, coming back next Friday",
        [
            call(
                "search_flights",
                origin="Oslo",
                destination="Berlin",
                departure_date="2026-03-12",
                return_date="2026-03-13",
            )
        ],
    ),
    (
        "Vuelos de Bilbao a Londres el 3 de mayo",
        [call("search_flights", origin="Bilbao", destination="Londres", departure_date="2026-05-03")],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), TRAVEL_ROWS, ids=[row[0] for row in TRAVEL_ROWS])
def test_travel_agency(message, wanted):
    check(TRAVEL, message, wanted)


OPS_ROWS = [
    (
        "Restart the payments service in staging",
        [call("restartService", serviceName="payments", environment="staging")],
    ),
    (
        "Show the last 50 error lines of auth-api",
        [call("getLogs", serviceName="auth-api", level="error", lines=50)],
    ),
    ("Scale web-frontend to 5 replicas", [call("scaleDeployment", deployment="web-frontend", replicas=5)]),
    (
        "Roll back production to version 2.3.1",
        [call("rollbackRelease", version="2.3.1", environment="production")],
    ),
    (
        "Open a critical incident: database is down",
        [call("createIncident", title="database is down", severity="critical")],
    ),
    ("Can you ping 10.0.0.12?", [call("pingHost", host="10.0.0.12")]),
    ("Does db.example.com answer?", [call("pingHost", host="db.example.com")]),
    (
        "Reinicia el servicio de pagos en producción",
        [call("restartService", serviceName="pagos", environment="production")],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), OPS_ROWS, ids=[row[0] for row in OPS_ROWS])
def test_operations(message, wanted):
    check(OPS, message, wanted)


MED_ROWS = [
    (
        "Book an appointment for Ana Gil with Dr. Serra on 20 March at 10:30",
        [
            call(
                "book_appointment",
                patient_name="Ana Gil",
                doctor="Dr. Serra",
                date="2026-03-20",
                time="10:30:00",
            )
        ],
    ),
    ("What is the BMI for 70 kg and 1.75 m?", [call("calculate_bmi", weight_kg=70, height_m=1.75)]),
    (
        "Calcula el IMC de alguien que pesa 82 kg y mide 180 cm",
        [call("calculate_bmi", weight_kg=82, height_m=1.8)],
    ),
    ("Do ibuprofen and aspirin interact?", [call("get_drug_interactions", drugs=["ibuprofen", "aspirin"])]),
    (
        "Record a headache of severity 6 since yesterday",
        [call("record_symptom", symptom="headache", severity=6, since="2026-03-10")],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), MED_ROWS, ids=[row[0] for row in MED_ROWS])
def test_surgery(message, wanted):
    check(MED, message, wanted)


MATHS_ROWS = [
    ("What is 12 + 30?", [call("add", a=12, b=30)]),
    ("Multiply 6 by 7", [call("multiply", a=6, b=7)]),
    ("What is 100 divided by 8?", [call("divide", a=100, b=8)]),
    ("Square root of 144?", [call("square_root", x=144)]),
    ("¿Cuánto es 9 por 8?", [call("multiply", a=9, b=8)]),
    ("Subtract 5 from 20", [call("subtract", a=20, b=5)]),
    ("Add 3 and 4, and multiply 5 by 6", [call("add", a=3, b=4), call("multiply", a=5, b=6)]),
]


@pytest.mark.parametrize(("message", "wanted"), MATHS_ROWS, ids=[row[0] for row in MATHS_ROWS])
def test_calculator_of_one_operation_each(message, wanted):
    check(MATHS, message, wanted)


SCHOOL_ROWS = [
    ("Show me Marta's history grades", [call("get_grades", student="Marta", subject="history")]),
    (
        "What are the grades of Pablo Soto in maths?",
        [call("get_grades", student="Pablo Soto", subject="maths")],
    ),
    ("Timetable of class 4B on Monday", [call("get_timetable", class_name="4B", day="monday")]),
    ("¿Qué horario tiene la clase 4B el lunes?", [call("get_timetable", class_name="4B", day="monday")]),
]


@pytest.mark.parametrize(("message", "wanted"), SCHOOL_ROWS, ids=[row[0] for row in SCHOOL_ROWS])
def test_school(message, wanted):
    check(SCHOOL, message, wanted)


SHOP_ROWS = [
    (
        "Look for wireless headphones under 80 euros",
        [call("search_products", query="wireless headphones", max_price=80)],
    ),
    ("Where is my order 88213?", [call("get_order_status", order_id="88213")]),
    (
        "I want to cancel order 88213 because it is too late",
        [call("cancel_order", order_id="88213", reason="it is too late")],
    ),
    ("Apply the code SPRING10", [call("apply_coupon", code="SPRING10")]),
    ("How much is shipping to France for 2.5 kg?", [call("get_shipping_cost", country="FR", weight_kg=2.5)]),
    (
        "¿Cuánto cuesta enviar un paquete de 500 gramos a Alemania?",
        [call("get_shipping_cost", country="DE", weight_kg=0.5)],
    ),
    (
        "Refund 20 euros of order 5510, the shirt was torn",
        [call("request_refund", order_id="5510", amount=20, reason="the shirt was torn")],
    ),
    ("Put 3 of P-100 in my cart", [call("add_to_cart", product_id="P-100", quantity=3)]),
    ("When does the Gran Vía store open?", [call("get_store_hours", store="Gran Vía")]),
    (
        "What's the status of orders 101 and 102?",
        [call("get_order_status", order_id="101"), call("get_order_status", order_id="102")],
    ),
    ("Do you have toys in stock?", [call("search_products", query="toys", category="toys", in_stock=True)]),
    ("Can I cancel an order after it has shipped?", []),
    (
        "Cancel order 7 and tell me the status of order 8",
        [call("cancel_order", order_id="7"), call("get_order_status", order_id="8")],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), SHOP_ROWS, ids=[row[0] for row in SHOP_ROWS])
def test_shop(message, wanted):
    check(SHOP, message, wanted)


CRM_ROWS = [
    ("Find the contact with email rosa@acme.example", [call("find_contact", email="rosa@acme.example")]),
    (
        "Create a contact: Rosa Prats, rosa@acme.example, +34 600 123 456, from Acme",
        [
            call(
                "create_contact",
                name="Rosa Prats",
                email="rosa@acme.example",
                phone="+34 600 123 456",
                company="Acme",
            )
        ],
    ),
    (
        "Move deal D-19 to won for 12,000 dollars",
        [call("update_deal", deal_id="D-19", stage="won", amount=12000)],
    ),
    (
        "Log a 15 minute call with Rosa Prats: she wants a demo",
        [call("log_call", contact="Rosa Prats", minutes=15, summary="she wants a demo")],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), CRM_ROWS, ids=[row[0] for row in CRM_ROWS])
def test_customer_base(message, wanted):
    check(CRM, message, wanted)


ES_ROWS = [
    (
        "Busca vuelos de Madrid a París el 4 de julio para 2 pasajeros",
        [call("buscar_vuelos", origen="Madrid", destino="París", fecha="2026-07-04", pasajeros=2)],
    ),
    (
        "Find flights from Madrid to Paris on 4 July",
        [call("buscar_vuelos", origen="Madrid", destino="Paris", fecha="2026-07-04")],
    ),
    (
        "Reserva mesa en Casa Lola para 4 personas el viernes a las 21:00",
        [call("reservar_mesa", restaurante="Casa Lola", personas=4, fecha="2026-03-13", hora="21:00:00")],
    ),
    ("¿Cuánto dinero tengo en la cuenta de ahorro?", [call("consultar_saldo", cuenta="ahorro")]),
    ('Traduce "buenas noches" al francés', [call("traducir", texto="buenas noches", idioma="francés")]),
    (
        "Envía un mensaje urgente a Marcos diciendo que llego tarde",
        [call("enviar_mensaje", destinatario="Marcos", mensaje="llego tarde", urgente=True)],
    ),
    ("Recuérdame comprar pan mañana", [call("crear_recordatorio", texto="comprar pan", fecha="2026-03-12")]),
]


@pytest.mark.parametrize(("message", "wanted"), ES_ROWS, ids=[row[0] for row in ES_ROWS])
def test_spanish_definitions(message, wanted):
    check(ES, message, wanted)


GAME_ROWS = [
    ("Roll two dice with 20 sides", [call("roll_dice", sides=20, count=2)]),
    ("Roll a die", [call("roll_dice")]),
    ("Move the piece from e2 to e4", [call("move_piece", from_square="e2", to_square="e4")]),
    ("Start a hard game for 2 players", [call("start_game", difficulty="hard", players=2)]),
    ("What's the score of player Kira?", [call("get_score", player="Kira")]),
]


@pytest.mark.parametrize(("message", "wanted"), GAME_ROWS, ids=[row[0] for row in GAME_ROWS])
def test_game(message, wanted):
    check(GAME, message, wanted)


TEXT_ROWS = [
    (
        "Translate 'good morning' into German",
        [call("translate_text", text="good morning", target_language="German")],
    ),
    (
        "How do you say thank you very much in Japanese?",
        [call("translate_text", text="thank you very much", target_language="Japanese")],
    ),
    ('How many words are in "the cat sat on the mat"?', [call("count_words", text="the cat sat on the mat")]),
    (
        "Summarize https://example.org/news in 3 sentences",
        [call("summarize", url="https://example.org/news", sentences=3)],
    ),
]


@pytest.mark.parametrize(("message", "wanted"), TEXT_ROWS, ids=[row[0] for row in TEXT_ROWS])
def test_texts(message, wanted):
    check(TEXT, message, wanted)


LIB_ROWS = [
    ("When are my books due? My card is 77120", [call("get_due_date", card_number="77120")]),
    ('Renew "Emma" on card 77120', [call("renew_book", book_title="Emma", card_number="77120")]),
]


@pytest.mark.parametrize(("message", "wanted"), LIB_ROWS, ids=[row[0] for row in LIB_ROWS])
def test_library(message, wanted):
    check(LIB, message, wanted)


MIXED_ROWS = [
    (
        BANK + HOTEL + SHOP + TRAVEL,
        "Convert 30 euros to yen",
        [call("convert_currency", amount=30, from_currency="EUR", to_currency="JPY")],
    ),
    (BANK + HOTEL + SHOP + TRAVEL, "Cancel order 991", [call("cancel_order", order_id="991")]),
    (BANK + HOTEL + SHOP + TRAVEL, "Cancel booking 991", [call("cancel_booking", booking_id="991")]),
    (BANK + HOTEL + SHOP + TRAVEL, "Tell me a joke", []),
    (BANK + HOTEL + SHOP + TRAVEL, "I love the colour blue.", []),
    (HOME + MED + SCHOOL + CRM, "What is the capital of France?", []),
    (HOME + MED + SCHOOL + CRM, "Write a poem about the sea", []),
    (HOME + MED + SCHOOL + CRM, "¿Quién eres?", []),
]


@pytest.mark.parametrize(("tools", "message", "wanted"), MIXED_ROWS, ids=[row[1] for row in MIXED_ROWS])
def test_many_tools_of_several_domains(tools, message, wanted):
    check(tools, message, wanted)


OTHER_ROWS = [
    (
        [define("get_weather(city, unit?:celsius|fahrenheit)")],
        "Weather in Lima in fahrenheit",
        [call("get_weather", city="Lima", unit="fahrenheit")],
    ),
    (
        [define("getUserOrders(userId)"), define("getUserProfile(userId)")],
        "Show the orders of user 42",
        [call("getUserOrders", userId="42")],
    ),
    (
        [define("createTicket(title, priority:P1|P2|P3)", "Create a support ticket.")],
        "Create a P1 ticket: login page is broken",
        [call("createTicket", title="login page is broken", priority="P1")],
    ),
    (
        [define("get_stock_price(ticker)", "Current price of a stock.", ticker="Ticker symbol, e.g. MSFT")],
        "What is AAPL trading at?",
        [call("get_stock_price", ticker="AAPL")],
    ),
    (
        [define("get_stock_price(ticker)", "Current price of a stock.", ticker="Ticker symbol, e.g. MSFT")],
        "Compare the stock price of AAPL and TSLA",
        [call("get_stock_price", ticker="AAPL"), call("get_stock_price", ticker="TSLA")],
    ),
    (
        [define("send_sms(phone_number, message)", "Send a text message.")],
        "Text +44 7700 900123 that I'm running late",
        [call("send_sms", phone_number="+44 7700 900123", message="I'm running late")],
    ),
    (
        [
            define("read_file(path)", "Read a file."),
            define("list_directory(path)", "List the files of a folder."),
        ],
        "Read the file /etc/hosts",
        [call("read_file", path="/etc/hosts")],
    ),
    (
        [
            define("read_file(path)", "Read a file."),
            define("list_directory(path)", "List the files of a folder."),
        ],
        "What's in notes.txt?",
        [call("read_file", path="notes.txt")],
    ),
    (
        [define("run_query(sql)", "Run an SQL query on the sales database.")],
        "Run the query SELECT count(*) FROM orders",
        [call("run_query", sql="SELECT count(*) FROM orders")],
    ),
    (
        [define("create_user(username, email:email, is_admin?:boolean, tags?:string[])", "Create a user.")],
        "Create the user mkern with email mk@example.org as admin, tags beta and staff",
        [
            call(
                "create_user", username="mkern", email="mk@example.org", is_admin=True, tags=["beta", "staff"]
            )
        ],
    ),
    (
        [
            define(
                "schedule_backup(time:time, days:monday|tuesday|wednesday|thursday|friday|saturday|sunday[])",
                "Schedule a backup.",
            )
        ],
        "Schedule a backup on Monday and Friday at 03:30",
        [call("schedule_backup", time="03:30:00", days=["monday", "friday"])],
    ),
    (
        [
            define(
                "get_time(timezone)",
                "Current time in a time zone.",
                timezone="IANA name such as Europe/Madrid",
            )
        ],
        "What time is it in Europe/Paris?",
        [call("get_time", timezone="Europe/Paris")],
    ),
    (
        [define("get_time(city)", "Current local time in a city.")],
        "What time is it in Tokyo?",
        [call("get_time", city="Tokyo")],
    ),
    ([define("get_current_time()", "The current time.")], "What time is it?", [call("get_current_time")]),
    ([define("get_current_time()", "The current time.")], "¿Qué hora es?", [call("get_current_time")]),
    (
        [define("get_news(topic?, country?)", "Latest news.")],
        "Any news about electric cars?",
        [call("get_news", topic="electric cars")],
    ),
    (
        [define("get_news(topic?, country?)", "Latest news.")],
        "What's the news in Canada?",
        [call("get_news", country="Canada")],
    ),
    (
        [define("set_alarm(time:time, label?)", "Set an alarm.")],
        "Wake me up at 6:45",
        [call("set_alarm", time="06:45:00")],
    ),
    (
        [define("search_web(query)", "Search the web.")],
        "Search the web for the tallest building in the world",
        [call("search_web", query="tallest building in the world")],
    ),
    (
        [define("calculate_tip(bill:number, percent:number)", "Tip for a restaurant bill.")],
        "What is a 15% tip on a bill of 84.50?",
        [call("calculate_tip", bill=84.5, percent=15)],
    ),
    (
        [
            define(
                "calculate_loan(principal:number, annual_rate:number, years:integer)",
                "Monthly payment of a loan.",
                annual_rate="Percent per year",
            )
        ],
        "Monthly payment for a loan of 200,000 at 3.5% over 30 years",
        [call("calculate_loan", principal=200000, annual_rate=3.5, years=30)],
    ),
]


@pytest.mark.parametrize(("tools", "message", "wanted"), OTHER_ROWS, ids=[row[1] for row in OTHER_ROWS])
def test_one_tool_or_two(tools, message, wanted):
    check(tools, message, wanted)
