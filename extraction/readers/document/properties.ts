/** What documents say of themselves, as far as it means anything. */

/** Programs write file names and names of their templates into the title. */
export function usableTitle(title: string | null): string | null {
  const text = title?.replace(/^Microsoft (?:Word|PowerPoint) - /, '').trim() ?? '';
  const none =
    /^(?:untitled|unbenannt|document\s?\d*|dokument\s?\d*|title|slide 1|powerpoint[- ]\p{L}+|presentation\d*)$|\.(?:docx?|pptx?|od[tp]|rtf|pdf)$/iu;
  return text.length < 2 || none.test(text) ? null : text;
}

/** A time of ISO 8601 without fractions of a second; null for what is none. */
export function timeOf(text: string | null): string | null {
  const time = text?.replace(/\.\d+/, '') ?? '';
  return /^\d{4}-\d{2}-\d{2}/.test(time) && !Number.isNaN(Date.parse(time)) ? time : null;
}
