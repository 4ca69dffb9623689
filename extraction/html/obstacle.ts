/**
 * Pages that stand in the way of content, sent under a status that promises it: error pages, checks for robots, requests
 * to sign in, to accept cookies or to run scripts. Many articles are about such pages, so what a page says counts only
 * where it says hardly anything else.
 */
import { SourceError } from '../../contract/errors.ts';
import { type DomDocument, lineOf } from './dom.ts';

/** Letters of the main content from which on a page is taken for what it says. */
const mostOfError = 900;
/** Beyond it no page stands in the way of content. */
export const mostOfObstacle = mostOfError;
const mostOfRequest = 700;
const mostOfShell = 350;

export interface Shown {
  /** The page as it came, with its forms. */
  document: DomDocument;
  title: string | null;
  /** The text of its main content on one line. */
  text: string;
  scripts: number;
}

const statuses =
  /^\W*(?:(?:error|http|fehler|erreur|erro|código|code)\W*)?(?:4(?:0[0134569]|10|29|51)|5(?:00|0[2-4]|2[0-7]))\b(?:\W+(?:error|not found|forbidden|unauthori[sz]ed|gone|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|internal server error|too many requests|page|seite|página|oops|sorry|fehler)|\W*$|\W*[|–—-])/i;
const errorTitles =
  /^\W*(?:(?:oops|sorry|uh-?oh|whoops)\W*)*(?:(?:the |this |that )?(?:requested )?(?:page|url|document|file|site|content|article|resource)(?: you requested| you are looking for| requested)? (?:(?:was|is|were|could|can|has|have|does)(?: ?not|n[’']t| been)? ?)?(?:be )?(?:found|not found|missing|available|exist|unavailable|gone|removed|no longer (?:available|exists?))|page (?:not|introuvable|non)|not found|access (?:is |was |to this (?:page|site) (?:has been |is ))?(?:denied|forbidden|restricted)|forbidden|unauthori[sz]ed|bad gateway|service (?:temporarily )?unavailable|internal server error|something went wrong|an error (?:has )?occurred|application error|(?:site|we are|we'll be|temporarily) (?:is )?(?:under|down for|offline for) maintenance|(?:diese |die )?seite (?:wurde )?(?:leider )?nicht gefunden|zugriff verweigert|page (?:introuvable|non trouvée)|accès (?:refusé|interdit)|página no encontrada|acceso denegado|página não encontrada|pagina non trovata|страница не найдена|доступ запрещ[её]н|(?:お探しの)?ページ(?:が|は)(?:見つかりません|存在しません|ありません)|(?:页面|頁面)(?:不存在|未找到|找不到)|페이지를 찾을 수 없습니다|الصفحة غير موجودة)/iu;
const errorTexts =
  /\b(?:(?:page|url|file|article|resource) (?:you(?:['’]re| are| were)? (?:looking for|requested|tried to)|could ?n[o'’]t be found|(?:was|is|were) not found|does ?n[o'’]t exist|no longer exists?|has been (?:moved|removed|deleted))|(?:don['’]t|do not) have permission to (?:access|view)|you are not authori[sz]ed|(?:you have|you've) been blocked|request (?:was |has been )?blocked|access denied|error (?:code|reference|id)\b|reference\s*#\d|ray id|error 404|404 error|return(?: to)? (?:the )?home(?:page)?|back to (?:the )?home(?:page)?|go (?:back )?(?:to )?home)\b|見つかりません|nicht gefunden|introuvable|no encontrada|не найдена/iu;
const errorWords =
  /\b(?:page|site|link|url|address|found|exist|search|home|error|access|permission|request|server|try|sorry|contact|blocked|denied|unavailable|maintenance|later)\b|seite|página|ページ|页面/iu;
const robotChecks =
  /^\W*(?:just a moment|attention required!?|checking your browser|ddos-guard|please wait\b.{0,30}|one moment,? please|verify(?:ing)? (?:that )?you are (?:a )?human|are you (?:a )?(?:human|robot)|robot check|human verification|security (?:check|verification)|pardon our interruption|request unsuccessful|bot (?:check|verification)|captcha|client challenge|making sure you['’]re not a bot|unusual traffic|sorry, you have been blocked|vercel security checkpoint)/i;
const robotTexts =
  /\b(?:verify(?:ing)? (?:that )?you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|checking (?:if the site connection is secure|your browser)|enable javascript and cookies to continue|performance (?:&|and) security by cloudflare|complete the (?:security check|captcha)|(?:not|aren['’]t) a (?:ro)?bot|automated (?:access|queries|requests)|unusual (?:traffic|activity)|cloudflare ray id|incapsula incident|security service to protect)\b/i;
const signIns =
  /^\W*(?:(?:please )?(?:log|sign)[ -]?(?:in|on)\b|login\b|log in to continue|authentication required|you must (?:be logged|log|sign) in|members only|anmelden|anmeldung|einloggen|connexion|se connecter|identifiez-vous|iniciar sesi[óo]n|inicia sesi[óo]n|entrar|accedi|войти|вход|ログイン|サインイン|登录|登入|로그인|تسجيل الدخول|התחברות)(?:\s*(?:$|[|·:–—!.,-])|\s+(?:to|with|or|page|required|form|in order|und|zu|à|a|en|na)\b)/iu;
const signInTexts =
  /\b(?:(?:please )?(?:log|sign)[ -]?in (?:to (?:continue|view|access|see|read|your)|with|here|below|or)|(?:need|have|must) (?:to )?(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?in|(?:don['’]t|do not) have an account|forgot(?:ten)? (?:your )?password|create (?:an|a free|your) account|stay signed in|remember me|keep me (?:logged|signed) in|this (?:page|content) is (?:only )?(?:available (?:only )?)?(?:for|to) (?:registered|members|subscribers|logged))\b|passwort vergessen|mot de passe oublié|olvidaste tu contraseña|パスワードをお忘れ|忘记密码|نسيت كلمة/iu;
const signInWords =
  /\b(?:log(?:ged)?[ -]?(?:in|on)|sign(?:ed)?[ -]?(?:in|up|on)|password|e-?mail|account|register|member|subscri|username|user name|remember|terms|privacy)|passwort|anmeld|mot de passe|connexion|contraseña|パスワード|ログイン|密码|登录|كلمة|دخول|пароль/iu;
const cookieTexts =
  /\b(?:accept (?:all )?(?:cookies|and continue)|(?:we|our partners?|this (?:web)?site) (?:and our partners )?(?:use|uses|store) (?:and\/or access )?cookies|cookies (?:akzeptieren|zustimmen)|before you continue|bevor sie fortfahren|avant de continuer|consent to (?:the use of )?cookies|manage (?:cookies|options|preferences)|reject all|alle akzeptieren|tout accepter|aceptar todo)\b/iu;
const scriptTexts =
  /(?:(?:enable|activate|turn on|requires?|need|needs|without|support|supports|allow) (?:to enable )?java ?script|java ?script (?:is|must be|appears to be|seems to be|has to be|needs to be) (?:disabled|enabled|required|turned|not|off|switched|activated)|javascript (?:aktivieren|erforderlich|deaktiviert)|(?:activer|activez|active|habilite|habilita) javascript|javascript ?を有効|java ?script ?を(?:有効|オン)|启用 ?javascript|включите javascript)/iu;

/** @throws SourceError `fetch_http_status` or `content_empty`, saying which it is, for a page that holds no content */
export function assertContent(shown: Shown): void {
  const { document, text } = shown;
  const headings = [
    shown.title ?? '',
    lineOf(document.querySelector('title')),
    ...Array.from(document.querySelectorAll('h1, h2'), lineOf).slice(0, 3),
  ];
  const titled = (pattern: RegExp) => headings.find((heading) => heading.length < 120 && pattern.test(heading));
  const beginning = text.slice(0, 1_500);
  const length = text.length;

  const check = titled(robotChecks);
  if (
    length < mostOfError &&
    (robotTexts.test(beginning) ? check !== undefined || length < 400 : check !== undefined && length < 200)
  ) {
    throw new SourceError(
      'fetch_http_status',
      `The address answered with a check for robots${quoted(check)} instead of its content.`,
    );
  }
  const error = titled(statuses) ?? titled(errorTitles);
  if (
    error !== undefined &&
    length < mostOfError &&
    (length < 250 || (errorTexts.test(beginning) && sentencesWithout(beginning, errorWords) < 400))
  ) {
    throw new SourceError(
      'fetch_http_status',
      `The address answered with an error page${quoted(error)} under a status of success.`,
    );
  }
  const hasPassword = document.querySelector('input[type="password"]') !== null;
  if (length < mostOfRequest && isSignIn(hasPassword, titled(signIns) !== undefined, beginning)) {
    throw new SourceError('fetch_http_status', 'The address answered with a page to sign in instead of its content.');
  }
  if (
    length < mostOfRequest &&
    cookieTexts.test(beginning) &&
    /cookie/i.test(beginning) &&
    sentencesWithout(
      beginning,
      /cookie|consent|privacy|partner|accept|reject|personali[sz]|advertis|datenschutz|einwillig|données|confidentialité/iu,
    ) < 120
  ) {
    throw new SourceError('content_empty', 'The page shows nothing but a request to accept cookies.');
  }
  if (
    (shown.scripts > 0 || length < 100) &&
    length < mostOfShell &&
    scriptTexts.test(beginning) &&
    sentencesWithout(beginning, /java ?script|browser|enable|reload|refresh|app\b/iu) < 80
  ) {
    throw new SourceError('content_empty', 'The page shows no text without running its scripts.');
  }
}

/** A form for a password says so; without one both the title and the text have to. */
function isSignIn(hasPassword: boolean, isTitled: boolean, text: string): boolean {
  const rest = sentencesWithout(text, signInWords);
  if (hasPassword)
    return rest < 250 && (isTitled || (signInTexts.test(text) && text.length < 450) || text.length < 200);
  return rest < 120 && isTitled && (signInTexts.test(text) || text.length < 120);
}

/** Length of the sentences that are about something else. */
function sentencesWithout(text: string, subject: RegExp): number {
  return text
    .split(/(?<=[.!?。！？])\s*/)
    .filter((sentence) => !subject.test(sentence))
    .join(' ').length;
}

function quoted(text: string | undefined): string {
  return text === undefined ? '' : ` ("${text.slice(0, 80).trim()}")`;
}
