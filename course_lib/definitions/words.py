"""Reading English and Spanish as far as the rules need it: words of a name, and what a sentence does.

Phrases are recognised by their general shape (a word for using, then a word for a condition), not by one
formula. Where it is not certain, the rules say nothing.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "content",
    "first_verb",
    "has_example",
    "is_verb",
    "plain",
    "says_returns",
    "says_when",
    "says_when_not",
    "stem",
    "tokens",
    "understood",
    "words",
]


def plain(text: str) -> str:
    """Lower case, without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one))


def tokens(name: str) -> list[str]:
    """The words of a name: `getMessages`, `get_messages` and `get-messages` have the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[\W_]+", plain(spaced)) if word]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", plain(text))


def stem(word: str) -> str:
    """A word without the ending of a plural, third person or infinitive: messages, ciudades, gets, buscar."""
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
    """The stems of the words that say something; generic ones ("data", "handle") do not."""
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
    """The first word of a description, which in a good one says what is done; its stem."""
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
    """Whether a text is in English or Spanish, as far as its small words tell."""
    if any(ord(one) > 0x24F and one.isalpha() for one in text):
        return False
    found = words(text)
    return len(found) < 6 or any(word in _STOP for word in found)


def says_when(text: str) -> bool:
    """Whether a description says when to use the tool."""
    return bool(_WHEN.search(plain(text)))


def says_returns(text: str) -> bool:
    """Whether a description says what comes back; a tool that gets or counts something says so by that."""
    if _RETURNS.search(plain(text)):
        return True
    return first_verb(text) in _RETRIEVING and len(words(text)) >= 5


def says_when_not(text: str) -> bool:
    """Whether a description says what the tool is not for."""
    return bool(_NOT.search(plain(text)))


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
    """Whether a field's description shows what a value looks like, or says where it comes from."""
    unaccented = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return bool(
        _EXAMPLE.search(unaccented) or _EXAMPLE.search(unaccented.lower()) or _ORIGIN.search(plain(text))
    )
