"""Tool definitions of many domains, for the tests of which tool is called with what."""

from __future__ import annotations

from decide_tools import define

HOTEL = [
    define(
        "search_hotels(city, check_in:date, check_out:date, guests:integer, max_price?:number)",
        "Find hotels with free rooms in a city.",
        max_price="Highest price per night in euros.",
    ),
    define(
        "book_room(hotel_id, guest_name, nights:integer, breakfast?:boolean)",
        "Book a room in a hotel.",
        breakfast="Whether breakfast is included.",
    ),
    define("cancel_booking(booking_id, reason?)", "Cancel a booking of a room."),
]
BANK = [
    define("get_balance(account:checking|savings|credit)", "Current balance of one of the user's accounts."),
    define(
        "transfer_money(from_account:checking|savings, to_account:checking|savings, amount:number)",
        "Transfer money between the user's own accounts.",
    ),
    define(
        "list_transactions(account?:checking|savings|credit, start_date?:date, end_date?:date, category?, "
        "limit?:integer)",
        "List transactions, newest first.",
        limit="How many at most.",
    ),
    define(
        "block_card(card_number, reason:lost|stolen|damaged)",
        "Block a bank card.",
        card_number="Last four digits of the card.",
    ),
    define("pay_bill(payee, amount:number, currency?:EUR|USD|GBP, due_date?:date)", "Pay a bill."),
]
HR = [
    define(
        "request_leave(employee_id, start_date:date, end_date:date, type:vacation|sick|parental)",
        "Ask for days off for an employee.",
    ),
    define("get_employee(name)", "Look an employee up by name: team, manager, e-mail."),
    define(
        "list_open_positions(department?:engineering|sales|marketing|finance, remote?:boolean)",
        "Jobs that are open in the company.",
    ),
    define(
        "get_remaining_vacation_days(employee_id)", "How many vacation days an employee has left this year."
    ),
]
CAL = [
    define(
        "create_event(title, start:date-time, duration_minutes:integer, attendees?:email[], location?)",
        "Put an event in the calendar.",
    ),
    define("list_events(day:date)", "Events of one day in the calendar."),
    define("delete_event(event_id)", "Delete an event from the calendar."),
    define("find_free_slots(day:date, minutes?:integer)", "Free time in the calendar of a day."),
    define("set_reminder(text, at:date-time)", "Remind the user of something at a time."),
]
RECIPES = [
    define(
        "search_recipes(ingredients:string[], diet?:vegan|vegetarian|gluten_free, max_minutes?:integer)",
        "Find recipes that use the given ingredients.",
    ),
    define(
        "convert_units(value:number, from_unit, to_unit)",
        "Convert between units of measure, e.g. cups to millilitres.",
    ),
    define("add_to_shopping_list(item, quantity?:integer)", "Add an item to the shopping list."),
    define("get_nutrition(food, grams?:number)", "Calories and nutrients of a food."),
]
HOME = [
    define(
        "set_thermostat(temperature:number, room?:living_room|bedroom|kitchen)",
        "Set the heating to a temperature.",
        temperature="Degrees Celsius.",
    ),
    define("turn_on_light(room)", "Turn on the light of a room."),
    define("turn_off_light(room)", "Turn off the light of a room."),
    define("lock_door(door:front|back|garage)", "Lock a door of the house."),
    define("play_music(artist?, song?, volume?:integer)", "Play music on the speakers.", volume="0 to 100"),
    define("get_energy_usage(period:today|week|month)", "How much electricity the house used."),
]
TRAVEL = [
    define(
        "search_flights(origin, destination, departure_date:date, return_date?:date, passengers?:integer, "
        "cabin?:economy|premium|business|first)",
        "Search flights between two cities.",
    ),
    define("get_flight_status(flight_number)", "Whether a flight is on time."),
    define("rent_car(city, pickup_date:date, return_date:date, size?:small|medium|large)", "Rent a car."),
    define(
        "convert_currency(amount:number, from_currency, to_currency)",
        "Convert an amount of money to another currency.",
        from_currency="ISO code",
        to_currency="ISO code",
    ),
]
OPS = [
    define("restartService(serviceName, environment:dev|staging|production)", "Restart a service."),
    define(
        "getLogs(serviceName, level?:debug|info|warning|error, lines?:integer)", "Read the log of a service."
    ),
    define("scaleDeployment(deployment, replicas:integer)", "Change how many replicas of a deployment run."),
    define("createIncident(title, severity:low|medium|high|critical, assignee?)", "Open an incident."),
    define(
        "rollbackRelease(version, environment:dev|staging|production)",
        "Go back to an earlier version of a release.",
    ),
    define("pingHost(host)", "Check whether a host answers."),
]
MED = [
    define(
        "book_appointment(patient_name, doctor, date:date, time?:time)", "Book an appointment with a doctor."
    ),
    define("calculate_bmi(weight_kg:number, height_m:number)", "Body mass index from weight and height."),
    define("get_drug_interactions(drugs:string[])", "Check whether medicines interact."),
    define(
        "record_symptom(symptom, severity:integer, since?:date)",
        "Write down a symptom.",
        severity="1 (mild) to 10 (worst)",
    ),
]
MATHS = [
    define("add(a:number, b:number)", "Add two numbers."),
    define("multiply(a:number, b:number)", "Multiply two numbers."),
    define("subtract(a:number, b:number)", "Subtract b from a."),
    define("divide(a:number, b:number)", "Divide a by b."),
    define("square_root(x:number)", "Square root of a number."),
]
SCHOOL = [
    define("get_grades(student, subject?:maths|history|science|english)", "Grades of a student."),
    define("register_absence(student, date:date, reason?)", "Note that a student was absent."),
    define(
        "get_timetable(class_name, day?:monday|tuesday|wednesday|thursday|friday)", "Timetable of a class."
    ),
]
SHOP = [
    define(
        "search_products(query, max_price?:number, category?:books|toys|clothes|electronics, "
        "in_stock?:boolean)",
        "Search the products of the shop.",
    ),
    define("get_order_status(order_id)", "Status of an order."),
    define("cancel_order(order_id, reason?)", "Cancel an order."),
    define("add_to_cart(product_id, quantity?:integer)", "Put a product into the cart."),
    define("apply_coupon(code)", "Apply a discount code to the cart."),
    define(
        "get_shipping_cost(country, weight_kg:number)",
        "What it costs to ship a parcel.",
        country="Two-letter country code.",
    ),
    define("request_refund(order_id, amount?:number, reason)", "Refund the money of an order."),
    define("get_store_hours(store)", "Opening hours of a store."),
]
CRM = [
    define("find_contact(name?, email?:email, company?)", "Find a contact in the CRM."),
    define("create_contact(name, email:email, phone?, company?)", "Create a contact in the CRM."),
    define("log_call(contact, minutes:integer, summary)", "Log a phone call with a contact."),
    define("update_deal(deal_id, stage:lead|qualified|proposal|won|lost, amount?:number)", "Change a deal."),
]
ES = [
    define(
        "buscar_vuelos(origen, destino, fecha:date, pasajeros?:integer)", "Busca vuelos entre dos ciudades."
    ),
    define(
        "reservar_mesa(restaurante, personas:integer, fecha:date, hora?:time)",
        "Reserva una mesa en un restaurante.",
    ),
    define("consultar_saldo(cuenta:corriente|ahorro)", "Consulta el saldo de una cuenta."),
    define("crear_recordatorio(texto, fecha:date)", "Crea un recordatorio."),
    define("traducir(texto, idioma:inglés|francés|alemán)", "Traduce un texto a otro idioma."),
    define("enviar_mensaje(destinatario, mensaje, urgente?:boolean)", "Envía un mensaje a una persona."),
]
GAME = [
    define("roll_dice(sides?:integer, count?:integer)", "Roll dice."),
    define("move_piece(from_square, to_square)", "Move a chess piece."),
    define("get_score(player)", "Score of a player."),
    define("start_game(difficulty:easy|medium|hard, players?:integer)", "Start a new game."),
]
TEXT = [
    define(
        "translate_text(text, target_language)",
        "Translate text into another language.",
        target_language="Language to translate into, e.g. French.",
    ),
    define("count_words(text)", "Count the words of a text."),
    define("summarize(url:uri, sentences?:integer)", "Summarize a web page."),
]
LIB = [
    define("search_catalog(query)", "Search the library catalog by title or author."),
    define("get_due_date(card_number)", "When the borrowed books of a card are due."),
    define("renew_book(book_title, card_number)", "Renew a borrowed book."),
]
