"""What is said without a tool result: small talk, what was said before, questions of our own, refusals."""

from __future__ import annotations

import re

from ..language.clauses import is_courtesy, request_of
from ..language.speech_acts import ASKS, LOOKING, action_features, first_word
from ..language.text import (
    any_case,
    by_language,
    fold,
    full_features,
    pattern,
    phrases,
    stop_words,
    tokens,
    verb_concepts,
    words,
)
from ..request import Request, ToolSpec
from .conversation import Task
from .slots import Slot
from .wording import Writer, listed

# The end of a sentence; "e.g. CA" and "approx. 3" are none.
_ENDS = any_case(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!p\. ej\.)(?<!p\.ej\.)(?<! vs\.)(?<! cf\.)(?<! no\.)(?<!etc\.)"
    r"(?<!approx\.)(?<!\bmax\.)(?<!\bmin\.)(?<!\bDr\.)(?<!\bp\.)\s"
)
_START = r"^\W*"
_SMALL_TALK = {  # section of the phrases, on folded text: English answer, Spanish answer
    "how are you": (
        "I am only a program, so I am always the same: ready. What would you like to know?",
        "Solo soy un programa, así que estoy como siempre: a punto. ¿Qué quieres saber?",
    ),
    "who are you": (
        "I am the practice model of this course: a program with rules, not a language model. I decide from "
        "the tool definitions that I am given, and I know nothing else.",
        "Soy el modelo de práctica de este curso: un programa con reglas, no un modelo de lenguaje. Decido "
        "a partir de las definiciones de herramientas que recibo, y no sé nada más.",
    ),
    "thanks": ("You are welcome.", "De nada."),
    "bye": ("Goodbye.", "Hasta pronto."),
    "hello": ("Hello! What would you like to know?", "¡Hola! ¿Qué quieres saber?"),
}
_GREETED = pattern("greeting", _START, r"\b\W*")
_STATED = pattern("stated of oneself", after="")
# A sentence in which the user tells something about themselves.
_TELLS = pattern("tells", _START)
# A sentence of a system prompt that says how something is, and not what to do.
_DECLARES = any_case(_START + phrases("not a rule") + phrases("declares") + r"\b")
_ASKS_TO_KNOW = pattern("asks to know", "", "")
_SENTENCE_END = re.compile(r"(?<=[.!?\n])\s+")
LONGEST_SYSTEM = 4_000  # characters of a system prompt that are read for an answer
_CANNOT_DO = {
    "en": "I cannot do that. {have}, and without one I can do nothing but talk. "
    "(I am the practice model, not an LLM.)",
    "es": "No puedo hacerlo. {have}, y sin una no puedo hacer más que hablar. "
    "(Soy el modelo de práctica, no un LLM.)",
}
_CANNOT_KNOW = {
    "en": "I cannot know that. {have}, and I see nothing but this conversation: not your data, not the "
    "network, and no general knowledge. (I am the practice model, not an LLM.)",
    "es": "No puedo saberlo. {have}, y no veo más que esta conversación: ni tus datos, ni la red, ni "
    "conocimientos generales. (Soy el modelo de práctica, no un LLM.)",
}


def about_itself(task: Task, tools: tuple[ToolSpec, ...]) -> str | None:
    """Return the list of tools, where the message asks for it; None otherwise."""
    if task.done or not pattern("which tools", "", "").search(fold(task.text)):
        return None
    rows = [
        f"- {tool.name}: {first_sentence(tool.description)}" if tool.description.strip() else f"- {tool.name}"
        for tool in tools
    ]
    count = len(tools)
    s = "s" if count > 1 else ""
    head = by_language(task.language, f"I have {count} tool{s}:", f"Tengo {count} herramienta{s}:")
    return "\n".join([head, *rows])


def announced(task: Task) -> str | None:
    """Return the answer to a message that only says that a question will come; None for any other."""
    text = _GREETED.sub("", task.text)
    comes = pattern("a question is coming").search(text) and pattern("announces", _START, r"\W*$").match(text)
    if task.done or not comes:
        return None
    return by_language(task.language, "Go on: what would you like to know?", "Dime: ¿qué quieres saber?")


def the_day(task: Task) -> str | None:
    """Return which day today is, where the message asks for it and the conversation says it."""
    if (
        task.done
        or not task.dated
        or not pattern("which day", "", "").search(fold(task.text))
        or len(words(task.text)) > 9
    ):
        return None
    write = Writer(task.language)
    day = f"{write.weekday(task.today)}{write.pick(',', '')} {write.day(task.today)}"
    return write.pick(f"Today is {day}.", f"Hoy es {day}.")


def before_calls(names: list[str], language: str, *, acts: bool = False) -> str:
    """Return the words that go with tool calls: which tools will be used, to look something up or to act."""
    tools = listed(names, language)
    if acts:
        return by_language(language, f"I will do that with {tools}.", f"Voy a hacerlo con {tools}.")
    return by_language(language, f"I will look that up with {tools}.", f"Voy a consultarlo con {tools}.")


def ask_for(incomplete: list[tuple[str, list[Slot]]], language: str) -> str:
    """Return the question for what the message does not give; that it ends in a question mark marks it as
    one."""
    asked = []
    for name, missing in incomplete:
        asked.append(by_language(language, f"To use {name} I still need: ", f"Para usar {name} me falta: "))
        asked[-1] += "; ".join(_describe(slot, language) for slot in missing) + "."
    return " ".join([*asked, by_language(language, "Can you tell me?", "¿Me lo dices?")])


def without_tools(request: Request, task: Task, *, as_asked: bool = False) -> str:
    """Return the answer where no tool fits or none is offered: small talk, what was said before, or a
    refusal."""
    if match := pattern("repeat these words", after="").search(task.text):
        return (match[1] or match[2]).strip()
    if known := remembered(task, request.system) or _told_before(task, request.system):
        return known
    if greeting := small_talk(task):
        return greeting
    if (
        "?" not in task.text
        and not pattern("wishes", _START).match(task.text)
        and (_STATED.search(task.text) or _TELLS.match(task.text))
    ):
        return by_language(task.language, "Understood.", "Entendido.")
    return _not_called(task.language) if as_asked else _cannot(request, task)


def _not_called(language: str) -> str:
    """Return the answer where the message itself says that no tool is to be called."""
    return by_language(
        language,
        "I called no tool, as you asked. (Without them I know nothing: I am the practice model.)",
        "No he llamado a ninguna herramienta, como has pedido. (Sin ellas no sé nada: soy el modelo de "
        "práctica.)",
    )


def small_talk(task: Task) -> str | None:
    """Return the answer to a greeting, thanks and the like."""
    if len(task.text) > 200 or len(words(task.text)) > 12:
        return None
    folded = fold(re.sub(r"([\"“«'])[^\"”»']+[\"”»']", " ", task.text))  # what is quoted is not said to us
    found = (
        texts
        for said, texts in _SMALL_TALK.items()
        if pattern(f"small talk: {said}", r"(?<!\w)").search(folded)
    )
    return next((by_language(task.language, *texts) for texts in found), None)


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, on one line."""
    line = re.sub(r"\s+", " ", text).strip()
    return _ENDS.split(line)[0][:200]


def remembered(task: Task, system: str = "") -> str | None:
    """Return what the user said in *this* history about "my …", or the system prompt about the user, where
    the message asks for it, or to repeat it."""
    *before, question = _SENTENCE_END.split(task.text)
    asked, repeat = (
        pattern("asked of oneself", after="").search(question),
        pattern("repeat it", _START, "").match(question),
    )
    if not repeat and not (asked and _ASKS_TO_KNOW.search(question)):
        return None
    name = asked and asked[1] or "name nombre"
    asked_words = {word for word in words(name) if word not in stop_words(task.language)}
    for text in (
        " ".join(before),
        *task.earlier,
        pattern("of the customer", after="").sub(r"my \1\2", system),
    ):
        for match in _STATED.finditer(text):
            stated = words(match[1]) if match[1] else ["name", "nombre"]
            if repeat or asked_words & set(stated):
                value = (match[2] or match[3]).strip()
                said = match[1].strip() if match[1] else by_language(task.language, "name", "nombre")
                return by_language(task.language, f"Your {said} is {value}.", f"Tu {said} es {value}.")
        if repeat and text.strip() and text in (" ".join(before), *task.earlier):
            return _quoted(text[:2_000], task.language)
    return None


def _quoted(text: str, language: str) -> str:
    stated = text.strip().rstrip(".")
    return by_language(language, f'You told me: "{stated}".', f'Me dijiste: "{stated}".')


def _told_before(task: Task, system: str) -> str | None:
    """Return the sentence of the user, or of the system prompt, that has all words of a question: "Where do I
    live?"."""
    if not _ASKS_TO_KNOW.search(task.text):
        return None
    if day := the_day(task):
        return day
    *before, question = _SENTENCE_END.split(task.text)
    said = tokens(
        pattern("how much", _START).sub("", pattern("tell me", _START, "").sub("", question)), task.language
    )
    asked = [meant for token in said if (meant := _meant(token.meanings))]
    for text in (" ".join(before), *task.earlier):
        for sentence in _SENTENCE_END.split(_GREETED.sub("", text[:2_000])):
            states = _TELLS.match(sentence) or _DECLARES.match(sentence)
            if "?" not in sentence and states and _says_all(sentence, asked, task.language):
                return _quoted(sentence, task.language)
    for sentence in _SENTENCE_END.split(system[:LONGEST_SYSTEM]):
        if _DECLARES.match(sentence) and _says_all(sentence, asked, task.language):
            said = sentence.strip().rstrip(".")
            return by_language(
                task.language, f'My instructions say: "{said}".', f'Mis instrucciones dicen: "{said}".'
            )
    return None


def _meant(word: dict[str, float]) -> frozenset[str]:
    return frozenset(feature for feature, weight in word.items() if weight == 1)


def _says_all(sentence: str, asked: list[frozenset[str]], language: str) -> bool:
    said = full_features(sentence, language)
    return bool(asked) and all(meant & said for meant in asked)


def _cannot(request: Request, task: Task) -> str:
    """Return that a question cannot be answered, or a request not be carried out, and why."""
    if names := ", ".join(tool.name for tool in request.tools):
        english = f"None of my tools ({names}) fits this"
        spanish = f"Ninguna de mis herramientas ({names}) sirve para esto"
    else:
        english, spanish = "You gave me no tools", "No me has dado ninguna herramienta"
    wanted = request_of(task.text)
    first = first_word(wanted)
    verb = first & (action_features() | verb_concepts()) or (is_courtesy(task.text) and wanted != task.text)
    looks = full_features(" ".join(wanted.split()[:1])) & LOOKING
    acts = verb and not looks and not ASKS.search(wanted)
    text = (_CANNOT_DO if acts else _CANNOT_KNOW)[task.language]
    return text.format(have=by_language(task.language, english, spanish))


def _describe(slot: Slot, language: str) -> str:
    """Return a slot as it is asked for: its name, what it is, and its allowed values."""
    about = f" ({first_sentence(slot.description).rstrip('.')})" if slot.description else ""
    values = slot.schema.get("enum") if isinstance(slot.schema, dict) else None
    if values:
        about += by_language(language, ": one of ", ": uno de ") + ", ".join(str(value) for value in values)
    return f"{slot.name}{about}"
