import type { Engine } from '../engine/engine.ts';

/** What a part of a backfill is asked to do. */
export interface BackfillPart {
  /** `owner/name` as it was given. */
  readonly repo: string;
  /** How many items it may look at, 1 to 100. */
  readonly limit: number;
  /** Where an earlier part said to go on; undefined: from the beginning. */
  readonly cursor: string | undefined;
  /** Says what would be repaired, and writes nothing. */
  readonly dryRun: boolean;
}

/** What a part did. */
export interface BackfillOutcome {
  /** Items that were looked at. */
  readonly looked: number;
  /** Items that were repaired, or would be. */
  readonly repaired: number;
  /** Where to go on; null: everything was looked at. */
  readonly nextCursor: string | null;
  /** What there is to say beside the numbers. */
  readonly notes?: readonly string[];
}

/**
 * A repair that goes through everything in bounded parts. A part that is done twice changes nothing the second time, and
 * one that fails has not moved its cursor.
 */
export interface BackfillSurface {
  readonly name: string;
  /** What it repairs, in one sentence. */
  readonly description: string;
  run(engine: Engine, part: BackfillPart): Promise<BackfillOutcome>;
}
