/** The fixed policy of the feedback memory (feedback contract, sections 4 to 6 and 9). */

/** Half-life of activation and of edge strength, in milliseconds. */
export const HALF_LIFE_MS = 3_600_000;

/** Activation added once per distinct source of a successful retrieval. */
export const RETRIEVED_ADDITION = 0.1;

/** Stages of use in their order, with the activation that each adds. */
export const STAGE_ADDITIONS = { selected: 0.2, validated: 0.5, used: 1.0 } as const;

/** Cap of each activation channel. */
export const CHANNEL_CAP = 10;

/** Credit of one edge by one independent trace, and the cap of an edge's decayed strength. */
export const EDGE_CREDIT = 0.25;
export const EDGE_CAP = 5;

export const MAX_TRACE_SOURCES = 300;
export const MAX_TRACE_CHARACTERS = 300_000;
export const MAX_BATCH = 100;
export const MAX_REASON_LENGTH = 1000;
export const MAX_PAGE = 50;
export const MAX_KEY_LENGTH = 128;

/** Share of a value that is left after some time: 0.5 ^ (elapsed / half-life). A clock that ran backwards decays nothing. */
export function decayFactor(elapsedMs: number): number {
  return 0.5 ** (Math.max(0, elapsedMs) / HALF_LIFE_MS);
}
