import { spawn } from 'node:child_process';

/**
 * Shows text in the user's pager (a shell command, as PAGER is) and waits until it is closed. Returns false where the
 * pager could not be started, so that the caller can print the text itself.
 */
export function showInPager(command: string, text: string): Promise<boolean> {
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    // What gh sets: colours pass, a text of one screen is printed without paging.
    env: { LESS: 'FRX', LV: '-c', ...process.env },
  });
  // A reader who leaves early closes the pipe; that is no error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve(false);
    });
    // 126 and 127: the shell found nothing to run.
    child.once('close', (code) => {
      resolve(code !== 126 && code !== 127);
    });
  });
}
