"""Disks of few bytes, where this machine lets one mount them."""

import subprocess
from contextlib import contextmanager, suppress


@contextmanager
def small_disk(folder, size):
    """A disk with room for some bytes, mounted at a folder meanwhile.

    :raises OSError: it cannot be mounted here
    """
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=1000", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise OSError(error.stderr.decode()) from error
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_up(disk):
    """Leave no room on a disk; answers the file to remove to get some."""
    file = disk / "filler"
    with file.open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"x" * 4096)
    return file
