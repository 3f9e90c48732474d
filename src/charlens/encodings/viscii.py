"""A codec for VISCII, the 8-bit encoding of Vietnamese of RFC 1456, which Python lacks.

Every byte is a character.  134 letters are more than the upper half holds, so six capitals that are rare are where
ASCII has control characters.  `charlens.encodings` registers the codec without loading this module.
"""

from __future__ import annotations

import codecs

_CAPITALS_AMONG_CONTROLS = {0x02: "Ẳ", 0x05: "Ẵ", 0x06: "Ẫ", 0x14: "Ỷ", 0x19: "Ỹ", 0x1E: "Ỵ"}
_UPPER_HALF = (
    "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐ"
    "ỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲ"
    "Õắằặấầẩậẽẹếềểễệố"
    "ồổỗỠƠộờởịỰỨỪỬơớƯ"
    "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳ"
    "ĐứÒÓÔạỷừửÙÚỹỵÝỡư"
    "àáâãảăữẫèéêẻìíĩỉ"
    "đựòóôõỏọụùúũủýợỮ"
)  # RFC 1456, table 1, from 0x80 to 0xFF
_CHARACTERS = "".join(_CAPITALS_AMONG_CONTROLS.get(value, chr(value)) for value in range(0x80)) + _UPPER_HALF
_BYTES = codecs.charmap_build(_CHARACTERS)


class _Codec(codecs.Codec):
    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(input, errors, _BYTES)

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(input, errors, _CHARACTERS)


class _IncrementalEncoder(codecs.IncrementalEncoder):
    def encode(self, input: str, final: bool = False) -> bytes:
        return codecs.charmap_encode(input, self.errors, _BYTES)[0]


class _IncrementalDecoder(codecs.IncrementalDecoder):
    def decode(self, input: bytes, final: bool = False) -> str:  # type: ignore[override]  # any buffer
        return codecs.charmap_decode(input, self.errors, _CHARACTERS)[0]


class _StreamWriter(_Codec, codecs.StreamWriter):
    pass


class _StreamReader(_Codec, codecs.StreamReader):
    pass


def codec() -> codecs.CodecInfo:
    """Return what `codecs.lookup` gives."""
    return codecs.CodecInfo(
        _Codec().encode,
        _Codec().decode,  # type: ignore[arg-type]  # any buffer: collections.abc.Buffer is of Python 3.12
        streamreader=_StreamReader,
        streamwriter=_StreamWriter,
        incrementalencoder=_IncrementalEncoder,
        incrementaldecoder=_IncrementalDecoder,
        name="viscii",
    )
