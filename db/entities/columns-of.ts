import type { InferEntity, Opt } from '@mikro-orm/postgresql';

/**
 * Columns of an entity as a prepared statement returns them, each under the name of its property:
 * `ColumnsOf<typeof Source, 'id' | 'ownerId'>`. A row has every column, so no value is undefined or marked as optional.
 */
export type ColumnsOf<Entity, Name extends keyof InferEntity<Entity>> = {
  [Key in Name]: Exclude<Unmarked<InferEntity<Entity>[Key]>, undefined>;
};

type Unmarked<Value> = Value extends Opt<infer Plain> ? Plain : Value;
