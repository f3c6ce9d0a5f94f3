import type { RequestHandler } from 'express';

/**
 * One middleware that runs several, each after the one before it has called `next`. Express would look at path and parameters
 * anew between any two of them.
 */
export function inOrder(...steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const runFrom = (index: number): void => {
      const step = steps[index];
      if (step === undefined) {
        next();
        return;
      }
      try {
        void step(request, response, (error?: unknown) => {
          if (error === undefined || error === null) runFrom(index + 1);
          else next(error);
        });
      } catch (error) {
        next(error);
      }
    };
    runFrom(0);
  };
}
