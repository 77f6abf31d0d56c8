"""Checks the pages that people read. tests/docs/test_pages.sh runs it.

Each function check_* of the modules here yields one line for each failure.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import check_commands
import check_form
import check_numbers
import pages


def main():
    failures = []
    for module in (check_form, check_numbers, check_commands):
        for name in [name for name in vars(module) if name.startswith("check_")]:
            failures += vars(module)[name]()
    print("\n".join(pages.notes + [f"FAIL: {line}" for line in failures]))
    print(f"{pages.checked - min(pages.checked, len(failures))} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
