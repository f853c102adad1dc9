/** An answer before it is written: JSON, or bytes as they are. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const JSON_TYPE = 'application/json; charset=utf-8';

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}

export function bytes(status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: Buffer.from(body) };
}

/** A refusal in the words of the API: `{ message, documentation_url, status }`. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Answer {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return json(status, body, headers);
}

/** 301 of something that has another address now. */
export function moved(location: string): Answer {
  const body = { message: 'Moved Permanently', url: location, documentation_url: 'https://docs.github.com/rest' };
  return json(301, body, { location });
}

export const notFound = (): Answer => refusal(404, 'Not Found');

/** Ends the handling of a request with an answer. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.answer = answer;
  }
}
