import { expect, test } from 'vitest';
import { logfmtOf } from './process-log.ts';

test('known fields come first, and values are quoted if necessary', () => {
  const line = JSON.stringify({
    level: 40,
    time: '2026-11-24T10:00:00.000Z',
    requestId: 'a1',
    path: '/rest/v1/x y',
    empty: '',
    nested: { a: 1 },
    service: 'rest',
    message: 'say "no"\nlevel=error',
  });
  expect(logfmtOf(line)).toBe(
    'time=2026-11-24T10:00:00.000Z level=warn service=rest message="say \\"no\\"\\nlevel=error" requestId=a1 path="/rest/v1/x y" empty="" nested="{\\"a\\":1}"\n',
  );
});
