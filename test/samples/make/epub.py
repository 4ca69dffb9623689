"""EPUB books by EbookLib, with a table of contents, notes and tables."""
import datetime as dt

from ebooklib import epub
from sample import expect, path_of

ORIGIN = "made for this project by test/samples/make/epub.py with EbookLib"
FIXED = dt.datetime(2024, 3, 1, 9, 0)


def book(name, title, author, language, chapters, strings, tables=(), absent=()):
    made = epub.EpubBook()
    made.set_identifier(f"urn:sample:{name}")
    made.set_title(title)
    made.set_language(language)
    made.add_author(author)
    made.add_metadata("DC", "date", "2023-10-05")
    pages = []
    for at, (heading, body) in enumerate(chapters, 1):
        page = epub.EpubHtml(title=heading, file_name=f"text/chapter{at}.xhtml", lang=language, content=body)
        made.add_item(page)
        pages.append(page)
    made.toc = tuple(pages)
    made.add_item(epub.EpubNcx())
    made.add_item(epub.EpubNav())
    made.spine = ["nav", *pages]
    epub.write_epub(str(path_of("epub", f"{name}.epub")), made, {"mtime": FIXED})
    expect("epub", name, ORIGIN, strings, tables, title, absent)


def note(number, text):
    return (f'<a epub:type="noteref" href="#n{number}">{number}</a>',
            f'<aside epub:type="footnote" id="n{number}"><p>{text}</p></aside>')


ref, aside = note(1, "The barometer of the pilot house fell by eleven millibars that night.")
book("harbour", "The Harbour at Night", "Ada Lund", "en", [
    ("The pilot", f"<h1>The pilot</h1><p>Nobody had seen the <em>Marianne</em> since noon.{ref} The lamps were lit early.</p>"
     f"<blockquote><p>“She will come with the tide,” said the pilot.</p></blockquote>{aside}"),
    ("The tide", "<h1>The tide</h1><h2>High water</h2><p>At four the water stood at the third step.</p><table><tr><th>Hour</th>"
     "<th>Depth</th></tr><tr><td>02:00</td><td>3.1 m</td></tr><tr><td>04:00</td><td>4.6 m</td></tr></table>"),
], ["The Harbour at Night", "The pilot", "Nobody had seen the Marianne since noon.", "The lamps were lit early.",
    "She will come with the tide", "The barometer of the pilot house fell", "The tide", "High water",
    "the water stood at the third step", "Hour", "Depth", "02:00", "3.1 m", "04:00", "4.6 m"],
    [{"header": ["Hour", "Depth"], "rows": 2}])
book("kochbuch", "Brot und Suppe", "Grete Aigner", "de", [
    ("Vorwort", "<h1>Vorwort</h1><p>Dieses Buch entstand an langen Abenden in der Küche meiner Großmutter.</p>"),
    ("Roggenbrot", "<h1>Roggenbrot</h1><h2>Zutaten</h2><ul><li>500 g Roggenmehl</li><li>10 g Salz</li><li>350 ml Wasser</li></ul>"
     "<h2>Zubereitung</h2><ol><li>Sauerteig ansetzen.</li><li>Über Nacht ruhen lassen.</li><li>Bei 240 °C backen.</li></ol>"
     '<p><img src="../images/brot.jpg" alt="Ein aufgeschnittener Laib Brot"/></p>'),
], ["Brot und Suppe", "Vorwort", "Küche meiner Großmutter", "Roggenbrot", "Zutaten", "500 g Roggenmehl", "10 g Salz",
    "350 ml Wasser", "Zubereitung", "Sauerteig ansetzen.", "Über Nacht ruhen lassen.", "Bei 240 °C backen.",
    "Ein aufgeschnittener Laib Brot"])
book("tsuki", "月の庭", "森 さくら", "ja", [
    ("第一章", "<h1>第一章 庭</h1><p>その庭には、<ruby>月<rt>つき</rt></ruby>の出る夜にだけ開く門があった。</p>"),
    ("第二章", "<h1>第二章 門</h1><p>門番は何も言わずに鍵を渡した。</p><p>「朝までに返しなさい」</p>"),
], ["月の庭", "第一章 庭", "の出る夜にだけ開く門があった。", "第二章 門", "門番は何も言わずに鍵を渡した。", "朝までに返しなさい"])
book("manual", "Pump P-200: Operating Manual", "Hydra Works", "en", [
    ("Safety", "<h1>Safety</h1><p><strong>Warning:</strong> disconnect the mains before opening the housing.</p>"),
    ("Start-up", "<h1>Start-up</h1><p>Set the mode on the command line:</p><pre><code>pumpctl --mode auto\npumpctl status</code></pre>"
     '<p>See <a href="https://hydra.example/p200">the web page</a> or <a href="chapter1.xhtml">Safety</a>.</p>'),
    ("Faults", "<h1>Faults</h1><table><tr><th>Code</th><th>Cause</th><th>Remedy</th></tr><tr><td>E1</td><td>Dry run</td>"
     "<td>Fill the suction line</td></tr><tr><td>E7</td><td>Over-temperature</td><td>Let it cool for 20 min</td></tr></table>"),
], ["Pump P-200: Operating Manual", "Safety", "Warning:", "disconnect the mains", "Start-up", "pumpctl --mode auto",
    "pumpctl status", "the web page", "Faults", "Code", "Cause", "Remedy", "E1", "Dry run", "Fill the suction line", "E7",
    "Let it cool for 20 min"], [{"header": ["Code", "Cause", "Remedy"], "rows": 2}])
book("poemes", "Poèmes du matin", "Louis Astier", "fr", [
    ("Aube", "<h1>Aube</h1><p>La lumière vient<br/>sans frapper à la porte,<br/>elle connaît la maison.</p>"),
    ("Midi", "<h1>Midi</h1><p>Le puits se tait,<br/>l’âne cherche son ombre.</p>"),
], ["Poèmes du matin", "Aube", "La lumière vient", "sans frapper à la porte,", "elle connaît la maison.", "Midi",
    "Le puits se tait,", "l’âne cherche son ombre."])
