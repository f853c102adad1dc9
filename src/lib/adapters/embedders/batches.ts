/** What one request may hold. */
export interface BatchLimits {
  readonly texts: number;
  /** UTF-16 units of all its texts; one text alone may have more. */
  readonly characters: number;
}

/** Cuts texts into batches, in order, each as full as the limits allow. */
export function batchesOf(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length >= limits.texts || (batch.length > 0 && characters + text.length > limits.characters)) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
