/** Invariants of artifacts, promotions, tickets and waits: each accepted request was executed exactly once. */
import type { FinalState } from '../final-state.ts';
import { mayBeLost, type OtherAction } from '../history.ts';
import { tokensIn } from '../text.ts';

function accepted({ history }: FinalState, action: OtherAction) {
  return history.others.filter((one) => one.action === action && one.acceptance === 'accepted');
}

/** An artifact with an accepted process request is PROCESSED, unless newer results replaced it. */
export function processedArtifacts(state: FinalState): string[] {
  const byId = new Map(state.artifacts.map((artifact) => [artifact.id, artifact]));
  return accepted(state, 'process artifact').flatMap(({ subject }) => {
    const status = byId.get(subject)?.status ?? 'PROCESSED';
    return status === 'PROCESSED' ? [] : [`the artifact ${subject} has an accepted process request and is ${status}`];
  });
}

/** All promotions of an artifact return the same source, which has the artifact's content. */
export function oneSourceForEachPromotion(state: FinalState): string[] {
  const { history, sources } = state;
  const byId = new Map(sources.map((source) => [source.id, source]));
  const deletions = history.others.filter(
    ({ action, acceptance }) => action === 'delete space' && acceptance !== 'rejected',
  );
  const byArtifact = Map.groupBy(accepted(state, 'promote artifact'), ({ subject }) => subject);
  return [...byArtifact].flatMap(([artifact, promotions]) => {
    const ids = new Set(promotions.map(({ responseId }) => responseId));
    const [first] = promotions;
    const source = byId.get(first?.responseId ?? '');
    if (ids.size > 1) return [`the artifact ${artifact} was promoted to ${[...ids].join(' and ')}`];
    // May have been purged with its space.
    if (source === undefined)
      return deletions.length > 0 ? [] : [`${[...ids]}, promoted from ${artifact}, does not exist`];
    // Canceled by the deletion of its space.
    if (source.status === 'CANCELED' && deletions.some(({ subject }) => subject === source.spaceId)) return [];
    const wanted = tokensIn(first?.detail ?? '').join();
    const found = source.results?.markdown.join();
    return source.status === 'COMPLETED' && found === wanted
      ? []
      : [`${source.id}, promoted from ${artifact}, is ${source.status} with content ${found}, not ${wanted}`];
  });
}

/** Every accepted ticket was mailed under one Message-ID, and no other mail was sent. */
export function oneMailForEachTicket(state: FinalState): string[] {
  const { history, mails, tickets } = state;
  const byTicket = Map.groupBy(mails, ({ text }) => /Ticket <(t\d+)>/.exec(text)?.[1] ?? '');
  const requested = new Set(
    history.others.flatMap(({ action, acceptance, subject }) =>
      action === 'create ticket' && acceptance !== 'rejected' ? [subject] : [],
    ),
  );
  const twice = [...byTicket].flatMap(([ticket, list]) => {
    const ids = new Set(list.map(({ messageId }) => messageId));
    if (!requested.has(ticket)) return [`the mail ${[...ids]} has the ticket "${ticket}", which nobody sent`];
    const isLost = history.others.some(({ subject, sentAt, respondedAt }) => {
      return subject === ticket && mayBeLost(history, sentAt, respondedAt ?? Date.now());
    });
    return ids.size > 1 && !isLost ? [`the ticket ${ticket} was mailed as ${[...ids].join(' and ')}`] : [];
  });
  const missing = accepted(state, 'create ticket').filter(({ subject }) => !byTicket.has(subject));
  return [
    ...twice,
    ...missing.map(({ subject, responseId }) => `the ticket ${subject} (${responseId}) was accepted and never mailed`),
    ...tickets.filter(({ status }) => status !== 'SENT').map(({ id, status }) => `the ticket ${id} is ${status}`),
  ];
}

/** A wait ends with a change, at the end of the source, or at its timeout. */
export function waitsEndInTime(state: FinalState): string[] {
  return accepted(state, 'wait for a source')
    .filter(({ detail }) => detail !== '')
    .map(({ subject, detail }) => `a wait for ${subject} ${detail}`);
}
