/** Metadata of documents. */

/** The title; null for a file name or the name of a template, which programs fill in. */
export function usableTitle(title: string | null): string | null {
  const text = title?.replace(/^Microsoft (?:Word|PowerPoint) - /, '').trim() ?? '';
  const none =
    /^(?:untitled|unbenannt|document\s?\d*|dokument\s?\d*|title|slide 1|powerpoint[- ]\p{L}+|presentation\d*)$|\.(?:docx?|pptx?|od[tp]|rtf|pdf)$/iu;
  return text.length < 2 || none.test(text) ? null : text;
}

/** A time in ISO 8601 without fractions of a second; null for other text. */
export function timeOf(text: string | null): string | null {
  const time = text?.replace(/\.\d+/, '') ?? '';
  return /^\d{4}-\d{2}-\d{2}/.test(time) && !Number.isNaN(Date.parse(time)) ? time : null;
}
