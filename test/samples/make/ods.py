"""OpenDocument spreadsheets by odfpy, with the cells, repeats and styles that LibreOffice writes."""
import datetime as dt

from odf import dc, meta, number, office, style, table, text
from odf.opendocument import OpenDocumentSpreadsheet
from sample import expect, path_of

ORIGIN = "made for this project by test/samples/make/ods.py with odfpy"
HIDDEN_SHEET = "ta2"


class Link(tuple):
    """(text, address)"""


class Note(tuple):
    """(value, author, comment)"""


class Merged(tuple):
    """(value, columns, rows)"""


def paragraphs(cell, value):
    for line in str(value).split("\n"):
        cell.addElement(text.P(text=line))


def cell_of(value):
    if value is None:
        return table.TableCell()
    if isinstance(value, Merged):
        cell = table.TableCell(valuetype="string", numbercolumnsspanned=value[1], numberrowsspanned=value[2])
        paragraphs(cell, value[0])
    elif isinstance(value, Link):
        cell = table.TableCell(valuetype="string")
        line = text.P()
        line.addElement(text.A(href=value[1], text=value[0]))
        cell.addElement(line)
    elif isinstance(value, Note):
        cell = cell_of(value[0])
        note = office.Annotation()
        note.addElement(dc.Creator(text=value[1]))
        note.addElement(text.P(text=value[2]))
        cell.insertBefore(note, cell.firstChild)
    elif isinstance(value, dt.date):
        cell = table.TableCell(valuetype="date", datevalue=value.isoformat(), stylename="day")
        paragraphs(cell, value.strftime("%d.%m.%y"))
    elif isinstance(value, dt.timedelta):
        minutes = int(value.total_seconds()) // 60
        cell = table.TableCell(valuetype="time", timevalue=f"PT{minutes // 60:02d}H{minutes % 60:02d}M00S")
        paragraphs(cell, f"{minutes // 60:02d}:{minutes % 60:02d}")
    elif isinstance(value, bool):
        cell = table.TableCell(valuetype="boolean", booleanvalue=str(value).lower())
        paragraphs(cell, str(value).upper())
    elif isinstance(value, float):
        cell = table.TableCell(valuetype="float", value=value)
        paragraphs(cell, f"{value:.2f}")
    elif isinstance(value, int):
        cell = table.TableCell(valuetype="float", value=value)
        paragraphs(cell, value)
    else:
        cell = table.TableCell(valuetype="string")
        paragraphs(cell, value)
    return cell


def workbook(title=None):
    book = OpenDocumentSpreadsheet()
    day = number.DateStyle(name="D1")
    for part in (number.Day(style="long"), number.Text(text="."), number.Month(style="long"), number.Text(text="."), number.Year()):
        day.addElement(part)
    book.automaticstyles.addElement(day)
    book.automaticstyles.addElement(style.Style(name="day", family="table-cell", datastylename="D1"))
    hidden = style.Style(name=HIDDEN_SHEET, family="table")
    hidden.addElement(style.TableProperties(display="false"))
    book.automaticstyles.addElement(hidden)
    if title:
        book.meta.addElement(dc.Title(text=title))
    book.meta.addElement(meta.InitialCreator(text="Redaktion"))
    return book


def add_sheet(book, name, rows, hidden=False, hidden_rows=()):
    sheet = table.Table(name=name, stylename=HIDDEN_SHEET if hidden else "ta1")
    sheet.addElement(table.TableColumn(numbercolumnsrepeated=16384))
    for at, values in enumerate(rows):
        row = table.TableRow(**({"visibility": "collapse"} if at in hidden_rows else {}))
        for value in values:
            row.addElement(cell_of(value))
            if isinstance(value, Merged) and value[1] > 1:
                row.addElement(table.CoveredTableCell(numbercolumnsrepeated=value[1] - 1))
        row.addElement(table.TableCell(numbercolumnsrepeated=16384 - max(1, len(values))))
        sheet.addElement(row)
    rest = table.TableRow(numberrowsrepeated=1048576 - len(rows))
    rest.addElement(table.TableCell(numbercolumnsrepeated=16384))
    sheet.addElement(rest)
    book.spreadsheet.addElement(sheet)


def save(book, name):
    book.save(str(path_of("ods", f"{name}.ods")))


def members():
    book = workbook("Mitgliederliste Ruderclub")
    header = ["Name", "Eintritt", "Beitrag", "E-Mail", "Aktiv"]
    add_sheet(book, "Mitglieder", [
        [Merged(("Ruderclub Havel e. V. – Mitglieder", 5, 1))], [], header,
        ["Özlem Kaya", dt.date(2011, 5, 2), 84.0, Link(("kaya@example.org", "mailto:kaya@example.org")), True],
        ["Jürgen Groß", dt.date(1987, 10, 30), 42.0, Link(("Webseite", "https://gross.example/rudern")), False],
        [Note(("Lea Sommer", "Kassenwart", "Ermäßigung bis Juli")), dt.date(2023, 1, 15), 42.0, None, True],
    ], hidden_rows={4})
    add_sheet(book, "Kasse & Konto", [["Monat", "Saldo"], ["Januar", 1210.5], ["Februar", -88.25]])
    add_sheet(book, "Entwurf", [["Vorschlag: Beitrag ab 2025 auf 90 Euro anheben."]], hidden=True)
    save(book, "mitglieder")
    expect("ods", "mitglieder", ORIGIN, [
        "Mitgliederliste Ruderclub", "Mitglieder", "Ruderclub Havel e. V. – Mitglieder", *header, "Özlem Kaya",
        "2011-05-02", "84.00", "kaya@example.org", "TRUE", "Jürgen Groß", "1987-10-30", "42.00", "Webseite", "FALSE",
        "Lea Sommer", "2023-01-15", "Ermäßigung bis Juli", "Kasse & Konto", "Monat", "Saldo", "Januar", "1210.50",
        "Februar", "-88.25", "Entwurf", "Vorschlag: Beitrag ab 2025 auf 90 Euro anheben.",
    ], [{"header": header, "rows": 3}, {"header": ["Monat", "Saldo"], "rows": 2}], "Mitgliederliste Ruderclub")


def measurements():
    book = workbook()
    header = ["Sensor", "Time", "PM10 µg/m³", "PM2.5 µg/m³", "Remark"]
    rows = [[f"S-{at:02d}", dt.timedelta(hours=6 + at // 2, minutes=at % 2 * 30), 12.5 + at, 7.25 + at / 2,
             "rain" if at == 3 else None] for at in range(8)]
    add_sheet(book, "2024-02-11", [["Air quality, station Harbour"], header, *rows, [],
                                   ["Calibrated on 9 February; readings of S-05 are 2 % too high."]])
    save(book, "air-quality")
    expect("ods", "air-quality", ORIGIN, [
        "2024-02-11", "Air quality, station Harbour", *header, "S-00", "06:00", "12.50", "7.25", "S-03", "07:30", "15.50",
        "8.75", "rain", "S-07", "09:30", "19.50", "10.75", "Calibrated on 9 February",
    ], [{"header": header, "rows": 8}])


def recipe():
    book = workbook("Menu de la semaine")
    add_sheet(book, "Menu", [["Jour", "Midi", "Soir"], ["Lundi", "Soupe de légumes\nPain complet", "Quiche aux poireaux"],
                             ["Mardi", "Riz sauté", None], ["Mercredi", None, "Crêpes à l’emmental"]])
    add_sheet(book, "Courses", [["Poireaux"], ["Emmental"], ["Farine de sarrasin"], ["Œufs (12)"]])
    save(book, "menu")
    expect("ods", "menu", ORIGIN, [
        "Menu de la semaine", "Menu", "Jour", "Midi", "Soir", "Lundi", "Soupe de légumes", "Pain complet",
        "Quiche aux poireaux", "Mardi", "Riz sauté", "Mercredi", "Crêpes à l’emmental", "Courses", "Poireaux", "Emmental",
        "Farine de sarrasin", "Œufs (12)",
    ], [{"header": ["Jour", "Midi", "Soir"], "rows": 3}], "Menu de la semaine")


def league():
    book = workbook()
    add_sheet(book, "順位表", [
        ["順位", "チーム", "試合", "勝点", None, "得点王", "点"], [1, "青葉FC", 10, 24, None, "山本 健", 9],
        [2, "港SC", 10, 19, None, "李 明", 7], [3, "みなみユナイテッド", 9, 15],
    ])
    save(book, "league")
    expect("ods", "league", ORIGIN, [
        "順位表", "順位", "チーム", "試合", "勝点", "青葉FC", "10", "24", "港SC", "19", "みなみユナイテッド", "15",
        "得点王", "点", "山本 健", "9", "李 明", "7",
    ], [{"header": ["順位", "チーム", "試合", "勝点"], "rows": 3}, {"header": ["得点王", "点"], "rows": 2}])


def survey():
    book = workbook("Reader survey")
    answers = [("How often do you visit the library?", "Weekly", 41), (None, "Monthly", 33), (None, "Rarely", 26)]
    rows = [[Merged((question, 1, 3)) if question else None, answer, share] for question, answer, share in answers]
    add_sheet(book, "Results", [["Question", "Answer", "Percent"], *rows])
    add_sheet(book, "Comments", [
        ["“The reading room is too cold in winter, and the lamps at the long table flicker.”"], [],
        ["“More large-print books please. My mother is 91 and has read all of them, some of them twice.”"]])
    save(book, "survey")
    expect("ods", "survey", ORIGIN, [
        "Reader survey", "Results", "Question", "Answer", "Percent", "How often do you visit the library?", "Weekly", "41",
        "Monthly", "33", "Rarely", "26", "Comments", "The reading room is too cold in winter",
        "More large-print books please.", "some of them twice",
    ], [{"header": ["Question", "Answer", "Percent"], "rows": 3}], "Reader survey")


for make in (members, measurements, recipe, league, survey):
    make()
