import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import jsdoc from 'eslint-plugin-jsdoc';
import redos from 'eslint-plugin-redos';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import constantSql from './scripts/constant-sql.mjs';

// In this process: the answers of the checker's own worker get lost now and then on a busy machine.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** TypeScript has no `#` for a constructor's parameter property: there `private` stays (CONTRIBUTING.md 11). */
const PRIVATE_BY_HASH = {
  selector: ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
  message: 'Write `#name` for a private member.',
};

const CONSTRUCTOR = 'MethodDefinition[kind="constructor"] > FunctionExpression';

/** `max-params` has one number for all; a constructor that is injected may have more (CONTRIBUTING.md 11). */
const MAX_PARAMETERS = [
  {
    selector: `:matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression)[params.length>4]:not(${CONSTRUCTOR})`,
    message: 'A function has at most four parameters.',
  },
  { selector: `${CONSTRUCTOR}[params.length>6]`, message: 'A constructor has at most six parameters.' },
];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'dashboard/dist/**',
      'dashboard/src/api/schema.d.ts',
      'sdk/typescript/dist/**',
      'sdk/typescript/src/generated.ts',
      'sdk/typescript/src/kinds.ts',
      'sdk/typescript/src/methods.ts',
      'coverage/**',
      'bench/**',
      '**/*.cjs',
      '**/*.mjs',
      '**/*.mts',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      // A DTO or entity class is a shape for OpenAPI, validation and TypeORM, without methods: a literal of it is one (CONTRIBUTING.md 6).
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': [
        'error',
        {
          allow: [
            {
              from: 'file',
              name: ['CandlestickDto', 'OhlcDto', 'OrderDto', 'OutcomeDto', 'OutcomeRefDto', 'ReadOrderDto'],
            },
          ],
        },
      ],
      '@typescript-eslint/require-await': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/no-floating-promises': 'error',
      complexity: ['error', 10],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-eval': 'error',
      'no-restricted-syntax': ['error', PRIVATE_BY_HASH, ...MAX_PARAMETERS],
      'no-restricted-imports': ['error', { paths: [{ name: 'node:assert', message: 'Use AppError or a test.' }] }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/config/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only platform/config reads the environment (CONTRIBUTING.md 2).',
        },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Only platform/upstream calls other servers (CONTRIBUTING.md 2).' },
      ],
    },
  },
  {
    // S-52, S-53: no text may take an expression longer than its length allows; one made at run time, no rule can see.
    files: ['src/**/*.ts', 'sandbox/**/*.ts', 'scripts/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { redos, regexp },
    rules: {
      'redos/no-vulnerable': 'error',
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
      'regexp/no-invalid-regexp': 'error',
      'no-restricted-syntax': [
        'error',
        PRIVATE_BY_HASH,
        ...MAX_PARAMETERS,
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
          message: 'Write a literal, which the rules and the test of S-53 see.',
        },
      ],
    },
  },
  {
    // S-35, S-52: SQL is never put together from input. A line that is excepted says why.
    files: ['src/**/*.ts', 'scripts/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { own: { rules: { 'constant-sql': constantSql } } },
    rules: { 'own/constant-sql': 'error' },
  },
  {
    // Who writes an adapter reads what each method promises.
    files: ['src/exchanges/exchange.ts', 'src/exchanges/*.contract.ts'],
    plugins: { jsdoc },
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        { contexts: ['TSMethodSignature', 'TSInterfaceDeclaration'], require: { FunctionDeclaration: false } },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**/*.ts'],
    ...jest.configs['flat/recommended'],
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', PRIVATE_BY_HASH],
      complexity: 'off',
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', '**.expect'] }],
      'jest/no-export': 'off',
      'jest/valid-title': 'off',
    },
  },
  {
    // A component is a function whose text is the page: it is as long as what it shows.
    files: ['dashboard/src/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
);
