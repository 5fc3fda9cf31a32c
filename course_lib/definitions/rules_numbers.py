"""Rules about numbers: amounts without a currency, measures without a unit, digits that are no number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .found import Found, hint, warning
from .parts import Part
from .words import plain, tokens

MONEY = frozenset(
    """
    price prices cost amount budget fee salary subtotal balance payment refund income revenue tax donation
    deposit importe precio coste costo monto saldo presupuesto salario tarifa pago abono reembolso
    """.split()
)
_MEASURES = frozenset(
    """
    weight distance duration timeout height width speed radius area weights temperature delay peso
    distancia duracion altura anchura ancho velocidad radio superficie temperatura
    """.split()
)
_CURRENCIES = frozenset(
    """
    usd eur gbp mxn ars cop clp jpy cad chf dollar dollars euro euros pound pounds peso pesos yen cent
    cents centavos centimos currency currencies moneda divisa percent percentage porcentaje rate ratio
    fraction points puntos credits creditos tokens
    """.split()
)
_UNITS = frozenset(
    """
    kg kilo kilos kilogram kilograms kilogramos gram grams gramos lb lbs pounds oz ounces cm mm km meter
    meters metre metres metros kilometer kilometers kilometre kilometres kilometros mile miles millas foot
    feet ft inch inches pixel pixels px second seconds segundos ms millisecond milliseconds milisegundos
    minute minutes minutos hour hours horas day days dias week weeks semanas month months meses year years
    anos celsius fahrenheit kelvin kph mph knots liter liters litre litres litros ml hectare hectares
    hectareas acre acres m2 degree degrees grados byte bytes kb mb gb unit units unidad unidades percent
    percentage fraction
    """.split()
)
# Short ones are units only where they are used as such: "in m", "(s)", "C or F".
_SHORT_UNIT = re.compile(r"(\bin |\ben |\()(m|g|l|s|h|c|f|in|min)\b|\b[cf] (or|o) [cf]\b")
_COUNTED = frozenset("items pieces units unidades piezas people guests nights noches shares".split())
_CURRENCY = re.compile(
    r"\b(currenc(y|ies)|monedas?|divisas?|usd|eur|gbp|dollars?|euros?|cents?|pesos?)\b|[€$£¥]"
)
_QUALIFIERS = frozenset(
    "max maximum min minimum limit due total final new old maximo maxima minimo minima nuevo nueva".split()
)
DIGIT_TEXTS = frozenset(
    "zip zipcode postcode postal phone telephone telefono movil mobile isbn iban sku ssn dni nif cif".split()
)
_CODES = ("number", "code", "numero", "codigo")

__all__ = ["DIGIT_TEXTS", "MONEY", "head", "number"]


def number(part: Part, said: list[str], kinds: set[str], about: str) -> Iterator[Found]:
    """What a number leaves unsaid; `about` is the description of the tool."""
    if head(said) in DIGIT_TEXTS or (
        head(said) in _CODES and set(said) & (DIGIT_TEXTS | {"card", "tarjeta"})
    ):
        yield warning("digits-as-number", part.where, name=part.name)
    elif said and said[-1] in ("id", "uuid", "guid"):
        told = warning if "number" in kinds else hint
        yield told("id-as-number", part.where, name=part.name)
    elif head(said) in MONEY:
        # An amount may be one of money, or of something that is counted or weighed.
        wanted = _CURRENCIES | _UNITS | _COUNTED if head(said) == "amount" else _CURRENCIES
        if not _has_unit(part, said, wanted) and not _CURRENCY.search(plain(about)):
            yield warning("amount-without-unit", part.where, name=part.name)
    elif head(said) in _MEASURES and not _has_unit(part, said, _UNITS):
        yield warning("measure-without-unit", part.where, name=part.name)


def head(said: list[str]) -> str:
    """The word that says what a number is: the cost in `max_cost`, the weight in `cost_weight`."""
    return next((word for word in reversed(said) if word not in _QUALIFIERS), "")


def _has_unit(part: Part, said: list[str], wanted: frozenset[str]) -> bool:
    """Whether the name, the description or a field beside it says in what the number counts."""
    text = plain(part.text)
    # A share has no unit: "between 0 and 1".
    if re.search(r"[€$£¥%°]|\b0(\.0)? (and|to|y|a) 1(00|\.0)?\b", text):
        return True
    if wanted is not _CURRENCIES and _SHORT_UNIT.search(text):
        return True
    if (set(re.findall(r"[a-z]+2?", text)) | set(said)) & (wanted - {head(said)}):
        return True
    beside = part.parent.schema.get("properties") if part.parent is not None else None
    names = {word for name in beside for word in tokens(name)} if isinstance(beside, dict) else set()
    return bool(names & {"currency", "currencies", "moneda", "divisa", "unit", "units", "unidad", "unidades"})
