"""Names in programs are evidence for their platform, where one sign is not."""

from __future__ import annotations

import charlens
from charlens.encodings import rank
from charlens.stages.statistics.platforms import find_platform

MAC = b"GetItem(theMenu, item, \"\\pAbout\");\nOSErr result;\nwidth = CharWidth('\xc9');  /* the rest is cut off */\n"
DELPHI = b"uses Forms, SysUtils;\nResult := Format('%f \xbaC', [Value]);\n"


def test_names_of_the_toolbox_are_evidence_for_a_macintosh():
    """A Pascal string and a type of the Toolbox name the platform, and its encodings only."""
    evidence = find_platform(MAC)
    assert evidence is not None and evidence.points > 0
    assert evidence.encodings >> rank("mac-roman") & 1 and not evidence.encodings >> rank("cp1252") & 1


def test_names_of_both_platforms_are_no_evidence():
    """A program for both platforms may be written on either."""
    assert find_platform(MAC + DELPHI) is None and find_platform(b"plain words \xc9") is None


def test_an_ellipsis_in_a_program_for_the_macintosh_is_not_an_accented_letter():
    """The answer follows the names, and its steps say so; without them, the same sign is a letter."""
    verdict = charlens.detect(MAC)
    assert verdict.encoding == "mac-roman" and "names of mac" in "\n".join(map(str, verdict.steps))
    assert charlens.detect(b"Bonjour Andr\xe9").encoding == "cp1252"


def test_a_degree_in_a_program_of_delphi_is_not_a_frame():
    """With the units of Delphi around it, the byte is the ordinal that stands for a degree."""
    assert charlens.detect(DELPHI).encoding == "cp1252"
