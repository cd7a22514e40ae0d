# SPDX-License-Identifier: BSD-3-Clause
"""The processors that a guest may have, and what differs between their machines."""
import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Architecture:
    """A processor by its Debian name, and its machine."""
    name: str
    emulator: str
    emulator_package: str
    setup: str  # the argument of scripts/setup that gets the packages and the kernel
    kernel_root: pathlib.Path  # where that has unpacked the kernel
    root: pathlib.Path | None  # what hides this machine's files in the guest; None: it runs this machine's programs
    machine: tuple[str, ...]  # the emulator's words
    cpu: str
    console: str  # where the kernel writes
    output: str  # the second serial line
    output_words: tuple[str, ...]  # that connect it to the emulator's standard output

    @property
    def busybox(self):
        """Where busybox is: None for that of this machine."""
        return None if self.root is None else self.root / "bin" / "busybox"


X86 = Architecture(
    name="amd64", emulator="qemu-system-x86_64", emulator_package="qemu-system-x86", setup="guest",
    kernel_root=pathlib.Path("/var/tmp/bowline-guest/kernel"), root=None, machine=(), cpu="max",
    console="ttyS0", output="ttyS1", output_words=("-serial", "stdio"))

# Without pauth-impdef the emulator computes QARMA5 for each function that returns.
ARM = Architecture(
    name="arm64", emulator="qemu-system-aarch64", emulator_package="qemu-system-arm", setup="arm-guest",
    kernel_root=pathlib.Path("/var/tmp/bowline-arm64/root"), root=pathlib.Path("/var/tmp/bowline-arm64/root"),
    machine=("-M", "virt,gic-version=3"), cpu="max,pauth-impdef=on", console="ttyAMA0", output="ttyS0",
    output_words=("-chardev", "stdio,id=output", "-device", "pci-serial,chardev=output"))

ARCHITECTURES = {each.name: each for each in (X86, ARM)}
