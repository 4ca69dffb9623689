"""Writes a sample beside what a reader of it expects to find."""
import json
import pathlib

ROOT = pathlib.Path(__file__).parent.parent


def path_of(kind, name):
    folder = ROOT / kind
    folder.mkdir(exist_ok=True)
    return folder / name


def expect(kind, name, origin, strings, tables=(), title=None, absent=()):
    said = {"origin": origin, "strings": strings, "tables": list(tables), "title": title}
    if absent:
        said["absent"] = list(absent)
    text = json.dumps(said, ensure_ascii=False, indent=2)
    path_of(kind, f"{name}.expected.json").write_text(text + "\n", encoding="utf-8")
