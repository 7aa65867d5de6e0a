/**
 * Most of this file is checked by the compiler instead of at run time. Type checking fails if the line after a
 * `@ts-expect-error` compiles without an error.
 */
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { AddRoute } from '../routes/api.ts';
import { type Given, json, noContent, type ParamsOf, type RouteTable } from './contract.ts';

interface Task {
  readonly id: string;
  readonly state: 'open' | 'done';
  readonly tags?: readonly string[];
}

const contract = {
  'GET /tasks/:list': {
    query: z.object({ limit: z.coerce.number<number>().default(10) }),
    response: json<{ readonly tasks: readonly Task[] }>(),
  },
  'POST /tasks': { body: z.object({ title: z.string() }), response: noContent },
} as const satisfies RouteTable;

const route: AddRoute<typeof contract> = () => {};

describe('a handler', () => {
  test('reads typed input and returns the declared fields', () => {
    route('GET /tasks/:list', 'read', async ({ params, query }) => {
      const { limit } = await query();
      expectTypeOf(limit).toEqualTypeOf<number>();
      return { tasks: [{ id: params.list, state: 'open' }] };
    });
    route('POST /tasks', 'write', async ({ body }) => {
      expectTypeOf((await body()).title).toEqualTypeOf<string>();
    });
  });

  test('fails to compile if a field is missing, wrong or extra', () => {
    // @ts-expect-error `tasks` is missing
    route('GET /tasks/:list', 'read', async () => ({}));
    // @ts-expect-error `state` has a value that the contract doesn't declare
    route('GET /tasks/:list', 'read', async () => ({ tasks: [{ id: '1', state: 'late' }] }));
    // @ts-expect-error `owner` isn't declared
    route('GET /tasks/:list', 'read', async () => ({ tasks: [], owner: 'ada' }));
    // @ts-expect-error `secret` isn't declared, in a list of computed rows
    route('GET /tasks/:list', 'read', async () => ({
      tasks: ['1'].map((id) => ({ id, state: 'open' as const, secret: 'x' })),
    }));
    // @ts-expect-error the route has no response body
    route('POST /tasks', 'write', async () => ({ id: '1' }));
    // @ts-expect-error the contract has no such route
    route('GET /task', 'read', async () => ({}));
    // @ts-expect-error the path has no such parameter
    route('GET /tasks/:list', 'read', async ({ params }) => ({ tasks: [{ id: params.id, state: 'open' }] }));
  });
});

test('parameters are read from the path', () => {
  expectTypeOf<ParamsOf<'GET /a/:one/b/:two'>>().toEqualTypeOf<Readonly<Record<'one' | 'two', string>>>();
});

test('a caller can omit input that has a default', () => {
  expectTypeOf<Given<(typeof contract)['GET /tasks/:list'], 'query'>>().toEqualTypeOf<{
    readonly limit?: number | undefined;
  }>();
});
