import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { Failure } from '../core/failure.ts';

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a web page in the user's browser: BROWSER where it is set, else the desktop's opener. Only http and https. */
export async function openInBrowser(url: string): Promise<void> {
  if (!/^https?:\/\/[\u0021-\u007E]+$/.test(url)) throw new Failure('internal', 'the address is no web page');
  const chosen = process.env.BROWSER;
  const [command, ...args] = chosen === undefined || chosen === '' ? (OPENERS[platform()] ?? ['xdg-open']) : [chosen];
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', (cause) => {
      reject(
        new Failure('not_found', `cannot start a browser for ${url}`, { hint: 'Set BROWSER to its command.', cause }),
      );
    });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
