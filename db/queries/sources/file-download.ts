import { queryOne, type Session, statement } from '../../sql.ts';

const find = statement<{ key: string; filename: string }>(
  'file-download',
  `select coalesce(used.content_key, u.file_key) as key, u.filename from uploads u
   left join lateral (
     select g.content_key from sources s
     join source_generations g on g.source_id = s.id and g.generation = s.generation
     join spaces sp on sp.id = s.space_id
     where s.upload_id = u.id and s.deleted_at is null and sp.deleted_at is null and g.content_key is not null
     order by s.created_at desc limit 1) used on true
   where u.file_key = $1
     and (u.claimed_at is null or exists (
       select from sources s join spaces sp on sp.id = s.space_id
       where s.upload_id = u.id and s.deleted_at is null and sp.deleted_at is null))`,
);

/** Name and object key of an upload's file, or of the source's copy of it. Null after its last source is deleted. */
export async function fileDownload(
  session: Session,
  fileKey: string,
): Promise<{ key: string; filename: string } | null> {
  return queryOne(session, find, [fileKey]);
}
