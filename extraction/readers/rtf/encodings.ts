/** Encodings of RTF text, as labels of the Encoding standard. */

/** By the \fcharset of a font (values of Windows' LOGFONT). */
const byCharset: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gb18030',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

const byCodePage: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** Encoding of a font's character set; null where the document's encoding applies. */
export function encodingOfCharset(charset: number): string | null {
  return byCharset[charset] ?? null;
}

/** Encoding of the document's \ansicpg. */
export function encodingOfCodePage(codePage: number): string {
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`;
  return byCodePage[codePage] ?? 'windows-1252';
}
