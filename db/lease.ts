import { query, queryOne, type Session, statement } from './sql.ts';

const acquire = statement<{ holder: string }>(
  'acquire-lease',
  `insert into leases (name, holder, until) values ($1, $2, now() + make_interval(secs => $3))
   on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where leases.holder = excluded.holder or leases.until < now()
   returning holder`,
);

/** Acquires or renews a lease for `seconds`. False while another holder has it. */
export async function acquireLease(session: Session, name: string, holder: string, seconds: number): Promise<boolean> {
  return (await queryOne(session, acquire, [name, holder, seconds])) !== null;
}

const release = statement('release-lease', 'delete from leases where name = $1 and holder = $2');

/** Releases a lease immediately. */
export async function releaseLease(session: Session, name: string, holder: string): Promise<void> {
  await query(session, release, [name, holder]);
}
