/** What people, or programs for them, wrote about an image. */
import { oneLine } from './inline.ts';

/** The description without what programs add or fill in themselves; empty for none. */
export function cleanAltText(text: string | undefined): string {
  const alt = oneLine(text ?? '')
    .replace(
      /\s*(?:Description automatically generated(?: with (?:low|medium|high) confidence)?|AI-generated content may be incorrect\.?|Automatisch generierte Beschreibung)\.?\s*$/i,
      '',
    )
    .trim();
  const isFileName = /^(?:[\w:.~-]*[\\/])*[^\\/\n]{1,120}\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|ico)$/i.test(
    alt,
  );
  return isFileName || /^(?:picture|image|grafik|bild|shape|graphic|object)\s?\d*$/i.test(alt) ? '' : alt;
}
