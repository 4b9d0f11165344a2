"""usage: http_get.py ADDRESS FILE [METHOD [HEADER:VALUE]...]: prints the status of the answer and writes its body to FILE.

The path goes out as it stands: no client library tidies "..".
"""
import http.client
import sys
from urllib.parse import urlsplit

parts = urlsplit(sys.argv[1])
path = sys.argv[1].split(parts.netloc, 1)[1]
connection = http.client.HTTPConnection(parts.netloc, timeout=20)
headers = dict(item.split(":", 1) for item in sys.argv[4:])
connection.request(sys.argv[3] if len(sys.argv) > 3 else "GET", path or "/", headers=headers)
answer = connection.getresponse()
with open(sys.argv[2], "wb") as out:
    out.write(answer.read())
print(answer.status)
