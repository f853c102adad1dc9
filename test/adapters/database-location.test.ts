import { describe, expect, it } from 'vitest';
import { databaseLocation } from '../../src/lib/adapters/database-location.ts';
import type { Failure } from '../../src/lib/core/failure.ts';

describe('where a database is', () => {
  it.each([
    ['/tmp/a.db', { kind: 'file', path: '/tmp/a.db' }],
    ['file:/tmp/a.db', { kind: 'file', path: '/tmp/a.db' }],
    ['file:///tmp/a%20b.db', { kind: 'file', path: '/tmp/a b.db' }],
    [
      'libsql://db-acme.turso.io',
      {
        kind: 'server',
        url: 'https://db-acme.turso.io',
        host: 'db-acme.turso.io',
        location: 'libsql://db-acme.turso.io',
      },
    ],
    [
      'https://DB.example.com:8443/ns/',
      {
        kind: 'server',
        url: 'https://db.example.com:8443/ns/',
        host: 'db.example.com:8443',
        location: 'https://db.example.com:8443/ns/',
      },
    ],
    [
      'http://db.internal:8080',
      { kind: 'server', url: 'http://db.internal:8080', host: 'db.internal:8080', location: 'http://db.internal:8080' },
    ],
    [
      'libsql://127.0.0.1:8080?tls=0',
      { kind: 'server', url: 'http://127.0.0.1:8080', host: '127.0.0.1:8080', location: 'libsql://127.0.0.1:8080' },
    ],
    [
      'LIBSQL://localhost:8080/?tls=1',
      { kind: 'server', url: 'https://localhost:8080', host: 'localhost:8080', location: 'libsql://localhost:8080' },
    ],
  ])('%s', (value, location) => {
    expect(databaseLocation(value)).toEqual(location);
  });

  it.each([
    ['', /^db: must not be empty$/],
    ['postgres://db.example.com', /^db: a database has no URL that begins with postgres:\/\/$/],
    ['wss://db.example.com', /begins with wss:\/\/$/],
    ['libsql://', /no valid URL/],
    ['libsql://:80', /no valid URL/],
    ['libsql://user:SECRET@db.example.com', /must not hold a user or a password/],
    ['https://SECRET@db.example.com', /must not hold a user or a password/],
    ['libsql://db.example.com?authToken=SECRET', /must not hold a token/],
    ['libsql://db.example.com#SECRET', /must not hold a token/],
    ['libsql://db.example.com:80?tls=0', /port of this machine only/],
    ['libsql://127.0.0.1?tls=0', /port of this machine only/],
    ['https://127.0.0.1:80?tls=0', /only a libsql:\/\/ URL/],
    ['libsql://127.0.0.1:80?tls=SECRET', /only a libsql:\/\/ URL/],
  ])('%j is refused without being repeated', (value, message) => {
    const failure = ((): unknown => {
      try {
        return databaseLocation(value);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) as string });
    const { message: text, hint } = failure as Failure;
    expect(`${text} ${hint ?? ''}`).not.toContain('SECRET');
  });

  it('names the argument it was given for', () => {
    expect(() => databaseLocation('ftp://x', 'GH_RAG_SYNC_URL')).toThrow(/^GH_RAG_SYNC_URL: /);
  });
});
