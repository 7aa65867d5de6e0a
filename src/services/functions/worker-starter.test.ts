import { expect, test } from 'vitest';
import { bootHint } from './worker-starter.ts';

// Examples of the output of Deno 2.9.
test.each<[string[], RegExp]>([
  [
    [
      "error: Import 'https://a.test/x.ts' failed.",
      '    0: error sending request for url (https://a.test/x.ts): client error (Connect): dns error: failed to lookup address information',
    ],
    /^https:\/\/a\.test\/x\.ts couldn't be downloaded/,
  ],
  [
    [
      'error: Failed loading https://registry.test/other for package "other"',
      '    0: error sending request for url',
    ],
    /^https:\/\/registry\.test\/other couldn't be downloaded/,
  ],
  [
    [
      "error: JSR package manifest for '@me/none' failed to load. Import 'https://jsr.test/@me/none/meta.json' failed.",
    ],
    /^@me\/none couldn't be downloaded/,
  ],
  [['error: Import "tiny" not a dependency'], /isn't defined/],
  [['error: Relative import path "tiny" not prefixed with / or ./ or ../'], /isn't defined/],
  [
    ["    Import 'file:///app/map.json' failed, not found.", 'error: Unable to load'],
    /^The function didn't start/,
  ],
  [["error: The module's source code could not be parsed: Expected ';'"], /^The function didn't start/],
  [['error: Uncaught (in promise) Error: at the top'], /^The function didn't start/],
  [[], /without handling requests/],
])('%j', (stderr, hint) => {
  expect(bootHint(stderr)).toMatch(hint);
});

test('the error for an untrusted certificate names the setting to change', () => {
  const stderr = [
    "error: Import 'https://a.test/x.ts' failed.",
    '    0: error sending request for url (https://a.test/x.ts): client error (Connect): invalid peer certificate: UnknownIssuer',
  ];
  expect(bootHint(stderr)).toMatch(/^The certificate of https:\/\/a\.test\/x\.ts isn't trusted\./);
});
