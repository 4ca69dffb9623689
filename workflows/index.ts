/** The workflows that the worker bundles. */
export { artifact } from './artifact.ts';
export { purge } from './purge.ts';
export { source } from './source.ts';
export { spaceDeletion } from './space-deletion.ts';
export { ticket } from './ticket.ts';
