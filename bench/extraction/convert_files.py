"""Converts the files named on stdin (JSON strings). Writes a JSON line for each: milliseconds and text, or the error."""

import io
import json
import os
import sys
import time
import warnings

results = os.fdopen(os.dup(1), "w", encoding="utf-8")
# Output that libraries print goes to stderr, so that it does not mix with the results.
os.dup2(2, 1)
warnings.simplefilter("ignore")

from markitdown import MarkItDown, StreamInfo, UnsupportedFormatException  # noqa: E402

converter = MarkItDown(enable_plugins=False)


def convert(path):
    with open(path, "rb") as file:
        data = io.BytesIO(file.read())
    name = os.path.basename(path)
    begun = time.perf_counter()
    try:
        result = converter.convert_stream(
            data, stream_info=StreamInfo(filename=name, extension=os.path.splitext(name)[1].lower())
        )
    except UnsupportedFormatException:
        return {"kind": "unsupported"}
    except Exception as error:
        return {"kind": "failed", "message": f"{type(error).__name__}: {error}"[:300]}
    return {"kind": "text", "ms": (time.perf_counter() - begun) * 1000, "text": result.markdown}


for line in sys.stdin:
    results.write(json.dumps(convert(json.loads(line))) + "\n")
    results.flush()
