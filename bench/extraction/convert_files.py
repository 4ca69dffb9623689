"""Converts the files named on stdin, one JSON line each, and answers with a line: milliseconds and text, or the error."""

import io
import json
import os
import sys
import time
import warnings

answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
# What libraries print must not come between the answers.
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
    answers.write(json.dumps(convert(json.loads(line))) + "\n")
    answers.flush()
