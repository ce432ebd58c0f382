"""SPDX documents: what libraries and programs of Geoid contain, and under which licences.

make writes the document of a build, select the part of it that is about one package. The format is
JSON of SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/). A document has packages in the sense of
SPDX for Geoid itself, for each library and program, and for each component of others that is inside
one. Relationships say which component is in which file.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import typing
import uuid
from urllib.parse import quote

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import version  # noqa: E402

OWN_LICENCE = "MIT"
OWN_COPYRIGHT = "Copyright (c) 2026 Geoid contributors"
AUTHOR = "Organization: Geoid contributors"
PUBLIC_DOMAIN = "LicenseRef-Public-Domain"
# The identifiers of the SPDX licence list that documents may have, and the version of that list.
LIST_VERSION = "3.27"
LICENCES = {
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "GPL-2.0-or-later",
    "GPL-3.0-or-later",
    "LGPL-3.0-or-later",
    "MIT",
    "NCSA",
    "Spencer-94",
    "SunPro",
    "Unicode-DFS-2015",
    "X11-distribute-modifications-variant",
    "bzip2-1.0.6",
}
EXCEPTIONS = {"GCC-exception-3.1", "LLVM-exception"}
EXTRACTED = {
    PUBLIC_DOMAIN: "The author has placed this code in the public domain.",
}


class SpdxError(Exception):
    """A document cannot be made."""


class Component(typing.NamedTuple):
    """Code or data of others. NOTICES names it in the same way, and has its notices."""

    name: str
    licence: str
    home: str
    archives: str = ""  # pattern of the names of its static libraries
    inside: tuple = ()  # static libraries of ours that contain it


LLVM_LICENCE = "Apache-2.0 WITH LLVM-exception"
COMPONENTS = (
    Component(
        "LLVM",
        f"{LLVM_LICENCE} AND BSD-2-Clause AND BSD-3-Clause AND CC0-1.0 AND Spencer-94 "
        f"AND Unicode-DFS-2015 AND {PUBLIC_DOMAIN}",
        "https://llvm.org",
        archives=r"libLLVM\w+\.a",
    ),
    Component(
        "libclc",
        f"{LLVM_LICENCE} AND MIT AND SunPro",
        "https://libclc.llvm.org",
        inside=("libgeoid_compiler_core.a",),
    ),
    Component(
        "SPIR-V grammar",
        "MIT",
        "https://github.com/KhronosGroup/SPIRV-Headers",
        inside=("libgeoid_compiler_core.a",),
    ),
    Component("oneAPI Level Zero", "MIT", "https://github.com/oneapi-src/level-zero-spec"),
    Component(
        "xxHash",
        "BSD-2-Clause",
        "https://xxhash.com",
        inside=("libgeoid_cache.a", "libgeoid_native.a"),
    ),
    Component(
        "libstdc++",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        "https://gcc.gnu.org",
        archives=r"libstdc\+\+\.a",
    ),
    Component("zstd", "BSD-3-Clause", "https://facebook.github.io/zstd", archives=r"libzstd\.a"),
    Component(
        "capstone",
        "BSD-3-Clause AND NCSA",
        "https://www.capstone-engine.org",
        archives=r"libcapstone\.a",
    ),
)
# No file contains code of it: its names and layouts are in the public headers.
HEADERS = "oneAPI Level Zero"
HEADER_FILES = {"ze_api.h", "ze.py"}


def component_of_archive(name):
    """Returns the component to which a static library of others belongs."""
    for component in COMPONENTS:
        if component.archives and re.fullmatch(component.archives, name):
            return component
    raise SpdxError(
        f"{name} is linked, but packaging/spdx/document.py does not know it: "
        "add it there and to NOTICES"
    )


def release_time():
    """Returns the time of documents: SOURCE_DATE_EPOCH, or that of the packages' changelog."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(text) if text.isdigit() else version.seconds()
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# ---- the system ----


def output(*command):
    """Returns what a program prints, or nothing if it fails or is missing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def owner_of(path):
    """Returns the package of Debian that a file came with: (distribution, name, version), or None.
    dpkg knows files by the paths of their packages, which may lack /usr."""
    real = os.path.realpath(path)
    if not real.startswith(("/usr/", "/lib")):
        return None  # no package; asking takes long
    for one in (path, real, path.replace("/usr/", "/", 1), real.replace("/usr/", "/", 1)):
        name = output("dpkg-query", "-S", one).partition(":")[0]
        number = name and output("dpkg-query", "-W", "-f", "${Version}\\n", name).split("\n")[0]
        if number and "," not in name:
            return distribution(), name, number
    return None


def distribution():
    """Returns the name of the distribution by which package URLs know it."""
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            found = re.search(r'^ID="?([\w.-]+)', file.read(), re.M)
    except OSError:
        found = None
    return found[1] if found else "debian"


# ---- licences ----


def licences_join(expressions):
    """Returns one expression that demands all. Parts that occur twice are left out."""
    parts = []
    for expression in expressions:
        if " OR " in expression:
            parts.append(f"({expression})" if " AND " not in expression else expression)
        else:
            parts += expression.split(" AND ")
    return " AND ".join(dict.fromkeys(parts))


def licence_problem(expression):
    """Returns what is wrong with a licence expression, or None."""
    words = re.findall(r"[()]|[^\s()]+", expression)
    depth, after_operand = 0, False
    previous = ""
    for word in words:
        if word == "(":
            depth += 1
            good = not after_operand
        elif word == ")":
            depth -= 1
            good = after_operand and depth >= 0
        elif word in ("AND", "OR", "WITH"):
            good, after_operand = after_operand, False
        elif previous == "WITH":
            good, after_operand = word in EXCEPTIONS, True
        else:
            good = not after_operand and (word in LICENCES or word in EXTRACTED)
            after_operand = True
        if not good:
            return f'"{word}" is wrong in the licence "{expression}"'
        previous = word
    return None if after_operand and depth == 0 else f'the licence "{expression}" is incomplete'


# ---- documents ----


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name.replace("++", "xx"))


def package(name, licence, purpose=None, **more):
    """Returns a package in the sense of SPDX. Its files are not listed."""
    found = {
        "name": name,
        "SPDXID": identifier(name),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        **more,
    }
    if purpose:
        found["primaryPackagePurpose"] = purpose
    return found


def relationship(one, kind, other):
    return {
        "spdxElementId": one,
        "relationshipType": kind,
        "relatedSpdxElement": other,
    }


def package_url(owner):
    """Returns the reference by which scanners find a package of a distribution."""
    system, name, number = owner
    return {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": f"pkg:deb/{system}/{quote(name)}@{quote(number, safe='')}",
    }


def component_package(component, number=None, source=None, owner=None):
    """Returns the package of a component. `source` says of which files it consists, `owner` is the
    package of the distribution that has them: (distribution, name, version)."""
    more = {"homepage": component.home}
    if number:
        more["versionInfo"] = number
    if source:
        more["sourceInfo"] = source
    if owner:
        more["externalRefs"] = [package_url(owner)]
    return package(component.name, component.licence, "LIBRARY", **more)


def document_make(files, components):
    """Returns a document.

    `files` is {name: [(relationship, component)]} of all libraries and programs; `components` is
    {name: package} of those that occur."""
    release = version.release()
    root = package(
        "geoid",
        OWN_LICENCE,
        "LIBRARY",
        versionInfo=release,
        copyrightText=OWN_COPYRIGHT,
        supplier=AUTHOR,
    )
    packages, relations = [root], [relationship("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])]
    for name in sorted(files):
        own = package(
            name,
            licences_join(
                [OWN_LICENCE, *(components[part]["licenseConcluded"] for _, part in files[name])]
            ),
            "LIBRARY" if ".so" in name else "APPLICATION",
            versionInfo=release,
            copyrightText=OWN_COPYRIGHT,
            supplier=AUTHOR,
            licenseDeclared=OWN_LICENCE,
        )
        packages.append(own)
        relations.append(relationship(root["SPDXID"], "CONTAINS", own["SPDXID"]))
        for kind, part in files[name]:
            relations.append(relationship(own["SPDXID"], kind, components[part]["SPDXID"]))
    for name in sorted(components):
        packages.append(components[name])
    relations.append(relationship(root["SPDXID"], "CONTAINS", components[HEADERS]["SPDXID"]))
    return finish(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"geoid-{release}",
            "documentNamespace": "",
            "creationInfo": {
                "created": release_time(),
                "creators": [AUTHOR, f"Tool: geoid-spdx-{release}"],
                "licenseListVersion": LIST_VERSION,
            },
            "packages": packages,
            "relationships": relations,
        }
    )


def finish(document):
    """Sets what follows from the packages: the licence of the whole, the texts of licences without
    an identifier, and the name of the document, which is different for each content."""
    root, *others = document["packages"]
    root["licenseConcluded"] = licences_join(
        [OWN_LICENCE, *(one["licenseConcluded"] for one in others)]
    )
    used = set(re.findall(r"LicenseRef-[\w.-]+", root["licenseConcluded"]))
    document["hasExtractedLicensingInfos"] = [
        {
            "licenseId": name,
            "name": name.removeprefix("LicenseRef-"),
            "extractedText": EXTRACTED[name],
        }
        for name in sorted(used)
    ]
    document["documentNamespace"] = ""
    content = json.dumps(document, sort_keys=True)
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"https://spdx.org/spdxdocs/{content}")
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{document['name']}-{name}"
    wrong = problems(document)
    if wrong:
        raise SpdxError(wrong[0])
    return document


def select(document, names, more=()):
    """Returns the part of a document about files of these names. `more` has packages of libraries
    of others that are files, too."""
    wrong = problems(document)
    if wrong:
        raise SpdxError(wrong[0])
    result = json.loads(json.dumps(document))
    root = result["packages"][0]["SPDXID"]
    wanted = {one["SPDXID"] for one in result["packages"] if one["name"] in names}
    if HEADER_FILES & set(names):
        wanted.add(identifier(HEADERS))
    ends = [(one["spdxElementId"], one["relatedSpdxElement"]) for one in result["relationships"]]
    inside = {other for one, other in ends if one == root and other in wanted}
    kept = {root} | inside | {other for one, other in ends if one in inside}
    result["packages"] = [one for one in result["packages"] if one["SPDXID"] in kept] + list(more)
    kept.add(result["SPDXID"])
    result["relationships"] = [
        one
        for one in result["relationships"]
        if {one["spdxElementId"], one["relatedSpdxElement"]} <= kept
    ] + [relationship(root, "CONTAINS", one["SPDXID"]) for one in more]
    return finish(result)


def text(document):
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write(document, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(document))


# ---- validity ----

REQUIRED = {
    "spdxVersion": r"SPDX-2\.3",
    "dataLicense": r"CC0-1\.0",
    "SPDXID": r"SPDXRef-DOCUMENT",
    "name": r".+",
    "documentNamespace": r"https://\S+[^#]",
}
REQUIRED_OF_PACKAGES = {
    "name": r".+",
    "SPDXID": r"SPDXRef-[A-Za-z0-9.-]+",
    "downloadLocation": r".+",
}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
CREATOR = r"(Person|Organization|Tool): .+"
KINDS = {"DESCRIBES", "CONTAINS", "STATIC_LINK"}


def fields_missing(element, required, place):
    for name, pattern in required.items():
        if not isinstance(element.get(name), str) or not re.fullmatch(pattern, element[name]):
            yield f"{place}: {name} is missing or wrong"


def problems(document):
    """Returns what is wrong with a document by the rules of SPDX 2.3, as a list of texts."""
    found = list(fields_missing(document, REQUIRED, "the document"))
    about = document.get("creationInfo", {})
    found += fields_missing(about, {"created": TIME}, "creationInfo")
    creators = about.get("creators", [])
    if not creators or not all(re.fullmatch(CREATOR, one) for one in creators):
        found.append("creationInfo: creators is missing or wrong")
    packages = document.get("packages", [])
    known = {"SPDXRef-DOCUMENT"}
    extracted = {one.get("licenseId") for one in document.get("hasExtractedLicensingInfos", [])}
    for one in packages:
        place = f"package {one.get('name')}"
        found += fields_missing(one, REQUIRED_OF_PACKAGES, place)
        if one.get("SPDXID") in known:
            found.append(f"{place}: the SPDXID {one['SPDXID']} occurs twice")
        known.add(one.get("SPDXID"))
        if one.get("filesAnalyzed") is not False:
            found.append(f"{place}: filesAnalyzed is not false, but no files are listed")
        for field in ("licenseConcluded", "licenseDeclared"):
            text = one.get(field, "")
            wrong = licence_problem(text)
            if wrong:
                found.append(f"{place}: {field}: {wrong}")
            for name in set(re.findall(r"LicenseRef-[\w.-]+", text)) - extracted:
                found.append(f"{place}: the text of {name} is missing")
    described = 0
    for one in document.get("relationships", []):
        described += one.get("relationshipType") == "DESCRIBES"
        ends = {one.get("spdxElementId"), one.get("relatedSpdxElement")}
        if not ends <= known or one.get("relationshipType") not in KINDS:
            found.append(f"the relationship {one} has an unknown end or type")
    if described != 1:
        found.append("the document does not describe one package")
    return found
