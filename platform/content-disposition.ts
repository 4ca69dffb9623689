/**
 * Returns a Content-Disposition header for a download with this file name (RFC 6266): `filename*` in UTF-8 (RFC 8187),
 * and for old clients `filename` with all characters outside printable ASCII replaced.
 */
export function attachmentDisposition(filename: string): string {
  const wellFormed = filename.toWellFormed();
  const plain = wellFormed.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  // encodeURIComponent leaves these four unescaped; RFC 8187 does not allow them.
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
