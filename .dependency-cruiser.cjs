/**
 * Imports run downwards: apps > workflows, activities > extraction, db > platform > contract.
 * Run by `npm run check`; see docs/architecture.md. Its warning about a missing TypeScript compiler can be ignored: swc
 * parses, type imports included.
 */
const layer = (name, from, allowed, options = {}) => ({
  name,
  severity: 'error',
  comment: options.comment ?? `${name}: only layers below may be imported.`,
  from: { path: from, pathNot: options.except },
  to: {
    path: '^(apps|workflows|activities|extraction|db|platform|contract|client|examples|test|bench|tools)/',
    pathNot: allowed,
    ...options.to,
  },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    // mdast has types only.
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^mdast$' } },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      comment: 'Imported packages must be declared in package.json.',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-packages-in-the-service',
      severity: 'error',
      comment: 'The image is built without devDependencies.',
      from: { path: '^(apps|client|workflows|activities|extraction|db|platform|contract)/', pathNot: '^apps/dev/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    layer('contract-imports-only-contract', '^contract/', '^contract/'),
    layer('platform', '^platform/', '^(platform|contract)/'),
    layer('db', '^db/', '^(db|platform|contract)/'),
    layer('extraction-is-pure', '^extraction/', '^(extraction|contract)/'),
    layer('activities', '^activities/', '^(activities|extraction|db|platform|contract)/'),
    layer('workflows-are-deterministic', '^workflows/', '^(workflows|contract)/', {
      comment: 'Workflows import contract, and only types of activities: their bundle must stay deterministic.',
      to: { dependencyTypesNot: ['type-only'] },
    }),
    layer('workflows-import-only-types-of-activities', '^workflows/', '^(workflows|contract|activities)/'),
    layer(
      'api',
      '^apps/api/',
      '^(apps/api/|apps/dispatcher/(outbox/dispatcher|reconciler/reconciler|sweeper/sweeper)[.]ts|db/|extraction/name[.]ts|platform/|contract/)',
    ),
    layer('client-imports-only-types-of-the-api', '^client/', '^client/', {
      comment: 'The client imports types of the API and no other code of ours.',
      to: { dependencyTypesNot: ['type-only'] },
    }),
    layer('client', '^client/', '^(client|apps/api)/'),
    layer('examples', '^examples/', '^(examples|client)/', {
      comment: 'Examples use only HTTP and the client, as users of the service do.',
    }),
    layer('dispatcher', '^apps/dispatcher/', '^(apps/dispatcher/|db/|platform/|contract/)'),
    layer('worker', '^apps/worker/', '^(apps/worker/|activities/|extraction/|db/|platform/|contract/)'),
    layer(
      'admin',
      '^apps/admin/',
      '^(apps/admin/|apps/dispatcher/sweeper/collect-objects[.]ts|db/|platform/|contract/)',
    ),
    layer('dev', '^apps/dev/', '^(apps/dev/|client/|db/|platform/|contract/)'),
    {
      name: 'demo-uses-only-the-client',
      severity: 'error',
      from: { path: '^apps/dev/demo/' },
      to: { path: '^(workflows|activities|extraction|db|platform|contract|apps/(?!dev/demo/))' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^(test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|test/histories)' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.cjs', '.json'],
    },
  },
};
