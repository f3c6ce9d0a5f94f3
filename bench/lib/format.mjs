/** A number with so many digits after its point; a dash where there is none. */
export function digits(value, count) {
  return typeof value === 'number' && Number.isFinite(value) ? value.toFixed(count) : '–';
}
