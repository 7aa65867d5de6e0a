import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPostgresError } from './errors.ts';
import { isRecord } from './json.ts';
import { createPublicLookup } from './network/address-scope.ts';
import { escapeMarkup } from './printable.ts';

describe('escaping of markup', () => {
  it('escapes every character with a meaning in HTML or XML', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = escapeMarkup(text);
        expect(escaped).not.toMatch(/[<>"']|&(?!#\d+;)/);
        const read = escaped.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
        expect(read).toBe(text);
      }),
    );
  });
});

describe('the check for records', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('accepts %o', (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], ['{}'], [1], [() => 1]])('rejects %o', (value) => {
    expect(isRecord(value)).toBe(false);
  });
});

describe('the check for PostgreSQL errors', () => {
  const withFields = (fields: object): Error => Object.assign(new Error('refused'), fields);

  it('requires a SQLSTATE and a severity', () => {
    expect(isPostgresError(withFields({ code: '42501', severity: 'ERROR' }))).toBe(true);
    expect(isPostgresError(withFields({ code: 'ECONNREFUSED' }))).toBe(false);
    expect(isPostgresError({ code: '42501', severity: 'ERROR' })).toBe(false);
    expect(isPostgresError(undefined)).toBe(false);
  });
});

describe('the lookup of public addresses', () => {
  const lookUp = (addresses: readonly string[], all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const lookup = createPublicLookup({
        resolve: (_host, _options, callback) =>
          callback(
            null,
            addresses.map((address): LookupAddress => ({ address, family: 4 })),
          ),
        refusal: (address, scope) => new Error(`${address} is ${scope}`),
      });
      lookup('example.com', { all }, (error, found) => (error === null ? resolve(found) : reject(error)));
    });

  it('returns one address or all addresses', async () => {
    expect(await lookUp(['8.8.8.8', '1.1.1.1'], false)).toBe('8.8.8.8');
    expect(await lookUp(['8.8.8.8', '1.1.1.1'], true)).toHaveLength(2);
  });

  it('rejects a name if any of its addresses isn’t public', async () => {
    await expect(lookUp(['8.8.8.8', '10.0.0.1'], false)).rejects.toThrow('10.0.0.1 is private');
  });

  it('forwards the resolver’s error', async () => {
    const lookup = createPublicLookup({
      resolve: (_host, _options, callback) => callback(new Error('no such name'), []),
      refusal: () => new Error('refused'),
    });
    const outcome = new Promise((_, reject) => lookup('example.com', {}, (error) => reject(error)));
    await expect(outcome).rejects.toThrow('no such name');
  });
});
