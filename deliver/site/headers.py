"""Reads a C header of the project: its sections, and what each comment says about the code below.

A comment at the left margin describes the code up to the next empty line or comment there. Lines of
it "Name      text" are the fields of the contract (Domain, Returns, Accuracy, Source, ..). A
comment that begins with a row of dashes opens a section.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses
import re

FIELD = re.compile(r"([A-Za-z]\w*) {2,}(\S.*)$")
SKIPPED = re.compile(r"#(ifn?def|if|else|endif|include)\b|#define (RECALLMODEL|RCM)\w*_H$"
                     r"|RCM_(BEGIN|END)$|extern \"C\" \{$|#define RCM_GPU_ENUM\(")


@dataclasses.dataclass
class Item:
    """A comment and its code. heading: the title, if it opens a section."""
    comment: list
    code: list
    heading: str = ""


def body(comment):
    """The lines of a comment without its stars."""
    text = re.sub(r"^/\*|\*/$", "", comment.strip())
    lines = [re.sub(r"^ ?\* ?", "", line) if at else line.strip()
             for at, line in enumerate(text.split("\n"))]
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def items(text):
    """The items of a header, in order; the first is its head."""
    found, at = [], 0
    lines = re.sub(r"(?m)^RCM_GPU_ENUM\((\w+)\) *\{", r"enum \1 {", text).split("\n")
    fresh = True
    while at < len(lines):
        line = lines[at]
        if line.startswith("/*"):
            end = next(i for i in range(at, len(lines)) if "*/" in lines[i])
            comment = body("\n".join(lines[at:end + 1]))
            at = end + 1
            if comment[0].startswith("-----"):
                found.append(Item(comment[2:], [], comment[1]))
            else:
                found.append(Item(comment, []))
            fresh = False
            continue
        if line.strip():
            if fresh:
                found.append(Item([], []))
                fresh = False
            end = closing(lines, at)
            found[-1].code += lines[at:end]
            at = end
        else:
            fresh, at = True, at + 1
    for item in found:
        item.code = [line for line in item.code if not SKIPPED.match(line) and line != "}"]
    return [found[0], *(item for item in found[1:] if item.code or item.heading)]


def closing(lines, at):
    """The line behind the statement that begins at a line: where its braces are closed."""
    depth = 0
    if SKIPPED.match(lines[at]) or lines[at].startswith("#"):
        while lines[at].endswith("\\"):
            at += 1
        return at + 1
    while at < len(lines):
        code = re.sub(r"/\*.*?(\*/|$)|//.*", "", lines[at])
        depth += code.count("{") - code.count("}")
        at += 1
        if depth <= 0 and code.rstrip().endswith((";", "}")):
            break
    return at


def statements(code):
    """The statements of an item without comments, and without what is in braces."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(code), flags=re.S)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", "", text)
    text = re.sub(r"^#define (\w+).*$", r"#\1;", text, flags=re.M)
    return [" ".join(part.split()) for part in text.split(";") if part.strip()]


def names(code):
    """What an item declares: "rcm_f" (functions first), "struct rcm_s", "enum rcm_e", "RCM_M"."""
    functions, others = [], []
    for statement in statements(code):
        called = re.match(r"[\w\s*]*?\b(\w+)\s*\(", statement)
        if re.match(r"(struct|enum) \w+$", statement):
            others.insert(0, statement)
        elif statement.startswith("typedef"):
            others.insert(0, statement.rsplit("*", 1)[-1].split()[-1])
        elif statement.startswith("#"):
            others.append(statement[1:])
        elif called:
            functions.append(called[1])
    return functions + others


def constants(code):
    """The constants of the enumerations of an item, each with the name of its enumeration."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(code), flags=re.S)
    for name, inside in re.findall(r"enum (\w+) *\{([^}]*)\}", text):
        yield from ((constant, f"enum {name}") for constant in re.findall(r"\b[A-Z]\w+", inside))


def parts(comment):
    """A comment as parts: ("text", paragraph), ("shown", lines) and ("fields", pairs)."""
    found, at = [], 0
    while at < len(comment):
        line = comment[at]
        field = FIELD.match(line)
        if not line.strip():
            found.append(("", ""))
        elif field:
            if not found or found[-1][0] != "fields":
                found.append(("fields", []))
            found[-1][1].append([field[1], field[2]])
            while at + 1 < len(comment) and comment[at + 1].startswith("    "):
                at += 1
                found[-1][1][-1][1] += " " + comment[at].strip()
        elif line.startswith("  "):
            if not found or found[-1][0] != "shown":
                found.append(("shown", []))
            found[-1][1].append(line)
        elif found and found[-1][0] == "text":
            found[-1] = ("text", found[-1][1] + " " + line.strip())
        else:
            found.append(("text", line.strip()))
        at += 1
    return [part for part in found if part[0]]
