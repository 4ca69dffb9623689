"""Excel workbooks by XlsxWriter and openpyxl (which leaves formulas without results)."""
import datetime as dt
import struct
import zlib

import openpyxl
import xlsxwriter
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from sample import expect, path_of

FIXED = dt.datetime(2024, 3, 1, 9, 0)
MADE = "made for this project by test/samples/make/xlsx.py with "


def invoice():
    book = xlsxwriter.Workbook(str(path_of("xlsx", "rechnung.xlsx")))
    book.set_properties({"title": "Rechnung 2024-0117", "author": "Tischlerei Brandt", "created": FIXED})
    sheet = book.add_worksheet("Rechnung")
    bold = book.add_format({"bold": True})
    money = book.add_format({"num_format": '#,##0.00 "€"'})
    day = book.add_format({"num_format": "dd.mm.yyyy"})
    sheet.merge_range("A1:E1", "Tischlerei Brandt & Söhne – Rechnung", book.add_format({"bold": True, "font_size": 16}))
    for row, (label, value) in enumerate(
        [("Rechnungsnummer:", "2024-0117"), ("Kunde:", "Gemeinde Oberau, Bauhof"), ("Zahlbar bis:", dt.date(2024, 3, 31))], 2
    ):
        sheet.write(row, 0, label, bold)
        if isinstance(value, dt.date):
            sheet.write_datetime(row, 1, dt.datetime.combine(value, dt.time()), day)
        else:
            sheet.write(row, 1, value)
    sheet.write_row(6, 0, ["Pos.", "Leistung", "Menge", "Einzelpreis", "Gesamt"], bold)
    lines = [
        ("Eichentür, massiv, 2,10 m × 0,90 m", 2, 1249.5),
        ("Zarge mit Dichtung", 2, 310),
        ("Montage vor Ort\n(inkl. Anfahrt)", 6.5, 58),
        ("Entsorgung Altmaterial", 1, 75.25),
    ]
    for at, (what, count, price) in enumerate(lines):
        row = 7 + at
        sheet.write(row, 0, at + 1)
        sheet.write(row, 1, what)
        sheet.write(row, 2, count)
        sheet.write(row, 3, price, money)
        sheet.write_formula(row, 4, f"=C{row + 1}*D{row + 1}", money, count * price)
    net = sum(count * price for _, count, price in lines)
    for at, (label, value) in enumerate([("Netto", net), ("USt. 19 %", net * 0.19), ("Summe", net * 1.19)]):
        sheet.write(11 + at, 3, label, bold)
        sheet.write_formula(11 + at, 4, "=1", money, value)
    sheet.write("A16", "Bitte überweisen Sie den Betrag ohne Abzug. Es gelten unsere AGB, siehe")
    sheet.write_url("A17", "https://brandt.example/agb", string="Allgemeine Geschäftsbedingungen")
    book.close()
    expect("xlsx", "rechnung", MADE + "XlsxWriter", [
        "Rechnung 2024-0117", "Tischlerei Brandt & Söhne – Rechnung", "Rechnungsnummer:", "2024-0117", "Kunde:",
        "Gemeinde Oberau, Bauhof", "Zahlbar bis:", "2024-03-31", "Pos.", "Leistung", "Menge", "Einzelpreis", "Gesamt",
        "Eichentür, massiv, 2,10 m × 0,90 m", "1,249.50 €", "2,499.00 €", "Zarge mit Dichtung", "620.00 €",
        "Montage vor Ort", "(inkl. Anfahrt)", "6.5", "377.00 €", "Entsorgung Altmaterial", "75.25 €", "Netto",
        "3,571.25 €", "USt. 19 %", "678.54 €", "Summe", "4,249.79 €", "Bitte überweisen Sie den Betrag ohne Abzug.",
        "Allgemeine Geschäftsbedingungen",
    ], [{"header": ["Pos.", "Leistung", "Menge", "Einzelpreis", "Gesamt"], "rows": 7}], "Rechnung 2024-0117")


def budget():
    book = openpyxl.Workbook()
    book.properties.creator = "Ana Pires"
    book.properties.created = book.properties.modified = FIXED
    plan = book.active
    plan.title = "Plan 2024"
    plan.append(["Department", "Q1", "Q2", "Q3", "Q4", "Year"])
    fill = PatternFill("solid", fgColor="DDDDDD")
    for cell in plan[1]:
        cell.font, cell.fill = Font(bold=True), fill
    rows = [("Research", 120000, 118000, 125500, 131000), ("Sales", 84000, 91000, 88250, 97000),
            ("Operations", 203000, 203000, 210000, 210000)]
    for at, row in enumerate(rows, 2):
        plan.append([*row, f"=SUM(B{at}:E{at})"])
        for cell in plan[at]:
            cell.number_format = "#,##0"
    plan.append(["Total", *[f"=SUM({c}2:{c}4)" for c in "BCDEF"]])
    plan["B2"].comment = Comment("Includes the new lab from February on.", "Ana Pires")
    plan["D4"].comment = Comment("Second shift, still to be approved", "M. Okafor")
    plan.row_dimensions[3].hidden = True
    rates = book.create_sheet("Exchange rates")
    rates.append(["Currency", "Rate", "As of"])
    for code, rate in (("USD", 1.0861), ("JPY", 162.44), ("CHF", 0.9532)):
        rates.append([code, rate, dt.date(2024, 2, 29)])
    rates.column_dimensions["C"].hidden = True
    notes = book.create_sheet("Internal")
    notes.sheet_state = "hidden"
    notes["A1"] = "Do not raise Operations again before the audit is over; see the minutes of 12 January."
    book.create_sheet("Empty")
    book.save(path_of("xlsx", "budget.xlsx"))
    expect("xlsx", "budget", MADE + "openpyxl", [
        "Plan 2024", "Department", "Q1", "Q2", "Q3", "Q4", "Year", "Research", "120,000", "125,500", "Sales", "91,000",
        "88,250", "Operations", "203,000", "Total", "Includes the new lab from February on.",
        "Second shift, still to be approved", "Exchange rates", "Currency", "Rate", "As of", "USD", "1.0861",
        "2024-02-29", "JPY", "162.44", "CHF", "0.9532", "Internal", "Do not raise Operations again",
    ], [{"header": ["Department", "Q1", "Q2", "Q3", "Q4", "Year"], "rows": 4},
        {"header": ["Currency", "Rate", "As of"], "rows": 3}])


def dashboard():
    book = xlsxwriter.Workbook(str(path_of("xlsx", "dashboard.xlsx")))
    book.set_properties({"author": "Web team", "created": FIXED})
    sheet = book.add_worksheet("Overview & KPIs")
    bold = book.add_format({"bold": True})
    percent = book.add_format({"num_format": "0.0%"})
    sheet.write("A1", "Traffic by channel", bold)
    sheet.write_row("A2", ["Channel", "Visits", "Conversion"], bold)
    channels = [("Organic search", 48210, 0.031), ("Newsletter", 9120, 0.082), ("Paid search", 15300, 0.027)]
    for at, (name, visits, rate) in enumerate(channels, 2):
        sheet.write(at, 0, name)
        sheet.write(at, 1, visits)
        sheet.write(at, 2, rate, percent)
    sheet.write_row("F2", ["Country", "Share"], bold)
    for at, (name, rate) in enumerate([("Portugal", 0.412), ("Brazil", 0.335), ("Angola", 0.101), ("Other", 0.152)], 2):
        sheet.write(at, 5, name)
        sheet.write(at, 6, rate, percent)
    sheet.write("A10", "Slowest pages", bold)
    sheet.write_row("A11", ["Page", "Seconds", "Owner"], bold)
    pages = [("https://shop.example/checkout", 4.81, "Payments"), ("https://shop.example/search", 3.4, "Catalogue")]
    for at, (url, seconds, owner) in enumerate(pages, 11):
        sheet.write_url(at, 0, url, string=url.rsplit("/", 1)[1])
        sheet.write(at, 1, seconds)
        sheet.write(at, 2, owner)
    chart = book.add_chart({"type": "column"})
    chart.add_series({"categories": "='Overview & KPIs'!$A$3:$A$5", "values": "='Overview & KPIs'!$B$3:$B$5"})
    chart.set_title({"name": "Visits per channel, February"})
    sheet.insert_chart("I2", chart)
    sheet.insert_textbox("I20", "Figures before 12 February exclude the mobile app.")
    book.close()
    expect("xlsx", "dashboard", MADE + "XlsxWriter", [
        "Overview & KPIs", "Traffic by channel", "Channel", "Visits", "Conversion", "Organic search", "48210", "3.1%",
        "Newsletter", "9120", "8.2%", "Paid search", "15300", "2.7%", "Country", "Share", "Portugal", "41.2%", "Brazil",
        "33.5%", "Angola", "Other", "15.2%", "Slowest pages", "Page", "Seconds", "Owner", "checkout", "4.81",
        "Payments", "search", "3.4", "Catalogue", "Visits per channel, February",
        "Figures before 12 February exclude the mobile app.",
    ], [{"header": ["Channel", "Visits", "Conversion"], "rows": 3}, {"header": ["Country", "Share"], "rows": 4},
        {"header": ["Page", "Seconds", "Owner"], "rows": 2}])


def timesheet():
    book = openpyxl.Workbook()
    book.properties.creator = "総務部"
    book.properties.created = book.properties.modified = FIXED
    sheet = book.active
    sheet.title = "3月"
    sheet["A1"] = "勤務表 2024年3月"
    sheet.merge_cells("A1:F1")
    sheet["A2"], sheet["B2"] = "氏名", "佐藤 花子"
    sheet["A3"], sheet["B3"] = "部署", "開発第二課"
    header = ["日付", "開始", "終了", "休憩", "実働", "備考"]
    for column, text in enumerate(header, 1):
        sheet.cell(5, column, text).font = Font(bold=True)
    days = [(1, "09:00", "18:00", 1, 8, ""), (4, "09:30", "19:15", 1, 8.75, "リリース準備"), (5, "10:00", "17:00", 1, 6, ""),
            (6, None, None, None, 0, "有給休暇"), (7, "08:45", "18:00", 1, 8.25, "客先訪問(横浜)")]
    for at, (day, start, end, pause, hours, note) in enumerate(days, 6):
        sheet.cell(at, 1, dt.date(2024, 3, day)).number_format = 'yyyy"年"m"月"d"日"'
        for column, clock in ((2, start), (3, end)):
            if clock:
                sheet.cell(at, column, dt.time.fromisoformat(clock)).number_format = "h:mm"
        if pause:
            sheet.cell(at, 4, dt.timedelta(hours=pause)).number_format = "[h]:mm"
        sheet.cell(at, 5, hours).number_format = "0.00"
        sheet.cell(at, 6, note or None)
    sheet["A12"], sheet["E12"] = "合計", 31
    book.save(path_of("xlsx", "kinmuhyo.xlsx"))
    expect("xlsx", "kinmuhyo", MADE + "openpyxl", [
        "3月", "勤務表 2024年3月", "氏名", "佐藤 花子", "部署", "開発第二課", *header, "2024-03-01", "09:00", "18:00", "1:00",
        "8.00", "2024-03-04", "09:30", "19:15", "8.75", "リリース準備", "2024-03-05", "2024-03-06", "有給休暇", "2024-03-07",
        "08:45", "客先訪問(横浜)", "合計", "31",
    ], [{"header": header, "rows": 6}])


def inventory():
    book = xlsxwriter.Workbook(str(path_of("xlsx", "inventory.xlsx")))
    book.set_properties({"title": "Spare parts", "created": FIXED})
    sheet = book.add_worksheet("Stock")
    header = ["SKU", "Part", "Fits", "In stock", "Last counted", "Discontinued"]
    sheet.add_table(0, 0, 12, 5, {"columns": [{"header": text} for text in header]})
    day = book.add_format({"num_format": "d-mmm-yy"})
    parts = ["Brake pad", "Chain, 11-speed", "Tube 700×28c", "Saddle | wide", "Bell *classic*", "Rim_tape", "Pedal",
             "Bottle cage", "Headset <1⅛\">", "Spoke 2.0 mm", "Cable & housing", "Grip `soft`"]
    for at, part in enumerate(parts, 1):
        sheet.write_string(at, 0, f"{at:06d}")
        sheet.write(at, 1, part)
        sheet.write(at, 2, "All models" if at % 3 else "Model A\nModel B")
        sheet.write(at, 3, at * 37 % 50)
        sheet.write_datetime(at, 4, dt.datetime(2024, 1, at), day)
        sheet.write_boolean(at, 5, at == 5)
    sheet.write_string(14, 0, "Counted by two people each; differences of more than three pieces were counted again.")
    image = path_of("xlsx", "pixel.png")
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    image.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
                      + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))
    sheet.insert_image("H2", str(image), {"description": "Shelf plan of the store room"})
    sheet2 = book.add_worksheet("Codes")
    sheet2.write_column(0, 0, ["Code", "A1", "A2", "B7"])
    book.close()
    image.unlink()
    expect("xlsx", "inventory", MADE + "XlsxWriter", [
        "Spare parts", "Stock", *header, "000001", "Brake pad", "37", "2024-01-01", "FALSE", "Chain, 11-speed", "000003",
        "Tube 700×28c", "Model A", "Model B", "Saddle | wide", "Bell *classic*", "TRUE", "Rim_tape", "Headset <1⅛\">",
        "Cable & housing", "Grip `soft`", "2024-01-12", "Counted by two people each", "Shelf plan of the store room",
        "Codes", "Code", "A1", "A2", "B7",
    ], [{"header": header, "rows": 12}], "Spare parts")


for make in (invoice, budget, dashboard, timesheet, inventory):
    make()
