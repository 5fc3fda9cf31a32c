"""Reading English and Spanish as far as the rules need it: names, sentences, closed lists of values.

Phrases are recognised by their general shape (a word for using, then a word for a condition), not by one
formula. Where it is not certain, the rules report nothing.
"""

from __future__ import annotations

import re
import unicodedata

# Words ------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return the text in lower case, without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one))


def tokens(name: str) -> list[str]:
    """Return the words of a name: `getMessages`, `get_messages` and `get-messages` have the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[\W_]+", fold(spaced)) if word]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", fold(text))


def stem(word: str) -> str:
    """Return a word without the ending of a plural, third person or infinitive: messages, gets, buscar."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    if re.search(r"[dlnrjz]es$", word) and len(word) > 5:
        return word[:-2]  # ciudades; English plurals in -es lose their e below, and so do both forms
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith(("ar", "er", "ir")) and len(word) > 4:
        word = word[:-1]  # buscar and busca; for "order" any form will do, if it is always the same
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_STOP = frozenset(
    """
    a an the this that these those of for to in on at by with from and or is are be it its as into about
    all any your you their our my his her given some each one which what who how will can may
    un una el la los las lo de del al a en por para con y o es son se su sus que este esta estos esas ese
    dado
    """.split()
)
_EMPTY = frozenset(
    map(
        stem,
        """
        user todo tbd placeholder description usuario tool function method api helper utility data info
        information stuff thing things something value result handle handles process processes processing
        manage manages do does perform performs execute executes run various general useful simple basic
        used use uses using get gets return returns work works
        herramienta funcion dato datos informacion cosa cosas valor resultado maneja procesa gestiona hace
        ejecuta realiza util general obtiene obtener devuelve usa usar
        """.split(),
    )
)


def content(text: str) -> set[str]:
    """Return the stems of the words that say something; generic ones ("data", "handle") do not."""
    return {stem(word) for word in words(text) if word not in _STOP} - _EMPTY


# Verbs --------------------------------------------------------------------------------------------

_VERBS = frozenset(
    """
    abort accept activate add adjust analyse analyze annotate answer append apply approve archive arrange
    ask assess assign attach audit authenticate authorize award ban block book bookmark browse build
    bundle buy calculate call cancel capture categorize change charge chat check choose classify clean
    clear click clip clone close collect combine commit compare compile complete compose compress compute
    configure confirm connect contact control convert cool copy correct count crawl create crop deactivate
    debit debug decline decode decrease decrypt define delete deliver demote deploy describe detect
    determine diagnose dial dim disable discard dispatch display divide do download draft draw drop
    duplicate edit elevate embed emit enable encode encrypt end enqueue enrich enroll ensure erase
    escalate estimate evaluate examine exchange execute exit expand explain export extend extract fetch
    fill filter find finish fix flag flip follow forecast forget fork format forward freeze generate
    geocode get give go grade grant grep group guess handle heat hide highlight identify import improve
    increase index infer inform insert inspect install instruct insure interpret introduce investigate
    invite invoke issue join keep kill label launch learn lend link list listen load locate lock log login
    logout look lookup lower make manage map mark match measure merge message modify monitor move multiply
    mute navigate normalize notify nudge obtain offer onboard open optimize order organize page park parse
    patch pause pay perform persist pick pin ping place plan play plot poll post predict prepare preview
    price print process produce promote propose provide prune publish pull purchase purge push put query
    quote raise rank rate read rebook recall receive recommend record redact redirect refill refresh
    refund register reject release reload remember remind remix remove rename render renew rent reopen
    repair repeat replace reply report request rerun reschedule reserve reset resize resolve respond
    restart restock restore resume retrieve retry return reverse revert review revoke rewrite roll rotate
    round route run sample sanitize save say scale scan schedule score scrape screenshot seal search see
    select sell send separate set share ship shorten show shrink shutdown sign simulate skip snooze solve
    sort spawn speak split start step stop store stream submit subscribe subtract suggest sum summarise
    summarize summon suspend swap sweep switch sync synthesize tag tail take talk tally teach tell
    terminate test think tighten toggle track train transcode transcribe transfer transform translate
    trigger trim try tune turn type unblock undo unlock unpin unsend unsubscribe unzip update upgrade
    upload upsert use vacuum validate verify view visit void vote wait wake warn watch whitelist withdraw
    wrap write zip
    crea busca obten obtiene consulta calcula lista envia borra elimina actualiza agrega anade reserva
    cancela traduce convierte comprueba verifica genera guarda lee escribe abre cierra programa agenda
    muestra resume
    """.split()
)
_SPANISH_VERB = re.compile(r"[a-z]{2,}(ar|er|ir)(lo|la|los|las|se)?$")
_NOT_VERBS = frozenset(
    "calendar user order number server folder parameter customer weather paper letter mayor titular lugar "
    "bar par car dollar ticker timer newsletter air pair taller alquiler mujer ayer placer director".split()
)
_RETRIEVING = frozenset(
    map(
        stem,
        """
        get fetch retrieve obtain list lookup look find search calculate compute convert check count
        translate read query show return describe summarize summarise estimate compare tell answer
        evaluate solve sum extract classify determine identify detect analyze measure predict forecast
        validate verify provide report give round browse
        obten obtiene obtener busca buscar consulta consultar calcula calcular convierte convertir lista
        listar comprueba comprobar cuenta contar traduce traducir lee leer muestra mostrar devuelve
        devolver estima estimar compara comparar suma sumar mira informa evalua verifica extrae resume
        """.split(),
    )
)


# Verbs that name a thing where they stand in a name: `order_status`. A description can tell.
_MOSTLY_NOUNS = frozenset("order message price stock weather".split())


def is_verb(word: str) -> bool:
    if word in _VERBS - _MOSTLY_NOUNS:
        return True
    return bool(_SPANISH_VERB.fullmatch(word)) and word not in _NOT_VERBS


def first_verb(text: str) -> str:
    """Return the stem of a description's first word, which in a good one says what is done."""
    found = words(text)
    return stem(found[0]) if found else ""


# What a description says --------------------------------------------------------------------------

_SOMEBODY = (
    r"(users?|customers?|clients?|callers?|persons?|people|some(one|body)|any(one|body)|they|you|questions?|"
    r"requests?|messages?|conversations?|visitors?|buyers?|usuari[oa]s?|clientes?|personas?|alguien|preguntas?|"
    r"peticion(es)?|solicitud(es)?|mensajes?|conversacion|pid[ea]n?|pregunt[ae]n?|quier[ae]n?|necesit[ae]n?)"
)
_USING = (
    r"(use[ds]?|using|call(ed)?|invoke[ds]?|choose|prefer|pick|run|apply|intended|meant|designed|useful|helpful|"
    r"suitable|ideal|needed|required|usa|usal[aeo]s?|usar(se|l[aeo]s?)?|use[ln][aeo]s?|usese|utili[cz][a-z]+|"
    r"llam[ae](l[ao]s?|r(l[ao]s?)?|se)?|invoc[a-z]+|emplea[a-z]*|recurre|prefiere|elige|sirve|util(es)?|"
    r"pensad[ao]|indicad[ao]|necesari[ao]|adecuad[ao])"
)
_CONDITION = (
    r"(when(ever)?|if|for|to|before|after|instead|once|only|cuando|si|para|antes|despues|siempre|en lugar|"
    r"en vez|solo|unicamente)"
)
_WHEN = re.compile(
    rf"\b(when(ever)?|if|once|every time|any time|before|after|cuando|si|siempre que|cada vez que|en cuanto|"
    rf"antes de|despues de)\b[^.;:\n]{{0,40}}\b{_SOMEBODY}\b"
    rf"|\b{_USING}\b[^.;\n]{{0,60}}\b{_CONDITION}\b"
    r"|\b(questions?|requests?|preguntas?|dudas?|consultas?) (about|on|regarding|sobre|acerca|de)\b"
    r"|\bfor (any|all|every|when|things like|cases)\b"
    r"|\b(before|after) \w+ing\b|\b(antes|despues) de \w+r\b"
)
_RETURNS = re.compile(
    r"\b(returns?|returned|returning|gives?|responds?|yields?|replies|outputs?|produces?|results?|"
    r"you (get|receive)|(comes?|sends?|hands?) back|receives? back|tells|shows|reports|provides?|"
    r"includ(es?|ing)|contain(s|ing)?|devuelven?|devolvera|retornan?|regresan?|responde|entregan?|"
    r"resultados?|da(ra)? (el|la|los|las|un|una)|"
    r"muestran?|incluy(e|en|endo)|contienen?|informa|indica|proporciona|recib(es|iras))\b"
)
_NOT = re.compile(
    r"\b(not|n't|don't|doesn't|cannot|can't|never|instead|rather than|other than|except|unless|only|without|"
    r"no|nunca|tampoco|solo|unicamente|en lugar|en vez|excepto|salvo|sin)\b"
)


def understood(text: str) -> bool:
    """Return whether a text is in English or Spanish, as far as its small words tell."""
    if any(ord(one) > 0x24F and one.isalpha() for one in text):
        return False
    found = words(text)
    return len(found) < 6 or any(word in _STOP for word in found)


def says_when(text: str) -> bool:
    """Return whether a description says when to use the tool."""
    return bool(_WHEN.search(fold(text)))


def says_returns(text: str) -> bool:
    """Return whether a description says what comes back, or by its first verb: "Counts the messages"."""
    if _RETURNS.search(fold(text)):
        return True
    return first_verb(text) in _RETRIEVING and len(words(text)) >= 5


def says_when_not(text: str) -> bool:
    """Return whether a description says what the tool is not for."""
    return bool(_NOT.search(fold(text)))


# What the description of a field says -------------------------------------------------------------

_EXAMPLE = re.compile(
    r"\be\.?g\b|\bi\.?e\b|\bfor (example|instance)|\bsuch as\b|\blike\b|\bexamples?\b|\bp\.? ?ej\b|"
    r"\bejemplos?\b|\bcomo\b|\bformat(o|ted|s)?\b|\bpattern\b|\biso\b|\brfc\b|\buuid\b|\bdigits?\b|\bdigitos?\b|\bletters?\b|"
    r"\bletras?\b|\bcharacters\b|\bcaracteres\b|\bstarts? with\b|\bempieza\b|\bprefix(ed)?\b|\bwritten\b|"
    r"\bescrit[oa]s?\b|[\"'`‘’“”«»].+?[\"'`‘’“”«»]|\d{2,}|[A-Z]{2,}-|\b[A-Z]+\d+\b|#\d"
)
_ORIGIN = re.compile(
    r"\b(returned|obtained|given|got|taken|comes?|found|from|as (it )?(stands|appears|shown)|devuelt[oa]s?|"
    r"obtenid[oa]s?|dad[oa]s?|tal (como|cual))\b.{0,40}(\b[a-z]+_[a-z_]+\b|\b(user|result|customer|list|call|"
    r"search|usuario|resultado|cliente|lista)\b)"
)


def has_example(text: str) -> bool:
    """Return whether a field's description shows what a value looks like, or says where it comes from."""
    unaccented = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return bool(
        _EXAMPLE.search(unaccented) or _EXAMPLE.search(unaccented.lower()) or _ORIGIN.search(fold(text))
    )


# Closed lists of values in a description: "one of a, b or c", "'a' | 'b'", "(a, b)" --------------------

_FOR_EXAMPLE = (
    r"(\be\.?g\.?,?|\bfor (example|instance),?|\bsuch as|\blike|\bexamples?( are)?|\b(p\.? ?)?e[jx]\.?,?|"
    r"\bejemplos?,?|\bcomo|\bincluding|\bincl\.?|\bi\.?e\.?,?|\bformats?|\bformatos?)"
)
_OPEN_BEFORE = re.compile(rf"{_FOR_EXAMPLE}[:\s(\[\"'`“‘«]*$")
_OPEN_AFTER = re.compile(
    r"^[\s,\"'`”’»]*(etc|\.\.\.|…|and so on|and more|or (any|some|an)?\s*(other|similar|another)|"
    r"among others|y (otros|otras|mas)|u otr|o cualquier|entre otr|or any\b)"
)
_LEAD = re.compile(
    r"\b(?P<strong>one of|any of|either|valid (values|options)( are)?|(allowed|possible|accepted|supported|"
    r"permitted) (values|options|types|units)?( are)?|options( are)?|choices( are)?|values( are)?|"
    r"un[oa] de|cualquiera de|valores( posibles| validos| permitidos| admitidos)?( son)?|opciones( son)?)"
    r"(?: these| the following| estos| los siguientes)?\s*[:=(\[]?\s*"
    r"|\b(?P<weak>(must|should|can|could|may|has to) (only )?be|it is|puede(n)? ser|debe(n)? ser|"
    r"tiene que ser|admite|accepts|acepta)\s*(?P<colon>:)?\s*"
)
_QUOTE = "\"'`“”‘’«»"
_ITEM = rf"(?:[{_QUOTE}][^{_QUOTE}\n]{{1,30}}[{_QUOTE}]|[^\W_][\w+.-]*(?: [\w+-]+){{0,2}}?)"
_BETWEEN = r"(?:\s*,\s*(?:or|and|o|y|u|e)\s+|\s*,\s*|\s*[/|]\s*|\s+(?:or|o|u|y|and)\s+)"
_LIST = re.compile(rf"{_ITEM}(?:{_BETWEEN}{_ITEM})+")
_QUOTED = rf"[{_QUOTE}][\w .+-]{{1,30}}[{_QUOTE}]"
_QUOTED_LIST = re.compile(rf"{_QUOTED}(?:\s*\([^)]*\))?(?:{_BETWEEN}{_QUOTED}(?:\s*\([^)]*\))?)+")
_GLOSSED = re.compile(
    rf"[{_QUOTE}]([\w.+-]{{1,30}})[{_QUOTE}]\s*(?:for\b|means?\b|to\b|if\b|when\b|=|:|para\b|si\b|significa\b)"
)
_NUMBERED = re.compile(r"(?<![\w.])(\d{1,2})\s*(?:=|means|significa)\s*[a-z]")
_BARS = re.compile(
    r"(?<![\w|])[\w-]+(?:\s*\|\s*[\w-]+)+(?![\w|])|(?<![\w/:.])[a-z_]+(?:/[a-z_]+){2,}(?![\w/])"
)
_IN_PARENTHESES = re.compile(r"[(\[]([^()\[\]\n]{3,80})[)\]]")

# Words that a value does not consist of: what holds them is a sentence.
_SENTENCE = frozenset(
    """
    a an the of for to in on at by with from than is are be it its valid any your their our my between
    greater less least most more not set used same only if when that which specific own
    un una el la los las de del al en por para con es son se su mayor menor entre valido valida cualquier
    que si
    """.split()
)
_NO_VALUES = frozenset(
    "empty null none blank omitted missing vacio vacia nulo nula optional opcional".split()
)
_YES_NO = (
    {"true", "false"},
    {"yes", "no"},
    {"si", "no"},
    {"verdadero", "falso"},
    {"on", "off"},
    {"y", "n"},
    {"0", "1"},
)
_DATE_LETTERS = re.compile(r"[ymdhsa:/.\-t z]+", re.I)
CLOSED = frozenset(
    """
    status state kind type level priority severity mode sort order direction unit units category period
    size role frequency gender visibility stage estado tipo nivel prioridad gravedad modo orden unidad
    unidades categoria periodo rol frecuencia genero
    """.split()
)
LONGEST = 3000
"""What stands behind is not read: a description that long has other problems."""


def options_in(text: str, name_words: list[str]) -> list[str]:
    """Return the values that a description names as all there are; none if it names only examples."""
    return [_as_written(option, text) for option in _options(fold(text[:LONGEST]), name_words)]


def _as_written(option: str, text: str) -> str:
    """Return the value as it stands in the description, with its capitals and accents."""
    length = len(option)
    pieces = (text[start : start + length] for start in range(min(len(text), LONGEST)))
    return next((piece for piece in pieces if fold(piece) == option), option)


def _options(text: str, name_words: list[str]) -> list[str]:
    for found in (_explained, _quoted, _bars, _after_a_lead):
        if options := found(text):
            return options
    # Shorter forms are read as lists only where the name, or the word before them, speaks of such a thing.
    before = re.split(r"[(:\[]", text)[0].split()
    if set(name_words) & CLOSED or set(before[-2:]) & CLOSED:
        return _parenthesised(text) or _nothing_but(text)
    return []


def is_yes_or_no(options: list[str]) -> bool:
    return {fold(one) for one in options} in _YES_NO


def _explained(text: str) -> list[str]:
    """Return values that stand with their meanings: "'asc' for ascending", "1 = low, 2 = high"."""
    for pattern in (_GLOSSED, _NUMBERED):
        found = list(pattern.finditer(text))
        if len(found) > 1 and not _is_open(text, found[0].start(), found[-1].end()):
            return [one[1] for one in found]
    return []


def _quoted(text: str) -> list[str]:
    for found in _QUOTED_LIST.finditer(text):
        if _is_open(text, found.start(), found.end()):
            continue
        # "or" says that one is to be taken; a list that stands alone, after a colon or in brackets as well.
        chosen = re.search(r"\b(or|o|u)\b|[|/]", found[0])
        if chosen or re.search(r"(^|:|\(|\[|\bone of|\bun[oa] de|values)\s*$", text[: found.start()]):
            return re.findall(rf"[{_QUOTE}]([\w .+-]{{1,30}})[{_QUOTE}]", found[0])
    return []


def _bars(text: str) -> list[str]:
    for found in _BARS.finditer(text):
        options = [one.strip() for one in re.split(r"[|/]", found[0])]
        if not _is_open(text, found.start(), found.end()) and _are_values(options):
            return options
    return []


def _after_a_lead(text: str) -> list[str]:
    for lead in _LEAD.finditer(text):
        found = _LIST.match(text, lead.end())
        if not found or _OPEN_BEFORE.search(text[: lead.start()]) or _OPEN_AFTER.match(text[found.end() :]):
            continue
        options = _split(found[0])
        sure = lead["strong"] or lead["colon"] or re.search(r"\s(or|o|u)\s", found[0])
        if not sure and len(options) > 2 and not re.search(r"\s(and|y|e)\s", found[0]):
            sure = all(len(one.split()) == 1 for one in options)  # "can be low, normal, high"
        if sure and _are_values(options):
            return options
    return []


def _parenthesised(text: str) -> list[str]:
    for found in _IN_PARENTHESES.finditer(text):
        options = _split(found[1])
        if _is_open(text, found.start(1), found.end(1)) or re.match(_FOR_EXAMPLE, found[1]):
            continue
        if len(options) > 1 and _are_values(options) and all(len(one.split()) == 1 for one in options):
            return options
    return []


def _nothing_but(text: str) -> list[str]:
    """Return the values of a description that is only a list: "public or private", "Order: asc/desc"."""
    listed = text.rpartition(":")[2].strip().rstrip(".")
    options = _split(listed)
    single = all(re.fullmatch(r"[\w-]+", one) for one in options)
    return options if single and re.search(r"\s(or|o|u)\s|[/|]", listed) and _are_values(options) else []


def _split(text: str) -> list[str]:
    return [one.strip(f" {_QUOTE}.") for one in re.split(_BETWEEN, text) if one.strip(f" {_QUOTE}.")]


def _is_open(text: str, start: int, end: int) -> bool:
    return bool(_OPEN_BEFORE.search(text[max(0, start - 30) : start]) or _OPEN_AFTER.match(text[end:]))


def _are_values(options: list[str]) -> bool:
    if len(options) < 2 or all(re.fullmatch(r"y+|m+|d+|a+|h+|s+", one) for one in options):
        return False  # dd/mm/yyyy
    for one in options:
        if _SENTENCE & set(one.split()) or one in _NO_VALUES or len(one) > 30:
            return False
        if _DATE_LETTERS.fullmatch(one) and len(one) > 5:
            return False
    return True
