import type { StoredEmbedder } from '../../corpus/embedder-store.ts';
import { type Vocabulary, writeVocabularyMark } from '../../corpus/watermark.ts';
import type { Engine } from '../../engine/engine.ts';
import { lackedShare } from './new-words.ts';

/** A model is trained anew when the index has grown to this many times what it was trained on. */
const GROWTH = 2;
/**
 * A model is also compared with what came since it was trained or compared last, once that is so many passages and this
 * share of what it was trained on. Texts that each time bring words which it can learn are trained for each time; where it
 * learns nothing from them, the next training needs a greater lack.
 */
const NEW = { passages: 64, share: 1 / 128 };
/** Share of the words of what came that a model may lack, beyond what a training could not teach it. */
const MAX_LACKED = 0.05;

/** Why a model is trained anew. */
export interface Retraining {
  /** Passages, the newest, whose words it lacks; 0: it is for another reason. */
  readonly lacked: number;
  /** Share of words that its training left unknown. */
  readonly unlearned: number;
}

/** A training that answers no lack of words: the first, or that of an index which has grown. */
export const PLAIN_TRAINING: Retraining = { lacked: 0, unlearned: 0 };

/** Undefined: the model stays. Then what it was compared with is kept, so that no run looks at it again. */
export async function dueRetraining(
  { database, clock }: Engine,
  newest: StoredEmbedder,
  passages: number,
  vocabulary: Vocabulary,
): Promise<Retraining | undefined> {
  const { name: model, trainedOn } = newest;
  if (passages >= trainedOn * GROWTH) return PLAIN_TRAINING;
  const mark = vocabulary.mark?.model === model ? vocabulary.mark : undefined;
  // An earlier version kept no mark: what came is told by how many there are.
  const came = mark === undefined ? passages - trainedOn : vocabulary.came;
  if (came < Math.max(NEW.passages, trainedOn * NEW.share)) return undefined;
  const unlearned = mark?.unlearned ?? 0;
  if ((await lackedShare(database, newest, came)) > unlearned + MAX_LACKED) return { lacked: came, unlearned };
  await database.write([writeVocabularyMark({ model, last: vocabulary.greatest, unlearned }, clock.now())], 'normal');
  return undefined;
}

/** Share of words that a new model was trained for and lacks all the same. */
export async function unlearnedBy(
  { database }: Engine,
  trained: StoredEmbedder,
  { lacked, unlearned }: Retraining,
): Promise<number> {
  return lacked === 0 ? unlearned : Math.max(unlearned, await lackedShare(database, trained, lacked));
}
