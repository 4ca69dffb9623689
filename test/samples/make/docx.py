"""Makes the Word samples. Needs python-docx, pypandoc_binary and pillow; `python docx.py` writes into ../docx."""

import os
import pathlib
import sys
import tempfile

sys.path[:] = [folder for folder in sys.path if pathlib.Path(folder or ".").resolve() != pathlib.Path(__file__).parent]
import docx  # noqa: E402  (this file has the same name as the package)
import pypandoc  # noqa: E402
from docx.enum.text import WD_BREAK  # noqa: E402
from docx.oxml import parse_xml  # noqa: E402
from docx.oxml.ns import nsdecls, qn  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parent))
from samples import expect, path, picture, when  # noqa: E402

# pandoc takes the time of creation from here.
os.environ["SOURCE_DATE_EPOCH"] = str(int(when.timestamp()))
temporary = pathlib.Path(tempfile.mkdtemp())


def save(document, name, title, author, language):
    core = document.core_properties
    core.title, core.author, core.language, core.comments = title, author, language, ""
    core.created = core.modified = when
    document.save(path(name))


def fill(table, rows):
    for row, texts in zip(table.rows, rows):
        for cell, text in zip(row.cells, texts):
            cell.text = text


def describe(document, alt):
    document.element.body.xpath(".//wp:docPr")[-1].set("descr", alt)


def report():
    """A report: title, lists of three levels, merged cells, hard page breaks, images with and without description."""
    d = docx.Document()
    d.add_heading("Water quality in the Orrin valley", 0)
    d.add_paragraph("Annual report of the catchment board", style="Subtitle")
    d.add_heading("Summary", 1)
    p = d.add_paragraph("Nitrate stayed below ")
    p.add_run("50 mg/l").bold = True
    p.add_run(" at all stations but ")
    p.add_run("Millbrook").italic = True
    p.add_run("; phosphate fell by 12 % (from 0.17 to 0.15 mg/l).")
    d.add_paragraph("What we did", style="List Bullet")
    d.add_paragraph("sampled eleven stations every month", style="List Bullet 2")
    d.add_paragraph("calibrated probes", style="List Bullet 2")
    d.add_paragraph("before each round", style="List Bullet 3")
    d.add_paragraph("What we did not do", style="List Bullet")
    d.add_heading("Measurements", 1)
    d.add_paragraph("Means of twelve months, all in mg/l.", style="Caption")
    t = d.add_table(5, 4, style="Table Grid")
    fill(t, [["Station", "Nitrate", "", "Phosphate"], ["", "2022", "2023", "2023"], ["Upper bridge", "21.4", "20.9", "0.08"],
             ["Millbrook", "53.0", "51.2", "0.31"], ["Estuary", "18.7", "17.5", "0.12"]])
    t.cell(0, 1).merge(t.cell(0, 2))
    t.cell(0, 0).merge(t.cell(1, 0))
    d.add_picture(picture(temporary / "map.png", (90, 140, 190)))
    describe(d, "Map of the eleven stations along the Orrin")
    d.add_picture(picture(temporary / "logo.png", (200, 30, 30)))
    d.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    d.add_heading("Methods", 1)
    d.add_heading("Sampling", 2)
    for text in ["Rinse the bottle three times.", "Fill it below the surface.", "Label it [station/date] & cool it to 4 °C."]:
        d.add_paragraph(text, style="List Number")
    d.add_heading("Laboratory", 2)
    p = d.add_paragraph("NO")
    p.add_run("3").font.subscript = True
    p.add_run(" was measured photometrically; the detection limit is 0.5 mg l")
    p.add_run("-1").font.superscript = True
    d.add_paragraph("Measure what is measurable, and make measurable what is not so.", style="Intense Quote")
    d.add_page_break()
    d.add_heading("Outlook", 1)
    d.add_paragraph("The board will publish raw data under data_2024_*.csv in May.")
    d.sections[0].header.paragraphs[0].text = "Catchment board – confidential draft"
    save(d, "report.docx", "Water quality in the Orrin valley", "Marian Doyle", "en-GB")
    expect("report.docx", "python-docx, written for this project",
           ["Water quality in the Orrin valley", "Annual report of the catchment board", "Summary", "Nitrate stayed below 50 mg/l at all stations but Millbrook; phosphate fell by 12 % (from 0.17 to 0.15 mg/l).",
            "What we did", "sampled eleven stations every month", "calibrated probes", "before each round", "What we did not do", "Measurements",
            "Means of twelve months, all in mg/l.", "Station", "Nitrate", "Phosphate", "2022", "2023", "Upper bridge", "21.4", "0.08", "Millbrook", "51.2", "Estuary",
            "Map of the eleven stations along the Orrin", "Methods", "Sampling", "Rinse the bottle three times.", "Label it [station/date] & cool it to 4 °C.",
            "Laboratory", "was measured photometrically; the detection limit is 0.5 mg l", "Measure what is measurable, and make measurable what is not so.",
            "Outlook", "The board will publish raw data under data_2024_*.csv in May."],
           [(["Station", "Nitrate", "", "Phosphate"], 4)], "Water quality in the Orrin valley", ["confidential draft", "logo.png"])


def minutes():
    """Minutes in German: localised style names, numbered headings, comments, tracked changes, a table of tasks."""
    d = docx.Document()
    for style, name in [("Heading 1", "Überschrift 1"), ("Heading 2", "Überschrift 2")]:
        element = d.styles[style].element
        element.find(qn("w:name")).set(qn("w:val"), name)
        for level in element.iter(qn("w:outlineLvl")):
            level.getparent().remove(level)
    numbering = d.part.numbering_part.element
    numbering.insert(0, parse_xml(f"""<w:abstractNum {nsdecls('w')} w:abstractNumId="90"><w:multiLevelType w:val="multilevel"/>
      <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading1"/><w:lvlText w:val="TOP %1:"/></w:lvl>
      <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>"""))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    for style, level in [("Heading1", 0), ("Heading2", 1)]:
        properties = next(s.element for s in d.styles if s.style_id == style).get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>'))
    heading = lambda text, level: d.add_paragraph(text, style=d.styles[f"Überschrift {level}"])
    d.add_paragraph("Protokoll der Vorstandssitzung", style="Title")
    d.add_paragraph("Ort:\tVereinsheim, Gänsemarkt 7\nZeit:\t12. März 2024, 19:30–21:05 Uhr")
    heading("Begrüßung und Beschlussfähigkeit", 1)
    p = d.add_paragraph("Die Vorsitzende begrüßt die Anwesenden. ")
    run = p.add_run("Sechs von sieben Mitgliedern sind anwesend.")
    d.add_comment(run, text="Frau Öztürk kam erst um 19:50.", author="Kassenwart", initials="KW")
    heading("Kassenbericht", 1)
    heading("Einnahmen", 2)
    p = d.add_paragraph("Die Beiträge betragen ")
    p._p.append(parse_xml(f'<w:del {nsdecls("w")} w:id="1" w:author="A"><w:r><w:delText>11.300</w:delText></w:r></w:del>'))
    p._p.append(parse_xml(f'<w:ins {nsdecls("w")} w:id="2" w:author="A"><w:r><w:t>12.480</w:t></w:r></w:ins>'))
    p.add_run(" Euro.")
    heading("Ausgaben", 2)
    d.add_paragraph("Größter Posten ist die Miete (7.200 Euro).")
    heading("Aufgaben", 1)
    t = d.add_table(4, 3, style="Light Grid Accent 1")
    fill(t, [["Wer", "Was", "Bis wann"], ["Frau Öztürk", "Angebot für das Dach einholen", "31.03."],
             ["Herr Maßmann", "Mahnungen verschicken", "15.04."], ["alle", "Sommerfest:\nHelfer suchen", "laufend"]])
    d.add_paragraph("Nächste Sitzung: 16. April 2024")
    d.sections[0].footer.paragraphs[0].text = "Turnverein Eichenau 1921 e. V."
    save(d, "protokoll.docx", "", "Jürgen Maßmann", "de-DE")
    expect("protokoll.docx", "python-docx, written for this project",
           ["Protokoll der Vorstandssitzung", "Ort:", "Vereinsheim, Gänsemarkt 7", "12. März 2024, 19:30–21:05 Uhr", "TOP 1:", "Begrüßung und Beschlussfähigkeit",
            "Sechs von sieben Mitgliedern sind anwesend.", "TOP 2:", "Kassenbericht", "2.1", "Einnahmen", "Die Beiträge betragen 12.480 Euro.", "2.2", "Ausgaben",
            "Größter Posten ist die Miete (7.200 Euro).", "TOP 3:", "Aufgaben", "Bis wann", "Frau Öztürk", "Angebot für das Dach einholen", "31.03.", "Mahnungen verschicken",
            "Sommerfest:", "Helfer suchen", "laufend", "Nächste Sitzung: 16. April 2024"],
           [(["Wer", "Was", "Bis wann"], 3)], None, ["11.300", "19:50", "Turnverein"])


def article():
    """An article by pandoc: footnotes, equations, code, links, an image."""
    picture(temporary / "rock.png", (120, 130, 60))
    (temporary / "article.md").write_text((pathlib.Path(__file__).parent / "article.md").read_text(encoding="utf-8"), encoding="utf-8")
    pypandoc.convert_file(str(temporary / "article.md"), "docx", outputfile=str(path("article.docx")),
                          extra_args=[f"--resource-path={temporary}"])
    expect("article.docx", "pandoc 3.9 from make/article.md, written for this project",
           ["How fast do lichens grow?", "Ada Örn", "The question", "Lichens grow slowly", "some species reach 0.5 mm a year", "the survey", "Species differ:", "Rhizocarpon geographicum",
            "the slowest", "Xanthoria parietina", "on bark", "on stone", "The model", "The radius after", "years is", r"\frac{", "and the mean of", r"\sum_{i=1}^{n}", r"\sqrt{", "where", r"\begin{pmatrix}", "In code",
            "def radius(t, rate=0.5):", "return rate * t  # mm", "Call", "radius(12)", "Radii", "Species", "Rate (mm/a)", "Rhizocarpon", "0.5", "Xanthoria", "2.5",
            "A yellow lichen on a rock", "Patience is the first tool of a lichenologist.", "Measured on gravestones with known dates.", "Two readings a year."],
           [(["Species", "Rate (mm/a)", "Sites"], 2)], "How fast do lichens grow?")


def contract():
    """A contract: clauses numbered 1., 1.1, (a), a list that begins anew, a nested table, a text box, notes of both kinds."""
    d = docx.Document()
    numbering = d.part.numbering_part.element
    levels = [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("lowerRoman", "%4.")]
    xml = "".join(f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{f}"/><w:lvlText w:val="{t}"/></w:lvl>' for at, (f, t) in enumerate(levels))
    numbering.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="80">{xml}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="80"><w:abstractNumId w:val="80"/></w:num>'))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="81"><w:abstractNumId w:val="80"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'))

    def clause(level, text, num=80):
        p = d.add_paragraph(text)
        p._p.get_or_add_pPr().append(parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>'))
        return p

    d.add_heading("Service Agreement", 0)
    p = d.add_paragraph("This agreement is made between Northwind Mills Ltd and ")
    p.add_run("Harbour Software GmbH").bold = True
    p.add_run(', together "the parties".')
    clause(0, "Definitions")
    clause(1, "In this agreement, unless the context requires otherwise:")
    clause(2, '"Fees" means the amounts in Schedule A;')
    clause(2, '"Working day" means a day other than')
    clause(3, "a Saturday or Sunday, or")
    clause(3, "a bank holiday in England.")
    clause(1, "Headings do not affect interpretation.")
    clause(0, "Term and termination")
    clause(1, "Either party may terminate with 30 days' notice.")
    d.add_paragraph("Signed on behalf of the parties.")
    clause(0, "First annex", 81)
    clause(0, "Second annex", 81)
    d.add_heading("Schedule A", 1)
    t = d.add_table(3, 2, style="Table Grid")
    fill(t, [["Service", "Terms"], ["Hosting", ""], ["Support", "Working days, 9:00 to 17:00"]])
    inner = t.cell(1, 1).add_table(2, 2)
    fill(inner, [["Storage", "200 GB"], ["Traffic", "unlimited"]])
    p = d.add_paragraph("Fees are due within 14 days.")
    box = f"""<w:r {nsdecls('w')} xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape style="width:200pt"><v:textbox><w:txbxContent>
      <w:p><w:r><w:t>Note: VAT is added at the rate of the day.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>"""
    p._p.append(parse_xml(box))
    p = d.add_paragraph("Disputes go to the courts of ")
    for text in ["London", ", whose decision", " is final."]:
        p.add_run(text)
    p.runs[2].font.hidden = True
    p = d.add_paragraph("See ")
    p._p.append(parse_xml(f"""<w:r {nsdecls('w')}><w:fldChar w:fldCharType="begin"/></w:r>"""))
    p._p.append(parse_xml(f"""<w:r {nsdecls('w')}><w:instrText xml:space="preserve"> HYPERLINK "https://example.com/terms?v=2" </w:instrText></w:r>"""))
    p._p.append(parse_xml(f"""<w:r {nsdecls('w')}><w:fldChar w:fldCharType="separate"/></w:r>"""))
    p.add_run("our terms")
    p._p.append(parse_xml(f"""<w:r {nsdecls('w')}><w:fldChar w:fldCharType="end"/></w:r>"""))
    save(d, "contract.docx", "Document1", "Legal", "en-GB")
    expect("contract.docx", "python-docx, written for this project",
           ["Service Agreement", "This agreement is made between Northwind Mills Ltd and Harbour Software GmbH, together \"the parties\".", "1.", "Definitions", "1.1",
            "In this agreement, unless the context requires otherwise:", "(a)", '"Fees" means the amounts in Schedule A;', "(b)", '"Working day" means a day other than', "i.", "a Saturday or Sunday, or",
            "ii.", "a bank holiday in England.", "1.2", "Headings do not affect interpretation.", "2.", "Term and termination", "2.1", "Either party may terminate with 30 days' notice.",
            "Signed on behalf of the parties.", "1.", "First annex", "2.", "Second annex", "Schedule A", "Service", "Terms", "Hosting", "Storage", "200 GB", "Traffic", "unlimited",
            "Support", "Working days, 9:00 to 17:00", "Fees are due within 14 days.", "Note: VAT is added at the rate of the day.", "Disputes go to the courts of London is final.", "our terms"],
           [(["Service", "Terms"], 2)], None, [", whose decision", "HYPERLINK"])


def invoice():
    """An invoice in French: tables for the layout, totals over several columns, no headings."""
    d = docx.Document()
    top = d.add_table(1, 2)
    fill(top, [["Atelier Lefèvre\n12, rue des Tanneurs\n67000 Strasbourg", "Facture n° 2024-0173\nDate : 8 mars 2024"]])
    d.add_paragraph("Madame, Monsieur,")
    d.add_paragraph("nous vous prions de trouver ci-dessous le détail de notre prestation « reliure d'œuvres ».")
    t = d.add_table(6, 4, style="Table Grid")
    fill(t, [["Désignation", "Quantité", "Prix unitaire", "Montant"], ["Reliure plein cuir", "3", "240,00 €", "720,00 €"],
             ["Restauration | coins", "6", "35,50 €", "213,00 €"], ["Total HT", "", "", "933,00 €"], ["TVA 20 %", "", "", "186,60 €"], ["Total TTC", "", "", "1 119,60 €"]])
    for row in (3, 4, 5):
        t.cell(row, 0).merge(t.cell(row, 2))
    for run in t.cell(5, 3).paragraphs[0].runs:
        run.bold = True
    d.add_paragraph("Règlement à 30 jours ; pénalités : 3 × le taux légal.")
    p = d.add_paragraph("IBAN : ")
    run = p.add_run("FR76 3000 6000 0112 3456 7890 189")
    run.font.name = "Courier New"
    save(d, "facture.docx", "Facture 2024-0173", "Atelier Lefèvre", "fr-FR")
    expect("facture.docx", "python-docx, written for this project",
           ["Atelier Lefèvre", "12, rue des Tanneurs", "67000 Strasbourg", "Facture n° 2024-0173", "Date : 8 mars 2024", "Madame, Monsieur,",
            "le détail de notre prestation « reliure d'œuvres ».", "Désignation", "Quantité", "Prix unitaire", "Montant", "Reliure plein cuir", "240,00 €", "720,00 €", "Restauration", "coins",
            "213,00 €", "Total HT", "933,00 €", "TVA 20 %", "186,60 €", "Total TTC", "1 119,60 €", "Règlement à 30 jours ; pénalités : 3 × le taux légal.", "IBAN :", "FR76 3000 6000 0112 3456 7890 189"],
           [(["Désignation", "Quantité", "Prix unitaire", "Montant"], 5)], "Facture 2024-0173")


def manual():
    """A manual in Japanese with code, ruby, a table of contents, and pages as Word last broke them."""
    d = docx.Document()
    d.add_heading("検索サーバー 操作手順書", 0)
    body = d.element.body
    contents = f"""<w:sdt {nsdecls('w')}><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>
      <w:p><w:r><w:t>目次</w:t></w:r></w:p><w:p><w:r><w:t>はじめに 2</w:t></w:r></w:p></w:sdtContent></w:sdt>"""
    body.insert(len(body) - 1, parse_xml(contents))
    d.add_heading("第一章 はじめに", 1)
    p = d.add_paragraph("本書は検索サーバーの起動と停止の手順を説明する。担当は")
    p._p.append(parse_xml(f"""<w:r {nsdecls('w')}><w:ruby><w:rt><w:r><w:t>はたなか</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>畠中</w:t></w:r></w:rubyBase></w:ruby></w:r>"""))
    p.add_run("である。")
    d.add_heading("起動", 2)
    for text in ["設定ファイルを確認する。", "次の命令を実行する。"]:
        d.add_paragraph(text, style="List Number")
    for text in ["$ systemctl start search-server", "$ curl http://localhost:9200/_health", "    status: green"]:
        run = d.add_paragraph().add_run(text)
        run.font.name = "Consolas"
    p = d.add_paragraph("状態が")
    p.add_run("「green」").bold = True
    p.add_run("になれば完了である。")
    p._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/><w:t>次の頁では停止を扱う。</w:t></w:r>"))
    p = d.add_heading("停止", 2)
    p._p.insert(1, parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/></w:r>"))
    t = d.add_table(3, 2, style="Table Grid")
    fill(t, [["信号", "意味"], ["SIGTERM", "通常の停止"], ["SIGKILL", "強制終了（最後の手段）"]])
    save(d, "manual-ja.docx", "検索サーバー 操作手順書", "運用部", "ja-JP")
    expect("manual-ja.docx", "python-docx, written for this project",
           ["検索サーバー 操作手順書", "第一章 はじめに", "本書は検索サーバーの起動と停止の手順を説明する。", "畠中", "はたなか", "である。", "起動", "設定ファイルを確認する。", "次の命令を実行する。",
            "$ systemctl start search-server", "$ curl http://localhost:9200/_health", "status: green", "状態が「green」になれば完了である。", "次の頁では停止を扱う。", "停止", "信号", "意味", "SIGTERM",
            "通常の停止", "SIGKILL", "強制終了（最後の手段）"],
           [(["信号", "意味"], 2)], "検索サーバー 操作手順書", ["目次"])


for make in (report, minutes, article, contract, invoice, manual):
    make()
