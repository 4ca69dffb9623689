/**
 * Pages that stand in the way of content, sent under a status that promises it: error pages, checks for robots,
 * requests to sign in, to accept cookies or to run scripts. Many articles are about such pages, so what a page says
 * counts only where it says hardly anything else. How they say it stands in `phrases/`.
 */
import { SourceError } from '../../../contract/errors.ts';
import { type DomDocument, lineOf } from './dom.ts';
import { consentSubject, consentText } from './phrases/consent.ts';
import { errorSubject, errorText, errorTitle, statusTitle } from './phrases/error-pages.ts';
import { checkText, checkTitle } from './phrases/robot-checks.ts';
import { shellSubject, shellText } from './phrases/script-shells.ts';
import { signInSubject, signInText, signInTitle } from './phrases/sign-in.ts';

export interface Shown {
  /** The page as it came, with its forms. */
  document: DomDocument;
  title: string | null;
  /** The text of its main content on one line. */
  text: string;
  scripts: number;
}

/** Letters of the main content from which on no page stands in the way of content. */
export const mostOfObstacle = 900;
/** From which on it asks neither to sign in nor to accept cookies. */
const mostOfRequest = 700;
/** From which on it shows something without its scripts. */
const mostOfShell = 350;
/** Letters of a text that says what the page is. */
const mostOfBeginning = 1_500;
/** Letters of a heading that says what the page is, and how many of them are looked at beside the titles. */
const mostOfHeading = 120;
const mostHeadings = 3;

interface Page {
  document: DomDocument;
  /** The first of its titles and headings that the pattern fits. */
  titled(pattern: RegExp): string | undefined;
  beginning: string;
  /** Letters of its main content. */
  length: number;
  scripts: number;
}

/** @throws SourceError `fetch_http_status` or `content_empty`, saying which it is, for a page that holds no content */
export function assertContent(shown: Shown): void {
  const page = pageOf(shown);
  if (page.length < mostOfObstacle) {
    const check = page.titled(checkTitle);
    if (isRobotCheck(page, check)) {
      throw notContent(`The address answered with a check for robots${quoted(check)} instead of its content.`);
    }
    const error = page.titled(statusTitle) ?? page.titled(errorTitle);
    if (error !== undefined && isErrorPage(page)) {
      throw notContent(`The address answered with an error page${quoted(error)} under a status of success.`);
    }
  }
  if (page.length < mostOfRequest) {
    if (isSignIn(page)) throw notContent('The address answered with a page to sign in instead of its content.');
    if (isConsentRequest(page)) throw empty('The page shows nothing but a request to accept cookies.');
  }
  if (page.length < mostOfShell && isScriptShell(page)) {
    throw empty('The page shows no text without running its scripts.');
  }
}

// Numbers below are letters: of the main content, or of its sentences that are about something else.

/** Title and text say so, or one of them, and there is hardly more. */
function isRobotCheck({ beginning, length }: Page, title: string | undefined): boolean {
  if (checkText.test(beginning)) return title !== undefined || length < 400;
  return title !== undefined && length < 200;
}

/** For a page whose title says so. */
function isErrorPage({ beginning, length }: Page): boolean {
  return length < 250 || (errorText.test(beginning) && lettersBeside(beginning, errorSubject) < 400);
}

/** A form for a password says so; without one both the title and the text have to. */
function isSignIn({ document, titled, beginning, length }: Page): boolean {
  const isTitled = titled(signInTitle) !== undefined;
  const beside = lettersBeside(beginning, signInSubject);
  if (document.querySelector('input[type="password"]') !== null) {
    return beside < 250 && (isTitled || length < 200 || (length < 450 && signInText.test(beginning)));
  }
  return beside < 120 && isTitled && (length < 120 || signInText.test(beginning));
}

function isConsentRequest({ beginning }: Page): boolean {
  return consentText.test(beginning) && /cookie/i.test(beginning) && lettersBeside(beginning, consentSubject) < 120;
}

function isScriptShell({ beginning, length, scripts }: Page): boolean {
  return (scripts > 0 || length < 100) && shellText.test(beginning) && lettersBeside(beginning, shellSubject) < 80;
}

function pageOf({ document, title, text, scripts }: Shown): Page {
  const headings = [
    title ?? '',
    lineOf(document.querySelector('title')),
    ...Array.from(document.querySelectorAll('h1, h2'), lineOf).slice(0, mostHeadings),
  ].filter((heading) => heading.length < mostOfHeading);
  return {
    document,
    titled: (pattern) => headings.find((heading) => pattern.test(heading)),
    beginning: text.slice(0, mostOfBeginning),
    length: text.length,
    scripts,
  };
}

/** Letters of the sentences that are about something else. */
function lettersBeside(text: string, subject: RegExp): number {
  return text
    .split(/(?<=[.!?。！？])\s*/)
    .filter((sentence) => !subject.test(sentence))
    .join(' ').length;
}

function notContent(message: string): SourceError {
  return new SourceError('fetch_http_status', message);
}

function empty(message: string): SourceError {
  return new SourceError('content_empty', message);
}

function quoted(text: string | undefined): string {
  return text === undefined ? '' : ` ("${text.slice(0, 80).trim()}")`;
}
