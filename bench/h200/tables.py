"""Tables and numbers as the reports of this folder print them, in Markdown."""


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---" for _ in head) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def number(value, digits=2):
    return "-" if value is None else f"{float(value):.{digits}f}"
