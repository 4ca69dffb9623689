/** The workflows of the service: what the worker bundles. */
export { source } from './source.ts';
