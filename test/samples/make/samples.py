"""What the makers of samples share: where samples go, and the file that says what a reader finds in each."""

import datetime
import json
import pathlib
import zipfile

root = pathlib.Path(__file__).parent.parent
when = datetime.datetime(2024, 3, 8, 9, 30)


def path(name):
    """The path of a sample by its file name; its extension is its folder."""
    folder = root / name.rsplit(".", 1)[1]
    folder.mkdir(exist_ok=True)
    return folder / name


def expect(name, origin, strings, tables=(), title=None, absent=()):
    """Writes what is expected of a sample. `tables`: pairs of the header's cells and the number of rows below it."""
    expected = {
        "origin": origin,
        "strings": strings,
        "tables": [{"header": list(header), "rows": rows} for header, rows in tables],
        "title": title,
        "absent": list(absent),
    }
    target = path(name).with_suffix(".expected.json")
    target.write_text(json.dumps(expected, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def rewrite(target, change):
    """Rewrites the files within a ZIP container: `change(path, bytes)` gives the new bytes, or None to leave one out."""
    with zipfile.ZipFile(target) as container:
        files = [(info.filename, container.read(info)) for info in container.infolist()]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as container:
        for name, data in files:
            changed = change(name, data)
            if changed is not None:
                info = zipfile.ZipInfo(name, when.timetuple()[:6])
                # OpenDocument wants its first file uncompressed.
                info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                container.writestr(info, changed)


def add_files(target, files):
    """Adds files (a dict of bytes or texts by path) to a ZIP container."""
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as container:
        for name, data in files.items():
            container.writestr(zipfile.ZipInfo(name, when.timetuple()[:6]), data, zipfile.ZIP_DEFLATED)


def picture(target, color, size=(24, 16)):
    """A small PNG of one colour."""
    from PIL import Image

    Image.new("RGB", size, color).save(target)
    return str(target)
