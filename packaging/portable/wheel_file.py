# SPDX-License-Identifier: BSD-3-Clause
"""The zip file of a wheel, with the list of its files that pip checks and by which it uninstalls."""
import base64
import hashlib
import os
import time
import zipfile


def _row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write(folder, file):
    """Packs a folder, which has one *.dist-info, with the modes of its files. Equal folders make equal wheels."""
    # No zip file is older than 1980.
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    (about,) = folder.glob("*.dist-info")
    # The description comes last, so that it can be read and replaced without the rest.
    files = [path for path in folder.rglob("*") if path.is_file()]
    files.sort(key=lambda path: (path.parent == about, path))
    record = f"{about.name}/RECORD"
    rows = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, content, mode):
            member = zipfile.ZipInfo(name, date)
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)

        for path in files:
            name = path.relative_to(folder).as_posix()
            content = path.read_bytes()
            add(name, content, path.stat().st_mode & 0o777)
            rows.append(_row(name, content))
        add(record, "".join(rows) + f"{record},,\n", 0o644)
