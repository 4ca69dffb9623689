/** Content of the bench sources: realistic Markdown of 2 kB, different for each source. */

export const CONTENT_BYTES = 2048;

const subjects = [
  'The importer',
  'Every replica',
  'The billing job',
  'Our gateway',
  'The search index',
  'A new tenant',
];
const verbs = ['rejects', 'retries', 'keeps', 'publishes', 'compares', 'archives'];
const objects = ['stale invoices', 'the nightly export', 'all pending orders', 'signed requests', 'old sessions'];
const ends = [
  'before the queue is drained.',
  'when the primary database fails over.',
  'unless an operator has paused the region.',
  'so that a second attempt changes nothing.',
  'as agreed in the review of last week.',
];

/** Returns a sentence whose words are selected by the two numbers; deterministic. */
function sentence(seed: number, position: number): string {
  const pick = (words: readonly string[], step: number) => words[(seed * step + position * 7 + step) % words.length];
  return `${pick(subjects, 1)} ${pick(verbs, 5)} ${pick(objects, 11)} ${pick(ends, 13)}`;
}

function paragraph(seed: number, from: number, sentences: number): string {
  return Array.from({ length: sentences }, (_, index) => sentence(seed, from + index)).join(' ');
}

/** Markdown of exactly CONTENT_BYTES bytes with a list, code, a table and links; differs for each `seed`. */
export function markdown(seed: number): string {
  const head = `# Runbook ${seed}: moving tenants between regions

${paragraph(seed, 0, 3)} See [the checklist](https://docs.example.com/runbooks/${seed}) first.

## Before the move

- ${sentence(seed, 3)}
- ${sentence(seed, 4)}
- ${sentence(seed, 5)}

\`\`\`ts
export async function moveTenant(id: string): Promise<void> {
  const lease = await acquire(\`tenant-\${id}\`, ${30 + (seed % 90)});
  await copyRows(lease, { batch: ${100 + (seed % 400)} });
  await lease.release();
}
\`\`\`

## Limits

| Region | Tenants | Lag in ms |
|---|---:|---:|
| eu-west-${seed % 7} | ${1000 + seed} | ${40 + (seed % 50)} |
| us-east-${seed % 5} | ${2000 + seed} | ${70 + (seed % 30)} |

## After the move

Compare the figures with [the dashboard](https://metrics.example.com/d/${seed}).
`;
  let text = head;
  for (let position = 6; text.length < CONTENT_BYTES; position += 1) text += `${sentence(seed, position)} `;
  // The text is ASCII: one byte per character.
  return `${text.slice(0, CONTENT_BYTES - 1)}\n`;
}
