"""mask: no secret stays in a text, in any spelling and any place; all else stays as it is."""

from __future__ import annotations

import json
from types import SimpleNamespace
from urllib.parse import quote, quote_plus

import pytest
from find_keys import find_keys
from weekly import at_most, tenth

from course_lib import ToolCall, run_calls, show, tool
from course_lib.classroom.checks import check, running
from course_lib.classroom.checks.helpers import expect_equal
from course_lib.classroom.checks.running import checker
from course_lib.masking import MASK, mask
from practice_model import PracticeModel
from practice_model.facts.services import KEY_FAMILIES
from practice_model.server.exchanges import Exchange

KEY = "sk-test-0123456789abcdef"
PLAIN = "4f9dK2mQ77xLw0"  # a secret without a shape of its own


@pytest.mark.parametrize(
    "text",
    [
        "https://maps.invalid/v1?q=bus&key={}&lang=en",
        "https://maps.invalid/v1?api_key={}",
        "https://maps.invalid/v1?access_token={}",
        "https://maps.invalid/v1?sig={}",
        "https://user:{}@db.invalid/shop",
        "postgresql+psycopg://shop:{}@127.0.0.1:5432/shop",
        "Authorization: Bearer {}",
        "authorization: basic {}",
        "{{'Authorization': 'Bearer {}'}}",
        "x-api-key: {}",
        "X-Goog-Api-Key: {}",
        '{{"api_key": "{}", "q": "bus"}}',
        "{{'client_secret': '{}'}}",
        "apiKey={}",
        "OPENAI_API_KEY={} python run.py",
        "connect(host='db', password='{}')",
        "mysql --password={}",
        "curl --api-key '{}'",
        "token={}",
        "redirect?next=%2Fv1%3Fapi_key%3D{}",
        "my_very_long_service_name_api_key={}",
        '{{\\"password\\": \\"{}\\"}}',
        "pass={}",
        "db_pass={}",
        "passphrase={}",
        "contraseña: {}",
        "clave={}",
        "Authorization: {}",
        "Authorization: ApiKey {}",
        "AccountName=a;AccountKey={};",
        "accessToken={}",
        "Incorrect API key provided: {}",
        "run --password {}",
        "<password>{}</password>",
        "password => {}",
        "('password', '{}')",
        "https://{}@git.invalid/x",
    ],
)
@pytest.mark.parametrize("secret", [KEY, PLAIN], ids=["shape", "plain"])
def test_what_follows_the_name_of_a_secret_is_masked_and_the_rest_stays(text, secret):
    before, _, after = text.format("|").partition("|")
    masked = mask(text.format(secret), {})
    assert masked == f"{before}{MASK}{after}"
    assert mask(masked, {}) == masked


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "sk-ant-api03-" + "aB3_" * 10,
        "AIza" + "Sy0aB-c_d" * 4,
        "gsk_" + "a1B2" * 6,
        "hf_" + "a1B2" * 6,
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "a1B2" * 9,
        "xoxb-1234567890-abcdef",
        "AKIA" + "ABCD1234EFGH5678",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "glpat-" + "a1B2" * 5,
        "npm_" + "a1B2" * 9,
        "pypi-" + "a1B2" * 9,
        "SG." + "a1B2" * 5 + "." + "a1B2" * 5,
        "ya29." + "a1B2" * 5,
    ],
    ids=lambda secret: secret[:6],
)
def test_keys_of_a_well_known_shape_are_masked_wherever_they_stand(secret):
    assert mask(f"<{secret}> was refused", {}) == f"<{MASK}> was refused"
    assert secret not in mask(f"ValueError: {secret}", {})


def test_a_private_key_is_masked_also_where_its_end_is_missing():
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert mask(f"read {begin}\nMIIE\nabc\n{end} from disk", {}) == f"read {MASK} from disk"
    assert mask(f"read {begin}\nMIIE\nabc", {}) == f"read {MASK}"


@pytest.mark.parametrize("name", ["SHOP_API_KEY", "db_password", "GITHUB_TOKEN", "AWS_SECRET", "SENTRY_DSN"])
def test_secrets_of_the_environment_are_masked_in_every_spelling(name):
    secret = "pa ss/w&rd+ü=1"
    for spelling in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret)):
        assert mask(f"no way in with {spelling}!", {name: secret}) == f"no way in with {MASK}!"


def test_a_secret_that_begins_another_is_no_hindrance():
    values = {"A_API_KEY": "abcdefgh", "B_TOKEN": "abcdefgh-and-more"}
    assert mask("abcdefgh-and-more abcdefgh", values) == f"{MASK} {MASK}"


def test_short_values_and_other_variables_of_the_environment_are_not_searched_for():
    values = {"A_KEY": "shop", "HOME": "/home/someone", "KEYBOARD": "qwertz-layout"}
    text = "the shop of /home/someone has a qwertz-layout"
    assert mask(text, values) == text


def test_the_folders_of_a_shell_are_no_secrets_though_a_password_may_be_called_pwd():
    values = {"PWD": "/home/someone", "OLDPWD": "/home/someone/course", "MYSQL_PWD": "correct horse"}
    text = "/home/someone/course/lesson.ipynb was opened with {}"
    assert mask(text.format("correct horse"), values) == text.format(MASK)


def test_the_environment_of_the_program_is_the_one_that_counts(monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "correct horse battery")
    assert mask("said correct horse battery") == f"said {MASK}"


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: disk is full: code 42",
        "KeyError: 'sku'",
        "the key is missing",
        "token: expired",
        "a token bucket with 100 tokens per minute",
        "max_tokens=4096",
        "invalid primary key: order",
        "https://shop.invalid/orders/1024?page=2&sort=date",
        "user@example.com wrote at 12:30",
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/keys.txt'",
        "expected one of monkey: banana, donkey: hay",
        "HTTP 403: Forbidden",
        "order 4f9dK2mQ77xLw0 was not found",
        "Basic authentication required",
        'Missing key: "delivered_on_2024"',
        'unknown key "order_number_1"',
        "primary_key=1234567",
        "page_token: 1234567",
        "password: must be at least 8 characters",
        "Password: required",
        "the secret: practice daily",
        "sk-learn-extra",
        "",
    ],
)
def test_what_is_no_secret_stays(text):
    assert mask(text, {}) == text


@pytest.mark.parametrize(
    "piece",
    [
        "9",
        "a",
        "a_",
        "a1-",
        "a.",
        "a://",
        "x://a:",
        "key=",
        "key=a ",
        "sk-",
        "eyJaaaaaaaa-",
        "bearer ",
        "%3D",
        '"',
        "a1b2_",
    ],
)
def test_a_long_text_costs_no_more_than_its_length(piece):
    """A long text that nearly matches everywhere: minutes, if all were searched again from each place."""
    with at_most(5):
        mask(piece * (tenth(500_000) // len(piece)), {})


def test_a_quoted_secret_with_blanks_is_masked_to_its_end():
    assert (
        mask("connect(password='correct horse battery', port=1)", {}) == f"connect(password='{MASK}', port=1)"
    )


def test_a_password_with_an_at_sign_is_masked_to_the_last_one():
    assert mask("postgres://shop:p@ss9word@db.invalid/shop", {}) == f"postgres://shop:{MASK}@db.invalid/shop"


def test_a_word_under_some_key_of_the_environment_is_no_secret():
    assert mask("the production server", {"DEPLOY_KEY": "production"}) == "the production server"
    assert mask("with mypassvalue", {"MY_PASS": "mypassvalue"}) == f"with {MASK}"


# Each family of keys, and each place where somebody reads what a tool, a model or a learner wrote -------

RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0"
OTHER_TAILS = {
    "AWS": "ABCD1234EFGH5678",
    "SendGrid": f"{RANDOM[:22]}.{RANDOM}",
    "a signed token (JWT)": f"{RANDOM}.{RANDOM}.{RANDOM}",
}
KEYS_BY_START = {
    start: (family.owner, start + OTHER_TAILS.get(family.owner, RANDOM))
    for family in KEY_FAMILIES
    for start in family.starts
}


def in_an_error_for_the_model(key, monkeypatch):
    @tool
    def call_service() -> str:
        """Call the service."""
        raise ValueError(f"refused: {key}")

    (result,) = run_calls([ToolCall("1", "call_service", {})], [call_service])
    return result.content


def in_a_conversation(key, monkeypatch):
    page = show.conversation([{"role": "user", "content": f"use {key}"}])
    return repr(page) + page._repr_html_()


def on_the_wire(key, monkeypatch):
    exchange = Exchange(1, "anthropic", "POST", f"/v1/{key}", {}, {"text": f"use {key}", key: 1}, 200)
    monkeypatch.setattr(show.exchanges, "recorded", lambda: [exchange])
    page = show.wire()
    return repr(page) + page._repr_html_()


def in_a_check(key, monkeypatch):
    monkeypatch.setattr(running, "_checkers", dict(running._checkers))
    checker("98.c")(lambda answer: expect_equal(answer, "no key", "the answer"))
    return check("98.c", f"it is {key}").message


def in_a_page_of_an_object(key, monkeypatch):
    return show.conversation([SimpleNamespace(name=key)])._repr_html_()


def in_the_log(key, monkeypatch):
    model = PracticeModel()
    body = {"model": "claude-haiku-5-5", "messages": [{"role": "user", "content": f"use\n{key}"}], key: 1}
    for sent in (json.dumps(body), f"no JSON: {key}"):
        headers = {"x-api-key": key, "user-agent": f"a program, {key}"}
        model.handle("POST", f"/v1/messages?key={key}&note={key}", headers, sent.encode("utf-8"))
    return repr(model.log.list())


@pytest.mark.parametrize("start", KEYS_BY_START)
@pytest.mark.parametrize(
    "place",
    [
        in_an_error_for_the_model,
        in_a_conversation,
        on_the_wire,
        in_a_check,
        in_a_page_of_an_object,
        in_the_log,
    ],
)
def test_no_place_shows_a_key_of_any_family(place, start, monkeypatch):
    _, key = KEYS_BY_START[start]
    shown = place(key, monkeypatch)
    assert MASK in shown
    assert key not in shown and key[-8:] not in shown


@pytest.mark.parametrize("start", KEYS_BY_START)
def test_a_notebook_with_a_key_of_any_family_is_found_with_its_owner(start):
    owner, key = KEYS_BY_START[start]
    assert list(find_keys(f"one\nclient = Client('{key}')")) == [(2, owner)]


@pytest.mark.parametrize("start", KEYS_BY_START)
def test_the_beginning_of_a_key_alone_is_no_key(start):
    text = f"A key of this service begins with {start} and goes on."
    assert mask(text, {}) == text
    assert not list(find_keys(text))


def test_the_key_of_the_practice_model_is_an_ordinary_word():
    text = "The practice model answers with practice-sloppy."
    assert mask(text, {"OPENAI_API_KEY": "practice"}) == text
