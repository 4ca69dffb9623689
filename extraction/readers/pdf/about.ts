/** Metadata of a PDF: its information dictionary and its catalogue, read by pdf.js. */
import type { DocumentAbout } from '../../../contract/extraction.ts';

export interface PdfAbout {
  title: string | null;
  languageHint: string | null;
  about: Partial<DocumentAbout>;
}

/** The metadata; null for missing and unreadable fields. The date is that of the document's creation. */
export async function aboutOf(bytes: Uint8Array): Promise<PdfAbout> {
  const { getDocumentProxy, getMeta } = await import('unpdf');
  try {
    // A copy: pdf.js transfers the buffer, and rejects Node's Buffer.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    const { info } = await getMeta(document);
    const of = (name: string) => {
      const value: unknown = info[name];
      return typeof value === 'string' ? cleaned(value) : null;
    };
    return {
      title: usableTitle(of('Title')),
      languageHint: languageTag(of('Language')),
      about: { author: usableAuthor(of('Author')), publishedAt: dateOf(of('CreationDate')) },
    };
  } catch {
    return { title: null, languageHint: null, about: {} };
  }
}

const cleaned = (text: string) => text.replaceAll('\0', '').replace(/\s+/g, ' ').trim();

/** The title; null for file names and names of programs, which programs fill in. */
function usableTitle(title: string | null): string | null {
  const text = title?.replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '') ?? '';
  const noTitle =
    /^(?:untitled|unbenannt|document\d*|\(?unspecified\)?|title|slide 1)$|\.(?:docx?|pptx?|xlsx?|tex|indd|dvi|pdf|rtf|odt|qxd)$/i;
  return text.length < 2 || noTitle.test(text) ? null : text;
}

/** The author; null for default and account names, which programs fill in. */
function usableAuthor(author: string | null): string | null {
  const noAuthor = /^\(?(?:anonymous|unspecified|unknown|user|admin(?:istrator)?|root|owner|author)\)?$/i;
  return author === null || author.length < 2 || noAuthor.test(author) ? null : author;
}

/** The language tag of the catalogue if it is well-formed BCP 47, else null. */
function languageTag(tag: string | null): string | null {
  try {
    return tag === null ? null : (Intl.getCanonicalLocales(tag)[0] ?? null);
  } catch {
    return null;
  }
}

/** "D:20250417093000+02'00'" (ISO 32000-1, 7.9.4) as ISO 8601; null for other text. */
export function dateOf(text: string | null): string | null {
  const found = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-]\d\d)'?(\d\d)?'?)?/.exec(text ?? '');
  if (found === null) return null;
  const [, year, month, day, hours, minutes, seconds = '00', zulu, offset, offsetMinutes = '00'] = found;
  const date = `${year}-${month}-${day}`;
  const zone = zulu ?? (offset === undefined ? undefined : offset === '+00' ? 'Z' : `${offset}:${offsetMinutes}`);
  // Without an offset the time is ambiguous, so only the date is used.
  const iso = hours === undefined || zone === undefined ? date : `${date}T${hours}:${minutes}:${seconds}${zone}`;
  return Number.isNaN(Date.parse(iso)) ? null : iso;
}
