/** What the library asks of GitHub. */
export interface GitHub {
  /** The numeric id of the user that the credential belongs to. */
  verifiedUserId(signal: AbortSignal): Promise<number>;
  /** The current text of a file on the default branch, or undefined where it does not exist. */
  fileText(repo: string, path: string, signal: AbortSignal): Promise<string | undefined>;
}
