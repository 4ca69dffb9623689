/** The members of a composition, as `initial_data.data` names them. */
import { isUuid } from './ids.ts';

const MAX_MEMBERS = 100;
/** Of one text: so many ids with a comma and a line break after each, and more. */
const MAX_CHARACTERS = 8_192;

/** The ids in lower case and in their order, or what is wrong with them. */
export type MemberIds = { ok: true; ids: string[] } | { ok: false; problem: string };

function refused(problem: string): MemberIds {
  return { ok: false, problem };
}

/** Reads an array of ids, or one string with ids between commas or white space. */
export function parseMemberIds(data: unknown): MemberIds {
  if (typeof data === 'string' && data.length > MAX_CHARACTERS) {
    return refused(`Must have at most ${MAX_CHARACTERS} characters.`);
  }
  const named = typeof data === 'string' ? data.split(/[\s,]+/).filter((id) => id !== '') : data;
  if (!Array.isArray(named)) return refused('Must be a list of source ids.');
  if (named.length < 1 || named.length > MAX_MEMBERS) return refused(`Must name 1 to ${MAX_MEMBERS} sources.`);
  const ids: string[] = [];
  for (const id of named) {
    if (typeof id !== 'string' || !isUuid(id)) return refused(`"${String(id).slice(0, 40)}" is not an id.`);
    if (ids.includes(id.toLowerCase())) return refused(`The source ${id} is named twice.`);
    ids.push(id.toLowerCase());
  }
  return { ok: true, ids };
}
