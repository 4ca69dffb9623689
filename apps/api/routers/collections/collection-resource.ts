import type { z } from 'zod';
import type { collectionSchema } from '../../../../contract/resources.ts';
import type { CollectionRow } from '../../../../db/queries/read-collection.ts';
import { MOST_LEVELS, type ParentProblem } from '../../../../db/transitions/write-collection.ts';
import { type AppError, invalid } from '../../errors.ts';

/** A collection's row as responses show it. */
export function toCollectionResource(row: CollectionRow): z.infer<typeof collectionSchema> {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
}

const problems: Record<ParentProblem, string> = {
  unknown: 'There is no such collection in this space.',
  cycle: 'A collection cannot lie in itself or in one below it.',
  too_deep: `Collections nest at most ${MOST_LEVELS} levels deep.`,
};

/** 400 on `parentId`. */
export function invalidParent(problem: ParentProblem): AppError {
  return invalid('parentId', problems[problem]);
}
