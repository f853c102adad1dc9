import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name; only a command is a default export.',
};

// What makes a library's answer depend on where and when it runs enters by the Engine (src/lib/engine).
const OUTSIDE_WORLD = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'The environment is read in src/lib/adapters only.',
  },
  {
    selector: "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
    message: 'The environment is read in src/lib/adapters only.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?process$/]',
    message: 'The environment is read in src/lib/adapters only.',
  },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'The time comes from engine.clock; only src/lib/adapters asks the system.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'The time comes from engine.clock; only src/lib/adapters asks the system.',
  },
  {
    selector: "CallExpression[callee.name='Date']",
    message: 'The time comes from engine.clock; only src/lib/adapters asks the system.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Chance belongs in src/lib/adapters.',
  },
  {
    selector: "MemberExpression[object.name='globalThis'][property.name='fetch']",
    message: 'The network is reached from src/lib/adapters only.',
  },
];

// Which texts a model behind an endpoint may be sent is settled where it is called, and nowhere else.
const MODEL_CALLS = [
  {
    selector: "CallExpression[callee.property.name='embed']",
    message: 'Text of documents reaches an embedder by embedPassages, which keeps to allowed_repos.',
  },
  {
    selector: "CallExpression[callee.property.name='rerank']",
    message: 'Text of documents reaches a reranker in src/lib/retrieval/rerank.ts only.',
  },
];

/** Those that may: they look at allowed_repos, or (the store) call no model. */
const CALLS_MODELS = [
  'src/lib/indexing/embed-passages.ts',
  'src/lib/retrieval/question-vector.ts',
  'src/lib/retrieval/rerank.ts',
  'src/lib/corpus/store.ts',
];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '.gh-rag/', 'schemas/']),
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      // A name that starts with an underscore is there for its place.
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          ignoreRestSiblings: true,
        },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.strict],
    rules: { eqeqeq: 'error' },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['src/commands/**', 'vitest.config.ts'],
    rules: { 'no-restricted-syntax': ['error', DEFAULT_EXPORT] },
  },
  {
    files: ['test/**'],
    rules: {
      // Matchers such as expect.any(Number) are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // Tests take strings apart by code point on purpose.
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/lib/cli/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/lib/**'],
    ignores: ['src/lib/adapters/**'],
    rules: {
      'no-restricted-syntax': ['error', DEFAULT_EXPORT, ...OUTSIDE_WORLD, ...MODEL_CALLS],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'The network is reached from src/lib/adapters only.' },
      ],
    },
  },
  {
    files: CALLS_MODELS,
    rules: { 'no-restricted-syntax': ['error', DEFAULT_EXPORT, ...OUTSIDE_WORLD] },
  },
  {
    files: ['src/commands/**'],
    rules: {
      'no-restricted-syntax': ['error', ...OUTSIDE_WORLD],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'The network is reached from src/lib/adapters only.' },
      ],
    },
  },
);
