"""Many threads, several interpreters, and bytes that change under the reader."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import charlens
from charlens import kernel

TEXTS = [
    "Привет из Казани, где сегодня идёт дождь. ".encode("cp1251"),
    "Съешь же ещё этих мягких французских булок. ".encode("koi8-r"),
    "吾輩は猫である。名前はまだ無い。".encode("shift_jis"),
    "어제는 비가 왔고 오늘은 맑습니다. ".encode("euc_kr"),
    "Grüße aus Köln, wo es heute regnet. ".encode("cp1252"),
    "Příliš žluťoučký kůň úpěl ďábelské ódy. ".encode("cp1250"),
    "Grüße aus Köln, wo es heute regnet. ".encode(),
    b"<html><meta charset=koi8-r><p>" + "Текст на странице. ".encode("koi8-r"),
]


def answers(times: int) -> list[tuple[str | None, str | None, float]]:
    """Detect the short and long texts."""
    found = []
    for text in TEXTS:
        for data in (text, text * times):
            verdict = charlens.detect(data)
            found.append((verdict.encoding, verdict.language, verdict.confidence))
    return found


def test_sixteen_threads_share_one_model() -> None:
    """All threads get the answers that one alone gets; long inputs are read without the interpreter lock."""
    expected = answers(200)
    begin = threading.Barrier(16)

    def work(_: int) -> list[list[tuple[str | None, str | None, float]]]:
        begin.wait()
        return [answers(200) for _ in range(3)]

    with ThreadPoolExecutor(16) as pool:
        for found in pool.map(work, range(16)):
            assert found == [expected] * 3


def test_threads_that_come_first_agree() -> None:
    """Sixteen threads that use everything for the first time at once, in a fresh process, get the same answers."""
    code = (
        "import threading, sys; sys.path.insert(0, sys.argv[1]); import test_threads as t, charlens\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "gate = threading.Barrier(16)\n"
        "def work(_):\n"
        "    gate.wait(); return t.answers(2), charlens.segments(t.TEXTS[0]), charlens.repair('GrÃ¼ÃŸe').text\n"
        "with ThreadPoolExecutor(16) as pool: found = list(pool.map(work, range(16)))\n"
        "print(all(each == found[0] for each in found))\n"
    )
    folder = __file__.rsplit("test_threads", 1)[0]
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr[-2000:]


def test_bytes_that_change_while_they_are_read_are_not_a_crash() -> None:
    """Whoever lends a buffer and writes to it gets some answer or a documented error, never a crash."""
    data = bytearray(b"".join(TEXTS) * 60)
    stop = threading.Event()

    def scribble() -> None:
        number = 0
        while not stop.is_set():
            number = (number * 1103515245 + 12345) & 0x7FFFFFFF
            data[number % len(data)] = number >> 16 & 0xFF

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        for _ in range(30):
            charlens.detect(data)
            kernel.strip_markup(data, 0)
            kernel.scan(memoryview(data)[1:])
    finally:
        stop.set()
        writer.join()


@pytest.mark.skipif(kernel.NAME == "pure", reason="the pure kernel is Python")
def test_the_native_kernel_does_not_ask_for_the_lock() -> None:
    """Python without the interpreter lock stays without it when the kernel is imported."""
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        code = "import sys, charlens.kernel._native; print(getattr(sys, '_is_gil_enabled', lambda: True)())"
        expected = "True"
    else:
        code = "import sys, charlens; charlens.detect(b'x\\xe9'); print(sys._is_gil_enabled())"
        expected = "False"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.skipif(
    sys.version_info < (3, 13), reason="subinterpreters with a lock of their own come with 3.13"
)
def test_each_interpreter_has_its_own_kernel() -> None:
    """Interpreters with locks of their own import the package and detect, at the same time."""
    code = (
        "import threading\n"
        "try: from concurrent import interpreters\n"
        "except ImportError:\n"
        "    import _interpreters\n"
        "    class interpreters:\n"
        "        class create:\n"
        "            def __init__(self): self.number = _interpreters.create()\n"
        "            def exec(self, code): assert _interpreters.exec(self.number, code) is None\n"
        "done = []\n"
        "def work():\n"
        '    interpreters.create().exec("import charlens; "\n'
        "        \"assert charlens.detect('Grüße'.encode()).encoding == 'utf-8'; \"\n"
        "        \"assert charlens.detect('Привет из Казани'.encode('cp1251')).encoding == 'cp1251'\")\n"
        "    done.append(1)\n"
        "threads = [threading.Thread(target=work) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "import charlens; charlens.detect(b'x\\xe9'); print(len(done))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "4", done.stderr[-3000:]
