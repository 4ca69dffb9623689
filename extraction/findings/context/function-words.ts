/** Frequent words by which a language of Latin script is recognised without a statistical model. */

/** The most frequent function words of each language, by its ISO 639-1 code. */
const functionWords: Readonly<Record<string, string>> = {
  en: `the of and to in is that for it on with as are this be by at from or an was not have which you your they can will
    has were been their its when if all but into than then also more there these those what who how we our he she his
    her would should could may must about between each other only some such no so do does`,
  de: `der die das und ist nicht ein eine einen einem einer eines von zu zum zur mit auf für im den dem des sich auch
    es sie er wir ihr als wie oder aber werden wird wurde sind war hat haben kann können nach bei über aus durch um
    noch nur wenn dass daß diese dieser dieses`,
  fr: `le la les de des du un une et est en que qui dans pour par sur pas plus avec ce cette ces il elle ils nous vous
    sont être au aux ne se sa son ses leur leurs ou mais comme été cela fait peut ont avoir entre sans sous`,
  es: `el la los las de del un una y es en que por para con no se su sus al lo como más pero este esta estos son fue ser
    ha han entre cuando muy sin sobre también hasta desde donde hay todo todos`,
  it: `il lo la gli le di del della dei delle un una e è in che per con non si su al alla da dal dalla come più ma
    questo questa sono era essere ha hanno nel nella anche tra fra dopo`,
  pt: `o a os as de do da dos das um uma e é em que por para com não se no na nos nas ao como mais mas este esta são foi
    ser tem entre quando muito sem sobre também até onde há pelo pela`,
  nl: `de het een en van is dat die in te niet op met voor zijn er aan ook als maar om bij naar uit door over wordt
    worden werd heeft hebben kan nog dan of deze dit wij zij`,
};

/** The languages of each word. */
const languagesOf = new Map<string, string[]>();
for (const [language, words] of Object.entries(functionWords)) {
  for (const word of words.split(/\s+/)) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
}

/** A word of several languages counts for each of them in parts. A text of fewer words is not judged by them. */
const minWords = 5;
/** Share of all words that must be function words of the language. */
const minShare = 0.15;
/** How many words of the language there must be for each of the next one. */
const minLead = 2;

/** The language whose function words the text is full of, or null where they do not decide. */
export function languageByFunctionWords(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) {
    const languages = languagesOf.get(word) ?? [];
    for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1 / languages.length);
  }
  let [best, most, next] = ['', 0, 0];
  for (const [language, count] of counts) {
    if (count > most) [best, most, next] = [language, count, most];
    else if (count > next) next = count;
  }
  return most >= minWords && most >= words.length * minShare && most >= next * minLead ? best : null;
}
