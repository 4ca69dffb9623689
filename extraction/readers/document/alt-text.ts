/** Descriptions (alternative texts) of images. */
import { oneLine } from './inline.ts';

/** Notes that Office appends to descriptions that it generated. */
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

/** The description without such notes; empty for file names and default names, which programs fill in. */
export function cleanAltText(text: string | undefined): string {
  const alt = generated.reduce((rest, pattern) => rest.replace(pattern, ''), oneLine(text ?? '')).trim();
  const isFileName = /^(?:[\w:.~-]*[\\/])*[^\\/\n]{1,120}\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|ico)$/i.test(
    alt,
  );
  return isFileName || /^(?:picture|image|grafik|bild|shape|graphic|object)\s?\d*$/i.test(alt) ? '' : alt;
}
