/**
 * uPlot writes numbers in the language of the browser as soon as it is loaded. In the POSIX locale Chromium names that `en-US@posix`, which
 * is no language tag: it throws a RangeError, and there is no chart.
 */
function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}

if (!isTag(navigator.language)) Object.defineProperty(navigator, 'language', { value: 'en-US' });
