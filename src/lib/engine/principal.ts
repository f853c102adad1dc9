/**
 * Whose memory is read and written. `local` is whoever opened a local file without a credential; its name is kept in
 * that database. A GitHub principal comes from a verified credential, never from a caller's words.
 */
export type Principal = { readonly kind: 'local' } | { readonly kind: 'github'; readonly userId: number };
