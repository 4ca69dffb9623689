"""Jupyter notebooks as analyses, lessons and experiments leave them. Run with nbformat: python3 notebooks.py"""
import json, pathlib
import nbformat
from nbformat.v4 import new_code_cell as code, new_markdown_cell as md, new_notebook, new_output as out

FOLDER = pathlib.Path(__file__).parent.parent / "ipynb"
FOLDER.mkdir(exist_ok=True)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def save(name, cells, strings, tables=(), title=None, absent=(), language="python", **metadata):
    for n, cell in enumerate(cells):
        cell["id"] = f"{name[:8]}-{n}"
    kernel = {"kernelspec": {"name": "ir" if language == "R" else "python3", "display_name": language, "language": language}, "language_info": {"name": language}}
    book = new_notebook(cells=cells, metadata={**kernel, **({"title": title} if title else {}), **metadata})
    nbformat.write(book, FOLDER / f"{name}.ipynb")
    told = {"origin": "Made for this project by make/notebooks.py with nbformat.", "strings": strings, "tables": list(tables), "title": title, "absent": list(absent)}
    (FOLDER / f"{name}.expected.json").write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")


def frame(columns, rows):
    head = "".join(f"<th>{c}</th>" for c in ["", *columns])
    body = "".join(f"<tr><th>{n}</th>{''.join(f'<td>{v}</td>' for v in row)}</tr>" for n, row in enumerate(rows))
    html = f'<div>\n<style scoped>\n  .dataframe tbody tr th {{ vertical-align: top; }}\n</style>\n<table border="1" class="dataframe">\n<thead><tr style="text-align: right;">{head}</tr></thead>\n<tbody>{body}</tbody>\n</table>\n<p>{len(rows)} rows × {len(columns)} columns</p>\n</div>'
    return out("execute_result", data={"text/html": html, "text/plain": "\n".join(map(str, rows))}, execution_count=1)


save("sales", [
    md("# Sales by region\n\nThe data come from the *shop system*; see [the wiki](https://wiki.example/sales)."),
    code("import pandas as pd\n\ndf = pd.read_csv('sales.csv')\ndf.head()", outputs=[frame(["region", "units", "revenue"], [["North", 120, 3480.5], ["South", 80, 2210.0], ["West", 143, 4011.25]])]),
    md("## Trend\n\nRevenue grows where $u > 100$:\n\n$$r = 29u + \\epsilon$$"),
    code("df.plot(x='units', y='revenue')", outputs=[out("display_data", data={"image/png": PIXEL, "text/plain": "<Figure size 640x480 with 1 Axes>"})]),
    code("print(df.revenue.sum())\nprint('done')", outputs=[out("stream", name="stdout", text="9701.75\ndone\n")]),
], ["Sales by region", "The data come from the", "the wiki", "import pandas as pd", "df = pd.read_csv('sales.csv')", "region", "units", "revenue", "North", "3480.5", "South", "West", "4011.25", "3 rows × 3 columns", "Trend", "Revenue grows where", "r = 29u + \\epsilon", "df.plot(x='units', y='revenue')", "print(df.revenue.sum())", "9701.75", "done"],
    [{"header": ["", "region", "units", "revenue"], "rows": 3}], absent=["vertical-align", PIXEL[:20]])
save("lesson", [
    md("# Lesson 3: Loops\n\n**Goals**\n\n- write a `for` loop\n- know when to use `while`\n\n> Try each cell before you read on."),
    code("for n in range(3):\n    print('line', n)", outputs=[out("stream", name="stdout", text="line 0\nline 1\nline 2\n")]),
    md("### Exercise\n\nWhat does this print?\n\n1. nothing\n2. an error"),
    code("total = 0\nwhile total < 3:\n    totl = total + 1\n    raise ValueError('typo')", outputs=[out("error", ename="ValueError", evalue="typo", traceback=["\u001b[0;31mValueError\u001b[0m: typo"])]),
    code("%%bash\necho \"from the shell\" | wc -c", outputs=[out("stream", name="stdout", text="15\n")]),
    md("| keyword | meaning |\n|---|---|\n| `break` | leave the loop |\n| `continue` | next round |"),
], ["Lesson 3: Loops", "Goals", "write a", "know when to use", "Try each cell before you read on", "for n in range(3):", "print('line', n)", "line 0", "line 2", "Exercise", "What does this print?", "nothing", "an error", "total = 0", "raise ValueError('typo')", "ValueError: typo", "from the shell", "15", "keyword", "meaning", "leave the loop", "next round"],
    [{"header": ["keyword", "meaning"], "rows": 2}], absent=["[0;31m"])
save("training", [
    md("# Fine-tuning run 17"),
    code("trainer.fit(epochs=3)", outputs=[out("stream", name="stderr", text="  0%|          | 0/100\r 50%|#####     | 50/100\r100%|##########| 100/100\n"), out("stream", name="stdout", text="epoch 1: loss 0.912\nepoch 2: loss 0.541\nepoch 3: loss 0.377\n")]),
    code("metrics", outputs=[out("execute_result", data={"text/plain": "{'accuracy': 0.934, 'f1': 0.921}"}, execution_count=2)]),
    code("from IPython.display import Markdown\nMarkdown('**Best** epoch: 3')", outputs=[out("display_data", data={"text/markdown": "**Best** epoch: 3", "text/plain": "<IPython.core.display.Markdown object>"})]),
    code("model.summary_widget()", outputs=[out("display_data", data={"application/vnd.jupyter.widget-view+json": {"model_id": "x"}, "text/plain": "HBox(children=...)"})]),
    md("## Conclusion\n\nThe loss still falls; train longer."),
], ["Fine-tuning run 17", "trainer.fit(epochs=3)", "100%|##########| 100/100", "epoch 1: loss 0.912", "epoch 3: loss 0.377", "metrics", "{'accuracy': 0.934, 'f1': 0.921}", "from IPython.display import Markdown", "epoch: 3", "model.summary_widget()", "Conclusion", "The loss still falls; train longer."], absent=["50/100", "IPython.core.display.Markdown object"])
save("statistik", [
    md("# Auswertung der Umfrage\n\nGefragt wurden **214** Haushalte in Linz und Umgebung."),
    code("library(dplyr)\numfrage %>% group_by(bezirk) %>% summarise(n = n())", outputs=[out("execute_result", data={"text/plain": "  bezirk     n\n1 Mitte     81\n2 Urfahr   133"}, execution_count=1)]),
    md("## Ergebnis\n\nDie Zufriedenheit ist in *Urfahr* größer ($p = 0{,}03$).\n\n* Öffis: 4,1\n* Grünflächen: 4,6"),
    code("t.test(zufrieden ~ bezirk)", outputs=[out("execute_result", data={"text/plain": "\n\tWelch Two Sample t-test\n\nt = -2.18, df = 203, p-value = 0.03"}, execution_count=2)]),
], ["Auswertung der Umfrage", "Gefragt wurden", "214", "Haushalte in Linz und Umgebung", "library(dplyr)", "summarise(n = n())", "1 Mitte     81", "2 Urfahr   133", "Ergebnis", "Die Zufriedenheit ist in", "Urfahr", "Öffis: 4,1", "Grünflächen: 4,6", "t.test(zufrieden ~ bezirk)", "Welch Two Sample t-test", "p-value = 0.03"], language="R")
save("queries", [
    md("# Queries for the monthly report", attachments={"schema.png": {"image/png": PIXEL}}),
    md("![The schema of the shop](attachment:schema.png)\n\nOrders and their lines."),
    code("%%sql\nSELECT region, count(*) AS n\nFROM orders\nGROUP BY region", outputs=[out("execute_result", data={"text/html": "<table><tr><th>region</th><th>n</th></tr><tr><td>North | East</td><td>41</td></tr><tr><td>South</td><td>17</td></tr></table>", "text/plain": "..."}, execution_count=1)]),
    code("rows = _.fetchall()\nlen(rows)", outputs=[out("execute_result", data={"text/plain": "2"}, execution_count=2)]),
    nbformat.v4.new_raw_cell("Draft: do not send."),
], ["Queries for the monthly report", "The schema of the shop", "Orders and their lines", "SELECT region, count(*) AS n", "GROUP BY region", "region", "North | East", "41", "South", "17", "rows = _.fetchall()", "Draft: do not send."], [{"header": ["region", "n"], "rows": 2}], title="Monthly report", authors=[{"name": "Mira Okafor"}])
