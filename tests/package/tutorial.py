"""Prints the shell commands of a document's sections, so that a test can follow them.

    tutorial.py DOCUMENT HEADING...

In the order of the document; a heading that it does not have, or a section without commands, is an error.
"""

import re
import sys


def sections_of(text):
    """Heading -> the ```sh blocks under it."""
    sections, heading, block = {}, "", None
    for line in text.splitlines():
        if block is None and (title := re.fullmatch(r"#+ (.*)", line)):
            heading = title.group(1)
        elif block is None and line == "```sh":
            block = []
        elif block is not None and line == "```":
            sections.setdefault(heading, []).append("\n".join(block))
            block = None
        elif block is not None:
            block.append(line)
    return sections


def main(document, *headings):
    with open(document, encoding="utf-8") as file:
        sections = sections_of(file.read())
    for heading in headings:
        if heading not in sections:
            sys.exit(f"{document}: expected shell commands under '{heading}'")
    for heading, blocks in sections.items():
        if heading in headings:
            print("\n".join(blocks))


if __name__ == "__main__":
    main(*sys.argv[1:])
