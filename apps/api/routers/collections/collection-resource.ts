import type { z } from 'zod';
import type { collectionSchema } from '../../../../contract/resources.ts';
import type { CollectionRow } from '../../../../db/queries/spaces/read-collection.ts';
import {
  type CollectionProblem,
  MAX_COLLECTIONS,
  MAX_LEVELS,
} from '../../../../db/transitions/spaces/write-collection.ts';
import { type AppError, invalid } from '../../errors.ts';

/** A collection's row as responses show it. */
export function toCollectionResource(row: CollectionRow): z.infer<typeof collectionSchema> {
  return {
    id: row.id,
    name: row.name,
    parentId: row.parentId ?? null,
    sourceCount: row.sourceCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

const problems: Record<CollectionProblem, [field: string, message: string]> = {
  unknown: ['parentId', 'There is no such collection in this space.'],
  cycle: ['parentId', 'A collection cannot be inside itself or a collection below it.'],
  too_deep: ['parentId', `Collections nest at most ${MAX_LEVELS} levels deep.`],
  too_many: ['spaceId', `A space has at most ${MAX_COLLECTIONS} collections.`],
};

/** 400 on the field with the problem. */
export function invalidCollection(problem: CollectionProblem): AppError {
  return invalid(...problems[problem]);
}
