const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|z|[+-]\d{2}:?\d{2})?$/;
const DATE_ONLY = /^(\d{4})-(\d{2})-(\d{2})$/;
const RELATIVE = /^(\d+)\s*(m|h|d|w|mo|y)$/;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, mo: 30 * 86_400_000, y: 365 * 86_400_000 };

/** Milliseconds since the epoch as RFC 3339 UTC with milliseconds, e.g. `2024-02-29T10:00:00.000Z`. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Parses an RFC 3339 time (any offset; without one it is read as UTC; seconds and `T` may be loose) or a date into
 * milliseconds since the epoch. Returns undefined for anything else, also for dates that do not exist (30 February).
 */
export function parseTime(text: string): number | undefined {
  const trimmed = text.trim();
  const date = DATE_ONLY.exec(trimmed);
  const match = date ?? RFC3339.exec(trimmed);
  if (!match) return undefined;
  const [, y, mo, d, h = '0', mi = '0', s = '0', fraction = '', zone = 'Z'] = match;
  const [year, month, day, hour, minute, second] = [y, mo, d, h, mi, s].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const offset = zoneOffsetMs(zone);
  if (offset === undefined) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, Math.floor(Number(`0${fraction}`) * 1000));
  return local.getTime() - offset;
}

/** A time as in {@link parseTime}, or an age before `now` such as `36h`, `7d`, `2w`, `6mo`, `1y`; in milliseconds. */
export function parseTimeOrAge(text: string, now: number): number | undefined {
  const age = RELATIVE.exec(text.trim());
  if (!age) return parseTime(text);
  const ms = now - Number(age[1]) * UNIT_MS[age[2] as keyof typeof UNIT_MS];
  return ms >= -8.64e15 ? ms : undefined;
}

function daysInMonth(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

function zoneOffsetMs(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
