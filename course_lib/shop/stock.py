"""What is in the warehouse."""

from __future__ import annotations

from typing import Any

from .database import reading
from .values import NotFound, short, text


def check_inventory(sku: str) -> dict[str, Any]:
    """Check whether a product is in stock, and how many pieces there are.

    Args:
        sku: The product's code, such as SKU-990. Not its name.

    Returns:
        sku, product (its name), in_stock, quantity, warehouse, price_usd and weight_kg of one piece; and
        restock_on where the product is out of stock and the day of the next supply is known.

    Raises:
        ValueError: sku is not text.
        NotFound: no product has this code.
    """
    wanted = text(sku, "sku").upper()
    query = """
        SELECT sku, name AS product, quantity > 0 AS in_stock, quantity, warehouse,
               price_cents / 100.0 AS price_usd, weight_grams / 1000.0 AS weight_kg, restock_on
        FROM stock JOIN products USING (sku) WHERE sku = ?
    """
    with reading() as connection:
        row = connection.execute(query, (wanted,)).fetchone()
        if row is None:
            known = [code for (code,) in connection.execute("SELECT sku FROM products ORDER BY sku")]
            raise NotFound(f"No product has the code {short(sku)}. The codes are {', '.join(known)}.")
    found = {name: value for name, value in dict(row).items() if value is not None}
    return {**found, "in_stock": bool(row["in_stock"])}  # SQLite has no true and false, only 1 and 0
