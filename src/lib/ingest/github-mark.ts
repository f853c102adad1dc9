import * as z from 'zod';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';

/**
 * Watermark of a list: everything that was updated from `since` up to `until` (ms) is ingested. The ETag is that of the
 * page from `until` on, where nothing was left behind. `listed`: when the whole list was read last, beside the reading of
 * news; `excess`: how many more items GitHub counted then than its list had.
 */
export const listMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  until: z.number().nullable(),
  etag: z.string().nullable(),
  listed: z.number().nullable(),
  excess: z.int(),
});
export type ListMark = z.output<typeof listMark>;

/** The mark of a list of which nothing was read. */
export function freshListMark(since: number | null): ListMark {
  return { format: INDEX_FORMAT, since, until: null, etag: null, listed: null, excess: 0 };
}
