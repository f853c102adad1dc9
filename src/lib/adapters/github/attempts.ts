import { chainOf, type RequestFailure } from './failures.ts';

export interface Attempts {
  /** How often a request is made again. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Told what went wrong, before it is tried again after `waitSeconds`. */
  readonly onRetry: (failure: RequestFailure, waitSeconds: number) => void;
}

/** Statuses that no repetition mends. 429 is a limit, as 403 may be: when to come back is told, and obeyed elsewhere. */
export const NOT_TO_BE_RETRIED = [400, 401, 403, 404, 410, 422, 429, 451];

/** fetch for all attempts of one request, each of them bounded; it tells of those that Octokit makes again. */
export function fetchOf({ retries, signal, onRetry }: Attempts): typeof fetch {
  let made = 0;
  const tell = (status: number | undefined, message: string): void => {
    // Octokit's plugin waits for the square of their number.
    if (made <= retries && !signal.aborted) onRetry({ status, message, headers: {} }, made ** 2);
  };
  return async (input, init) => {
    made += 1;
    try {
      const response = await withTimeout(input, init);
      const { status } = response;
      if (status >= 400 && !NOT_TO_BE_RETRIED.includes(status)) tell(status, '');
      return response;
    } catch (error) {
      tell(undefined, chainOf(error));
      throw error;
    }
  };
}

/** How long one attempt may take, in milliseconds: a page of a hundred items takes seconds. */
const ATTEMPT_TIMEOUT_MS = 45_000;

/** fetch with a bound. What the caller aborts ends as an AbortError, the one that Octokit does not try again. */
const withTimeout: typeof fetch = async (input, init) => {
  const given = init?.signal ?? undefined;
  const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    return await fetch(input, { ...init, signal: given === undefined ? timeout : AbortSignal.any([given, timeout]) });
  } catch (error) {
    throw given?.aborted === true ? new DOMException('the request was aborted', 'AbortError') : error;
  }
};
