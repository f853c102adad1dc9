/** Names work under way, so that others who find the name in a database can tell whether it may still run. */
export interface Presence {
  /** Begins a piece of work. */
  begin(): Work;
  /** False where work of this name ran on this machine and is over. Of other machines nothing is known: true. */
  mayRun(name: string): boolean;
}

/** A piece of work; its name is no other's, on any machine. */
export interface Work {
  readonly name: string;
  end(): void;
}
