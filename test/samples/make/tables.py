"""CSV and TSV samples as spreadsheets, shops, banks and statistics offices write them. Run: python3 tables.py"""
import csv, io, json, pathlib

ROOT = pathlib.Path(__file__).parent.parent


def save(format, name, text, encoding, strings, tables, origin):
    folder = ROOT / format
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.{format}").write_bytes(text.encode(encoding))
    told = {"origin": f"{origin} Made for this project by make/tables.py.", "strings": strings, "tables": tables, "title": None}
    (folder / f"{name}.expected.json").write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")


def written(rows, **options):
    out = io.StringIO()
    csv.writer(out, **options).writerows(rows)
    return out.getvalue()


def cells(rows):
    return [line.strip() for row in rows for cell in row for line in str(cell).split("\n") if len(line.strip()) > 3][:60]


def table(rows):
    return {"header": rows[0], "rows": len(rows) - 1}


orders = [["Order ID", "Date", "Customer", "Shipping address", "Items", "Total (USD)", "Notes"]] + [
    [f"#10{n}", f"2024-0{1 + n % 6}-1{n % 9}", who, f"{n * 7} {street}\n{town}", items, f"{n * 13.5:.2f}", note]
    for n, (who, street, town, items, note) in enumerate([
        ("Okafor, Ada", "Harbour Street", "Lagos", "2 × Desk lamp; 1 × Bulb 60W", "Leave at the \"blue\" door"),
        ("Smith & Sons", "High Street", "Leeds LS1 4AP", "10 × Cable | black", ""),
        ("Nguyễn Thị Mai", "Lê Lợi", "Huế", "1 × Chair", "Gift, wrap please"),
        ("José Álvarez", "Calle Mayor", "28013 Madrid", "3 × Shelf, oak", "Call first: +34 600 123 456"),
        ("Petra Müller", "Ringstraße", "1010 Wien", "1 × Table", "=SUM is not a formula here"),
        ("O'Brien", "Main St.", "Cork", "4 × Hook", "Paid twice, see #103"),
    ], start=1)
]
save("csv", "orders", written(orders), "utf-8-sig", cells(orders), [table(orders)], "A shop's export with addresses of two lines, in UTF-8 with a mark.")

bank = [["Buchungstag", "Wertstellung", "Umsatzart", "Begünstigter / Auftraggeber", "Verwendungszweck", "Betrag (€)", "Saldo (€)"],
        ["02.05.2024", "02.05.2024", "Lastschrift", "Stadtwerke Nürnberg", "Abschlag Strom 05/24 Kd.-Nr. 448812", "-84,50", "2.915,20"],
        ["03.05.2024", "03.05.2024", "Überweisung", "Bäckerei Größl", "Rechnung 2024-117; vielen Dank", "-236,00", "2.679,20"],
        ["06.05.2024", "07.05.2024", "Gutschrift", "Jörg Weiß", "Miete Garage Mai", "75,00", "2.754,20"],
        ["10.05.2024", "10.05.2024", "Kartenzahlung", "REWE SAGT DANKE", "10.05./17.22UHR", "-41,37", "2.712,83"],
        ["15.05.2024", "15.05.2024", "Dauerauftrag", "Verein der Gartenfreunde e.V.", "Beitrag", "-12,00", "2.700,83"]]
above = "Umsatzanzeige;;;;;;\r\nKonto;DE00 1234 5678 9012 3456 78;;;;;\r\nZeitraum;01.05.2024 - 31.05.2024;;;;;\r\n\r\n"
save("csv", "kontoauszug", above + written(bank, delimiter=";"), "cp1252", ["Umsatzanzeige", "Zeitraum"] + cells(bank), [table(bank)],
     "A German bank's statement with lines above the table, semicolons and decimal commas, in Windows-1252.")

sensor = [[f"2024-06-01T{h:02d}:00:00Z", f"{14 + h * 0.7:.1f}", f"{80 - h}", f"{1013.2 - h / 10:.1f}", "ok" if h % 7 else "fault"] for h in range(24)]
save("csv", "sensor", written(sensor, lineterminator="\n"), "ascii", [row[0] for row in sensor], [{"header": ["", "", "", "", ""], "rows": 24}],
     "A logger's file without a header.")

election = [["Wahlkreis|Gemeinde|Wahlberechtigte|Abgegeben|Gültig|Liste A|Liste B|Liste C"]]
rows = [["Nord", "Aspach", 2031, 1644, 1620, 702, 518, 400], ["Nord", "Burgkirchen", 2154, 1733, 1711, 811, 500, 400], ["Süd", "Ebensee", 6400, 4890, 4801, 1900, 1801, 1100],
        ["Süd", "Gosau", 1502, 1333, 1310, 610, 350, 350], ["Süd", "Hallstatt", 620, 540, 533, 201, 190, 142]]
text = election[0][0] + "\n" + "\n".join("|".join(map(str, row)) for row in rows) + "\n"
save("csv", "wahl", text, "utf-8", election[0][0].split("|") + cells(rows), [{"header": election[0][0].split("|"), "rows": 5}], "Open data with pipes.")

members = [["氏名", "フリガナ", "部署", "入社日", "電話番号", "備考"], ["山田 太郎", "ヤマダ タロウ", "営業部", "2015/04/01", "03-1234-5678", "課長"],
           ["佐藤 花子", "サトウ ハナコ", "開発部", "2019/10/15", "03-1234-5679", "在宅勤務、週三日"], ["鈴木 一郎", "スズキ イチロウ", "総務部", "2008/04/01", "03-1234-5680", ""],
           ["高橋 美咲", "タカハシ ミサキ", "営業部", "2022/07/01", "03-1234-5681", "東京から大阪へ異動"]]
save("csv", "meibo", written(members), "shift_jis", [c for row in members for c in row if len(c) > 1][:40], [table(members)], "A Japanese list of staff in Shift_JIS, as Excel saves it.")

genes = [["gene_id", "symbol", "chromosome", "start", "end", "strand", "description"]] + [
    [f"ENSG0000{n:07d}", s, f"chr{c}", n * 1000, n * 1000 + 5321, "+" if n % 2 else "-", d]
    for n, (s, c, d) in enumerate([("BRCA1", 17, "BRCA1 DNA repair associated"), ("TP53", 17, "tumor protein p53"), ("EGFR", 7, "epidermal growth factor receptor"),
                                   ("MYC", 8, "MYC proto-oncogene, bHLH transcription factor"), ("PTEN", 10, "phosphatase and tensin homolog")], start=141)]
save("tsv", "genes", written(genes, delimiter="\t", lineterminator="\n"), "utf-8", cells(genes), [table(genes)], "An annotation table of a genome browser.")
words = [["lemma", "pos", "translation", "example"], ["haus", "NOUN", "house", "Das Haus, in dem wir wohnen, ist alt."], ["gehen", "VERB", "to go", "Wir gehen \"nach\" Hause."],
         ["schön", "ADJ", "beautiful", "Ein schöner Tag!"], ["obwohl", "CONJ", "although", "Obwohl es regnet, gehen wir."], ["über", "ADP", "above; about", "Er spricht über Politik."]]
text = "\n".join("\t".join(row) for row in words) + "\n"
save("tsv", "woerter", text, "utf-8", cells(words), [table(words)], "A vocabulary list whose quotation marks mean nothing.")
prices = [["SKU", "Наименование", "Цена, руб.", "Остаток", "Поставщик"], ["A-100", "Лампа настольная", "1 990,00", "14", "ООО «Свет»"], ["A-101", "Стул деревянный", "4 500,00", "3", "ИП Иванов"],
          ["A-102", "Полка навесная", "2 750,50", "0", "ООО «Дом»"], ["A-103", "Крючок для одежды", "190,00", "250", "ИП Петрова"]]
save("tsv", "price-list", "\r\n".join("\t".join(r) for r in prices) + "\r\n", "cp1251", cells(prices), [table(prices)], "A Russian price list in Windows-1251.")
survey = [["Timestamp", "Name", "How did you hear about us?", "Rating", "What can we do better?"], ["2024/03/01 9:12:33 AM GMT+1", "Ana", "Friends", "5", ""], ["2024/03/01 10:02:10 AM GMT+1", "Luc", "Search", "3", "Open longer on Fridays"],
          ["2024/03/02 8:45:00 PM GMT+1", "", "Poster in the library", "4", "More seats, less noise"], ["2024/03/03 7:30:51 AM GMT+1", "Zoë", "Friends", "2", "The door at the back is always locked"]]
save("tsv", "survey", "\n".join("\t".join(r) for r in survey) + "\n", "utf-16", cells(survey), [table(survey)], "Answers of a form, as Excel saves Unicode text (UTF-16 with a mark).")
timetable = [["Stop", "Mon–Fri", "", "", "Sat", ""], ["Central station", "06:10", "06:40", "07:10", "07:00", "08:00"], ["Museum", "06:14", "06:44", "07:14", "07:04", "08:04"],
             ["University", "06:21", "06:51", "07:21", "07:11", "08:11"], ["Harbour", "06:30", "07:00", "07:30", "07:20", "08:20"]]
save("tsv", "timetable", "\n".join("\t".join(r) for r in timetable) + "\n", "utf-8", cells(timetable), [table(timetable)], "A timetable copied from a spreadsheet.")
