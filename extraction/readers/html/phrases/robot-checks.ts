/** What pages say that let nobody pass but people. */
import { beginningWith, mentioning } from './pattern.ts';

export const checkTitle = beginningWith({
  en: [
    'just a moment',
    'attention required!?',
    'checking your browser',
    'ddos-guard',
    'please wait',
    'one moment,? please',
    'verify(ing)? (that )?you are (a )?human',
    'are you (a )?(human|robot)',
    'robot check',
    'human verification',
    'security (check|verification)',
    'pardon our interruption',
    'request unsuccessful',
    'bot (check|verification)',
    'captcha',
    'client challenge',
    "making sure you're not a bot",
    'unusual traffic',
    'sorry, you have been blocked',
    'vercel security checkpoint',
  ],
});

export const checkText = mentioning({
  words: {
    en: [
      "verify(ing)? (that )?you('re| are) (a )?human",
      "(not|aren't) a (ro)?bot",
      'checking (if the site connection is secure|your browser)',
      'enable javascript and cookies to continue',
      'complete the (security check|captcha)',
      'automated (access|queries|requests)',
      'unusual (traffic|activity)',
      'performance (&|and) security by cloudflare',
      'cloudflare ray id',
      'incapsula incident',
      'security service to protect',
    ],
  },
});
