# Compresses results of tools with headroom-ai from PyPI: reads a list of [tool, arguments, result] from the standard input, and
# writes what a model would get of each result. The argument is a mode of headroom; without one, its defaults are used. A process
# uses one mode, because headroom keeps what it has compressed. Its text model, whose weights have to be downloaded, is off.

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

from headroom import compress  # noqa: E402

mode = sys.argv[1] if len(sys.argv) > 1 else None


def compressed(tool, args, result):
    call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]
    return compress(messages, model="gpt-4o", kompress_model="disabled", mode=mode).messages[-1]["content"]


json.dump([compressed(*result) for result in json.load(sys.stdin)], sys.stdout)
