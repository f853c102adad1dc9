import type { Engine } from '../engine/engine.ts';

/** What a part of a backfill is asked to do. */
export interface BackfillBounds {
  /** How many items it may look at, 1 to 100. */
  readonly limit: number;
  /** Where an earlier part said to go on; undefined: from the beginning. */
  readonly cursor: string | undefined;
  /** Says what would be repaired, and writes nothing. */
  readonly dryRun: boolean;
}

/** As {@link BackfillBounds}, of one repository. */
export interface BackfillPart extends BackfillBounds {
  /** `owner/name` as it was given. */
  readonly repo: string;
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

interface Repair {
  readonly name: string;
  /** What it repairs, in one sentence. */
  readonly description: string;
}

/**
 * A repair that goes through everything in bounded parts. A part that is done twice changes nothing the second time, and
 * one that fails has not moved its cursor. Of one repository, or of the whole index.
 */
export type BackfillSurface =
  | (Repair & { readonly of: 'repository'; run(engine: Engine, part: BackfillPart): Promise<BackfillOutcome> })
  | (Repair & { readonly of: 'index'; run(engine: Engine, part: BackfillBounds): Promise<BackfillOutcome> });
