/** `npm run histories`: records the histories of runs that test/workflows replays. */
import tests from './jest.config.js';

const service = tests.projects.find(({ displayName }) => displayName === 'service');

export default {
  ...tests,
  projects: [{ ...service, displayName: 'histories', testMatch: ['<rootDir>/test/support/record-*histories.ts'] }],
};
