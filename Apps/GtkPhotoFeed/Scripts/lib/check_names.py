"""Starts the desktop app and checks the names that it gives to assistive technologies."""

import subprocess
import sys
import tempfile
import time

import pyatspi

# The roles that must have a name. Not images: the closed viewer shows none. GTK 4.8 reports toggle buttons as push buttons.
NAMED = {'frame', 'push button', 'toggle button', 'check box', 'text', 'table', 'list'}
ITEMS = {'table cell', 'list item'}
TIMEOUT = 60


def wait(find):
    """Returns the first true result of a function."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.2)
    sys.exit('error: the app did not show its photos to assistive technologies')


def is_unnamed(node):
    """Whether a widget has no name. GTK reports the name of its type then."""
    return not node.name or node.name.startswith(('Gtk', 'Adw'))


def widgets(node, depth=0):
    """Returns the role, name and depth of each widget, without items of the list that are not on the screen."""
    found = []
    for child in filter(None, (node.getChildAtIndex(index) for index in range(node.childCount))):
        role = child.getRoleName()
        if role in ITEMS and is_unnamed(child):
            continue
        found.append((role, '' if is_unnamed(child) else child.name, depth))
        found += widgets(child, depth + 1)
    return found


def shown():
    """Returns the widgets of the app when it shows photos."""
    app = next((app for app in pyatspi.Registry.getDesktop(0) if app.childCount), None)
    found = widgets(app) if app else []
    return found if any(role in ITEMS for role, _, _ in found) else None


def main():
    with tempfile.TemporaryDirectory() as cache:
        app = subprocess.Popen([sys.argv[1], '--cache', cache])
        try:
            found = wait(shown)
        finally:
            app.terminate()
            app.wait()
    if '--print' in sys.argv:
        for role, name, depth in found:
            print(f'{"  " * depth}{role} {name}')
    unnamed = [role for role, name, _ in found if role in NAMED and not name]
    named = sum(role in NAMED for role, _, _ in found) - len(unnamed)
    print(f'{named} controls have a name')
    if unnamed:
        sys.exit(f'error: without a name: {", ".join(unnamed)} (see them with --print)')


if __name__ == '__main__':
    main()
