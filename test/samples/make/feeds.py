"""RSS and Atom samples in the dialects of the programs that write them. Run: python3 feeds.py"""
import json, pathlib
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).parent.parent


def save(format, name, text, strings, title, origin, encoding="utf-8"):
    folder = ROOT / format
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.{format}").write_bytes(text.encode(encoding))
    told = {"origin": f"{origin} Made for this project by make/feeds.py.", "strings": strings, "tables": [], "title": title}
    (folder / f"{name}.expected.json").write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")


POSTS = [
    ("Why we moved our builds to one machine", "Mira Okafor", "Mon, 04 Mar 2024 08:30:00 +0000", "2024-03-04T08:30:00Z", ["Engineering", "CI"],
     ["For years each team ran its own build server.", "The bill was <strong>three times</strong> what one machine costs.", "<h2>What changed</h2>", "Builds wait less, because idle time is shared."]),
    ("A garden for everybody", "Jón Þórsson", "Tue, 12 Mar 2024 17:05:00 +0100", "2024-03-12T17:05:00+01:00", ["Community"],
     ["The allotments behind the school open in April.", "Tools are in the <a href=\"/shed\">shed</a>; bring gloves.", "<ul><li>Beans</li><li>Pumpkins</li><li>Sweet peas</li></ul>"]),
    ("Release 4.2", "The team", "Fri, 22 Mar 2024 12:00:00 GMT", "2024-03-22T12:00:00Z", [],
     ["This release fixes the search &amp; the export.", "<pre><code class=\"language-sh\">npm install tool@4.2</code></pre>", "Upgrading takes a minute."]),
    ("Notes from the reading room", "Zoë & Al", "Sun, 31 Mar 2024 09:00:00 +0200", "2024-03-31T09:00:00+02:00", ["Books", "Events"],
     ["We read <em>Middlemarch</em> until May.", "“Nobody was late”, said the host.", "The next meeting is on 7 April."]),
]


def plain(html):
    import re
    text = re.sub(r"<[^>]+>", "|", html).replace("&amp;", "&")
    return [part.strip(" ;.,:“”") for part in text.split("|") if len(part.strip(" ;.,:“”")) > 3]


def strings(posts, dates=True):
    return [s for title, author, _, iso, cats, body in posts for s in [title, *([iso[:10]] if dates else []), author, *cats, *[p for line in body for p in plain(line)]]]


def body(lines):
    return "\n".join(line if line.startswith("<") else f"<p>{line}</p>" for line in lines)


NS = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"'


def rss_item(n, post, host, full=True):
    title, author, date, _, cats, lines = post
    return f"""<item>
  <title>{escape(title)}</title>
  <link>https://{host}/{n}/</link>
  <dc:creator><![CDATA[{author}]]></dc:creator>
  <pubDate>{date}</pubDate>
  {"".join(f"<category><![CDATA[{c}]]></category>" for c in cats)}
  <guid isPermaLink="false">https://{host}/?p={n}</guid>
  <description><![CDATA[{plain(lines[0])[0]} [&#8230;]]]></description>
  {f"<content:encoded><![CDATA[{body(lines)}]]></content:encoded>" if full else ""}
</item>"""


head = '<?xml version="1.0" encoding="UTF-8"?>\n'
save("rss", "blog", f"""{head}<rss version="2.0" {NS}><channel><title>The Workshop &#8211; Notes</title>
<atom:link href="https://workshop.example/feed/" rel="self" type="application/rss+xml"/><link>https://workshop.example</link>
<description>What we learn while building</description><lastBuildDate>Sun, 31 Mar 2024 10:00:00 +0000</lastBuildDate><language>en-US</language>
<generator>https://wordpress.org/?v=6.4.3</generator>{"".join(rss_item(n, p, "workshop.example") for n, p in enumerate(POSTS, 1))}</channel></rss>""",
     ["The Workshop – Notes", "What we learn while building", *strings(POSTS)], "The Workshop – Notes", "In the dialect of WordPress.")
save("rss", "podcast", f"""{head}<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Night Trains</title><link>https://trains.example</link>
<description>Conversations on rails.</description><language>en</language><itunes:author>Ada Berg</itunes:author>
<item><title>Vienna to Rome</title><itunes:author>Ada Berg</itunes:author><pubDate>Wed, 01 May 2024 04:00:00 GMT</pubDate><description>&lt;p&gt;We leave at ten. &lt;b&gt;Guest:&lt;/b&gt; a conductor.&lt;/p&gt;</description>
<enclosure url="https://trains.example/1.mp3" length="31415926" type="audio/mpeg"/><itunes:duration>41:20</itunes:duration></item>
<item><title>The sleeper that never came</title><pubDate>Wed, 08 May 2024 04:00:00 GMT</pubDate><itunes:summary>A strike, a bench and a thermos.</itunes:summary>
<enclosure url="https://trains.example/2.mp3" length="2718281" type="audio/mpeg"/></item></channel></rss>""",
     ["Night Trains", "Conversations on rails", "Vienna to Rome", "2024-05-01", "Ada Berg", "https://trains.example/1.mp3", "We leave at ten", "a conductor", "The sleeper that never came", "2024-05-08", "https://trains.example/2.mp3", "A strike, a bench and a thermos"], "Night Trains", "A podcast.")
rdf_items = [("Mehr Geld für Radwege", "2024-04-02", "Der Gemeinderat beschloss am Dienstag ein Programm über fünf Jahre."), ("Brücke über die Enns gesperrt", "2024-04-03", "Autos werden bis Juni umgeleitet; Fußgänger können weiter hinüber."), ("Museum zeigt Alltag um 1900", "2024-04-05", "Die Ausstellung „Küche und Kammer“ beginnt am Samstag.")]
save("rss", "nachrichten", f"""<?xml version="1.0" encoding="ISO-8859-1"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://zeitung.example/"><title>Stadtzeitung</title><link>https://zeitung.example/</link><description>Nachrichten aus der Stadt</description><dc:language>de</dc:language>
<items><rdf:Seq>{"".join(f'<rdf:li rdf:resource="https://zeitung.example/{n}"/>' for n in range(3))}</rdf:Seq></items></channel>
{"".join(f'<item rdf:about="https://zeitung.example/{n}"><title>{t}</title><link>https://zeitung.example/{n}</link><dc:date>{d}T10:00:00+02:00</dc:date><dc:creator>red</dc:creator><description>{b}</description></item>' for n, (t, d, b) in enumerate(rdf_items))}</rdf:RDF>""".replace("„", "&#8222;").replace("“", "&#8220;"),
     ["Stadtzeitung", "Nachrichten aus der Stadt", *[s for t, d, b in rdf_items for s in (t, d, b)]], "Stadtzeitung", "RSS 1.0 (RDF) in ISO-8859-1.", "latin-1")
save("rss", "old", """<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>Harbour log</title><link>http://harbour.example/</link><description>Ships in and out</description><language>en</language>
<item><title>Aurora arrived</title><link>http://harbour.example/1</link><description>From Bergen with timber &amp; fish.</description></item>
<item><title>Sirius leaves at dawn</title><link>http://harbour.example/2</link><description>Bound for Hull; crew of nine.</description></item></channel></rss>""",
     ["Harbour log", "Ships in and out", "Aurora arrived", "http://harbour.example/1", "From Bergen with timber & fish", "Sirius leaves at dawn", "Bound for Hull; crew of nine"], "Harbour log", "RSS 0.91 with its DOCTYPE.")
save("rss", "jobs", f"""{head}<rss version="2.0"><channel><title>求人情報 - 開発</title><link>https://shigoto.example/</link><description>新着の求人</description><language>ja</language>
<item><title>バックエンドエンジニア（東京）</title><link>https://shigoto.example/101</link><pubDate>Thu, 11 Apr 2024 09:00:00 +0900</pubDate><description><![CDATA[<p>年収：600万円～</p><table><tr><th>勤務地</th><th>勤務時間</th></tr><tr><td>渋谷区</td><td>10時～19時</td></tr></table>]]></description></item>
<item><title>品質保証担当</title><link>https://shigoto.example/102</link><pubDate>Fri, 12 Apr 2024 09:00:00 +0900</pubDate><description>在宅勤務できます。</description></item></channel></rss>""",
     ["求人情報 - 開発", "新着の求人", "バックエンドエンジニア（東京）", "2024-04-11", "年収：600万円～", "勤務地", "勤務時間", "渋谷区", "10時～19時", "品質保証担当", "在宅勤務できます"], "求人情報 - 開発", "A list of jobs with a table, in Japanese.")

AT = 'xmlns="http://www.w3.org/2005/Atom"'


def entry(n, post, kind):
    title, author, _, iso, cats, lines = post
    content = {"html": f'<content type="html">{escape(body(lines))}</content>', "xhtml": f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{body(lines)}</div></content>',
               "text": f"<summary>{escape(' '.join(' '.join(plain(line)) for line in lines))}</summary>"}[kind]
    return f"""<entry><id>tag:x.example,2024:{n}</id><title>{escape(title)}</title><link rel="alternate" type="text/html" href="https://x.example/{n}"/><published>{iso}</published><updated>{iso}</updated>
<author><name>{escape(author)}</name></author>{"".join(f'<category term="{c}"/>' for c in cats)}{content}</entry>"""


for name, kind, title, origin in [("static-site", "html", "Stone by Stone", "In the dialect of Jekyll."), ("journal", "xhtml", "A Slow Journal", "With XHTML within."), ("summaries", "text", "In Short", "With plain summaries alone.")]:
    save("atom", name, f"""{head}<feed {AT} xml:lang="en"><generator uri="https://jekyllrb.com/" version="4.3.3">Jekyll</generator><link href="https://x.example/feed.xml" rel="self"/><link href="https://x.example/" rel="alternate"/>
<updated>2024-03-31T09:00:00Z</updated><id>https://x.example/feed.xml</id><title type="html">{title}</title><subtitle>Written slowly.</subtitle>{"".join(entry(n, p, kind) for n, p in enumerate(POSTS, 1))}</feed>""",
         [title, "Written slowly", *strings(POSTS)], title, origin)
releases = [("v2.1.0", "2024-02-01T12:00:00Z", "<h2>Added</h2><ul><li>Reads TOML</li><li>Option <code>--quiet</code></li></ul><h2>Fixed</h2><p>A crash on empty files (<a href=\"https://code.example/i/41\">#41</a>)</p>", ["Added", "Reads TOML", "Option --quiet", "Fixed", "A crash on empty files", "#41"]),
            ("v2.0.0", "2024-01-10T12:00:00Z", "<p>Breaking: the default is now UTF-8.</p><table><thead><tr><th>Before</th><th>Now</th></tr></thead><tbody><tr><td>latin-1</td><td>utf-8</td></tr></tbody></table>", ["Breaking: the default is now UTF-8", "Before", "Now", "latin-1", "utf-8"])]
save("atom", "releases", f"""{head}<feed {AT} xmlns:media="http://search.yahoo.com/mrss/" xml:lang="en-US"><id>tag:code.example,2008:https://code.example/tool/releases</id><link type="text/html" rel="alternate" href="https://code.example/tool/releases"/><title>Release notes from tool</title><updated>2024-02-01T12:00:00Z</updated>
{"".join(f'<entry><id>{v}</id><updated>{d}</updated><link rel="alternate" type="text/html" href="https://code.example/tool/releases/tag/{v}"/><title>{v}</title><content type="html">{escape(h)}</content><author><name>mira</name></author></entry>' for v, d, h, _ in releases)}</feed>""",
     ["Release notes from tool", *[s for v, d, _, known in releases for s in (v, d[:10], "mira", *known)]], "Release notes from tool", "In the dialect of a code host's releases.")
videos = [("How bread rises", "2024-05-05T10:00:00+00:00", "Flour, water, salt and time.\n0:00 Start\n2:10 Kneading"), ("Sharpening a knife", "2024-05-12T10:00:00+00:00", "Two stones, ten minutes.")]
save("atom", "videos", f"""{head}<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" {AT}><title>Kitchen Bench</title><link rel="alternate" href="https://v.example/c/kitchen"/><author><name>Kitchen Bench</name></author>
{"".join(f'<entry><id>yt:{n}</id><title>{t}</title><link rel="alternate" href="https://v.example/w/{n}"/><author><name>Kitchen Bench</name></author><published>{d}</published><updated>{d}</updated><media:group><media:title>{t}</media:title><media:description>{b}</media:description></media:group></entry>' for n, (t, d, b) in enumerate(videos))}</feed>""",
     ["Kitchen Bench", *[s for t, d, b in videos for s in (t, d[:10], *b.split("\n"))]], "Kitchen Bench", "A channel of videos.")
