#!/usr/bin/env bash
# `make docs`: every page is in the site and in its menu, and every link of the site leads to a file of it.
. "${ABUT_SOURCE_DIR:?is set by ctest}/tests/support/script.sh"
cd "$ABUT_SOURCE_DIR" || exit 1
command -v pandoc > /dev/null || { echo "there is no pandoc"; exit 77; }
scripts/build-docs "$scratch/site" || exit 1
for page in docs/*.md docs/bodies/*.md docs/theory/*.md docs/tutorials/*.md docs/coming-from/*.md api/c-sim.md api/python.md keys/README.md; do
    grep -q "href=\"./${page%.md}.html\"" "$scratch/site/index.html" || fail "$page is not in the menu"
done
# Every page has the search, and the index finds what a heading says.
grep -q 'src="../site.js"' "$scratch/site/docs/viewer.html" || fail "a page has no search"
python3 - "$scratch/site/search.js" << 'END' || fail "the index of the search"
import json, sys
index = json.loads(open(sys.argv[1]).read().removeprefix("window.siteIndex = ").rstrip(";\n"))
assert len(index) > 200, len(index)
assert any(page == "docs/viewer.html" and anchor and "ruler" in text for page, anchor, _, _, text in index)
END
python3 - "$scratch/site" << 'END' || failures=$((failures + 1))
import html.parser
import os
import sys
from urllib.parse import unquote

class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("href", "src") and value]

bad = pages = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if not name.endswith(".html"):
            continue
        pages += 1
        parser = Links()
        parser.feed(open(os.path.join(folder, name), encoding="utf-8").read())
        for link in parser.links:
            if link.startswith(("http:", "https:", "#", "mailto:", "data:")):
                continue
            if not os.path.exists(os.path.join(folder, unquote(link.split("#")[0]))):
                print(f"FAIL: {os.path.join(folder, name)}: link to {link}")
                bad += 1
print(f"{pages} pages")
sys.exit(bad > 0 or pages < 40)
END
[ $failures = 0 ] && echo "all good"
exit $((failures > 0))
