from charlens.types import Buffer

def scan(data: Buffer, /) -> tuple[bytes, int, int, int, int, int, int, int, int, int, bytes]: ...
def scan_portable(data: Buffer, /) -> tuple[bytes, int, int, int, int, int, int, int, int, int, bytes]: ...
def damage(
    data: Buffer, start: int, sequences: int, ratio: int, slack: int, most: int, /
) -> tuple[int, int, int, int, tuple[int, ...]]: ...
def walk(data: Buffer, table: bytes, /) -> tuple[int, int, int]: ...
def weigh(data: Buffer, width: int, big: int, table: bytes, /) -> tuple[int, int, int, int, int, int]: ...
def score(
    data: Buffer,
    pairs: Buffer,
    weights: Buffer,
    levels: Buffer,
    allowed: Buffer,
    bias: Buffer,
    most: int,
    reach: int,
    /,
) -> tuple[int, int, tuple[int, ...]]: ...
