/** Artifacts, promotions, tickets and waits: each accepted request was carried out, once. */
import type { FinalState } from '../final-state.ts';
import { mayBeLost, type OtherAction } from '../history.ts';
import { tokensIn } from '../text.ts';

function accepted({ history }: FinalState, action: OtherAction) {
  return history.others.filter((one) => one.action === action && one.verdict === 'accepted');
}

/** An artifact that was to be processed is, unless newer results have taken its place. */
export function processedArtifacts(state: FinalState): string[] {
  const byId = new Map(state.artifacts.map((artifact) => [artifact.id, artifact]));
  return accepted(state, 'process artifact').flatMap(({ subject }) => {
    const status = byId.get(subject)?.status ?? 'PROCESSED';
    return status === 'PROCESSED' ? [] : [`the artifact ${subject} was to be processed and is ${status}`];
  });
}

/** All promotions of an artifact lead to one source, and that holds the artifact's content. */
export function oneSourceForEachPromotion(state: FinalState): string[] {
  const { history, sources } = state;
  const byId = new Map(sources.map((source) => [source.id, source]));
  const deletions = history.others.filter(({ action, verdict }) => action === 'delete space' && verdict !== 'refused');
  const byArtifact = Map.groupBy(accepted(state, 'promote artifact'), ({ subject }) => subject);
  return [...byArtifact].flatMap(([artifact, promotions]) => {
    const ids = new Set(promotions.map(({ answerId }) => answerId));
    const [first] = promotions;
    const source = byId.get(first?.answerId ?? '');
    if (ids.size > 1) return [`the artifact ${artifact} was promoted to ${[...ids].join(' and ')}`];
    // Gone with its space.
    if (source === undefined)
      return deletions.length > 0 ? [] : [`${[...ids]}, promoted from ${artifact}, is not there`];
    // The deletion of its space canceled it.
    if (source.status === 'CANCELED' && deletions.some(({ subject }) => subject === source.spaceId)) return [];
    const wanted = tokensIn(first?.detail ?? '').join();
    const found = source.results?.markdown.join();
    return source.status === 'COMPLETED' && found === wanted
      ? []
      : [`${source.id}, promoted from ${artifact}, is ${source.status} and of ${found}, not of ${wanted}`];
  });
}

/** Every accepted ticket came by mail, under one Message-ID, and no other did. */
export function oneMailForEachTicket(state: FinalState): string[] {
  const { history, mails, tickets } = state;
  const byTicket = Map.groupBy(mails, ({ text }) => /Ticket <(t\d+)>/.exec(text)?.[1] ?? '');
  const asked = new Set(
    history.others.flatMap(({ action, verdict, subject }) =>
      action === 'create ticket' && verdict !== 'refused' ? [subject] : [],
    ),
  );
  const twice = [...byTicket].flatMap(([ticket, list]) => {
    const ids = new Set(list.map(({ messageId }) => messageId));
    if (!asked.has(ticket)) return [`nobody wrote the ticket "${ticket}" of the mail ${[...ids]}`];
    const isLost = history.others.some(({ subject, sentAt, answeredAt }) => {
      return subject === ticket && mayBeLost(history, sentAt, answeredAt ?? Date.now());
    });
    return ids.size > 1 && !isLost ? [`the ticket ${ticket} came as ${[...ids].join(' and ')}`] : [];
  });
  const missing = accepted(state, 'create ticket').filter(({ subject }) => !byTicket.has(subject));
  return [
    ...twice,
    ...missing.map(({ subject, answerId }) => `the ticket ${subject} (${answerId}) was accepted and never sent`),
    ...tickets.filter(({ status }) => status !== 'SENT').map(({ id, status }) => `the ticket ${id} is ${status}`),
  ];
}

/** A wait ends with a change, at the end of the source or with its time. */
export function waitsWait(state: FinalState): string[] {
  return accepted(state, 'wait for a source')
    .filter(({ detail }) => detail !== '')
    .map(({ subject, detail }) => `a wait for ${subject} ${detail}`);
}
