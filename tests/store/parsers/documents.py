"""Small documents that are not HTML."""

from __future__ import annotations


def make_pdf(text: str, link: str = "", title: str = "") -> bytes:
    """A PDF document of one page."""
    stream = f"BT /F 12 Tf ({text}) Tj ET"
    annots = f"/Annots[<</Subtype/Link/A<</S/URI/URI({link})>>>>]" if link else ""
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/Contents 4 0 R{annots}/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>",
    ]
    data, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{content}endobj\n"
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    data += "".join(f"{place:010} 00000 n \n" for place in places)
    data += f"trailer<</Size {len(objects) + 1}/Root 1 0 R/Info 6 0 R>>\nstartxref\n{start}\n%%EOF\n"
    return data.encode()


ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Reef news</title>
<link rel="self" href="http://reef.example/atom.xml"/><link href="http://reef.example/"/>
<entry><title>Fish &amp; corals</title><link href="/fish"/><content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml">They <b>swim</b> to <a href="/sea">the sea</a>.</div>
</content></entry>
</feed>"""

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>News</title><link>http://news.example/</link><language>en</language>
<item><title>Storm</title><link>http://news.example/storm</link><description>Short.</description>
<content:encoded><![CDATA[<base href="http://evil.example/"><p>The <a href="/coast">coast</a> is
wet.</p>]]></content:encoded></item>
<item><guid>http://news.example/no-title</guid><description>Nothing but a text.</description></item>
</channel></rss>"""

RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title></channel><item><title>One</title><link>http://old.example/1</link></item>
</rdf:RDF>"""
