import { decodeText } from '../../../../extraction/detection/encoding/decode.ts';

const german = 'Größe und Übermut tun selten gut, sagt man in Österreich häufig, und zwar für jede Straße der Stadt.';
const russian = 'Мы рады сообщить, что новая версия программы доступна для скачивания на сайте. Спасибо за терпение!';
const japanese =
  '会議は来週の月曜日に変更になりました。資料は金曜日までに共有フォルダーへ入れてください。よろしくお願いします。';
const simplified =
  '我们公司的新产品将在下个月发布，请大家做好准备。如果有任何问题，可以随时联系我，也可以看网站上的说明。';
const traditional =
  '我們公司的新產品將在下個月發布，請大家做好準備。如果有任何問題，可以隨時聯絡我，也可以看網站上的說明。';
const korean =
  '다음 주 회의는 월요일 오전에 시작합니다. 자료를 미리 읽어 보시고 질문이 있으면 알려 주세요. 감사합니다.';

type Known = [name: string, text: string, bytes: (text: string) => Uint8Array];

/** Builds the encoder that inverts a decoder. */
function encoderOf(label: string): (text: string) => Uint8Array {
  const decoder = new TextDecoder(label);
  const known = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\uFFFD' && !known.has(text)) known.set(text, bytes);
  };
  for (let first = 0; first < 256; first += 1) learn(first);
  if (!/^(?:windows|koi8|iso|ibm)/.test(label)) {
    for (let first = 0x81; first < 0xff; first += 1)
      for (let second = 0x40; second < 0xff; second += 1) learn(first, second);
  }
  return (text) =>
    Uint8Array.from(
      [...text].flatMap((character) => {
        const bytes = known.get(character);
        if (bytes === undefined) throw new Error(`${label} has no ${character}`);
        return bytes;
      }),
    );
}

const utf16le = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le'));
const utf16be = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le').swap16());

function utf32(text: string, isLittle: boolean): Uint8Array {
  const characters = [...text];
  const view = new DataView(new ArrayBuffer(characters.length * 4));
  for (const [at, character] of characters.entries()) view.setUint32(at * 4, character.codePointAt(0) ?? 0, isLittle);
  return new Uint8Array(view.buffer);
}

const cases: Known[] = [
  ['shift_jis', japanese, encoderOf('shift_jis')],
  ['euc-jp', japanese, encoderOf('euc-jp')],
  ['gb18030', simplified, encoderOf('gb18030')],
  ['big5', traditional, encoderOf('big5')],
  ['euc-kr', korean, encoderOf('euc-kr')],
  ['utf-16le', japanese, utf16le],
  ['utf-32le', german, (text) => utf32(text, true)],
  ['utf-32be', russian, (text) => utf32(text, false)],
  ['utf-16be', japanese, utf16be],
  ['utf-16le', simplified, utf16le],
  ['utf-16be', korean, utf16be],
  ['utf-16le', russian, utf16le],
  ['windows-1252', german, encoderOf('windows-1252')],
  [
    'windows-1252',
    'L’été dernier, nous avons déjà goûté à cette crème brûlée près de la forêt, où il faisait très chaud.',
    encoderOf('windows-1252'),
  ],
  [
    'windows-1252',
    'La reunión será mañana a las nueve; ¿podrías enviar también el informe del año pasado? Gracias, señor.',
    encoderOf('windows-1252'),
  ],
  [
    'windows-1252',
    'Attività di venerdì: LUNEDÌ 30 NOVEMBRE e MARTEDÌ soleggiato; mercoledì e giovedì più caldo.',
    encoderOf('windows-1252'),
  ],
  [
    'windows-1250',
    'Zażółć gęślą jaźń, proszę przesłać nam zamówienie jeszcze dziś, bo później będzie za późno na wysyłkę.',
    encoderOf('windows-1250'),
  ],
  [
    'windows-1250',
    'Příliš žluťoučký kůň úpěl ďábelské ódy, a proto jsme se rozhodli, že schůzku přesuneme na úterý.',
    encoderOf('windows-1250'),
  ],
  [
    'windows-1250',
    'Köszönjük szépen a gyors választ, a következő időpont jövő héten szerdán lesz, kérjük erősítse meg újra.',
    encoderOf('windows-1250'),
  ],
  ['windows-1251', russian, encoderOf('windows-1251')],
  [
    'windows-1251',
    'Ми раді повідомити, що нова версія програми вже доступна. Дякуємо за вашу підтримку та терпіння!',
    encoderOf('windows-1251'),
  ],
  ['koi8-u', russian, encoderOf('koi8-r')],
  ['ibm866', russian, encoderOf('ibm866')],
  [
    'windows-1253',
    'Η συνάντηση θα γίνει την επόμενη Δευτέρα το πρωί. Ευχαριστούμε πολύ για την υπομονή σας.',
    encoderOf('windows-1253'),
  ],
  [
    'windows-1254',
    'Görüşmeyi gelecek haftaya erteledik, çünkü müdürümüz şu anda yurt dışında ve ancak o zaman dönüyor. Teşekkür ederiz, iyi günler, ışıklar açık.',
    encoderOf('windows-1254'),
  ],
  [
    'windows-1255',
    'הפגישה נדחתה ליום שני בבוקר, אנא קראו את החומר לפני כן ושלחו שאלות. תודה רבה לכולם',
    encoderOf('windows-1255'),
  ],
  [
    'windows-1256',
    'تم تأجيل الاجتماع إلى يوم الاثنين صباحا، الرجاء قراءة الملفات قبل ذلك وإرسال الأسئلة. شكرا لكم',
    encoderOf('windows-1256'),
  ],
  [
    'windows-1257',
    'Susitikimas perkeltas į kitą savaitę, prašome perskaityti medžiagą iš anksto ir atsiųsti klausimų. Ačiū už jūsų kantrybę',
    encoderOf('windows-1257'),
  ],
  ['windows-874', 'การประชุมถูกเลื่อนไปเป็นวันจันทร์หน้า กรุณาอ่านเอกสารก่อน ขอบคุณมาก', encoderOf('windows-874')],
];

describe('an undeclared encoding is detected', () => {
  test.each(cases)('%s of a paragraph: %s', (encoding, text, encode) => {
    expect(decodeText(encode(text), null)).toEqual({ text, encoding, guessed: expect.any(Boolean) });
  });

  test.each(cases)('%s of a whole file: %s', (encoding, text, encode) => {
    const file = Array.from({ length: 600 }, (_, line) => `${line}: ${text}\n`).join('');
    const found = decodeText(encode(file), null);
    expect(found.encoding).toBe(encoding);
    expect(found.text === file).toBe(true);
  });

  test.each(cases)('%s of twenty characters: %s', (_, text, encode) => {
    const short = text.slice(0, 20);
    expect(decodeText(encode(short), null).text).toBe(short);
  });
});

test('a declared encoding takes precedence over detection, and is not a guess', () => {
  const bytes = encoderOf('windows-1251')('Привет');
  expect(decodeText(bytes, 'windows-1251')).toEqual({ text: 'Привет', encoding: 'windows-1251', guessed: false });
});

test('UTF-8 with a few broken bytes stays UTF-8', () => {
  const bytes = Uint8Array.from([...new TextEncoder().encode(german.repeat(3)), 0xff, 0x0a]);
  expect(decodeText(bytes, null)).toEqual({ text: `${german.repeat(3)}\uFFFD\n`, encoding: 'utf-8', guessed: true });
});

test('quotation marks alone are windows-1252', () => {
  expect(decodeText(Uint8Array.from(Buffer.from('\x93It\x92s here\x94 \x96 he said', 'latin1')), null).text).toBe(
    '“It’s here” – he said',
  );
});

test('capitals of windows-1251 are not detected as punctuation of Mac Cyrillic', () => {
  const text = 'Стратегия на фирмата';
  expect(decodeText(encoderOf('windows-1251')(text), null).text).toBe(text);
});
