"""Put the Rust crate's sources into an installed fieldc: packages of one prime are made of them."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CRATE = Path("crates/fieldc")
FILES = ("Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT")


def copy_crate(build_lib: Path) -> None:
    """Copy the sources beside the generator, without the kernels: a package has its own."""
    folder = build_lib / "fieldc/packages/rust/library"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CRATE / "src", folder / "src", ignore=shutil.ignore_patterns("generated"))
    for name in FILES:
        shutil.copy(CRATE / name, folder / name)


class WithCrate(build_py):
    """An editable installation reads the sources in place."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copy_crate(Path(self.build_lib))


setup(cmdclass={"build_py": WithCrate})
