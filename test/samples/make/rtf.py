"""RTF as word processors write it: fonts, styles, lists, tables, fields, notes."""
from sample import expect, path_of

ORIGIN = "made for this project by test/samples/make/rtf.py, in the control words of Word and WordPad"
HEAD = (r"{\rtf1\ansi\ansicpg%d\deff0{\fonttbl{\f0\froman\fcharset%d Times New Roman;}{\f1\fnil\fcharset128 MS Mincho;}}"
        "\n" r"{\colortbl;\red0\green0\blue0;}{\stylesheet{\ql\f0 Normal;}{\s1\keepn\outlinelevel0\b heading 1;}"
        r"{\s2\outlinelevel1 heading 2;}{\*\cs10 Default Paragraph Font;}}{\*\generator Word;}"
        r"{\info{\title %s}{\author %s}{\creatim\yr2024\mo2\dy9\hr8\min30}}{\header\pard Confidential header\par}" "\n")


def text(value, page=1252):
    out = ""
    for character in value:
        if character in "\\{}":
            out += "\\" + character
        elif ord(character) < 128:
            out += character
        else:
            try:
                out += "".join(f"\\'{byte:02x}" for byte in character.encode(f"cp{page}"))
            except UnicodeEncodeError:
                units = character.encode("utf-16-le")
                for at in range(0, len(units), 2):
                    unit = int.from_bytes(units[at:at + 2], "little")
                    out += f"\\u{unit - 65536 if unit > 32767 else unit}?"
    return out


def para(value, style="", page=1252):
    return r"\pard\plain%s {%s}\par" % (style, text(value, page)) + "\n"


def row(cells, edges, page=1252, bold=False):
    shape = "".join(rf"\cellx{edge}" for edge in edges)
    mark = r"\b " if bold else ""
    body = "".join(r"{%s%s}\cell " % (mark, text(cell, page)) for cell in cells)
    return r"\trowd\trgaph70" + shape + r"\pard\plain\intbl " + body + r"\row" + "\n"


def save(name, title, author, body, strings, tables=(), page=1252, charset=0, absent=("Confidential header",)):
    data = HEAD % (page, charset, text(title, page), text(author, page)) + body + "}"
    path_of("rtf", f"{name}.rtf").write_bytes(data.encode("ascii"))
    expect("rtf", name, ORIGIN, strings, tables, title, absent)


edges = [2000, 4000, 6000]
save("minutes", "Minutes of the board", "K. Björk",
     para("Minutes of the board", r"\s1") + para("Present: Anna Björk, T. O’Neill – by phone", "")
     + para("Decisions", r"\s2")
     + r"\pard{\listtext 1.\tab}\ilvl0\ls1 The roof is repaired in May.\par{\listtext 2.\tab}The fee stays at {\b 40} \'80.\par" + "\n"
     + r"\pard The offer{\footnote\pard\plain {\super 1} Offer 17 of 2 February.\par} is on {\field{\*\fldinst{ HYPERLINK ""\"https://board.example/offers\" }}{\fldrslt the offers page}}.\par" + "\n",
     ["Minutes of the board", "Present: Anna Björk, T. O’Neill – by phone", "Decisions", "The roof is repaired in May.",
      "The fee stays at 40 €.", "The offer", "the offers page", "Offer 17 of 2 February."])
save("angebot", "Angebot 2024-12", "Malerei Vogt",
     para("Angebot für Fassadenanstrich", r"\s1") + para("Sehr geehrte Frau Groß, gern bieten wir Ihnen an:")
     + row(["Leistung", "Fläche", "Preis"], edges, bold=True) + row(["Grundierung", "120 m²", "960,00 €"], edges)
     + row(["Anstrich, zweifach", "120 m²", "2.160,00 €"], edges) + r"\trowd\clmgf\cellx2000\clmrg\cellx4000\cellx6000\pard\intbl Summe\cell\cell 3.120,00 \'80\cell\row" + "\n"
     + para("Das Angebot gilt bis 30. April. Mit freundlichen Grüßen"),
     ["Angebot für Fassadenanstrich", "Sehr geehrte Frau Groß", "Leistung", "Fläche", "Preis", "Grundierung", "120 m²",
      "960,00 €", "Anstrich, zweifach", "2.160,00 €", "Summe", "3.120,00 €", "Das Angebot gilt bis 30. April."],
     [{"header": ["Leistung", "Fläche", "Preis"], "rows": 3}])
save("pismo", "Письмо жильцам", "ТСЖ «Заря»",
     para("Уважаемые жильцы!", r"\s1", 1251) + para("С 15 марта горячая вода отключается на две недели.", "", 1251)
     + para("Что делать", r"\s2", 1251) + r"\pard{\pntext\'b7\tab}{" + text("закройте краны", 1251) + r"}\par{\pntext\'b7\tab}{"
     + text("проверьте счётчики", 1251) + r"}\par" + "\n",
     ["Уважаемые жильцы!", "С 15 марта горячая вода отключается", "Что делать", "закройте краны", "проверьте счётчики"],
     page=1251, charset=204)
japanese = "".join(f"\\'{byte:02x}" for byte in "来週の会議は水曜日に変更します。資料は表のとおりです。".encode("cp932"))
save("henko", "Change of date", "Sato",
     para("Change of date", r"\s1") + r"\pard {\f1 " + japanese + r"}\par" + "\n" + para("Thank you – 佐藤"),
     ["Change of date", "来週の会議は水曜日に変更します。資料は表のとおりです。", "Thank you – 佐藤"])
save("guide", "Guide for volunteers", "Shelter team",
     para("Guide for volunteers", r"\s1") + para("Feeding & walks", r"\s2")
     + para("Dogs are fed at 7:00 and 17:30; {braces} and back\\slashes stay as they are.")
     + r"\pard {\i Never} feed {\strike chocolate} grapes.{\v hidden words} Ask {\b\i Maria} first.\par" + "\n"
     + r"{\pict\pngblip\picw1\pich1 89504e470d0a}" + r"\pard\page " + text("Emergency numbers") + r"\par" + "\n"
     + row(["Who", "Number"], [2500, 5000], bold=True) + row(["Vet", "+351 210 000 017"], [2500, 5000])
     + row(["Office", "+351 210 000 020"], [2500, 5000]) + para("Obrigado! Köszönjük! Dziękujemy!"),
     ["Guide for volunteers", "Feeding & walks", "Dogs are fed at 7:00 and 17:30", "{braces} and back\\slashes", "Never",
      "feed", "grapes.", "Ask Maria first.", "Emergency numbers", "Who", "Number", "Vet", "+351 210 000 017", "Office",
      "Obrigado! Köszönjük! Dziękujemy!"], [{"header": ["Who", "Number"], "rows": 2}], absent=("hidden words", "89504e"))
