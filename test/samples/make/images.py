"""Images with what cameras, phones and editors write into them. Run with Pillow and piexif: python3 images.py"""
import json, pathlib
import piexif
from PIL import Image, ImageDraw, PngImagePlugin

FOLDER = pathlib.Path(__file__).parent.parent / "image"
FOLDER.mkdir(exist_ok=True)


def picture(width, height):
    image = Image.new("RGB", (width, height), (40, 90, 140))
    ImageDraw.Draw(image).ellipse([width // 4, height // 4, width // 2, height // 2], fill=(240, 200, 60))
    return image


def told(name, strings, title=None, absent=()):
    data = {"origin": "Made for this project by make/images.py.", "strings": strings, "tables": [], "title": title, "absent": list(absent)}
    (FOLDER / f"{name}.expected.json").write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


exif = piexif.dump({
    "0th": {piexif.ImageIFD.Make: b"Canon", piexif.ImageIFD.Model: b"Canon EOS R6", piexif.ImageIFD.Artist: "Mira Okafor".encode(), piexif.ImageIFD.ImageDescription: b"Harbour of Bergen in the rain", piexif.ImageIFD.Copyright: b"CC BY 4.0", piexif.ImageIFD.Orientation: 6, piexif.ImageIFD.Software: b"darktable 4.6"},
    "Exif": {piexif.ExifIFD.DateTimeOriginal: b"2024:05:06 07:08:09", piexif.ExifIFD.ExposureTime: (1, 250), piexif.ExifIFD.FNumber: (28, 10), piexif.ExifIFD.ISOSpeedRatings: 400, piexif.ExifIFD.FocalLength: (35, 1), piexif.ExifIFD.LensModel: b"RF35mm F1.8"},
    "GPS": {piexif.GPSIFD.GPSLatitudeRef: b"N", piexif.GPSIFD.GPSLatitude: ((60, 1), (23, 1), (3456, 100)), piexif.GPSIFD.GPSLongitudeRef: b"E", piexif.GPSIFD.GPSLongitude: ((5, 1), (19, 1), (1200, 100))},
})
picture(320, 200).save(FOLDER / "harbour.jpg", exif=exif, quality=70)
told("harbour", ["JPEG", "200 × 320", "Harbour of Bergen in the rain", "2024-05-06 07:08:09", "Mira Okafor", "CC BY 4.0", "Canon EOS R6", "RF35mm F1.8", "1/250 s", "f/2.8", "ISO 400", "60.3", "5.3", "darktable 4.6"], absent=["Canon Canon"])
XMP = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="GIMP 2.10" xmp:CreateDate="2023-11-02T10:00:00+01:00"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Plan of the ground floor</rdf:li></rdf:Alt></dc:title><dc:description><rdf:Alt><rdf:li xml:lang="x-default">Walls, doors and windows; scale 1:100.</rdf:li></rdf:Alt></dc:description><dc:creator><rdf:Seq><rdf:li>Jón Þórsson</rdf:li></rdf:Seq></dc:creator><dc:subject><rdf:Bag><rdf:li>plan</rdf:li><rdf:li>house</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""
info = PngImagePlugin.PngInfo()
info.add_itxt("XML:com.adobe.xmp", XMP)
picture(640, 480).save(FOLDER / "plan.png", pnginfo=info)
told("plan", ["Plan of the ground floor", "PNG", "640 × 480", "Walls, doors and windows; scale 1:100.", "2023-11-02", "Jón Þórsson", "plan, house", "GIMP 2.10"], "Plan of the ground floor")
picture(48, 32).save(FOLDER / "spinner.gif", save_all=True, append_images=[picture(48, 32)], duration=100)
told("spinner", ["GIF", "48 × 32"])
picture(300, 150).save(FOLDER / "photo.webp", exif=piexif.dump({"0th": {piexif.ImageIFD.Make: b"Google", piexif.ImageIFD.Model: b"Pixel 8"}, "Exif": {piexif.ExifIFD.DateTimeOriginal: b"2024:01:31 18:00:00"}}))
told("photo", ["WebP", "300 × 150", "2024-01-31 18:00:00", "Google Pixel 8"])
picture(100, 60).save(FOLDER / "scan.tiff", description="Letter of 1923, page 1", artist="City archive", software="scanner 3")
told("scan", ["TIFF", "100 × 60", "Letter of 1923, page 1", "City archive", "scanner 3"])
picture(20, 10).save(FOLDER / "icon.bmp")
told("icon", ["BMP", "20 × 10"])
(FOLDER / "flow.svg").write_text("""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="420" height="180" viewBox="0 0 420 180"><title>How an order is handled</title><desc>From the shop to the door in four steps.</desc>
<style>text { font: 12px sans-serif }</style><g id="a"><rect width="90" height="40"/><text x="10" y="25">Order received</text></g>
<g><rect x="110" width="90" height="40"/><text x="120" y="15"><tspan x="120" dy="0">Payment</tspan><tspan x="120" dy="14">checked</tspan></text></g><text x="230" y="25">Packed &amp; labelled</text><text x="330" y="25">Delivered</text></svg>
""")
told("flow", ["How an order is handled", "SVG", "420", "180", "From the shop to the door in four steps.", "Order received", "Payment checked", "Packed & labelled", "Delivered"], "How an order is handled", absent=["sans-serif"])
