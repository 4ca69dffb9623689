/** Formats numbers as Excel does where SheetJS differs. */

/** SheetJS's formatter. @throws Error for unsupported formats */
export type Formatter = (format: string, value: number, options: { date1904: boolean }) => string;

/** A locale without a currency, "[$-409]", shows nothing; the formatter would write a dollar sign for it. */
const bareLocale = /\[\$-[^\]]*\]/g;
/** Optional decimals after mandatory ones: "0.00#". */
const optionalDecimals = /(\.0+)(#+)/g;

/** The text of a number; null where `written`, the formatter's own result, is already correct. */
export function reformatted(
  value: number,
  format: string,
  written: string | undefined,
  formatter: Formatter,
  date1904: boolean,
): string | null {
  const plain = format.replace(bareLocale, '');
  if (written !== undefined && plain === format) return null;
  const shown = attempt(formatter, plain, value, date1904);
  if (shown !== null) return shown;
  const longest = Math.max(
    0,
    ...Array.from(plain.matchAll(optionalDecimals), ([, , optional = '']) => optional.length),
  );
  const padded = plain.replace(
    optionalDecimals,
    (_, fixed: string, optional: string) => fixed + '0'.repeat(optional.length),
  );
  return (
    attempt(formatter, padded, value, date1904)?.replace(new RegExp(`(\\.\\d+?)0{1,${longest || 1}}(?!\\d)`), '$1') ??
    null
  );
}

function attempt(formatter: Formatter, format: string, value: number, date1904: boolean): string | null {
  try {
    return formatter(format, value, { date1904 });
  } catch {
    return null;
  }
}
