"""Makes the presentation samples. Needs python-pptx, pypandoc_binary and pillow; `python pptx.py` writes into ../pptx."""

import os
import pathlib
import sys
import tempfile

here = pathlib.Path(__file__).parent
sys.path[:] = [folder for folder in sys.path if pathlib.Path(folder or ".").resolve() != here.resolve()]
import pypandoc  # noqa: E402
from pptx import Presentation  # noqa: E402  (this file has the same name as the package)
from pptx.chart.data import CategoryChartData, XyChartData  # noqa: E402
from pptx.enum.chart import XL_CHART_TYPE  # noqa: E402
from pptx.opc.package import Part  # noqa: E402
from pptx.opc.packuri import PackURI  # noqa: E402
from pptx.oxml import parse_xml  # noqa: E402
from pptx.oxml.ns import qn  # noqa: E402
from pptx.util import Cm  # noqa: E402

sys.path.append(str(here))
from samples import expect, path, picture, rewrite, when  # noqa: E402

os.environ["SOURCE_DATE_EPOCH"] = str(int(when.timestamp()))
temporary = pathlib.Path(tempfile.mkdtemp())
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def save(deck, name, title, author, language):
    core = deck.core_properties
    core.title, core.author, core.language, core.last_modified_by = title, author, language, author
    core.created = core.modified = when
    deck.save(path(name))
    # The template's thumbnail and printer settings are of no use here.
    drop = ("docProps/thumbnail.jpeg", "ppt/printerSettings/printerSettings1.bin")
    links = (b"thumbnail", b"printerSettings")

    def change(part, data):
        if part in drop:
            return None
        if part.endswith(".rels"):
            for word in links:
                while word in data:
                    start = data.rfind(b"<Relationship ", 0, data.find(word))
                    data = data[:start] + data[data.find(b"/>", start) + 2:]
        return data

    rewrite(path(name), change)


def slide(deck, layout, title=None, body=None, notes=None):
    new = deck.slides.add_slide(deck.slide_layouts[layout])
    if title is not None:
        new.shapes.title.text = title
    if body is not None:
        frame = new.placeholders[1].text_frame
        for at, (level, text) in enumerate(body):
            p = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
            p.text, p.level = text, level
    if notes is not None:
        new.notes_slide.notes_text_frame.text = notes
    return new


def box(new, x, y, text, width=8.0, height=2.0):
    shape = new.shapes.add_textbox(Cm(x), Cm(y), Cm(width), Cm(height))
    shape.text_frame.text = text
    return shape


def table(new, rows, x=2, y=5):
    made = new.shapes.add_table(len(rows), len(rows[0]), Cm(x), Cm(y), Cm(20), Cm(len(rows))).table
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            made.cell(row, column).text = text
    return made


def chart(new, kind, data, title=None):
    made = new.shapes.add_chart(kind, Cm(2), Cm(4), Cm(20), Cm(12), data).chart
    made.has_title = title is not None
    if title is not None:
        made.chart_title.text_frame.text = title
    return made


def strategy():
    """Results of a quarter: charts with titles, a table with merged cells, notes, a hidden slide."""
    d = Presentation()
    slide(d, 0, "Third quarter", [(0, "Results and outlook\nNorthwind Mills")], "Welcome everybody.\nPhones off, please.")
    slide(d, 1, "What went well", [(0, "Flour sales up 12 %"), (1, "wheat and rye"), (2, "mostly organic"), (1, "new customers"), (0, "Mill 3 back online")])
    s = slide(d, 5, "Sales by region", notes="The north is catching up: ask Ines for the details.")
    data = CategoryChartData()
    data.categories = ["North", "South", "Islands"]
    data.add_series("2022", (19.2, 21.4, 0.1 + 0.2))
    data.add_series("2023", (22.3, 28.6, 15.2))
    c = chart(s, XL_CHART_TYPE.COLUMN_CLUSTERED, data, "Sales in million euros")
    c.category_axis.has_title = True
    c.category_axis.axis_title.text_frame.text = "Region"
    s = slide(d, 5, "Costs")
    t = table(s, [["Item", "Budget", "", "Actual"], ["", "Q2", "Q3", "Q3"], ["Energy", "410", "420", "455"], ["Grain", "1,200", "1,150", "1,149"]])
    t.cell(0, 1).merge(t.cell(0, 2))
    t.cell(0, 0).merge(t.cell(1, 0))
    s = slide(d, 1, "Backup: headcount", [(0, "84 people, 6 open positions")])
    s._element.set("show", "0")
    s = slide(d, 6)
    box(s, 2, 9, "Second from above")
    box(s, 14, 2, "Top right")
    box(s, 2, 2, "Top left")
    save(d, "quarter.pptx", "Third quarter results", "Ines Moreau", "en-GB")
    expect("quarter.pptx", "python-pptx, written for this project",
           ["Third quarter", "Results and outlook", "Northwind Mills", "Welcome everybody.", "Phones off, please.", "What went well", "Flour sales up 12 %", "wheat and rye", "mostly organic",
            "new customers", "Mill 3 back online", "Sales by region", "Sales in million euros", "Region", "2022", "2023", "North", "19.2", "22.3", "South", "28.6", "Islands", "0.3", "15.2",
            "The north is catching up: ask Ines for the details.", "Costs", "Item", "Budget", "Actual", "Energy", "455", "Grain", "1,149", "Backup: headcount", "hidden",
            "84 people, 6 open positions", "Slide 6", "Top left", "Top right", "Second from above"],
           [(["Region", "2022", "2023"], 3), (["Item", "Budget", "", "Actual"], 3)], "Third quarter results", ["0.30000000000000004"])


def course():
    """A course in German: groups, two columns, SmartArt, an equation with its picture for older programs, code."""
    d = Presentation()
    slide(d, 0, "Einführung in die Statistik", [(0, "Prof. Dr. Grünwald, Sommersemester")])
    s = slide(d, 3, "Mittelwert und Median")
    for at, texts in [(1, ["Mittelwert", "empfindlich gegen Ausreißer"]), (2, ["Median", "robust"])]:
        frame = s.placeholders[at].text_frame
        frame.text = texts[0]
        p = frame.add_paragraph()
        p.text, p.level = texts[1], 1
    s = slide(d, 5, "Formeln", notes="Herleitung an der Tafel.")
    shape = box(s, 2, 5, "Varianz:")
    shape.text_frame.add_paragraph()._p.append(parse_xml(
        f"""<mc:AlternateContent {A} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">
        <mc:Choice Requires="a14"><a14:m><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMath>
        <m:sSup><m:e><m:r><m:t>σ</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:r><m:t>=</m:t></m:r>
        <m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>n</m:t></m:r></m:den></m:f>
        <m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup>
        <m:e><m:sSup><m:e><m:d><m:e><m:sSub><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sub><m:r><m:t>i</m:t></m:r></m:sub></m:sSub><m:r><m:t>−μ</m:t></m:r></m:e></m:d></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:e></m:nary>
        </m:oMath></m:oMathPara></a14:m></mc:Choice><mc:Fallback><a:r><a:t>[Formel]</a:t></a:r></mc:Fallback></mc:AlternateContent>"""))
    s = slide(d, 5, "Ablauf einer Studie")
    smart_art(s, ["Planen", ("Fragestellung", "Stichprobe"), "Erheben", "Auswerten"])
    s = slide(d, 5, "Begriffe")
    group = s.shapes.add_group_shape()
    for x, y, text in [(12, 6, "Merkmal"), (2, 6, "Grundgesamtheit"), (2, 10, "Merkmalsträger")]:
        group.shapes.add_textbox(Cm(x), Cm(y), Cm(8), Cm(2)).text_frame.text = text
    box(s, 2, 15, "Übungsblatt 1 bis Freitag")
    s = slide(d, 5, "Rechnen mit R")
    shape = box(s, 2, 5, "x <- c(2, 4, 9)")
    shape.text_frame.add_paragraph().text = "mean(x)  # 5"
    for p in shape.text_frame.paragraphs:
        p.runs[0].font.name = "Consolas"
    save(d, "kurs.pptx", "PowerPoint-Präsentation", "Anja Grünwald", "de-DE")
    expect("kurs.pptx", "python-pptx, written for this project",
           ["Einführung in die Statistik", "Prof. Dr. Grünwald, Sommersemester", "Mittelwert und Median", "Mittelwert", "empfindlich gegen Ausreißer", "Median", "robust", "Formeln", "Varianz:",
            r"\sigma^{2}", r"\frac{1}{n}", r"\sum_{i=1}^{n}", "Herleitung an der Tafel.", "Ablauf einer Studie", "Planen", "Fragestellung", "Stichprobe", "Erheben", "Auswerten", "Begriffe", "Grundgesamtheit",
            "Merkmal", "Merkmalsträger", "Übungsblatt 1 bis Freitag", "Rechnen mit R", "x <- c(2, 4, 9)", "mean(x)  # 5"],
           [], None, ["[Formel]"])


def smart_art(new, nodes):
    """Adds a diagram whose data part holds these nodes; a tuple is the children of the node before it."""
    points, links, number, parent = [], [], 0, None
    text = lambda t: f"<dgm:t><a:bodyPr/><a:p><a:r><a:t>{t}</a:t></a:r></a:p></dgm:t>"
    for at, node in enumerate(nodes):
        for order, one in enumerate(node if isinstance(node, tuple) else [node]):
            number += 1
            points.append(f'<dgm:pt modelId="{number}">{text(one)}</dgm:pt>')
            above = parent if isinstance(node, tuple) else 100
            links.append(f'<dgm:cxn modelId="{200 + number}" srcId="{above}" destId="{number}" srcOrd="{order if isinstance(node, tuple) else at}" destOrd="0"/>')
        if not isinstance(node, tuple):
            parent = number
    xml = f"""<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" {A}><dgm:ptLst><dgm:pt modelId="100" type="doc"/>{"".join(reversed(points))}</dgm:ptLst><dgm:cxnLst>{"".join(links)}</dgm:cxnLst></dgm:dataModel>"""
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml", new.part.package, xml.encode())
    rid = new.part.relate_to(part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData")
    new.shapes._spTree.append(parse_xml(
        f"""<p:graphicFrame xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {A}><p:nvGraphicFramePr><p:cNvPr id="90" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>
        <p:xfrm><a:off x="900000" y="1800000"/><a:ext cx="5000000" cy="3000000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">
        <dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:dm="{rid}"/></a:graphicData></a:graphic></p:graphicFrame>"""))


def pitch():
    """A pitch in French: pictures, links, a pie in percent, points of two series, numbers with letters."""
    d = Presentation()
    slide(d, 0, "Le pain de demain", [(0, "Dossier de présentation – avril 2024")])
    s = slide(d, 5, "Le fournil")
    image = s.shapes.add_picture(picture(temporary / "four.png", (150, 90, 40)), Cm(2), Cm(4))
    image._element.nvPicPr.cNvPr.set("descr", "Four à bois du fournil, porte ouverte")
    image = s.shapes.add_picture(picture(temporary / "deco.png", (240, 220, 200)), Cm(12), Cm(4))
    image._element.nvPicPr.cNvPr.set("descr", "deco.png")
    shape = box(s, 2, 12, "Plus de détails : ")
    run = shape.text_frame.paragraphs[0].add_run()
    run.text = "notre site"
    run.hyperlink.address = "https://example.org/fournil?lang=fr"
    s = slide(d, 5, "Répartition du chiffre d'affaires")
    data = CategoryChartData(number_format="0%")
    data.categories = ["Pain", "Viennoiserie", "Épicerie"]
    data.add_series("Part", (0.62, 0.275, 0.105))
    chart(s, XL_CHART_TYPE.PIE, data, "Parts 2023")
    s = slide(d, 5, "Prix et ventes")
    data = XyChartData()
    for name, points in [("Marché", [(1.1, 80), (1.3, 64)]), ("Boutique", [(1.2, 120), (1.5, 90), (1.8, 71)])]:
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    chart(s, XL_CHART_TYPE.XY_SCATTER, data)
    s = slide(d, 1, "Prochaines étapes", [(0, "Trouver un local"), (0, "Former l'équipe"), (1, "deux apprentis"), (0, "Ouvrir en septembre")], "Insister sur le calendrier.")
    for p, kind in zip(s.placeholders[1].text_frame.paragraphs, ["arabicPeriod", "arabicPeriod", "alphaLcParenR", "arabicPeriod"]):
        p._p.get_or_add_pPr().append(parse_xml(f'<a:buAutoNum {A} type="{kind}"/>'))
    save(d, "pitch.pptx", "Le pain de demain", "Claire Aubry", "fr-FR")
    expect("pitch.pptx", "python-pptx, written for this project",
           ["Le pain de demain", "Dossier de présentation – avril 2024", "Le fournil", "Four à bois du fournil, porte ouverte", "Plus de détails :", "notre site", "https://example.org/fournil?lang=fr",
            "Répartition du chiffre d'affaires", "Parts 2023", "Part", "Pain", "62%", "Viennoiserie", "27.5%", "Épicerie", "10.5%", "Prix et ventes", "Marché", "1.1", "80", "1.3", "64", "Boutique", "1.5", "90",
            "Prochaines étapes", "1.", "Trouver un local", "2.", "Former l'équipe", "a)", "deux apprentis", "3.", "Ouvrir en septembre", "Insister sur le calendrier."],
           [(["", "Part"], 3), (["", "Boutique"], 3)], "Le pain de demain", ["deco.png"])


def lecture():
    """A lecture by pandoc: columns, a table, code, an equation, notes."""
    picture(temporary / "rock.png", (120, 130, 60))
    pypandoc.convert_file(str(here / "lecture.md"), "pptx", outputfile=str(path("lecture.pptx")), extra_args=[f"--resource-path={temporary}", "--slide-level=2"])
    rewrite(path("lecture.pptx"), lambda part, data: data)
    expect("lecture.pptx", "pandoc 3.9 from make/lecture.md, written for this project",
           ["Lichens in two columns", "Ada Örn", "Growth", "Two kinds", "crustose", "slow and flat", "foliose", "fast", "leafy", "Rates", "Species", "mm/a", "Rhizocarpon", "0.5", "Xanthoria", "2.5",
            "The model", r"r(t)", r"\frac{", "def radius(t):", "return 0.5 * t", "Ask who has seen one grow.", "A yellow lichen on a rock"],
           [(["Species", "mm/a"], 2)], "Lichens in two columns")


def status():
    """A status in Japanese: a table whose rows span, categories of two levels, a line chart."""
    d = Presentation()
    slide(d, 0, "検索基盤の進捗", [(0, "2024年3月度 定例会")])
    slide(d, 1, "今月の成果", [(0, "索引の再構築を完了"), (1, "所要時間は四時間"), (0, "障害は一件（復旧済み）")], "障害の詳細は口頭で説明する。")
    s = slide(d, 5, "応答時間")
    data = CategoryChartData()
    for quarter, months in [("第一四半期", ["一月", "二月", "三月"]), ("第二四半期", ["四月"])]:
        category = data.add_category(quarter)
        for month in months:
            category.add_sub_category(month)
    data.add_series("中央値 (ms)", (41, 39, 35, 36))
    chart(s, XL_CHART_TYPE.LINE, data, "検索の応答時間")
    s = slide(d, 5, "体制")
    t = table(s, [["係", "担当", "連絡先"], ["運用", "畠中", "内線 201"], ["", "小林", "内線 202"], ["開発", "林", "内線 310"]])
    t.cell(1, 0).merge(t.cell(2, 0))
    s = slide(d, 5, "Q&A <質疑>")
    save(d, "status-ja.pptx", "検索基盤の進捗", "運用部", "ja-JP")
    expect("status-ja.pptx", "python-pptx, written for this project",
           ["検索基盤の進捗", "2024年3月度 定例会", "今月の成果", "索引の再構築を完了", "所要時間は四時間", "障害は一件（復旧済み）", "障害の詳細は口頭で説明する。", "応答時間", "検索の応答時間", "中央値 (ms)",
            "第一四半期", "一月", "41", "二月", "39", "三月", "35", "第二四半期", "四月", "36", "体制", "係", "担当", "連絡先", "運用", "畠中", "内線 201", "小林", "内線 202", "開発", "林", "内線 310", "Q&A <質疑>"],
           [(["", "中央値 (ms)"], 4), (["係", "担当", "連絡先"], 3)], "検索基盤の進捗")


for make in (strategy, course, pitch, lecture, status):
    make()
