/** How swc compiles TypeScript here: for the build, the tests and the benchmark alike. */
export const SWC = {
  swcrc: false,
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};
