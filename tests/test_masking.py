"""mask: no secret stays in a text, in any spelling; all else stays as it is."""

from __future__ import annotations

from urllib.parse import quote, quote_plus

import pytest
from weekly import at_most, tenth

from course_lib.masking import MASK, mask

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
