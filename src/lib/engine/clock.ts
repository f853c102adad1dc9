/** The only source of time in the library. */
export interface Clock {
  /** Milliseconds since the epoch. May run backwards; nothing may rely on it not to. */
  now(): number;
}
