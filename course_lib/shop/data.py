"""The shop's fixed data, but for its texts (data_texts.py): what build.py writes into shop.sqlite."""

from __future__ import annotations

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
