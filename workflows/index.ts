/** The workflows of the service: what the worker bundles. */
export { artifact } from './artifact.ts';
export { source } from './source.ts';
export { ticket } from './ticket.ts';
