/** Joins the pages of a PDF. */

/** The pages as one text; a paragraph, word or table that spans two pages is joined. */
export function joinPages(pages: readonly string[]): { markdown: string; starts: number[] } {
  const starts: number[] = [];
  let markdown = '';
  for (const page of pages) {
    let text = page;
    if (page !== '' && markdown !== '') {
      const rows = continuedRows(markdown, page);
      if (rows !== null) {
        markdown += '\n';
        text = rows;
      } else if (continuesParagraph(markdown, page)) {
        if (/\p{Ll}-$/u.test(markdown.slice(-3))) markdown = markdown.slice(0, -1);
        else markdown += ' ';
      } else {
        markdown += '\n\n';
      }
    }
    starts.push(markdown.length);
    markdown += text;
  }
  return { markdown, starts };
}

/** The page without the repeated header of a table that continues from the page before; null for other pages. */
function continuedRows(before: string, page: string): string | null {
  const header = /^\|.*\|\n\|(?: ?:?-+:? ?\|)+\n/.exec(page)?.[0];
  if (header === undefined || !before.endsWith('|')) return null;
  const table = before.slice(before.lastIndexOf('\n\n') + 1).trimStart();
  return table.startsWith(header) ? page.slice(header.length) : null;
}

function continuesParagraph(before: string, page: string): boolean {
  const lastLine = before.slice(before.lastIndexOf('\n') + 1);
  const isProse = (line: string) => !/^(?:#|\||```|[-*+] |\d+[.)] |>)/.test(line.trim());
  return /[\p{Ll},;]-?$/u.test(lastLine) && /^\p{Ll}/u.test(page) && isProse(lastLine) && isProse(page);
}
