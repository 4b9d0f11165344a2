"""A build back end for pip (PEP 517): CMake builds the extension and the command, and this packs them.

Nothing is fetched: compiler, CMake, the libraries of docs/dependencies.md and NumPy's headers must be there. NumPy may be
that of the interpreter, or, where pip builds in an empty environment, that of the system's interpreter of the same version.
CMAKE_ARGS in the environment is handed to CMake. `pip install . --config-settings build-dir=FOLDER` builds in a folder that
stays, so that the next call compiles what has changed only; without it the folder is a temporary one.
"""

import base64
import glob
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What a source package needs to be built.
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "include", "src", "python", "scripts", "docs/man"]
LEFT_OUT = ("__pycache__", ".pyc")


def version():
    with open(os.path.join(ROOT, "include", "abut", "version.h")) as text:
        return re.search(r'ABUT_VERSION_STRING "([^"]+)"', text.read()).group(1)


def metadata():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as text:
        readme = text.read()
    return (f"Metadata-Version: 2.1\nName: abut\nVersion: {version()}\n"
            "Summary: Bodies that touch and never intersect: a simulator of contact\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n" + readme)


def tag():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: abut_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def find_interpreter():
    """An interpreter of this version that has NumPy."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    probe = "import sys, numpy; print(*sys.version_info[:2])"
    wanted = f"{sys.version_info[0]} {sys.version_info[1]}"
    for path in (sys.executable, getattr(sys, "_base_executable", ""), "/usr/bin/python3"):
        if not path or not os.path.exists(path):
            continue
        found = subprocess.run([path, "-c", probe], env=clean, capture_output=True, text=True)
        if found.returncode == 0 and found.stdout.strip() == wanted:
            return path
    raise SystemExit(f"abut needs NumPy for Python {sys.version.split()[0]} to be built: install python3-numpy")


def build(folder):
    """Builds into a folder; returns {name in the wheel: file}."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DABUT_TESTS=OFF", "-DABUT_BENCH=OFF", "-DABUT_PYTHON=ON",
               f"-DABUT_PYTHON_EXECUTABLE={find_interpreter()}"] + shlex.split(os.environ.get("CMAKE_ARGS", ""))
    if shutil.which("ninja") and not os.path.exists(os.path.join(folder, "Makefile")):
        options += ["-G", "Ninja"]
    jobs = str(len(os.sched_getaffinity(0)))
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    subprocess.run(["cmake", "-S", ROOT, "-B", folder] + options, check=True, env=clean)
    subprocess.run(["cmake", "--build", folder, "-j", jobs, "--target", "abut_python", "abut"], check=True, env=clean)
    files = {"abut/" + os.path.basename(path): path for path in glob.glob(os.path.join(folder, "python", "abut", "*"))
             if os.path.isfile(path)}
    if not any(name.startswith("abut/_abut") for name in files):
        raise SystemExit("the extension was not built: see the output of CMake above")
    files["abut/bin/abut"] = os.path.join(folder, "abut")
    return files


def build_folder(settings):
    """The folder of --config-settings build-dir=FOLDER, or None."""
    settings = dict(settings or {})
    folder = settings.pop("build-dir", None)
    if settings:
        raise SystemExit(f"--config-settings: abut knows build-dir only, found {', '.join(sorted(settings))}")
    return os.path.abspath(folder) if folder else None


def pack(path, files):
    """Writes a wheel: files by name, either paths or bytes, and their list with hashes."""
    info = f"abut-{version()}.dist-info"
    files = {**files, f"{info}/METADATA": metadata().encode(),
             f"{info}/WHEEL": wheel_text().encode()}
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, source in sorted(files.items()):
            data = source
            if not isinstance(source, bytes):
                with open(source, "rb") as stream:
                    data = stream.read()
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same files give the same bytes
            entry.external_attr = (0o100755 if name.startswith("abut/bin/") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        record.append(f"{info}/RECORD,,")
        out.writestr(f"{info}/RECORD", "\n".join(record) + "\n")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Tells what the wheel will say, without building it."""
    name = f"abut-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name))
    for part, text in (("METADATA", metadata()), ("WHEEL", wheel_text())):
        with open(os.path.join(metadata_directory, name, part), "w", encoding="utf-8") as out:
            out.write(text)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"abut-{version()}-{tag()}.whl"
    folder = build_folder(config_settings)
    if folder:
        pack(os.path.join(wheel_directory, name), build(folder))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            pack(os.path.join(wheel_directory, name), build(scratch))
    return name


def build_sdist(sdist_directory, config_settings=None):
    top = f"abut-{version()}"
    name = top + ".tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as out:
        for part in SOURCES:
            path = os.path.join(ROOT, part)
            if os.path.exists(path):
                out.add(path, f"{top}/{part}", filter=lambda item: None if item.name.endswith(LEFT_OUT) else item)
        data = metadata().encode()
        entry = tarfile.TarInfo(f"{top}/PKG-INFO")
        entry.size = len(data)
        out.addfile(entry, io.BytesIO(data))
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []
