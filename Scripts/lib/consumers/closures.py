"""Checks what an app needs on Apple's platforms: prints the dependency closures of the products for apps, and fails on what Apple's
SDKs don't have, and on calls without a declared reason (privacy manifest).

    closures.py ROOT MANIFEST.json               checks the manifest, as printed by `swift package dump-package`
    closures.py ROOT MANIFEST.json --print       only prints the closures, such as those of an older manifest
    closures.py ROOT MANIFEST.json --self-test   checks that each rule finds a planted violation
"""

import copy
import json
import pathlib
import plistlib
import re
import sys

PRODUCTS = ["ImageLoaderKit", "ImagePresentingSwiftUI", "ImagePresentingUIKit", "ImagePresentingAppKit"]
PLATFORMS = ["ios", "macos", "tvos", "watchos", "visionos"]
# Libraries of Apple's SDKs that targets link by name.
LIBRARIES = {"z"}
# Headers of Apple's SDKs and of clang.
HEADERS = set(
    """assert.h ctype.h errno.h fcntl.h float.h inttypes.h limits.h math.h netinet/in.h poll.h pthread.h setjmp.h signal.h stdalign.h
    stdatomic.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h sys/mman.h sys/socket.h sys/stat.h
    sys/types.h sys/uio.h time.h unistd.h zlib.h arm_neon.h immintrin.h""".split())
# Calls for which Apple requires a reason, and their categories.
REASONS = {
    r"\b(?:stat|fstat|fstatat|lstat)\(": "NSPrivacyAccessedAPICategoryFileTimestamp",
    r"\b(?:statfs|statvfs|fstatfs|fstatvfs)\(": "NSPrivacyAccessedAPICategoryDiskSpace",
    r"\bsystemUptime\b|\bmach_absolute_time\(": "NSPrivacyAccessedAPICategorySystemBootTime",
    r"\bUserDefaults\b": "NSPrivacyAccessedAPICategoryUserDefaults",
}


class Manifest:
    def __init__(self, root, text):
        self.root, self.targets = root, {target["name"]: target for target in text["targets"]}
        self.headers = {}  # replaces the sources of a target in the self-test

    def dependencies(self, name, platform):
        """The targets and products that a target uses on a platform without traits."""
        for dependency in self.targets[name]["dependencies"]:
            (kind, values), = dependency.items()
            condition = values[-1] or {}
            if condition.get("traits") or platform not in (condition.get("platformNames") or [platform]):
                continue
            yield values[0], kind == "product"

    def closure(self, product, platform):
        found, products, waiting = set(), set(), [product]
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            for used, is_product in self.dependencies(name, platform):
                if is_product:
                    products.add(used)
                else:
                    waiting.append(used)
        return found, products

    def sources(self, name, *endings):
        if name in self.headers:
            return self.headers[name]
        folder = self.root / self.targets[name]["path"]
        return [path.read_text() for path in sorted(folder.rglob("*")) if path.suffix in endings]

    def reasons(self, name):
        """The declared categories of a target and the C targets of its module."""
        categories = set()
        for resource in self.targets[name].get("resources", []):
            if not resource["path"].endswith("PrivacyInfo.xcprivacy"):
                continue
            path = self.root / self.targets[name]["path"] / resource["path"]
            for entry in plistlib.loads(path.read_bytes())["NSPrivacyAccessedAPITypes"]:
                if entry["NSPrivacyAccessedAPITypeReasons"]:
                    categories.add(entry["NSPrivacyAccessedAPIType"])
        return categories


def included(text):
    """The system headers that a file includes on Apple's platforms. A condition on Linux is false, and any other may be true."""
    active = [True]
    for line in text.splitlines():
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not directive:
            continue
        word, rest = directive.groups()
        if word in ("if", "ifdef"):
            active.append("__linux__" not in rest)
        elif word == "ifndef":
            active.append(True)
        elif word in ("elif", "else"):
            active[-1] = "__linux__" not in rest
        elif word == "endif":
            active.pop()
        elif word == "include" and all(active) and rest.startswith("<"):
            yield rest[1:rest.index(">")]


def problems(manifest):
    found = {}
    for product in PRODUCTS:
        for platform in PLATFORMS:
            for name in manifest.closure(product, platform)[0]:
                for problem in problems_of(manifest, name):
                    found.setdefault(f"{name} {problem}", []).append(f"{product} for {platform}")
    return [f"{problem}: {', '.join(users)}" for problem, users in sorted(found.items())]


def problems_of(manifest, name):
    target = manifest.targets[name]
    if target["type"] == "system":
        yield "is a system library"
        return
    for setting in target["settings"]:
        library = setting["kind"].get("linkedLibrary", {}).get("_0", "z")
        if library not in LIBRARIES:
            yield f"links lib{library}, which isn't known to be in Apple's SDKs"
    if name.startswith("C"):
        for header in sorted({header for text in manifest.sources(name, ".c", ".h") for header in included(text)}):
            if header not in HEADERS:
                yield f"includes <{header}>, which isn't known to be in Apple's SDKs"
        return
    declared = manifest.reasons(name).union(*(manifest.reasons(used) for used, is_product in
                                              manifest.dependencies(name, "ios") if not is_product and used == "C" + name))
    text = "\n".join(manifest.sources(name, ".swift"))
    for call, category in REASONS.items():
        if re.search(call, text) and category not in declared:
            yield f"calls {call} without a reason in PrivacyInfo.xcprivacy ({category})"


def show(manifest):
    for product in PRODUCTS:
        names = {}
        for platform in PLATFORMS + ["linux"]:
            targets, products = manifest.closure(product, platform)
            line = " ".join(sorted(name for name in targets | products if name != product))
            libraries = sorted(name for name in targets if manifest.targets[name]["type"] == "system")
            names.setdefault((line, f"{len(libraries)} system libraries" + "".join(" " + name for name in libraries)), []).append(platform)
        for (line, libraries), platforms in names.items():
            print(f"{product} for {', '.join(platforms)}: {libraries}\n    {line}")


def self_test(root, text):
    def planted(change):
        manifest = Manifest(root, copy.deepcopy(text))
        change(manifest)
        return problems(manifest)

    def uncondition(manifest):
        for dependency in manifest.targets["ImageLoaderKit"]["dependencies"]:
            if dependency.get("target", [""])[0] == "ImageCodecPNG":
                dependency["target"][1] = None

    cases = {
        "is a system library": uncondition,
        "includes <linux/openat2.h>": lambda manifest: manifest.headers.update(
            CImageProcessing=["#if SOMETHING\n#include <linux/openat2.h>\n#endif"]),
        "links libjpeg": lambda manifest: manifest.targets["CImageProcessing"]["settings"].append(
            {"tool": "linker", "kind": {"linkedLibrary": {"_0": "jpeg"}}}),
        "without a reason": lambda manifest: manifest.targets["CImageDiskCaching"].update(resources=[]),
    }
    missed = [rule for rule, change in cases.items() if not any(rule in problem for problem in planted(change))]
    if missed:
        sys.exit(f"error: planted violations are not found: {', '.join(missed)}")
    print(f"all {len(cases)} planted violations are found")


def main():
    root, text = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    if "--self-test" in sys.argv:
        return self_test(root, text)
    manifest = Manifest(root, text)
    show(manifest)
    found = [] if "--print" in sys.argv else problems(manifest)
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    if found:
        sys.exit("       An app for this platform can't be built. Add a condition to the dependency, or use what the system has.")


main()
