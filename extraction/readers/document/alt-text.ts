/** What people, or programs for them, wrote about an image. */
import { oneLine } from './inline.ts';

/** What Office says of descriptions that it made up itself. */
const generated: readonly RegExp[] = [
  /\s*Description automatically generated(?: with (?:very )?(?:low|medium|high) confidence)?\.?\s*$/i,
  /\s*(?:AI-generated content may be incorrect|KI-generierte Inhalte können fehlerhaft sein)\.?\s*$/i,
  /\s*Automatisch generierte Beschreibung(?: mit \p{L}+ Zuverlässigkeit)?\.?\s*$/iu,
  /\s*Description générée automatiquement(?: avec un niveau de confiance \p{L}+)?\.?\s*$/iu,
  /\s*Descripción generada automáticamente(?: con confianza \p{L}+)?\.?\s*$/iu,
  /\s*Descrizione generata automaticamente(?: con attendibilità \p{L}+)?\.?\s*$/iu,
  /\s*Descrição gerada automaticamente(?: com confiança \p{L}+)?\.?\s*$/iu,
  /\s*(?:(?:低|中度?|高)可信度)?描述已自动生成\s*$/,
  /\s*自動的に生成された説明\s*$/,
];

/** The description without what programs add or fill in themselves; empty for none. */
export function cleanAltText(text: string | undefined): string {
  const alt = generated.reduce((said, pattern) => said.replace(pattern, ''), oneLine(text ?? '')).trim();
  const isFileName = /^(?:[\w:.~-]*[\\/])*[^\\/\n]{1,120}\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|ico)$/i.test(
    alt,
  );
  return isFileName || /^(?:picture|image|grafik|bild|shape|graphic|object)\s?\d*$/i.test(alt) ? '' : alt;
}
