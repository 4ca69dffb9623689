"""Makes the OpenDocument samples of texts and presentations. Needs odfpy, docutils, pypandoc_binary and pillow.

`python opendocument.py FOLDER` writes into ../odt and ../odp; FOLDER is odfpy's source distribution (1.4.1), from
which documents are taken that LibreOffice and OpenOffice.org wrote.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile

from docutils.core import publish_file
from odf import dc, draw, meta, office, presentation, style, svg, table, text
from odf.namespaces import PRESENTATIONNS
from odf.opendocument import OpenDocumentPresentation, OpenDocumentText
import pypandoc
from samples import expect, path, picture, rewrite, when

here = pathlib.Path(__file__).parent
odfpy = pathlib.Path(sys.argv[1])
os.environ["SOURCE_DATE_EPOCH"] = str(int(when.timestamp()))
temporary = pathlib.Path(tempfile.mkdtemp())


def describe(document, title, author, language):
    document.meta.addElement(dc.Title(text=title))
    document.meta.addElement(meta.InitialCreator(text=author))
    document.meta.addElement(dc.Language(text=language))
    document.meta.addElement(meta.CreationDate(text=when.isoformat()))


def add(parent, made):
    parent.addElement(made)
    return made


def list_of(items, name):
    """A list; a tuple is the list within the item before it."""
    made = text.List(stylename=name)
    item = None
    for one in items:
        if isinstance(one, tuple):
            item.addElement(list_of(one, name))
        else:
            item = add(made, text.ListItem())
            item.addElement(text.P(text=one))
    return made


def list_style(document, name, *levels):
    made = text.ListStyle(name=name)
    for level, kind in enumerate(levels, 1):
        if kind == "-":
            made.addElement(text.ListLevelStyleBullet(level=str(level), bulletchar="•"))
        else:
            made.addElement(text.ListLevelStyleNumber(level=str(level), numformat=kind[0], numsuffix=kind[1:]))
    document.automaticstyles.addElement(made)
    return name


def rows(parent, texts):
    for line in texts:
        row = add(parent, table.TableRow())
        for one in line:
            if one is None:
                row.addElement(table.CoveredTableCell())
                continue
            one, spans = one if isinstance(one, tuple) else (one, {})
            cell = add(row, table.TableCell(**spans))
            cell.addElement(text.P(text=one))


def protocol():
    """Minutes in Italian: lists, spans, repeated cells, notes, an annotation, tracked changes, page breaks."""
    d = OpenDocumentText()
    describe(d, "Verbale dell'assemblea", "Giulia Ferri", "it-IT")
    bold = add(d.automaticstyles, style.Style(name="T1", family="text"))
    bold.addElement(style.TextProperties(fontweight="bold"))
    broken = add(d.automaticstyles, style.Style(name="P1", family="paragraph", parentstylename="Text_20_body"))
    broken.addElement(style.ParagraphProperties(breakbefore="page"))
    steps = list_style(d, "L1", "1.", "a)", "-")
    d.text.addElement(text.H(outlinelevel=1, text="Verbale dell'assemblea"))
    p = add(d.text, text.P(text="Presenti "))
    p.addElement(text.Span(stylename="T1", text="quattordici soci"))
    p.addText(" su venti; presiede Giulia Ferri")
    note = add(p, text.Note(noteclass="footnote", id="n1"))
    note.addElement(text.NoteCitation(text="1"))
    add(note, text.NoteBody()).addElement(text.P(text="Eletta il 3 febbraio."))
    p.addText(".")
    remark = add(p, office.Annotation())
    remark.addElement(text.P(text="Controllare il numero dei soci"))
    d.text.addElement(text.H(outlinelevel=2, text="Ordine del giorno"))
    d.text.addElement(list_of(["Bilancio", ("entrate", "uscite", ("affitto", "luce e gas")), "Elezioni", "Varie ed eventuali"], steps))
    d.text.addElement(text.P(text="Dopo una pausa si prosegue."))
    more = list_of(["Chiusura"], steps)
    more.setAttribute("continuenumbering", "true")
    d.text.addElement(more)
    d.text.addElement(text.H(outlinelevel=2, text="Bilancio"))
    t = add(d.text, table.Table(name="Bilancio"))
    t.addElement(table.TableColumn(numbercolumnsrepeated="4"))
    rows(add(t, table.TableHeaderRows()), [["Voce", ("Importo", {"numbercolumnsspanned": "2"}), None]])
    rows(t, [[("Quote", {"numberrowsspanned": "2"}), "2022", "1.200 €"], [None, "2023", "1.340 €"]])
    row = add(t, table.TableRow())
    row.addElement(table.TableCell(numbercolumnsrepeated="3"))
    empty = add(t, table.TableRow(numberrowsrepeated="500000"))
    empty.addElement(table.TableCell(numbercolumnsrepeated="1000"))
    d.text.addElement(text.P(stylename=broken, text="La seduta è tolta alle 22:15."))
    p = add(d.text, text.P())
    link = add(p, text.A(href="https://example.org/statuto", type="simple"))
    link.addText("Statuto")
    p.addElement(text.S(c="3"))
    p.addText("(versione")
    p.addElement(text.SoftPageBreak())
    p.addText(" del 2021)")
    frame = add(add(d.text, text.P()), draw.Frame(width="2cm", height="1cm", anchortype="as-char"))
    href = d.addPicture(picture(temporary / "firma.png", (20, 30, 90)))
    frame.addElement(draw.Image(href=href))
    frame.addElement(svg.Desc(text="Firma della presidente"))
    d.save(path("verbale.odt"))
    expect("verbale.odt", "odfpy, written for this project",
           ["Verbale dell'assemblea", "Presenti quattordici soci su venti; presiede Giulia Ferri", "Ordine del giorno", "1.", "Bilancio", "a)", "entrate", "b)", "uscite", "affitto", "luce e gas", "2.", "Elezioni",
            "3.", "Varie ed eventuali", "Dopo una pausa si prosegue.", "4.", "Chiusura", "Bilancio", "Voce", "Importo", "Quote", "2022", "1.200 €", "2023", "1.340 €", "La seduta è tolta alle 22:15.",
            "Statuto", "(versione del 2021)", "Firma della presidente", "Eletta il 3 febbraio."],
           [(["Voce", "Importo", ""], 2)], "Verbale dell'assemblea", ["Controllare"])


def article():
    picture(temporary / "rock.png", (120, 130, 60))
    pypandoc.convert_file(str(here / "article.md"), "odt", outputfile=str(path("article.odt")), extra_args=[f"--resource-path={temporary}"])
    expect("article.odt", "pandoc 3.9 from make/article.md, written for this project",
           ["How fast do lichens grow?", "Ada Örn", "The question", "Lichens grow slowly", "some species reach 0.5 mm a year", "the survey", "Species differ:", "1.", "Rhizocarpon geographicum", "2.",
            "Xanthoria parietina", "on bark", "on stone", "The model", "The radius after", "years is", r"\frac{", "and the mean of", r"\sum_{i=1}^{n}", r"\sqrt{", "where", r"\begin{pmatrix}",
            "In code", "def radius(t, rate=0.5):", "return rate * t  # mm", "Call", "radius(12)", "Radii", "Species", "Rhizocarpon", "0.5", "Xanthoria", "2.5", "A yellow lichen on a rock",
            "Patience is the first tool of a lichenologist.", "Measured on gravestones with known dates.", "Two readings a year."],
           [(["Species", "Rate (mm/a)", "Sites"], 2)], "How fast do lichens grow?")


def manual():
    publish_file(source_path=str(here / "manual.rst"), destination_path=str(path("handbuch.odt")), writer_name="odt",
                 settings_overrides={"language_code": "de", "datestamp": None, "generator": False})
    rewrite(path("handbuch.odt"), lambda name, data: re.sub(rb"(?<=date>)[^<]+", when.isoformat().encode(), data) if name == "meta.xml" else data)
    expect("handbuch.odt", "docutils (rst2odt) from make/manual.rst, written for this project",
           ["Handbuch der Wetterstation", "Aufbau", "Die Station misst Temperatur, Luftdruck und Wind.", "Mast aufstellen", "Fundament gießen", "24 Stunden warten", "Sensoren anschließen", "Messwerte", "Größe", "Einheit",
            "Bereich", "Temperatur", "°C", "−40 bis 60", "Luftdruck", "hPa", "800 bis 1100", "Abfrage", "Die Werte kommen über eine serielle Leitung:", "import serial", "print(port.readline())",
            "Die Dokumentation steht unter example.org.", "Achtung", "Blitzschutz prüfen."],
           [(["Größe", "Einheit", "Bereich"], 2)], "Handbuch der Wetterstation")


def deck():
    """A talk in Spanish: notes, a table, lists, groups, a hidden slide, a picture with its description."""
    d = OpenDocumentPresentation()
    describe(d, "Huertos urbanos", "Lucía Prado", "es-ES")
    layout = add(d.automaticstyles, style.PageLayout(name="PL"))
    layout.addElement(style.PageLayoutProperties(margin="0cm", pagewidth="28cm", pageheight="21cm", printorientation="landscape"))
    d.masterstyles.addElement(style.MasterPage(name="M", pagelayoutname="PL"))
    hidden = add(d.automaticstyles, style.Style(name="dp2", family="drawing-page"))
    hidden.addElement(style.DrawingPageProperties())
    bullets = list_style(d, "L1", "-", "-")
    numbers = list_style(d, "L2", "1.", "a.")

    def page(name, **more):
        return add(d.presentation, draw.Page(name=name, masterpagename="M", **more))

    def frame(parent, x, y, lines, presentationclass=None):
        made = add(parent, draw.Frame(x=f"{x}cm", y=f"{y}cm", width="8cm", height="2cm"))
        if presentationclass is not None:
            made.setAttrNS(PRESENTATIONNS, "class", presentationclass)
        box = add(made, draw.TextBox())
        for line in lines if isinstance(lines, list) else [lines]:
            box.addElement(line if not isinstance(line, str) else text.P(text=line))
        return made

    def notes(parent, line):
        frame(add(parent, presentation.Notes()), 2, 14, line, presentationclass="notes")

    p = page("uno")
    frame(p, 2, 2, "Huertos urbanos", presentationclass="title")
    frame(p, 2, 6, ["Asociación de vecinos", "Mayo de 2024"], presentationclass="subtitle")
    notes(p, "Saludar al concejal.")
    p = page("dos")
    frame(p, 2, 2, "¿Por qué?", presentationclass="title")
    frame(p, 2, 6, [list_of(["Alimentos cercanos", ("tomates", "hierbas"), "Menos calor en verano"], bullets)], presentationclass="outline")
    p = page("tres", stylename=hidden)
    frame(p, 2, 2, "Presupuesto", presentationclass="title")
    made = add(p, draw.Frame(x="2cm", y="6cm", width="20cm", height="4cm"))
    t = add(made, table.Table())
    rows(t, [["Partida", "Coste"], ["Tierra", "300 €"], [("Total: 300 €", {"numbercolumnsspanned": "2"}), None]])
    p = page("cuatro")
    frame(p, 14, 5, "Derecha")
    g = add(p, draw.G())
    frame(g, 2, 10, "Grupo, abajo")
    frame(p, 2, 5, "Izquierda")
    made = add(p, draw.Frame(x="2cm", y="15cm", width="2cm", height="2cm"))
    made.addElement(draw.Image(href=d.addPicture(picture(temporary / "huerto.png", (40, 150, 60)))))
    made.addElement(svg.Desc(text="Bancales junto a la escuela"))
    p = page("cinco")
    frame(p, 2, 2, "Próximos pasos", presentationclass="title")
    frame(p, 2, 6, [list_of(["Pedir permiso", "Limpiar el solar", ("sábado", "domingo"), "Sembrar"], numbers)], presentationclass="outline")
    d.save(path("huertos.odp"))

    def hide(name, data):
        return data.replace(b"<style:drawing-page-properties/>", b'<style:drawing-page-properties presentation:visibility="hidden"/>')

    rewrite(path("huertos.odp"), hide)
    expect("huertos.odp", "odfpy, written for this project",
           ["Huertos urbanos", "Asociación de vecinos", "Mayo de 2024", "Saludar al concejal.", "¿Por qué?", "Alimentos cercanos", "tomates", "hierbas", "Menos calor en verano", "Presupuesto", "hidden", "Partida",
            "Coste", "Tierra", "300 €", "Total: 300 €", "Slide 4", "Izquierda", "Derecha", "Grupo, abajo", "Bancales junto a la escuela", "Próximos pasos", "1.", "Pedir permiso", "2.", "Limpiar el solar", "a.", "sábado",
            "b.", "domingo", "3.", "Sembrar"],
           [(["Partida", "Coste"], 2)], "Huertos urbanos")


def korean():
    """A short talk in Korean with a formula, links and a note to a slide."""
    d = OpenDocumentPresentation()
    describe(d, "검색 품질 보고", "김서연", "ko-KR")
    layout = add(d.automaticstyles, style.PageLayout(name="PL"))
    d.masterstyles.addElement(style.MasterPage(name="M", pagelayoutname="PL"))
    for title, lines in [("검색 품질 보고", ["2024년 1분기"]), ("측정 방법", ["질의 500개를 사람이 평가했다.", "정밀도와 재현율을 계산했다."]), ("결과", ["정밀도 0.91", "재현율 0.87"])]:
        page = add(d.presentation, draw.Page(masterpagename="M"))
        for at, (kind, texts) in enumerate([("title", [title]), ("outline", lines)]):
            frame = add(page, draw.Frame(x="2cm", y=f"{2 + 5 * at}cm", width="20cm", height="3cm"))
            frame.setAttrNS(PRESENTATIONNS, "class", kind)
            box = add(frame, draw.TextBox())
            for line in texts:
                box.addElement(text.P(text=line))
    link = add(add(box, text.P()), text.A(href="https://example.org/q1", type="simple"))
    link.addText("자세한 보고서")
    d.save(path("report-ko.odp"))
    expect("report-ko.odp", "odfpy, written for this project",
           ["검색 품질 보고", "2024년 1분기", "측정 방법", "질의 500개를 사람이 평가했다.", "정밀도와 재현율을 계산했다.", "결과", "정밀도 0.91", "재현율 0.87", "자세한 보고서", "https://example.org/q1"], [], "검색 품질 보고")


def taken():
    """Documents of odfpy's own tests and documentation, by Søren Roug (GPL 2 or Apache License 2.0)."""
    origin = "odfpy 1.4.1, by Søren Roug; Apache License 2.0"
    for source, strings, title in [
        ("tests/examples/twolevellist.odt", ["Line 1", "Item A", "Item B", "Subitem B.1", "Subitem B.2 (bold)", "Item C", "Line 4"], None),
        ("api-for-odfpy.odt", ["Application Programmer's Interface", "for", "ODFPY 0.9.1", "Copyright © 2007-2009 Søren Roug, European Environment Agency", "1", "Introduction", "1.1", "About OpenDocument", "2", "Creating a document",
                               "You start the document by instantiating one of the", "OpenDocumentText", "meta", "scripts", "masterstyles", "body", "2.1", "Example", "from odf.opendocument import OpenDocumentText",
                               'h1style.addElement(TextProperties(attributes={\'fontsize\':"24pt",\'fontweight\':"bold" }))', "You now have your first script-produced document", "3", "The OpenDocument classes",
                               "save(filename, addsuffix=False)"], "Application Programmer's Interface for ODFPY"),
        ("tests/examples/ol.odp", ["OL", "1.", "Eins", "2.", "Tsvey", "Dray", "Fir", "3.", "Finf", "4.", "Zeks", "Zibn", "Akht", "Nayn", "Tsen", "Elf", "Tsvelf", "Draytsn", "fertsn"], None),
        ("tests/examples/cols.odp", ["Col 1", "Col 2", "Col 3", "11 Lorem ipsum dolor sit amet, consectetur adipiscing elit. Sed vitae.", "21 Lorem ipsum", "31 Lorem ipsum", "41 Sed nisl lectus", "42 Sed nisl lectus", "51Cras ullamcorper", "52 Cras ullamcorper"], None),
        ("tests/examples/emb_spreadsheet.odp", ["Embedded Spreadsheet", "col1", "col2", "col3", "val11", "val21", "val31", "val12", "val33"], None),
    ]:
        name = pathlib.Path(source).name
        shutil.copyfile(odfpy / source, path(name))
        expect(name, origin, strings, [(["col1", "col2", "col3"], 3)] if name == "emb_spreadsheet.odp" else [], title)


for make in (protocol, article, manual, deck, korean, taken):
    make()
