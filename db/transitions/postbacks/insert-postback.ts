import { randomUUID } from 'node:crypto';
import { buildPostback, type EndedSource } from '../../../contract/postback.ts';
import { jsonb, query, statement, type Transaction } from '../../sql.ts';

const insert = statement(
  'insert-postback',
  `insert into postbacks (id, source_id, generation_id, url, body, state, reason, next_attempt_at)
   values ($1, $2, $3, $4, $5,
     case when $6 then 'disabled' else 'pending' end,
     case when $6 then 'The receiver responded with 410 Gone to an earlier postback.' end,
     case when $6 then null else now() end)`,
);

interface EndedGeneration extends EndedSource {
  generationId: string;
  url: string;
  receiverGone: boolean;
}

/**
 * Inserts the postback of an ended generation: pending, and due at once; `disabled` where its receiver responded with 410 to
 * an earlier one. Its id, the webhook-id, is random.
 */
export async function insertPostback(session: Transaction, publicUrl: string, ended: EndedGeneration): Promise<void> {
  const body = jsonb(buildPostback(publicUrl, ended));
  await query(session, insert, [randomUUID(), ended.id, ended.generationId, ended.url, body, ended.receiverGone]);
}
