import { describe, expect, it } from '@jest/globals';
import { clientName } from './client-name.js';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('clientName', () => {
  it.each([
    [`${WINDOWS} Gecko/20100101 Firefox/145.0`, 'Firefox on Windows'],
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/126.0`, 'Opera on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 CriOS/142.0 Safari/604.1',
      'Chrome on iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['Mozilla/5.0 (PlayStation) Firefox/1', 'Firefox'],
    ['curl/8.14.1', 'a program'],
    ['Mozilla/5.0 (compatible; Bot/1.0)', 'a program'],
    ['Client: your account is closed, call +1 555 0100 Firefox/1 Windows', 'a program'],
    ['', 'a program'],
  ])('S-46 of %j is %s', (userAgent, name) => {
    expect(clientName(userAgent)).toBe(name);
  });
});
