/** Mails (RFC 5322 with MIME) and mailboxes of them -> Markdown. */
import type { TextFormat } from './format.ts';

export const eml: TextFormat = {
  kind: 'text',
  name: 'eml',
  label: 'an e-mail',
  mediaTypes: ['message/rfc822', 'message/global', 'multipart/related', 'application/mbox'],
  extensions: ['eml', 'mht', 'mhtml', 'mbox'],
  parser: null,
  decodesItself: true,
  emptyMessage: 'The mail has neither headers nor text.',
  detect: ({ text }) => looksLikeMail(text),
  // The reader and its packages are loaded with the first mail.
  read: async ({ bytes }, limits) => (await import('../mail/mails.ts')).mailsToMarkdown(bytes, limits),
};

/** Headers that only mail programs write, and headers that people type as well. */
const technical = new Set(['message-id', 'mime-version', 'received', 'return-path', 'dkim-signature', 'delivered-to']);
const common = new Set(['from', 'to', 'cc', 'date', 'subject', 'sent', 'reply-to']);

function looksLikeMail(text: string): 'sure' | 'likely' | null {
  const block = text.slice(0, 64 * 1024).replace(/^From .*\n/, '');
  const end = block.indexOf('\n\n');
  const lines = (end === -1 ? block : block.slice(0, end)).split('\n');
  if (!lines.every((line, at) => /^[!-9;-~]+:/.test(line) || (at > 0 && /^[ \t]/.test(line)))) return null;
  const names = new Set(lines.map((line) => /^[!-9;-~]+(?=:)/.exec(line)?.[0].toLowerCase() ?? ''));
  const count = (known: Set<string>) => [...known].filter((name) => names.has(name)).length;
  if (!names.has('from') || count(common) < 2) return null;
  if (count(technical) > 0) return 'sure';
  return names.has('date') && names.has('subject') ? 'likely' : null;
}
