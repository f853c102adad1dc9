/**
 * The login of an owner, as a part of regular expressions: letters, digits and hyphens, 39 characters at most. An enterprise
 * that manages its users adds `_` and its short code (`mona_acme`); no other login has an underscore.
 * https://docs.github.com/en/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication
 */
export const OWNER = '(?=[\\w-]{1,39}(?![\\w-]))[A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9]+)?';

/** The name of a repository within its owner. It takes `.` and `..` for names; {@link isRepoSlug} does not. */
export const REPO_NAME = '[A-Za-z0-9._-]{1,100}';

/** `owner/name`. */
export const REPO_SLUG = `${OWNER}/${REPO_NAME}`;

const SLUG = new RegExp(`^${REPO_SLUG}$`);

/** Whether a text is `owner/name` as GitHub allows it. */
export function isRepoSlug(text: string): boolean {
  return SLUG.test(text) && !/\/\.{1,2}$/.test(text);
}
