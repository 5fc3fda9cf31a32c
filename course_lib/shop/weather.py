"""The weather of some cities, as it was on the shop's one day."""

from __future__ import annotations

from typing import Any

from .database import reading
from .values import NotFound, fold, short, text


def get_weather(city: str) -> dict[str, Any]:
    """Get the current weather of a city.

    Args:
        city: Name of the city, in English or Spanish, such as Mexico City or Ciudad de México.

    Returns:
        city (its English name), country, temperature_c (degrees Celsius) and condition.

    Raises:
        ValueError: city is not text.
        NotFound: there is no weather for this city; the text names those that there are.
    """
    wanted = fold(text(city, "city"))
    query = """
        SELECT city, country, temperature_c, condition
        FROM weather JOIN city_names USING (city) WHERE fold(name) = ?
    """
    with reading() as connection:
        # "Paris, France" is what many models send.
        for name in (wanted, wanted.split(",")[0].strip()):
            if row := connection.execute(query, (name,)).fetchone():
                return dict(row)
        known = [name for (name,) in connection.execute("SELECT city FROM weather ORDER BY city")]
    raise NotFound(f"There is no weather for {short(city)}. The cities are {', '.join(known)}.")
