import { sha256 } from '../../platform/crypto/digests.js';

/** One value for equal bodies, whatever the order of their fields; a flag that is left out is false. */
export function fingerprintOf(request: object): Buffer {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(sorted);
    const known = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== false);
    return known.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]);
  };
  return sha256(JSON.stringify(sorted(request)));
}
