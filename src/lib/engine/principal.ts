/**
 * Whose memory is read and written. `local` is whoever opened a local file without a credential; its name is kept in
 * that database. A GitHub principal comes from a verified credential, never from a caller's words.
 */
export type Principal =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'github';
      readonly userId: number;
      /** Of an API other than that of github.com, whose users have numbers of their own. */
      readonly host?: string;
    };

/** How a GitHub principal is written down: `github:<id>`, of another host `github@<host>:<id>`. */
export function githubName({ userId, host }: { readonly userId: number; readonly host?: string }): string {
  return `github${host === undefined ? '' : `@${host}`}:${String(userId)}`;
}
