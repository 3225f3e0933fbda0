"""Relative links and their anchors in all .md files lead somewhere.  usage: links.py SOURCE_DIR

Before that a folder with broken links is written and looked at: each of them must be named, so that the
test cannot pass because it sees no links at all.
"""
import functools
import os
import re
import sys
import tempfile

LEFT_OUT = re.compile(r"\.|build|node_modules$")       # folders that are not sources


def pages(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not LEFT_OUT.match(f))
        yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".md"))


@functools.lru_cache(None)
def prose(path):
    """The text with blank lines in the place of fenced blocks, so that lines keep their numbers."""
    lines, fence = [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            mark = re.match(r"\s*(```|~~~)", line)
            lines.append("\n" if mark or fence else line)
            if mark and fence in (None, mark[1]):
                fence = None if fence else mark[1]
    return "".join(lines)


@functools.lru_cache(None)
def anchors(path):
    """As GitHub makes them of headings: letters, digits, dashes; a number where one comes again."""
    seen, found = {}, set()
    for title in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", prose(path), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if anchor in seen else anchor)
        seen[anchor] = seen.get(anchor, 0) + 1
    return found


def broken(root):
    """(message of each broken link, number of links that were looked at)"""
    messages, count = [], 0
    for page in pages(root):
        text = re.sub(r"`[^`\n]*`", lambda code: re.sub(r"[\[\]()]", "_", code[0]), prose(page))
        for link in re.finditer(r"\]\(([^()\s]+)\)|^\[[^\]]+\]:\s*(\S+)", text, re.M):
            target = link[1] or link[2]
            if re.match(r"[a-z]+:", target):           # https: and mailto: are not of this repository
                continue
            count += 1
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            what = None
            if not os.path.exists(file):
                what = "no such file"
            elif anchor and not (file.endswith(".md") and anchor in anchors(file)):
                what = "no such heading"
            if what:
                line = text.count("\n", 0, link.start()) + 1
                messages.append(f"{os.path.relpath(page, root)}:{line}: {target}: {what}")
    return messages, count


def sees_broken_links():
    text = """# One `two`, 3: (four)
[a](page.md#one-two-3-four) [b](lost.md) [c](#lost) ![d](lost.svg)
[in two
lines](page.md#lost-too) [e]

[e]: also/lost.md
```
[f](not-a-link.md)
```
"""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "page.md"), "w", encoding="utf-8") as file:
            file.write(text)
        messages, count = broken(folder)
    return count == 6 and [m.split(": ")[1] for m in messages] == [
        "lost.md", "#lost", "lost.svg", "page.md#lost-too", "also/lost.md"]


if not sees_broken_links():
    sys.exit("links.py does not see broken links")
messages, count = broken(sys.argv[1])
print(*messages, f"{count} links", sep="\n")
sys.exit(bool(messages) or count == 0)
