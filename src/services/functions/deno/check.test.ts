import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typeErrors } from './check.ts';

// An example of the output of Deno 2.9.
const printed = `TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.
const n: number = 'x';
      ^
    at file:///my%20app/index.ts:1:7

TS2769 [ERROR]: No overload matches this call.
  The last overload gave the following error.
Deno.serve((r) => 5);
           ~~~~~~~~
    at file:///my%20app/index.ts:4:12

TS2771 [ERROR]:     The last overload is declared here.
        at asset:///lib.deno.ns.d.ts:6141:19

Found 3 errors.

error: Type checking failed.
`;

test('each type error is one line with its position', () => {
  expect(typeErrors(printed)).toEqual([
    "/my app/index.ts:1:7 TS2322: Type 'string' is not assignable to type 'number'.",
    '/my app/index.ts:4:12 TS2769: No overload matches this call.',
  ]);
});

test('other output is ignored, and the number of errors is limited', () => {
  fc.assert(fc.property(fc.string(), (text) => typeErrors(text).length === 0));
  expect(typeErrors(printed.repeat(50))).toHaveLength(20);
});
