"""The shop's fixed data, and `shop.sqlite`, which is built from it: `python -m course_lib.shop.data`."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from operator import itemgetter
from pathlib import Path

from .database import PACKAGED_FILE

# id, name, e-mail, language, country. The first is the active customer.
CUSTOMERS = [
    (1, "Alex Rivera", "alex@example.com", "en", "US"),
    (2, "Lucía Fernández", "lucia@example.org", "es", "ES"),
    (3, "Tom Becker", "tom@example.com", "en", "DE"),
    (4, "Valentina Rojas", "valentina@example.org", "es", "CL"),
    (5, "Priya Nair", "priya@example.com", "en", "CA"),
    (6, "Diego Morales", "diego@example.com", "es", "MX"),
    (7, "Grace Kim", "grace@example.org", "en", "US"),
    (8, "Camila Núñez", "camila@example.com", "es", "AR"),
    (9, "Noah Tremblay", "noah@example.com", "en", "CA"),
    (10, "Inés Castillo", "ines@example.org", "es", "CO"),
    (11, "Emma Larsen", "emma@example.org", "en", "GB"),
    (12, "Mateo Quispe", "mateo@example.com", "es", "PE"),
]

# sku, name, price in cents, weight in grams
PRODUCTS = [
    ("SKU-100", "Green tea, 100 g", 850, 120),
    ("SKU-110", "Black tea, 100 g", 790, 120),
    ("SKU-120", "Chamomile tea, 20 bags", 640, 90),
    ("SKU-200", "Ground coffee, 250 g", 980, 270),
    ("SKU-210", "Coffee beans, 1 kg", 2400, 1040),
    ("SKU-300", "Blue mug", 1200, 350),
    ("SKU-310", "White mug", 1150, 350),
    ("SKU-320", "Four tea glasses", 2600, 900),
    ("SKU-400", "Teapot, 1 litre", 3400, 950),
    ("SKU-410", "Coffee press", 2950, 800),
    ("SKU-500", "Electric kettle", 4990, 1300),
    ("SKU-510", "Kitchen scale", 2200, 600),
    ("SKU-700", "Gift box", 1800, 400),
    ("SKU-900", "Coffee grinder", 6400, 1800),
    ("SKU-990", "Espresso machine", 18900, 2500),
]

# sku, pieces, warehouse, day of the next supply where it is known
STOCK = [
    ("SKU-100", 64, "east", None),
    ("SKU-110", 51, "east", None),
    ("SKU-120", 38, "east", None),
    ("SKU-200", 27, "west", None),
    ("SKU-210", 9, "west", None),
    ("SKU-300", 3, "east", None),
    ("SKU-310", 22, "east", None),
    ("SKU-320", 6, "east", None),
    ("SKU-400", 14, "east", None),
    ("SKU-410", 0, "west", None),
    ("SKU-500", 0, "west", "2026-12-01"),
    ("SKU-510", 11, "west", None),
    ("SKU-700", 40, "east", None),
    ("SKU-900", 5, "west", None),
    ("SKU-990", 12, "east", None),
]

# number, customer, status, placed, shipped, expected, delivered (days of 2026), {sku: pieces}
ORDERS = [
    (1015, 2, "delivered", "07-03", "07-04", "07-10", "07-09", {"SKU-100": 2, "SKU-400": 1}),
    (1016, 5, "delivered", "07-14", "07-15", "07-18", "07-18", {"SKU-210": 1}),
    (1017, 1, "delivered", "07-28", "07-29", "08-01", "08-01", {"SKU-110": 3}),
    (1018, 6, "delivered", "08-05", "08-06", "08-12", "08-14", {"SKU-410": 1, "SKU-200": 2}),
    (1019, 8, "cancelled", "08-11", None, None, None, {"SKU-900": 1}),
    (1020, 3, "delivered", "08-20", "08-21", "08-27", "08-26", {"SKU-310": 4}),
    (1021, 1, "delivered", "08-31", "09-01", "09-04", "09-05", {"SKU-210": 2, "SKU-510": 1}),
    (1022, 10, "delivered", "09-02", "09-03", "09-09", "09-08", {"SKU-120": 5}),
    (1023, 7, "delivered", "09-09", "09-10", "09-13", "09-12", {"SKU-500": 1}),
    (1024, 4, "delivered", "09-15", "09-16", "09-22", "09-25", {"SKU-320": 1, "SKU-100": 1}),
    (1025, 9, "delivered", "09-21", "09-22", "09-25", "09-24", {"SKU-990": 1}),
    (1026, 11, "delivered", "09-28", "09-29", "10-05", "10-05", {"SKU-700": 2}),
    (1027, 2, "delivered", "10-01", "10-02", "10-08", "10-07", {"SKU-100": 4}),
    (1028, 12, "delivered", "10-06", "10-07", "10-13", "10-16", {"SKU-200": 3, "SKU-410": 1}),
    (1029, 6, "cancelled", "10-08", None, None, None, {"SKU-500": 2}),
    (1030, 1, "cancelled", "10-12", None, None, None, {"SKU-500": 1}),
    (1031, 5, "delivered", "10-14", "10-15", "10-18", "10-18", {"SKU-900": 1, "SKU-210": 1}),
    (1032, 3, "delivered", "10-19", "10-20", "10-26", "10-27", {"SKU-110": 2, "SKU-120": 2}),
    (1033, 8, "delivered", "10-22", "10-23", "10-29", "10-28", {"SKU-400": 1, "SKU-320": 1}),
    (1034, 7, "delivered", "10-26", "10-27", "10-30", "10-30", {"SKU-300": 2}),
    (1035, 10, "delivered", "10-30", "10-31", "11-06", "11-05", {"SKU-700": 1, "SKU-100": 2}),
    (1036, 1, "delivered", "11-02", "11-03", "11-06", "11-06", {"SKU-300": 4, "SKU-200": 1}),
    (1037, 4, "delivered", "11-04", "11-05", "11-11", "11-12", {"SKU-210": 1}),
    (1038, 9, "delivered", "11-06", "11-09", "11-12", "11-11", {"SKU-310": 2, "SKU-110": 1}),
    (1039, 1, "delivered", "11-09", "11-11", "11-14", "11-15", {"SKU-100": 2, "SKU-400": 1}),
    (1040, 2, "shipped", "11-11", "11-16", "11-22", None, {"SKU-990": 1, "SKU-200": 2}),
    (1041, 12, "shipped", "11-12", "11-17", "11-23", None, {"SKU-120": 3}),
    (1042, 1, "shipped", "11-13", "11-19", "11-22", None, {"SKU-210": 2, "SKU-900": 1}),
    (1043, 6, "paid", "11-15", None, "11-27", None, {"SKU-320": 1}),
    (1044, 11, "paid", "11-16", None, "11-27", None, {"SKU-510": 1, "SKU-200": 1}),
    (1045, 7, "cancelled", "11-17", None, None, None, {"SKU-410": 1}),
    (1046, 5, "paid", "11-18", None, "11-25", None, {"SKU-990": 1}),
    (1047, 10, "placed", "11-19", None, None, None, {"SKU-100": 1, "SKU-120": 1}),
    (1048, 2, "placed", "11-20", None, None, None, {"SKU-700": 3}),
]

# number, customer, category, priority, summary, status, day
TICKETS = [
    (301, 6, "delivery", "normal", "Order 1018 arrived two days late.", "closed", "2026-08-14"),
    (302, 4, "product", "low", "One tea glass of order 1024 has a scratch.", "closed", "2026-09-26"),
    (303, 12, "delivery", "normal", "El pedido 1028 llegó tres días tarde.", "closed", "2026-10-16"),
    (304, 1, "refund", "high", "Refund for the broken blue mug of order 1036.", "closed", "2026-11-07"),
    (305, 1, "invoice", "normal", "The invoice of order 1039 is an empty PDF.", "open", "2026-11-17"),
    (306, 2, "delivery", "low", "¿Se puede recoger el pedido 1040 en la tienda?", "open", "2026-11-18"),
]

# id, order, cents, time, key
REFUNDS = [
    (501, 1036, 1200, "2026-11-07 15:20", None),
]

# city, country, degrees Celsius, condition, other names
WEATHER = [
    ("Barcelona", "Spain", 15, "partly cloudy", ()),
    ("Berlin", "Germany", 2, "snow", ("Berlín",)),
    ("Bogotá", "Colombia", 14, "rain", ()),
    ("Buenos Aires", "Argentina", 24, "sunny", ()),
    ("Lima", "Peru", 19, "cloudy", ()),
    ("Lisbon", "Portugal", 16, "rain", ("Lisboa",)),
    ("London", "United Kingdom", 8, "rain", ("Londres",)),
    ("Madrid", "Spain", 12, "sunny", ()),
    ("Mexico City", "Mexico", 18, "cloudy", ("Ciudad de México", "CDMX")),
    ("Montevideo", "Uruguay", 20, "windy", ()),
    ("New York", "United States", 7, "windy", ("Nueva York", "New York City", "NYC")),
    ("Paris", "France", 9, "sunny", ("París",)),
    ("Rome", "Italy", 13, "sunny", ("Roma",)),
    ("San Francisco", "United States", 13, "fog", ()),
    ("Santiago", "Chile", 22, "sunny", ("Santiago de Chile",)),
    ("Seville", "Spain", 19, "sunny", ("Sevilla",)),
    ("Sydney", "Australia", 23, "partly cloudy", ("Sídney",)),
    ("Tokyo", "Japan", 14, "sunny", ("Tokio",)),
    ("Toronto", "Canada", -1, "snow", ()),
    ("Vancouver", "Canada", 7, "rain", ()),
]


# customer, time, text. Those of the active customer (1) come first; get_messages sees no others.
MESSAGES = [
    # today
    (1, "2026-11-20 11:20", "Has order 1042 left the warehouse? I would like to plan the delivery."),
    (1, "2026-11-20 09:05", "Necesito la factura del pedido 1042 a nombre de la cafetería."),
    # the last 7 days
    (1, "2026-11-19 16:40", "Is the espresso machine SKU-990 in stock? I want one for the office."),
    (1, "2026-11-18 10:15", "¿Cuánto cuesta el envío de 2.5 kg a Canadá?"),
    (1, "2026-11-16 18:30", "The delivery of order 1039 was a day late, but nothing was broken."),
    (1, "2026-11-14 08:50", "¿Puedo cambiar la dirección de entrega del pedido 1042?"),
    # the last 30 days
    (1, "2026-11-13 12:10", "Please send the invoice of order 1039 once more: the PDF was empty."),
    (1, "2026-11-11 17:45", "Gracias por el reembolso de la taza, ya lo veo en mi cuenta."),
    (1, "2026-11-07 09:30", "One blue mug of order 1036 arrived broken. Can I have a refund?"),
    (1, "2026-11-04 13:00", "When will the electric kettle be in stock again?"),
    (1, "2026-10-30 10:25", "¿Tenéis un descuento para diez cajas de regalo?"),
    (1, "2026-10-26 15:55", "Could the delivery come in the morning? We open at nine."),
    (1, "2026-10-22 08:15", "Quiero pagar con factura a fin de mes. ¿Es posible?"),
    # the last 365 days
    (1, "2026-10-21 19:05", "How long does green tea keep after the packet is opened?"),
    (1, "2026-10-13 11:40", "Please cancel order 1030: the kettle takes too long."),
    (1, "2026-09-29 09:20", "¿El envío a Chile tarda más de una semana?"),
    (1, "2026-09-12 16:10", "The invoice of order 1021 has the wrong address."),
    (1, "2026-09-06 10:00", "Order 1021 came a day late again. Is the delivery service that busy?"),
    (1, "2026-08-24 12:35", "¿Qué café va mejor con la prensa, molido o en grano?"),
    (1, "2026-08-03 18:00", "Thank you, the black tea of order 1017 is lovely."),
    (1, "2026-07-27 08:40", "¿Hacéis entregas los sábados?"),
    (1, "2026-07-09 14:15", "Do you give a discount for regular customers?"),
    (1, "2026-06-30 17:20", "I moved: please change my address for every delivery from now on."),
    (1, "2026-06-18 09:50", "La tetera tiene una grieta. Quiero una devolución."),
    (1, "2026-06-02 11:05", "Can I return a coffee grinder that I have used once?"),
    (1, "2026-05-21 13:30", "¿Dónde está mi pedido? La entrega era para ayer."),
    (1, "2026-05-05 10:45", "Please send me the invoices of the whole of April."),
    (1, "2026-04-16 16:25", "¿Cuánto cuesta el envío de una caja de regalo a México?"),
    (1, "2026-03-30 08:30", "Is the water of 80 degrees right for green tea?"),
    (1, "2026-03-11 12:00", "The delivery left the parcel in the rain; the gift box is ruined."),
    (1, "2026-02-25 18:45", "Quiero un reembolso por la caja de regalo mojada."),
    (1, "2026-02-02 09:10", "Which coffee beans do you suggest for an espresso machine?"),
    (1, "2026-01-15 15:35", "No encuentro la factura de diciembre en mi cuenta."),
    (1, "2025-12-22 10:20", "Will the delivery still arrive before the holidays?"),
    (1, "2025-11-21 12:50", "¿Tenéis tazas blancas sin logotipo?"),
    # longer ago
    (1, "2025-11-20 12:50", "Do you sell gift cards?"),
    (1, "2025-10-28 09:00", "¿Se puede recoger un pedido en la tienda?"),
    (1, "2025-09-17 14:40", "The invoice shows two mugs, but I ordered three."),
    (1, "2025-08-05 11:15", "¿Qué té me recomendáis para la tarde?"),
    (1, "2025-07-22 17:30", "My first delivery has arrived. Everything is perfect."),
    (1, "2025-07-14 10:05", "Quiero pedir té verde y una tetera. ¿Por dónde empiezo?"),
    (1, "2025-06-30 08:55", "I forgot my password. How do I get into my account?"),
    # other customers
    (2, "2026-11-18 12:20", "¿Puedo recoger el pedido 1040 en la tienda?"),
    (5, "2026-11-17 09:45", "Is the espresso machine quiet?"),
    (7, "2026-11-17 20:10", "Please cancel order 1045. I found my old coffee press."),
    (6, "2026-11-15 13:25", "¿Los vasos de té se pueden lavar a máquina?"),
    (9, "2026-11-12 16:00", "The delivery was a day early. Thank you!"),
    (12, "2026-10-16 10:30", "El pedido 1028 llegó tres días tarde."),
    (4, "2026-09-26 11:50", "Un vaso tiene una raya. ¿Me pueden enviar otro?"),
    (3, "2026-08-27 15:15", "Four white mugs arrived, all in one piece."),
]

# language, title, body
HELP_ARTICLES = [
    (
        "en",
        "Return a product",
        "You can return any unopened product within 30 days of delivery. Open a ticket of the category "
        "product with the order number; we send you a label. Opened tea and coffee cannot be returned.",
    ),
    (
        "es",
        "Devolver un producto",
        "Puedes devolver cualquier producto sin abrir en los 30 días siguientes a la entrega. Abre un "
        "tique de la categoría product con el número de pedido y te enviamos una etiqueta. El té y el "
        "café abiertos no admiten devolución.",
    ),
    (
        "en",
        "When a refund arrives",
        "We refund to the card or account that you paid with. The money arrives within 5 working days "
        "after we have received the product, or at once if it arrived broken. A refund is "
        "possible until 30 days after delivery; above 100 dollars for an order, a person decides.",
    ),
    (
        "es",
        "Cuándo llega un reembolso",
        "El reembolso se hace a la tarjeta o cuenta con la que pagaste. El dinero llega en 5 días "
        "laborables desde que recibimos el producto, o enseguida si llegó roto. El reembolso es "
        "posible hasta 30 días después de la entrega; de más de 100 dólares por pedido decide una persona.",
    ),
    (
        "en",
        "Something arrived broken",
        "Open a ticket of the category refund within 7 days and say what is damaged. You choose between a "
        "refund and a new piece; you need not send the broken one back.",
    ),
    (
        "es",
        "Algo llegó roto",
        "Abre un tique de la categoría refund en los 7 días siguientes y di qué está dañado. Puedes "
        "elegir entre el reembolso y una pieza nueva; no hace falta devolver la rota.",
    ),
    (
        "en",
        "Shipping costs and times",
        "Shipping costs 8.50 dollars per kilogram to the United States and Canada and takes 3 days; to "
        "any other country it costs 14.00 dollars per kilogram and takes 6 days. A parcel weighs 30 kg at "
        "most.",
    ),
    (
        "es",
        "Costes y plazos de envío",
        "El envío cuesta 8.50 dólares por kilogramo a Estados Unidos y Canadá y tarda 3 días; a cualquier "
        "otro país cuesta 14.00 dólares por kilogramo y tarda 6 días. Un paquete pesa como máximo 30 kg.",
    ),
    (
        "en",
        "Follow an order",
        "An order is placed, paid, shipped and then delivered. From the day it is shipped you can track "
        "the parcel in your account. If it is more than 3 days late, open a ticket.",
    ),
    (
        "es",
        "Seguir un pedido",
        "Un pedido pasa por recibido, pagado, enviado y entregado. Desde el día del envío puedes seguir "
        "el paquete en tu cuenta. Si lleva más de 3 días de retraso, abre un tique.",
    ),
    (
        "en",
        "Cancel an order",
        "You can cancel an order free of charge until it is shipped. After that, return it when it has "
        "arrived.",
    ),
    (
        "es",
        "Cancelar un pedido",
        "Puedes cancelar un pedido sin coste hasta que se envía. Después, devuélvelo cuando haya llegado.",
    ),
    (
        "en",
        "Invoices and VAT",
        "Your account keeps an invoice of each order as a PDF. Prices are without VAT; the standard rate "
        "is 20 percent. For an invoice in a company name, add the name before you pay.",
    ),
    (
        "es",
        "Facturas e IVA",
        "En tu cuenta hay una factura en PDF de cada pedido. Los precios no incluyen el IVA; el tipo "
        "general es del 20 por ciento. Para una factura a nombre de una empresa, añade el nombre antes de "
        "pagar.",
    ),
    (
        "en",
        "Ways to pay",
        "You can pay by card or by bank transfer. Companies with more than ten orders can pay at the end "
        "of the month.",
    ),
    (
        "es",
        "Formas de pago",
        "Puedes pagar con tarjeta o por transferencia. Las empresas con más de diez pedidos pueden pagar "
        "a fin de mes.",
    ),
    (
        "en",
        "Change an address",
        "You can change the delivery address of an order in your account until it is shipped. The new "
        "address also holds for later orders if you tick the box.",
    ),
    (
        "es",
        "Cambiar una dirección",
        "Puedes cambiar la dirección de entrega de un pedido en tu cuenta hasta que se envía. La "
        "dirección nueva vale también para pedidos posteriores si marcas la casilla.",
    ),
    (
        "en",
        "Discounts and gift boxes",
        "From ten gift boxes on, every box is 10 percent cheaper. Regular customers get a discount code "
        "each spring. We do not sell gift cards.",
    ),
    (
        "es",
        "Descuentos y cajas de regalo",
        "A partir de diez cajas de regalo, cada caja cuesta un 10 por ciento menos. Los clientes "
        "habituales reciben un código de descuento cada primavera. No vendemos tarjetas de regalo.",
    ),
]


# SQLite does not insist on types, so the CHECKs do; dates compare as text, so their form matters. It says
# IS there, because date('nonsense') is NULL, and a CHECK that gives NULL lets the row pass.
SCHEMA = """
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE CHECK (email LIKE '%_@example.%' AND email = lower(email)),
    language TEXT NOT NULL CHECK (language IN ('en', 'es')),
    country TEXT NOT NULL CHECK (length(country) = 2)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers,
    sent_at TEXT NOT NULL CHECK (sent_at IS strftime('%Y-%m-%d %H:%M', sent_at)),
    text TEXT NOT NULL CHECK (text <> '')
);
CREATE TABLE products (
    sku TEXT PRIMARY KEY CHECK (sku GLOB 'SKU-[0-9][0-9][0-9]'),
    name TEXT NOT NULL UNIQUE,
    price_cents INTEGER NOT NULL CHECK (typeof(price_cents) = 'integer' AND price_cents > 0),
    weight_grams INTEGER NOT NULL CHECK (typeof(weight_grams) = 'integer' AND weight_grams > 0)
);
CREATE TABLE stock (
    sku TEXT PRIMARY KEY REFERENCES products,
    quantity INTEGER NOT NULL CHECK (typeof(quantity) = 'integer' AND quantity >= 0),
    warehouse TEXT NOT NULL CHECK (warehouse IN ('east', 'west')),
    restock_on TEXT CHECK (restock_on IS date(restock_on))
);
CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers,
    status TEXT NOT NULL CHECK (status IN ('placed', 'paid', 'shipped', 'delivered', 'cancelled')),
    placed_on TEXT NOT NULL CHECK (placed_on IS date(placed_on)),
    shipped_on TEXT CHECK (shipped_on IS date(shipped_on) AND shipped_on >= placed_on),
    expected_on TEXT CHECK (expected_on IS date(expected_on) AND expected_on >= placed_on),
    delivered_on TEXT CHECK (delivered_on IS date(delivered_on) AND delivered_on >= shipped_on),
    CHECK ((shipped_on IS NOT NULL) = (status IN ('shipped', 'delivered'))),
    CHECK ((expected_on IS NOT NULL) = (status IN ('paid', 'shipped', 'delivered'))),
    CHECK ((delivered_on IS NOT NULL) = (status = 'delivered'))
);
CREATE TABLE order_lines (
    order_number INTEGER NOT NULL REFERENCES orders,
    sku TEXT NOT NULL REFERENCES products,
    quantity INTEGER NOT NULL CHECK (typeof(quantity) = 'integer' AND quantity > 0),
    price_cents INTEGER NOT NULL CHECK (typeof(price_cents) = 'integer' AND price_cents > 0),
    PRIMARY KEY (order_number, sku)
);
CREATE TABLE tickets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id INTEGER NOT NULL REFERENCES customers,
    category TEXT NOT NULL CHECK (
        category IN ('delivery', 'refund', 'product', 'invoice', 'account', 'other')
    ),
    priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
    summary TEXT NOT NULL CHECK (length(summary) BETWEEN 1 AND 500),
    status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
    opened_on TEXT NOT NULL CHECK (opened_on IS date(opened_on))
);
CREATE TABLE refunds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_number INTEGER NOT NULL REFERENCES orders,
    amount_cents INTEGER NOT NULL CHECK (typeof(amount_cents) = 'integer' AND amount_cents > 0),
    created_at TEXT NOT NULL CHECK (created_at IS strftime('%Y-%m-%d %H:%M', created_at)),
    key TEXT UNIQUE CHECK (key <> '')
);
CREATE TABLE weather (
    city TEXT PRIMARY KEY,
    country TEXT NOT NULL,
    temperature_c INTEGER NOT NULL CHECK (temperature_c BETWEEN -60 AND 60),
    condition TEXT NOT NULL CHECK (
        condition IN ('sunny', 'partly cloudy', 'cloudy', 'rain', 'snow', 'fog', 'windy')
    )
);
CREATE TABLE city_names (
    name TEXT PRIMARY KEY,
    city TEXT NOT NULL REFERENCES weather
);
CREATE VIRTUAL TABLE help_articles USING fts5 (
    title, body, language UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
);
"""


def build(path: Path) -> None:
    """Write the database to a file, in place of what is there."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(SCHEMA)
        with connection:
            _fill(connection)
        connection.execute("INSERT INTO help_articles (help_articles) VALUES ('optimize')")
        connection.commit()
        connection.execute("VACUUM")


def _fill(connection: sqlite3.Connection) -> None:
    prices = {sku: cents for sku, _, cents, _ in PRODUCTS}
    rows = {
        "customers": CUSTOMERS,
        "products": PRODUCTS,
        "stock": STOCK,
        "orders": [(*order[:3], *map(_in_2026, order[3:7])) for order in ORDERS],
        "order_lines": [
            (order[0], sku, pieces, prices[sku]) for order in ORDERS for sku, pieces in order[-1].items()
        ],
        "messages": [
            (number, *message) for number, message in enumerate(sorted(MESSAGES, key=itemgetter(1)), start=1)
        ],
        "tickets": TICKETS,
        "refunds": REFUNDS,
        "weather": [row[:4] for row in WEATHER],
        "city_names": [(name, row[0]) for row in WEATHER for name in (row[0], *row[4])],
        "help_articles": [(title, body, language) for language, title, body in HELP_ARTICLES],
    }
    for table, values in rows.items():
        # The table's name is ours, from the line above; everything else goes in as a parameter.
        places = ", ".join("?" * len(values[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)


def _in_2026(day: str | None) -> str | None:
    return day and f"2026-{day}"


if __name__ == "__main__":
    build(PACKAGED_FILE)
    sys.stdout.write(f"Wrote {PACKAGED_FILE.name}, {PACKAGED_FILE.stat().st_size:,} bytes.\n")
