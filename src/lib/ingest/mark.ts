import type * as z from 'zod';

/** A stored watermark; undefined where there is none, or one that an older format of the index wrote. */
export function parseMark<Schema extends z.ZodType>(schema: Schema, mark: string | null): z.output<Schema> | undefined {
  if (mark === null) return undefined;
  const parsed = schema.safeParse(JSON.parse(mark));
  return parsed.success ? parsed.data : undefined;
}

/** Whether what was read from `read` on (ms, null: from the beginning) holds everything from `asked` on. */
export function covers(read: number | null, asked: number | null): boolean {
  return read === null || (asked !== null && asked >= read);
}
