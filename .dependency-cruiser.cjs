/**
 * Imports run downwards: apps > workflows, activities > extraction, db > platform > contract.
 * Run by `npm run check`; see docs/architecture.md. Its warning about a missing TypeScript compiler means nothing here:
 * swc parses, and sees imports of types too.
 */
const layer = (name, from, allowed, options = {}) => ({
  name,
  severity: 'error',
  comment: options.comment ?? `${name}: only what lies below may be imported.`,
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
    // mdast is a package of types alone.
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^mdast$' } },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      comment: 'A package that is imported stands in package.json.',
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
    layer('contract-imports-nothing-of-ours', '^contract/', '^contract/'),
    layer('platform', '^platform/', '^(platform|contract)/'),
    layer('db', '^db/', '^(db|platform|contract)/'),
    layer('extraction-is-pure', '^extraction/', '^(extraction|contract)/'),
    layer('activities', '^activities/', '^(activities|extraction|db|platform|contract)/'),
    layer('workflows-are-deterministic', '^workflows/', '^(workflows|contract)/', {
      comment: 'Workflows import contract and types of activities: their bundle must stay pure.',
      to: { dependencyTypesNot: ['type-only'] },
    }),
    layer('workflows-know-activities-by-type', '^workflows/', '^(workflows|contract|activities)/'),
    layer(
      'api',
      '^apps/api/',
      '^(apps/api/|apps/dispatcher/(outbox/dispatcher|reconciler/reconciler|sweeper/sweeper)[.]ts|db/|extraction/name[.]ts|platform/|contract/)',
    ),
    layer('client-knows-the-api-by-type', '^client/', '^client/', {
      comment: 'The client takes types of the API and nothing else of ours.',
      to: { dependencyTypesNot: ['type-only'] },
    }),
    layer('client', '^client/', '^(client|apps/api)/'),
    layer('examples', '^examples/', '^(examples|client)/', {
      comment: 'Examples show what a user of the service has: HTTP and the client.',
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
      name: 'the-demo-acts-through-the-client-alone',
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
