"""show.conversation(), show.wire(), show.prompt(): what a learner looks at, as text and as HTML."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

from course_lib import messages, show
from course_lib.show.exchanges import estimate_tokens

TOOL = {
    "name": "get_messages",
    "description": "Read the messages of a period.",
    "input_schema": {
        "type": "object",
        "properties": {"period": {"type": "string", "enum": ["day", "week"]}},
        "required": ["period"],
    },
}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "get_messages", "input": {"period": "week"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"count": 3}'}
HISTORY = [
    {"role": "user", "content": "How many messages last week?"},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": "Three."},
]


@dataclass
class FakeExchange:
    number: int = 1
    method: str = "POST"
    path: str = "/v1/messages"
    status: int = 200
    request: object = None
    response: object = None


@pytest.fixture
def record(monkeypatch):
    """Make these exchanges the ones since setup()."""

    def put(*exchanges):
        monkeypatch.setattr(show.exchanges, "recorded", lambda: list(exchanges))

    put()
    return put


class Seen(HTMLParser):
    """Collects the tags of a page, and the text that is seen before any fold is opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag, f"<{opened}> is closed by </{tag}>"

    def handle_data(self, data):
        names = [tag for tag, _ in self.open]
        for position, (tag, attributes) in enumerate(self.open):
            if tag == "details" and "open" not in attributes and "summary" not in names[position:]:
                return
        self.text += data


def without_blanks(text: str) -> str:
    return re.sub(r"[\s█]", "", text)


def sizes(page) -> list[int]:
    return [len(line) for line in repr(page).split("\n")]


# ---- conversation ----


def test_a_conversation_reads_as_text():
    assert repr(show.conversation(HISTORY)) == (
        "Conversation: 4 messages, 1 tool call\n"
        "\n"
        "1. user\n"
        "  How many messages last week?\n"
        "\n"
        "2. assistant\n"
        "  I look.\n"
        "  call 1: get_messages · id toolu_1\n"
        '    {"period": "week"}\n'
        "\n"
        "3. user\n"
        "  result of call 1: get_messages · id toolu_1\n"
        '    {"count": 3}\n'
        "\n"
        "4. assistant\n"
        "  Three."
    )


def test_sdk_objects_look_like_the_same_dicts():
    from anthropic.types import Message

    answer = Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": HISTORY[1]["content"],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    expected = repr(show.conversation(HISTORY))
    in_a_dict = [HISTORY[0], {"role": "assistant", "content": answer.content}, *HISTORY[2:]]
    whole_in_a_dict = [HISTORY[0], {"role": "assistant", "content": answer}, *HISTORY[2:]]
    assert repr(show.conversation(in_a_dict)) == expected
    assert repr(show.conversation(whole_in_a_dict)) == expected
    # A whole message says why it stopped as well.
    assert "stop_reason: tool_use" in repr(show.conversation([HISTORY[0], answer, *HISTORY[2:]]))


def test_nothing_is_changed_and_later_changes_do_not_show():
    messages = [{"role": "user", "content": "one"}]
    page = show.conversation(messages)
    messages.append({"role": "assistant", "content": "two"})
    messages[0]["content"] = "changed"
    assert "one" in repr(page) and "two" not in repr(page) and "changed" not in repr(page)


def test_an_error_result_is_marked_in_words():
    failed = [*HISTORY[:2], {"role": "user", "content": [{**RESULT, "content": "No.", "is_error": True}]}]
    assert "result of call 1: get_messages · id toolu_1 · marked as an error (is_error)" in repr(
        show.conversation(failed)
    )


def test_a_result_without_its_call_and_a_call_without_its_result_are_told():
    orphan = repr(show.conversation([{"role": "user", "content": [RESULT]}]))
    waiting = repr(show.conversation(HISTORY[:2]))
    assert "result of no call in this conversation · id toolu_1" in orphan
    assert "No result for this call yet." in waiting
    assert "No result" not in repr(show.conversation(HISTORY))


def test_parallel_calls_find_their_results_in_any_order():
    second = {**CALL, "id": "toolu_2", "name": "get_weather"}
    answers = [{**RESULT, "tool_use_id": "toolu_2"}, RESULT]
    text = repr(
        show.conversation(
            [{"role": "assistant", "content": [CALL, second]}, {"role": "user", "content": answers}]
        )
    )
    assert text.index("result of call 2: get_weather") < text.index("result of call 1: get_messages")


def test_thinking_and_pictures_are_shown_as_notes():
    blocks = [
        {"type": "thinking", "thinking": "They want a number.", "signature": "abc"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 9000}},
    ]
    text = repr(show.conversation([{"role": "assistant", "content": blocks}]))
    assert "thinking\n    They want a number." in text
    assert "(not shown by the provider)" in text
    assert "[image, image/png: not drawn here]" in text
    assert "AAAA" not in text and "xyz" not in text


def test_a_call_of_a_tool_that_was_not_offered_is_marked():
    other = {**CALL, "name": "delete_everything"}
    text = repr(show.conversation([{"role": "assistant", "content": [CALL, other]}], tools=[TOOL]))
    assert "Tools offered: get_messages" in text
    assert "No tool named delete_everything was offered." in text
    assert "No tool named get_messages" not in text


def test_null_arguments_stay_visible():
    call = {**CALL, "input": {"keyword": None}}
    assert '{"keyword": null}' in repr(show.conversation([{"role": "assistant", "content": [call]}]))


def test_mistakes_in_a_history_are_seen_rather_than_hidden():
    text = repr(show.conversation([CALL, {"role": "user"}, {"content": "who says this?"}, 42]))
    assert "1. no role: this stands in the list without a message around it" in text
    assert "No content." in text
    assert "who says this?" in text and "42" in text


def test_chat_completions_messages():
    call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    broken = {"id": "call_2", "type": "function", "function": {"name": "add", "arguments": '{"a": '}}
    text = repr(
        show.conversation(
            [
                {"role": "system", "content": "Be short."},
                {"role": "user", "content": [{"type": "text", "text": "Add."}]},
                {"role": "assistant", "content": None, "tool_calls": [call, broken]},
                {"role": "tool", "tool_call_id": "call_1", "content": "2"},
            ]
        )
    )
    assert 'call 1: add · id call_1\n    {"a": 1}' in text
    assert "These arguments are not valid JSON." in text
    assert "result of call 1: add · id call_1\n    2" in text


def test_responses_items():
    text = repr(
        show.conversation(
            [
                {"role": "user", "content": [{"type": "input_text", "text": "Add."}]},
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A sum."}]},
                {"type": "function_call", "call_id": "call_1", "name": "add", "arguments": '{"a": 1}'},
                {"type": "function_call_output", "call_id": "call_1", "output": "2"},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Two."}],
                },
            ]
        )
    )
    assert "A sum." in text and "Two." in text
    assert '3. function_call\n  call 1: add · id call_1\n    {"a": 1}' in text
    assert "4. function_call_output\n  result of call 1: add · id call_1\n    2" in text


def test_gemini_contents_join_calls_and_results_without_ids():
    text = repr(
        show.conversation(
            [
                {"role": "user", "parts": [{"text": "Add."}]},
                {"role": "model", "parts": [{"functionCall": {"name": "add", "args": {"a": 1}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "add", "response": {"r": 2}}}]},
                {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Two."}]},
            ]
        )
    )
    assert 'call 1: add · id –\n    {"a": 1}' in text
    assert 'result of call 1: add · id –\n    {"r": 2}' in text
    assert "thinking\n    hm" in text


def test_a_request_or_response_can_be_shown_as_it_is():
    assert "4 messages" in repr(show.conversation({"model": "m", "messages": HISTORY}))
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}
    assert "1. assistant\n  Hello." in repr(show.conversation(answer))


# ---- text and HTML ----


def pages(record):
    request = {
        "model": "m",
        "system": "Be short.",
        "tools": [TOOL],
        "messages": HISTORY,
        "list": [*range(40)],
    }
    answer = {"content": [{"type": "text", "text": "x" * 900}], "usage": {"input_tokens": 77}}
    record(
        FakeExchange(1, request=request, response=answer),
        FakeExchange(2, path="/v1/messages/count_tokens", status=400, request="not JSON", response=None),
    )
    strange = [*HISTORY, {"role": "user", "content": "long " * 600}, 5, {"role": "user", "content": []}]
    return [show.conversation(strange, tools=[TOOL]), show.conversation([]), show.wire(), show.prompt(1)]


@pytest.mark.parametrize("language", ["en", "es"])
def test_html_says_exactly_what_the_text_says(record, language):
    before = messages.language()
    messages.set_language(language)
    try:
        for page in pages(record):
            assert without_blanks(Seen(page._repr_html_()).text) == without_blanks(repr(page))
    finally:
        messages.set_language(before)


def test_html_needs_nothing_from_outside_and_can_stand_twice_on_a_page(record):
    allowed = set(
        "figure figcaption div span strong ol li details summary table thead tbody tfoot tr th td".split()
    )
    for page in pages(record):
        seen = Seen(page._repr_html_())
        assert {tag for tag, _ in seen.tags} <= allowed
        assert {name for _, attributes in seen.tags for name in attributes} <= {
            *("style", "role", "scope", "open", "aria-hidden"),
        }
        assert "url(" not in page._repr_html_()


def test_html_is_made_of_elements_that_have_a_meaning(record):
    conversation, _, _, prompt = pages(record)
    tags = [tag for tag, _ in Seen(conversation._repr_html_()).tags]
    assert tags.count("ol") == 1 and tags.count("li") == 7 and tags.count("figcaption") == 1
    headings = [attributes.get("scope") for tag, attributes in Seen(prompt._repr_html_()).tags if tag == "th"]
    assert headings == ["col", "col", "col", "row", "row", "row", "row"]


def test_colours_work_on_light_and_dark(record):
    """No fixed text colour, no opaque background."""
    for page in pages(record):
        html = page._repr_html_()
        assert set(re.findall(r"(?<![-\w])color:([^;\"]+)", html)) <= {"inherit"}
        assert set(re.findall(r"background(?:-color)?:([^;\"]+)", html)) <= {"transparent", "currentColor"}


def test_text_has_at_most_100_columns_and_no_terminal_codes(record):
    for page in pages(record):
        assert max(sizes(page)) <= 100
    hostile = show.conversation([{"role": "user", "content": "\x1b[31mred\x1b[0m \u202eabc " + "y" * 500}])
    assert "\x1b" not in repr(hostile) + hostile._repr_html_()
    assert "\u202e" not in repr(hostile) + hostile._repr_html_()
    assert "\\x1b[31mred" in repr(hostile)
    assert max(sizes(hostile)) <= 100


def test_wide_characters_count_as_two_columns():
    text = repr(show.conversation([{"role": "user", "content": "漢字" * 200}]))
    assert max(map(len, text.split("\n"))) <= 52


def test_the_same_data_gives_the_same_output(record):
    first, second = pages(record), pages(record)
    for one, other in zip(first, second, strict=True):
        assert repr(one) == repr(other) and one._repr_html_() == other._repr_html_()


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onclick='x"]
)
def test_markup_is_inert_wherever_it_stands(record, text):
    call = {"type": "tool_use", "id": text, "name": text, "input": {text: text}}
    result = {"type": "tool_result", "tool_use_id": text, "content": text}
    request = {
        "system": text,
        "tools": [{"name": text, "description": text}],
        "messages": [{"role": text}],
        text: text,
    }
    record(FakeExchange(1, method=text, path=text, request=request, response=text))
    long = {"role": text, "content": text * 200}
    history = [{"role": text, "content": [call]}, {"role": "user", "content": [result]}, long, {text: text}]
    for page in (show.conversation(history, tools=request["tools"]), show.wire(), show.prompt()):
        html = page._repr_html_()
        seen = Seen(html)
        assert text in seen.text
        assert {"script", "img"}.isdisjoint(tag for tag, _ in seen.tags)
        assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
        assert text not in html


def test_a_terminal_needs_neither_ipython_nor_an_sdk():
    script = (
        "import sys; from course_lib import show\n"
        "print(show.conversation([{'role': 'user', 'content': 'Hello.'}]))\n"
        "print([name for name in ('IPython', 'anthropic', 'openai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert "1. user\n  Hello." in done.stdout
    assert done.stdout.rstrip().endswith("[]")


# ---- input that bites ----


class Raises:
    def __repr__(self):
        raise SystemExit("no repr")

    __str__ = __repr__

    def __eq__(self, other):
        raise RuntimeError("no eq")

    __hash__ = None

    @property
    def __class__(self):
        raise RuntimeError("no class")


class LyingDict(dict):
    def items(self):
        raise RuntimeError("no items")

    get = __getitem__ = __contains__ = items


class BadModel:
    def model_dump(self, **options):
        raise ValueError("no dump")


def endless():
    while True:
        yield {"role": "user", "content": "again"}


def in_itself():
    messages: list = [{"role": "user", "content": "first"}]
    messages.append({"role": "user", "content": messages})
    return messages


def deep():
    value: list = []
    for _ in range(5_000):
        value = [value]
    return value


# pytest looks at its parameters, which these would not stand.
STRANGE = {
    "none": lambda: None,
    "ellipsis": lambda: ...,
    "number": lambda: 3,
    "huge number": lambda: 10**5_000,
    "nan": lambda: float("nan"),
    "bytes": lambda: b"bytes",
    "half a surrogate": lambda: "\ud800 half a pair",
    "object": object,
    "raises": Raises,
    "raises in a list": lambda: [Raises()],
    "raises in a message": lambda: [{"role": Raises(), "content": Raises(), "tool_calls": Raises()}],
    "lying dict": lambda: [LyingDict(role="user", content="x")],
    "bad model": lambda: [{"role": "assistant", "content": [BadModel()]}],
    "bad tool calls": lambda: [
        {"role": "assistant", "tool_calls": [None, 3, {"function": 7}, {"function": {}}]}
    ],
    "bad blocks": lambda: [
        {"role": "user", "content": [{"type": "tool_result"}, {"type": "tool_use"}, {"type": []}, {}, [[]]]}
    ],
    "bad parts": lambda: [{"parts": [None, {"functionCall": 3}, {"functionResponse": {}}]}],
    "bad items": lambda: [
        {"type": "function_call"},
        {"type": "function_call_output"},
        {"type": "reasoning", "summary": 3},
    ],
    "bad response": lambda: {"choices": [None, {}], "candidates": 3},
    "bad request": lambda: {"messages": "x"},
    "strange keys": lambda: {1: 2, ("a",): {3: 4}},
    "endless generator": endless,
    "in itself": in_itself,
    "deep": deep,
    "long text": lambda: [{"role": "user", "content": "x" * 3_000_000}],
    "many messages": lambda: [{"role": "user", "content": str(n)} for n in range(3_000)],
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_conversation_of_anything_is_shown_without_an_error(name):
    value = STRANGE[name]()
    page = show.conversation(value, tools=value)
    repr(page).encode()
    Seen(page._repr_html_())


def test_no_memory_address_is_shown():
    assert "0x" not in repr(show.conversation([object()]))


def test_a_keyboard_interrupt_passes():
    class Stops:
        def __repr__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        show.conversation([Stops()])


def test_api_keys_are_never_shown(record, monkeypatch):
    mine = "my-own-key-without-a-known-shape"
    monkeypatch.setenv("ANTHROPIC_API_KEY", mine)
    keys = [mine, "sk-ant-api03-AAAABBBBCCCCDDDD1234", "AIza" + "x" * 35]
    content = " ".join(keys)
    messages = [{"role": "user", "content": content, keys[1]: content}, {keys[2]: content}]
    record(
        FakeExchange(
            1, path="/v1beta/models/m:generateContent?key=short-key&alt=sse", request={"messages": messages}
        )
    )
    for page in (show.conversation(messages), show.wire(), show.prompt()):
        shown = repr(page) + page._repr_html_()
        assert not any(key in shown for key in [*keys, "short-key"])


# ---- wire ----


def test_the_wire_shows_method_path_status_and_both_bodies(record):
    record(FakeExchange(3, request={"model": "m"}, response={"id": "msg_1"}))
    assert repr(show.wire()) == (
        "On the wire: 1 exchange\n"
        "\n"
        "Exchange 3: POST /v1/messages → 200 (accepted)\n"
        "  request\n"
        '    {"model": "m"}\n'
        "  response\n"
        '    {"id": "msg_1"}'
    )


def test_a_refused_request_is_marked_in_words(record):
    record(FakeExchange(status=400, request={}, response={}))
    assert "→ 400 (refused or failed)" in repr(show.wire())


def test_the_wire_can_show_only_the_last_exchanges(record):
    record(*(FakeExchange(number) for number in (1, 2, 3)))
    text = repr(show.wire(2))
    assert "the last 2 exchanges of 3" in text
    assert "Exchange 1:" not in text and "Exchange 2:" in text and "Exchange 3:" in text


@pytest.mark.parametrize("n", [0, -1, True, "2", 1.5])
def test_a_wrong_number_of_exchanges_is_refused_with_what_to_write(record, n):
    with pytest.raises(ValueError, match=r"show\.wire\(2\)"):
        show.wire(n)


def test_before_anything_was_sent_the_wire_says_what_to_do(record):
    assert "Run a cell that calls the model" in repr(show.wire())


def test_long_values_are_folded_with_how_much_was_left_out(record):
    record(FakeExchange(request={"text": "a" * 1_000, "list": [*range(100)]}, response="b" * 5_000))
    page = show.wire()
    assert "[760 more characters]" in repr(page)
    assert "[88 more items]" in repr(page)
    assert "[3800 more characters]" in repr(page)
    assert "a" * 760 in page._repr_html_()


def test_a_folded_megabyte_does_not_make_a_megabyte_of_notebook(record):
    record(FakeExchange(request={"data": "a" * 1_000_000}))
    assert len(show.wire()._repr_html_()) < 20_000


def test_the_wire_reads_the_exchanges_of_setup(monkeypatch):
    monkeypatch.setattr("course_lib.exchanges", lambda: [FakeExchange(9)])
    assert "Exchange 9:" in repr(show.wire())


# ---- prompt ----


def test_the_prompt_shows_system_then_tools_then_turns(record):
    record(FakeExchange(request={"system": "Be short.", "tools": [TOOL], "messages": HISTORY}))
    text = repr(show.prompt())
    order = [
        "A sketch of the idea",
        "\nsystem\n  Be short.",
        '\ntool definitions\n  {"name": "get_messages", "description"',
        "\nmessages\n  [user]\n    How many messages last week?",
        '[assistant, call 1: get_messages]\n    {"period": "week"}',
        '[user, result of call 1]\n    {"count": 3}',
        "[assistant]\n    Three.",
    ]
    assert [piece for piece in order if piece not in text] == []
    assert sorted(order, key=text.index) == order


def test_the_shares_are_of_the_parts_that_are_there(record):
    record(FakeExchange(request={"messages": [{"role": "user", "content": "Hello."}]}))
    rows = [line.split() for line in repr(show.prompt()).split("\n")]
    assert ["system", "0", "0", "%"] in rows
    assert ["tool", "definitions", "0", "0", "%"] in rows
    assert next(row for row in rows if row[:1] == ["messages"])[2:4] == ["100", "%"]


def test_a_longer_definition_costs_more(record):
    def share(tool):
        text = repr(show.prompt({"tools": [tool], "messages": HISTORY}))
        return int(re.search(r"tool definitions +(\d+)", text)[1])

    assert share({**TOOL, "description": TOOL["description"] * 5}) > share(TOOL)


def test_what_the_response_counted_stands_beside_the_estimate(record):
    record(FakeExchange(request={"messages": HISTORY}, response={"usage": {"input_tokens": 412}}))
    assert "The response counts 412 input tokens for the whole request" in repr(show.prompt())


def test_the_last_request_that_a_model_read_is_meant(record):
    record(
        FakeExchange(1, request={"messages": [{"role": "user", "content": "first"}]}),
        FakeExchange(2, request={"messages": [{"role": "user", "content": "second"}]}),
        FakeExchange(3, path="/v1/messages/count_tokens", request={"messages": []}),
        FakeExchange(4, method="GET", path="/v1/models"),
    )
    assert "second" in repr(show.prompt())
    assert "first" in repr(show.prompt(1))


def test_a_request_that_is_none_is_refused_with_what_to_write(record):
    record(FakeExchange(1))
    assert "Run a cell that calls the model" in repr(show.prompt())
    for wrong in ("text", {"model": "m"}, 1, 7):
        with pytest.raises(ValueError, match=r"show\.(prompt|wire)\(\)"):
            show.prompt(wrong)


@pytest.mark.parametrize(
    "request_body",
    [
        {
            "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Add."}],
            "tools": [
                {"type": "function", "function": {"name": "add", "description": "Sum.", "parameters": {}}}
            ],
        },
        {
            "instructions": "Be short.",
            "input": "Add.",
            "tools": [{"type": "function", "name": "add", "description": "Sum.", "parameters": {}}],
        },
        {
            "systemInstruction": {"parts": [{"text": "Be short."}]},
            "contents": [{"role": "user", "parts": [{"text": "Add."}]}],
            "tools": [{"functionDeclarations": [{"name": "add", "description": "Sum.", "parameters": {}}]}],
        },
    ],
    ids=["chat", "responses", "gemini"],
)
def test_requests_of_the_other_apis_read_the_same(request_body):
    text = repr(show.prompt(request_body))
    assert "\nsystem\n  Be short." in text
    assert '  {"name": "add", "description": "Sum.", "parameters": {}}' in text
    assert "[user]\n    Add." in text


def test_estimates_grow_with_the_text_and_are_zero_without():
    assert estimate_tokens("") == 0
    assert 0 < estimate_tokens("one word") < estimate_tokens("one word and another")
