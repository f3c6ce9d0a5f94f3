// Import rules of style.md, section 2, as a starting point. Run: depcruise src test --config .dependency-cruiser.mjs
const FEATURE = '^src/(activity|auth|users|api-keys|credentials|proxy|operations|dashboard)/';

/** The folders of src/auth from the top: each imports itself and those in the lines below it, nothing else of src/auth. */
const AUTH_LAYERS = [
  ['account'],
  ['oauth', 'login', 'passwords'],
  ['signup'],
  ['mails'],
  ['contents', 'limits'],
  ['sessions', 'tokens', 'password-policy'],
];

const AUTH_ORDER = AUTH_LAYERS.flatMap((folders, layer) =>
  folders.map((folder) => ({
    name: `auth-order-${folder}`,
    severity: 'error',
    from: { path: `^src/auth/${folder}/` },
    to: { path: '^src/auth/', pathNot: `^src/auth/(${[folder, ...AUTH_LAYERS.slice(layer + 1).flat()].join('|')})/` },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'platform-knows-nobody',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(?!platform/)' },
    },
    {
      name: 'access-knows-platform',
      severity: 'error',
      from: { path: '^src/access/' },
      to: { path: '^src/(?!access/|platform/)' },
    },
    {
      name: 'exchanges-know-platform',
      severity: 'error',
      from: { path: '^src/exchanges/' },
      to: { path: '^src/(?!exchanges/|platform/)' },
    },
    {
      name: 'adapters-apart',
      severity: 'error',
      from: { path: '^src/exchanges/([^/]+)/' },
      to: { path: '^src/exchanges/[^/]+/', pathNot: '^src/exchanges/$1/' },
    },
    {
      name: 'adapters-private',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/exchanges/' },
      to: { path: '^src/exchanges/[^/]+/' },
    },
    {
      name: 'feature-internals-private',
      severity: 'error',
      from: { path: FEATURE },
      to: { path: FEATURE, pathNot: ['^src/$1/', '\\.(module|service)\\.ts$'] },
    },
    ...AUTH_ORDER,
    {
      name: 'auth-folder-without-order',
      severity: 'error',
      from: { path: `^src/auth/(?!(${AUTH_LAYERS.flat().join('|')})/)[^/]+/` },
      to: {},
    },
    {
      name: 'typeorm-in-repositories',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.(entity|repository)\\.ts$', '^src/platform/database/'] },
      to: { path: 'node_modules/typeorm/' },
    },
    {
      name: 'crypto-in-its-place',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.signer\\.ts$', '^src/platform/(crypto|secrets)/', '\\.spec\\.ts$'] },
      to: { path: '^(node:)?crypto$' },
    },
    {
      name: 'no-sandbox-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(sandbox|test)/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
