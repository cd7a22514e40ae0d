# SPDX-License-Identifier: BSD-3-Clause
"""The places in a test program that its comments mark: "MPI_Send(...);  // read: send"."""
import pathlib
import re


class MarkedPlaces:
    def __init__(self, source):
        """`source`: the name of a file in this folder."""
        lines = pathlib.Path(__file__).with_name(source).read_text(encoding="utf-8").splitlines()
        self.places = {comment[1]: f"{source}:{number}" for number, line in enumerate(lines, 1)
                       if (comment := re.search(r"\s// (.*)", line))}

    def __getitem__(self, mark):
        return self.places[mark]

    def put_into(self, sentence):
        """The sentence with "mistakes.cpp:12" in place of "{read: send}"."""
        return re.sub(r"\{(.*?)\}", lambda mark: self.places[mark[1]], sentence)
