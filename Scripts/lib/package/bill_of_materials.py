"""Writes what a package contains, and the C libraries of the system that it uses, as SPDX 2.3 in JSON.

The Swift packages come from the file in which SwiftPM records what it resolved, the C libraries from the dynamic section of the
program. A library's package and version are those of the machine that builds; another machine has those that it installed.
"""

import argparse
import datetime
import json
import re
import subprocess
import uuid

NAMESPACE = 'https://spdx.org/spdxdocs'


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package(identifier, name, version, location, **other):
    return {
        'SPDXID': f'SPDXRef-{re.sub(r"[^A-Za-z0-9.-]", "-", identifier)}', 'name': name, 'versionInfo': version,
        'downloadLocation': location, 'filesAnalyzed': False, 'licenseConcluded': 'NOASSERTION',
        'licenseDeclared': 'NOASSERTION', 'copyrightText': 'NOASSERTION', **other,
    }


def package_url(url):
    return {'externalRefs': [
        {'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': url}]}


def swift_packages(resolved):
    """The packages that are linked into the program. A package that the products don't use is listed too."""
    for pin in sorted(json.load(open(resolved))['pins'], key=lambda pin: pin['identity']):
        version = pin['state'].get('version') or pin['state']['revision']
        location = pin['location'].removesuffix('.git')
        path = location.removeprefix('https://')
        yield package(
            f'swift-{pin["identity"]}', pin['identity'], version,
            f'git+{pin["location"]}@{pin["state"]["revision"]}', **package_url(f'pkg:swift/{path}@{version}'))


def swift_runtime():
    version = re.search(r'Swift version (\S+)', output('swift', '--version')).group(1)
    return package(
        'swift-runtime', 'swift', version, 'https://www.swift.org', **package_url(f'pkg:generic/swift@{version}'))


def owner(path):
    """The Debian package with a file. Its path can be that of before /usr was merged."""
    for candidate in [path, path.removeprefix('/usr'), f'/usr{path}']:
        found = subprocess.run(['dpkg-query', '--search', candidate], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(': ')[0].split(',')[0]
    raise SystemExit(f'error: {path} belongs to no Debian package')


def system_libraries(binary):
    paths = re.findall(r'=> (/\S+)', output('ldd', binary))
    release = dict(line.rstrip().split('=', 1) for line in open('/etc/os-release') if '=' in line)
    distribution = f'{release["ID"]}-{release["VERSION_ID"]}'.replace('"', '')
    for name in sorted({owner(path) for path in paths}):
        version, source, architecture = output(
            'dpkg-query', '--show', '--showformat', '${Version} ${source:Package} ${Architecture}', name).split()
        plain = name.split(':')[0]
        yield package(
            f'debian-{plain}', plain, version, f'https://packages.debian.org/source/{source}',
            sourceInfo=f'built from the Debian source package {source}',
            **package_url(f'pkg:deb/debian/{plain}@{version}?arch={architecture}&distro={distribution}'))


def document(arguments):
    whole = package(
        'package', arguments.name, arguments.version, 'NOASSERTION', primaryPackagePurpose='APPLICATION')
    linked = [*swift_packages(arguments.resolved), swift_runtime()]
    used = list(system_libraries(arguments.binary))

    def related(kind, parts):
        return [
            {'spdxElementId': whole['SPDXID'], 'relationshipType': kind, 'relatedSpdxElement': part['SPDXID']}
            for part in parts]

    return {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'{arguments.name} {arguments.version}', 'documentNamespace': f'{NAMESPACE}/{arguments.name}-{arguments.version}-{uuid.uuid4()}',
        'creationInfo': {
            'created': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
            'creators': ['Tool: Scripts/package'],
        },
        'packages': [whole, *linked, *used],
        'relationships': [
            {'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': whole['SPDXID']},
            *related('STATIC_LINK', linked), *related('DYNAMIC_LINK', used)],
    }


def main():
    parser = argparse.ArgumentParser()
    for name in ['name', 'version', 'binary', 'resolved', 'output']:
        parser.add_argument(f'--{name}', required=True)
    arguments = parser.parse_args()
    with open(arguments.output, 'w') as file:
        json.dump(document(arguments), file, indent=1)
        file.write('\n')


main()
