/** A task: whether it is done, whose it is, and until when, where it says so. */
import { calendarDate } from './dates.ts';

const checkbox = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?\[([ xX])\](?:\s|$)/;
/** Not the end of a mail address, nor a scope like `@types/node`. */
const mention = /(?<![^\s([{,;:])@([\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,62}[\p{L}\p{N}_])?)(?![\p{L}\p{N}@/])/u;
const due = /(?<![\p{L}\p{N}])due(?:\s*:\s*|\s+)(?:on\s+|by\s+)?(\d{4}-\d{2}-\d{2})(?!\d)/iu;
const anyDate = /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g;

export type TaskFacts = {
  /** Null where there is no checkbox. */
  done: boolean | null;
  /** As after the @. */
  owner: string | null;
  /** `2026-02-28` */
  dueDate: string | null;
};

/** A date counts where it is said to be due, or where it is the only one. */
export function enrichTask(content: string, metadata: Readonly<Record<string, unknown>>): TaskFacts {
  const box = checkbox.exec(content)?.[1];
  const known = [metadata.done, metadata.checked].find((value) => typeof value === 'boolean');
  const dates = new Set((content.match(anyDate) ?? []).flatMap((text) => calendarDate(text) ?? []));
  const [onlyDate] = dates.size === 1 ? dates : [];
  return {
    done: box === undefined ? (typeof known === 'boolean' ? known : null) : box !== ' ',
    owner: mention.exec(content)?.[1] ?? null,
    dueDate: calendarDate(due.exec(content)?.[1] ?? '') ?? onlyDate ?? null,
  };
}
