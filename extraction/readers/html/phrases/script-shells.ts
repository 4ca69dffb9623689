/** What pages say that show nothing without their scripts. */
import { mentioning } from './pattern.ts';

export const shellText = mentioning({
  parts: {
    en: [
      '(enable|activate|turn on|requires?|needs?|without|supports?|allow) (to enable )?java ?script',
      'java ?script (is|must be|appears to be|seems to be|has to be|needs to be) (disabled|enabled|required)',
      'java ?script (is|must be|appears to be|seems to be|has to be|needs to be) (turned|not|off|switched|activated)',
    ],
    de: ['javascript (aktivieren|erforderlich|deaktiviert)'],
    es: ['(active|habilite|habilita) javascript'],
    fr: ['(activer|activez) javascript'],
    ja: ['java ?script ?を(有効|オン)'],
    ru: ['включите javascript'],
    zh: ['启用 ?javascript'],
  },
});

/** What the sentences of such a page are about. */
export const shellSubject = mentioning({
  words: { en: ['(web)?app'] },
  parts: { en: ['java ?script', 'browser', 'enable', 'reload', 'refresh'] },
});
