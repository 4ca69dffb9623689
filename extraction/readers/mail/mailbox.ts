/** Mailboxes (mbox, RFC 4155): mails that each follow a line that starts with "From ". */

/** A sender and a date in the format of asctime: "From jo@mail.example Thu Jan  1 09:05:00 2024"; a zone may follow. */
const fromLine = /^From \S.* \d\d:\d\d(?::\d\d)?\b.* \d{4}.*\r?\n/;

/** Start and end of each mail in the text (one byte per character). Text that is no mailbox is one mail. */
export function mailsOf(text: string): { start: number; end: number }[] {
  const begin = /^\s*(?=From )/.exec(text.slice(0, 1000))?.[0].length ?? 0;
  const first = /^From [^\n]*\n/.exec(text.slice(begin, begin + 1000))?.[0];
  if (first === undefined) return [{ start: 0, end: text.length }];
  const mails: { start: number; end: number }[] = [];
  let start = begin + first.length;
  for (let at = text.indexOf('\nFrom ', start); at !== -1; at = text.indexOf('\nFrom ', at + 1)) {
    const line = fromLine.exec(text.slice(at + 1, at + 500))?.[0];
    const isAfterBlank = /\n\r?$/.test(text.slice(at - 2, at));
    if (line === undefined || !isAfterBlank) continue;
    mails.push({ start, end: at });
    start = at + 1 + line.length;
  }
  return [...mails, { start, end: text.length }];
}
