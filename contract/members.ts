/** The ids of a composition's members in `initial_data.data`. */
import { isUuid } from './ids.ts';

const MAX_MEMBERS = 100;
/** Limit of a text: enough for 100 ids, each with a comma and a line break. */
const MAX_CHARACTERS = 8_192;

/** The ids in lower case and in their order, or a message about the first problem. */
export type MemberIds = { ok: true; ids: string[] } | { ok: false; problem: string };

function invalid(problem: string): MemberIds {
  return { ok: false, problem };
}

/** Reads an array of ids, or one string with ids between commas or white space. */
export function parseMemberIds(data: unknown): MemberIds {
  if (typeof data === 'string' && data.length > MAX_CHARACTERS) {
    return invalid(`Must have at most ${MAX_CHARACTERS} characters.`);
  }
  const named = typeof data === 'string' ? data.split(/[\s,]+/).filter((id) => id !== '') : data;
  if (!Array.isArray(named)) return invalid('Must be a list of source ids.');
  if (named.length < 1 || named.length > MAX_MEMBERS) return invalid(`Must list 1 to ${MAX_MEMBERS} sources.`);
  const ids: string[] = [];
  for (const id of named) {
    if (typeof id !== 'string' || !isUuid(id)) return invalid(`"${String(id).slice(0, 40)}" is not an id.`);
    if (ids.includes(id.toLowerCase())) return invalid(`The source ${id} is listed twice.`);
    ids.push(id.toLowerCase());
  }
  return { ok: true, ids };
}
