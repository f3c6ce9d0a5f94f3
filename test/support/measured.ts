import { jest } from '@jest/globals';

/**
 * For files whose tests measure time: a test that fails is run again, at most twice, since another job on the machine may have
 * been the reason. Each failure is shown. A limit that the service itself passes fails every time.
 */
export function measureAgain(): void {
  jest.retryTimes(2, { logErrorsBeforeRetry: true });
}
