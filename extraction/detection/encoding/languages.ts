/** Languages by their letters beyond ASCII, with the single-byte encodings that contain these letters. */

export interface Alphabet {
  encodings: readonly string[];
  /** In lower case; upper case is derived. */
  letters: string;
  /** Frequent words of ASCII letters; they decide between languages with equal weight. */
  words: RegExp;
}

const western = ['windows-1252', 'macintosh'];
const central = ['windows-1250', 'iso-8859-2'];
const cyrillic = ['windows-1251', 'koi8-u', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'];
const none = /(?!)/;

/** Of several with equal weight the first one is used. */
export const alphabets: readonly Alphabet[] = [
  { encodings: western, letters: 'äöüß', words: /\b(?:und|der|die|das|nicht|ist|mit|ein)\b/i },
  { encodings: western, letters: 'àâæçéèêëîïôœùûüÿ', words: /\b(?:les?|des|une?|est|pour|dans|que|et)\b/i },
  { encodings: western, letters: 'áéíóúüñªº', words: /\b(?:los|las|que|para|con|una?|del|por)\b/i },
  { encodings: western, letters: 'áâãàçéêíóôõúªº', words: /\b(?:os|uma?|que|para|com|dos?|das?|em)\b/i },
  { encodings: western, letters: 'àèéìîòù', words: /\b(?:il|gli|che|per|con|una?|di|non)\b/i },
  { encodings: western, letters: 'éëèïóöüê', words: /\b(?:het|een|van|de|niet|voor)\b/i },
  { encodings: western, letters: 'åäöæøéü', words: /\b(?:och|og|det|som|att|ikke|inte|ja|ei|av)\b/i },
  { encodings: central, letters: 'ąćęłńóśźż', words: /\b(?:nie|jest|na|do|oraz|dla|przez|od|i|w|z)\b/i },
  { encodings: central, letters: 'áčďéěíňóřšťúůýž', words: /\b(?:na|se|je|ve|pro|jako|do|od|nebo|a)\b/i },
  { encodings: central, letters: 'áäčďéíĺľňóôŕšťúýž', words: /\b(?:na|sa|je|vo|pre|ako|do|od|alebo|a)\b/i },
  { encodings: central, letters: 'áéíóöőúüű', words: /\b(?:az?|hogy|nem|egy|meg|van|de|ki)\b/i },
  { encodings: central, letters: 'ăâîşţ', words: /\b(?:este|pentru|din|care|la|un|cu|nu|de)\b/i },
  { encodings: central, letters: 'čćđšž', words: /\b(?:je|na|se|za|su|od|in|da|i|u)\b/i },
  { encodings: ['windows-1254'], letters: 'çğıöşüiâîû', words: /\b(?:ve|bir|bu|da|de|ile|en)\b/i },
  { encodings: western, letters: 'áðéíóúýþæö', words: /\b(?:og|er|ekki|til|sem|um)\b/i },
  { encodings: ['windows-1257'], letters: 'ąčęėįšųūž', words: /\b(?:ir|kad|yra|su|tai|bet)\b/i },
  { encodings: ['windows-1257'], letters: 'āčēģīķļņšūž', words: /\b(?:un|ir|par|no|ar|kas)\b/i },
  { encodings: ['windows-1257'], letters: 'äöõüšž', words: /\b(?:ja|on|ei|see|oli|mis)\b/i },
  { encodings: cyrillic, letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюяё', words: none },
  { encodings: cyrillic, letters: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя', words: none },
  { encodings: cyrillic, letters: 'абвгдђежзијклљмнњопрстћуфхцчџш', words: none },
  { encodings: ['windows-1253', 'iso-8859-7'], letters: 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ', words: none },
  { encodings: ['windows-1255'], letters: 'אבגדהוזחטיךכלםמןנסעףפץצקרשת', words: none },
  { encodings: ['windows-1256', 'iso-8859-6'], letters: 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگ', words: none },
  {
    encodings: ['windows-874'],
    letters:
      'กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮะาำเแโใไๆฯ\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c',
    words: none,
  },
  {
    encodings: ['windows-1258'],
    letters: 'àâăèéêìíòóôơùúưýđ\u0300\u0301\u0303\u0309\u0323',
    words: /\b(?:cho|trong|khi|nam|anh|con|ra|ba)\b/i,
  },
];

/** The most frequent letters of scripts whose languages use nearly the same ones. */
export const frequentLetters: ReadonlySet<string> = new Set(
  'оеаинтсрвлкмді' + 'αεηιοτνσςκρπμλάέίόήύώ' + 'יוהלארתבשמנ' + 'ايلمنتربوعهة' + 'ารนอกเงมยลวดทสิี่้',
);
