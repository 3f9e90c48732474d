"""Daft and Ray Data: the recipes of docs/scale.md give the verdicts of `detect`.

They run in a separate environment (`make cluster`).
"""

from __future__ import annotations

from typing import Any

import pytest
from prose_texts import PROSE

import charlens

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: dev)")

from charlens.integrations.arrow import decode_column, result_type  # noqa: E402

pytestmark = pytest.mark.slow

ROWS = [b"plain", None, PROSE["ru"][:200].encode("cp1251", "ignore"), PROSE["el"][:99].encode(), b"a\0b"]
ENCODINGS = [None if row is None else charlens.detect(row).encoding for row in ROWS]


def test_daft() -> None:
    """A batch function of Daft."""
    daft = pytest.importorskip("daft", reason="daft is not installed; `make cluster` runs this")

    @daft.func.batch(return_dtype=daft.DataType.from_arrow_type(result_type()))  # type: ignore[untyped-decorator]
    def decode(body: Any) -> Any:
        return daft.Series.from_arrow(decode_column(body.to_arrow()))

    frame = daft.from_pydict({"body": ROWS}).select(decode(daft.col("body")).alias("page"))
    assert [page and page["encoding"] for page in frame.to_pydict()["page"]] == ENCODINGS


def test_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """`map_batches` of Ray Data."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray = pytest.importorskip("ray", reason="ray is not installed; `make cluster` runs this")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        pages = ray.data.from_arrow(pa.table({"body": pa.array(ROWS, pa.binary())}))

        def decode(table: Any) -> Any:
            return table.append_column("page", decode_column(table["body"]))

        found = pages.map_batches(decode, batch_format="pyarrow").take_all()
        assert [row["page"] and row["page"]["encoding"] for row in found] == ENCODINGS
    finally:
        ray.shutdown()
