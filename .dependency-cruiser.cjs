// The direction of imports (ARCHITECTURE.md). Each layer names everything it may see; the rest is forbidden.

const areas = ['ingest', 'indexing', 'retrieval', 'feedback', 'memory', 'wiki', 'admin'];
const ground = ['core', 'engine', 'operation', 'corpus'];

/** Layer under src/lib -> layers under src/lib it may see beside itself. */
const sees = {
  core: [],
  engine: ['core'],
  operation: ['core', 'engine'],
  corpus: ['core', 'engine', 'operation'],
  ...Object.fromEntries(areas.map((area) => [area, ground])),
  retrieval: [...ground, 'indexing', 'feedback'],
  mcp: [...ground, ...areas, 'operations.ts'],
  tui: [...ground, ...areas, 'operations.ts'],
  // The command line chooses the adapters; everybody else gets them in an Engine.
  cli: [...ground, ...areas, 'operations.ts', 'adapters'],
};

const layer = (name) => (name.endsWith('.ts') ? `^src/lib/${name.replace('.', '\\.')}$` : `^src/lib/${name}/`);

const directions = Object.entries(sees).map(([name, seen]) => ({
  name: `${name}-sees`,
  comment: `src/lib/${name} sees ${['itself', ...seen].join(', ')} and packages, nothing else of this project.`,
  severity: 'error',
  from: { path: layer(name) },
  to: { path: '^(src|bin|migrations|schemas|scripts|bench|test)/', pathNot: [name, ...seen].map(layer) },
}));

/** A package (or Node module) that may be imported in certain places of src only. */
const confined = (name, packages, places) => ({
  name: `${name}-confined`,
  comment: `${packages.join(', ')}: only in ${places.join(', ')}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: places.map((place) => `^src/${place}/`) },
  to: { path: packages.map((pattern) => `(^|node_modules/)${pattern}(/|$)`) },
});

module.exports = {
  forbidden: [
    ...directions,
    {
      name: 'operations-sees',
      comment: 'src/lib/operations.ts lists the operations of the areas.',
      severity: 'error',
      from: { path: layer('operations.ts') },
      to: { path: '^src/', pathNot: [...ground, ...areas].map(layer) },
    },
    {
      name: 'adapters-see',
      comment: 'An adapter sees core, engine, its own folder and http, what several of them know of HTTP.',
      severity: 'error',
      from: { path: '^src/lib/adapters/([^/]+)/' },
      to: { path: '^src/', pathNot: ['^src/lib/(core|engine)/', '^src/lib/adapters/($1|http)/'] },
    },
    {
      name: 'small-adapters-see',
      comment: 'An adapter of one or two files sees core, engine and its neighbours, never an adapter with a folder.',
      severity: 'error',
      from: { path: '^src/lib/adapters/[^/]+$', pathNot: '/compose\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/lib/(core|engine)/', '^src/lib/adapters/(?!compose\\.ts)[^/]+$'] },
    },
    {
      name: 'compose-sees',
      comment: 'adapters/compose.ts sees core, engine and every adapter.',
      severity: 'error',
      from: { path: '^src/lib/adapters/compose\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/lib/(core|engine|adapters)/'] },
    },
    {
      name: 'commands-are-last',
      comment: 'Nothing imports a command.',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'product-only',
      comment: 'src imports neither tests, benchmarks and scripts nor a development dependency.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'no-dev-dependency',
      comment: 'What src imports must be installed with the package.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm'] },
    },
    confined('oclif', ['@oclif/core'], ['commands', 'lib/cli']),
    confined('ink', ['ink', 'react'], ['lib/tui']),
    confined('mcp-sdk', ['@modelcontextprotocol/sdk'], ['lib/mcp']),
    confined(
      'outside-world',
      ['libsql', '@libsql/client', 'octokit', 'execa', '(node:)?child_process', '(node:)?fs', '(node:)?fs/promises'],
      ['lib/adapters'],
    ),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'A module that imports nothing and is imported by nothing is dead.',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
