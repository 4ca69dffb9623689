/** What requests to accept cookies say. */
import { mentioning } from './pattern.ts';

export const consentText = mentioning({
  words: {
    en: [
      'accept (all )?(cookies|and continue)',
      '(we|our partners?|this (web)?site) (and our partners )?(uses?|store) (and/or access )?cookies',
      'before you continue',
      'consent to (the use of )?cookies',
      'manage (cookies|options|preferences)',
      'reject all',
    ],
    de: ['cookies (akzeptieren|zustimmen)', 'bevor sie fortfahren', 'alle akzeptieren'],
    es: ['aceptar todo'],
    fr: ['avant de continuer', 'tout accepter'],
  },
});

/** What the sentences of such a request are about. */
export const consentSubject = mentioning({
  parts: {
    en: ['cookie', 'consent', 'privacy', 'partner', 'accept', 'reject', 'personali(s|z)', 'advertis'],
    de: ['datenschutz', 'einwillig'],
    fr: ['données', 'confidentialité'],
  },
});

/** What the text of a banner has, where the names of its element say that it is one. */
export const consentBanner = mentioning({
  parts: {
    en: ['cookie', 'consent', 'privacy'],
    ar: ['ملفات تعريف'],
    de: ['datenschutz'],
    fr: ['données'],
    ja: ['同意', 'クッキー'],
    ko: ['개인정보'],
  },
});
