"""Mails by Python's email package."""
from email.message import EmailMessage
from email.policy import SMTP

from sample import expect, path_of

ORIGIN = "made for this project by test/samples/make/eml.py with Python's email package"


def mail(name, sender, to, date, subject, body, charset="utf-8", cc=None):
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Date"], message["Subject"] = sender, to, date, subject
    if cc:
        message["Cc"] = cc
    message["Message-ID"] = f"<{name}@mail.example>"
    message.set_content(body, charset=charset)
    return message


def save(message, name, strings, title, absent=()):
    for at, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=={name}-{at}==")
    path_of("eml", f"{name}.eml").write_bytes(message.as_bytes())
    expect("eml", name, ORIGIN, strings, title=title, absent=absent)


def reply():
    body = ("Hi Jonas,\n\nyes, Thursday works. I'll bring the new board.\n\nOn Mon, 4 Mar 2024 at 09:12, Jonas Lind wrote:\n"
            "> Shall we test the prototype on Thursday?\n> The lab is free from 13:00.\n>\n>> Is the lab booked?\n> No.\n\n"
            "Best, Mara\n-- \nMara Vogel\nHardware, Lumen AG\n")
    save(mail("reply", "Mara Vogel <mara@lumen.example>", "Jonas Lind <jonas@lumen.example>",
              "Mon, 04 Mar 2024 10:30:00 +0100", "Re: Prototype test", body, cc="lab@lumen.example"), "reply", [
        "Re: Prototype test", "Mara Vogel", "mara@lumen.example", "Jonas Lind", "lab@lumen.example", "2024-03-04",
        "Hi Jonas,", "yes, Thursday works.", "Shall we test the prototype on Thursday?", "The lab is free from 13:00.",
        "Is the lab booked?", "No.", "Best, Mara", "Hardware, Lumen AG"], "Re: Prototype test")


def order():
    message = mail("order", "Bücher Kern <bestellung@kern.example>", "kundin@example.org", "Tue, 05 Mar 2024 18:02:11 +0100",
                   "Ihre Bestellung 4711 – Bestätigung", "Bitte die HTML-Fassung lesen.")
    message.add_alternative("""<html><body><div style="display:none">Vorschau</div><h1>Vielen Dank, Frau Öztürk!</h1>
<p>Wir haben Ihre <b>Bestellung 4711</b> erhalten.</p><table><tr><th>Titel</th><th>Menge</th><th>Preis</th></tr>
<tr><td>Die Wand</td><td>1</td><td>12,00 €</td></tr><tr><td>Austerlitz</td><td>2</td><td>28,00 €</td></tr></table>
<p><img src="cid:logo" alt="Bücher Kern, Marktplatz 3"> <a href="https://kern.example/4711">Sendung verfolgen</a></p></body></html>""",
                            subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG\r\n\x1a\n", "image", "png", cid="<logo>", filename="logo.png")
    message.add_attachment(b"%PDF-1.4 invoice" * 300, maintype="application", subtype="pdf", filename="Rechnung März.pdf")
    save(message, "order", ["Ihre Bestellung 4711 – Bestätigung", "Bücher Kern", "kundin@example.org", "2024-03-05",
         "Vielen Dank, Frau Öztürk!", "Bestellung 4711", "Titel", "Menge", "Preis", "Die Wand", "12,00 €", "Austerlitz",
         "Bücher Kern, Marktplatz 3", "Sendung verfolgen", "Attachments", "Rechnung März.pdf", "application/pdf"],
         "Ihre Bestellung 4711 – Bestätigung", ["Vorschau"])


def japanese():
    body = "田中様\n\nお世話になっております。\n会議の資料をお送りします。\n\n日時: 3月12日(火) 14:00\n場所: 第二会議室\n\n鈴木\n"
    save(mail("kaigi", "鈴木 一郎 <suzuki@example.jp>", "tanaka@example.jp", "Fri, 08 Mar 2024 09:00:00 +0900",
              "会議資料の送付について", body, charset="iso-2022-jp"), "kaigi", [
        "会議資料の送付について", "鈴木 一郎", "suzuki@example.jp", "tanaka@example.jp", "2024-03-08", "田中様",
        "お世話になっております。", "会議の資料をお送りします。", "3月12日(火) 14:00", "第二会議室", "鈴木"], "会議資料の送付について")


def forward():
    inner = mail("inner", "Facilities <facilities@uni.example>", "all@uni.example", "Wed, 06 Mar 2024 07:45:00 +0000",
                 "Water off on Friday", "The water in building C is off on Friday from 8 to 11.\n\nPlease close all taps.\n")
    message = mail("forward", "Dean's office <dean@uni.example>", "staff-c@uni.example", "Wed, 06 Mar 2024 08:10:00 +0000",
                   "Fwd: Water off on Friday", "Please tell your students; labs 3 and 4 stay closed.\n")
    message.add_attachment(inner)
    save(message, "forward", ["Fwd: Water off on Friday", "Dean's office", "staff-c@uni.example", "2024-03-06",
         "labs 3 and 4 stay closed", "Water off on Friday", "Facilities", "all@uni.example", "building C is off on Friday",
         "Please close all taps."], "Fwd: Water off on Friday")


def french():
    body = "Bonjour à tous,\n\nLe compte rendu de la réunion du 1er mars :\n\n- budget adopté\n- fête d'été le 22 juin\n\nÀ bientôt,\nHélène\n"
    message = mail("compte-rendu", "Hélène Gérard <helene@asso.example>", "membres@asso.example",
                   "Sat, 02 Mar 2024 11:00:00 +0100", "Compte rendu – réunion", body, charset="iso-8859-15")
    message.add_attachment("nom;montant\nloyer;420\n".encode(), maintype="text", subtype="csv", filename="comptes.csv")
    save(message, "compte-rendu", ["Compte rendu – réunion", "Hélène Gérard", "membres@asso.example", "2024-03-02",
         "Bonjour à tous,", "réunion du 1er mars", "budget adopté", "fête d'été le 22 juin", "À bientôt,", "Hélène",
         "Attachments", "comptes.csv", "text/csv"], "Compte rendu – réunion")


for make in (reply, order, japanese, forward, french):
    make()
