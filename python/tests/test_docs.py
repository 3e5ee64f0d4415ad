"""The examples of the documentation run."""

import pathlib
import re

import pytest

import tavoliere

CLONE = pathlib.Path(__file__).parents[2]
PAGES = ["docs/python.md", "python/README.md"]
EXAMPLES = [
    (page, number, code)
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", (CLONE / page).read_text(), re.S))
]


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("page, number, code", EXAMPLES)
def test_examples_run(page, number, code):
    exec(compile(code, f"{page}, example {number}", "exec"), {"tavoliere": tavoliere})
