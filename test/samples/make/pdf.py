"""Makes test/samples/pdf: reportlab (with pyphen) for what is typeset, Chromium for what is printed from pages.

Usage: python pdf.py FOLDER, with `chromium` on PATH.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas
from reportlab.platypus import (
    BaseDocTemplate, Frame, FrameBreak, ListFlowable, ListItem, NextPageTemplate, PageBreak, PageTemplate,
    Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle,
)

here = Path(__file__).parent / "pdf"
out = Path(sys.argv[1])
styles = getSampleStyleSheet()
ruled = TableStyle([
    ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
    ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey),
    ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
    ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
])


def body(text, style="BodyText"):
    return Paragraph(text, styles[style])


def annual_report():
    def running(page, _doc):
        page.setFont("Helvetica", 8)
        page.drawString(20 * mm, 285 * mm, "Harbour Water Board - Annual Report 2025")
        page.drawRightString(190 * mm, 10 * mm, f"Page {page.getPageNumber()} of 3")

    doc = SimpleDocTemplate(
        str(out / "annual-report.pdf"), pagesize=A4, title="Annual Report 2025", author="Harbour Water Board",
        lang="en-GB", invariant=1, topMargin=25 * mm,
    )
    bullets = ListFlowable(
        [ListItem(body(text)) for text in (
            "Leakage fell from 14.2 % to 11.8 %, the lowest since records began.",
            "Two pumping stations were rebuilt without a single day of interruption.",
            "Lead pipes remain in 312 homes; all of them are booked for 2026.",
        )], bulletType="bullet",
    )
    steps = ListFlowable(
        [ListItem(body(text)) for text in (
            "Replace the intake screens at Northgate.",
            "Tender the second phase of the smart meters.",
            "Publish the drought plan for consultation.",
        )], bulletType="1",
    )
    money = Table([
        ["Account", "2023", "2024", "2025"],
        ["Household charges", "41,220", "43,018", "44,975"],
        ["Business charges", "18,340", "18,905", "20,112"],
        ["Grants", "2,100", "1,450", "3,600"],
        ["Other income", "640", "712", "698"],
        ["Total income", "62,300", "64,085", "69,385"],
    ], colWidths=[60 * mm, 30 * mm, 30 * mm, 30 * mm], style=ruled)
    quality = Table([
        ["Parameter", "Unit", "Limit", "Measured"],
        ["Nitrate", "mg/l", "50", "18.4"],
        ["Lead", "µg/l", "10", "2.1"],
        ["E. coli", "per 100 ml", "0", "0"],
        ["Turbidity", "NTU", "4", "0.3"],
    ], colWidths=[45 * mm, 30 * mm, 30 * mm, 30 * mm], style=ruled)
    doc.build([
        body("Annual Report 2025", "Title"),
        body("Chair's statement", "Heading1"),
        body("The dry spring of 2025 tested our network more than any season in the past two decades, and the "
             "reservoirs stood at 61 % in June. Nobody was cut off."),
        body('The full data set is at <a href="https://water.example/data/2025" color="blue">our open data '
             "page</a>, under an open licence."),
        body("What we achieved", "Heading2"), bullets,
        body("What comes next", "Heading2"), steps,
        PageBreak(),
        body("Finances", "Heading1"),
        body("All amounts are in thousands of pounds. Charges rose by 4.5 % on average, below the rate of inflation."),
        Spacer(1, 6), money, Spacer(1, 6),
        body("Borrowing", "Heading2"),
        body("No new loans were taken. The bond of 2012 was repaid in full in September, which lowers our interest by "
             "£410,000 a year."),
        PageBreak(),
        body("Water quality", "Heading1"),
        body("Laboratories took 8,214 samples; 99.97 % met every standard."),
        Spacer(1, 6), quality, Spacer(1, 6),
        body("Complaints", "Heading2"),
        body("We received 187 complaints about taste, 40 fewer than the year before, most of them from the Old Town "
             "after the mains there were flushed in March."),
    ], onFirstPage=running, onLaterPages=running)


def two_columns():
    doc = BaseDocTemplate(
        str(out / "two-column-paper.pdf"), pagesize=A4, invariant=1, title="Foraging distances of urban bumblebees",
        author="M. Okafor, L. Brandt", leftMargin=18 * mm, rightMargin=18 * mm,
    )
    width = 82 * mm
    top = Frame(18 * mm, 222 * mm, 174 * mm, 55 * mm, id="top")
    columns = [Frame(18 * mm, 20 * mm, width, 200 * mm, id="left"), Frame(110 * mm, 20 * mm, width, 200 * mm, id="right")]
    full = [Frame(18 * mm, 20 * mm, width, 255 * mm, id="l2"), Frame(110 * mm, 20 * mm, width, 255 * mm, id="r2")]
    doc.addPageTemplates([PageTemplate("first", [top, *columns]), PageTemplate("later", full)])
    text = ParagraphStyle("column", parent=styles["BodyText"], fontName="Times-Roman", fontSize=9.5, leading=11.5,
                          alignment=TA_JUSTIFY, hyphenationLang="en_GB", embeddedHyphenation=1)
    head = ParagraphStyle("section", parent=styles["Heading2"], fontName="Times-Bold", fontSize=12)
    story = [body("Foraging distances of urban bumblebees", "Title"),
             Paragraph("Maria Okafor and Lukas Brandt", ParagraphStyle("by", parent=styles["Normal"], alignment=1)),
             Paragraph("<b>Abstract.</b> We tracked 214 workers of Bombus terrestris over two summers and found that "
                       "workers in gardens fly shorter distances than those in parkland, although both groups passed "
                       "over suitable flowers on most of their flights.", text),
             FrameBreak()]
    for title, paragraphs in PAPER:
        story.append(Paragraph(title, head))
        story.extend(Paragraph(paragraph, text) for paragraph in paragraphs)
    story.insert(4, NextPageTemplate("later"))
    doc.build(story)


PAPER = [
    ("1 Introduction", [
        "Bumblebees are among the most important pollinators of temperate cities, yet surprisingly little is known "
        "about how far individual workers travel between their nests and the flowers that they visit. Estimates from "
        "agricultural landscapes range from a few hundred metres to more than two kilometres.",
        "Urban environments differ from farmland in several respects: flowering plants are distributed in small and "
        "irregular patches, buildings interrupt the direct lines of flight, and temperatures are systematically higher.",
    ]),
    ("2 Methods", [
        "Colonies were established in wooden boxes at twelve locations, six of them in residential gardens and six in "
        "municipal parkland. Every worker carried a numbered tag, and observers recorded identification numbers along "
        "predetermined transects twice a week.",
        "Distances were calculated from the coordinates of nest and observation. We excluded observations in rain, "
        "because disoriented individuals occasionally sheltered far from their usual foraging grounds.",
        "The statistical analysis followed established recommendations for repeated measurements; colony and week were "
        "treated as random effects, whereas temperature and the availability of flowers were fixed ones.",
    ]),
    ("3 Results", [
        "The median distance was 276 metres in gardens and 431 metres in parkland. Temperature explained comparatively "
        "little of the variation, and its influence disappeared altogether when the availability of flowers was taken "
        "into consideration.",
        "Workers returned to the same patch on consecutive days with remarkable constancy: of 1,902 observations, 1,377 "
        "concerned an individual that had previously been recorded within thirty metres.",
    ]),
    ("4 Discussion", [
        "Our measurements suggest that the structure of the surroundings, rather than the physiological limitations of "
        "the insects, determines how far bumblebees fly. Gardeners may therefore contribute considerably to the "
        "conservation of pollinators by providing continuous flowering throughout the season.",
        "Two limitations deserve attention. Tags may have been overlooked on windy days, and the colonies came from a "
        "commercial supplier, so that their behaviour might not be representative of wild populations.",
    ]),
    ("References", [
        "[1] Hartwell, J. (2019). Pollinators in cities. Journal of Urban Ecology 5, 12-29.",
        "[2] Svensson, A. and Ito, K. (2021). Tagging small insects. Methods in Field Biology 14, 201-218.",
    ]),
]


def japanese_minutes():
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    text = ParagraphStyle("ja", fontName="HeiseiKakuGo-W5", fontSize=10.5, leading=17, wordWrap="CJK")
    big = ParagraphStyle("ja-title", parent=text, fontSize=18, leading=26)
    mid = ParagraphStyle("ja-heading", parent=text, fontSize=14, leading=22, spaceBefore=8)
    cells = [["担当者", "作業内容", "期限"], ["佐藤", "会場の予約と見積もりの確認", "10月15日"],
             ["鈴木", "案内状の作成", "10月20日"], ["高橋", "参加者名簿の更新", "10月31日"]]
    table = Table(cells, colWidths=[30 * mm, 80 * mm, 30 * mm], style=TableStyle([
        ("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTNAME", (0, 0), (-1, -1), "HeiseiKakuGo-W5")]))
    SimpleDocTemplate(str(out / "minutes-japanese.pdf"), pagesize=A4, title="第三回運営委員会 議事録", author="運営委員会事務局",
                      lang="ja", invariant=1).build([
        Paragraph("第三回運営委員会 議事録", big),
        Paragraph("日時:2025年9月28日(日)14時から16時まで", text),
        Paragraph("場所:市民会館 第二会議室", text),
        Paragraph("1. 前回議事録の確認", mid),
        Paragraph("前回の議事録について説明があり、出席者全員の賛成により承認された。ただし、会計報告の数字に一部誤りがあることが"
                  "指摘され、次回までに訂正することとなった。", text),
        Paragraph("2. 秋祭りの準備について", mid),
        Paragraph("今年の秋祭りは11月3日に開催する予定である。雨天の場合は体育館を使用する。昨年の来場者は約千二百人であり、今年は"
                  "千五百人を見込んでいる。", text),
        Spacer(1, 8), table, Spacer(1, 8),
        Paragraph("3. 次回の日程", mid),
        Paragraph("次回の委員会は10月26日(日)に開催する。", text),
    ])


def form():
    page = canvas.Canvas(str(out / "membership-form.pdf"), pagesize=A4, invariant=1)
    page.setTitle("Membership application")
    page.setAuthor("Riverside Rowing Club")
    page.setFont("Helvetica-Bold", 20)
    page.drawString(25 * mm, 270 * mm, "Membership application")
    page.setFont("Helvetica", 10)
    page.drawString(25 * mm, 260 * mm, "Please complete every field and return the form to the boathouse by 31 March.")
    fields = [("Full name", "Adaeze Lindqvist"), ("Street", "14 Weir Lane"), ("Town", "Marlow"),
              ("E-mail", "adaeze@mail.example"), ("Date of birth", "2 February 1991")]
    for index, (label, value) in enumerate(fields):
        y = 245 - 12 * index
        page.drawString(25 * mm, y * mm, label)
        page.acroForm.textfield(name=label, value=value, x=70 * mm, y=(y - 2) * mm, width=90 * mm, height=7 * mm,
                                fontSize=10, borderWidth=0.5)
    page.drawString(25 * mm, 180 * mm, "Type of membership")
    for index, (label, checked) in enumerate([("Adult", True), ("Junior", False), ("Social", False)]):
        y = 172 - 8 * index
        page.acroForm.checkbox(name=label, checked=checked, x=25 * mm, y=(y - 1) * mm, size=12)
        page.drawString(33 * mm, y * mm, label)
    page.setFont("Helvetica-Bold", 13)
    page.drawString(25 * mm, 140 * mm, "Declaration")
    page.setFont("Helvetica", 10)
    page.drawString(25 * mm, 132 * mm, "I can swim at least 100 metres in light clothing and accept the rules of the club.")
    page.showPage()
    page.save()


def printed(name, *options):
    """Prints a page of make/pdf with Chromium: with links and embedded fonts, tagged unless told otherwise."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", *options, f"--user-data-dir={profile}",
             "--no-pdf-header-footer", f"--print-to-pdf={out / name}.pdf", (here / f"{name}.html").as_uri()],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
        )
    file = out / f"{name}.pdf"
    # So that a file made again is the same: no object moves.
    file.write_bytes(re.sub(rb"D:\d{14}", b"D:20250417093000", file.read_bytes()))


for make in (annual_report, two_columns, japanese_minutes, form):
    make()
for page in ("invoice", "handbook-german"):
    printed(page)
printed("statement-long-table", "--disable-pdf-tagging")
