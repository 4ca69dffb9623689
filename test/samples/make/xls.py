"""Excel 97 workbooks by xlwt."""
import datetime as dt

import xlwt
from sample import expect, path_of

ORIGIN = "made for this project by test/samples/make/xls.py with xlwt"
DAY = xlwt.easyxf(num_format_str="DD.MM.YYYY")
MONEY = xlwt.easyxf(num_format_str="#,##0.00")
PERCENT = xlwt.easyxf(num_format_str="0%")
BOLD = xlwt.easyxf("font: bold on")


def write(sheet, top, rows, left=0):
    for row, values in enumerate(rows, top):
        for column, value in enumerate(values, left):
            if value is None:
                continue
            style = xlwt.easyxf()
            if isinstance(value, dt.date):
                style = DAY
            elif isinstance(value, float):
                style = MONEY
            sheet.write(row, column, value, style)


def save(book, name):
    book.save(str(path_of("xls", f"{name}.xls")))


def prices():
    book = xlwt.Workbook(encoding="cp1252")
    sheet = book.add_sheet("Preisliste")
    sheet.write_merge(0, 0, 0, 3, "Preisliste Gärtnerei Müller, gültig ab 1. März", BOLD)
    header = ["Artikel", "Größe", "Preis €", "Bestand"]
    rows = [("Lavendel", "12 cm", 4.5, 120), ("Rosmarin", "14 cm", 5.9, 44), ("Apfelbaum »Topaz«", "150 cm", 39.0, 7),
            ("Blühende Hortensie", "Ø 21 cm", 18.75, 0)]
    write(sheet, 2, [header, *rows])
    write(sheet, 8, [["Preise inklusive Mehrwertsteuer; Lieferung ab 50 € frei Haus."]])
    save(book, "preisliste")
    expect("xls", "preisliste", ORIGIN, [
        "Preisliste", "Preisliste Gärtnerei Müller, gültig ab 1. März", *header, "Lavendel", "12 cm", "4.50", "120",
        "Rosmarin", "5.90", "44", "Apfelbaum »Topaz«", "39.00", "Blühende Hortensie", "Ø 21 cm", "18.75", "0",
        "Preise inklusive Mehrwertsteuer",
    ], [{"header": header, "rows": 4}])


def statement():
    book = xlwt.Workbook()
    sheet = book.add_sheet("January 2009")
    write(sheet, 0, [["Account", "GB29 NWBK 6016 1331 9268 19"], ["Holder", "Mrs J. Whitcombe"], ["Opening balance", 1204.18]])
    header = ["Date", "Description", "Out", "In", "Balance"]
    rows = [(dt.date(2009, 1, 5), "Standing order: rent", 640.0, None, 564.18), (dt.date(2009, 1, 9), "Salary", None, 1830.0, 2394.18),
            (dt.date(2009, 1, 14), "Cash machine, High St", 60.0, None, 2334.18), (dt.date(2009, 1, 30), "Interest", None, 0.42, 2334.6)]
    write(sheet, 4, [header, *rows])
    sheet.write(10, 1, "Total", BOLD)
    sheet.write(10, 2, xlwt.Formula("SUM(C6:C9)"), MONEY)
    sheet.row(7).hidden = True
    save(book, "statement")
    expect("xls", "statement", ORIGIN, [
        "January 2009", "Account", "GB29 NWBK 6016 1331 9268 19", "Holder", "Mrs J. Whitcombe", "Opening balance",
        "1,204.18", *header, "2009-01-05", "Standing order: rent", "640.00", "564.18", "2009-01-09", "Salary", "1,830.00",
        "2,394.18", "Cash machine, High St", "60.00", "2009-01-30", "Interest", "0.42", "2,334.60", "Total",
    ], [{"header": header, "rows": 4}])


def grades():
    book = xlwt.Workbook()
    for name, rows in {
        "5A": [("Amélie Fournier", 14.5, 12.0, "Très bon trimestre"), ("Noé Lefèvre", 9.5, 11.0, "Doit participer davantage")],
        "5B": [("Inès Benali", 17.0, 16.5, "Félicitations du conseil"), ("Hugo Petit", 8.0, 7.5, None)],
    }.items():
        sheet = book.add_sheet(name)
        write(sheet, 0, [["Élève", "Mathématiques", "Français", "Appréciation"], *rows])
    hidden = book.add_sheet("Barème")
    hidden.visibility = 1
    write(hidden, 0, [["Coefficient", "Matière"], [3.0, "Mathématiques"], [2.0, "Français"]])
    save(book, "notes")
    expect("xls", "notes", ORIGIN, [
        "5A", "Élève", "Mathématiques", "Français", "Appréciation", "Amélie Fournier", "14.50", "12.00",
        "Très bon trimestre", "Noé Lefèvre", "Doit participer davantage", "5B", "Inès Benali", "17.00",
        "Félicitations du conseil", "Hugo Petit", "7.50", "Barème", "Coefficient", "Matière", "3.00", "2.00",
    ], [{"header": ["Élève", "Mathématiques", "Français", "Appréciation"], "rows": 2},
        {"header": ["Élève", "Mathématiques", "Français", "Appréciation"], "rows": 2},
        {"header": ["Coefficient", "Matière"], "rows": 2}])


def plan():
    book = xlwt.Workbook()
    sheet = book.add_sheet("План работ")
    header = ["Этап", "Начало", "Окончание", "Готово", "Ответственный"]
    rows = [("Обследование", dt.date(2012, 4, 2), dt.date(2012, 4, 13)), ("Проект", dt.date(2012, 4, 16), dt.date(2012, 5, 25)),
            ("Строительство", dt.date(2012, 6, 4), dt.date(2012, 9, 28))]
    for at, (share, who) in enumerate([(1.0, "Иванова"), (0.6, "Петренко"), (0.0, "СМУ-14")], 1):
        sheet.write(at, 3, share, PERCENT)
        sheet.write(at, 4, who)
    write(sheet, 0, [header, *rows])
    links = book.add_sheet("Ссылки")
    links.write(0, 0, xlwt.Formula('HYPERLINK("https://example.org/plan";"Подробный план")'))
    save(book, "plan")
    expect("xls", "plan", ORIGIN, [
        "План работ", *header, "Обследование", "2012-04-02", "2012-04-13", "100%", "Иванова", "Проект", "2012-05-25",
        "60%", "Петренко", "Строительство", "2012-09-28", "0%", "СМУ-14", "Ссылки",
    ], [{"header": header, "rows": 3}])


def rota():
    book = xlwt.Workbook()
    sheet = book.add_sheet("Week 7")
    sheet.write_merge(0, 0, 0, 5, "Kitchen rota, week 7")
    header = ["Name", "Mon", "Tue", "Wed", "Thu", "Fri"]
    write(sheet, 1, [header, ["Priya", "early", "early", "off", "late", "late"], ["Tomasz", "late", "off", "early"],
                     ["Wen", None, "late", "late", "off", "early"]])
    sheet.write_merge(3, 3, 4, 5, "early, then training (Leeds)")
    write(sheet, 7, [["Role", "Phone"], ["Manager", "0113 496 0000"], ["Deliveries", "0113 496 0017"]])
    save(book, "rota")
    expect("xls", "rota", ORIGIN, [
        "Week 7", "Kitchen rota, week 7", *header, "Priya", "early", "off", "late", "Tomasz", "early, then training (Leeds)",
        "Wen", "early", "Role", "Phone", "Manager", "0113 496 0000", "Deliveries", "0113 496 0017",
    ], [{"header": header, "rows": 3}, {"header": ["Role", "Phone"], "rows": 2}])


for make in (prices, statement, grades, plan, rota):
    make()
