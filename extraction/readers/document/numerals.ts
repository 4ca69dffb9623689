/** Numbers of list items. */

/** A number in a format of Word (ST_NumberFormat); in digits for unknown formats. */
export function numeral(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number).toLowerCase();
    case 'upperRoman':
      return roman(number);
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'decimalEnclosedCircle':
      return number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number);
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'ideographDigital':
    case 'japaneseCounting':
    case 'taiwaneseCountingThousand':
      return ideographic(number);
    case 'none':
      return '';
    default:
      return String(number);
  }
}

/** a to z, then aa, bb, as in word processors. */
function letters(number: number): string {
  if (number < 1 || number > 780) return String(number);
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
}

function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  const signs: readonly [number, string][] = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ];
  let rest = number;
  let text = '';
  for (const [value, sign] of signs) for (; rest >= value; rest -= value) text += sign;
  return text;
}

function ideographic(number: number): string {
  const digits = '零一二三四五六七八九';
  if (number < 1 || number > 99) return String(number);
  const [tens, ones] = [Math.floor(number / 10), number % 10];
  const before = tens > 1 ? digits.charAt(tens) : '';
  return `${before}${tens > 0 ? '十' : ''}${ones > 0 ? digits.charAt(ones) : ''}`;
}
