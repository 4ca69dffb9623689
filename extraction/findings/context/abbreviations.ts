/**
 * Abbreviations that end with a full stop and stand before a capital: titles, references, what introduces an example.
 * None that is a word of its language too ("no.", "art."), and none that mostly ends a sentence ("etc.", "Inc."), but in
 * German, where every noun begins with a capital.
 */
const lists = {
  /** Of most languages with Latin letters. */
  common: 'dr prof mr mrs ms st sr jr fig figs eq eqs vol vols cf vs viz approx nr pp jan feb apr aug sept oct nov dec',
  de: 'abb abs aufl bd bde bes bsp bspw bzw ca chr dgl dipl eigtl einschl etc evtl exkl ff fr frl geb ggf hr hrsg ing inkl insb jh jhd kap mio mrd nördl österr resp sog str südl tel usf usw vgl vorm zit zzgl',
  en: 'adm ave blvd capt cmdr col dept ed eds esq gen gov hon hwy lt maj messrs mt pres rep rev sgt supt univ',
  es: 'art avda cap dra dto ej lic núm pág págs sra sras sres srta tel ud uds vd',
  fr: 'av chap éd env ex mgr mm mme mmes mlle mlles tél',
  it: 'arch art avv cap dott dottssa geom ing pag pagg rag sez sig sigg sigra tav',
  nl: 'afb bijv blz bv ca dhr drs dwz enz evt hfst ing mevr mw tel vgl zgn',
  pl: 'dr godz inż itd itp lek mgr np ob płk pkt rys tab tel tj tzn ul św',
  pt: 'art av cap dra eng exma exmo núm pág págs sra sras srs tel',
  ru: 'акад гг гл млн млрд напр обл пр просп проф рис руб см ср стр табл тыс ул',
  sv: 'bl dvs ex jfr kap kl obs resp sid tel',
};

const known: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(lists).map(([language, list]) => [language, new Set(list.split(' '))]),
);

/**
 * True when a full stop after `word` does not end a sentence. Initials count as such, and letters with full stops
 * between them ("e.g", "U.S"). `language` is an ISO 639-1 code.
 */
export function isAbbreviation(word: string, language: string): boolean {
  if (/^\p{L}\p{M}*(?:\.\p{L}\p{M}*)*$/u.test(word)) return true;
  const name = word.toLowerCase();
  return ['common', language].some((list) => known.get(list)?.has(name) === true);
}
