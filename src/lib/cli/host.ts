import { isatty } from 'node:tty';
import { systemClock } from '../adapters/clock.ts';
import { type Environment, readEnvironment } from '../adapters/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { StreamFacts } from './terminal.ts';

export interface OutputStream extends StreamFacts {
  write(text: string): void;
}

/** What a command needs of the process it runs in. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Calls the listener on the first Ctrl-C (or SIGTERM); a second one ends the process. Returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
}

/** The process itself. */
export function processHost(): Host {
  return {
    stdout: outputStream(process.stdout),
    stderr: outputStream(process.stderr),
    environment: readEnvironment(),
    clock: systemClock,
    onInterrupt,
  };
}

function outputStream(stream: typeof process.stdout | typeof process.stderr): OutputStream {
  return {
    write(text) {
      stream.write(text);
    },
    isTTY: isatty(stream.fd),
    get columns() {
      return isatty(stream.fd) ? stream.columns : undefined;
    },
  };
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

function onInterrupt(listener: () => void): () => void {
  let interrupted = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // Whoever asks twice does not want to wait for the end of a transaction; the database survives it.
    if (interrupted) process.exit(signal === 'SIGTERM' ? SIGNALS.SIGTERM : SIGNALS.SIGINT);
    interrupted = true;
    listener();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}
