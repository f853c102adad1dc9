const DIGITS = /^\d{1,9}$/;

/**
 * Milliseconds that `Retry-After` asks to wait: seconds, or a date, which is measured from the answer's own `Date` so
 * that the clocks of two machines need not agree. undefined without either, or for what is neither.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (DIGITS.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
