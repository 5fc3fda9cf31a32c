-- SQLite does not insist on types, so the CHECKs do; dates compare as text, so their form matters. It says
-- IS there, because date('nonsense') is NULL, and a CHECK that gives NULL lets the row pass.
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
