"""Joins a study over HTTP: python3 site.py INVITATION_FILE DATA.csv

Python 3.9 or later, standard library only. Reads number columns and treatment-coded categories; says
so where a study asks for more. Beside the invitation it keeps the site's signing secret (.key) and
the receipts. docs/protocol.md explains every step.
"""

import base64
import csv
import hashlib
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import ed25519
from canonical_json import canonical
from writer import envelope, statistic

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def main(invitation_path, data_path):
    link = read_invitation(invitation_path)
    secret = signing_secret(invitation_path + ".key")
    key = text64(ed25519.public_key(secret))

    view = call(link, "GET", "")
    check(view["coordinatorKey"] == link["key"], "the coordinator holds another key than the link says")
    check(view["digest"] == digest(canonical(view["study"])), "the digest is not that of the study")
    check(view["digest"].startswith("sha256:" + link["study"]), "this is not the study of the link")
    site, layout, codebook = view["you"]["site"], view["layout"], view["study"]["codebook"]
    check(layout["arithmetic"] == "exact" and layout["weightScale"] is None, "this client does exact, unweighted studies")
    check(not {"family", "privacy", "estimate"} & set(layout), "this client sends sums of products, and the study asks for something else")
    terms = [term_of(name, codebook) for name in layout["columns"]]
    print(f"{view['study']['formula']}: as {site}", file=sys.stderr)

    columns = [column for column in dict.fromkeys(column for column, _ in terms) if column not in (None, ".site")]
    table, offered = read_table(data_path, codebook, columns)
    answer = call(link, "PUT", "/offer", json.dumps({"key": key, "columns": offered}).encode(), "application/json")
    for mismatch in answer["mismatches"]:
        print(f"{mismatch['column']}: {mismatch['problem']}; {mismatch['remedy']}", file=sys.stderr)
    check(answer["accepted"], "the study does not accept this file; nothing about its rows has left")

    complete = [row for row in table if None not in row.values()]
    rows = [[value_of({**row, ".site": site}, *term) for term in terms] for row in complete]
    try:
        data, dropped = statistic(rows, layout), len(table) - len(complete)
    except ValueError as error:
        sys.exit(str(error))

    def signed(sequence, mode):
        lines = ["suffice/contribution@1", view["digest"], site, sequence, mode, dropped, digest(data)]
        signature = ed25519.sign("\n".join(map(str, lines)).encode(), secret)
        seal = {"key": key, "signature": text64(signature)}
        return envelope(data, layout, view["digest"], site, dropped, sequence, mode, seal)

    held = [checked(receipt, link) for receipt in call(link, "GET", "/contributions")["receipts"]]
    if held and held[-1]["digest"] == digest(signed(held[-1]["sequence"], held[-1]["mode"])):
        receipt = held[-1]  # sent before; perhaps only the answer was lost
    else:
        file = signed(view["you"]["nextSequence"], "replace" if held else "add")
        receipt = checked(call(link, "POST", "/contributions", file, "application/octet-stream"), link)
        check(receipt["digest"] == digest(file), "the receipt is for another contribution")
    path = f"{invitation_path}.receipt-{receipt['sequence']}.json"
    with open(path, "w", encoding="utf-8") as out:
        json.dump(receipt, out, ensure_ascii=False, indent=2)
    print(f"{len(rows)} rows, {dropped} left out, {receipt['bytes']} bytes; receipt in {path}")


def read_invitation(path):
    with open(path, encoding="utf-8") as file:
        place, _, secrets = file.read().strip().partition("#")
    check(place.endswith("/join") and secrets.count(".") == 2, "the file holds no invitation")
    study, token, key = secrets.split(".")
    place = place[: -len("/join")]
    local = urllib.parse.urlsplit(place).hostname in ("localhost", "127.0.0.1", "::1")
    check(place.startswith("https://") or local, "the invitation must start with https://")
    return {"place": f"{place}/studies/{study}", "study": study, "token": token, "key": key}


def signing_secret(path):
    """The secret of this site, made once: the study knows the site by its key from the first offer on."""
    if not os.path.exists(path):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text64(os.urandom(32)))
    with open(path) as file:
        return bytes64(file.read().strip())


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # the bearer secret goes to the coordinator and to nobody else


def call(link, method, path, body=None, kind=None):
    """Every request here may be repeated: carried out twice it counts once."""
    opener = urllib.request.build_opener(NoRedirect)
    headers = {"Authorization": f"Bearer {link['token']}", **({"Content-Type": kind} if kind else {})}
    for wait in (1, 2, 4, 8, 15, None):
        try:
            request = urllib.request.Request(link["place"] + path, body, headers, method=method)
            with opener.open(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if wait is None or error.code not in (429, 500, 502, 503, 504):
                text = error.read().decode("utf-8", "replace")
                problem = json.loads(text) if text.startswith("{") else {"problem": "no coordinator there"}
                sys.exit(f"refused ({error.code}): {problem.get('problem')}\n  {problem.get('remedy', '')}")
            asked = error.headers.get("Retry-After", "")
            wait = max(wait, int(asked) if asked.isdigit() else 0)
        except (OSError, ValueError) as error:
            if wait is None:
                sys.exit(f"cannot reach the coordinator: {type(error).__name__}")
        time.sleep(wait)


def term_of(name, codebook):
    """What a column of z is: (None, None) the constant, (column, None) a number, (column, level) an indicator."""
    if name == "(Intercept)":
        return (None, None)
    found = []
    for column, rule in codebook.items():
        plain = re.fullmatch(r"(?:[^\W\d_]|\.(?!\d))[\w.]*", column)
        label = column if plain else f"`{column}`"
        if rule["type"] == "number":
            found += [(column, None)] if name == label else []
        else:
            found += [(column, level) for level in rule["levels"] if name == label + level]
    check(len(found) == 1, f"this client cannot make the term {name}")
    return found[0]


def value_of(row, column, level):
    if column is None:
        return 1.0
    return row[column] if level is None else float(row[column] == level)


def read_table(path, codebook, columns):
    """The cells of the study's columns, None where missing, and what the site can offer."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    header = lines[0].keys() if lines else []
    table, offered = [{} for _ in lines], []
    for column in columns:
        rule = codebook[column]
        number = rule["type"] == "number"
        markers = rule.get("missing", [m for m in ("", "NA") if m not in rule.get("levels", [])])
        low, high = rule.get("range", (float("-inf"), float("inf")))
        unknown, outside, good = set(), False, 0
        for row, line in zip(table, lines):
            text = line.get(column)
            text = text.strip(" \t") if number and text is not None else text
            if text is None or text in markers:
                row[column] = None
                continue
            plain = text.replace(",", ".") if rule.get("decimal") == "," and "." not in text else text
            if not (NUMBER.fullmatch(plain) if number else text in rule["levels"]):
                unknown.add(text)
                continue
            good += 1
            row[column] = float(plain) if number else text
            outside = outside or (number and not low <= row[column] <= high)
        kind = "number" if number and good else "text" if good or unknown else "empty"
        offered.append({
            "name": column,
            "found": kind if column in header else "absent",
            "unknownTexts": len(unknown),
            "range": "not-a-number" if kind != "number" else "outside" if outside else "inside",
        })
    return table, offered


def checked(document, link):
    """The document, once the coordinator of the link is found to have signed the rest of it."""
    rest = {name: value for name, value in document.items() if name != "seal"}
    seal = document["seal"]
    signed = ed25519.is_signed(canonical(rest).encode(), bytes64(seal["signature"]), bytes64(link["key"]))
    check(seal["key"] == link["key"] and signed, "the coordinator's signature does not fit")
    return document


def digest(data):
    return "sha256:" + hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def text64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def bytes64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(holds, problem):
    if not holds:
        sys.exit(problem)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
