/** Longest patch of an export whose text is kept, in UTF-16 code units; of a longer one message, path and stat remain. */
export const MAX_PATCH_LENGTH = 512 * 1024;

/** How many lines a patch adds and deletes, as `+12 -3`; its file headers (`+++ b/…`, `--- a/…`) do not count. */
export function patchStat(patch: string): string {
  let additions = 0;
  let deletions = 0;
  for (const [, sign] of patch.matchAll(/^([+-])(?!\1\1 )/gm)) {
    if (sign === '+') additions += 1;
    else deletions += 1;
  }
  return `+${String(additions)} -${String(deletions)}`;
}
