"""Compares the numbers of a page with the output of the program. Comments in the page, which readers do not see, name the commands:

    <!-- shows 1 %: kyoho info cluster.hdf5 -->       the command prints every line of the indented block below
    <!-- says 5.7 15.2 within 1 %: COMMAND -->        the command prints these numbers, and the section contains them in this form
    <!-- says 1.3 to 1.8: COMMAND -->                 all numbers that the command prints lie between these two numbers of the section

A tolerance is a share (1 %), a difference (0.05) or a factor (factor 2); `shows 1 % or 1e-9` also accepts a difference below 1e-9. The
commands run in the order of the page, after the sh blocks above them, in the same folder. `cell FILE COLUMN ROW…` prints numbers
of a table in CSV (rows from 0; -1 is the last one; `all`); this module is that program."""
import csv
import re
import sys

COMMENT = re.compile(r"<!-- (shows|says) (.*?): (.*?) -->", re.S)
NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+|·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
SMALL = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def value(text):
    """The number in a text in the form of the pages: 20,000, −2.7e-4, 2.4·10¹⁵."""
    return float(text.replace(",", "").replace("·10", "e").translate(SMALL))


def numbers(text):
    return [value(found) for found in NUMBER.findall(text)]


def is_near(got, wanted, tolerance):
    """Whether the number is within the tolerance, a text as in comments."""
    for part in tolerance.split(" or "):
        if part.startswith("factor "):
            factor = float(part.split()[1])
            near = wanted * got > 0 and 1 / factor <= got / wanted <= factor
        elif part.endswith("%"):
            near = abs(got - wanted) <= value(part.rstrip("% ")) / 100 * abs(wanted)
        else:
            near = abs(got - wanted) <= float(part)
        if near:
            return True
    return False


def words(line):
    """The words of the line, with # for each number."""
    return NUMBER.sub("#", line).split()


def lost_lines(block, output, tolerance):
    """The lines of a page's block that are not in the output."""
    def is_line(line, other):
        return words(line) == words(other) and all(is_near(got, wanted, tolerance) for got, wanted in zip(numbers(other), numbers(line)))
    return [line for line in block if not any(is_line(line, other) for other in output)]


def section_of(page, place):
    """The text that readers see between the headings around a place."""
    first, last = page.rfind("\n#", 0, place) + 1, page.find("\n#", place)
    return re.sub(r"<!--.*?-->", "", page[first:last if last > 0 else len(page)], flags=re.S)


def block_below(page, place):
    """The indented lines after a place."""
    found = re.match(r"\s*\n((?:    .*\n)+)", page[place:])
    return found.group(1).splitlines() if found else []


def faults(page, comment, output):
    """The errors in the numbers of a comment (a match of COMMENT) whose command printed `output`."""
    kind, spec, command = comment.groups()
    if kind == "shows":
        block = block_below(page, comment.end())
        return [f"not printed: {line}" for line in lost_lines(block, output.splitlines(), spec)] if block else ["no indented block below"]
    between = re.fullmatch(r"(\S+) to (\S+)", spec)
    told, tolerance = (between.groups(), None) if between else (spec.split(" within ")[0].split(), spec.split(" within ")[1])
    got, section = numbers(output), section_of(page, comment.start())
    wrong = [f"the section has no {text}" for text in told if text not in NUMBER.findall(section)]
    if between:
        least, most = map(value, told)
        wrong += [f"{one:g} is not from {least:g} to {most:g}" for one in got if not least <= one <= most]
    elif len(got) == len(told):
        wrong += [f"{one:g}, the page says {text}" for one, text in zip(got, told) if not is_near(one, value(text), tolerance)]
    if not got or not between and len(got) != len(told):
        wrong.append(f"{len(told)} numbers on the page, {len(got)} printed by: {command}")
    return wrong


def try_itself():
    """Tests the functions above with a changed number, word and line: [] if they find each change."""
    page = "# A\n\nmass 5.2 and 20,000 <!-- {} -->\n\n    mass      5.20 pc\n\n# B\n7.1\n"
    cases = [("shows 1 %: x", "mass 5.24 pc", True), ("shows 1 %: x", "mass 5.3 pc", False), ("shows 1 %: x", "mass 5.2 kpc", False),
             ("shows 1 %: x", "", False), ("shows 1 % or 0.2: x", "mass 5.3 pc", True), ("says 5.2 20,000 within 1 %: x", "5.21\n2.01e4", True),
             ("says 5.2 20,000 within 1 %: x", "5.21 2.1e4", False), ("says 5.2 within 1 %: x", "", False), ("says 7.1 within 1 %: x", "7.1", False),
             ("says 5.2 within factor 2: x", "10.3", True), ("says 5.2 within factor 2: x", "-5.2", False), ("says 5.2 to 20,000: x", "6 19999", True),
             ("says 5.2 to 20,000: x", "6 20001", False), ("says 5.2 to 20,000: x", "", False)]
    wrong = []
    for comment, output, good in cases:
        text = page.replace("{}", comment)
        if (faults(text, COMMENT.search(text), output) == []) != good:
            wrong.append(f"{comment}, {output}")
    if [value("−2.7e-4"), value("2.4·10¹⁵"), value("3·10⁻⁷"), value("1,234.5")] != [-2.7e-4, 2.4e15, 3e-7, 1234.5]:
        wrong.append("numbers as pages write them")
    return wrong


def print_cells(file, column, *rows):
    with open(file, encoding="utf-8") as opened:
        table = [line for line in csv.reader(line for line in opened if not line.startswith("#"))]
    place = [name.split(" [")[0] for name in table[0]].index(column)
    values = [row[place] for row in table[1:]]
    print("\n".join(values if rows == ("all",) else [values[int(row)] for row in rows]))


if __name__ == "__main__":
    print_cells(*sys.argv[1:])
