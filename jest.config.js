/** Tests are TypeScript as ES modules; swc strips the types, as Node.js itself does at run time. */
import { join } from 'node:path';
import { userCache } from './apps/dev/binaries/user-cache.ts';

// For jest's workers and the processes that they fork.
process.env.NODE_COMPILE_CACHE ??= join(userCache(process.env), 'compiled');

/** Files whose promises are times: they run one after the other, after all the others. */
const timed = [
  'test/service/{cancel-in-every-stage,cancel-time,fetch-retry-time,postback-timeout}.test.ts',
  'test/api/{admission/hostile-requests,reads-without-storage}.test.ts',
  'test/dispatcher/outbox/failing-calls.test.ts',
];
const start = 'test/dev/start.test.ts';
/** Files that need no servers. */
const unit = [
  'test/{activities,bench,extraction}/**/*.test.ts',
  'test/{compose,mutations,api/context-file,api/admission/fair-share,api/http/json-bounds}.test.ts',
  'test/api/{http/stalled-responses,live/event-stream}.test.ts',
  'test/platform/{addresses,egress,egress-attacks,egress-errors,logger,lookups,mail,temporal-settings,webhook}.test.ts',
  'test/workflows/{replay,source-state}.test.ts',
];

/** Without `servers` a project is started without PostgreSQL, Temporal, storage and the processes of the service. */
const project = (displayName, patterns, { servers = true, not = [], ...options } = {}) => ({
  displayName,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: [...patterns.map((pattern) => `<rootDir>/${pattern}`), ...not.map((pattern) => `!**/${pattern}`)],
  ...(servers
    ? {
        globalSetup: '<rootDir>/test/support/jest/start-stack.js',
        globalTeardown: '<rootDir>/test/support/jest/stop-stack.js',
      }
    : {}),
  ...options,
});

const serial = { runner: '<rootDir>/test/support/jest/serial-runner.js' };

export default {
  projects: [
    project('unit', unit, { servers: false }),
    project('service', ['test/**/*.test.ts'], { not: ['test/{chaos,dev}/**', ...unit, ...timed] }),
    project('timed', timed, serial),
    project('chaos', ['test/chaos/**/*.test.ts']),
    project('dev', ['test/dev/**/*.test.ts'], { servers: false, not: [start] }),
    project('dev-timed', [start], { servers: false, ...serial }),
  ],
  reporters: ['default', '<rootDir>/test/support/jest/counts-reporter.js'],
  testTimeout: 60_000,
  // One more than the cores of the smallest machine, since tests mostly wait.
  maxWorkers: 3,
  // Concurrent tests of a file mostly wait too.
  maxConcurrency: 12,
  collectCoverageFrom: ['{apps,workflows,activities,extraction,db,platform,contract,client}/**/*.ts'],
};
