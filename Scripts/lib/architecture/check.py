"""check.py ROOT [--self-test]: exits with 0 if the code follows ARCHITECTURE.md."""

import sys

import rules
import self_test


def main(root, arguments):
    if arguments == ['--self-test']:
        return self_test.run(root)
    if arguments:
        raise SystemExit('usage: Scripts/check-architecture [--self-test]')
    found = rules.findings(root)
    for finding in found:
        print(finding, file=sys.stderr)
    if found:
        print(f'error: {len(found)} violations of ARCHITECTURE.md', file=sys.stderr)
    else:
        print('architecture: no violations of ARCHITECTURE.md')
    return not found


if __name__ == '__main__':
    sys.exit(0 if main(sys.argv[1], sys.argv[2:]) else 1)
