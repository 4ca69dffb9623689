/** Tests are TypeScript as ES modules; swc strips the types as Node itself does at run time. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testTimeout: 60_000,
  // One more than the cores of the smallest machine, since tests mostly wait; test/support/run.ts runs the files whose
  // promises are times one at a time.
  maxWorkers: 3,
  // Concurrent tests of a file mostly wait too.
  maxConcurrency: 12,
};
